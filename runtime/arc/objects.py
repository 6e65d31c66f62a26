"""Grids taken apart into objects: connected components, and the cells of each color."""

from collections.abc import Iterator
from typing import Any

from megabatt.runtime.arc.cells import list_cells
from megabatt.runtime.arc.charges import area, count
from megabatt.runtime.arc.language import charge, compiled, compiled_as, m, primitive
from megabatt.runtime.arc.measures import common_color, first_color
from megabatt.runtime.arc.types import Boolean, Grid, Integer, Objects
from megabatt.runtime.arc.values import cells_of, cells_with_gaps, most_common_color, size_of_grid
from megabatt.runtime.arc.words import CELLS, color_of
from megabatt.runtime.core.mapping import filtered

_SIDES = ((-1, 0), (0, -1), (0, 1), (1, 0))
_CORNERS = ((-1, -1), (-1, 1), (1, -1), (1, 1))


@primitive
def objects(grid: Grid, univalued: Boolean, diagonal: Boolean, without_bg: Boolean) -> Objects:
    """Find the grid's connected components, as objects.

    univalued: Each component has one color, else any colors. diagonal: Cells touch by corners too,
    else by sides alone. without_bg: The most common color is left out.
    """
    size_of_grid(grid)
    background = most_common_color(grid) if without_bg else None
    charge(_filled(grid, background))
    return frozenset(map(frozenset, components(grid, background, univalued, diagonal)))


def components(
    grid: Grid, background: int | None, univalued: bool, diagonal: bool
) -> Iterator[list[tuple[int | None, tuple[int, int]]]]:
    """Yield the cells of each connected component, in the order of first cells."""
    w = len(grid[0])
    stride = w + 1  # a gap behind each row, and below the last: a step never leads round an edge
    colors = cells_with_gaps(grid) + [None] * (stride + 1)
    closed = {None, background}
    kinds = [None if c in closed else c if univalued else 0 for c in colors]
    steps = [i * stride + j for i, j in (_SIDES + _CORNERS if diagonal else _SIDES)]
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
        yield [(colors[at], divmod(at, stride)) for at in members]


def _filled(grid: Grid, background: Any) -> int:
    """Count the cells that are not of color `background`; all cells if `background` is None."""
    return area(grid) - sum([row.count(background) for row in grid])


@compiled(objects)
def objects(heap, grid, univalued, diagonal, without_bg):
    if m.height_of(heap, grid) == 0:
        return m.NO_VALUE
    background = m.NONE
    if without_bg == m.TRUE:
        background = m.required(common_color(heap, grid, 1))
    count = count_others(heap, grid, background)
    m.required(m.charge(heap, count))
    at = m.required(begin_objects(heap, grid, background, count))
    how = m.number_of(univalued) + 2 * m.number_of(diagonal)
    found = label_cells(heap, grid, background, how, order_at(at, count), count)
    return finish_objects(heap, at, count, found)


@m.machine_function
def count_others(heap, grid, color):
    """Count the cells of a grid that are not of a color."""
    at = m.numbers_at(grid)
    count = 0
    for k in range(m.area_of(heap, grid)):
        count += heap[at + k] != color
    return count


@m.routine
def begin_objects(heap, grid, background, count):
    """List the cells of a grid that are not background. Returns the address for their objects.

    count: The number of listed cells. The list lies at `order_at`. Behind the list is room for as
    many labels, and for a word for each cell of the grid; `finish_objects` frees that room.
    Returns a wrong word without room, or where a cell does not fit.
    """
    words = order_at(0, count) + 2 * count + m.area_of(heap, grid)
    at = m.required(m.room_for(heap, words))
    m.required(list_cells(heap, grid, background, order_at(at, count)))
    return at


@m.machine_function
def order_at(at, count):
    """Return the end of the room for `count` objects of one cell each."""
    return at + m.CONTENT + count * (1 + m.CONTENT + 1)


