"""A batch's results as a Parquet file: a row for every sample and solver.

The file's metadata has the batch's origin and figures, so that a run can be summed up from its
files.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from importlib.metadata import version
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from megabatt.runtime.engine.columns import Column
from megabatt.runtime.engine.executor.program import Results
from megabatt.runtime.engine.language.reasons import REASONS, Reason
from megabatt.runtime.megabatch.batches import Batch, Settings
from megabatt.runtime.megabatch.checksums import reading_parquet, writing_parquet
from megabatt.runtime.megabatch.parts import ranges_within
from megabatt.runtime.megabatch.run.fits import Fits
from megabatt.runtime.megabatch.run.manifest import program_digest
from megabatt.runtime.megabatch.store import Store
from megabatt.runtime.megabatch.workload import Workload
from megabatt.runtime.printable import printable
from megabatt.runtime.vocabulary import counted

RESULTS = pa.schema([
    pa.field("solver", pa.dictionary(pa.int32(), pa.string())),
    pa.field("matches", pa.bool_()),
    pa.field("failed_operations", pa.list_(pa.int32())),
    pa.field("first_failed", pa.int32()),
    pa.field("reason", pa.dictionary(pa.int32(), pa.string())),
])
"""The result columns of a solver on a sample.

matches: Whether the output is right; null if the expected output is unknown. failed_operations,
first_failed: Numbers of operations in the solver's own program. reason: Why the first failed
operation failed; null if none failed. For a sample that was not computed, the reason says so, and
the other columns and the output are null."""

_FIGURES = b"megabatt"
"""The key of the batch's figures, as JSON, in a file's metadata."""

_ROW_GROUP = 1 << 15
"""The number of rows, of many solvers, that completes a group; a group is compressed as a whole."""
_GROUP_BYTES = 1 << 26
"""The bytes of rows that complete a group."""
_SLICE_ELEMENTS = 1 << 19
"""The most container elements of a solver's outputs to put into rows at a time."""


def schema_of(workload: Workload[Any]) -> pa.Schema:
    """Return the columns of a row: the sample, a solver's result, and its output."""
    return pa.schema([*workload.sample_fields, *RESULTS, *workload.output_fields])


def lacking_columns(there: pa.Schema, wanted: pa.Schema = RESULTS) -> str:
    """Say in a line which columns a file lacks; "" for a complete file."""
    lacking = [name for name in wanted.names if name not in there.names]
    return f"it has no {' and no '.join(lacking)}: an earlier megabatt wrote it" if lacking else ""


def file_name(batch: Batch) -> str:
    """Return the name of a batch's file: batch-NNNNN.parquet, with suffixes for part and piece."""
    part = "" if batch.part is None else f"-{batch.part.number}"
    lanes = "" if batch.piece is None else f"-lanes-{batch.piece.start}-{batch.piece.stop}"
    return f"batch-{batch.number:05d}{part}{lanes}.parquet"


_NAME = re.compile(r"batch-(\d{5,})(-\d+)?(-lanes-\d+-\d+)?\.parquet")


def number_in(name: str) -> int | None:
    """Return the number of the batch in a file name; None for another name."""
    found = _NAME.fullmatch(name)
    return int(found[1]) if found else None


def is_whole(name: str) -> bool:
    """Tell by a file's name whether the file has a whole batch, not a part or a piece."""
    found = _NAME.fullmatch(name)
    return found is not None and found.groups()[1:] == (None, None)


