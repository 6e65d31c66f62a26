"""Grids and objects made larger and smaller, and grids joined."""

from __future__ import annotations

from math import isqrt
from operator import add

from numpy import int64

from runtime.arc import columns as of_columns
from runtime.arc.columns import affordable, bounds, codes_of, new_grids
from runtime.arc.grids import seen
from runtime.arc.language import primitive
from runtime.arc.types import Element, Grid, Integer, Object
from runtime.arc.values import area, bounds_of, grid_room, size_of_grid
from runtime.engine.arrays import Array, any_set, room_for, xp
from runtime.engine.columns import Cells, Column, Empty, Grids, Ints, Sets
from runtime.engine.frames import Frame
from runtime.engine.kernels import lane_kernel, team_kernel
from runtime.engine.limits import charge, integer
from runtime.engine.packing import both_fit, cell_code, color_of, column_of, row_of
from runtime.engine.registry import rule


@primitive
def hupscale(grid: Grid, factor: Integer) -> Grid:
    """The grid with every column `factor` times."""
    times = range(max(factor, 0))
    charge(area(grid) * len(times))
    return tuple([tuple([v for v in row for _ in times]) for row in grid])


@rule(hupscale)
def _(frame: Frame, grid: Grids, factor: Ints) -> Column:
    times = xp.maximum(factor.data, 0)
    out = new_grids(frame, grid.heights, grid.widths * times)
    return stretched(frame, grid, xp.ones_like(times), times, out)


def stretched(frame: Frame, grid: Grids, down: Array, across: Array, out: Grids) -> Grids:
    """`out` written with the grids, each row `down` times and each column `across` times."""
    heights = xp.where(out.heights > 0, grid.heights, 0)
    stretch(
        frame.n, heights, grid.widths, grid.starts, grid.cells, down, across, out.starts, out.cells
    )
    return out


@team_kernel
def stretch(lane, place, team, heights, widths, starts, cells, down, across, out_starts, out):  # type: ignore[no-untyped-def]
    width = widths[lane]
    for i in range(place, heights[lane], team):
        row = starts[lane] + i * width
        at = out_starts[lane] + i * down[lane] * width * across[lane]
        if width > 0:
            for _k in range(down[lane]):
                for j in range(width):
                    for _l in range(across[lane]):
                        out[at] = cells[row + j]
                        at += 1


@primitive
def vupscale(grid: Grid, factor: Integer) -> Grid:
    """The grid with every row `factor` times."""
    times = range(max(factor, 0))
    if grid:
        charge(grid_room(len(grid) * len(times), len(grid[0])))
    return tuple([row for row in grid for _ in times])


@rule(vupscale)
def _(frame: Frame, grid: Grids, factor: Ints) -> Column:
    times = xp.maximum(factor.data, 0)
    heights = grid.heights * times
    out = new_grids(frame, heights, grid.widths, of_columns.grid_room(heights, grid.widths))
    return stretched(frame, grid, times, xp.ones_like(times), out)


@primitive
def upscale(element: Element, factor: Integer) -> Element:
    """Every cell made a square of side `factor`; an object keeps its upper left corner."""
    times = range(max(factor, 0))
    if element.__class__ is frozenset:
        return _upscale_object(element, factor, times)
    if not element:
        return ()
    charge(grid_room(len(element) * len(times), len(element[0]) * len(times)))
    wide = [tuple([v for v in row for _ in times]) for row in element]
    return tuple([row for row in wide for _ in times])


def _upscale_object(element: Object, factor: int, times: range) -> Object:
    charge(len(element) * len(times) ** 2)
    if not element or not times:
        return frozenset()
    top, left, bottom, right = bounds_of(element)
    down, across = top - top * factor, left - left * factor
    integer(bottom * factor + down + factor - 1), integer(right * factor + across + factor - 1)
    return frozenset(
        [
            (color, (row, column))
            for color, (i, j) in element
            for row in range(i * factor + down, (i + 1) * factor + down)
            for column in range(j * factor + across, (j + 1) * factor + across)
        ]
    )


@rule(upscale)
def _(frame: Frame, element: Column, factor: Ints) -> Column:
    budget = frame.operation.max_elements
    beyond = isqrt(budget) + 1  # what no lane can afford, whatever the factor; its square fits
    if isinstance(element, Grids):
        times = xp.clip(factor.data, 0, xp.where(element.widths > 0, beyond, budget + 1))
        heights, widths = element.heights * times, element.widths * times
        out = new_grids(frame, heights, widths, of_columns.grid_room(heights, widths))
        return stretched(frame, element, times, times, out)
    assert isinstance(element, Sets)
    return _upscaled_objects(frame, element, xp.clip(factor.data, 0, beyond))


def _upscaled_objects(frame: Frame, patch: Sets, times: Array) -> Column:
    top, left, bottom, right = bounds(patch)
    last_row = top + (bottom - top + 1) * times - 1
    last_column = left + (right - left + 1) * times - 1
    filled = (patch.counts > 0) & (times > 0)
    frame.punt(filled & ~both_fit(last_row, last_column))
    counts = affordable(frame, patch.counts * times * times)
    if not any_set(counts):
        return Sets.of_counts(counts, Empty())
    offsets, codes = room_for(counts)
    members = xp.where(counts > 0, patch.counts, 0)
    upscale_object(
        frame.n, patch.starts, members, codes_of(patch.content), top, left, times, offsets, codes
    )
    return Sets.of_counts(counts, Cells(codes))


