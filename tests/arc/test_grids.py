"""Grids and patches turned, mirrored, scaled, joined and recolored."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from megabatt.runtime.arc import (
    asindices,
    asobject,
    canvas,
    cellwise,
    cmirror,
    dmirror,
    downscale,
    hconcat,
    hmirror,
    hupscale,
    replace,
    rot90,
    rot180,
    rot270,
    switch,
    upscale,
    vconcat,
    vmirror,
    vupscale,
)
from megabatt.runtime.engine.limits import LimitError
from megabatt.runtime.engine.values import identical
from tests.arc.lanes import assert_same, colors, grids, indices, objects, one_color, scalar

G = ((1, 2, 3), (4, 5, 6))
NO_COLUMNS = ((), ())
MIRRORS = [hmirror, vmirror, dmirror, cmirror]

filled_grids = grids().filter(lambda grid: grid != () and grid[0] != ())
filled_patches = st.one_of(indices, objects, one_color).filter(bool)
factors = st.integers(1, 4)


@st.composite
def same_sized(draw):
    h, w = draw(st.integers(1, 4)), draw(st.integers(0, 4))
    rows = st.tuples(*[st.tuples(*[st.integers(0, 2)] * w)] * h)
    return draw(rows), draw(rows)


def test_turning_moves_the_first_row():
    assert rot90(G) == ((4, 1), (5, 2), (6, 3))
    assert rot180(G) == ((6, 5, 4), (3, 2, 1))
    assert rot270(G) == ((3, 6), (2, 5), (1, 4))


@given(filled_grids)
def test_turns_add_up(grid):
    assert rot90(rot90(rot90(rot90(grid)))) == grid
    assert rot90(rot90(grid)) == rot180(grid)
    assert rot90(rot180(grid)) == rot270(grid)
    assert rot270(rot90(grid)) == grid


def test_a_grid_without_columns_keeps_its_rows_unless_they_become_columns():
    assert rot180(NO_COLUMNS) == hmirror(NO_COLUMNS) == vmirror(NO_COLUMNS) == NO_COLUMNS
    assert rot90(NO_COLUMNS) == rot270(NO_COLUMNS) == ()
    assert dmirror(NO_COLUMNS) == cmirror(NO_COLUMNS) == ()


def test_mirrors_of_a_grid():
    assert hmirror(G) == ((4, 5, 6), (1, 2, 3))
    assert vmirror(G) == ((3, 2, 1), (6, 5, 4))
    assert dmirror(G) == ((1, 4), (2, 5), (3, 6))
    assert cmirror(G) == ((6, 3), (5, 2), (4, 1))


def test_mirrors_of_a_patch_stay_in_its_corner():
    hook = frozenset({(2, 5), (3, 5), (4, 5), (4, 6)})
    assert hmirror(hook) == {(4, 5), (3, 5), (2, 5), (2, 6)}
    assert vmirror(hook) == {(2, 6), (3, 6), (4, 6), (4, 5)}
    assert dmirror(hook) == {(2, 5), (2, 6), (2, 7), (3, 7)}
    assert cmirror(hook) == {(3, 7), (3, 6), (3, 5), (2, 5)}


@pytest.mark.parametrize("mirror", MIRRORS)
@given(piece=st.one_of(filled_grids, filled_patches))
def test_a_mirror_undoes_itself(mirror, piece):
    assert mirror(mirror(piece)) == piece


@pytest.mark.parametrize("mirror", MIRRORS)
@given(grid=filled_grids)
def test_a_mirror_does_to_objects_what_it_does_to_grids(mirror, grid):
    assert mirror(asobject(grid)) == asobject(mirror(grid))
    assert mirror(asindices(grid)) == asindices(mirror(grid))


@pytest.mark.parametrize("mirror", MIRRORS)
def test_an_empty_patch_has_no_mirror_image(mirror):
    with pytest.raises(ValueError):
        mirror(frozenset())


def test_a_diagonal_mirror_image_beyond_the_integers_fails():
    patch = frozenset({(2**31 - 1, 0), (2**31 - 1, 1)})
    assert vmirror(patch) == patch
    for mirror in (dmirror, cmirror):
        with pytest.raises(LimitError):
            mirror(patch)


def test_upscaling_repeats():
    assert hupscale(((1, 2),), 2) == ((1, 1, 2, 2),)
    assert vupscale(((1, 2),), 2) == ((1, 2), (1, 2))
    assert upscale(((1, 2),), 2) == ((1, 1, 2, 2), (1, 1, 2, 2))


@pytest.mark.parametrize("factor", [0, -3])
def test_upscaling_by_nothing_leaves_rows_only_when_across(factor):
    assert hupscale(G, factor) == NO_COLUMNS
    assert vupscale(G, factor) == ()
    assert upscale(G, factor) == ()
    assert upscale(asobject(G), factor) == frozenset()


@given(filled_grids, factors)
def test_upscaling_is_both_ways_and_downscaling_undoes_it(grid, factor):
    assert upscale(grid, factor) == vupscale(hupscale(grid, factor), factor)
    assert downscale(upscale(grid, factor), factor) == grid
    assert upscale(asobject(grid), factor) == asobject(upscale(grid, factor))


def test_an_upscaled_object_keeps_its_upper_left_corner():
    assert upscale(frozenset({(3, (5, -1)), (4, (6, 1))}), 2) == {
        *((3, (i, j)) for i in (5, 6) for j in (-1, 0)),
        *((4, (i, j)) for i in (7, 8) for j in (3, 4)),
    }


def test_rows_without_cells_count_when_they_become_more():
    for explode in (vupscale, upscale):
        succeeded, error, _ = scalar(explode, (NO_COLUMNS, 2**30), 100)
        assert not succeeded and isinstance(error, LimitError)
    assert scalar(canvas, (0, (2**30, 0)), 100)[0] is False
    assert scalar(vconcat, (NO_COLUMNS, NO_COLUMNS), 100) == (True, ((),) * 4, 4)


def test_downscaling_takes_a_negative_factor_for_the_positive_and_fails_for_none():
    assert downscale(((1, 2, 3), (4, 5, 6), (7, 8, 9)), -2) == ((1, 3), (7, 9))
    with pytest.raises(ZeroDivisionError):
        downscale(G, 0)
    with pytest.raises(IndexError):
        downscale((), 1)


def test_joining():
    assert hconcat(((1,), (2,)), ((3, 4), (5, 6), (7, 8))) == ((1, 3, 4), (2, 5, 6))
    assert hconcat(G, ()) == ()
    assert vconcat(G, ((7, 8, 9),)) == ((1, 2, 3), (4, 5, 6), (7, 8, 9))
    assert vconcat((), G) == vconcat(G, ()) == G


def test_grids_of_unlike_widths_cannot_stand_one_below_the_other():
    for below in (((1,),), NO_COLUMNS):
        with pytest.raises(ValueError):
            vconcat(G, below)


@given(same_sized())
def test_the_two_ways_of_joining_are_each_other_mirrored(pair):
    a, b = pair
    assume(a[0])
    assert dmirror(hconcat(a, b)) == vconcat(dmirror(a), dmirror(b))


def test_cellwise_keeps_what_agrees():
    assert cellwise(((1, 2), (3, 4)), ((1, 0, 9), (0, 4, 9)), 7) == ((1, 7), (7, 4))
    assert cellwise(NO_COLUMNS, (), 7) == NO_COLUMNS


@pytest.mark.parametrize("smaller", [(), ((1, 2, 3),), ((1, 2), (3, 4))])
def test_cellwise_needs_a_second_grid_that_covers_the_first(smaller):
    with pytest.raises(IndexError):
        cellwise(G, smaller, 0)


@given(same_sized(), st.integers(-2, 300))
def test_cellwise_of_grids_of_a_size_does_not_care_which_is_first(pair, fallback):
    a, b = pair
    assert cellwise(a, b, fallback) == cellwise(b, a, fallback)
    assert cellwise(a, a, fallback) == a


def test_recoloring():
    assert replace(((1, 2, 1),), 1, 9) == ((9, 2, 9),)
    assert replace(((1, 2, 1),), 3, 300) == ((1, 2, 1),)
    assert replace(((1, 2, 1),), 1, 300) == ((300, 2, 300),)
    assert switch(((1, 2, 3),), 1, 2) == ((2, 1, 3),)


@given(filled_grids, colors, colors)
def test_switching_twice_is_nothing(grid, a, b):
    assert switch(switch(grid, a, b), a, b) == grid
    assert switch(grid, a, b) == switch(grid, b, a)


@given(filled_grids, colors, colors)
def test_a_replaced_color_is_gone(grid, a, b):
    assume(a != b)
    assert all(a not in row for row in replace(grid, a, b))


def test_canvas():
    assert canvas(3, (2, 3)) == ((3, 3, 3), (3, 3, 3))
    assert canvas(3, (2, 0)) == canvas(3, (2, -4)) == NO_COLUMNS
    assert canvas(3, (0, 5)) == canvas(3, (-1, 5)) == ()


def test_colors_may_be_any_integers():
    assert assert_same(replace, [(G, 1, 300), (G, 9, -129), (G, 300, 301), (G, 1, 2**31 - 1)]) == []
    assert assert_same(switch, [(G, 1, 300), (G, -129, 300), (G, 1, -(2**31))]) == []


@given(st.lists(st.tuples(same_sized(), st.integers(0, 2)), min_size=1, max_size=4))
def test_both_forms_agree_on_pairs_of_grids_that_fit(lanes):
    for join in (hconcat, vconcat):
        assert_same(join, [pair for pair, _ in lanes])
    assert_same(cellwise, [(a, b, fallback) for (a, b), fallback in lanes])


def test_results_are_plain_tuples_and_sets():
    assert identical(rot90(((True, 0),)), ((1,), (0,)))
