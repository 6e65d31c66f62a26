"""Primitives that arc-dsl does not have."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

import megabatt.runtime.arc as arc
from tests.arc import lanes
from tests.arc.lanes import assert_same, scalar

grids = lanes.grids(6, st.sampled_from((0, 0, 1, 2, 3))).filter(lambda grid: grid and grid[0])


def cells_of(grid):
    return {place: color for color, place in arc.asobject(grid)}


def assert_same_up_to_the_limit(function, grid):
    """Check that both forms can build with just what a call charges, and neither with less."""
    _, _, charged = scalar(function, (grid,), 20_000)
    for limit in (20_000, charged, charged - 1):
        assert_same(function, [(grid,)], limit)
        assert scalar(function, (grid,), limit)[0] == (limit >= charged)


@given(grids, st.integers(0, 3))
def test_colors_flow_over_black_cells_alone(grid, wall):
    before, after = cells_of(grid), cells_of(arc.flooded(grid, wall))
    assert all(after[place] == color for place, color in before.items() if color)
    for (i, j), color in after.items():
        beside = {after.get(place, 0) for place in ((i - 1, j), (i + 1, j), (i, j - 1), (i, j + 1))}
        if color == 0:
            assert beside <= {0, wall}
        elif before[i, j] == 0:
            assert color in beside and color != wall


@given(grids)
def test_falling_cells_stay_in_their_columns_until_nothing_moves(grid):
    fallen = arc.fallen(grid)
    assert [Counter(column) for column in zip(*fallen, strict=True)] == [
        Counter(column) for column in zip(*grid, strict=True)
    ]
    assert arc.fallen(fallen) == fallen


def test_a_piece_falls_as_a_whole():
    grid = ((0, 1, 1), (0, 0, 1), (0, 0, 0), (2, 0, 0), (0, 0, 0))
    assert arc.fallen(grid) == ((0, 0, 0), (0, 0, 0), (0, 0, 0), (0, 1, 1), (2, 0, 1))


@given(grids, grids)
def test_roles_lead_back_to_colors(grid, by):
    ranked = arc.ranked(grid, by)
    assert arc.unranked(ranked, by) == grid
    assert [[cell == 0 for cell in row] for row in ranked] == [
        [cell == 0 for cell in row] for row in grid
    ]
    counts = Counter(cell for row in arc.ranked(by, by) for cell in row if cell)
    assert list(counts[k] for k in range(1, 10)) == sorted(counts.values(), reverse=True) + [0] * (
        9 - len(counts)
    )


@given(grids)
def test_a_completed_grid_keeps_its_colors_and_shows_its_patterns(grid):
    try:
        completed = arc.completed(grid)
    except ValueError:
        return
    before, after = cells_of(grid), cells_of(completed)
    assert all(after[place] == color for place, color in before.items() if color)
    if arc.height(grid) >= 3 and arc.width(grid) >= 3:
        assert 0 not in after.values()


@given(st.integers(3, 5), st.integers(3, 5), st.data())
def test_a_hole_in_a_pattern_that_repeats_is_filled_in(down, across, data):
    rows, columns = range(3 * down), range(3 * across)
    whole = tuple(tuple(1 + (i % 3) * 3 + j % 3 for j in columns) for i in rows)
    i, j = data.draw(st.integers(1, 3 * down - 3)), data.draw(st.integers(1, 3 * across - 3))
    holed = arc.fill(whole, 0, frozenset({(i, j), (i, j + 1)}))
    assert arc.completed(holed) == whole
    assert_same_up_to_the_limit(arc.completed, holed)


@given(grids, st.sampled_from([arc.RIGHT, arc.LEFT, arc.UP, arc.DOWN, arc.UNITY, (-2, 1), (0, 0)]))
def test_black_cells_are_smeared_with_the_nearest_color_behind_them(grid, direction):
    before, after = cells_of(grid), cells_of(arc.smeared(grid, direction))
    for (i, j), color in after.items():
        behind = [before.get((i - k * direction[0], j - k * direction[1]), 0) for k in range(7)]
        assert color == next(filter(None, behind), 0)


@given(st.integers(3, 5), st.integers(1, 6), st.sampled_from([arc.identity, arc.rot90]), st.data())
def test_a_hole_in_a_symmetric_grid_is_filled_in(rows, columns, turn, data):
    half = tuple(tuple(1 + i * columns + j for j in range(columns)) for i in range(rows))
    whole = turn(half + half[::-1])
    hole = data.draw(st.sampled_from(sorted(cells_of(whole))))
    holed = arc.fill(whole, 0, frozenset({hole}))
    assert arc.symmetrized(holed) == whole
    assert_same_up_to_the_limit(arc.symmetrized, holed)


@given(st.integers(5, 7), st.data())
def test_a_hole_is_filled_in_across_a_diagonal_too(side, data):
    pairs = [[(min(i, j), max(i, j)) for j in range(side)] for i in range(side)]
    whole = tuple(tuple(1 + a * side + b for a, b in row) for row in pairs)
    hole = data.draw(st.tuples(st.integers(1, side - 1), st.just(0)))
    holed = arc.fill(whole, 0, frozenset({hole}))
    made = arc.vmirror(holed)
    assert_same_up_to_the_limit(arc.symmetrized, holed)
    assert_same_up_to_the_limit(arc.symmetrized, made)
    assert arc.symmetrized(holed) == whole
    assert arc.symmetrized(made) == arc.vmirror(whole)


def test_a_grid_without_symmetry_is_not_filled_in():
    with pytest.raises(ValueError, match="axis"):
        arc.symmetrized(((1, 2, 3), (4, 0, 5), (6, 7, 8)))
