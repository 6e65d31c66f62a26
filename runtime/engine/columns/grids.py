"""Columns of grids."""

from __future__ import annotations

from itertools import accumulate
from typing import Any

from numpy import int64

from runtime.engine.arrays import Array, offsets_of, require_room, taken, total_of, xp
from runtime.engine.asking import ask
from runtime.engine.columns.base import Column
from runtime.engine.devices import SUM, to_host
from runtime.engine.kernels import lane_kernel, run_kernel

LEAST_CELL, MOST_CELL = -128, 127
"""What a cell of `Grids` can be."""


class Grids(Column):
    """Rectangles of small integers (LEAST_CELL to MOST_CELL), row by row in one flat array.

    heights, widths, starts: int64, shape (n,); cells: int8. Lane k's cell (i, j) is
    cells[starts[k] + i * widths[k] + j]. A grid without rows is `()`. Lanes may share cells.

        ((1, 2),), ()   ->   heights 1 0, widths 2 0, starts 0 2, cells 1 2
    """

    __slots__ = ("heights", "widths", "starts", "cells", "is_packed", "_areas")
    key = "grid"

    def __init__(
        self,
        heights: Array,
        widths: Array,
        starts: Array,
        cells: Array,
        is_packed: bool = False,
        areas: Array | None = None,
    ) -> None:
        """is_packed: whether it is known that `cells` has the lanes' cells one after the other and
        no others between; areas: heights * widths, if that is known."""
        self.heights = heights
        self.widths = widths
        self.starts = starts
        self.cells = cells
        self.is_packed = is_packed
        self._areas = areas

    @classmethod
    def allocate(cls, heights: Array, widths: Array, allowed: Array | None = None) -> Grids:
        """Grids of these sizes, their cells not yet written. A grid of no rows gets width 0.

        allowed: bool (n,), in which lanes to make any rows; all by default.
        """
        if allowed is None:
            allowed = xp.ones(len(heights), dtype=xp.bool_)
        heights, widths, areas = _sized(heights, widths, allowed)
        offsets = offsets_of(areas)
        cells = xp.empty(require_room(total_of(offsets)), dtype=xp.int8)
        return cls(heights, widths, offsets[:-1], cells, True, areas)

    def __len__(self) -> int:
        return len(self.heights)

    @property
    def areas(self) -> Array:
        """The number of cells of every lane."""
        if self._areas is None:
            self._areas = self.heights * self.widths
        return self._areas

    def take(self, index: Array) -> Column:
        heights, widths, starts = taken(index, self.heights, self.widths, self.starts)
        return Grids(heights, widths, starts, self.cells)

    def emptied(self, lanes: Array) -> Grids:
        """The same grids, but `()` in the flagged lanes (bool (n,))."""
        n = len(self)
        heights, widths = xp.empty(n, dtype=xp.int64), xp.empty(n, dtype=xp.int64)
        empty_grid(n, lanes, self.heights, self.widths, heights, widths)
        return Grids(heights, widths, self.starts, self.cells)

    def packed(self) -> Grids:
        """The same grids with their cells one after the other and no others between."""
        return self if self.is_packed else self.copy()

    def copy(self, allowed: Array | None = None) -> Grids:
        """The same grids, packed, with cells of their own; where not `allowed` (bool (n,)) `()`."""
        if allowed is None:
            heights, widths, areas = self.heights, self.widths, self.areas
        else:
            heights, widths, areas = _sized(self.heights, self.widths, allowed)
        offsets = offsets_of(areas)
        cells = xp.empty(require_room(total_of(offsets)), dtype=xp.int8)
        copy_run(len(self), offsets, self.starts, self.cells, cells)
        return Grids(heights, widths, offsets[:-1], cells, True, areas)

    @staticmethod
    def concat(columns: list[Any]) -> Column:
        columns = [slim(column) for column in columns]
        bases = [0, *accumulate(len(column.cells) for column in columns)]
        return Grids(
            xp.concatenate([column.heights for column in columns]),
            xp.concatenate([column.widths for column in columns]),
            xp.concatenate([c.starts + base for c, base in zip(columns, bases, strict=False)]),
            xp.concatenate([column.cells for column in columns]),
            all(column.is_packed for column in columns),
        )

    def decode(self) -> list[Any]:
        cells = to_host(self.cells).tolist()
        grids = []
        for h, w, start in zip(
            self.heights.tolist(), self.widths.tolist(), self.starts.tolist(), strict=True
        ):
            grids.append(
                tuple(tuple(cells[at : at + w]) for at in range(start, start + h * w, w))
                if w
                else ((),) * h
            )
        return grids


def _sized(heights: Array, widths: Array, allowed: Array) -> tuple[Array, Array, Array]:
    """The heights, widths and areas of grids to be made, nothing in the lanes not allowed."""
    n = len(heights)
    of_height, of_width, areas = (xp.empty(n, dtype=xp.int64) for _ in range(3))
    size_grid(n, allowed, heights, widths, of_height, of_width, areas)
    return of_height, of_width, areas


@lane_kernel
def size_grid(lane, allowed, heights, widths, of_height, of_width, areas):  # type: ignore[no-untyped-def]
    """The size of a grid to be made: nothing where it is not allowed, no width without rows."""
    height = int64(0)
    if allowed[lane]:
        height = int64(heights[lane])
    width = int64(0)
    if height > 0:
        width = int64(widths[lane])
    of_height[lane] = height
    of_width[lane] = width
    areas[lane] = height * width


@lane_kernel
def empty_grid(lane, emptied, heights, widths, of_height, of_width):  # type: ignore[no-untyped-def]
    of_height[lane] = 0
    of_width[lane] = 0
    if not emptied[lane]:
        of_height[lane] = heights[lane]
        of_width[lane] = widths[lane]


@run_kernel
def copy_run(lane, k, offsets, starts, cells, out):  # type: ignore[no-untyped-def]
    out[k] = cells[starts[lane] + (k - offsets[lane])]


def slim(grids: Grids) -> Grids:
    """`grids`, packed where most of the cells that it holds on to are of no lane."""
    if grids.is_packed or len(grids.cells) <= 1024:
        return grids
    return grids.packed() if len(grids.cells) > 2 * ask(grids.areas, SUM) + 1024 else grids
