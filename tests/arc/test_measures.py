"""Extent and colors of grids and patches."""

import pytest
from hypothesis import assume, given

import megabatt.runtime.arc as arc
from megabatt.runtime.engine.language.limits import UNLIMITED, LimitError, budget
from tests.arc.lanes import colors, grids, indices, objects

GRID = ((3, 3, 1), (1, 0, 3))
ELBOW = frozenset({(4, (2, 5)), (4, (3, 5)), (7, (3, 6))})


def test_most_and_least_common_colors():
    assert arc.mostcolor(GRID) == 3
    assert arc.leastcolor(GRID) == 0
    assert arc.mostcolor(ELBOW) == 4
    assert arc.leastcolor(ELBOW) == 7


def test_ties_fall_to_the_smallest_color():
    assert arc.mostcolor(((9, 2), (2, 9))) == 2
    assert arc.leastcolor(((9, 2, 5), (2, 9, 5))) == 2
    assert arc.mostcolor(frozenset({(8, (0, 0)), (6, (0, 1))})) == 6


@pytest.mark.parametrize("empty", [(), ((),), frozenset()])
def test_without_cells_no_color_is_most_common(empty):
    with pytest.raises(ValueError):
        arc.mostcolor(empty)
    with pytest.raises(ValueError):
        arc.leastcolor(empty)


def test_extent_of_grids_and_patches():
    assert (arc.height(GRID), arc.width(GRID), arc.shape(GRID)) == (2, 3, (2, 3))
    assert (arc.height(ELBOW), arc.width(ELBOW), arc.shape(ELBOW)) == (2, 2, (2, 2))
    assert arc.shape(frozenset({(-3, 4), (1, 4)})) == (5, 1)


def test_what_is_empty_has_no_extent():
    for empty in ((), frozenset()):
        assert (arc.height(empty), arc.width(empty), arc.shape(empty)) == (0, 0, (0, 0))
    assert arc.shape(((), ())) == (2, 0)


def test_height_of_any_tuple_is_its_length():
    assert arc.height((5, 6, 7)) == 3
    assert arc.height((ELBOW,)) == 1


def test_an_extent_beyond_the_integers_fails():
    ends = frozenset({(-(2**31), 0), (2**31 - 1, 0)})
    with pytest.raises(LimitError):
        arc.height(ends)
    assert arc.portrait(ends)


def test_portrait_is_higher_than_wide():
    assert arc.portrait(((1,), (1,)))
    assert not arc.portrait(((1, 1), (1, 1)))
    assert not arc.portrait(frozenset({(0, 0), (1, 3)}))


def test_counting_colors():
    assert arc.colorcount(GRID, 3) == 3
    assert arc.colorcount(ELBOW, 7) == 1
    assert arc.colorcount(frozenset(), 7) == 0
    assert arc.palette(GRID) == frozenset({0, 1, 3})
    assert arc.palette(ELBOW) == frozenset({4, 7})
    assert (arc.numcolors(GRID), arc.numcolors(ELBOW), arc.numcolors(())) == (3, 2, 0)


@given(grids())
def test_the_palette_accounts_for_every_cell(grid):
    counted = sum(arc.colorcount(grid, color) for color in arc.palette(grid))
    assert counted == sum(map(len, grid))


@given(grids())
def test_most_and_least_bound_all_counts(grid):
    assume(any(grid))
    counts = [arc.colorcount(grid, color) for color in arc.palette(grid)]
    assert arc.colorcount(grid, arc.mostcolor(grid)) == max(counts)
    assert arc.colorcount(grid, arc.leastcolor(grid)) == min(counts)


def test_the_color_of_an_object_is_its_first_cells():
    assert arc.color(ELBOW) == 4
    assert arc.color(((9, (0, 0)), (2, (0, 1)))) == 9
    with pytest.raises(ValueError):
        arc.color(frozenset())


@given(objects, colors)
def test_a_recolored_object_has_that_color(obj, value):
    assume(obj)
    assert arc.color(arc.recolor(value, obj)) == value


def test_squares():
    assert arc.square(((1, 2), (3, 4)))
    assert not arc.square(GRID)
    assert arc.square(frozenset({(0, 0), (0, 1), (1, 0), (1, 1)}))
    assert not arc.square(frozenset({(0, 0), (1, 1)}))
    assert arc.square(frozenset())
    with pytest.raises(IndexError):
        arc.square(())


def test_lines():
    upright = frozenset({(2, 5), (3, 5), (4, 5)})
    assert arc.vline(upright) and not arc.hline(upright)
    assert arc.hline(frozenset({(6, (0, 1)), (6, (0, 2))}))
    assert arc.vline(frozenset({(1, 1)})) and arc.hline(frozenset({(1, 1)}))
    assert not arc.vline(frozenset({(0, 0), (2, 0)}))
    assert not arc.vline(frozenset()) and not arc.hline(frozenset())


@given(indices)
def test_a_full_bounding_box_that_is_as_high_as_wide_is_square(patch):
    box = arc.backdrop(patch)
    assert arc.square(box) == (arc.height(patch) == arc.width(patch))


def test_a_palette_is_charged_by_its_colors():
    budget.left = 100
    try:
        arc.palette(GRID)
        assert 100 - budget.left == 3
    finally:
        budget.left = UNLIMITED
