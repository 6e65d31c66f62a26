"""Grids and patches turned, mirrored, scaled, joined and recolored."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import megabatt.runtime.arc as arc
from megabatt.runtime.engine.language.limits import LimitError
from megabatt.runtime.engine.language.values import identical, show
from tests.arc.lanes import assert_same, colors, filled_grids, grids, pairs, patch_sets, scalar

G = ((1, 2, 3), (4, 5, 6))
NO_COLUMNS = ((), ())
TURNS = {
    arc.rot90: lambda array: np.rot90(array, -1),
    arc.rot180: lambda array: np.rot90(array, 2),
    arc.rot270: np.rot90,
    arc.hmirror: np.flipud,
    arc.vmirror: np.fliplr,
    arc.dmirror: np.transpose,
    arc.cmirror: lambda array: np.rot90(array, 2).T,
}
MIRRORS = pytest.mark.parametrize("mirror", list(TURNS)[3:], ids=show)


@st.composite
def same_sized(draw):
    h, w = draw(st.integers(1, 4)), draw(st.integers(0, 4))
    rows = st.tuples(*[st.tuples(*[st.integers(0, 2)] * w)] * h)
    return draw(rows), draw(rows)


def as_grid(array):
    return tuple(map(tuple, array.tolist()))


@pytest.mark.parametrize("turn", TURNS, ids=show)
@given(grid=grids().filter(bool))
@example(grid=NO_COLUMNS)
def test_turns_and_mirrors_are_numpy_s(turn, grid):
    assert turn(grid) == as_grid(TURNS[turn](np.array(grid)))


def test_mirrors_of_a_patch_stay_in_its_corner():
    hook = frozenset({(2, 5), (3, 5), (4, 5), (4, 6)})
    assert arc.hmirror(hook) == {(4, 5), (3, 5), (2, 5), (2, 6)}
    assert arc.vmirror(hook) == {(2, 6), (3, 6), (4, 6), (4, 5)}
    assert arc.dmirror(hook) == {(2, 5), (2, 6), (2, 7), (3, 7)}
    assert arc.cmirror(hook) == {(3, 7), (3, 6), (3, 5), (2, 5)}


@MIRRORS
@given(grid=filled_grids, patch=patch_sets.filter(bool), to=pairs)
def test_a_mirror_undoes_itself_and_mirrors_patches_like_grids(mirror, grid, patch, to):
    assert mirror(mirror(patch)) == patch
    with pytest.raises(ValueError):
        mirror(frozenset())
    for cells in (arc.asobject, arc.asindices):
        assert mirror(arc.shift(cells(grid), to)) == arc.shift(cells(mirror(grid)), to)


def test_a_diagonal_mirror_image_beyond_the_integers_fails():
    patch = frozenset({(2**31 - 1, 0), (2**31 - 1, 1)})
    assert arc.vmirror(patch) == patch
    for mirror in (arc.dmirror, arc.cmirror):
        with pytest.raises(LimitError):
            mirror(patch)


@given(filled_grids, st.integers(-3, 4))
def test_upscaling_repeats_and_downscaling_undoes_it(grid, factor):
    times, array = max(factor, 0), np.array(grid)
    assert arc.hupscale(grid, factor) == as_grid(array.repeat(times, 1))
    assert arc.vupscale(grid, factor) == as_grid(array.repeat(times, 0))
    assert arc.upscale(grid, factor) == arc.vupscale(arc.hupscale(grid, factor), factor)
    assert arc.upscale(arc.asobject(grid), factor) == arc.asobject(arc.upscale(grid, factor))
    assert factor < 1 or arc.downscale(arc.upscale(grid, factor), factor) == grid


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
    for wrong, error in [((G, 0), ZeroDivisionError), (((), 1), IndexError)]:
        with pytest.raises(error):
            arc.downscale(*wrong)


@given(grids(), grids())
def test_side_by_side_grids_have_the_rows_of_both_and_one_below_the_other_one_width(a, b):
    assert arc.hconcat(a, b) == tuple(left + right for left, right in zip(a, b, strict=False))
    if a and b and len(a[0]) != len(b[0]):
        with pytest.raises(ValueError):
            arc.vconcat(a, b)
    else:
        assert arc.vconcat(a, b) == a + b


@pytest.mark.parametrize("smaller", [(), ((1, 2, 3),), ((1, 2), (3, 4))])
def test_cellwise_needs_a_second_grid_that_covers_the_first(smaller):
    with pytest.raises(IndexError):
        arc.cellwise(G, smaller, 0)
    assert arc.cellwise(NO_COLUMNS, (), 7) == NO_COLUMNS


@given(same_sized(), st.integers(-2, 300), st.integers(0, 9))
def test_cellwise_keeps_what_agrees(pair, fallback, more):
    a, b = map(np.array, pair)
    expected = as_grid(np.where(a == b, a, fallback))
    assert arc.cellwise(*pair, fallback) == expected
    assert arc.cellwise(pair[0], tuple((*row, more) for row in pair[1]), fallback) == expected


@given(filled_grids, colors | st.just(300), colors | st.just(300))
def test_a_color_is_replaced_by_another_or_they_change_places(grid, a, b):
    def recolored(names):
        return tuple(tuple(names.get(color, color) for color in row) for row in grid)

    assert arc.replace(grid, a, b) == recolored({a: b})
    assert arc.switch(grid, a, b) == recolored({a: b, b: a})


@given(colors, st.integers(-4, 4), st.integers(-4, 4))
def test_a_canvas_is_of_one_color_and_without_cells_where_a_side_is_none(color, height, width):
    assert arc.canvas(color, (height, width)) == ((color,) * width,) * height


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