class BatchWriter:
    """Writes a batch's rows, some samples at a time, to a Parquet file."""

    def __init__(self, settings: Settings, batch: Batch, parquet: pq.ParquetWriter) -> None:
        """Write to `parquet`, which has the columns of `schema_of`."""
        self.settings = settings
        self.workload = settings.workload
        self.batch = batch
        self._parquet = parquet
        self._schema = schema_of(self.workload)
        self._group: list[pa.RecordBatch] = []
        self._rows = self._bytes = 0
        self._lanes: list[int] = []

    def add(
        self,
        samples: list[Any],
        results: Results,
        matches: dict[str, np.ndarray[Any, Any]],
        computed: np.ndarray[Any, Any],
    ) -> None:
        """Add the rows of the batch's next samples.

        results: The results of the computed samples. matches: Flags of right outputs by solver,
        bool (samples,). computed: bool (samples,), whether the sample was computed.
        """
        fits = Fits(self.workload, samples, computed)
        numbers = self.settings.forms(self.batch).numbers
        unknown = np.array([sample.expected is None for sample in samples], dtype=np.bool_)
        place = np.cumsum(computed) - 1  # each sample's lane in the results
        of_samples = self.workload.sample_arrays(samples)
        self._lanes.append(len(samples))
        for name, column in results.columns.items():
            failures = _failures(results, numbers[name])
            matched = pa.array(matches[name], mask=unknown | ~computed)
            kept = np.zeros(len(samples), dtype=np.bool_)
            if self.settings.outputs != "none":
                kept = computed if self.settings.outputs == "all" else fits.of(matches[name])
            for rows in _slices(column, place, kept):
                n = len(rows)
                solver = pa.DictionaryArray.from_arrays(
                    pa.array(np.zeros(n, np.int32)), pa.array([name])
                )
                these = slice(rows.start, rows.stop)
                arrays = [
                    *(array.slice(rows.start, n) for array in of_samples),
                    solver,
                    matched.slice(rows.start, n),
                    *_of_rows(failures, pa.array(place[these], mask=~computed[these])),
                    *self._outputs(column, place[these], kept[these]),
                ]
                self._write(pa.record_batch(arrays, schema=self._schema))

    def _outputs(
        self, column: Column, place: np.ndarray[Any, Any], kept: np.ndarray[Any, Any]
    ) -> list[pa.Array]:
        """Make the output columns of some rows.

        place: The lane of each row in the column. kept: bool (rows,), the rows with an output;
        other rows are null.
        """
        n, count = len(kept), int(kept.sum())
        if not count:
            return [pa.nulls(n, output.type) for output in self.workload.output_fields]
        whole = count == len(column)
        outputs = self.workload.output_arrays(column if whole else column.take(place[kept]))
        index = pa.array(np.cumsum(kept) - 1, mask=~kept)
        return [array if count == n else array.take(index) for array in outputs]

    def _write(self, rows: pa.RecordBatch) -> None:
        self._group.append(rows)
        self._rows += len(rows)
        self._bytes += rows.nbytes
        if self._bytes >= _GROUP_BYTES or self._rows >= _ROW_GROUP:
            self._flush()

    def _flush(self) -> None:
        self._parquet.write_table(pa.Table.from_batches(self._group, self._schema))
        self._group, self._rows, self._bytes = [], 0, 0

    def finish(self, figures: dict[str, Any]) -> None:
        """Write the remaining rows, and the batch's figures."""
        if self._group or not self._lanes:
            self._flush()
        lanes = {"first": self.batch.lanes.start, "lanes": self._lanes}
        part = None if self.batch.part is None else self.batch.part.number
        about = {"part": part, **lanes, **figures}
        self._parquet.add_key_value_metadata({_FIGURES: json.dumps(about)} | self._origin())

    def _origin(self) -> dict[bytes | str, str]:
        """Return metadata on the rows' origin, for whoever finds the file."""
        settings = self.settings
        return {
            "megabatt.version": version("megabatt"),
            "megabatt.workload": settings.workload.name,
            "megabatt.program": printable(str(Path(settings.folder).resolve())),
            "megabatt.program_digest": program_digest(settings, self.batch.solver is not None),
            "megabatt.max_elements": str(settings.limit),
            "megabatt.device": ", ".join(settings.devices),
            "megabatt.outputs": settings.outputs,
        }


@contextmanager
def batch_writer(settings: Settings, store: Store, batch: Batch) -> Iterator[BatchWriter]:
    """Yield a writer of the batch's file; the file appears when the block ends after `finish`."""
    name, schema = file_name(batch), schema_of(settings.workload)
    with writing_parquet(store, name, schema, settings.run) as parquet:
        yield BatchWriter(settings, batch, parquet)


def _slices(
    column: Column, place: np.ndarray[Any, Any], computed: np.ndarray[Any, Any]
) -> list[range]:
    """Cut a solver's rows into ranges small enough to be laid out at once.

    place: The lane of each row in the column. computed: bool (rows,), the rows with an output.
    """
    n = len(place)
    if not computed.any():
        return [range(n)] if n else []
    weights = np.zeros(n, dtype=np.int64)
    weights[computed] = np.minimum(column.weights(), _SLICE_ELEMENTS)[place[computed]]
    return list(ranges_within(weights, _SLICE_ELEMENTS))


def _failures(results: Results, numbers: Sequence[int]) -> tuple[pa.Array, pa.Array, pa.Array]:
    """Return for each lane a solver's failed operations, the first failed, and the reason.

    Operations have their numbers in the solver's own program. numbers: The numbers of the solver's
    operations in the program that ran.
    """
    if results.reasons.shape[1] == 0:  # no lane was computed
        nothing = pa.array([], pa.int32())
        return pa.array([], pa.list_(pa.int32())), nothing, nothing
    reasons = results.reasons[np.array(numbers, dtype=np.int64)].T
    reasons = np.pad(reasons, [(0, 0), (0, 1)])  # argmax below needs a column
    flags = reasons != 0
    offsets = np.concatenate([[0], np.cumsum(flags.sum(axis=1))])
    own = np.nonzero(flags)[1] + 1
    failed = pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), pa.array(own, pa.int32()))
    right = ~flags.any(axis=1)
    first = flags.argmax(axis=1)
    why = np.take_along_axis(reasons, first[:, None], axis=1)[:, 0].astype(np.int32)
    return failed, pa.array((first + 1).astype(np.int32), mask=right), pa.array(why, mask=right)


