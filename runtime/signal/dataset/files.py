"""The dataset's folder: files of samples, whole or not there, and how far they go.

dataset.json has the configuration. samples-NNNNN.parquet has a fixed number of samples, in the
order of the candidates; its footer tells the range of candidates. iq-NNNNN.* has their signals, one
after the other. Nothing in them depends on batches or workers.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from megabatt.runtime.megabatch.store import Store
from megabatt.runtime.signal.constants import FEATURES
from megabatt.runtime.signal.dataset import iq
from megabatt.runtime.signal.dataset.configuration import Configuration, as_table, differences
from megabatt.runtime.signal.dataset.links import Array
from megabatt.runtime.signal.dataset.measuring import FEATURE_COUNT, LATE, Measured
from megabatt.runtime.signal.dataset.rejection import EARLY

_ROWS = 1024
"""Samples in a file, where signals are not kept."""
_IQ_BYTES = 1 << 28
"""The most bytes of a file of signals."""
_META = b"megabatt.dataset"
_OF_LINKS = "receiver_latitude", "receiver_longitude", "distance_km", "rx_power_dbm", "snr_db"


class FolderError(Exception):
    """The folder cannot be written to or resumed; the message says why."""


def rows_of_a_file(configuration: Configuration) -> int:
    """Return the number of samples in a file; the last file may have fewer."""
    if configuration.keep_iq == "none":
        return _ROWS
    signal = 8 * configuration.signal_length * configuration.most_receivers
    return max(min(_IQ_BYTES // signal, _ROWS), 1)


def schema_of(configuration: Configuration) -> pa.Schema:
    """Return the columns of a sample; lists have an element for each receiver.

    candidate: its number. latitude, longitude: of the transmitter, in degrees. features: their
    names are in the field's metadata. mask: whether the receiver hears the transmitter; where it
    does not, its features are zeros. iq_first: the place of the sample's first signal in the file
    of signals, where they are kept; a sample has a signal for each receiver that hears it.
    """
    fields = {
        "candidate": pa.int64(),
        "latitude": pa.float32(),
        "longitude": pa.float32(),
        "gdop": pa.float32(),
        "features": pa.list_(pa.list_(pa.float32(), FEATURE_COUNT)),
        "mask": pa.list_(pa.bool_()),
        **dict.fromkeys(_OF_LINKS, pa.list_(pa.float32())),
    }
    if configuration.keep_iq != "none":
        fields["iq_first"] = pa.int64()
    names = {"names": json.dumps(FEATURES)}
    return pa.schema(
        pa.field(name, kind, metadata=names if name == "features" else None)
        for name, kind in fields.items()
    )


@dataclass
class File:
    """The file that is being filled.

    begin, end: its candidates' numbers; rejected: how many of these were, by reason; tables: its
    samples; signals: those of all its samples; saved: how many of its samples are written.
    """

    number: int
    begin: int
    end: int
    rejected: Counter[str] = field(default_factory=Counter)
    tables: list[pa.Table] = field(default_factory=list)
    signals: list[Array] = field(default_factory=list)
    saved: int = 0

    @property
    def rows(self) -> int:
        return sum(len(table) for table in self.tables)


class Folder:
    """A dataset's folder, its samples appended in the order of their candidates."""

    def __init__(self, path: Path, configuration: Configuration) -> None:
        self.path = path
        self.store = Store.at(path)
        self.configuration = configuration
        self.schema = schema_of(configuration)
        self.most_rows = rows_of_a_file(configuration)
        self.accepted = 0
        self.rejected: Counter[str] = Counter()
        self.file = File(0, 0, 0)

    @property
    def next_candidate(self) -> int:
        """The number after those of all known candidates."""
        return self.file.end

    def append(self, measured: Measured, at: int, end: int) -> None:
        """Append what was measured at places `at` to `end`; the file must have room for it."""
        survivors, verdicts = measured.survivors, measured.verdicts[at:end]
        counts = dict(zip(EARLY, survivors.rejected[at:end].sum(axis=0).tolist(), strict=True))
        counts |= {reason: int((verdicts == k).sum()) for k, reason in enumerate(LATE)}
        for rejected in (self.file.rejected, self.rejected):
            rejected.update(counts)
        places = at + np.flatnonzero(verdicts < 0)
        ends = np.concatenate([[0], survivors.signals.cumsum()])
        first = len(self.file.signals) + np.cumsum(survivors.signals[places])
        if measured.signals:
            for place in places:
                self.file.signals += measured.signals[ends[place] : ends[place + 1]]
        first -= survivors.signals[places]
        self.file.tables.append(_table(self.schema, measured, places, first))
        self.accepted += len(places)
        self.file.end = int(survivors.links.candidates[end - 1]) + 1
        if self.file.rows == self.most_rows:
            self.save()
            self.file = File(self.file.number + 1, self.file.end, self.file.end)

    def room(self) -> int:
        """Return how many samples the file that is being filled still takes."""
        return self.most_rows - self.file.rows

    def save(self) -> None:
        """Write the file that is being filled, over what was written of it before."""
        file = self.file
        if file.rows == file.saved:
            return
        meta = {"begin": file.begin, "end": file.end, "rejected": dict(file.rejected)}
        schema = self.schema.with_metadata({_META: json.dumps(meta).encode()})
        table = pa.concat_tables(file.tables).cast(schema)
        if file.signals:
            iq.write(self.store, file.number, self.configuration, table, file.signals)
        with self.store.writing(_name(file.number)) as stream:
            pq.write_table(table, stream, compression="zstd")
        file.tables, file.saved = [table], file.rows


