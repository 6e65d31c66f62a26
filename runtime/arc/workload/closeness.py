"""The closeness of outputs to the expected grids, and signs that outputs are wrong."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy import float32

from megabatt.runtime.arc.values import colors_of, extent_of, is_grid
from megabatt.runtime.arc.workload.data import ArcSample, Grid
from megabatt.runtime.engine.machine import prelude as m
from megabatt.runtime.engine.machine.heap import Heap
from megabatt.runtime.engine.machine.loops import Loop, Numbers

_BINS = 16
"""The number of bins: colors are counted by their lowest four bits."""
_NO_GRID, _OF_ANOTHER_SIZE, _OF_SAME_SIZE, _RIGHT = range(4)
"""The states of an output."""
_ALMOST = float32(0.9999)
"""The upper bound for a grid that is not right."""
_OF_SIZE = float32(0.25)
_OF_CELLS = float32(0.75)
"""_OF_SIZE: The lower bound for a grid of the right size, and the upper bound for any other grid.

_OF_CELLS: The most that the cells of a grid of the right size add."""


def overlap_of_colors(heap: Heap, outputs: Any, expected: Any) -> Any:
    """Measure how far each output overlaps with the expected grid, from 0 to 1; float32 (n,).

    outputs, expected: int64 (n,), words of a heap.

    The overlap of a color is the Jaccard index: the number of cells of the color in both grids,
    divided by the number in either. So the few changing cells count as much as the many others.

    grids of the right size     a quarter, and three quarters of their colors' mean overlap
    other grids                 a quarter at most: how alike their sizes are, times the Jaccard
                                index of the sets of their colors
    other values                0

    The overlap is 1 where every cell is right, and only there.
    """
    count = len(outputs)
    both, either = np.zeros((2, count, _BINS), dtype=np.int64)
    shapes = np.zeros((count, 4), dtype=np.int64)
    states = np.zeros(count, dtype=np.uint8)
    _count_colors(heap.array, outputs, expected, both, either, shapes, states)
    total = np.zeros(count, dtype=np.float32)
    for color in range(_BINS):
        total += _share(both[:, color], either[:, color])
    overlap = total / np.maximum((either > 0).sum(axis=1), 1).astype(np.float32)
    sizes, wanted = shapes[:, :2], shapes[:, 2:]
    high, wide = _share(np.minimum(sizes, wanted), np.maximum(sizes, wanted)).T
    of_states = [
        np.zeros(count, dtype=np.float32),
        _OF_SIZE * overlap * high * wide,
        np.minimum(_OF_SIZE + _OF_CELLS * overlap, _ALMOST),
        np.ones(count, dtype=np.float32),
    ]
    return np.choose(states, of_states)


def share_of_cells(values: Heap, outputs: Any, expected: Any) -> Any:
    """Return the share of cells in which each output equals the expected grid; float32 (n,).

    outputs, expected: int64 (n,), words of a heap. The share is 0 unless both grids have one size.
    """
    right, cells = np.zeros((2, len(outputs)), dtype=np.int64)
    _count_right(values.array, outputs, expected, right, cells)
    return _share(right, cells)


def _share(part: Numbers, whole: Numbers) -> Any:
    """Divide counts of any shape; float32, 0 where both counts are 0."""
    return part.astype(np.float32) / np.maximum(whole, 1).astype(np.float32)


@Loop
def _count_right(heap, words, expected, right, cells):
    """Count each output's right cells, and all its cells, if it has the expected size."""
    for k in range(len(words)):
        word, wanted = words[k], expected[k]
        if not (m.is_table(heap, word) and m.is_table(heap, wanted)):
            continue
        height, width = m.height_of(heap, word), m.width_of(heap, word)
        if height != m.height_of(heap, wanted) or width != m.width_of(heap, wanted):
            continue
        at, other = m.numbers_at(word), m.numbers_at(wanted)
        cells[k] = height * width
        for cell in range(height * width):
            right[k] += heap[at + cell] == heap[other + cell]


@Loop
def _count_colors(heap, words, expected, both, either, shapes, states):
    """Count each color's cells in both grids, and in either; flag colors by 1 if sizes differ.

    shapes: Height and width, then expected height and width. Colors are counted in `_BINS`.
    """
    for k in range(len(words)):
        word, wanted = words[k], expected[k]
        if not (m.is_table(heap, word) or word == m.EMPTY_TUPLE):
            continue
        if not (m.is_table(heap, wanted) or wanted == m.EMPTY_TUPLE):
            continue
        shapes[k, 0], shapes[k, 1] = m.height_of(heap, word), m.width_of(heap, word)
        shapes[k, 2], shapes[k, 3] = m.height_of(heap, wanted), m.width_of(heap, wanted)
        area = shapes[k, 0] * shapes[k, 1]
        at, other = m.numbers_at(word), m.numbers_at(wanted)
        if shapes[k, 0] == shapes[k, 2] and shapes[k, 1] == shapes[k, 3]:
            right = 0
            for cell in range(area):
                color = heap[other + cell] & (_BINS - 1)
                either[k, color] += 1
                if heap[at + cell] == heap[other + cell]:
                    right += 1
                    both[k, color] += 1
                else:
                    either[k, heap[at + cell] & (_BINS - 1)] += 1
            states[k] = _RIGHT if right == area else _OF_SAME_SIZE
        else:
            for cell in range(area):
                either[k, heap[at + cell] & (_BINS - 1)] = 1
            for cell in range(shapes[k, 2] * shapes[k, 3]):
                color = heap[other + cell] & (_BINS - 1)
                both[k, color] = either[k, color]
            for cell in range(shapes[k, 2] * shapes[k, 3]):
                either[k, heap[other + cell] & (_BINS - 1)] = 1
            states[k] = _OF_ANOTHER_SIZE


def oddity(samples: Sequence[ArcSample], outputs: Sequence[Any]) -> int:
    """Count the oddities of outputs for a task's tests, the last of the task's samples.

    An output is odd if it is no grid (counts as 4); if it equals its input, but no demonstration's
    output does; if it has a color of neither its input nor a demonstration's output; or if its size
    is not the size that all demonstrations show: their input's size, or one size of all outputs.
    """
    shown, tests = samples[: len(samples) - len(outputs)], samples[len(samples) - len(outputs) :]
    return sum(_odd(shown, test.I, output) for test, output in zip(tests, outputs, strict=True))


def _odd(shown: Sequence[ArcSample], grid: Grid, output: Any) -> int:
    if not is_grid(output):
        return 4
    pairs = [(sample.I, sample.C) for sample in shown if sample.C is not None]
    colors = colors_of([grid, *(after for _, after in pairs)])
    sizes = {extent_of(after) for _, after in pairs}
    keep_size = all(extent_of(before) == extent_of(after) for before, after in pairs)
    return (
        (output == grid and all(before != after for before, after in pairs))
        + (not colors_of([output]) <= colors)
        + (keep_size and extent_of(output) != extent_of(grid))
        + (len(sizes) == 1 and not keep_size and extent_of(output) not in sizes)
    )
