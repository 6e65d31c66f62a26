"""Primitives that arc-dsl does not have."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

import megabatt.runtime.arc as arc

colors = st.integers(0, 9)
grids = st.tuples(st.integers(1, 6), st.integers(1, 6)).flatmap(
    lambda size: st.tuples(*[st.tuples(*[st.sampled_from((0, 0, 1, 2, 3))] * size[1])] * size[0])
)


def cells_of(grid):
    return {(i, j): color for i, row in enumerate(grid) for j, color in enumerate(row)}


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
def test_what_falls_stays_in_its_columns_until_nothing_moves(grid):
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
