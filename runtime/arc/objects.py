"""Grids taken apart into objects: connected components, and the cells of each color."""

from __future__ import annotations

from typing import Any

from numpy import int32, int64

from megabatt.runtime.arc.charges import area
from megabatt.runtime.arc.columns import codes_of, most_common_colors
from megabatt.runtime.arc.language import primitive
from megabatt.runtime.arc.layouts import Cells, Grids
from megabatt.runtime.arc.layouts.grids import LEAST_CELL, MOST_CELL
from megabatt.runtime.arc.layouts.packing import cell_code, color_part
from megabatt.runtime.arc.measures import common_color
from megabatt.runtime.arc.types import Boolean, Grid, Integer, Objects
from megabatt.runtime.arc.values import most_common_color, size_of_grid
from megabatt.runtime.core.charges import count
from megabatt.runtime.engine.calls.charges import Measure
from megabatt.runtime.engine.calls.frames import Frame
from megabatt.runtime.engine.calls.registry import rule
from megabatt.runtime.engine.columns import Bools, Column, Ints, Sets
from megabatt.runtime.engine.device.arrays import (
    Array,
    lane_any,
    offsets_of,
    room_for,
    total_of,
    xp,
)
from megabatt.runtime.engine.device.kernels import device_function, lane_kernel, team_kernel
from megabatt.runtime.engine.device.room import require_room
from megabatt.runtime.engine.device.teams import (
    least_of_team,
    lower,
    sum_before,
    sum_of_team,
    swap,
    wait_for_team,
)
from megabatt.runtime.engine.limits import charge
from megabatt.runtime.engine.machine import prelude as m
from megabatt.runtime.engine.machine.forms import compiled
from megabatt.runtime.engine.machine.functions import machine_function, routine

_NO_COLOR = LEAST_CELL - 1
"""A color that no cell has. It is the background where no background is left out."""
_COLORS = MOST_CELL - LEAST_CELL + 1
_FEW_COLORS = 16
"""So many colors, from 0 on, are counted each in its place."""
_LAST = 2147483647
"""A number above that of any cell of a lane."""
_SIDES = ((-1, 0), (0, -1), (0, 1), (1, 0))
_CORNERS = ((-1, -1), (-1, 1), (1, -1), (1, 1))


@primitive
def objects(grid: Grid, univalued: Boolean, diagonal: Boolean, without_bg: Boolean) -> Objects:
    """Find the connected components: of one color or of any, touching by sides or by corners too.

    univalued: each is of one color. diagonal: cells touch by corners too. without_bg: the most
    common color is left out.
    """
    _, w = size_of_grid(grid)
    background = most_common_color(grid) if without_bg else None
    charge(filled(grid, background))
    stride = w + 1  # a gap behind each row, and below the last: a step never leads round an edge
    colors: list[int | None] = []
    for row in grid:
        colors += row
        colors.append(None)
    colors += [None] * (stride + 1)
    closed = {None, background}
    kinds = [None if c in closed else c if univalued else 0 for c in colors]
    steps = [i * stride + j for i, j in (_SIDES + _CORNERS if diagonal else _SIDES)]
    components = []
    for start, kind in enumerate(kinds):
        if kind is None:
            continue
        kinds[start] = None
        members = [start]
        for at in members:
            for step in steps:
                if kinds[at + step] == kind:
                    kinds[at + step] = None
                    members.append(at + step)
        components.append(frozenset([(colors[at], divmod(at, stride)) for at in members]))
    return frozenset(components)


