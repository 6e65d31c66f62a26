"""Columns of grids."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from itertools import accumulate, chain
from operator import mul
from typing import Any

import numpy as np
from numpy import int64

from megabatt.runtime.engine.columns.base import CHECKED, Column
from megabatt.runtime.engine.device.arrays import Array, offsets_of, taken, total_of, xp
from megabatt.runtime.engine.device.device import to_host
from megabatt.runtime.engine.device.kernels import lane_kernel, run_kernel
from megabatt.runtime.engine.device.room import require_room

LEAST_CELL, MOST_CELL = -128, 127
"""What a cell of `Grids` can be."""


class Grids(Column):
    """Rectangles of small integers (LEAST_CELL to MOST_CELL), row by row in one flat array.

    heights, widths, starts: int64, shape (n,); cells: int8. Lane k's cell (i, j) is
    cells[starts[k] + i * widths[k] + j]. A grid without rows is `()`. Lanes may share cells.

        ((1, 2),), ()   ->   heights 1 0, widths 2 0, starts 0 2, cells 1 2
    """

    __slots__ = ("heights", "widths", "starts", "cells", "is_packed")
    key = "grid"
    exact = True

    def __init__(
        self, heights: Array, widths: Array, starts: Array, cells: Array, is_packed: bool = False
    ) -> None:
        """Make a column of grids.

        is_packed: whether `cells` is known to hold the lanes' cells one after the other, and no
        others.
        """
        self.heights = heights
        self.widths = widths
        self.starts = starts
        self.cells = cells
        self.is_packed = is_packed
        if CHECKED:
            self.check()

    def check(self) -> None:
        shapes = {a.shape for a in (self.heights, self.widths, self.starts)}
        assert len(shapes) == 1 and self.cells.dtype == "int8"
        assert all(a.dtype == "int64" for a in (self.heights, self.widths, self.starts))
        if len(self) and isinstance(self.heights, np.ndarray):
            assert self.heights.min() >= 0 and self.widths.min() >= 0

    @property
    def areas(self) -> Array:
        """The number of cells of every lane."""
        return self.heights * self.widths

    @property
    def arrays(self) -> tuple[Array, Array, Array, Array]:
        """The grids as kernels take them: heights, widths, starts, cells."""
        return self.heights, self.widths, self.starts, self.cells

    # ---- lanes

    def __len__(self) -> int:
        return len(self.heights)

    def take(self, index: Array) -> Column:
        heights, widths, starts = taken(index, self.heights, self.widths, self.starts)
        return Grids(heights, widths, starts, self.cells)

    @classmethod
    def concat(cls, columns: list[Any]) -> Column:
        columns = [column.packed() for column in columns]
        bases = accumulate((len(column.cells) for column in columns), initial=0)
        starts = [c.starts + base for c, base in zip(columns, bases, strict=False)]
        return Grids(
            xp.concatenate([column.heights for column in columns]),
            xp.concatenate([column.widths for column in columns]),
            xp.concatenate(starts),
            xp.concatenate([column.cells for column in columns]),
            True,
        )

    def packed(self) -> Grids:
        """Return the same grids with their cells one after the other, and no others between."""
        if self.is_packed:
            return self
        offsets = offsets_of(self.areas)
        cells = xp.empty(require_room(total_of(offsets)), dtype=xp.int8)
        copy_run(len(self), offsets, self.starts, self.cells, cells)
        return Grids(self.heights, self.widths, offsets[:-1], cells, True)

    def compact(self) -> Column:
        return self.packed()

    # ---- values

    @classmethod
    def encode(cls, values: list[Any]) -> Grids:
        heights = np.array([len(value) for value in values], dtype=np.int64)
        widths = np.array([len(value[0]) if value else 0 for value in values], dtype=np.int64)
        starts = list(accumulate(map(mul, heights.tolist(), widths.tolist()), initial=0))[:-1]
        cells = array("b", chain.from_iterable(chain.from_iterable(values)))
        return cls(
            xp.asarray(heights),
            xp.asarray(widths),
            xp.asarray(np.array(starts, dtype=np.int64)),
            xp.asarray(np.array(cells, dtype=np.int8)),
            True,
        )

    @classmethod
    def of_colors(cls, grids: Sequence[Any]) -> Grids | None:
        """Make a column of what is known to be grids; None where a cell is not in 0 to 127."""
        try:
            cells = np.frombuffer(b"".join(map(bytes, chain.from_iterable(grids))), dtype=np.int8)
        except ValueError:
            return None
        if len(cells) and cells.min() < 0:
            return None
        heights = np.array([len(grid) for grid in grids], dtype=np.int64)
        widths = np.array([len(grid[0]) if grid else 0 for grid in grids], dtype=np.int64)
        areas = heights * widths
        starts = xp.asarray(np.cumsum(areas) - areas)
        return cls(xp.asarray(heights), xp.asarray(widths), starts, xp.asarray(cells), True)

    def words(self, heap: Any) -> Any:
        packed = self.packed()
        return heap.put_tables(*map(to_host, (packed.heights, packed.widths, packed.cells)))

    def decode(self) -> list[Any]:
        packed = self.packed()
        cells = to_host(packed.cells).tolist()
        sides = packed.heights.tolist(), packed.widths.tolist(), packed.starts.tolist()
        return [
            tuple(tuple(cells[at : at + w]) for at in range(start, start + h * w, w))
            if w
            else ((),) * h
            for h, w, start in zip(*sides, strict=True)
        ]

    def arrow(self) -> Any:
        """Return lists of rows, straight from the arrays."""
        import pyarrow

        packed = self.packed()
        heights, widths = to_host(packed.heights), to_host(packed.widths)
        rows = np.concatenate([[0], np.cumsum(np.repeat(widths, heights))])
        grids = np.concatenate([[0], np.cumsum(heights)])
        cells = pyarrow.array(to_host(packed.cells))
        lists = pyarrow.ListArray.from_arrays(pyarrow.array(rows, pyarrow.int32()), cells)
        return pyarrow.ListArray.from_arrays(pyarrow.array(grids, pyarrow.int32()), lists)

    def empties(self, lanes: int) -> Column | None:
        zeros = xp.zeros(lanes, dtype=xp.int64)
        return Grids(zeros, zeros, zeros, xp.zeros(0, dtype=xp.int8), True)

    # ---- questions

    def equals(self, other: Any) -> Array:
        same = xp.empty(len(self), dtype=xp.bool_)
        compare_grid(len(self), *self.arrays, *other.arrays, same)
        return same

    def weights(self) -> Array:
        row = xp.where(self.widths == 2, 1, xp.maximum(self.widths, 1))  # a row of two is a pair
        return xp.maximum(self.heights * row, 1)


def is_small_grid(value: Any) -> bool:
    """Tell whether a value is a grid that `Grids` holds."""
    if value.__class__ is not tuple or not set(map(type, value)) <= {tuple}:
        return False
    if len(set(map(len, value))) > 1:
        return False
    cells = list(chain.from_iterable(value))
    if not cells:
        return True
    return set(map(type, cells)) == {int} and min(cells) >= LEAST_CELL and max(cells) <= MOST_CELL


@lane_kernel
def compare_grid(
    lane, heights, widths, starts, cells,
    other_heights, other_widths, other_starts, other_cells, same,
):  # fmt: skip
    """Tell whether two grids have the same size and cells."""
    alike = heights[lane] == other_heights[lane] and widths[lane] == other_widths[lane]
    area = heights[lane] * widths[lane]
    k = int64(0)
    while alike and k < area:
        alike = cells[starts[lane] + k] == other_cells[other_starts[lane] + k]
        k += 1
    same[lane] = alike


@run_kernel
def copy_run(lane, k, offsets, starts, cells, out):
    out[k] = cells[starts[lane] + (k - offsets[lane])]
