"""Putting colors into grids: fill, paint and what they leave where."""

from __future__ import annotations

from runtime.arc.columns import codes_of, copy_of, fits_cell
from runtime.arc.language import primitive
from runtime.arc.types import Grid, Integer, Patch
from runtime.arc.values import area, locations, size_of_grid
from runtime.engine.columns import Column, Grids, Ints, Sets
from runtime.engine.frames import Frame
from runtime.engine.kernels import lane_kernel
from runtime.engine.limits import charge
from runtime.engine.packing import column_of, row_of
from runtime.engine.registry import rule


@primitive
def fill(grid: Grid, value: Integer, patch: Patch) -> Grid:
    """The grid with every cell of the patch set to `value`."""
    h, w = size_of_grid(grid)
    charge(area(grid))
    rows = [list(row) for row in grid]
    for i, j in locations(patch):
        if 0 <= i < h and 0 <= j < w:
            rows[i][j] = value
    return tuple(map(tuple, rows))


@rule(fill)
def _(frame: Frame, grid: Grids, value: Ints, patch: Sets) -> Column:
    frame.punt(~fits_cell(value.data))
    frame.fail(grid.heights == 0)
    frame.charge(grid.areas)
    out = copy_of(grid)
    fill_patch(
        frame.n, grid.heights, grid.widths, out.starts, out.cells, value.data, patch.starts, patch.counts, codes_of(patch.content)
    )
    return out


@lane_kernel
def fill_patch(lane, heights, widths, starts, cells, values, patch_starts, patch_counts, codes):  # type: ignore[no-untyped-def]
    for k in range(patch_starts[lane], patch_starts[lane] + patch_counts[lane]):
        i = row_of(codes[k])
        j = column_of(codes[k])
        if i >= 0 and i < heights[lane] and j >= 0 and j < widths[lane]:
            cells[starts[lane] + i * widths[lane] + j] = values[lane]
