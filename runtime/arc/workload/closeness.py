"""How close outputs come to the grids expected: how far the cells of each color overlap."""

from __future__ import annotations

from numpy import float32, int64

from megabatt.runtime.arc.layouts import Grids
from megabatt.runtime.engine.columns import Column
from megabatt.runtime.engine.device.arrays import Array, xp
from megabatt.runtime.engine.device.kernels import lane_kernel

_BINS = int64(16)
"""Colors are counted by their lowest four bits."""
_ALMOST = float32(0.9999)
"""The most for a grid that is not right."""
_OF_SIZE = float32(0.25)
_OF_CELLS = float32(0.75)
"""_OF_SIZE: the least for a grid of the right size, and the most for any other grid.

_OF_CELLS: the most that the cells of a grid of the right size add.
"""


def overlap_of_colors(outputs: Column, expected: Column) -> Array:
    """Measure how far each output overlaps with the grid expected, from 0 to 1; float32 (n,).

    The overlap of a color is the Jaccard index: the cells that have it in both grids, divided by
    those that have it in either. So the few cells that change count as much as the many that stay.

    grids of the right size     a quarter, and three quarters of their colors' mean overlap
    other grids                 a quarter at most: how alike their sizes are, times the Jaccard
                                index of the sets of their colors
    what is no grid             0

    It is 1 where every cell is right, and only there.
    """
    n = len(outputs)
    share = xp.zeros(n, dtype=xp.float32)
    outputs, expected = outputs.gathered(), expected.gathered()
    for lanes, part in expected.split():
        if not isinstance(part, Grids):
            continue
        for among, found in outputs.take(lanes).gathered().split():
            if isinstance(found, Grids):
                wanted = part.take(among)
                assert isinstance(wanted, Grids)
                share[lanes[among]] = _overlap(found, wanted)
    return share


def _overlap(found: Grids, wanted: Grids) -> Array:
    """Measure `overlap_of_colors` of two columns of grids, lane by lane."""
    n = len(found)
    share = xp.zeros(n, dtype=xp.float32)
    both = xp.zeros(n * int(_BINS), dtype=xp.int64)
    either = xp.zeros(n * int(_BINS), dtype=xp.int64)
    measure_overlap(n, *found.arrays, *wanted.arrays, both, either, share)
    return share


@lane_kernel
def measure_overlap(
    lane, heights, widths, starts, cells,
    wanted_heights, wanted_widths, wanted_starts, wanted_cells, both, either, share,
):  # fmt: skip
    """Store how far a grid overlaps with the one that is wanted.

    both, either: zeros, for a count of each color in each lane.
    """
    area = int64(heights[lane]) * int64(widths[lane])
    wanted_area = int64(wanted_heights[lane]) * int64(wanted_widths[lane])
    alike = heights[lane] == wanted_heights[lane] and widths[lane] == wanted_widths[lane]
    at = starts[lane]
    other = wanted_starts[lane]
    bins = lane * _BINS
    right = int64(0)
    if alike:
        for k in range(area):
            color = int64(cells[at + k])
            wanted = int64(wanted_cells[other + k])
            either[bins + (wanted & (_BINS - 1))] += 1
            if color == wanted:
                right += 1
                both[bins + (wanted & (_BINS - 1))] += 1
            else:
                either[bins + (color & (_BINS - 1))] += 1
    else:
        for k in range(area):
            either[bins + (int64(cells[at + k]) & (_BINS - 1))] = 1
        for k in range(wanted_area):
            place = bins + (int64(wanted_cells[other + k]) & (_BINS - 1))
            if either[place] == 1:
                both[place] = 1
            if either[place] == 0:
                either[place] = 2
        for k in range(bins, bins + _BINS):
            either[k] = min(either[k], int64(1))
    total = float32(0)
    colors = int64(0)
    for k in range(bins, bins + _BINS):
        if either[k] > 0:
            total += float32(both[k]) / float32(either[k])
            colors += 1
    overlap = total / float32(max(colors, int64(1)))
    if alike and right == area:
        share[lane] = float32(1)
    elif alike:
        share[lane] = _OF_SIZE + _OF_CELLS * overlap
        if share[lane] > _ALMOST:
            share[lane] = _ALMOST
    else:
        high = float32(min(heights[lane], wanted_heights[lane]))
        wide = float32(min(widths[lane], wanted_widths[lane]))
        high /= float32(max(max(heights[lane], wanted_heights[lane]), 1))
        wide /= float32(max(max(widths[lane], wanted_widths[lane]), 1))
        share[lane] = _OF_SIZE * overlap * high * wide