@rule(objects)
def objects(
    frame: Frame, grid: Grids, univalued: Bools, diagonal: Bools, without_bg: Bools
) -> Column:
    background = xp.where(without_bg.data, most_common_colors(grid), _NO_COLOR)
    frame.fail((grid.heights == 0) | (without_bg.data & (grid.areas == 0)))
    grid = _kept(grid, frame.charge(filled(grid, background)))
    n, offsets = frame.n, offsets_of(grid.areas + 1)
    order = xp.empty(require_room(total_of(offsets)), dtype=xp.int64)
    labels = xp.empty_like(order)
    sizes = xp.zeros(n, dtype=xp.int64)
    counts = xp.zeros(n, dtype=xp.int64)
    order_cells(n, grid.starts, grid.areas, grid.cells, background, offsets, order, sizes)
    label_components(
        n,
        *grid.arrays,
        background,
        univalued.data,
        diagonal.data,
        offsets,
        order,
        sizes,
        xp.empty(len(order), dtype=xp.int32),
        xp.full(len(order), _LAST, dtype=xp.int32),
        labels,
        counts,
    )
    return _objects_of_labels(grid, offsets, order, sizes, labels, counts)


@Measure
def filled(grid: Grid, background: Any) -> int:
    """Count the cells that are not of the background's color; all cells if that is None."""
    return area(grid) - sum([row.count(background) for row in grid])


@filled.for_columns
def filled(grid: Grids, background: Array) -> Array:
    counts = xp.empty(len(grid), dtype=xp.int64)
    count_filled(len(grid), grid.starts, grid.areas, grid.cells, background, counts)
    return counts


def _kept(grid: Grids, allowed: Array) -> Grids:
    """Return the grids, without rows in the lanes that may not go on."""
    return Grids(xp.where(allowed, grid.heights, 0), grid.widths, grid.starts, grid.cells)


def _objects_of_labels(
    grid: Grids, offsets: Array, order: Array, sizes: Array, labels: Array, counts: Array
) -> Sets:
    """Make each lane's objects from the labels of its cells, 0 to counts - 1.

    order: the cells of each lane in ascending order, `sizes` of them from its offset on. labels:
    in the same order. Objects are numbered in ascending order of their first cells, and so need no
    sorting.
    """
    n = len(grid)
    first = offsets_of(counts)
    members = xp.zeros(total_of(first), dtype=xp.int64)
    count_members(n, offsets, sizes, labels, first, members)
    starts, codes = room_for(members)
    collect_members(
        n,
        grid.widths,
        grid.starts,
        grid.cells,
        offsets,
        order,
        sizes,
        labels,
        first,
        starts[:-1].copy(),
        codes,
    )
    if not len(codes):
        return Sets.all_empty(n)  # type: ignore[no-any-return]
    return Sets(first[:-1], counts, Sets(starts[:-1], members, Cells(codes)))


@team_kernel
def count_filled(lane, place, team, starts, areas, cells, background, filled):
    count = int64(0)
    for at in range(starts[lane] + place, starts[lane] + areas[lane], team):
        count += int64(int64(cells[at]) != background[lane])
    count = sum_of_team(count)
    if place == 0:
        filled[lane] = count


@team_kernel
def order_cells(lane, place, team, starts, areas, cells, background, offsets, order, sizes):
    """List the positions of the cells that are not background, by color, then by position.

    Every thread places the cells of a part of the grid. A single thread avoids branches, which
    would be mispredicted: it writes each position, then keeps it or not. That takes room for one
    more position in every lane, where 0 is left.
    """
    start = starts[lane]
    first = areas[lane] * place // team
    stop = areas[lane] * (place + 1) // team
    size = int64(0)
    color = int64(_NO_COLOR)
    following = int64(_NO_COLOR)
    while following <= MOST_CELL:
        color = following
        following = int64(MOST_CELL + 1)
        wanted = color
        if color == background[lane]:
            wanted = int64(_NO_COLOR)
        mine = int64(0)
        for k in range(first, stop):
            mine += int64(int64(cells[start + k]) == wanted)
        begin = offsets[lane] + size + sum_before(mine, place)
        at = begin
        for k in range(first, stop):
            found = int64(cells[start + k])
            if found == wanted or team == 1:
                order[at] = k
            at += int64(found == wanted)
            following = min(following, found + _COLORS * int64(found <= color))
        size += sum_of_team(at - begin)
        following = least_of_team(following)
    if place == 0:
        order[offsets[lane] + size] = 0
        sizes[lane] = size