def _name(number: int) -> str:
    return f"samples-{number:05d}.parquet"


def _table(schema: pa.Schema, measured: Measured, places: Array, iq_first: Array) -> pa.Table:
    """Return the samples at some places, a row each. iq_first: where the signals of each begin."""
    links = measured.survivors.links
    features = np.zeros((*links.heard.shape, FEATURE_COUNT), dtype=np.float32)
    features[links.heard] = measured.features
    there = links.there[places]
    offsets = pa.array(np.concatenate([[0], there.sum(axis=1).cumsum()]), pa.int32())

    def lists(values: Array) -> pa.Array:
        """Make a list for each sample of the values of links to receivers that are there."""
        return pa.ListArray.from_arrays(offsets, pa.array(values[places][there]))

    flat = pa.array(features[places][there].ravel())
    columns: dict[str, Any] = {
        "candidate": links.candidates[places],
        "features": pa.ListArray.from_arrays(
            offsets, pa.FixedSizeListArray.from_arrays(flat, FEATURE_COUNT)
        ),
        "mask": lists(links.heard),
        "iq_first": iq_first,
    }
    for name in ("latitude", "longitude", "gdop"):
        columns[name] = getattr(links, name)[places].astype(np.float32)
    for name in _OF_LINKS:
        columns[name] = lists(getattr(links, name).astype(np.float32))
    return pa.table({name: columns[name] for name in schema.names}).cast(schema)


def json_of(content: dict[str, Any]) -> bytes:
    """Return the text of a JSON file."""
    return (json.dumps(content, indent=2) + "\n").encode()


# Begun, and gone on with


def begin(path: Path, configuration: Configuration, overwrite: bool = False) -> Folder:
    """Make an empty folder for the dataset; with `overwrite`, delete the dataset that is in it.

    Raises FolderError where there is one and `overwrite` is not set.
    """
    if dataset_in(path) is not None:
        if not overwrite:
            raise FolderError(
                f"{path}: there is a dataset in it; go on with it with --resume, delete it with "
                "--overwrite, or name another folder"
            )
        for file in [*path.glob("samples-*.parquet"), *path.glob("iq-*"), path / "summary.json"]:
            file.unlink(missing_ok=True)
    path.mkdir(parents=True, exist_ok=True)
    folder = Folder(path, configuration)
    folder.store.write("dataset.json", json_of(as_table(configuration)))
    return folder


def go_on(path: Path, configuration: Configuration) -> Folder:
    """Open the folder with all that is in it; begin one where there is none. Raises FolderError."""
    written = dataset_in(path)
    if written is None:
        return begin(path, configuration)
    changed = differences(configuration, written)
    if changed:
        raise FolderError(
            f"{path}: the dataset in it is another: {'; '.join(changed)}. Only num_samples and "
            "batch_size may differ"
        )
    folder = Folder(path, configuration)
    for number, file in enumerate(sorted(path.glob("samples-*.parquet"))):
        _take_up(folder, number, file)
    return folder


def dataset_in(path: Path) -> dict[str, Any] | None:
    """Read the configuration of the dataset in a folder, if there is one. Raises FolderError."""
    try:
        return json.loads((path / "dataset.json").read_text("utf-8"))  # type: ignore[no-any-return]
    except FileNotFoundError:
        return None
    except (OSError, ValueError, RecursionError) as error:
        raise FolderError(f"{path / 'dataset.json'}: cannot be read: {error}") from error


def _take_up(folder: Folder, number: int, path: Path) -> None:
    """Take a written file into account: new samples follow it. Raises FolderError."""
    try:
        footer = pq.read_metadata(path)
        meta = json.loads(footer.metadata[_META])
    except (pa.ArrowException, OSError, KeyError, TypeError, ValueError) as error:
        raise FolderError(f"{path}: not a whole file of a dataset: {error}") from error
    if path.name != _name(number) or meta["begin"] != folder.next_candidate:
        raise FolderError(f"{path}: the file before it is missing; give another folder")
    folder.accepted += footer.num_rows
    folder.rejected.update(meta["rejected"])
    file = File(number, meta["begin"], meta["end"], Counter(meta["rejected"]))
    if footer.num_rows < folder.most_rows:
        file.tables, file.saved = [pq.read_table(path)], footer.num_rows
        if folder.configuration.keep_iq != "none":
            file.signals = _signals_of(folder, file)
        folder.file = file
    else:
        folder.file = File(number + 1, meta["end"], meta["end"])


def _signals_of(folder: Folder, file: File) -> list[Array]:
    """Read the signals of a file's samples. A save cut short may have left more: drop them."""
    (table,) = file.tables
    count = sum(sum(mask) for mask in table["mask"].to_pylist())
    try:
        signals = iq.read(folder.path, file.number, folder.configuration)
    except (OSError, ValueError) as error:
        raise FolderError(f"{folder.path}: the signals of file {file.number}: {error}") from error
    if len(signals) < count:
        raise FolderError(f"{folder.path}: signals of file {file.number} are missing")
    return signals[:count]
