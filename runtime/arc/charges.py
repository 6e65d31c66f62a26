"""Measures of grids, patches and numbers, of which ARC's charges consist."""

from typing import Any

from megabatt.runtime.arc.words import to_patch
from megabatt.runtime.core.charges import count as count
from megabatt.runtime.core.charges import times as times
from megabatt.runtime.engine.language.charges import Formula, Measure
from megabatt.runtime.engine.language.charges import OfResult as OfResult
from megabatt.runtime.engine.machine import prelude as m

height = Measure(len).for_words(m.height_of.function)


@Measure
def width(grid: Any) -> int:
    return len(grid[0]) if grid else 0


width.for_words(m.width_of.function)


@Measure
def area(grid: Any) -> int:
    return len(grid) * len(grid[0]) if grid else 0


area.for_words(m.area_of.function)


@Formula
def room(h: int, w: int) -> int:
    """Count the cells of h rows of w cells. A row without cells counts as one cell."""
    return h * max(w, 1)


@Measure
def grid_room(grid: Any) -> int:
    return room(len(grid), len(grid[0])) if grid else 0


@grid_room.for_words
def grid_room(heap, grid):
    return m.height_of(heap, grid) * max(m.width_of(heap, grid), 1)


@Measure
def cell_count(piece: Any) -> int:
    """Count the cells of a grid, or the elements of a patch."""
    return area.of_value(piece) if piece.__class__ is tuple else len(piece)


@cell_count.for_words
def cell_count(heap, piece):
    return m.area_of(heap, piece) if m.is_table(heap, piece) else m.count_of(heap, piece)


@Measure
def distinct_cells(obj: Any) -> int:
    """Count the distinct cells of an object, which may be a tuple."""
    return len(frozenset(obj))


@distinct_cells.for_words
def distinct_cells(heap, obj):
    return m.count_of(heap, obj) if m.is_set(heap, obj) else m.count_of(heap, to_patch(heap, obj))
