"""Parts of grids, and their cells as patches."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import megabatt.runtime.arc as arc
from megabatt.runtime.engine.language.values import identical
from tests.arc.lanes import assert_same, grids, pairs, scalar

G = ((1, 2, 3), (4, 5, 6), (7, 8, 9))
NO_COLUMNS = ((), ())

filled_grids = grids().filter(lambda grid: grid != () and grid[0] != ())
bounds = st.one_of(st.integers(-9, 9), st.sampled_from([2**20 - 1, -(2**20)]))


@given(grids(6), bounds, bounds, bounds, bounds)
def test_a_window_is_cut_as_python_slices(grid, i, j, height, width):
    cut = tuple(row[j : j + width] for row in grid[i : i + height])
    assert arc.crop(grid, (i, j), (height, width)) == cut
    assert assert_same(arc.crop, [(grid, (i, j), (height, width))]) == []


def test_crop():
    assert arc.crop(G, (0, 1), (2, 2)) == ((2, 3), (5, 6))
    assert arc.crop(G, (1, 1), (9, 9)) == ((5, 6), (8, 9))
    assert arc.crop(G, (3, 0), (1, 1)) == arc.crop((), (0, 0), (1, 1)) == ()
    assert arc.crop(G, (1, 3), (2, 2)) == NO_COLUMNS


def test_a_crop_that_begins_before_the_grid_counts_from_its_end():
    assert arc.crop(G, (-2, -1), (1, 9)) == ((6,),)
    assert arc.crop(G, (-3, -3), (2, 2)) == ((1, 2), (4, 5))
    assert arc.crop(G, (-1, 0), (1, 2)) == ()
    assert arc.crop(G, (0, 0), (-1, -2)) == ((1,), (4,))


def test_a_subgrid_is_the_window_around_a_patch():
    assert arc.subgrid(frozenset({(0, 1), (1, 2)}), G) == ((2, 3), (5, 6))
    assert arc.subgrid(frozenset({(5, (2, 2)), (7, (2, 1))}), G) == ((8, 9),)
    assert arc.subgrid(frozenset({(0, 0)}), ()) == ()
    with pytest.raises(ValueError):
        arc.subgrid(frozenset(), G)


@given(filled_grids)
def test_the_subgrid_of_everything_is_the_grid(grid):
    assert arc.subgrid(arc.asobject(grid), grid) == arc.subgrid(arc.asindices(grid), grid) == grid


@given(filled_grids, pairs)
def test_index_gives_the_color_or_none(grid, loc):
    cells = {place: color for color, place in arc.asobject(grid)}
    assert arc.index(grid, loc) == cells.get(loc)
    assert_same(arc.index, [(grid, loc), (grid, (0, 0)), ((), (0, 0)), (NO_COLUMNS, (1, 0))])


def test_index_fails_without_a_row():
    with pytest.raises(IndexError):
        arc.index((), (0, 0))


def test_trim():
    assert arc.trim(G) == ((5,),)
    assert arc.trim(((1, 2), (3, 4), (5, 6))) == ((),)
    assert arc.trim(((1, 2, 3), (4, 5, 6))) == ()


def test_halves_leave_out_the_middle():
    assert arc.tophalf(G) == ((1, 2, 3),)
    assert arc.bottomhalf(G) == ((7, 8, 9),)
    assert arc.lefthalf(G) == ((1,), (4,), (7,))
    assert arc.righthalf(G) == ((3,), (6,), (9,))


def test_halves_of_what_has_none():
    for half in (arc.lefthalf, arc.righthalf, arc.tophalf, arc.bottomhalf):
        assert half(()) == half(((1,),)) == ()
    assert arc.lefthalf(((1,), (2,))) == arc.righthalf(NO_COLUMNS) == ()
    assert arc.tophalf(NO_COLUMNS) == arc.bottomhalf(NO_COLUMNS) == ((),)


@given(filled_grids)
def test_even_grids_are_their_halves_joined(grid):
    doubled = arc.vconcat(grid, grid)
    assert arc.vconcat(arc.tophalf(doubled), arc.bottomhalf(doubled)) == doubled
    doubled = arc.hconcat(grid, grid)
    assert arc.hconcat(arc.lefthalf(doubled), arc.righthalf(doubled)) == doubled
    assert arc.rot180(arc.tophalf(grid)) == arc.bottomhalf(arc.rot180(grid))


def test_splitting():
    assert arc.hsplit(((1, 2, 3, 4),), 2) == (((1, 2),), ((3, 4),))
    assert arc.hsplit(((1, 2, 3),), 2) == (((1,),), ((3,),))
    assert arc.vsplit(G, 3) == (((1, 2, 3),), ((4, 5, 6),), ((7, 8, 9),))
    assert arc.vsplit(G, 2) == (((1, 2, 3),), ((7, 8, 9),))


def test_the_last_pieces_are_smaller_where_there_is_too_little():
    assert arc.hsplit(((1, 2, 3, 4),), 3) == (((1,),), ((3,),), ((),))
    assert arc.vsplit(((1,), (2,), (3,), (4,)), 3) == (((1,),), ((3,),), ())
    assert arc.hsplit(NO_COLUMNS, 2) == (NO_COLUMNS, NO_COLUMNS)


@pytest.mark.parametrize("split", [arc.hsplit, arc.vsplit])
def test_splitting_into_none_fails_and_into_less_gives_nothing(split):
    with pytest.raises(ZeroDivisionError):
        split(G, 0)
    with pytest.raises(IndexError):
        split((), 2)
    assert split(G, -2) == ()
    assert scalar(split, (G, 2**31 - 1), 1000)[0] is False


def test_compress_drops_rows_and_columns_of_one_color():
    assert arc.compress(((1, 0, 2), (0, 0, 0), (3, 0, 4))) == ((1, 2), (3, 4))
    assert arc.compress(((1, 2), (1, 2))) == NO_COLUMNS
    assert arc.compress(((1,), (2,))) == ()


@given(filled_grids)
def test_compress_leaves_what_is_in_no_frontier(grid):
    held = frozenset().union(*arc.frontiers(grid))
    kept = [
        color
        for i, row in enumerate(grid)
        for j, color in enumerate(row)
        if (color, (i, j)) not in held
    ]
    assert [color for row in arc.compress(grid) for color in row] == kept


def test_frontiers():
    row = frozenset({(5, (1, 0)), (5, (1, 1))})
    column = frozenset({(0, (0, 1)), (0, (1, 1))})
    assert arc.frontiers(((1, 2), (5, 5))) == {row}
    assert arc.frontiers(((1, 0), (2, 0))) == {column}
    assert arc.frontiers(((7,),)) == {frozenset({(7, (0, 0))})}
    assert arc.frontiers(NO_COLUMNS) == frozenset()
    with pytest.raises(IndexError):
        arc.frontiers(())


def test_cells_as_patches():
    assert arc.asindices(((7, 8),)) == {(0, 0), (0, 1)}
    assert arc.asobject(((7, 8),)) == {(7, (0, 0)), (8, (0, 1))}
    assert arc.ofcolor(((7, 8), (8, 7)), 8) == {(0, 1), (1, 0)}
    for view in (arc.asindices, arc.asobject):
        assert view(()) == view(NO_COLUMNS) == frozenset()


@given(filled_grids)
def test_every_cell_is_of_one_color(grid):
    by_color = [arc.ofcolor(grid, color) for color in range(10)]
    assert sum(map(len, by_color)) == len(arc.asobject(grid)) == len(arc.asindices(grid))
    assert frozenset().union(*by_color) == arc.asindices(grid)


@given(filled_grids)
def test_frontiers_of_the_turned_grid_are_as_many(grid):
    assert len(arc.frontiers(arc.rot90(grid))) == len(arc.frontiers(grid))
    assert identical(arc.compress(arc.rot180(grid)), arc.rot180(arc.compress(grid)))
