"""Outputs as they are written to Parquet: grids as lists of rows, any other value as source."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from megabatt.runtime.arc.layouts import Grids
from megabatt.runtime.arc.layouts.grids import LEAST_CELL, MOST_CELL
from megabatt.runtime.engine.columns import Column
from megabatt.runtime.engine.values import show_cut
from megabatt.runtime.megabatch.workload import MOST_CHARACTERS

OUTPUT_FIELDS = (
    pa.field("output", pa.list_(pa.list_(pa.int8()))),
    pa.field("other_output", pa.string()),
)
"""output: a grid of small Integers; other_output: any other value, as source that builds it,
cut where it is longer than MOST_CHARACTERS."""


def output_arrays(column: Column) -> list[pa.Array]:
    """The values of `OUTPUT_FIELDS`."""
    n = len(column)
    if isinstance(column, Grids):
        return [column.arrow(), pa.nulls(n, pa.string())]
    values = column.decode()
    grids = [value if _is_small_grid(value) else None for value in values]
    others = [
        None if grid is not None else show_cut(value, MOST_CHARACTERS)
        for grid, value in zip(grids, values, strict=True)
    ]
    return [pa.array(grids, OUTPUT_FIELDS[0].type), pa.array(others, pa.string())]


def _is_small_grid(value: Any) -> bool:
    return (
        isinstance(value, tuple)
        and all(isinstance(row, tuple) and len(row) == len(value[0]) for row in value)
        and all(
            type(cell) is int and LEAST_CELL <= cell <= MOST_CELL for row in value for cell in row
        )
    )
