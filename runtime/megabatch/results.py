"""A batch's results as a Parquet file: a row for every sample and solver."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from runtime.engine.batch import Results
from runtime.engine.columns import Column, Grids
from runtime.engine.columns.grids import LEAST_CELL, MOST_CELL
from runtime.engine.values import show
from runtime.megabatch.programs import Job

SCHEMA = pa.schema(
    [
        ("task", pa.dictionary(pa.int32(), pa.string())),
        ("split", pa.dictionary(pa.int32(), pa.string())),
        ("sample", pa.int32()),
        ("solver", pa.dictionary(pa.int32(), pa.string())),
        ("matches", pa.bool_()),
        ("failed_operations", pa.list_(pa.int32())),
        ("output", pa.list_(pa.list_(pa.int8()))),
        ("other_output", pa.string()),
    ]
)
"""One row a sample and solver. output: where it is a grid of small Integers; other_output: any
other value, as the source that builds it; failed_operations: of those the solver is computed by."""


_ROW_GROUP = 1 << 15
"""Rows of a file that are compressed together, at least: those of many solvers."""


def clear_results(folder: Path) -> None:
    """Make the folder, and remove what an earlier run wrote there."""
    folder.mkdir(parents=True, exist_ok=True)
    for path in [*folder.glob("batch-*.parquet"), folder / "summary.json"]:
        path.unlink(missing_ok=True)


def write_batch(
    folder: Path, job: Job, results: Results, matches: dict[str, np.ndarray[Any, Any]]
) -> Path:
    """Write batch-NNNNN.parquet under a temporary name, then rename it. Returns its path.

    A part of a batch has its own number behind that of the batch.
    """
    part = "" if job.part is None else f"-{job.part.number}"
    path = folder / f"batch-{job.number:05d}{part}.parquet"
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    n = len(job.samples)
    shared = [
        _dictionary([sample.task_id for sample in job.samples]),
        _dictionary([sample.split for sample in job.samples]),
        pa.array([sample.position for sample in job.samples], pa.int32()),
    ]
    with pq.ParquetWriter(temporary, SCHEMA, compression="zstd") as writer:
        group: list[pa.RecordBatch] = []
        for name, column in results.outputs.items():
            output, other = _outputs(column)
            rows = [
                *shared,
                pa.DictionaryArray.from_arrays(pa.array(np.zeros(n, np.int32)), pa.array([name])),
                pa.array(matches[name]),
                _failed(results, name),
                output,
                other,
            ]
            group.append(pa.record_batch(rows, schema=SCHEMA))
            if n * len(group) >= _ROW_GROUP:
                writer.write_table(pa.Table.from_batches(group))
                group = []
        writer.write_table(pa.Table.from_batches(group, SCHEMA))
    os.replace(temporary, path)
    return path


def _dictionary(values: list[str]) -> pa.Array:
    return pa.array(values).dictionary_encode()


def _failed(results: Results, solver: str) -> pa.Array:
    """For each lane the failed operations among those that the solver is computed by."""
    cone = np.array(results.cones[solver], dtype=np.int32)
    flags = results.failed[cone].T
    offsets = np.concatenate([[0], np.cumsum(flags.sum(axis=1))])
    numbers = cone[np.nonzero(flags)[1]] if len(cone) else cone
    return pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), pa.array(numbers, pa.int32()))


def _outputs(column: Column) -> tuple[pa.Array, pa.Array]:
    n = len(column)
    if isinstance(column, Grids):
        return _grid_lists(column), pa.nulls(n, pa.string())
    values = column.decode()
    grids = [value if _is_small_grid(value) else None for value in values]
    others = [None if grid is not None else show(v) for grid, v in zip(grids, values, strict=True)]
    return pa.array(grids, SCHEMA.field("output").type), pa.array(others, pa.string())


def _is_small_grid(value: Any) -> bool:
    return (
        isinstance(value, tuple)
        and all(isinstance(row, tuple) and len(row) == len(value[0]) for row in value)
        and all(
            type(cell) is int and LEAST_CELL <= cell <= MOST_CELL for row in value for cell in row
        )
    )


def _grid_lists(grids: Grids) -> pa.Array:
    """Grids as lists of rows, straight from the arrays."""
    packed = grids.packed()
    rows = np.repeat(packed.widths, packed.heights)
    row_offsets = np.concatenate([[0], np.cumsum(rows)])
    grid_offsets = np.concatenate([[0], np.cumsum(packed.heights)])
    cells = pa.ListArray.from_arrays(pa.array(row_offsets, pa.int32()), pa.array(packed.cells))
    return pa.ListArray.from_arrays(pa.array(grid_offsets, pa.int32()), cells)
