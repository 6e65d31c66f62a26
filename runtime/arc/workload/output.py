"""Outputs as they are written to Parquet: grids as lists of rows, any other value as source."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from megabatt.runtime.arc.layouts import LEAST_CELL, MOST_CELL, Grids
from megabatt.runtime.engine.columns import (
    Column,
    Indexed,
    Ints,
    Lists,
    Records,
    Uniform,
    Union,
    shown_cut,
)
from megabatt.runtime.engine.policy import TUPLE
from megabatt.runtime.megabatch.workload import MOST_CHARACTERS

OUTPUT_FIELDS = (
    pa.field("output", pa.list_(pa.list_(pa.int8()))),
    pa.field("other_output", pa.string()),
)
"""output: a grid of small Integers; other_output: any other value, as source that builds it,
cut where it is longer than MOST_CHARACTERS."""


def output_arrays(column: Column) -> list[pa.Array]:
    """Return the values of `OUTPUT_FIELDS`."""
    n = len(column)
    if isinstance(column, Grids):
        return [column.arrow(), pa.nulls(n, pa.string())]
    grids: list[Any] = [None] * n
    others: list[str | None] = [None] * n
    for lanes, part in _parts_of(column.gathered()):
        found, texts = _grids_and_texts(part)
        for k, lane in enumerate(lanes):
            grids[lane], others[lane] = found[k], texts[k]
    return [pa.array(grids, OUTPUT_FIELDS[0].type), pa.array(others, pa.string())]


def _parts_of(column: Column) -> list[tuple[list[int], Column]]:
    """List the lanes of each layout with their values. A constant column stays in one piece."""
    if column.constant:
        return [(list(range(len(column))), column)]
    return [(lanes.tolist(), part) for lanes, part in column.split()]


def _grids_and_texts(column: Column) -> tuple[list[Any], list[str | None]]:
    """Return each value as a grid or, where it is none, as text; None in place of the other.

    column: of one layout.
    """
    n = len(column)
    if isinstance(column, Uniform):
        if _is_small_grid(column.value):
            return [column.value] * n, [None] * n
        return [None] * n, [*shown_cut(column, MOST_CHARACTERS)]
    if _may_be_grids(column):
        grids = [value if _is_small_grid(value) else None for value in column.decode()]
    else:
        empty = (column.lengths() == 0) & (column.kind == TUPLE)
        grids = [() if flag else None for flag in empty.tolist()]
    others = np.flatnonzero([grid is None for grid in grids])
    texts: list[str | None] = [None] * n
    for k, text in zip(others, shown_cut(column.take(others), MOST_CHARACTERS), strict=True):
        texts[k] = text
    return grids, texts


def _may_be_grids(column: Column) -> bool:
    """Tell whether the layout may hold grids that have rows."""
    if isinstance(column, Lists):
        return _may_be_rows(column.content)
    if isinstance(column, Records):
        return all(map(_may_be_rows, column.fields))
    return column.on_host or isinstance(column, Grids)


def _may_be_rows(column: Column) -> bool:
    """Tell whether rows of a grid, such as empty tuples, may be among a column's values."""
    if isinstance(column, Union):
        return any(map(_may_be_rows, column.parts))
    if isinstance(column, Indexed):
        return _may_be_rows(column.content)
    if isinstance(column, Lists) and _may_be_cells(column.content):
        return True
    if isinstance(column, Records):
        return all(map(_may_be_cells, column.fields))
    if column.constant or column.on_host:
        return True
    return bool(((column.lengths() == 0) & (column.kind == TUPLE)).any())


def _may_be_cells(column: Column) -> bool:
    return isinstance(column, (Ints, Union, Indexed)) or column.constant or column.on_host


def _is_small_grid(value: Any) -> bool:
    return (
        isinstance(value, tuple)
        and all(isinstance(row, tuple) and len(row) == len(value[0]) for row in value)
        and all(
            type(cell) is int and LEAST_CELL <= cell <= MOST_CELL for row in value for cell in row
        )
    )
