"""The dataset's folder: files of samples, each complete or absent.

dataset.json has the configuration. samples-NNNNN.parquet has a fixed number of samples, in the
order of the candidates; its footer tells the range of candidates. iq-NNNNN.* has the samples'
signals, one after the other. No file depends on batches or workers, so damaged files, and files
missing between others, are gaps, which are made again.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from megabatt.runtime.megabatch.checksums import (
    Damaged,
    read_json,
    reading_parquet,
    write_json,
    writing_parquet,
)
from megabatt.runtime.megabatch.store import Store, temporary_for
from megabatt.runtime.signal.constants import FEATURES
from megabatt.runtime.signal.dataset import iq
from megabatt.runtime.signal.dataset.configuration import (
    Configuration,
    as_table,
    differences,
    fixed,
)
from megabatt.runtime.signal.dataset.links import Array
from megabatt.runtime.signal.dataset.measuring import FEATURE_COUNT, LATE, Measurements
from megabatt.runtime.signal.dataset.rejection import EARLY
from megabatt.runtime.vocabulary import counted

_ROWS = 1024
"""The samples of a file if signals are not kept."""
_IQ_BYTES = 1 << 28
"""The most bytes of a file of signals."""
DATASET = "dataset.json"
_META = b"megabatt.dataset"
_NAME = re.compile(r"samples-(\d{5,})\.parquet")
_OURS = re.compile(r"samples-.*|iq-.*|dataset\.json|summary\.json")
_OF_LINKS = "receiver_latitude", "receiver_longitude", "distance_km", "rx_power_dbm", "snr_db"


class DatasetRefused(Exception):
    """Raised if the folder cannot be written to or resumed; the message says why."""


def rows_of_a_file(configuration: Configuration) -> int:
    """Return the number of samples in a file; the last file may have fewer."""
    if configuration.keep_iq == "none":
        return _ROWS
    signal = 8 * configuration.signal_length * configuration.most_receivers
    return max(min(_IQ_BYTES // signal, _ROWS), 1)


def schema_of(configuration: Configuration) -> pa.Schema:
    """Return the columns of a sample; lists have an element for each receiver.

    candidate: Its number. latitude, longitude: Of the transmitter, in degrees. features: Their
    names are in the field's metadata. label: Of the modulation, if there is a choice. mask: Whether
    the receiver hears the transmitter; if not, its features are zeros. iq_first: The place of the
    sample's first signal in the file of signals, if they are kept; there is a signal for each
    receiver that hears the transmitter.
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
    metadata = {"features": {"names": json.dumps(FEATURES)}}
    if configuration.modulations:
        fields["label"] = pa.dictionary(pa.int32(), pa.string())
    if configuration.keep_iq != "none":
        fields["iq_first"] = pa.int64()
        metadata["iq_first"] = iq.described(configuration)
    return pa.schema(
        pa.field(name, kind, metadata=metadata.get(name)) for name, kind in fields.items()
    )


