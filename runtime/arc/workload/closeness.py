"""How close outputs come to the grids expected: the share of their cells that are right."""

from __future__ import annotations

from numpy import float32, int64

from megabatt.runtime.arc.layouts import Grids
from megabatt.runtime.engine.columns import Column
from megabatt.runtime.engine.device.arrays import Array, xp
from megabatt.runtime.engine.device.kernels import lane_kernel


def share_right(outputs: Column, expected: Column) -> Array:
    """Of each grid of the right size the share of cells that are right; else 0. float32 (n,).

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
                of_part = xp.zeros(len(among), dtype=xp.float32)
                count_right(len(among), *found.arrays, *wanted.arrays, of_part)
                share[lanes[among]] = of_part
    return share


@lane_kernel
def count_right(
    lane, heights, widths, starts, cells,
    wanted_heights, wanted_widths, wanted_starts, wanted_cells, share,
):  # fmt: skip
    """Store the share of a grid's cells that are those wanted, if it is as large."""
    area = int64(heights[lane]) * int64(widths[lane])
    if heights[lane] == wanted_heights[lane] and widths[lane] == wanted_widths[lane]:
        at = starts[lane]
        other = wanted_starts[lane]
        right = int64(0)
        for k in range(area):
            if cells[at + k] == wanted_cells[other + k]:
                right += 1
        share[lane] = float32(1)
        if right < area:
            share[lane] = float32(right) / float32(area)
