"""Grids as sets of their cells: asindices, ofcolor, asobject."""

from __future__ import annotations

import itertools

from megabatt.runtime.arc.charges import OfResult, area, count
from megabatt.runtime.arc.language import compiled, primitive
from megabatt.runtime.arc.types import Grid, Indices, Integer, Object
from megabatt.runtime.arc.values import size_of_grid
from megabatt.runtime.arc.words import CELLS, ROW, cell, colored
from megabatt.runtime.engine.machine import prelude as m


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
    at = m.begin_node(heap, h * w)
    if at < 0:
        return m.FULL
    first = m.pair(0, 0)
    for i in range(h):
        row = first + (i << ROW)
        to = at + m.CONTENT + i * w
        for j in range(w):
            heap[to + j] = row + j
    return m.finish_tagged(heap, at, m.SET, h * w, m.PAIRS)


@m.machine_function
def locations_fit(h, w):
    """Tell whether pairs hold all locations of a grid."""
    return w == 0 or (m.fits(h - 1) and m.fits(w - 1))


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
    at = m.begin_node(heap, h * w)
    if at < 0:
        return m.FULL
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
    return frozenset([(v, (i, j)) for i, row in enumerate(grid) for j, v in enumerate(row)])


_MORE_COLORS = 64
"""How many more numbers than there are cells their colors may span, to be sorted by counting."""


@compiled(asobject)
def asobject(heap, grid):
    h, w = m.height_of(heap, grid), m.width_of(heap, grid)
    count = h * w
    if count == 0:
        return m.EMPTY_SET
    at = m.begin_node(heap, count)
    if at < 0:
        return m.FULL
    source = m.numbers_at(grid)
    least = heap[source]
    most = heap[source]
    for k in range(1, count):
        least, most = min(least, heap[source + k]), max(most, heap[source + k])
    if not locations_fit(h, w) or min(cell(least, 0, 0), cell(most, 0, 0)) <= m.WRONG:
        return m.HOST
    span = most - least + 1
    by_counting = span <= count + _MORE_COLORS
    places = m.room_for(heap, span if by_counting else 0)
    if places < 0:
        return m.FULL
    to = at + m.CONTENT
    if by_counting:
        for color in range(span):
            heap[places + color] = 0
        for k in range(count):
            heap[places + heap[source + k] - least] += 1
        for color in range(span):
            number = heap[places + color]
            heap[places + color] = to
            to += number
    for i in range(h):
        row = m.pair(i, 0)
        for j in range(w):
            word = colored(heap[source], row + j)
            if by_counting:
                place = places + heap[source] - least
                heap[heap[place]] = word
                heap[place] += 1
            else:
                heap[to] = word
                to += 1
            source += 1
    if by_counting:
        return m.finish_tagged(heap, at, m.SET, count, CELLS)
    return m.finish_set(heap, at, count)
