"""Grids taken apart into objects: connected components, and the cells of each color."""

from __future__ import annotations

from numpy import int64

from runtime.arc.columns import codes_of, most_common_colors
from runtime.arc.language import primitive
from runtime.arc.types import Boolean, Grid, Integer, Objects
from runtime.arc.values import area, most_common_color, size_of_grid
from runtime.engine.arrays import Array, lane_any, offsets_of, require_room, room_for, total_of, xp
from runtime.engine.columns import Bools, Cells, Column, Grids, Ints, Sets, empty_sequences
from runtime.engine.columns.grids import LEAST_CELL, MOST_CELL
from runtime.engine.frames import Frame
from runtime.engine.kernels import device_function, lane_kernel
from runtime.engine.limits import charge
from runtime.engine.ordering import select
from runtime.engine.packing import cell_code, color_part
from runtime.engine.registry import rule

_NO_COLOR = LEAST_CELL - 1
"""What no cell is: the background where none is left out."""
_COLORS = MOST_CELL - LEAST_CELL + 1
_SIDES = ((-1, 0), (0, -1), (0, 1), (1, 0))
_CORNERS = ((-1, -1), (-1, 1), (1, -1), (1, 1))


@primitive
def objects(grid: Grid, univalued: Boolean, diagonal: Boolean, without_bg: Boolean) -> Objects:
    """The connected components: of one color or of any, touching by sides or by corners too."""
    h, w = size_of_grid(grid)
    background = most_common_color(grid) if without_bg else None
    stride = w + 1  # a gap behind each row, and below the last: a step never leads round an edge
    colors: list[int | None] = []
    for row in grid:
        colors += row
        colors.append(None)
    charge(h * w - (colors.count(background) if without_bg else 0))
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
def _(frame: Frame, grid: Grids, univalued: Bools, diagonal: Bools, without_bg: Bools) -> Column:
    background = xp.where(without_bg.data, most_common_colors(grid), _NO_COLOR)
    frame.fail((grid.heights == 0) | (without_bg.data & (grid.areas == 0)))
    grid = _charged(frame, grid, background)
    n, offsets = frame.n, offsets_of(grid.areas + 1)
    order = xp.empty(require_room(total_of(offsets)), dtype=xp.int64)
    labels = xp.full(len(order), -1, dtype=xp.int64)
    sizes = xp.zeros(n, dtype=xp.int64)
    counts = xp.zeros(n, dtype=xp.int64)
    order_cells(n, grid.starts, grid.areas, grid.cells, background, offsets, order, sizes)
    label_components(
        n,
        grid.heights,
        grid.widths,
        grid.starts,
        grid.cells,
        background,
        univalued.data,
        diagonal.data,
        offsets,
        order,
        sizes,
        xp.empty_like(order),
        labels,
        counts,
    )
    return _objects_of_labels(grid, offsets, order, sizes, labels, counts)


def _charged(frame: Frame, grid: Grids, background: Array) -> Grids:
    """Charge the cells that are not background; the grids, without rows where a lane fails."""
    n = frame.n
    filled = xp.zeros(n, dtype=xp.int64)
    count_filled(n, grid.starts, grid.areas, grid.cells, background, filled)
    heights = xp.where(frame.charge(filled), grid.heights, 0)
    return Grids(heights, grid.widths, grid.starts, grid.cells)


def _objects_of_labels(
    grid: Grids, offsets: Array, order: Array, sizes: Array, labels: Array, counts: Array
) -> Sets:
    """The objects that each lane's cells fall into by their labels, 0 to counts - 1.

    order, sizes: the cells of a lane in ascending order, `sizes` of them from its offset on.
    Objects are numbered in ascending order of their first cells, so that nothing is left to sort.
    """
    n = len(grid)
    first = offsets_of(counts)
    members = xp.zeros(total_of(first), dtype=xp.int64)
    count_members(n, offsets, order, sizes, labels, first, members)
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
        return empty_sequences(Sets, n)  # type: ignore[no-any-return]
    return Sets(first[:-1], counts, Sets(starts[:-1], members, Cells(codes)))


@lane_kernel
def count_filled(lane, starts, areas, cells, background, filled):  # type: ignore[no-untyped-def]
    count = int64(0)
    for at in range(starts[lane], starts[lane] + areas[lane]):
        if int64(cells[at]) != background[lane]:
            count += 1
    filled[lane] = count


@lane_kernel
def order_cells(lane, starts, areas, cells, background, offsets, order, sizes):  # type: ignore[no-untyped-def]
    """The positions within the grid of all that is not background, by color, then as they lie.

    Without branches, as those would be mispredicted: each position is written, then kept or not,
    which takes room for one more in every lane.
    """
    start = starts[lane]
    area = areas[lane]
    at = offsets[lane]
    color = int64(_NO_COLOR)
    following = int64(_NO_COLOR)
    while following <= MOST_CELL:
        color = following
        following = int64(MOST_CELL + 1)
        wanted = color
        if color == background[lane]:
            wanted = int64(_NO_COLOR)
        for k in range(area):
            found = int64(cells[start + k])
            order[at] = k
            at += int64(found == wanted)
            following = min(following, found + _COLORS * int64(found <= color))
    sizes[lane] = at - offsets[lane]


