"""Grids and patches turned, mirrored, scaled, joined and recolored."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import megabatt.runtime.arc as arc
from megabatt.runtime.engine.language.limits import LimitError
from megabatt.runtime.engine.language.values import identical
from tests.arc.lanes import assert_same, colors, grids, indices, objects, one_color, scalar

G = ((1, 2, 3), (4, 5, 6))
NO_COLUMNS = ((), ())
MIRRORS = [arc.hmirror, arc.vmirror, arc.dmirror, arc.cmirror]

filled_grids = grids().filter(lambda grid: grid != () and grid[0] != ())
filled_patches = st.one_of(indices, objects, one_color).filter(bool)
factors = st.integers(1, 4)


@st.composite
def same_sized(draw):
    h, w = draw(st.integers(1, 4)), draw(st.integers(0, 4))
    rows = st.tuples(*[st.tuples(*[st.integers(0, 2)] * w)] * h)
    return draw(rows), draw(rows)


def test_turning_moves_the_first_row():
    assert arc.rot90(G) == ((4, 1), (5, 2), (6, 3))
    assert arc.rot180(G) == ((6, 5, 4), (3, 2, 1))
    assert arc.rot270(G) == ((3, 6), (2, 5), (1, 4))


@given(filled_grids)
def test_turns_add_up(grid):
    assert arc.rot90(arc.rot90(arc.rot90(arc.rot90(grid)))) == grid
    assert arc.rot90(arc.rot90(grid)) == arc.rot180(grid)
    assert arc.rot90(arc.rot180(grid)) == arc.rot270(grid)
    assert arc.rot270(arc.rot90(grid)) == grid


def test_a_grid_without_columns_keeps_its_rows_unless_they_become_columns():
    for turn in (arc.rot180, arc.hmirror, arc.vmirror):
        assert turn(NO_COLUMNS) == NO_COLUMNS
    for turn in (arc.rot90, arc.rot270, arc.dmirror, arc.cmirror):
        assert turn(NO_COLUMNS) == ()


def test_mirrors_of_a_grid():
    assert arc.hmirror(G) == ((4, 5, 6), (1, 2, 3))
    assert arc.vmirror(G) == ((3, 2, 1), (6, 5, 4))
    assert arc.dmirror(G) == ((1, 4), (2, 5), (3, 6))
    assert arc.cmirror(G) == ((6, 3), (5, 2), (4, 1))


def test_mirrors_of_a_patch_stay_in_its_corner():
    hook = frozenset({(2, 5), (3, 5), (4, 5), (4, 6)})
    assert arc.hmirror(hook) == {(4, 5), (3, 5), (2, 5), (2, 6)}
    assert arc.vmirror(hook) == {(2, 6), (3, 6), (4, 6), (4, 5)}
    assert arc.dmirror(hook) == {(2, 5), (2, 6), (2, 7), (3, 7)}
    assert arc.cmirror(hook) == {(3, 7), (3, 6), (3, 5), (2, 5)}


@pytest.mark.parametrize("mirror", MIRRORS)
@given(piece=st.one_of(filled_grids, filled_patches))
def test_a_mirror_undoes_itself(mirror, piece):
    assert mirror(mirror(piece)) == piece


@pytest.mark.parametrize("mirror", MIRRORS)
@given(grid=filled_grids)
def test_a_mirror_does_to_objects_what_it_does_to_grids(mirror, grid):
    assert mirror(arc.asobject(grid)) == arc.asobject(mirror(grid))
    assert mirror(arc.asindices(grid)) == arc.asindices(mirror(grid))


@pytest.mark.parametrize("mirror", MIRRORS)
def test_an_empty_patch_has_no_mirror_image(mirror):
    with pytest.raises(ValueError):
        mirror(frozenset())


def test_a_diagonal_mirror_image_beyond_the_integers_fails():
    patch = frozenset({(2**31 - 1, 0), (2**31 - 1, 1)})
    assert arc.vmirror(patch) == patch
    for mirror in (arc.dmirror, arc.cmirror):
        with pytest.raises(LimitError):
            mirror(patch)


def test_upscaling_repeats():
    assert arc.hupscale(((1, 2),), 2) == ((1, 1, 2, 2),)
    assert arc.vupscale(((1, 2),), 2) == ((1, 2), (1, 2))
    assert arc.upscale(((1, 2),), 2) == ((1, 1, 2, 2), (1, 1, 2, 2))


@pytest.mark.parametrize("factor", [0, -3])
def test_upscaling_by_nothing_leaves_rows_only_when_across(factor):
    assert arc.hupscale(G, factor) == NO_COLUMNS
    assert arc.vupscale(G, factor) == ()
    assert arc.upscale(G, factor) == ()
    assert arc.upscale(arc.asobject(G), factor) == frozenset()


@given(filled_grids, factors)
def test_upscaling_is_both_ways_and_downscaling_undoes_it(grid, factor):
    assert arc.upscale(grid, factor) == arc.vupscale(arc.hupscale(grid, factor), factor)
    assert arc.downscale(arc.upscale(grid, factor), factor) == grid
    assert arc.upscale(arc.asobject(grid), factor) == arc.asobject(arc.upscale(grid, factor))


def test_an_upscaled_object_keeps_its_upper_left_corner():
    assert arc.upscale(frozenset({(3, (5, -1)), (4, (6, 1))}), 2) == {
        *((3, (i, j)) for i in (5, 6) for j in (-1, 0)),
        *((4, (i, j)) for i in (7, 8) for j in (3, 4)),
    }


def test_rows_without_cells_count_when_they_become_more():
    for explode in (arc.vupscale, arc.upscale):
        succeeded, error, _ = scalar(explode, (NO_COLUMNS, 2**30), 100)
        assert not succeeded and isinstance(error, LimitError)
    assert scalar(arc.canvas, (0, (2**30, 0)), 100)[0] is False
    assert scalar(arc.vconcat, (NO_COLUMNS, NO_COLUMNS), 100) == (True, ((),) * 4, 4)


def test_downscaling_takes_a_negative_factor_for_the_positive_and_fails_for_none():
    assert arc.downscale(((1, 2, 3), (4, 5, 6), (7, 8, 9)), -2) == ((1, 3), (7, 9))
    with pytest.raises(ZeroDivisionError):
        arc.downscale(G, 0)
    with pytest.raises(IndexError):
        arc.downscale((), 1)


def test_joining():
    assert arc.hconcat(((1,), (2,)), ((3, 4), (5, 6), (7, 8))) == ((1, 3, 4), (2, 5, 6))
    assert arc.hconcat(G, ()) == ()
    assert arc.vconcat(G, ((7, 8, 9),)) == ((1, 2, 3), (4, 5, 6), (7, 8, 9))
    assert arc.vconcat((), G) == arc.vconcat(G, ()) == G


def test_grids_of_unlike_widths_cannot_stand_one_below_the_other():
    for below in (((1,),), NO_COLUMNS):
        with pytest.raises(ValueError):
            arc.vconcat(G, below)


@given(same_sized())
def test_the_two_ways_of_joining_are_each_other_mirrored(pair):
    a, b = pair
    assume(a[0])
    assert arc.dmirror(arc.hconcat(a, b)) == arc.vconcat(arc.dmirror(a), arc.dmirror(b))


def test_cellwise_keeps_what_agrees():
    assert arc.cellwise(((1, 2), (3, 4)), ((1, 0, 9), (0, 4, 9)), 7) == ((1, 7), (7, 4))
    assert arc.cellwise(NO_COLUMNS, (), 7) == NO_COLUMNS


@pytest.mark.parametrize("smaller", [(), ((1, 2, 3),), ((1, 2), (3, 4))])
def test_cellwise_needs_a_second_grid_that_covers_the_first(smaller):
    with pytest.raises(IndexError):
        arc.cellwise(G, smaller, 0)


@given(same_sized(), st.integers(-2, 300))
def test_cellwise_of_grids_of_a_size_does_not_care_which_is_first(pair, fallback):
    a, b = pair
    assert arc.cellwise(a, b, fallback) == arc.cellwise(b, a, fallback)
    assert arc.cellwise(a, a, fallback) == a


def test_recoloring():
    assert arc.replace(((1, 2, 1),), 1, 9) == ((9, 2, 9),)
    assert arc.replace(((1, 2, 1),), 3, 300) == ((1, 2, 1),)
    assert arc.replace(((1, 2, 1),), 1, 300) == ((300, 2, 300),)
    assert arc.switch(((1, 2, 3),), 1, 2) == ((2, 1, 3),)


@given(filled_grids, colors, colors)
def test_switching_twice_is_nothing(grid, a, b):
    assert arc.switch(arc.switch(grid, a, b), a, b) == grid
    assert arc.switch(grid, a, b) == arc.switch(grid, b, a)


@given(filled_grids, colors, colors)
def test_a_replaced_color_is_gone(grid, a, b):
    assume(a != b)
    assert all(a not in row for row in arc.replace(grid, a, b))


def test_canvas():
    assert arc.canvas(3, (2, 3)) == ((3, 3, 3), (3, 3, 3))
    assert arc.canvas(3, (2, 0)) == arc.canvas(3, (2, -4)) == NO_COLUMNS
    assert arc.canvas(3, (0, 5)) == arc.canvas(3, (-1, 5)) == ()


def test_colors_may_be_any_integers():
    colors = [(G, 1, 300), (G, 9, -129), (G, 300, 301), (G, 1, 2**31 - 1), (G, -(2**31), 1)]
    assert assert_same(arc.replace, colors) == assert_same(arc.switch, colors) == []


@given(st.lists(st.tuples(same_sized(), st.integers(0, 2)), min_size=1, max_size=4))
def test_both_forms_agree_on_pairs_of_grids_that_fit(lanes):
    for join in (arc.hconcat, arc.vconcat):
        assert_same(join, [pair for pair, _ in lanes])
    assert_same(arc.cellwise, [(a, b, fallback) for (a, b), fallback in lanes])


def test_results_are_plain_tuples_and_sets():
    assert identical(arc.rot90(((True, 0),)), ((1,), (0,)))