@dataclass
class File:
    """A written file, or the file being filled.

    begin, end: The range of its candidates. rejected: The number of rejected candidates by reason.
    saved: The number of written samples. tables, signals: The samples of the file being filled, and
    their signals.
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


class DatasetFolder:
    """A dataset's folder, to which samples are appended in the order of their candidates.

    gaps: For each sequence of damaged or missing files, a folder to make their samples again.
    rows_of_gap: The number of samples to make in a gap's folder. damaged: A line for each damaged
    or missing file.
    """

    def __init__(
        self, path: Path, configuration: Configuration, run: str, file: File | None = None
    ) -> None:
        """Make an empty folder. run: Which the files name. file: The file to fill first."""
        self.path = path
        self.run = run
        self.store = Store.at(path)
        self.configuration = configuration
        self.schema = schema_of(configuration)
        self.most_rows = rows_of_a_file(configuration)
        self.accepted = 0
        self.rejected: Counter[str] = Counter()
        self.file = file or File(0, 0, 0)
        self.gaps: list[DatasetFolder] = []
        self.rows_of_gap = 0
        self.damaged: list[str] = []

    @property
    def next_candidate(self) -> int:
        """The number after the last known candidate."""
        return self.file.end

    def append(self, measured: Measurements, at: int, end: int) -> None:
        """Append the measured samples at places `at` to `end`; the file must have room."""
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
        labels = [label for label, _ in self.configuration.modulations]
        self.file.tables.append(_table(self.schema, measured, places, first, labels))
        self.accepted += len(places)
        self.file.end = int(survivors.links.candidates[end - 1]) + 1
        if self.file.rows == self.most_rows:
            self.save()
            self.file = File(self.file.number + 1, self.file.end, self.file.end)

    def room(self) -> int:
        """Return the number of samples for which the current file has room."""
        return self.most_rows - self.file.rows

    def save(self) -> None:
        """Write the current file, over what an earlier save wrote."""
        file = self.file
        if file.rows == file.saved:
            return
        meta = {"begin": file.begin, "end": file.end, "rejected": dict(file.rejected)}
        table = pa.concat_tables(file.tables).cast(self.schema)
        if file.signals:
            written = iq.write(self.store, file.number, self.configuration, table, file.signals)
            meta["iq_sha512"] = written
        with writing_parquet(self.store, _name(file.number), self.schema, self.run) as parquet:
            parquet.write_table(table)
            parquet.add_key_value_metadata({_META: json.dumps(meta)})
        file.tables, file.saved = [table], file.rows

    def take_up(self, file: File, missing: int) -> None:
        """Count a written file, which new samples follow.

        missing: The number of missing files before this file. Raises DatasetRefused if the file
        does not follow the file before.
        """
        if missing:
            begin = self.next_candidate
            first = File(self.file.number, begin, begin)
            gap = DatasetFolder(self.path, self.configuration, self.run, first)
            gap.rows_of_gap = missing * self.most_rows
            self.gaps.append(gap)
        elif file.begin != self.next_candidate:
            name = _name(file.number)
            raise DatasetRefused(
                f"{self.path}: {name} does not follow the file before it; give another folder"
            )
        self.accepted += file.saved
        self.rejected.update(file.rejected)
        self.file = file if file.tables else File(file.number + 1, file.end, file.end)

    def fill(self, gap: DatasetFolder) -> None:
        """Count the samples of a filled gap."""
        self.gaps.remove(gap)
        self.accepted += gap.accepted
        self.rejected.update(gap.rejected)


def _name(number: int) -> str:
    return f"samples-{number:05d}.parquet"


def _table(
    schema: pa.Schema, measured: Measurements, places: Array, iq_first: Array, labels: list[str]
) -> pa.Table:
    """Return the samples at some places, a row each.

    iq_first: The place of each sample's first signal. labels: Of the modulations.
    """
    links = measured.survivors.links
    features = np.zeros((*links.heard.shape, FEATURE_COUNT), dtype=np.float32)
    features[links.heard] = measured.features
    there = links.there[places]
    offsets = pa.array(np.concatenate([[0], there.sum(axis=1).cumsum()]), pa.int32())

    def lists(values: Array) -> pa.Array:
        """Make a list for each sample: the values of its links to existing receivers."""
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
    if labels:
        numbers = pa.array(links.label[places], pa.int32())
        columns["label"] = pa.DictionaryArray.from_arrays(numbers, labels)
    for name in ("latitude", "longitude", "gdop"):
        columns[name] = getattr(links, name)[places].astype(np.float32)
    for name in _OF_LINKS:
        columns[name] = lists(getattr(links, name).astype(np.float32))
    return pa.table({name: columns[name] for name in schema.names}).cast(schema)


# Beginning and resuming


def begin(
    path: Path, configuration: Configuration, programs: str, overwrite: bool = False
) -> DatasetFolder:
    """Make an empty folder for the dataset; with `overwrite`, delete a dataset in it.

    programs: A digest of the programs that make the dataset. Raises DatasetRefused if there is a
    dataset and `overwrite` is not set.
    """
    if dataset_in(path) is not None:
        if not overwrite:
            raise DatasetRefused(
                f"{path}: there is a dataset in it; go on with it with --resume, delete it with "
                "--overwrite, or name another folder"
            )
        for file in [*path.glob("samples-*.parquet"), *path.glob("iq-*"), path / "summary.json"]:
            file.unlink(missing_ok=True)
    path.mkdir(parents=True, exist_ok=True)
    about = {
        "configuration": as_table(configuration),
        "megabatt": version("megabatt"),
        "program_digest": programs,
    }
    run = hashlib.sha256(json.dumps(about | {"configuration": fixed(configuration)}).encode())
    folder = DatasetFolder(path, configuration, run.hexdigest())
    _remove_temporary(folder.store)
    write_json(folder.store, DATASET, about | {"run": folder.run})
    return folder


def go_on(path: Path, configuration: Configuration, programs: str) -> DatasetFolder:
    """Open the folder of a dataset, or begin one.

    programs: As for `begin`. Raises DatasetRefused.
    """
    written = dataset_in(path)
    if written is None:
        return begin(path, configuration, programs)
    changed = differences(configuration, written["configuration"])
    if changed:
        raise DatasetRefused(
            f"{path}: the dataset in it is another: {'; '.join(changed)}. Only num_samples and "
            "batch_size may differ"
        )
    if written["megabatt"] != version("megabatt"):
        raise DatasetRefused(f"{path}: megabatt {written['megabatt']} has begun the dataset in it")
    if written["program_digest"] != programs:
        raise DatasetRefused(f"{path}: other programs have begun the dataset in it")
    folder = DatasetFolder(path, configuration, written["run"])
    _remove_temporary(folder.store)
    count, missing = max(files_in(path), default=-1) + 1, 0
    for number in range(count):
        try:
            file = _written(folder, number, number == count - 1)
        except Damaged as error:
            folder.damaged.append(str(error))
            folder.store.remove(_name(number))  # a pipe or folder would keep it from being written
            missing += 1
        except OSError as error:
            raise DatasetRefused(str(error)) from error
        else:
            folder.take_up(file, missing)
            missing = 0
    there = folder.accepted + sum(gap.rows_of_gap for gap in folder.gaps)
    if there > configuration.num_samples:
        raise DatasetRefused(
            f"{path}: num_samples is {configuration.num_samples:,}, and the dataset in it has "
            f"{there:,} already; give {there:,} or more, or another folder"
        )
    table = as_table(configuration)
    if table != written["configuration"]:
        write_json(folder.store, DATASET, {**written, "configuration": table})
    return folder


def dataset_in(path: Path) -> dict[str, Any] | None:
    """Read dataset.json of a folder, if there is one. Raises DatasetRefused."""
    try:
        found = read_json(Store.at(path), DATASET)
    except (Damaged, OSError) as error:
        raise DatasetRefused(str(error)) from error
    if found is not None and not (
        isinstance(found.get("configuration"), dict) and isinstance(found.get("run"), str)
    ):
        raise DatasetRefused(f"{path / DATASET}: it is not of a dataset of this version")
    return found


def _remove_temporary(store: Store) -> None:
    """Remove temporary files of killed runs."""
    for name in store.names():
        if _OURS.fullmatch(temporary_for(name) or ""):
            store.remove(name)


def files_in(path: Path) -> dict[int, str]:
    """Return the names of a folder's files of samples, by file number, in order."""
    matches = map(_NAME.fullmatch, Store.at(path).names())
    return dict(sorted((int(match[1]), match[0]) for match in matches if match))


def _written(folder: DatasetFolder, number: int, is_last: bool) -> File:
    """Read the footer of a written file. Raises Damaged, OSError."""
    name = _name(number)
    with reading_parquet(folder.store, name, folder.run) as parquet:
        try:
            meta = json.loads(parquet.metadata.metadata[_META])
            file = File(number, meta["begin"], meta["end"], Counter(meta["rejected"]))
        except (ValueError, KeyError, TypeError) as error:
            raise Damaged(f"{folder.path / name}: it is not of a dataset: {error}") from error
        table = parquet.read()
    file.saved = len(table)
    is_full = file.saved == folder.most_rows
    if not is_full and not is_last:
        most = counted(folder.most_rows, "sample")
        raise Damaged(f"{folder.path / name}: it has {file.saved} of {most}")
    signals: list[Array] = []
    if folder.configuration.keep_iq != "none":
        sha512 = meta.get("iq_sha512")
        signals = iq.read(folder.store, number, folder.configuration, table, sha512)
    if not is_full:
        file.tables, file.signals = [table], signals
    return file
