"""Images as masks: the cells where each shows something, and the cells where it is right.

Each image is laid on the output's size, from its first row and column. A bit stands for a cell:
first the cells of the demonstrations, one demonstration after the other; then, beginning with a new
word, the cells of the tests.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from megabatt.runtime.engine.machine.loops import Numbers
from megabatt.runtime.search.compiled import host_function
from megabatt.runtime.search.layers.tables import Tables

Bits = np.ndarray[Any, Any]


class Pieces:
    """The images on the output's size, as masks.

    demonstrations: The number of demonstrations. cells: The offset of each lane's first cell, int64
    (lanes + 1,). shown: The cells where an image shows something, uint64 (images, words). right:
    The cells where an image is as expected, uint64 (images, words of demonstrations). exact:
    Whether an image has the output's size in all lanes, bool (images,). first: Whether no earlier
    image has the same shown cells in the demonstrations, bool (images,). distinct: Whether no
    earlier image has the same shown and the same right cells there, bool (images,).
    """

    def __init__(self, tables: Tables, sizes: Numbers, expected: Sequence[Any]) -> None:
        """Lay all images. expected: The demonstrations' outputs, tuples of rows."""
        shown_lanes = len(expected)
        areas = sizes.prod(axis=1)
        self.demonstrations = shown_lanes
        self.sizes = sizes
        self.cells = np.zeros(len(sizes) + 1, dtype=np.int64)
        self.cells[1:] = np.cumsum(areas)
        ends = int(self.cells[shown_lanes])
        self.words = -(-ends // 64)
        self.cells[shown_lanes:] += 64 * self.words - ends
        self.wanted = np.array(
            [number for rows in expected for row in rows for number in row], dtype=np.int64
        )
        last = self.cells[-1] if len(expected) < len(sizes) else ends
        self.shown = np.zeros((len(tables), -(-int(last) // 64)), dtype=np.uint64)
        self.right = np.zeros((len(tables), self.words), dtype=np.uint64)
        self.exact = np.empty(len(tables), dtype=np.bool_)
        _lay(
            tables.cells, tables.starts, tables.shapes, sizes, self.cells, self.wanted,
            self.shown, self.right, self.exact,
        )  # fmt: skip
        self.right |= self.where(0) & ~self.shown[:, : self.words]
        of_shown = np.ascontiguousarray(self.shown[:, : self.words])
        self.first = _firsts(of_shown)
        self.distinct = _firsts(np.concatenate([of_shown, self.right], axis=1))

    def all_of(self, demonstrations: Sequence[int]) -> Bits:
        """Return the bits of all cells of some demonstrations; uint64 (words,)."""
        flags = np.zeros(64 * self.words, dtype=np.bool_)
        for k in demonstrations:
            flags[self.cells[k] : self._end(k)] = True
        return packed(flags)

    def where(self, number: int | Numbers) -> Bits:
        """Return the bits of the demonstrations' cells where a number is expected; uint64 (words,).

        number: The number for all lanes, or int64 (lanes,).
        """
        flags = np.zeros(64 * self.words, dtype=np.bool_)
        counts = [self._end(k) - self.cells[k] for k in range(len(self.sizes))]
        of_cells = np.repeat(np.broadcast_to(number, len(self.sizes)), counts)
        flags[: len(self.wanted)] = self.wanted == of_cells[: len(self.wanted)]
        return packed(flags)

    def _end(self, lane: int) -> int:
        return int(self.cells[lane] + self.sizes[lane].prod())


def _firsts(rows: Bits) -> Bits:
    """Flag the rows that equal no earlier row; bool (n,). rows: uint64 (n, words)."""
    flags = np.zeros(len(rows), dtype=np.bool_)
    _, firsts = np.unique(rows.view(f"V{rows.itemsize * rows.shape[1]}"), return_index=True)
    flags[firsts] = True
    return flags


def packed(flags: Bits) -> Bits:
    """Return flags as bits, the first flag in the lowest bit; uint64."""
    return np.packbits(flags, bitorder="little").view("<u8").astype(np.uint64)


@host_function
def _lay(cells, starts, shapes, sizes, offsets, wanted, shown, right, exact):  # type: ignore[no-untyped-def]
    one = np.uint64(1)
    for i in range(len(starts)):
        at = starts[i]
        exact[i] = True
        for lane in range(len(sizes)):
            height, width = shapes[i, lane, 0], shapes[i, lane, 1]
            if height != sizes[lane, 0] or width != sizes[lane, 1]:
                exact[i] = False
            for row in range(min(height, sizes[lane, 0])):
                for column in range(min(width, sizes[lane, 1])):
                    k = row * width + column
                    number = (cells[at + (k >> 3)] >> (8 * (k & 7))) & 255
                    if number != 0:
                        cell = offsets[lane] + row * sizes[lane, 1] + column
                        bit = one << np.uint64(cell & 63)
                        shown[i, cell >> 6] |= bit
                        if cell < len(wanted) and wanted[cell] == number:
                            right[i, cell >> 6] |= bit
            at += (height * width + 7) >> 3
