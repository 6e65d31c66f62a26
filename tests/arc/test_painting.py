"""Grids after painting."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import megabatt.runtime.arc as arc
from megabatt.runtime.engine.language.limits import LimitError
from tests.arc.lanes import colors, filled_grids, objects, pairs, patch_sets

GRID = ((0, 0, 5), (0, 7, 5))
near = st.integers(0, 2)
close_together = st.frozensets(st.tuples(colors, st.tuples(near, near)), max_size=9)


def painted(grid, cells, only=None):
    """Paint cells one after the other; if `only` is a color, only over cells of that color."""
    found = {(i, j): color for i, row in enumerate(grid) for j, color in enumerate(row)}
    for color, place in cells:
        if place in found and only in (None, found[place]):
            found[place] = color
    return tuple(tuple(found[i, j] for j in range(len(grid[0]))) for i in range(len(grid)))


@given(filled_grids, colors, patch_sets)
def test_fill_covers_with_a_color_and_underfill_only_the_background(grid, color, patch):
    cells, background = [(color, place) for place in arc.toindices(patch)], arc.mostcolor(grid)
    assert arc.fill(grid, color, patch) == painted(grid, cells)
    assert arc.underfill(grid, color, patch) == painted(grid, cells, background)
    assert arc.cover(grid, patch) == arc.fill(grid, background, patch)


@given(filled_grids, objects | close_together)
def test_paint_puts_each_cell_in_and_the_last_cell_of_a_place_wins(grid, obj):
    """The cells of a set come in ascending order, the cells of a tuple in the tuple's order."""
    for cells in (sorted(obj), sorted(obj, reverse=True)):
        assert arc.paint(grid, tuple(cells)) == painted(grid, cells)
        assert arc.underpaint(grid, tuple(cells)) == painted(grid, cells, arc.mostcolor(grid))
    assert arc.underpaint(grid, obj) == arc.underpaint(grid, tuple(sorted(obj)))
    assert arc.paint(grid, obj) == arc.paint(grid, tuple(sorted(obj)))


def test_underpainted_cells_are_no_longer_background_unless_in_its_color():
    assert arc.underpaint(GRID, ((1, (0, 0)), (2, (0, 0)))) == ((1, 0, 5), (0, 7, 5))
    assert arc.underpaint(GRID, ((0, (0, 0)), (2, (0, 0)))) == ((2, 0, 5), (0, 7, 5))


@given(filled_grids, objects, pairs)
def test_move_is_cover_and_then_paint(grid, obj, offset):
    shifted = frozenset((color, arc.add(place, offset)) for color, place in obj)
    assert arc.move(grid, obj, offset) == arc.paint(arc.cover(grid, obj), shifted)


def test_a_move_out_of_the_integers_fails():
    with pytest.raises(LimitError):
        arc.move(GRID, frozenset({(7, (1, 1))}), (2**31 - 1, 0))


@given(filled_grids, patch_sets)
def test_cells_read_from_a_grid_lie_inside_and_can_be_painted_back(grid, patch):
    high, wide = len(grid), len(grid[0])
    inside = {(i, j) for i, j in arc.toindices(patch) if 0 <= i < high and 0 <= j < wide}
    assert arc.toobject(patch, grid) == {(grid[i][j], (i, j)) for i, j in inside}
    assert arc.paint(arc.cover(grid, patch), arc.toobject(patch, grid)) == grid


@pytest.mark.parametrize("grid", [(), ((),)])
@pytest.mark.parametrize(
    "function, args",
    [(arc.underfill, (1, ())), (arc.underpaint, ((),)), (arc.cover, ((),)),
     (arc.move, ((), (0, 0)))],
)  # fmt: skip
def test_on_a_grid_without_cells_there_is_no_background_to_find(function, args, grid):
    with pytest.raises((ValueError, IndexError)):
        function(grid, *args)
    assert arc.fill(((),), 1, ()) == arc.paint(((),), ()) == ((),)
