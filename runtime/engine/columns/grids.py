"""Columns of grids."""

from __future__ import annotations

from itertools import accumulate
from typing import Any

from runtime.engine.arrays import Array, offsets_of, ranges, require_room, xp
from runtime.engine.columns.base import Column
from runtime.engine.devices import to_host


class Grids(Column):
    """Rectangles of small integers (0 to 255), row by row in one flat array.

    heights, widths, starts: int64, shape (n,); cells: uint8. Lane k's cell (i, j) is
    cells[starts[k] + i * widths[k] + j]. A grid without rows is `()`. Lanes may share cells.

        ((1, 2),), ()   ->   heights 1 0, widths 2 0, starts 0 2, cells 1 2
    """

    __slots__ = ("heights", "widths", "starts", "cells")
    key = "grid"

    def __init__(self, heights: Array, widths: Array, starts: Array, cells: Array) -> None:
        self.heights = heights
        self.widths = widths
        self.starts = starts
        self.cells = cells

    @classmethod
    def allocate(cls, heights: Array, widths: Array) -> Grids:
        """Grids of these sizes, their cells not yet written. A grid of no rows gets width 0."""
        widths = xp.where(heights > 0, widths, 0)
        offsets = offsets_of(heights * widths)
        cells = xp.empty(require_room(int(offsets[-1])), dtype=xp.uint8)
        return cls(heights, widths, offsets[:-1], cells)

    def __len__(self) -> int:
        return len(self.heights)

    @property
    def areas(self) -> Array:
        """The number of cells of every lane."""
        return self.heights * self.widths

    def take(self, index: Array) -> Column:
        return Grids(self.heights[index], self.widths[index], self.starts[index], self.cells)

    def packed(self) -> Grids:
        """The same grids with their cells one after the other and no others between."""
        offsets = offsets_of(self.areas)
        if len(self.cells) == int(offsets[-1]) and bool((self.starts == offsets[:-1]).all()):
            return self
        cells = self.cells[ranges(self.starts, self.areas)]
        return Grids(self.heights, self.widths, offsets[:-1], cells)

    @staticmethod
    def concat(columns: list[Any]) -> Column:
        columns = [slim(column) for column in columns]
        bases = [0, *accumulate(len(column.cells) for column in columns)]
        return Grids(
            xp.concatenate([column.heights for column in columns]),
            xp.concatenate([column.widths for column in columns]),
            xp.concatenate([c.starts + base for c, base in zip(columns, bases, strict=False)]),
            xp.concatenate([column.cells for column in columns]),
        )

    def decode(self) -> list[Any]:
        cells = to_host(self.cells).tobytes()
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


def slim(grids: Grids) -> Grids:
    """`grids`, packed where most of the cells that it holds on to are of no lane."""
    return grids.packed() if len(grids.cells) > 2 * int(grids.areas.sum()) + 1024 else grids
