"""Outputs as they are written to Parquet: grids as lists of rows, any other value as source."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from megabatt.runtime.arc.layouts import Grids, is_small_grid
from megabatt.runtime.engine.columns import Column, Uniform
from megabatt.runtime.engine.values import show_cut
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
    if isinstance(column, Uniform):
        found = [_grid_or_text(column.value)] * n
    else:
        found = list(map(_grid_or_text, column.decode()))
    grids, texts = [grid for grid, _ in found], [text for _, text in found]
    return [pa.array(grids, OUTPUT_FIELDS[0].type), pa.array(texts, pa.string())]


def _grid_or_text(value: Any) -> tuple[Any, str | None]:
    """Return a value as a grid or, where it is none, as text; None in place of the other."""
    return (value, None) if is_small_grid(value) else (None, show_cut(value, MOST_CHARACTERS))