@team_kernel
def label_components(
    lane,
    place,
    team,
    heights,
    widths,
    starts,
    cells,
    background,
    univalued,
    diagonal,
    offsets,
    order,
    sizes,
    parents,
    firsts,
    labels,
    counts,
):
    """Label the cells with their components, which are numbered by their first cells.

    Each cell is united with those above and before it.
    """
    base = offsets[lane]
    width = widths[lane]
    for at in range(base + place, base + heights[lane] * width, team):
        parents[at] = int32(at - base)
    wait_for_team()
    for i in range(place, heights[lane], team):
        for j in range(width):
            join_cell(
                i,
                j,
                width,
                cells,
                starts[lane],
                background[lane],
                univalued[lane],
                diagonal[lane],
                parents,
                base,
            )
    wait_for_team()
    count = number_components(order, sizes[lane], parents, firsts, labels, base, place, team)
    if place == 0:
        counts[lane] = count


@device_function
def join_cell(i, j, width, cells, start, ground, same, diagonal, parents, base):
    """Unite a cell with its neighbours above and before, where they belong together."""
    at = i * width + j
    color = int64(cells[start + at])
    if color != ground:
        above = at - width
        up = False
        if i > 0:
            up = joins(color, int64(cells[start + above]), ground, same)
        left = False
        if j > 0:
            left = joins(color, int64(cells[start + at - 1]), ground, same)
        if up:
            unite(parents, base, at, above)
        if left and not (up and diagonal):
            unite(parents, base, at, at - 1)
        # by corners, but not where the cell above, or before, is joined: it touches them itself
        if diagonal and i > 0 and not up:
            if j > 0 and not left:
                if joins(color, int64(cells[start + above - 1]), ground, same):
                    unite(parents, base, at, above - 1)
            if j + 1 < width:
                if joins(color, int64(cells[start + above + 1]), ground, same):
                    unite(parents, base, at, above + 1)
    return int64(0)


@device_function
def number_components(order, size, parents, firsts, labels, base, place, team):
    """Label the cells of a lane, in their order, with the numbers of their components.

    Components are numbered by their first cells. Returns how many there are.
    """
    for k in range(place, size, team):
        root = find_root(parents, base, order[base + k])
        labels[base + k] = root
        lower(firsts, base + root, int32(k))
    wait_for_team()
    begin = size * place // team
    end = size * (place + 1) // team
    mine = int64(0)
    for k in range(begin, end):
        mine += int64(firsts[base + labels[base + k]] == k)
    first = sum_before(mine, place)
    label = first
    for k in range(begin, end):
        root = labels[base + k]
        if firsts[base + root] == k:
            parents[base + root] = int32(label)  # parents are not asked for any more
            label += 1
    count = sum_of_team(label - first)
    wait_for_team()
    for k in range(base + place, base + size, team):
        labels[k] = int64(parents[base + labels[k]])
    return count


@device_function
def joins(color, found, background, univalued):
    """Tell whether a cell that is not background belongs with a neighbour of color `found`."""
    if univalued:
        return found == color
    return found != background


@device_function
def find_root(parents, base, at):
    """Find the root of the tree that a cell of the lane is in. It is the tree's least cell."""
    parent = int64(parents[base + at])
    while parent != at:
        above = int64(parents[base + parent])
        if above != parent:  # no cell becomes a root again: this disturbs no other thread
            parents[base + at] = int32(above)
        at = parent
        parent = above
    return at


@device_function
def unite(parents, base, a, b):
    """Join two components under the lesser root; other threads may join some at the same time."""
    first = find_root(parents, base, a)
    second = find_root(parents, base, b)
    while first != second:
        lesser = min(first, second)
        greater = max(first, second)
        found = int64(swap(parents, base + greater, int32(greater), int32(lesser)))
        first = lesser
        second = lesser
        if found != greater:  # `greater` is a root no more
            second = find_root(parents, base, found)
    return int64(0)


@lane_kernel
def count_members(lane, offsets, sizes, labels, first, members):
    base = offsets[lane]
    for k in range(base, base + sizes[lane]):
        members[first[lane] + labels[k]] += 1


