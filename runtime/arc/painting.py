"""Putting colors into grids: fill, paint and what they leave where."""

from __future__ import annotations

from typing import Any

from numpy import int8, int64

from runtime.arc.columns import (
    affordable,
    codes_of,
    location_sets,
    most_common_colors,
    no_cell,
    object_sets,
    of_no_cell,
    runs_of,
)
from runtime.arc.language import primitive
from runtime.arc.types import Grid, Integer, IntegerTuple, Object, Patch
from runtime.arc.values import area, locations, most_common_color, size_of_grid
from runtime.engine.arrays import Array, any_set, room_for, segment_any, xp
from runtime.engine.columns import Cells, Column, Grids, Ints, Pairs, Sequences, Sets
from runtime.engine.columns.grids import LEAST_CELL, MOST_CELL
from runtime.engine.frames import Frame
from runtime.engine.kernels import device_function, lane_kernel, team_kernel
from runtime.engine.limits import charge, integer
from runtime.engine.packing import cell_code, color_of, column_of, row_of
from runtime.engine.registry import rule
from runtime.engine.teams import most_of_team, sum_before, wait_for_team


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
    frame.punt(no_cell(value.data))
    frame.fail(grid.heights == 0)
    out = _canvas(frame, grid, grid.areas)
    _fill(out, value.data, patch)
    return out


def _canvas(frame: Frame, grid: Grids, cost: Array) -> Grids:
    """Charge `cost`; grids to paint on, without rows in the lanes that cannot afford it."""
    return grid.copy(frame.charge(cost))


def _fill(out: Grids, values: Array, patch: Sequences) -> None:
    """Set the cells of each lane's patch to the lane's value."""
    fill_patch(
        len(out),
        out.heights,
        out.widths,
        out.starts,
        out.cells,
        values,
        *runs_of(patch),
    )


@team_kernel
def fill_patch(  # type: ignore[no-untyped-def]
    lane, place, team,
    heights, widths, starts, cells, values, patch_starts, patch_counts, codes,
):  # fmt: skip
    for k in range(patch_starts[lane] + place, patch_starts[lane] + patch_counts[lane], team):
        i = row_of(codes[k])
        j = column_of(codes[k])
        if i >= 0 and i < heights[lane] and j >= 0 and j < widths[lane]:
            cells[starts[lane] + i * widths[lane] + j] = int8(values[lane])


@primitive
def paint(grid: Grid, obj: Object) -> Grid:
    """The grid with the object's cells put in, one after the other."""
    h, w = size_of_grid(grid)
    charge(area(grid))
    rows = [list(row) for row in grid]
    for color, (i, j) in _in_turn(obj):
        if 0 <= i < h and 0 <= j < w:
            rows[i][j] = color
    return tuple(map(tuple, rows))


def _in_turn(obj: Any) -> Any:
    """The cells of an object, ascending where their order matters: where two share a place."""
    if obj.__class__ is tuple or len({place for _, place in obj}) == len(obj):
        return obj
    return sorted(obj)


@rule(paint)
def _(frame: Frame, grid: Grids, obj: Sequences) -> Column:
    _punt_colors(frame, obj)
    frame.fail(grid.heights == 0)
    out = _canvas(frame, grid, grid.areas)
    paint_cells(
        frame.n,
        out.heights,
        out.widths,
        out.starts,
        out.cells,
        *runs_of(obj),
    )
    return out


def _punt_colors(frame: Frame, obj: Sequences) -> None:
    """Punt the lanes whose objects have colors that no column of grids can hold."""
    if not any_set(of_no_cell(codes_of(obj.content))):
        return
    packed = obj.packed()
    frame.punt(segment_any(of_no_cell(codes_of(packed.content)), packed.offsets))


@team_kernel
def paint_cells(lane, place, team, heights, widths, starts, cells, obj_starts, obj_counts, codes):  # type: ignore[no-untyped-def]
    end = obj_starts[lane] + obj_counts[lane]
    for first in range(obj_starts[lane], end, team):
        mine = turn_to_paint(codes, first, end, place)
        for turn in range(most_of_team(mine) + 1):
            if turn == mine:
                code = codes[first + place]
                i = row_of(code)
                j = column_of(code)
                if i >= 0 and i < heights[lane] and j >= 0 and j < widths[lane]:
                    cells[starts[lane] + i * widths[lane] + j] = int8(color_of(code))
            wait_for_team()


