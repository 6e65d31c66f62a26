"""Objects of grids, how patches lie to each other, and what is searched for in them."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

import megabatt.runtime.arc as arc
from megabatt.runtime.engine.language.limits import MAX_ELEMENTS, UNLIMITED, LimitError, budget
from tests.arc.lanes import assert_same, grids, indices, one_color, pairs
from tests.arc.lanes import objects as cell_sets

GRID = (
    (1, 0, 0, 2),
    (0, 1, 0, 2),
    (3, 0, 0, 3),
)
filled_grids = grids().filter(lambda grid: grid and grid[0])
filled_patches = st.one_of(indices, one_color, cell_sets).filter(bool)
filled_indices = indices.filter(bool)


def cells(*rows: str) -> frozenset[tuple[int, tuple[int, int]]]:
    """Return the object drawn by `rows`: a digit a cell, '.' where there is none."""
    return frozenset(
        (int(digit), (i, j))
        for i, row in enumerate(rows)
        for j, digit in enumerate(row)
        if digit != "."
    )


def box(h: int, w: int, top: int = 0, left: int = 0) -> frozenset[tuple[int, int]]:
    return frozenset((top + i, left + j) for i in range(h) for j in range(w))


def moved(patch: frozenset[tuple[int, int]], di: int, dj: int) -> frozenset[tuple[int, int]]:
    return frozenset((i + di, j + dj) for i, j in patch)


# objects


def test_corners_connect_only_where_asked_to():
    assert len(arc.objects(GRID, True, False, True)) == 5
    assert arc.objects(GRID, True, True, True) == {
        cells("1", ".1"), cells("...2", "...2"), cells("", "", "3"), cells("", "", "...3")
    }


def test_objects_of_several_colors_grow_over_all_that_is_not_background():
    left, right = cells("1", ".1", "3"), cells("...2", "...2", "...3")
    assert arc.objects(GRID, False, True, True) == {left, right}
    assert right in arc.objects(GRID, False, False, True)


def test_with_its_background_a_grid_of_any_color_is_one_object():
    assert arc.objects(GRID, False, False, False) == {cells("1002", "0102", "3003")}


def test_the_background_falls_apart_into_objects_like_any_color():
    zeros = cells(".00.", "0.0.", ".00.")
    assert {c for c, _ in zeros} == {0}
    assert arc.objects(GRID, True, True, False) >= {zeros}


def test_of_equally_common_colors_the_smallest_is_background():
    assert arc.objects(((2, 1),), True, False, True) == {frozenset({(2, (0, 0))})}


def test_a_grid_without_cells_has_objects_only_with_its_background():
    assert arc.objects(((),), True, True, False) == frozenset()
    for arguments in [(((),), True, True, True), ((), True, True, False)]:
        with pytest.raises((IndexError, ValueError)):
            arc.objects(*arguments)


@given(filled_grids, st.booleans(), st.booleans())
def test_objects_part_the_grid(grid, univalued, diagonal):
    found = arc.objects(grid, univalued, diagonal, False)
    flat = [cell for obj in found for cell in obj]
    assert len(flat) == len(set(flat)) == len(grid) * len(grid[0])
    assert all(grid[i][j] == color for color, (i, j) in flat)


@given(filled_grids, st.booleans(), st.booleans(), st.booleans())
def test_objects_lie_apart_and_hold_together(grid, univalued, diagonal, without_bg):
    found = arc.objects(grid, univalued, diagonal, without_bg)
    for obj in found:
        assert not univalued or len({color for color, _ in obj}) == 1
    for a, b in product(found, found):
        same = min(a)[0] == min(b)[0] or not univalued
        if a != b and same:
            assert not arc.adjacent(a, b)
            assert (
                not diagonal
                or min(max(abs(i - k), abs(j - m)) for _, (i, j) in a for _, (k, m) in b) > 1
            )


@given(filled_grids)
def test_partitions_are_the_colors(grid):
    assert {color for obj in arc.partition(grid) for color, _ in obj} == set(sum(grid, ()))
    assert sum(map(len, arc.partition(grid))) == len(grid) * len(grid[0])
    assert arc.fgpartition(grid) < arc.partition(grid)
    assert len(arc.fgpartition(grid)) == len(arc.partition(grid)) - 1


def test_a_grid_without_cells_has_no_colors_and_no_background():
    assert arc.partition(()) == arc.partition(((),)) == frozenset()
    with pytest.raises(ValueError):
        arc.fgpartition(())


def test_colorfilter_looks_at_an_objects_first_cell():
    mixed, four = cells("54"), cells("4")
    assert arc.colorfilter(frozenset({mixed, four}), 4) == {mixed, four}
    assert arc.colorfilter(frozenset({mixed, four}), 5) == frozenset()


def test_colorfilter_fails_where_an_object_is_empty():
    with pytest.raises(ValueError):
        arc.colorfilter(frozenset({frozenset(), cells("4")}), 4)


# relations


def test_patches_match_along_a_row_or_a_column_that_both_have_cells_in():
    a, b = box(2, 2), box(1, 1, 1, 5)
    assert arc.hmatching(a, b) and not arc.vmatching(a, b)
    assert arc.vmatching(a, box(1, 1, 7, 0)) and not arc.hmatching(a, box(1, 1, 7, 0))
    assert not arc.hmatching(a, frozenset())


far = st.sampled_from([-70, -1, 0, 1, 62, 63, 64, 125, 126, 127, 2**20 - 1, -(2**20)])
far_indices = st.frozensets(st.tuples(far, far), max_size=4)


@given(st.lists(st.tuples(far_indices, far_indices), min_size=1, max_size=4))
def test_patches_match_alike_in_columns_however_far_they_reach(lanes):
    for a, b in lanes:
        assert arc.hmatching(a, b) == any(i == k for i, _ in a for k, _ in b)
    for relation in (arc.hmatching, arc.vmatching, arc.manhattan, arc.adjacent, arc.gravitate):
        assert_same(relation, lanes)


@given(filled_patches, filled_patches)
def test_manhattan_is_the_least_of_all_distances(a, b):
    def places(patch):
        return [cell[1] if isinstance(cell[1], tuple) else cell for cell in patch]

    least = min(abs(i - k) + abs(j - m) for i, j in places(a) for k, m in places(b))
    assert arc.manhattan(a, b) == arc.manhattan(b, a) == least
    assert arc.adjacent(a, b) == (least == 1)


@pytest.mark.parametrize("relation", [arc.manhattan, arc.adjacent, arc.position, arc.gravitate])
def test_an_empty_patch_lies_nowhere(relation):
    for a, b in [(frozenset(), box(1, 1)), (box(1, 1), frozenset())]:
        with pytest.raises(ValueError):
            relation(a, b)


@pytest.mark.parametrize(
    ("patch", "borders"),
    [
        (box(1, 1, 1, 1), False), (box(1, 1, 0, 1), True), (box(1, 1, 1, 0), True),
        (box(1, 1, 2, 1), True), (box(1, 1, 1, 3), True), (box(1, 1, 7, 7), False),
    ],
)
def test_bordering_is_having_an_outermost_cell_on_an_edge(patch, borders):
    assert arc.bordering(patch, GRID) is borders


def test_the_0x0_grid_has_no_right_edge():
    assert arc.bordering(box(1, 1), ()) is True
    with pytest.raises(IndexError):
        arc.bordering(box(1, 1, 5, 5), ())


@given(pairs)
def test_position_points_the_way(way):
    i, j = way
    sign = ((i > 0) - (i < 0), (j > 0) - (j < 0))
    expected = (0, -1) if way == (0, 0) else sign
    assert arc.position(box(3, 3), moved(box(3, 3), i, j)) == expected


@given(filled_indices, filled_indices)
def test_gravitate_leads_next_to_the_destination_or_42_steps_away(a, b):
    di, dj = arc.gravitate(a, b)
    assert di == 0 or dj == 0
    assert arc.adjacent(moved(a, di, dj), b) or abs(di + dj) == 42
    assert (di == 0) or arc.vmatching(a, b)


def test_gravitate_falls_along_a_shared_column_first():
    assert arc.gravitate(box(1, 2), box(1, 2, 6, 0)) == (5, 0)
    assert arc.gravitate(box(1, 2, 0, 9), box(3, 2)) == (0, -7)
    assert arc.gravitate(box(1, 1), box(1, 1, 1, 0)) == (0, 0)
    assert arc.gravitate(box(1, 1), box(1, 1, 0, 90)) == (0, 42)


# search


def test_occurrences_are_the_upper_left_corners():
    assert arc.occurrences(((1, 2, 1), (2, 1, 2)), cells("12")) == {(0, 0), (1, 1)}
    assert arc.occurrences(((1, 2, 1), (2, 1, 2)), cells("1.", ".1")) == {(0, 0)}


def test_where_an_object_comes_from_does_not_matter_for_its_occurrences():
    elsewhere = frozenset((color, (i - 9, j + 9)) for color, (i, j) in cells("12"))
    assert arc.occurrences(((1, 2),), elsewhere) == {(0, 0)}


def test_an_object_larger_than_the_grid_does_not_occur():
    assert arc.occurrences(((1, 1),), cells("111")) == frozenset()


def test_an_empty_object_occurs_everywhere_and_behind_every_row_and_column():
    assert arc.occurrences(((1, 1),), frozenset()) == box(2, 3)


def test_two_colors_in_one_place_occur_nowhere():
    assert arc.occurrences(((1, 2),), frozenset({(1, (0, 0)), (2, (0, 0))})) == frozenset()


@given(filled_grids, st.data())
def test_every_window_of_a_grid_occurs_in_it(grid, data):
    h, w = len(grid), len(grid[0])
    top, left = data.draw(st.integers(0, h - 1)), data.draw(st.integers(0, w - 1))
    window = frozenset((grid[i][j], (i, j)) for i in range(top, h) for j in range(left, w))
    assert (top, left) in arc.occurrences(grid, window)


@given(
    st.lists(st.lists(st.integers(0, 2), min_size=3, max_size=3), min_size=1, max_size=4),
    st.integers(2, 3),
)
def test_three_columns_laid_out_again_and_again_have_period_3_or_are_all_alike(rows, times):
    tiled = cells(*("".join(map(str, row)) * times for row in rows))
    alike = all(len(set(row)) == 1 for row in rows)
    assert arc.hperiod(tiled) == (1 if alike else 3)
    assert arc.vperiod(frozenset((color, (j, i)) for color, (i, j) in tiled)) == arc.hperiod(tiled)


def test_an_object_without_period_has_its_extent():
    assert arc.hperiod(cells("123", "456")) == 3
    assert arc.vperiod(cells("123", "456")) == 2
    assert arc.hperiod(frozenset()) == arc.vperiod(frozenset()) == 0


def test_holes_count_for_the_period_only_where_a_cell_falls_on_them():
    assert arc.hperiod(cells("1.1.1")) == 2
    assert arc.hperiod(cells("1.11")) == 3
    assert arc.hperiod(cells(".11")) == 1


def test_a_period_over_a_width_out_of_all_bounds_fails():
    budget.left = MAX_ELEMENTS
    try:
        with pytest.raises(LimitError):
            arc.hperiod(frozenset({(1, (0, 0)), (1, (0, 10**6))}))
    finally:
        budget.left = UNLIMITED