@lane_kernel
def upscale_object(lane, starts, counts, codes, top, left, times, offsets, out):  # type: ignore[no-untyped-def]
    """Writes in ascending order: the cells of a color and a row together, a new row at a time."""
    factor = times[lane]
    begin = starts[lane]
    last = starts[lane] + counts[lane]
    at = offsets[lane]
    while begin < last:
        end = begin
        while end < last and codes[min(end, last - 1)] >> 21 == codes[begin] >> 21:
            end += 1
        color = color_of(codes[begin])
        row = top[lane] + (row_of(codes[begin]) - top[lane]) * factor
        for io in range(factor):
            for k in range(begin, end):
                column = left[lane] + (column_of(codes[k]) - left[lane]) * factor
                for jo in range(factor):
                    out[at] = cell_code(color, row + io, column + jo)
                    at += 1
        begin = end


@primitive
def downscale(grid: Grid, factor: Integer) -> Grid:
    """Of every `factor` rows and columns the first."""
    h, w = size_of_grid(grid)
    if factor == 0:
        raise ZeroDivisionError("downscale by zero")
    step = abs(factor)
    charge(-(-h // step) * -(-w // step))
    return tuple([row[::step] for row in grid[::step]])


@rule(downscale)
def _(frame: Frame, grid: Grids, factor: Ints) -> Column:
    frame.fail((grid.heights == 0) | (factor.data == 0))
    step = xp.maximum(abs(factor.data), 1)
    heights, widths = (grid.heights + step - 1) // step, (grid.widths + step - 1) // step
    zeros = xp.zeros_like(step)
    return seen(frame, grid, heights, widths, zeros, grid.widths * step, step)


@primitive
def hconcat(a: Grid, b: Grid) -> Grid:
    """The two grids side by side, as far down as the lower one goes."""
    if not a or not b:
        return ()
    charge(min(len(a), len(b)) * (len(a[0]) + len(b[0])))
    return tuple(map(add, a, b))


@rule(hconcat)
def _(frame: Frame, a: Grids, b: Grids) -> Column:
    out = new_grids(frame, xp.minimum(a.heights, b.heights), a.widths + b.widths)
    copy_beside(
        frame.n, out.heights, out.starts, a.widths, a.starts, a.cells, b.widths, b.starts, b.cells,
        out.cells,
    )  # fmt: skip
    return out


@team_kernel
def copy_beside(  # type: ignore[no-untyped-def]
    lane, place, team,
    heights, starts, a_widths, a_starts, a, b_widths, b_starts, b, out,
):  # fmt: skip
    """Each row of one grid, and behind it the other's."""
    for i in range(place, heights[lane], team):
        at = starts[lane] + i * (a_widths[lane] + b_widths[lane])
        source = a_starts[lane] + i * a_widths[lane]
        for j in range(a_widths[lane]):
            out[at] = a[source + j]
            at += 1
        source = b_starts[lane] + i * b_widths[lane]
        for j in range(b_widths[lane]):
            out[at] = b[source + j]
            at += 1


@primitive
def vconcat(a: Grid, b: Grid) -> Grid:
    """The second grid below the first. Fails for rows of unlike lengths."""
    if a and b and len(a[0]) != len(b[0]):
        raise ValueError("grids of different widths, one below the other, are no grid")
    h = len(a) + len(b)
    charge(grid_room(h, len((a or b)[0])) if h else 0)
    return a + b


@rule(vconcat)
def _(frame: Frame, a: Grids, b: Grids) -> Column:
    n = frame.n
    heights, widths, cost = (xp.empty(n, dtype=xp.int64) for _ in range(3))
    ragged = xp.empty(n, dtype=xp.bool_)
    measure_stack(n, a.heights, a.widths, b.heights, b.widths, heights, widths, cost, ragged)
    frame.fail(ragged)
    out = new_grids(frame, heights, widths, cost)
    copy_below(
        n, out.areas, out.starts, a.heights, a.widths, a.starts, a.cells, b.starts, b.cells,
        out.cells,
    )  # fmt: skip
    return out


@lane_kernel
def measure_stack(  # type: ignore[no-untyped-def]
    lane, a_heights, a_widths, b_heights, b_widths, heights, widths, cost, ragged
):
    """The size of one grid below another and what it costs; nothing where their widths differ."""
    height = a_heights[lane] + b_heights[lane]
    width = b_widths[lane]
    if a_heights[lane] > 0:
        width = a_widths[lane]
    ragged[lane] = False
    if a_heights[lane] > 0 and b_heights[lane] > 0 and a_widths[lane] != b_widths[lane]:
        ragged[lane] = True
        height = int64(0)
    heights[lane] = height
    widths[lane] = width
    cost[lane] = height * max(width, int64(1))


@team_kernel
def copy_below(  # type: ignore[no-untyped-def]
    lane, place, team, areas, starts, a_heights, a_widths, a_starts, a, b_starts, b, out
):
    """The cells of one grid, and then the other's, which has the same width if both have rows."""
    upper = min(areas[lane], a_heights[lane] * a_widths[lane])
    at = starts[lane]
    for k in range(place, upper, team):
        out[at + k] = a[a_starts[lane] + k]
    for k in range(place, areas[lane] - upper, team):
        out[at + upper + k] = b[b_starts[lane] + k]
