"""A batch's results as a Parquet file: a row for every sample and solver."""

from __future__ import annotations

import os
from collections.abc import Collection
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from megabatt.runtime.engine.calls.batch import Results
from megabatt.runtime.megabatch.batches import Batch
from megabatt.runtime.megabatch.workload import Workload

_RESULT_FIELDS = (
    pa.field("solver", pa.dictionary(pa.int32(), pa.string())),
    pa.field("matches", pa.bool_()),
    pa.field("failed_operations", pa.list_(pa.int32())),
)
"""matches: null where no output is known; failed_operations: of those the solver is computed by.
Of a sample that is not computed these and the output are null."""


def schema_of(workload: Workload[Any]) -> pa.Schema:
    """The columns of a row: what sample it is of, how a solver came out on it, the output."""
    return pa.schema([*workload.sample_fields, *_RESULT_FIELDS, *workload.output_fields])


_ROW_GROUP = 1 << 15
"""Rows of a file that are compressed together, at least: those of many solvers."""


def clear_results(folder: Path) -> None:
    """Make the folder, and remove what an earlier run wrote there."""
    folder.mkdir(parents=True, exist_ok=True)
    for path in [*folder.glob("batch-*.parquet"), folder / "summary.json"]:
        path.unlink(missing_ok=True)


def write_batch(
    workload: Workload[Any],
    folder: Path,
    batch: Batch,
    results: Results,
    matches: dict[str, np.ndarray[Any, Any]],
    not_computed: Collection[int] = (),
) -> Path:
    """Write batch-NNNNN.parquet under a temporary name, then rename it. Returns its path.

    A part of a batch has its own number behind that of the batch. results: of all samples but
    those (positions) that are not computed.
    """
    part = "" if batch.part is None else f"-{batch.part.number}"
    path = folder / f"batch-{batch.number:05d}{part}.parquet"
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    n, schema = len(batch.samples), schema_of(workload)
    of_samples = workload.sample_arrays(batch.samples)
    computed = np.array([lane not in not_computed for lane in range(n)], dtype=np.bool_)
    unknown = np.array([sample.expected is None for sample in batch.samples], dtype=np.bool_)
    place = pa.array(np.cumsum(computed) - 1, mask=~computed)  # of a lane in the results
    with pq.ParquetWriter(temporary, schema, compression="zstd") as writer:
        group: list[pa.RecordBatch] = []
        for name, column in results.outputs.items():
            rows = [
                *of_samples,
                pa.DictionaryArray.from_arrays(pa.array(np.zeros(n, np.int32)), pa.array([name])),
                pa.array(matches[name], mask=unknown | ~computed),
                *(
                    found.take(place) if not_computed else found
                    for found in (_failed(results, name), *workload.output_arrays(column))
                ),
            ]
            group.append(pa.record_batch(rows, schema=schema))
            if n * len(group) >= _ROW_GROUP:
                writer.write_table(pa.Table.from_batches(group))
                group = []
        writer.write_table(pa.Table.from_batches(group, schema))
    os.replace(temporary, path)
    return path


def _failed(results: Results, solver: str) -> pa.Array:
    """For each lane the failed operations among those that the solver is computed by."""
    cone = np.array(results.cones[solver], dtype=np.int32)
    flags = results.failed[cone].T
    offsets = np.concatenate([[0], np.cumsum(flags.sum(axis=1))])
    numbers = cone[np.nonzero(flags)[1]] if len(cone) else cone
    return pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), pa.array(numbers, pa.int32()))
