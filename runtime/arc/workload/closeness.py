"""How close outputs come to the grids expected: by their cells, and by each color's overlap."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy import float32, int64

from megabatt.runtime.engine.machine import prelude as m
from megabatt.runtime.engine.machine.functions import Loop, heap_at, machine_function
from megabatt.runtime.engine.machine.heap import Heap

_BINS = int64(16)
"""Colors are counted by their lowest four bits."""
_ALMOST = float32(0.9999)
"""The most for a grid that is not right."""
_OF_SIZE = float32(0.25)
_OF_CELLS = float32(0.75)
"""_OF_SIZE: the least for a grid of the right size, and the most for any other grid.

_OF_CELLS: the most that the cells of a grid of the right size add.
"""


def overlap_of_colors(heap: Heap, words: Any, expected: Any) -> Any:
    """Measure how far each output overlaps with the grid expected, from 0 to 1; float32 (n,).

    words, expected: int64 (n,), of a heap.

    The overlap of a color is the Jaccard index: the cells that have it in both grids, divided by
    those that have it in either. So the few cells that change count as much as the many that stay.

    grids of the right size     a quarter, and three quarters of their colors' mean overlap
    other grids                 a quarter at most: how alike their sizes are, times the Jaccard
                                index of the sets of their colors
    what is no grid             0

    It is 1 where every cell is right, and only there.
    """
    share = np.zeros(len(words), dtype=np.float32)
    heap.make_room(0)
    _overlap_words(heap.array.ctypes.data, words, expected, share)
    return share


def share_of_cells(heap: Heap, words: Any, expected: Any) -> Any:
    """Return the share of cells in which each output is the grid expected; float32 (n,).

    words, expected: int64 (n,), of a heap. It is 0 for a grid of another size, and for what is no
    grid.
    """
    share = np.zeros(len(words), dtype=np.float32)
    _share_cells(heap.array.ctypes.data, words, expected, share)
    return share


@Loop
def _share_cells(address, words, expected, share):
    heap = heap_at(address)
    for k in range(len(words)):
        word = words[k]
        wanted = expected[k]
        if not (m.is_table(heap, word) and m.is_table(heap, wanted)):
            continue
        height, width = m.height_of(heap, word), m.width_of(heap, word)
        if height != m.height_of(heap, wanted) or width != m.width_of(heap, wanted):
            continue
        at, other = m.numbers_at(word), m.numbers_at(wanted)
        right = int64(0)
        for cell in range(height * width):
            if heap[at + cell] == heap[other + cell]:
                right += 1
        share[k] = float32(right) / float32(height * width)


@machine_function
def overlap_of(
    height, width, cells, at, wanted_height, wanted_width, wanted_cells, other,
    counts, both, either,
):  # fmt: skip
    """Return how far the grid whose cells begin at a place overlaps with another.

    counts: zeros from `both` and from `either` on, for a count of each color.
    """
    area = height * width
    wanted_area = wanted_height * wanted_width
    alike = height == wanted_height and width == wanted_width
    right = int64(0)
    if alike:
        for k in range(area):
            color = int64(cells[at + k]) & (_BINS - 1)
            wanted = int64(wanted_cells[other + k]) & (_BINS - 1)
            counts[either + wanted] += 1
            if int64(cells[at + k]) == int64(wanted_cells[other + k]):
                right += 1
                counts[both + wanted] += 1
            else:
                counts[either + color] += 1
    else:
        for k in range(area):
            counts[either + (int64(cells[at + k]) & (_BINS - 1))] = 1
        for k in range(wanted_area):
            color = int64(wanted_cells[other + k]) & (_BINS - 1)
            if counts[either + color] == 1:
                counts[both + color] = 1
            if counts[either + color] == 0:
                counts[either + color] = 2
        for color in range(_BINS):
            counts[either + color] = min(counts[either + color], int64(1))
    total = float32(0)
    colors = int64(0)
    for color in range(_BINS):
        if counts[either + color] > 0:
            total += float32(counts[both + color]) / float32(counts[either + color])
            colors += 1
    overlap = total / float32(max(colors, int64(1)))
    share = float32(1)
    if alike and right < area:
        share = min(_OF_SIZE + _OF_CELLS * overlap, _ALMOST)
    if not alike:
        high = float32(min(height, wanted_height)) / float32(max(height, wanted_height, 1))
        wide = float32(min(width, wanted_width)) / float32(max(width, wanted_width, 1))
        share = _OF_SIZE * overlap * high * wide
    return share


@Loop
def _overlap_words(address, words, expected, share):
    heap = heap_at(address)
    counts = heap[m.TOP]
    for k in range(len(words)):
        word = words[k]
        wanted = expected[k]
        if not (m.is_table(heap, word) or word == m.EMPTY_TUPLE):
            continue
        if not (m.is_table(heap, wanted) or wanted == m.EMPTY_TUPLE):
            continue
        for place in range(2 * _BINS):
            heap[counts + place] = 0
        share[k] = overlap_of(
            m.height_of(heap, word), m.width_of(heap, word), heap, m.numbers_at(word),
            m.height_of(heap, wanted), m.width_of(heap, wanted), heap, m.numbers_at(wanted),
            heap, counts, counts + _BINS,
        )  # fmt: skip
