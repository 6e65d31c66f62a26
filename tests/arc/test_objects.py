"""Objects of grids, and patches that fall."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

import megabatt.runtime.arc as arc
from tests.arc.lanes import assert_same, far_indices, filled_grids, indices

Indices = frozenset[tuple[int, int]]
Object = frozenset[tuple[int, tuple[int, int]]]
Grid = tuple[tuple[int, ...], ...]

GRID = ((1, 0, 0, 2), (0, 1, 0, 2), (3, 0, 0, 3))
filled_indices = (indices | far_indices).filter(bool)


def box(h: int, w: int, top: int = 0, left: int = 0) -> Indices:
    return frozenset((top + i, left + j) for i in range(h) for j in range(w))


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
