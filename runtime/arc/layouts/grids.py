"""Columns of grids."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from itertools import accumulate, chain
from operator import mul
from typing import Any

import numpy as np
from numpy import int64

from megabatt.runtime.engine.columns.base import CHECKED, Column, Compound, Encoder
from megabatt.runtime.engine.columns.flat import Ints
from megabatt.runtime.engine.columns.sequences import (
    Containers,
    Lists,
    compare_runs_of,
    equal_elements,
    find_element,
)
from megabatt.runtime.engine.device.arrays import (
    Array,
    Growing,
    offsets_of,
    room_for,
    taken,
    total_of,
    xp,
)
from megabatt.runtime.engine.device.device import SUM, to_host
from megabatt.runtime.engine.device.kernels import lane_kernel, run_kernel
from megabatt.runtime.engine.device.room import require_room
from megabatt.runtime.engine.device.scheduling import ask
from megabatt.runtime.engine.policy import TUPLE, levels_left

LEAST_CELL, MOST_CELL = -128, 127
"""What a cell of `Grids` can be."""


class Grids(Containers, Compound):
    """Rectangles of small integers (LEAST_CELL to MOST_CELL), row by row in one flat array.

    heights, widths, starts: int64, shape (n,); cells: int8. Lane k's cell (i, j) is
    cells[starts[k] + i * widths[k] + j]. A grid without rows is `()`. Lanes may share cells.

        ((1, 2),), ()   ->   heights 1 0, widths 2 0, starts 0 2, cells 1 2
    """

    __slots__ = ("heights", "widths", "starts", "cells", "is_packed", "_areas")
    key = "grid"
    kind = TUPLE
    integral = True
    spells = True

    def __init__(
        self,
        heights: Array,
        widths: Array,
        starts: Array,
        cells: Array,
        is_packed: bool = False,
        areas: Array | None = None,
    ) -> None:
        """Make a column of grids.

        is_packed: whether `cells` is known to hold the lanes' cells one after the other, and no
        others; areas: heights * widths, if known.
        """
        self.heights = heights
        self.widths = widths
        self.starts = starts
        self.cells = cells
        self.is_packed = is_packed
        self._areas = areas
        if CHECKED:
            self.check()

    def check(self) -> None:
        shapes = {a.shape for a in (self.heights, self.widths, self.starts)}
        assert len(shapes) == 1 and self.cells.dtype == "int8"
        assert all(a.dtype == "int64" for a in (self.heights, self.widths, self.starts))
        if len(self) and isinstance(self.heights, np.ndarray):
            assert self.heights.min() >= 0 and self.widths.min() >= 0

    @classmethod
    def none(cls, lanes: int) -> Grids:
        """Make grids of no rows, `()`."""
        zeros = xp.zeros(lanes, dtype=xp.int64)
        return cls(zeros, zeros, zeros, xp.zeros(0, dtype=xp.int8), True)

    def __len__(self) -> int:
        return len(self.heights)

    @property
    def areas(self) -> Array:
        """The number of cells of every lane."""
        if self._areas is None:
            self._areas = self.heights * self.widths
        return self._areas

    @property
    def arrays(self) -> tuple[Array, Array, Array, Array]:
        """The grids as kernels take them: heights, widths, starts, cells."""
        return self.heights, self.widths, self.starts, self.cells

    def take(self, index: Array) -> Column:
        heights, widths, starts = taken(index, self.heights, self.widths, self.starts)
        return Grids(heights, widths, starts, self.cells)

    def packed(self) -> Grids:
        """Return the same grids with their cells one after the other, and no others between."""
        return self if self.is_packed else self.copy()

    def copy(self) -> Grids:
        """Return the same grids, packed, with cells of their own."""
        offsets = offsets_of(self.areas)
        cells = xp.empty(require_room(total_of(offsets)), dtype=xp.int8)
        copy_run(len(self), offsets, self.starts, self.cells, cells)
        return Grids(self.heights, self.widths, offsets[:-1], cells, True, self.areas)

    @classmethod
    def concat(cls, columns: list[Any]) -> Column:
        columns = [slim(column) for column in columns]
        bases = [0, *accumulate(len(column.cells) for column in columns)]
        return Grids(
            xp.concatenate([column.heights for column in columns]),
            xp.concatenate([column.widths for column in columns]),
            xp.concatenate([c.starts + base for c, base in zip(columns, bases, strict=False)]),
            xp.concatenate([column.cells for column in columns]),
            all(column.is_packed for column in columns),
        )

    @classmethod
    def encode(cls, values: list[Any], encoder: Encoder) -> Column:
        heights = np.array([len(value) for value in values], dtype=np.int64)
        widths = np.array([len(value[0]) for value in values], dtype=np.int64)
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

    def decode(self) -> list[Any]:
        if int(self.areas.sum()) < len(self.cells):
            return self.packed().decode()
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

    def words(self, heap: Any) -> Any:
        packed = self.packed()
        return heap.put_tables(*map(to_host, (packed.heights, packed.widths, packed.cells)))

    def pool(self) -> GridPool:
        return GridPool()

    def compact(self) -> Column:
        return self.packed()

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

    def canonical(self) -> Column:
        return self

    def equals(self, other: Column) -> Array:
        if not isinstance(other, Grids):
            return equal_elements(rows(self), other.as_sequences())
        same = xp.empty(len(self), dtype=xp.bool_)
        same_shape = (self.heights == other.heights) & (self.widths == other.widths)
        areas = xp.where(same_shape, self.areas, -1)
        compare_runs_of(
            len(self), self.starts, areas, self.cells, other.starts, other.areas, other.cells, same
        )
        return same

    def as_runs(self, offsets: Array) -> tuple[Array, Array]:
        """Return codes that compare as tuples of rows do; see `Column.as_runs`.

        A row is its cells, raised to 1 or more, then 0.
        """
        runs = offsets_of(self.heights * (self.widths + 1))
        codes = xp.empty(total_of(runs), dtype=xp.int64)
        spell_grid(len(self), self.heights, self.widths, self.starts, self.cells, runs, codes)
        return runs, codes

    def weights(self, levels: int | None = None) -> Array:
        return xp.maximum(self.element_weights(levels_left(levels) - 1), 1)

    def beyond(self, least: int, most: int) -> Array:
        return xp.zeros(len(self), dtype=xp.bool_)

    def as_sequences(self) -> Lists:
        return rows(self)

    def lengths(self) -> Array:
        return self.heights

    def end_element(self, last: int) -> tuple[Column, Array | None]:
        n = len(self)
        index, empty = xp.empty(n, dtype=xp.int64), xp.empty(n, dtype=xp.bool_)
        find_element(n, xp.zeros_like(self.heights), self.heights, last, index, empty)
        return self._row(index), empty

    def _row(self, position: Array) -> Lists:
        """Return the row at `position` of every grid; where a grid has no rows, an empty one."""
        widths = xp.where(self.heights > 0, self.widths, 0)
        starts = self.starts + position * widths
        offsets = offsets_of(widths)
        total = total_of(offsets)
        if total > len(self.cells):  # lanes share their grids, and so their rows
            return Lists(starts, widths, Ints(self.cells.astype(xp.int64)))
        cells = xp.empty(total, dtype=xp.int64)
        copy_run(len(self), offsets, starts, self.cells, cells)
        return Lists.of_counts(widths, Ints(cells), offsets)

    def shortened(self, counts: Array) -> Column:
        return Grids(counts, self.widths, self.starts, self.cells)

    def empties(self, kind: int | None, lanes: int) -> Column | None:
        return Grids.none(lanes) if kind == TUPLE else None

    def element_weights(self, levels: int | None = None) -> Array:
        levels = levels_left(levels)
        if levels <= 0:
            return super().element_weights(levels)
        row = xp.where(self.widths == 2, 1, xp.maximum(self.widths, 1))  # a row of two is a pair
        return self.heights * row


class GridPool:
    """A pool of grids."""

    def __init__(self) -> None:
        self._heights, self._widths = Growing(xp.int64), Growing(xp.int64)
        self._starts, self._cells = Growing(xp.int64), Growing(xp.int8)

    def add(self, grids: Grids) -> int:
        packed = grids.packed()
        base = self._cells.add(packed.cells)
        self._heights.add(packed.heights)
        self._widths.add(packed.widths)
        return self._starts.add(packed.starts + base)

    def take(self, index: Array) -> Column:
        sides = self._heights.data, self._widths.data
        heights, widths, starts = taken(index, *sides, self._starts.data)
        return Grids(heights, widths, starts, self._cells.data).copy()

    @property
    def nbytes(self) -> int:
        arrays = (self._heights, self._widths, self._starts, self._cells)
        return sum(array.nbytes for array in arrays)


def rows(grids: Grids) -> Lists:
    """Return grids as lists of rows, which are lists of Integers."""
    offsets, starts = room_for(grids.heights)
    counts = xp.empty_like(starts)
    list_row(len(grids), offsets, grids.heights, grids.widths, grids.starts, starts, counts)
    cells = Ints(grids.cells.astype(xp.int64))
    lists = Lists(starts, counts, cells, grids.is_packed)
    return Lists.of_counts(grids.heights, lists, offsets)


@lane_kernel
def list_row(lane, offsets, heights, widths, grid_starts, starts, counts):
    """Store where each row of a grid begins, and how many cells it has."""
    at = offsets[lane]
    for i in range(heights[lane]):
        starts[at + i] = grid_starts[lane] + i * widths[lane]
        counts[at + i] = widths[lane]


@lane_kernel
def spell_grid(lane, heights, widths, starts, cells, offsets, codes):
    at = offsets[lane]
    source = starts[lane]
    for _i in range(heights[lane]):
        for _j in range(widths[lane]):
            codes[at] = int64(cells[source]) - LEAST_CELL + 1  # above the 0 that ends a row
            at += 1
            source += 1
        codes[at] = 0
        at += 1


@run_kernel
def copy_run(lane, k, offsets, starts, cells, out):
    out[k] = cells[starts[lane] + (k - offsets[lane])]


def slim(grids: Grids) -> Grids:
    """Return `grids`, packed if most of the cells that it keeps alive belong to no lane."""
    if grids.is_packed or len(grids.cells) <= 1024:
        return grids
    return grids.packed() if len(grids.cells) > 2 * ask(grids.areas, SUM) + 1024 else grids
