"""Grids as sets of their cells: asindices, ofcolor, asobject."""

import itertools

from megabatt.runtime.arc.charges import OfResult, area, count
from megabatt.runtime.arc.language import compiled, m, primitive
from megabatt.runtime.arc.types import Grid, Indices, Integer, Object
from megabatt.runtime.arc.values import cells_of, size_of_grid
from megabatt.runtime.arc.words import CELLS, colored, locations_fit


@primitive(charge=area)
def asindices(grid: Grid) -> Indices:
    """Return the locations of all cells."""
    if not grid:
        return frozenset()
    h, w = size_of_grid(grid)
    return frozenset(itertools.product(range(h), range(w)))


@compiled(asindices)
def asindices(heap, grid):
    h, w = m.height_of(heap, grid), m.width_of(heap, grid)
    if not locations_fit(h, w):
        return m.HOST
    at = m.required(m.begin_node(heap, h * w))
    first = m.pair(0, 0)
    for i in range(h):
        row = first + (i << m.ROW)
        to = at + m.CONTENT + i * w
        for j in range(w):
            heap[to + j] = row + j
    return m.finish_tagged(heap, at, m.SET, h * w, m.PAIRS)


@primitive(charge=OfResult(count))
def ofcolor(grid: Grid, value: Integer) -> Indices:
    """Return the locations of the cells of a color."""
    rows = [(i, row) for i, row in enumerate(grid) if value in row]
    return frozenset([(i, j) for i, row in rows for j, v in enumerate(row) if v == value])


@compiled(ofcolor)
def ofcolor(heap, grid, value):
    h, w = m.height_of(heap, grid), m.width_of(heap, grid)
    if not locations_fit(h, w):
        return m.HOST
    at = m.required(m.begin_node(heap, h * w))
    source = m.numbers_at(grid)
    to = at + m.CONTENT
    for i in range(h):
        row = m.pair(i, 0)
        for j in range(w):
            heap[to] = row + j
            to += heap[source] == value
            source += 1
    return m.finish_tagged(heap, at, m.SET, to - at - m.CONTENT, m.PAIRS)


@primitive(charge=area)
def asobject(grid: Grid) -> Object:
    """Return all cells as one object."""
    return frozenset(cells_of(grid))


@compiled(asobject)
def asobject(heap, grid):
    count = m.area_of(heap, grid)
    at = m.required(m.begin_node(heap, count))
    m.required(list_cells(heap, grid, m.NONE, at + m.CONTENT))
    return m.finish_tagged(heap, at, m.SET, count, CELLS)


_FEW_COLORS = 16
"""The number of colors, from 0 on, for which a table of counts is kept."""


@m.routine
def count_few_colors(heap, grid, counts):
    """Count cells by color from `counts` on. Returns 0 for a color beyond `_FEW_COLORS`, else 1."""
    m.fill_words(heap, counts, _FEW_COLORS, 0)
    at = m.numbers_at(grid)
    for k in range(m.area_of(heap, grid)):
        color = heap[at + k]
        if color < 0 or color >= _FEW_COLORS:
            return 0
        heap[counts + color] += 1
    return 1


@m.machine_function
def list_cells(heap, grid, background, order):
    """Write the cells that are not background, ascending; `HOST` where a cell does not fit.

    order: The address to write to.
    """
    h, w = m.height_of(heap, grid), m.width_of(heap, grid)
    if not locations_fit(h, w):
        return m.HOST
    top = heap[m.TOP]
    into = m.required(m.room_for(heap, _FEW_COLORS))
    few = count_few_colors(heap, grid, into)
    at = m.numbers_at(grid)
    to = order
    if few == 1:
        for color in range(_FEW_COLORS):
            count = heap[into + color]
            heap[into + color] = to
            if color != background:
                to += count
        to = order
    for i in range(h):
        row = m.pair(i, 0)
        for j in range(w):
            color = heap[at]
            at += 1
            if color != background:
                word = m.required(colored(color, row + j))
                if few == 1:
                    to = heap[into + color]
                    heap[into + color] = to + 1
                heap[to] = word
                to += 1
    if few == 0:
        m.required(m.sort(heap, order, to - order, CELLS))
    heap[m.TOP] = top
    return 0
