"""Parts of grids, and their cells as patches."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import megabatt.runtime.arc as arc
from megabatt.runtime.engine.language.values import identical
from tests.arc.lanes import assert_same, filled_grids, grids, pairs, patch_sets, scalar

G = ((1, 2, 3), (4, 5, 6), (7, 8, 9))
NO_COLUMNS = ((), ())
bounds = st.one_of(st.integers(-9, 9), st.sampled_from([2**20 - 1, -(2**20)]))


@given(grids(6), bounds, bounds, bounds, bounds)
def test_a_window_is_cut_as_python_slices(grid, i, j, height, width):
    cut = tuple(row[j : j + width] for row in grid[i : i + height])
    assert arc.crop(grid, (i, j), (height, width)) == cut
    assert assert_same(arc.crop, [(grid, (i, j), (height, width))]) == []


@given(filled_grids, patch_sets)
def test_a_subgrid_is_the_window_around_a_patch(grid, patch):
    if patch:
        assert arc.subgrid(patch, grid) == arc.crop(grid, arc.ulcorner(patch), arc.shape(patch))
    else:
        with pytest.raises(ValueError):
            arc.subgrid(patch, grid)
    assert arc.subgrid(frozenset({(0, 0)}), ()) == ()


@given(filled_grids, pairs)
def test_index_gives_the_color_or_none(grid, loc):
    cells = {place: color for color, place in arc.asobject(grid)}
    assert arc.index(grid, loc) == cells.get(loc)
    with pytest.raises(IndexError):
        arc.index((), (0, 0))


@given(grids())
def test_a_trimmed_grid_is_without_its_outermost_cells(grid):
    assert arc.trim(grid) == tuple(row[1:-1] for row in grid[1:-1])


@given(grids())
def test_halves_leave_out_the_middle(grid):
    high, wide = len(grid) // 2, len(grid[0]) // 2 if grid else 0
    assert arc.tophalf(grid) == grid[:high]
    assert arc.bottomhalf(grid) == grid[len(grid) - high :]
    assert arc.lefthalf(grid) == (tuple(row[:wide] for row in grid) if wide else ())
    assert arc.righthalf(grid) == (tuple(row[len(row) - wide :] for row in grid) if wide else ())


def test_the_last_pieces_are_smaller_where_there_is_too_little():
    assert arc.hsplit(((1, 2, 3, 4),), 2) == (((1, 2),), ((3, 4),))
    assert arc.hsplit(((1, 2, 3),), 2) == (((1,),), ((3,),))
    assert arc.hsplit(((1, 2, 3, 4),), 3) == (((1,),), ((3,),), ((),))
    assert arc.hsplit(NO_COLUMNS, 2) == (NO_COLUMNS, NO_COLUMNS)
    assert arc.vsplit(G, 3) == (((1, 2, 3),), ((4, 5, 6),), ((7, 8, 9),))
    assert arc.vsplit(G, 2) == (((1, 2, 3),), ((7, 8, 9),))
    assert arc.vsplit(((1,), (2,), (3,), (4,)), 3) == (((1,),), ((3,),), ())


@pytest.mark.parametrize("split", [arc.hsplit, arc.vsplit])
def test_splitting_into_none_fails_and_into_less_gives_nothing(split):
    with pytest.raises(ZeroDivisionError):
        split(G, 0)
    with pytest.raises(IndexError):
        split((), 2)
    assert split(G, -2) == ()
    assert scalar(split, (G, 2**31 - 1), 1000)[0] is False


@given(grids().filter(bool))
def test_frontiers_are_rows_and_columns_of_one_color_and_compress_leaves_the_rest(grid):
    places = sorted(arc.asindices(grid))
    lines = [[(i, j) for i, j in places if i == row] for row in range(len(grid))]
    lines += [[(i, j) for i, j in places if j == column] for column in range(len(grid[0]))]
    alike = [line for line in lines if len({grid[i][j] for i, j in line}) == 1]
    frontiers = arc.frontiers(grid)
    assert frontiers == {frozenset((grid[i][j], (i, j)) for i, j in line) for line in alike}
    held = {place for line in alike for place in line}
    kept = [grid[i][j] for i, j in places if (i, j) not in held]
    assert [color for row in arc.compress(grid) for color in row] == kept
    assert identical(arc.compress(arc.rot180(grid)), arc.rot180(arc.compress(grid)))


def test_compress_of_grids_made_of_frontiers():
    assert arc.compress(((1, 2), (1, 2))) == NO_COLUMNS
    assert arc.compress(((1,), (2,))) == ()
    with pytest.raises(IndexError):
        arc.frontiers(())


@given(grids())
def test_cells_as_patches(grid):
    cells = {(color, (i, j)) for i, row in enumerate(grid) for j, color in enumerate(row)}
    assert arc.asobject(grid) == cells
    assert arc.asindices(grid) == {place for _, place in cells}
    for color in range(10):
        assert arc.ofcolor(grid, color) == {place for own, place in cells if own == color}
