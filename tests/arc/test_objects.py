"""Objects of grids, falling patches, occurrences and periods."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

import megabatt.runtime.arc as arc
from tests.arc.lanes import assert_same, far_indices, filled_grids, grids, indices

Indices = frozenset[tuple[int, int]]
Object = frozenset[tuple[int, tuple[int, int]]]
Grid = tuple[tuple[int, ...], ...]

GRID = ((1, 0, 0, 2), (0, 1, 0, 2), (3, 0, 0, 3))
filled_indices = (indices | far_indices).filter(bool)


def cells(*rows: str) -> Object:
    """Return the object drawn by `rows`: a digit a cell, '.' where there is none."""
    return frozenset(
        (int(digit), (i, j))
        for i, row in enumerate(rows)
        for j, digit in enumerate(row)
        if digit != "."
    )


def box(h: int, w: int, top: int = 0, left: int = 0) -> Indices:
    return frozenset((top + i, left + j) for i in range(h) for j in range(w))


# objects


def components(grid: Grid, univalued: bool, diagonal: bool, without_bg: bool) -> set[Object]:
    """Find the objects of a grid, each by growing from one of its cells."""
    around = arc.neighbors if diagonal else arc.dneighbors
    background = arc.mostcolor(grid) if without_bg else None
    left = {place: color for color, place in arc.asobject(grid) if color != background}
    found = set()
    while left:
        members, reached = set(), [next(iter(left))]
        while reached:
            place = reached.pop()
            if place in left:
                color = left.pop(place)
                members.add((color, place))
                reached += [p for p in around(place) if not univalued or left.get(p) == color]
        found.add(frozenset(members))
    return found


@given(filled_grids, st.booleans(), st.booleans(), st.booleans())
@example(GRID, True, True, True)
@example(GRID, True, False, True)
@example(GRID, False, True, True)
def test_objects_are_connected_components(grid, univalued, diagonal, without_bg):
    """Cells connect by sides, or also by corners, within a color, or across all but background."""
    found = arc.objects(grid, univalued, diagonal, without_bg)
    assert found == components(grid, univalued, diagonal, without_bg)


def test_colorfilter_looks_at_an_objects_first_cell():
    mixed, four = cells("54"), cells("4")
    assert arc.colorfilter(frozenset({mixed, four}), 4) == {mixed, four}
    assert arc.colorfilter(frozenset({mixed, four}), 5) == frozenset()


@given(filled_indices, filled_indices)
def test_gravitate_leads_next_to_the_destination_or_42_steps_away(a, b):
    di, dj = arc.gravitate(a, b)
    assert di == 0 or dj == 0
    assert arc.adjacent(arc.shift(a, (di, dj)), b) or abs(di + dj) == 42
    assert (di == 0) or arc.vmatching(a, b)
    assert_same(arc.gravitate, [(a, b)])


def test_gravitate_falls_along_a_shared_column_first():
    assert arc.gravitate(box(1, 2), box(1, 2, 6, 0)) == (5, 0)
    assert arc.gravitate(box(1, 2, 0, 9), box(3, 2)) == (0, -7)
    assert arc.gravitate(box(1, 1), box(1, 1, 1, 0)) == (0, 0)
    assert arc.gravitate(box(1, 1), box(1, 1, 0, 90)) == (0, 42)


# search


near = st.tuples(st.integers(0, 2), st.integers(0, 2))
close_together = st.frozensets(st.tuples(st.integers(0, 2), near), max_size=6)


@given(grids(4, st.integers(0, 2)).filter(lambda grid: grid and grid[0]), close_together, st.data())
@example(((1, 2), (2, 1)), frozenset({(1, (0, 0)), (2, (0, 0))}), None)
@example(((1, 1),), frozenset(), None)
def test_an_object_occurs_where_its_cells_are_wherever_it_comes_from(grid, obj, data):
    """An empty object occurs everywhere, and behind every row and column."""
    if data is not None and data.draw(st.booleans()):
        obj = frozenset(data.draw(st.sets(st.sampled_from(sorted(arc.asobject(grid))))))
    rows = range(len(grid) - arc.height(obj) + 1)
    columns = range(len(grid[0]) - arc.width(obj) + 1)
    normal = arc.normalize(obj)
    assert arc.occurrences(grid, arc.shift(obj, (-9, 9))) == {
        (i, j)
        for i in rows
        for j in columns
        if all(grid[i + down][j + across] == color for color, (down, across) in normal)
    }


@given(close_together, st.integers(1, 3), st.integers(0, 2))
@example(cells("1.1.1"), 1, 0)
@example(cells("1.11"), 1, 0)
@example(cells(".11"), 1, 0)
def test_a_period_leads_from_each_cell_back_to_one_like_it(obj, times, gap):
    """Only cells within the object's width count, and holes only where a cell falls on them."""
    width = arc.width(obj)
    obj = frozenset((c, (i, j + k * (width + gap))) for c, (i, j) in obj for k in range(times))
    wide, left = arc.width(obj), min((j for _, (_, j) in obj), default=0)
    periods = (
        period
        for period in range(1, wide)
        if all((c, (i, j - period)) in obj for c, (i, j) in obj if j - period >= left)
    )
    assert arc.hperiod(obj) == next(periods, wide)
    assert arc.vperiod(arc.dmirror(obj) if obj else obj) == arc.hperiod(obj)