@lane_kernel
def collect_members(lane, widths, starts, cells, offsets, order, sizes, labels, first, into, codes):
    """Write the cells' codes; `into` says where each object's next cell goes."""
    width = widths[lane]
    base = offsets[lane]
    for k in range(base, base + sizes[lane]):
        at = order[k]
        i = at // width
        color = int64(cells[starts[lane] + at])
        obj = first[lane] + labels[k]
        codes[into[obj]] = cell_code(color, i, at - i * width)
        into[obj] += 1


@compiled(objects)
def objects(heap, grid, univalued, diagonal, without_bg):
    if m.height_of(heap, grid) == 0:
        return int64(m.FAILED)
    background = int64(m.NONE)
    if without_bg == m.TRUE:
        background = common_color(heap, grid, 1)
        if background <= m.WRONG:
            return background
    count = count_others(heap, grid, background)
    if not m.pay(heap, count):
        return int64(m.FAILED)
    at = begin_objects(heap, grid, background, count)
    if at <= m.WRONG:
        return at
    how = m.number_of(univalued) + 2 * m.number_of(diagonal)
    found = label_cells(heap, grid, background, how, order_at(at, count), count)
    return finish_objects(heap, at, count, found)


@machine_function
def count_others(heap, grid, color):
    """Count the cells of a grid that are not of a color."""
    at = m.cells_of(grid)
    count = int64(0)
    for k in range(m.area_of(heap, grid)):
        count += int64(heap[at + k] != color)
    return count


@routine
def count_few_colors(heap, grid, counts):
    """Count the cells of each color, if all are among the first `_FEW_COLORS`; returns 1 then.

    counts: where the numbers go.
    """
    for color in range(_FEW_COLORS):
        heap[counts + color] = 0
    at = m.cells_of(grid)
    for k in range(m.area_of(heap, grid)):
        color = heap[at + k]
        if color < 0 or color >= _FEW_COLORS:
            return int64(0)
        heap[counts + color] += 1
    return int64(1)


@routine
def begin_objects(heap, grid, background, count):
    """List the cells of a grid that are not background. Returns where to write their objects.

    count: of these cells. They lie at `order_at`. Behind them there is room for as many labels, and
    for a word for each cell of the grid; `finish_objects` frees it. Returns a wrong word without
    room, or where a cell does not fit.
    """
    words = order_at(0, count) + 2 * count + m.area_of(heap, grid)
    at = m.room_for(heap, words)
    if at < 0:
        return int64(m.FULL)
    listed = list_cells(heap, grid, background, order_at(at, count))
    return listed if listed <= m.WRONG else at


@machine_function
def order_at(at, count):
    """Return the end of the room that `count` objects of a cell each take."""
    return at + m.CONTENT + count * (1 + m.CONTENT + 1)


@machine_function
def list_cells(heap, grid, background, order):
    """Write the cells that are not background, ascending; `HOST` where one does not fit.

    order: where to.
    """
    top = heap[m.TOP]
    into = m.room_for(heap, _FEW_COLORS)
    if into < 0:
        return int64(m.FULL)
    few = count_few_colors(heap, grid, into)
    at = m.cells_of(grid)
    to = order
    if few == 1:
        for color in range(_FEW_COLORS):
            count = heap[into + color]
            heap[into + color] = to
            if color != background:
                to += count
        to = order
    for i in range(m.height_of(heap, grid)):
        for j in range(m.width_of(heap, grid)):
            color = heap[at]
            at += 1
            if color != background:
                word = m.cell(color, i, j)
                if word <= m.WRONG:
                    return word
                if few == 1:
                    to = heap[into + color]
                    heap[into + color] = to + 1
                heap[to] = word
                to += 1
    if few == 0 and m.sort(heap, order, to - order, m.CELLS) < 0:
        return int64(m.FULL)
    heap[m.TOP] = top
    return int64(0)