def _of_rows(failures: tuple[pa.Array, ...], place: pa.Array) -> list[pa.Array]:
    """Return the failures of rows. place: Each row's lane; null if the row was not computed."""
    failed, first, why = (array.take(place) for array in failures)
    why = pc.if_else(place.is_null(), pa.scalar(Reason.NOT_COMPUTED, pa.int32()), why)
    names = pa.array(list(map(str, REASONS)))
    reason = pa.DictionaryArray.from_arrays(pc.subtract(why, 1).cast(pa.int32()), names)
    return [failed, first, reason]


def figures_in(file: pq.ParquetFile) -> dict[str, Any]:
    """Read the figures in a batch's file. Raises ValueError for a file without figures."""
    found: dict[str, Any] = json.loads(file.metadata.metadata.get(_FIGURES, b"{}"))
    if "lanes" not in found:
        raise ValueError("it has no figures of a batch")
    return found


def matches_in(file: pq.ParquetFile, lanes: list[int]) -> dict[str, np.ndarray[Any, Any]]:
    """Read flags of right outputs by solver; bool (samples,).

    lanes: The number of samples of each piece in the file. Raises ValueError for another number of
    rows.
    """
    table = file.read(columns=["solver", "matches"])
    solvers = table.column("solver").combine_chunks()
    names = solvers.cast(pa.string()).unique().to_pylist()
    matches = table.column("matches").fill_null(False).to_numpy()
    found: dict[str, list[np.ndarray[Any, Any]]] = {solver: [] for solver in names}
    at = 0
    for count in lanes:
        for solver in names:
            found[solver].append(matches[at : at + count])
            at += count
    if at != len(matches):
        raise ValueError(f"it has {counted(len(matches), 'row')}, not {at:,}")
    return {solver: np.concatenate(parts) for solver, parts in found.items()}


def settle(
    settings: Settings,
    batch: Batch,
    matches: dict[str, np.ndarray[Any, Any]],
    not_computed: Collection[int],
) -> None:
    """Remove the outputs of solvers that do not fit from the files of a batch.

    Each piece was judged by its own samples alone, and may keep too many outputs. matches: Flags of
    right outputs in the whole batch by solver, bool (samples,). not_computed: The positions of
    samples that were not computed. Raises OSError.
    """
    store = settings.out
    if store is None or not settings.writes_fits:
        return
    lost = set(not_computed)
    computed = np.array([k not in lost for k in range(len(batch.samples))], dtype=np.bool_)
    fits = Fits(settings.workload, batch.samples, computed)
    for name in store.names():
        if number_in(name) == batch.number:
            _settle_file(settings, store, name, fits, matches)


def _settle_file(
    settings: Settings,
    store: Store,
    name: str,
    fits: Fits,
    matches: dict[str, np.ndarray[Any, Any]],
) -> None:
    workload = settings.workload
    with reading_parquet(store, name, settings.run) as source:
        figures = figures_in(source)
        if figures.get("settled"):
            return
        ends = figures["first"] + np.cumsum([0, *figures["lanes"]])
        solvers = list(matches_in(source, figures["lanes"]))
        fitting = {solver: fits.of(matches[solver]) for solver in solvers}
        kept = np.concatenate(
            [fitting[solver][at:end] for at, end in pairwise(ends) for solver in solvers]
        )
        said = source.metadata.metadata
        about = {key: value for key, value in said.items() if key.startswith(b"megabatt.")}
        about[_FIGURES] = json.dumps(figures | {"settled": True}).encode()
        with writing_parquet(store, name, schema_of(workload)) as settled:
            at = 0
            for number in range(source.num_row_groups):
                rows = source.read_row_group(number)
                settled.write_table(_without_outputs(workload, rows, ~kept[at : at + len(rows)]))
                at += len(rows)
            settled.add_key_value_metadata(about)


def _without_outputs(
    workload: Workload[Any], rows: pa.Table, which: np.ndarray[Any, Any]
) -> pa.Table:
    for field in workload.output_fields:
        k = rows.schema.get_field_index(field.name)
        rows = rows.set_column(
            k, rows.schema.field(k), pc.if_else(pa.array(which), None, rows.column(k))
        )
    return rows