@device_function
def turn_to_paint(codes, first, end, place):  # type: ignore[no-untyped-def]
    """When it is a thread's turn to put in its one of the cells from `first` on; -1 for never.

    Cells are put in one after the other, but side by side those that lie behind one another and
    are of one color: of those it is all the same which comes last.
    """
    k = first + place
    fresh = int64(0)
    if place > 0 and k < end:
        fresh = int64(color_of(codes[k]) != color_of(codes[k - 1]))
    turn = sum_before(fresh, place) + fresh
    if k < end:
        return turn
    return int64(-1)


@primitive
def underfill(grid: Grid, value: Integer, patch: Patch) -> Grid:
    """The grid with those cells of the patch set to `value` that are background."""
    h, w = size_of_grid(grid)
    background = most_common_color(grid)
    charge(area(grid))
    rows = [list(row) for row in grid]
    for i, j in locations(patch):
        if 0 <= i < h and 0 <= j < w and rows[i][j] == background:
            rows[i][j] = value
    return tuple(map(tuple, rows))


@rule(underfill)
def _(frame: Frame, grid: Grids, value: Ints, patch: Sets) -> Column:
    frame.punt(no_cell(value.data))
    frame.fail(grid.areas == 0)
    background = most_common_colors(grid)
    out = _canvas(frame, grid, grid.areas)
    underfill_patch(
        frame.n,
        out.heights,
        out.widths,
        out.starts,
        out.cells,
        background,
        value.data,
        *runs_of(patch),
    )
    return out


@team_kernel
def underfill_patch(  # type: ignore[no-untyped-def]
    lane, place, team,
    heights, widths, starts, cells, background, values, patch_starts, patch_counts, codes,
):  # fmt: skip
    for k in range(patch_starts[lane] + place, patch_starts[lane] + patch_counts[lane], team):
        i = row_of(codes[k])
        j = column_of(codes[k])
        if i >= 0 and i < heights[lane] and j >= 0 and j < widths[lane]:
            at = starts[lane] + i * widths[lane] + j
            if int64(cells[at]) == background[lane]:
                cells[at] = int8(values[lane])


@primitive
def underpaint(grid: Grid, obj: Object) -> Grid:
    """The grid with those of the object's cells put in, in turn, that find background."""
    h, w = size_of_grid(grid)
    background = most_common_color(grid)
    charge(area(grid))
    rows = [list(row) for row in grid]
    for color, (i, j) in _in_turn(obj):
        if 0 <= i < h and 0 <= j < w and rows[i][j] == background:
            rows[i][j] = color
    return tuple(map(tuple, rows))


@rule(underpaint)
def _(frame: Frame, grid: Grids, obj: Sequences) -> Column:
    _punt_colors(frame, obj)
    frame.fail(grid.areas == 0)
    background = most_common_colors(grid)
    out = _canvas(frame, grid, grid.areas)
    underpaint_cells(
        frame.n,
        out.heights,
        out.widths,
        out.starts,
        out.cells,
        background,
        *runs_of(obj),
    )
    return out


@team_kernel
def underpaint_cells(  # type: ignore[no-untyped-def]
    lane, place, team, heights, widths, starts, cells, background, obj_starts, obj_counts, codes
):
    end = obj_starts[lane] + obj_counts[lane]
    for first in range(obj_starts[lane], end, team):
        mine = turn_to_paint(codes, first, end, place)
        for turn in range(most_of_team(mine) + 1):
            if turn == mine:
                code = codes[first + place]
                i = row_of(code)
                j = column_of(code)
                if i >= 0 and i < heights[lane] and j >= 0 and j < widths[lane]:
                    at = starts[lane] + i * widths[lane] + j
                    if int64(cells[at]) == background[lane]:
                        cells[at] = int8(color_of(code))
            wait_for_team()


@primitive
def cover(grid: Grid, patch: Patch) -> Grid:
    """The grid with every cell of the patch made background."""
    background = most_common_color(grid)
    charge(area(grid))
    h, w = size_of_grid(grid)
    rows = [list(row) for row in grid]
    for i, j in locations(patch):
        if 0 <= i < h and 0 <= j < w:
            rows[i][j] = background
    return tuple(map(tuple, rows))