@m.routine
def label_cells(heap, grid, background, how, order, count):
    """Label listed cells with their components, numbered in the order of first cells.

    how: `univalued` + 2 * `diagonal`. order: The address of the cells; the labels go behind the
    cells. Returns the number of components.
    """
    labels = order + count
    parents = labels + count
    join_cells(heap, grid, background, how, parents)
    width = m.width_of(heap, grid)
    found = 0
    for k in range(count):
        cell = heap[order + k]
        root = heap[parents + m.row_of(cell) * width + m.column_of(cell)]
        label = heap[parents + root] if root >= 0 else root
        if label >= 0:  # no label yet: labels are kept below 0, in the place of the root's parent
            found += 1
            label = -found
            heap[parents + root] = label
        heap[labels + k] = -1 - label
    return found


@m.machine_function
def join_cells(heap, grid, background, how, parents):
    """Write for each cell of a grid the least cell of its component, from `parents` on.

    Cells are numbered row by row. Each cell is joined with its neighbours above and to the left,
    but not with a neighbour already connected through another.
    """
    univalued = how & 1
    diagonal = how >> 1
    width = m.width_of(heap, grid)
    cells = m.numbers_at(grid)
    at = 0
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


@m.machine_function
def joins(color, found, background, univalued):
    """Tell whether a cell that is not background belongs with a neighbour of color `found`."""
    return found == color if univalued else found != background


@m.machine_function
def join_two(heap, parents, a, b):
    """Join two components under the lesser root."""
    first, second = find_root(heap, parents, a), find_root(heap, parents, b)
    heap[parents + max(first, second)] = min(first, second)


@m.machine_function
def find_root(heap, parents, at):
    """Find the root of a cell's tree, the tree's least cell; shorten the path to the root."""
    parent = heap[parents + at]
    while parent != at:
        above = heap[parents + parent]
        heap[parents + at] = above
        at, parent = parent, above
    return at


@m.routine
def finish_objects(heap, at, count, found):
    """Make the set of `found` objects of `count` labelled cells, where `begin_objects` began it."""
    order = order_at(at, count)
    labels = order + count
    into = labels + count
    m.fill_words(heap, into, found, 0)
    for k in range(count):
        heap[into + heap[labels + k]] += 1
    end = at + m.CONTENT + found
    for label in range(found):
        size = heap[into + label]
        heap[end] = m.SET
        heap[end + 1] = size
        heap[end + 2] = CELLS
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
    """Make an object of all cells of each color."""
    return frozenset(map(frozenset, _cells_by_color(grid).values()))


def _cells_by_color(grid: Grid) -> dict[int, list[tuple[int, tuple[int, int]]]]:
    groups: dict[int, list[tuple[int, tuple[int, int]]]] = {}
    for cell in cells_of(grid):
        groups.setdefault(cell[0], []).append(cell)
    return groups


@compiled(partition)
def partition(heap, grid):
    return objects_by_color(heap, grid, m.NONE, m.area_of(heap, grid))


@m.routine
def objects_by_color(heap, grid, background, count):
    """Make an object of each color but the background, out of `count` cells in all."""
    at = m.required(begin_objects(heap, grid, background, count))
    order = order_at(at, count)
    found = 0
    for k in range(count):
        if k == 0 or color_of(heap[order + k]) != color_of(heap[order + k - 1]):
            found += 1
        heap[order + count + k] = found - 1
    return finish_objects(heap, at, count, found)


@primitive
def fgpartition(grid: Grid) -> Objects:
    """Make an object of all cells of each color but the background."""
    background = most_common_color(grid)
    charge(_filled(grid, background))
    groups = _cells_by_color(grid)
    del groups[background]
    return frozenset(map(frozenset, groups.values()))


@compiled(fgpartition)
def fgpartition(heap, grid):
    background = m.required(common_color(heap, grid, 1))
    count = count_others(heap, grid, background)
    m.required(m.charge(heap, count))
    return objects_by_color(heap, grid, background, count)


@primitive(charge=count)
def colorfilter(objs: Objects, value: Integer) -> Objects:
    """Return the objects whose first cell is of color `value`. Fails where an object is empty."""
    return frozenset([obj for obj in objs if _first_color(obj) == value])


def _first_color(obj: frozenset[tuple[int, tuple[int, int]]]) -> int:
    return obj[0][0] if obj.__class__ is tuple else min(obj)[0]


@m.machine_function
def is_colored(heap, obj, value):
    """Tell whether an object's first cell is of a color; `NO_VALUE` for an empty object."""
    found = m.required(first_color(heap, obj))
    return m.boolean(found == value)


compiled_as(colorfilter, filtered, is_colored)
