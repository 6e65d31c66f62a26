"""Grids and objects made larger and smaller, and grids joined."""

from operator import add

from megabatt.runtime.arc.charges import OfResult, area, grid_room, height, room, times, width
from megabatt.runtime.arc.grids import moved, picked, room_in_kernels
from megabatt.runtime.arc.language import compiled, compiled_as, integer, m, primitive
from megabatt.runtime.arc.measures import lower_right, upper_left
from megabatt.runtime.arc.types import Element, Grid, Integer, Object
from megabatt.runtime.arc.values import bounds_of, size_of_grid
from megabatt.runtime.arc.words import CELLS, run_end
from megabatt.runtime.engine.language.charges import Measure


@primitive(charge=lambda grid, factor: area(grid) * times(factor))
def hupscale(grid: Grid, factor: Integer) -> Grid:
    """Repeat every column of the grid `factor` times."""
    turns = range(factor)
    return tuple([tuple([v for v in row for _ in turns]) for row in grid])


@m.routine
def stretched(heap, grid, across, down):
    """Return a grid with each column repeated `across` times and each row `down` times."""
    h, w = m.height_of(heap, grid), m.width_of(heap, grid)
    across, down = max(across, 0), max(down, 0)
    made = m.required(m.new_table(heap, h * down, w * across))
    source, to = m.numbers_at(grid), m.numbers_at(made)
    if w * across == 0 or down == 0:
        return made
    for _i in range(h):
        row = to
        for _j in range(w):
            for _turn in range(across):
                heap[to] = heap[source]
                to += 1
            source += 1
        for _turn in range(1, down):
            m.copy_words(heap, row, to, w * across)
            to += w * across
    return made


compiled_as(hupscale, stretched, 1)


@primitive(charge=lambda grid, factor: room(height(grid) * times(factor), width(grid)))
def vupscale(grid: Grid, factor: Integer) -> Grid:
    """Repeat every row of the grid `factor` times."""
    return tuple([row for row in grid for _ in range(factor)])


@compiled(vupscale)
def vupscale(heap, grid, factor):
    return stretched(heap, grid, 1, factor)


@Measure
def upscaled(element: Element, factor: int) -> int:
    """Return the `room` of an upscaled grid, or the number of cells of an upscaled object."""
    turns = times(factor)
    if element.__class__ is tuple:
        return room(height(element) * turns, width(element) * turns)
    return len(element) * turns * turns


@upscaled.for_words
def upscaled(heap, element, factor):
    turns = max(factor, 0)
    if m.is_set(heap, element):
        turns = min(turns, _MOST_TIMES)
        return m.count_of(heap, element) * turns * turns
    width = m.width_of(heap, element)
    if width > 0:
        turns = min(turns, _MOST_TIMES)
    return room_in_kernels(m.height_of(heap, element) * turns, width * turns)


_MOST_TIMES = 1 << 19
"""A factor too large for any object: no operation may build its square."""


@primitive(charge=lambda element, factor: upscaled(element, factor))
def upscale(element: Element, factor: Integer) -> Element:
    """Make every cell a square of side `factor`; an object keeps its upper left corner."""
    turns = range(factor)
    if element.__class__ is frozenset:
        return _upscale_object(element, factor)
    wide = [tuple([v for v in row for _ in turns]) for row in element]
    return tuple([row for row in wide for _ in turns])


def _upscale_object(element: Object, factor: int) -> Object:
    if not element or factor <= 0:
        return frozenset()
    top, left, bottom, right = bounds_of(element)
    down, across = top - top * factor, left - left * factor
    integer(bottom * factor + down + factor - 1), integer(right * factor + across + factor - 1)
    return frozenset([
        (color, (row, column))
        for color, (i, j) in element
        for row in range(i * factor + down, (i + 1) * factor + down)
        for column in range(j * factor + across, (j + 1) * factor + across)
    ])  # fmt: skip


@compiled(upscale)
def upscale(heap, element, factor):
    if m.is_set(heap, element):
        return upscaled_object(heap, element, factor)
    return stretched(heap, element, factor, factor)


@m.machine_function
def upscaled_object(heap, patch, factor):
    """Upscale an object: its cells of one color and row together, new row by new row."""
    if patch == m.EMPTY_SET or factor <= 0:
        return m.EMPTY_SET
    first, last = upper_left(heap, patch), lower_right(heap, patch)
    top, left = m.row_of(first), m.column_of(first)
    bottom = top + (m.row_of(last) - top + 1) * factor - 1
    right = left + (m.column_of(last) - left + 1) * factor - 1
    if not (m.fits(bottom) and m.fits(right)):
        return m.HOST
    count = m.count_of(heap, patch)
    at = m.required(m.begin_node(heap, count * factor * factor))
    to = at + m.CONTENT
    begin = m.first_word(patch)
    stop = begin + count
    while begin < stop:
        end = run_end(heap, begin, stop, m.ROW)
        for i in range(factor):
            for k in range(begin, end):
                word = heap[k]
                below = (m.row_of(word) - top) * (factor - 1) + i
                beside = (m.column_of(word) - left) * (factor - 1)
                for j in range(factor):
                    heap[to] = moved(word, below, beside + j)
                    to += 1
        begin = end
    return m.finish_tagged(heap, at, m.SET, count * factor * factor, CELLS)


@primitive(charge=OfResult(area))
def downscale(grid: Grid, factor: Integer) -> Grid:
    """Keep the first of every `factor` rows and columns."""
    size_of_grid(grid)
    if factor == 0:
        raise ZeroDivisionError("downscale by zero")
    step = abs(factor)
    return tuple([row[::step] for row in grid[::step]])


@compiled(downscale)
def downscale(heap, grid, factor):
    w = m.width_of(heap, grid)
    step = abs(factor)
    if grid == m.EMPTY_TUPLE or step == 0:
        return m.NO_VALUE
    height = (m.height_of(heap, grid) + step - 1) // step
    width = (w + step - 1) // step
    return picked(heap, grid, height, width, 0, w * step, step)


@primitive(charge=OfResult(area))
def hconcat(a: Grid, b: Grid) -> Grid:
    """Join two grids side by side, cut to the rows of the lower grid."""
    return tuple(map(add, a, b))


@compiled(hconcat)
def hconcat(heap, a, b):
    h = min(m.height_of(heap, a), m.height_of(heap, b))
    left, right = m.width_of(heap, a), m.width_of(heap, b)
    made = m.required(m.new_table(heap, h, left + right))
    for i in range(h):
        to = m.numbers_at(made) + i * (left + right)
        m.copy_words(heap, m.numbers_at(a) + i * left, to, left)
        m.copy_words(heap, m.numbers_at(b) + i * right, to + left, right)
    return made


@primitive(charge=OfResult(grid_room))
def vconcat(a: Grid, b: Grid) -> Grid:
    """Put the second grid below the first. Fails for rows of unlike lengths."""
    if a and b and len(a[0]) != len(b[0]):
        raise ValueError("grids of different widths, one below the other, are no grid")
    return a + b


@compiled(vconcat)
def vconcat(heap, a, b):
    if a == m.EMPTY_TUPLE:
        return b
    if b == m.EMPTY_TUPLE:
        return a
    if m.width_of(heap, a) != m.width_of(heap, b):
        return m.NO_VALUE
    return m.stacked(heap, a, b)