@routine
def label_cells(heap, grid, background, how, order, count):
    """Label listed cells with their components, which are numbered by their first cells.

    how: `univalued` + 2 * `diagonal`. order: where the cells are; the labels go behind them.
    Returns how many components there are.
    """
    labels = order + count
    parents = labels + count
    join_cells(heap, grid, background, how, parents)
    width = m.width_of(heap, grid)
    found = int64(0)
    for k in range(count):
        cell = heap[order + k]
        root = heap[parents + m.row_of(cell) * width + m.column_of(cell)]
        label = root
        if root >= 0:
            label = heap[parents + root]
        if label >= 0:  # no label yet: labels are kept below 0, in the place of the root's parent
            found += 1
            label = -found
            heap[parents + root] = label
        heap[labels + k] = -1 - label
    return found


@machine_function
def join_cells(heap, grid, background, how, parents):
    """Write for each cell of a grid the least cell of its component, from `parents` on.

    Cells are numbered row by row. Each is joined with those above and before it, but not with one
    that touches another that it is joined with.
    """
    univalued = how & 1
    diagonal = how >> 1
    width = m.width_of(heap, grid)
    cells = m.cells_of(grid)
    at = int64(0)
    for i in range(m.height_of(heap, grid)):
        for j in range(width):
            heap[parents + at] = at
            color = heap[cells + at]
            if color != background:
                above = at - width
                up = i > 0 and joins(color, heap[cells + above], background, univalued)
                left = j > 0 and joins(color, heap[cells + at - 1], background, univalued)
                if up:
                    heap[parents + at] = heap[parents + above]
                elif left:
                    heap[parents + at] = heap[parents + at - 1]
                if i > 0 and j > 0 and (up == left or not up) and (diagonal == 0 or not up):
                    corner = joins(color, heap[cells + above - 1], background, univalued)
                    if up and left and not corner:
                        join_two(heap, parents, at - 1, above)
                    if diagonal == 1 and not left and corner:
                        heap[parents + at] = heap[parents + above - 1]
                if diagonal == 1 and i > 0 and not up and j + 1 < width:
                    if joins(color, heap[cells + above + 1], background, univalued):
                        join_two(heap, parents, at, above + 1)
            at += 1
    for k in range(at):
        heap[parents + k] = heap[parents + heap[parents + k]]


@machine_function
def join_two(heap, parents, a, b):
    """Join two components under the lesser root."""
    first = find_root(heap, parents, a)
    second = find_root(heap, parents, b)
    heap[parents + max(first, second)] = min(first, second)


@routine
def finish_objects(heap, at, count, found):
    """Make the set of objects of listed and labelled cells, where `begin_objects` has said.

    count: the cells; found: the objects, which the labels number in order.
    """
    order = order_at(at, count)
    labels = order + count
    into = labels + count
    for label in range(found):
        heap[into + label] = 0
    for k in range(count):
        heap[into + heap[labels + k]] += 1
    end = at + m.CONTENT + found
    for label in range(found):
        size = heap[into + label]
        heap[end] = m.SET
        heap[end + 1] = size
        heap[end + 2] = m.CELLS
        heap[at + m.CONTENT + label] = m.word_at(end)
        heap[into + label] = end + m.CONTENT
        end += m.CONTENT + size
    for k in range(count):
        to = heap[into + heap[labels + k]]
        heap[into + heap[labels + k]] = to + 1
        heap[to] = heap[order + k]
    heap[m.TOP] = end
    return m.finish_tagged(heap, at, m.SET, found, m.MIXED)


@primitive(charge=area)
def partition(grid: Grid) -> Objects:
    """Make an object of each color: all its cells."""
    return frozenset(map(frozenset, _cells_by_color(grid).values()))


@rule(partition)
def partition(frame: Frame, grid: Grids) -> Column:
    background = xp.full(frame.n, _NO_COLOR, dtype=xp.int64)
    return _by_color(_kept(grid, frame.pay()), background)


def _by_color(grid: Grids, background: Array) -> Sets:
    """Make an object of each color but the background."""
    n, offsets = len(grid), offsets_of(grid.areas + 1)
    order = xp.empty(require_room(total_of(offsets)), dtype=xp.int64)
    labels = xp.empty_like(order)
    sizes = xp.zeros(n, dtype=xp.int64)
    counts = xp.zeros(n, dtype=xp.int64)
    order_cells(n, grid.starts, grid.areas, grid.cells, background, offsets, order, sizes)
    label_colors(n, grid.starts, grid.cells, offsets, order, sizes, labels, counts)
    return _objects_of_labels(grid, offsets, order, sizes, labels, counts)


