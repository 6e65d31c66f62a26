"""Grids painted: fill, paint, their variants for background cells, cover and move."""

from collections.abc import Iterable
from itertools import repeat
from typing import Any

from megabatt.runtime.arc.charges import OfResult, area, count, distinct_cells
from megabatt.runtime.arc.language import compiled, compiled_as, integer, m, primitive
from megabatt.runtime.arc.measures import common_color
from megabatt.runtime.arc.patches import indices_of
from megabatt.runtime.arc.types import Grid, Integer, IntegerTuple, Object, Patch
from megabatt.runtime.arc.values import locations, most_common_color, size_of_grid
from megabatt.runtime.arc.words import CELLS, color_of, colored, to_patch


@primitive(charge=area)
def fill(grid: Grid, value: Integer, patch: Patch) -> Grid:
    """Return the grid with every cell of the patch set to `value`."""
    return _painted(grid, _of_color(value, patch))


def _of_color(color: int, patch: Patch) -> Iterable[tuple[int, tuple[int, int]]]:
    """Yield a cell of a color at every location of a patch."""
    return zip(repeat(color), locations(patch))  # noqa: B905


def _painted(grid: Grid, cells: Any, background: int | None = None) -> Grid:
    """Return the grid with cells put in, in turn; only on cells of color `background`, if given."""
    h, w = size_of_grid(grid)
    rows = [list(row) for row in grid]
    for color, (i, j) in cells:
        if 0 <= i < h and 0 <= j < w and (background is None or rows[i][j] == background):
            rows[i][j] = color
    return tuple(map(tuple, rows))


@m.routine
def painted(heap, grid, value, patch, background):
    """Do `put_in` on a copy of a grid, without moving the patch. `NO_VALUE` without rows."""
    out = m.required(copy_of_grid(heap, grid))
    return put_in(heap, out, value, patch, background, 0, 0)


compiled_as(fill, painted, m.NONE)


@m.machine_function
def put_in(heap, grid, value, patch, background, di, dj):
    """Paint a patch, moved by `di` rows and `dj` columns, on a grid. Returns the grid.

    value: The color; `NONE` for cells' own. background: The color to paint over; `NONE` for all.
    """
    height, width = m.height_of(heap, grid), m.width_of(heap, grid)
    first = m.first_word(patch)
    for k in range(first, first + m.count_of(heap, patch)):
        place = place_in(height, width, m.row_of(heap[k]) + di, m.column_of(heap[k]) + dj)
        if place >= 0:
            at = m.numbers_at(grid) + place
            if background == m.NONE or heap[at] == background:
                heap[at] = color_of(heap[k]) if value == m.NONE else value
    return grid


@m.routine
def copy_of_grid(heap, grid):
    """Return a copy of a grid to paint on. `NO_VALUE` without rows."""
    if m.height_of(heap, grid) == 0:
        return m.NO_VALUE
    out = m.required(m.new_table(heap, m.height_of(heap, grid), m.width_of(heap, grid)))
    m.copy_words(heap, m.numbers_at(grid), m.numbers_at(out), m.area_of(heap, grid))
    return out


@m.machine_function
def place_in(height, width, i, j):
    """Return the number of the cell (i, j), counted row by row; -1 outside the grid."""
    return i * width + j if i >= 0 and i < height and j >= 0 and j < width else -1


@primitive(charge=area)
def paint(grid: Grid, obj: Object) -> Grid:
    """Return the grid with the object's cells put in, one after the other."""
    return _painted(grid, _in_turn(obj))


def _in_turn(obj: Any) -> Any:
    """Return an object's cells in painting order: a set's are sorted if two cells share a place."""
    if obj.__class__ is tuple or len({place for _, place in obj}) == len(obj):
        return obj
    return sorted(obj)


@compiled(paint)
def paint(heap, grid, obj):
    return painted(heap, grid, m.NONE, obj, m.NONE)


@primitive(charge=area)
def underfill(grid: Grid, value: Integer, patch: Patch) -> Grid:
    """Return the grid with the patch's cells set to `value` where they are background."""
    return _painted(grid, _of_color(value, patch), most_common_color(grid))


@compiled(underfill)
def underfill(heap, grid, value, patch):
    background = m.required(common_color(heap, grid, 1))
    return painted(heap, grid, value, patch, background)


@primitive(charge=area)
def underpaint(grid: Grid, obj: Object) -> Grid:
    """Return the grid with the object's cells put in, in turn, on background cells alone."""
    return _painted(grid, _in_turn(obj), most_common_color(grid))


@compiled(underpaint)
def underpaint(heap, grid, obj):
    background = m.required(common_color(heap, grid, 1))
    return painted(heap, grid, m.NONE, obj, background)


@primitive(charge=area)
def cover(grid: Grid, patch: Patch) -> Grid:
    """Return the grid with every cell of the patch made background."""
    return _painted(grid, _of_color(most_common_color(grid), patch))


@compiled(cover)
def cover(heap, grid, patch):
    background = m.required(common_color(heap, grid, 1))
    return painted(heap, grid, background, patch, m.NONE)


@primitive(charge=lambda grid, obj, offset: 2 * area(grid) + distinct_cells(obj))
def move(grid: Grid, obj: Object, offset: IntegerTuple) -> Grid:
    """Return the grid with the object covered, then painted in at `offset` from where it was."""
    di, dj = offset
    cells = frozenset(obj)
    covered = _painted(grid, _of_color(most_common_color(grid), cells))
    moved = [(color, (integer(i + di), integer(j + dj))) for color, (i, j) in _in_turn(cells)]
    return _painted(covered, moved)


@compiled(move)
def move(heap, grid, obj, offset):
    background = m.required(common_color(heap, grid, 1))
    cells = m.required(to_patch(heap, obj))
    out = m.required(painted(heap, grid, background, cells, m.NONE))
    return put_in(heap, out, m.NONE, cells, m.NONE, m.row_of(offset), m.column_of(offset))


@primitive(charge=OfResult(count))
def toobject(patch: Patch, grid: Grid) -> Object:
    """Return the grid's cells at the patch's places. Places outside are left out."""
    h, w = size_of_grid(grid)
    places = locations(patch)
    return frozenset([(grid[i][j], (i, j)) for i, j in places if 0 <= i < h and 0 <= j < w])


@compiled(toobject)
def toobject(heap, patch, grid):
    height = m.height_of(heap, grid)
    if height == 0:
        return m.NO_VALUE
    width = m.width_of(heap, grid)
    indices = m.required(indices_of(heap, patch))
    at = m.required(m.begin_node(heap, m.count_of(heap, indices)))
    to = at + m.CONTENT
    first = m.first_word(indices)
    for k in range(first, first + m.count_of(heap, indices)):
        place = place_in(height, width, m.row_of(heap[k]), m.column_of(heap[k]))
        if place >= 0:
            heap[to] = m.required(colored(heap[m.numbers_at(grid) + place], heap[k]))
            to += 1
    count = m.required(m.distinct_in_order(heap, at + m.CONTENT, to - at - m.CONTENT, CELLS))
    return m.finish_tagged(heap, at, m.SET, count, CELLS)
