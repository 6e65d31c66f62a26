"""What painting leaves of a grid."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from megabatt.runtime.arc import (
    add,
    cover,
    fill,
    mostcolor,
    move,
    paint,
    toindices,
    toobject,
    underfill,
    underpaint,
)
from megabatt.runtime.engine.language.limits import LimitError
from tests.arc.lanes import colors, filled_grids, objects, pairs, patch_sets

GRID = ((0, 0, 5), (0, 7, 5))
near = st.integers(0, 2)
close_together = st.frozensets(st.tuples(colors, st.tuples(near, near)), max_size=9)


def painted(grid, cells, only=None):
    """Paint cells one after the other, where a color is given only on cells of that."""
    found = {(i, j): color for i, row in enumerate(grid) for j, color in enumerate(row)}
    for color, place in cells:
        if place in found and only in (None, found[place]):
            found[place] = color
    return tuple(tuple(found[i, j] for j in range(len(grid[0]))) for i in range(len(grid)))


@given(filled_grids, colors, patch_sets)
def test_fill_covers_with_a_color_and_underfill_only_the_background(grid, color, patch):
    cells, background = [(color, place) for place in toindices(patch)], mostcolor(grid)
    assert fill(grid, color, patch) == painted(grid, cells)
    assert underfill(grid, color, patch) == painted(grid, cells, background)
    assert cover(grid, patch) == fill(grid, background, patch)


@given(filled_grids, objects | close_together)
def test_paint_puts_each_cell_in_with_its_color_and_of_those_in_one_place_the_last(grid, obj):
    """The cells of a set come in ascending order, those of a tuple as they stand."""
    for cells in (tuple(obj), sorted(obj)):
        assert paint(grid, tuple(cells)) == painted(grid, cells)
        assert underpaint(grid, tuple(cells)) == painted(grid, cells, mostcolor(grid))
    assert underpaint(grid, obj) == underpaint(grid, tuple(sorted(obj)))
    assert paint(grid, obj) == paint(grid, tuple(sorted(obj)))


def test_what_underpaint_has_painted_is_background_no_more_unless_in_its_color():
    assert underpaint(GRID, ((1, (0, 0)), (2, (0, 0)))) == ((1, 0, 5), (0, 7, 5))
    assert underpaint(GRID, ((0, (0, 0)), (2, (0, 0)))) == ((2, 0, 5), (0, 7, 5))


@given(filled_grids, objects, pairs)
def test_move_is_cover_and_then_paint(grid, obj, offset):
    shifted = frozenset((color, add(place, offset)) for color, place in obj)
    assert move(grid, obj, offset) == paint(cover(grid, obj), shifted)


def test_what_moves_out_of_the_integers_fails():
    with pytest.raises(LimitError):
        move(GRID, frozenset({(7, (1, 1))}), (2**31 - 1, 0))


@given(filled_grids, patch_sets)
def test_what_is_read_lies_inside_and_can_be_painted_back(grid, patch):
    high, wide = len(grid), len(grid[0])
    inside = {(i, j) for i, j in toindices(patch) if 0 <= i < high and 0 <= j < wide}
    assert toobject(patch, grid) == {(grid[i][j], (i, j)) for i, j in inside}
    assert paint(cover(grid, patch), toobject(patch, grid)) == grid


@pytest.mark.parametrize("grid", [(), ((),)])
@pytest.mark.parametrize(
    "function, args",
    [(underfill, (1, ())), (underpaint, ((),)), (cover, ((),)), (move, ((), (0, 0)))],
)
def test_on_a_grid_without_cells_there_is_no_background_to_find(function, args, grid):
    with pytest.raises((ValueError, IndexError)):
        function(grid, *args)
    assert fill(((),), 1, ()) == paint(((),), ()) == ((),)
