"""Images of the output's size, with the kinds of cells that each tells apart."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from megabatt.runtime.engine.machine.loops import Numbers
from megabatt.runtime.search.compiled import host_function
from megabatt.runtime.search.layers.tables import Tables

Bytes = np.ndarray[Any, Any]

KINDS = 32
"""The most different numbers that a view may show."""
_UNKNOWN = 255


class Views:
    """The images that have the output's size in all samples; of images alike, only the first.

    Two images are alike if both tell the same cells apart. images: The views' numbers in the
    gallery, int64 (views,). shown: The numbers that each view shows, sample by sample, uint8
    (views, cells). kinds: The same numbers, renumbered from 0 in order of appearance. wanted: The
    expected colors, uint8 (cells of demonstrations,). lanes: The sample of each cell, int64
    (cells,).
    """

    def __init__(self, tables: Tables, sizes: Numbers, expected: Sequence[Any]) -> None:
        """Look at all images. expected: The demonstrations' outputs, tuples of rows."""
        areas = sizes.prod(axis=1)
        exact = np.flatnonzero((tables.shapes == sizes).all(axis=(1, 2)))
        shown = np.empty((len(exact), int(areas.sum())), dtype=np.uint8)
        kinds = np.empty_like(shown)
        counts = np.empty(len(exact), dtype=np.int64)
        _look(tables.cells, tables.starts[exact], areas, shown, kinds, counts)
        few = np.flatnonzero(counts <= KINDS)
        rows = np.ascontiguousarray(kinds[few]).view(f"V{max(kinds.shape[1], 1)}").ravel()
        _, firsts = np.unique(rows, return_index=True)
        chosen = few[np.sort(firsts)]
        self.images = exact[chosen]
        self.shown, self.kinds = shown[chosen], kinds[chosen]
        self.lanes = np.repeat(np.arange(len(areas)), areas)
        self.wanted = np.array(
            [number for rows in expected for row in rows for number in row], dtype=np.uint8
        )


@host_function
def _look(cells, starts, areas, shown, kinds, counts):  # type: ignore[no-untyped-def]
    of_number = np.empty(256, dtype=np.uint8)
    for i in range(len(starts)):
        at = starts[i]
        to = 0
        count = 0
        of_number[:] = _UNKNOWN
        for area in areas:
            for k in range(area):
                number = (cells[at + (k >> 3)] >> (8 * (k & 7))) & 255
                if of_number[number] == _UNKNOWN and count < _UNKNOWN:
                    of_number[number] = count
                    count += 1
                shown[i, to] = number
                kinds[i, to] = of_number[number]
                to += 1
            at += (area + 7) >> 3
        counts[i] = count