@lane_kernel
def label_components(  # type: ignore[no-untyped-def]
    lane,
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
    labels,
    counts,
):
    """Unite each cell with those above and before; number components by their first cells."""
    height = heights[lane]
    width = widths[lane]
    base = offsets[lane]
    to_cell = starts[lane] - base
    ground = background[lane]
    same = univalued[lane]
    for i in range(height):
        for j in range(width):
            at = base + i * width + j
            parents[at] = at
            color = int64(cells[to_cell + at])
            if color != ground:
                above = at - width
                up = False
                if i > 0:
                    up = joins(color, int64(cells[to_cell + above]), ground, same)
                left = False
                if j > 0:
                    left = joins(color, int64(cells[to_cell + at - 1]), ground, same)
                if up:
                    unite(parents, at, above)
                if left and not (up and diagonal[lane]):
                    unite(parents, at, at - 1)
                # by corners: what is above, or before, touches the corner cells itself
                if diagonal[lane] and i > 0 and not up:
                    if j > 0 and not left:
                        if joins(color, int64(cells[to_cell + above - 1]), ground, same):
                            unite(parents, at, above - 1)
                    if j + 1 < width:
                        if joins(color, int64(cells[to_cell + above + 1]), ground, same):
                            unite(parents, at, above + 1)
    label = int64(0)
    for k in range(base, base + sizes[lane]):
        at = base + order[k]
        root = find_root(parents, at)
        if labels[root] < 0:
            labels[root] = label
            label += 1
        labels[at] = labels[root]
    counts[lane] = label


@device_function
def joins(color, found, background, univalued):  # type: ignore[no-untyped-def]
    """Whether a cell that is not background belongs with a neighbour of color `found`."""
    if univalued:
        return found == color
    return found != background


@device_function
def find_root(parents, at):  # type: ignore[no-untyped-def]
    while parents[at] != at:
        parents[at] = parents[parents[at]]
        at = parents[at]
    return at


@device_function
def unite(parents, a, b):  # type: ignore[no-untyped-def]
    """Make two components one, of the lesser root. Returns that."""
    first = find_root(parents, a)
    second = find_root(parents, b)
    if first > second:
        parents[first] = second
        return second
    parents[second] = first
    return first


@lane_kernel
def count_members(lane, offsets, order, sizes, labels, first, members):  # type: ignore[no-untyped-def]
    base = offsets[lane]
    for k in range(base, base + sizes[lane]):
        members[first[lane] + labels[base + order[k]]] += 1


@lane_kernel
def collect_members(  # type: ignore[no-untyped-def]
    lane, widths, starts, cells, offsets, order, sizes, labels, first, into, codes
):
    """Write the cells' codes; `into` says where each object's next cell goes."""
    width = widths[lane]
    base = offsets[lane]
    for k in range(base, base + sizes[lane]):
        at = order[k]
        i = at // width
        color = int64(cells[starts[lane] + at])
        obj = first[lane] + labels[base + at]
        codes[into[obj]] = cell_code(color, i, at - i * width)
        into[obj] += 1


@primitive
def partition(grid: Grid) -> Objects:
    """Of each color, the object of all its cells."""
    charge(area(grid))
    return frozenset(map(frozenset, _cells_by_color(grid).values()))


@rule(partition)
def _(frame: Frame, grid: Grids) -> Column:
    return _by_color(frame, grid, xp.full(frame.n, _NO_COLOR, dtype=xp.int64))


def _by_color(frame: Frame, grid: Grids, background: Array) -> Sets:
    """An object of each color but the background."""
    grid = _charged(frame, grid, background)
    n, offsets = frame.n, offsets_of(grid.areas + 1)
    order = xp.empty(require_room(total_of(offsets)), dtype=xp.int64)
    labels = xp.empty_like(order)
    sizes = xp.zeros(n, dtype=xp.int64)
    counts = xp.zeros(n, dtype=xp.int64)
    order_cells(n, grid.starts, grid.areas, grid.cells, background, offsets, order, sizes)
    label_colors(n, grid.starts, grid.cells, offsets, order, sizes, labels, counts)
    return _objects_of_labels(grid, offsets, order, sizes, labels, counts)


@lane_kernel
def label_colors(lane, starts, cells, offsets, order, sizes, labels, counts):  # type: ignore[no-untyped-def]
    base = offsets[lane]
    label = int64(-1)
    color = int64(_NO_COLOR)
    for k in range(base, base + sizes[lane]):
        found = int64(cells[starts[lane] + order[k]])
        if found != color:
            color = found
            label += 1
        labels[base + order[k]] = label
    counts[lane] = label + 1


def _cells_by_color(grid: Grid) -> dict[int, list[tuple[int, tuple[int, int]]]]:
    groups: dict[int, list[tuple[int, tuple[int, int]]]] = {}
    for i, row in enumerate(grid):
        for j, color in enumerate(row):
            groups.setdefault(color, []).append((color, (i, j)))
    return groups


@primitive
def fgpartition(grid: Grid) -> Objects:
    """Of each color but the background, the object of all its cells."""
    background = most_common_color(grid)
    groups = _cells_by_color(grid)
    charge(area(grid) - len(groups.pop(background)))
    return frozenset(map(frozenset, groups.values()))


@rule(fgpartition)
def _(frame: Frame, grid: Grids) -> Column:
    frame.fail(grid.areas == 0)
    return _by_color(frame, grid, most_common_colors(grid))


@primitive
def colorfilter(objs: Objects, value: Integer) -> Objects:
    """The objects whose first cell is of color `value`. Fails where an object is empty."""
    charge(len(objs))
    return frozenset([obj for obj in objs if _first_color(obj) == value])


def _first_color(obj: frozenset[tuple[int, tuple[int, int]]]) -> int:
    return obj[0][0] if obj.__class__ is tuple else min(obj)[0]


@rule(colorfilter)
def _(frame: Frame, objs: Sets, value: Ints) -> Column:
    frame.charge(objs.counts)
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
    return select(objs, first == value.data[lanes])  # type: ignore[no-any-return]
