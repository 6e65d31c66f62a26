"""What painting leaves of a grid."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from megabatt.runtime.arc import cover, fill, move, paint, toobject, underfill, underpaint
from megabatt.runtime.engine.language.limits import LimitError
from tests.arc.lanes import colors, grids, indices, one_color, pairs
from tests.arc.lanes import objects as cell_sets

GRID = ((0, 0, 5), (0, 7, 5))
filled_grids = grids().filter(lambda grid: grid and grid[0])
patches = st.one_of(indices, one_color, cell_sets)


def background(grid):
    flat = sorted(sum(grid, ()))
    return max(flat, key=flat.count)


def test_fill_sets_the_cells_that_lie_inside():
    assert fill(GRID, 3, frozenset({(0, 0), (1, 2), (2, 2), (-1, 0)})) == ((3, 0, 5), (0, 7, 3))
    assert fill(GRID, 3, frozenset({(9, (0, 1))})) == ((0, 3, 5), (0, 7, 5))


def test_paint_puts_each_cell_in_with_its_color():
    assert paint(GRID, frozenset({(1, (0, 0)), (2, (1, 1)), (3, (5, 5))})) == ((1, 0, 5), (0, 2, 5))


def test_of_cells_in_one_place_the_last_is_seen():
    assert paint(GRID, frozenset({(9, (0, 0)), (1, (0, 0))})) == ((9, 0, 5), (0, 7, 5))
    assert paint(GRID, ((9, (0, 0)), (1, (0, 0)))) == ((1, 0, 5), (0, 7, 5))


def test_underfill_and_underpaint_leave_all_but_the_background():
    everywhere = frozenset((i, j) for i in range(2) for j in range(3))
    assert underfill(GRID, 3, everywhere) == ((3, 3, 5), (3, 7, 5))
    assert underpaint(GRID, frozenset((4, place) for place in everywhere)) == ((4, 4, 5), (4, 7, 5))


def test_what_underpaint_has_painted_is_background_no_more_unless_in_its_color():
    assert underpaint(GRID, ((1, (0, 0)), (2, (0, 0)))) == ((1, 0, 5), (0, 7, 5))
    assert underpaint(GRID, ((0, (0, 0)), (2, (0, 0)))) == ((2, 0, 5), (0, 7, 5))


def test_cover_leaves_background():
    assert cover(GRID, frozenset({(0, 2), (1, 1)})) == ((0, 0, 0), (0, 0, 5))


def test_move_covers_an_object_and_paints_it_elsewhere():
    seven = frozenset({(7, (1, 1))})
    assert move(GRID, seven, (-1, 1)) == ((0, 0, 7), (0, 0, 5))
    assert move(GRID, seven, (9, 9)) == ((0, 0, 5), (0, 0, 5))


def test_what_moves_out_of_the_integers_fails():
    with pytest.raises(LimitError):
        move(GRID, frozenset({(7, (1, 1))}), (2**31 - 1, 0))


def test_toobject_reads_the_cells_that_lie_inside():
    assert toobject(frozenset({(0, 2), (1, 1), (2, 2)}), GRID) == {(5, (0, 2)), (7, (1, 1))}
    assert toobject(frozenset({(9, (0, 2))}), GRID) == {(5, (0, 2))}


def test_on_a_grid_without_cells_there_is_no_background_to_find():
    for grid in [(), ((),)]:
        for call in [
            lambda g: underfill(g, 1, frozenset()),
            lambda g: underpaint(g, frozenset()),
            lambda g: cover(g, frozenset()),
            lambda g: move(g, frozenset(), (0, 0)),
        ]:
            with pytest.raises((ValueError, IndexError)):
                call(grid)
    assert fill(((),), 1, frozenset()) == paint(((),), frozenset()) == ((),)


@given(filled_grids, patches)
def test_what_is_read_can_be_painted_back(grid, patch):
    assert paint(cover(grid, patch), toobject(patch, grid)) == grid


@given(filled_grids, colors, patches)
def test_fill_is_read_back_as_its_color(grid, value, patch):
    assert {color for color, _ in toobject(patch, fill(grid, value, patch))} <= {value}


@given(filled_grids, patches)
def test_cover_is_fill_with_the_background(grid, patch):
    assert cover(grid, patch) == fill(grid, background(grid), patch)


@given(filled_grids, cell_sets, pairs)
def test_move_is_cover_and_then_paint(grid, obj, offset):
    di, dj = offset
    shifted = frozenset((color, (i + di, j + dj)) for color, (i, j) in obj)
    assert move(grid, obj, offset) == paint(cover(grid, obj), shifted)


@given(filled_grids, colors, patches)
def test_underfill_changes_background_alone(grid, value, patch):
    full, under = fill(grid, value, patch), underfill(grid, value, patch)
    for row, filled, result in zip(grid, full, under, strict=True):
        for before, painted, after in zip(row, filled, result, strict=True):
            assert after == (painted if before == background(grid) else before)