@lane_kernel
def label_colors(lane, starts, cells, offsets, order, sizes, labels, counts):
    base = offsets[lane]
    label = int64(-1)
    color = int64(_NO_COLOR)
    for k in range(base, base + sizes[lane]):
        found = int64(cells[starts[lane] + order[k]])
        if found != color:
            color = found
            label += 1
        labels[k] = label
    counts[lane] = label + 1


def _cells_by_color(grid: Grid) -> dict[int, list[tuple[int, tuple[int, int]]]]:
    groups: dict[int, list[tuple[int, tuple[int, int]]]] = {}
    for i, row in enumerate(grid):
        for j, color in enumerate(row):
            groups.setdefault(color, []).append((color, (i, j)))
    return groups


@compiled(partition)
def partition(heap, grid):
    return objects_by_color(heap, grid, m.NONE, m.area_of(heap, grid))


@routine
def objects_by_color(heap, grid, background, count):
    """Make an object of each color but the background, of `count` cells together."""
    at = begin_objects(heap, grid, background, count)
    if at <= m.WRONG:
        return at
    order = order_at(at, count)
    found = int64(0)
    for k in range(count):
        if k == 0 or m.color_of(heap[order + k]) != m.color_of(heap[order + k - 1]):
            found += 1
        heap[order + count + k] = found - 1
    return finish_objects(heap, at, count, found)


@primitive
def fgpartition(grid: Grid) -> Objects:
    """Make an object of each color but the background: all its cells."""
    background = most_common_color(grid)
    charge(filled(grid, background))
    groups = _cells_by_color(grid)
    del groups[background]
    return frozenset(map(frozenset, groups.values()))


@rule(fgpartition)
def fgpartition(frame: Frame, grid: Grids) -> Column:
    frame.fail(grid.areas == 0)
    background = most_common_colors(grid)
    return _by_color(_kept(grid, frame.charge(filled(grid, background))), background)


@compiled(fgpartition)
def fgpartition(heap, grid):
    background = common_color(heap, grid, 1)
    if background <= m.WRONG:
        return background
    count = count_others(heap, grid, background)
    if not m.pay(heap, count):
        return int64(m.FAILED)
    return objects_by_color(heap, grid, background, count)


@primitive(charge=count)
def colorfilter(objs: Objects, value: Integer) -> Objects:
    """Return the objects whose first cell is of color `value`. Fails where an object is empty."""
    return frozenset([obj for obj in objs if _first_color(obj) == value])


def _first_color(obj: frozenset[tuple[int, tuple[int, int]]]) -> int:
    return obj[0][0] if obj.__class__ is tuple else min(obj)[0]


@rule(colorfilter)
def colorfilter(frame: Frame, objs: Sets, value: Ints) -> Column:
    objs = objs.packed()
    found = objs.content
    if not isinstance(found, Sets):
        return objs
    lanes = objs.lanes
    empty = found.counts == 0
    frame.fail(lane_any(empty, lanes, frame.n))
    codes = codes_of(found.content)
    if not len(codes):
        return objs
    first = color_part(codes[xp.where(empty, 0, found.starts)])
    return objs.having(first == value.data[lanes])  # type: ignore[no-any-return]


@compiled(colorfilter)
def colorfilter(heap, objs, value):
    count = m.count_of(heap, objs)
    at = m.begin_node(heap, count)
    if at < 0:
        return int64(m.FULL)
    kept = int64(0)
    for k in range(count):
        obj = heap[m.first_word(objs) + k]
        if m.count_of(heap, obj) == 0:
            return int64(m.FAILED)
        heap[at + m.CONTENT + kept] = obj
        kept += int64(m.color_of(heap[m.first_word(obj)]) == value)
    return m.finish_tagged(heap, at, m.SET, kept, m.MIXED)
