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


def overlap_of_colors(outputs: Column, expected: Column) -> Array:
    """Of each grid of the right size the mean overlap of its colors; else 0. float32 (n,).

    The overlap of a color is the Jaccard index: the cells that have it in both grids, divided by
    those that have it in either. So the few cells that change count as much as the many that stay.
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
    """`overlap_of_colors` of grids side by side."""
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
    """Store the mean overlap of a grid's colors with those wanted, if it is as large.

    both, either: zeros, for a count of each color in each lane.
    """
    area = int64(heights[lane]) * int64(widths[lane])
    if heights[lane] == wanted_heights[lane] and widths[lane] == wanted_widths[lane]:
        at = starts[lane]
        other = wanted_starts[lane]
        bins = lane * _BINS
        right = int64(0)
        for k in range(area):
            color = int64(cells[at + k])
            wanted = int64(wanted_cells[other + k])
            either[bins + (wanted & (_BINS - 1))] += 1
            if color == wanted:
                right += 1
                both[bins + (wanted & (_BINS - 1))] += 1
            else:
                either[bins + (color & (_BINS - 1))] += 1
        share[lane] = float32(1)
        if right < area:
            total = float32(0)
            colors = int64(0)
            for k in range(bins, bins + _BINS):
                if either[k] > 0:
                    total += float32(both[k]) / float32(either[k])
                    colors += 1
            share[lane] = min(total / float32(colors), _ALMOST)