@rule(cover)
def _(frame: Frame, grid: Grids, patch: Sets) -> Column:
    frame.fail(grid.areas == 0)
    background = most_common_colors(grid)
    out = _canvas(frame, grid, grid.areas)
    _fill(out, background, patch)
    return out


@primitive
def move(grid: Grid, obj: Object, offset: IntegerTuple) -> Grid:
    """The grid with the object covered, then painted in at `offset` from where it was."""
    h, w = size_of_grid(grid)
    cells = frozenset(obj)
    background = most_common_color(grid)
    charge(2 * area(grid) + len(cells))
    di, dj = offset
    rows = [list(row) for row in grid]
    for _, (i, j) in cells:
        if 0 <= i < h and 0 <= j < w:
            rows[i][j] = background
    for color, (i, j) in _in_turn(cells):
        i, j = i + di, j + dj
        if 0 <= i < h and 0 <= j < w:
            rows[i][j] = color
        else:
            integer(i), integer(j)
    return tuple(map(tuple, rows))


@rule(move)
def _(frame: Frame, grid: Grids, obj: Sequences, offset: Pairs) -> Column:
    _punt_colors(frame, obj)
    frame.fail(grid.areas == 0)
    background = most_common_colors(grid)
    cells = object_sets(obj)
    out = _canvas(frame, grid, 2 * grid.areas + cells.counts)
    _fill(out, background, cells)
    paint_moved(
        frame.n,
        out.heights,
        out.widths,
        out.starts,
        out.cells,
        *runs_of(cells),
        offset.data,
    )
    return out


@lane_kernel
def paint_moved(  # type: ignore[no-untyped-def]
    lane, heights, widths, starts, cells, obj_starts, obj_counts, codes, offsets
):
    for k in range(obj_starts[lane], obj_starts[lane] + obj_counts[lane]):
        i = row_of(codes[k]) + row_of(offsets[lane])
        j = column_of(codes[k]) + column_of(offsets[lane])
        if i >= 0 and i < heights[lane] and j >= 0 and j < widths[lane]:
            cells[starts[lane] + i * widths[lane] + j] = int8(color_of(codes[k]))


@primitive
def toobject(patch: Patch, grid: Grid) -> Object:
    """The grid's cells at the patch's places, as far as they lie inside."""
    h, w = size_of_grid(grid)
    inside = [(i, j) for i, j in locations(patch) if 0 <= i < h and 0 <= j < w]
    charge(len(inside))
    return frozenset([(grid[i][j], (i, j)) for i, j in inside])


@rule(toobject)
def _(frame: Frame, patch: Sets, grid: Grids) -> Column:
    frame.fail(grid.heights == 0)
    runs = runs_of(location_sets(patch))
    counts = xp.empty(frame.n, dtype=xp.int64)
    count_inside(frame.n, grid.heights, grid.widths, *runs, counts)
    counts = affordable(frame, counts)
    offsets, codes = room_for(counts)
    read_cells(frame.n, grid.heights, grid.widths, grid.starts, grid.cells, *runs, offsets, codes)
    return Sets.of_counts(counts, Cells(codes), offsets)  # type: ignore[no-any-return]


@lane_kernel
def count_inside(lane, heights, widths, patch_starts, patch_counts, codes, counts):  # type: ignore[no-untyped-def]
    count = int64(0)
    for k in range(patch_starts[lane], patch_starts[lane] + patch_counts[lane]):
        i = row_of(codes[k])
        j = column_of(codes[k])
        if i >= 0 and i < heights[lane] and j >= 0 and j < widths[lane]:
            count += 1
    counts[lane] = count


@lane_kernel
def read_cells(  # type: ignore[no-untyped-def]
    lane, heights, widths, starts, cells, patch_starts, patch_counts, codes, offsets, out
):
    """One color after the other, as cells ascend."""
    at = offsets[lane]
    color = int64(LEAST_CELL)
    while at < offsets[lane + 1]:
        following = int64(MOST_CELL + 1)
        for k in range(patch_starts[lane], patch_starts[lane] + patch_counts[lane]):
            i = row_of(codes[k])
            j = column_of(codes[k])
            if i >= 0 and i < heights[lane] and j >= 0 and j < widths[lane]:
                found = int64(cells[starts[lane] + i * widths[lane] + j])
                if found == color:
                    out[at] = cell_code(color, i, j)
                    at += 1
                elif found > color:
                    following = min(following, found)
        color = following
