"""Corners, extent and center of patches; moving and recoloring them; neighbors."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import megabatt.runtime.arc as arc
from megabatt.runtime.engine.language.limits import LimitError
from tests.arc.lanes import assert_same, colors, indices, objects, pairs

ELBOW = frozenset({(4, (2, 5)), (4, (3, 5)), (7, (3, 6))})
PLACES = frozenset({(2, 5), (3, 5), (3, 6)})
patches = st.one_of(indices, objects)
BOUNDS = [arc.uppermost, arc.lowermost, arc.leftmost, arc.rightmost, arc.center]


def test_an_object_as_indices():
    assert arc.toindices(ELBOW) == PLACES
    assert arc.toindices(PLACES) == PLACES
    assert arc.toindices(frozenset({(1, (0, 0)), (2, (0, 0))})) == frozenset({(0, 0)})
    assert arc.toindices(((1, (0, 0)), (1, (0, 0)))) == frozenset({(0, 0)})


def test_objects_of_several_colors_that_lie_in_one_another_as_indices():
    cells = ((1, (5, 5)), (2, (0, 0)), (3, (5, 5)))
    objects = [cells, cells[:2], cells[1:], frozenset(cells), ()]
    assert_same(arc.toindices, [(obj,) for obj in objects])
    assert {arc.toindices(obj) for obj in objects[:4]} == {frozenset({(0, 0), (5, 5)})}


def test_recoloring():
    assert arc.recolor(1, ELBOW) == frozenset({(1, place) for place in PLACES})
    assert arc.recolor(1, PLACES) == arc.recolor(1, ELBOW)
    assert arc.recolor(1, frozenset()) == frozenset()


@given(patches, colors)
def test_recoloring_keeps_the_indices(patch, color):
    assert arc.toindices(arc.recolor(color, patch)) == arc.toindices(patch)


def test_shifting():
    assert arc.shift(PLACES, (-2, 1)) == frozenset({(0, 6), (1, 6), (1, 7)})
    assert arc.shift(ELBOW, (0, -5)) == frozenset({(4, (2, 0)), (4, (3, 0)), (7, (3, 1))})
    assert arc.shift(frozenset(), (1, 1)) == frozenset()


@given(patches, pairs, pairs)
def test_shifts_add_up(patch, a, b):
    both = (a[0] + b[0], a[1] + b[1])
    assert arc.shift(arc.shift(patch, a), b) == arc.shift(patch, both)


@pytest.mark.parametrize("direction", [(1, 0), (0, -1)])
def test_a_shift_out_of_the_integers_fails(direction):
    with pytest.raises(LimitError):
        arc.shift(frozenset({(0, 0), (2**31 - 1, -(2**31))}), direction)


@given(patches, pairs)
def test_a_normalized_patch_starts_at_the_origin_wherever_it_was(patch, direction):
    normal = arc.normalize(patch)
    assert arc.normalize(arc.shift(patch, direction)) == normal
    assert arc.shape(normal) == arc.shape(patch)
    assert not patch or arc.ulcorner(normal) == (0, 0)


def test_neighbors():
    assert arc.dneighbors((0, 3)) == frozenset({(-1, 3), (1, 3), (0, 2), (0, 4)})
    assert arc.ineighbors((0, 3)) == frozenset({(-1, 2), (-1, 4), (1, 2), (1, 4)})


@given(pairs)
def test_neighbors_are_the_direct_and_the_diagonal_ones(place):
    around = arc.neighbors(place)
    assert around == arc.dneighbors(place) | arc.ineighbors(place)
    assert around | {place} == arc.backdrop(around)


@given(pairs, pairs)
def test_neighborhood_is_mutual(a, b):
    assert (a in arc.neighbors(b)) == (b in arc.neighbors(a))


def test_no_neighbor_lies_beyond_the_integers():
    for near in (arc.dneighbors, arc.ineighbors, arc.neighbors):
        with pytest.raises(LimitError):
            near((2**31 - 1, 0))
        with pytest.raises(LimitError):
            near((0, -(2**31)))


def test_corners_of_the_bounding_box():
    assert arc.ulcorner(ELBOW) == (2, 5)
    assert arc.urcorner(ELBOW) == (2, 6)
    assert arc.llcorner(ELBOW) == (3, 5)
    assert arc.lrcorner(ELBOW) == (3, 6)


@given(patches)
def test_corners_join_the_extremes(patch):
    assume(patch)
    top, bottom = arc.uppermost(patch), arc.lowermost(patch)
    left, right = arc.leftmost(patch), arc.rightmost(patch)
    assert (arc.ulcorner(patch), arc.lrcorner(patch)) == ((top, left), (bottom, right))
    assert (arc.urcorner(patch), arc.llcorner(patch)) == ((top, right), (bottom, left))
    assert arc.shape(patch) == (bottom - top + 1, right - left + 1)


@pytest.mark.parametrize("primitive", BOUNDS)
def test_an_empty_patch_has_no_bounds(primitive):
    with pytest.raises(ValueError):
        primitive(frozenset())


@pytest.mark.parametrize(
    "primitive", [arc.ulcorner, arc.urcorner, arc.llcorner, arc.lrcorner, arc.centerofmass]
)
def test_an_empty_patch_has_the_empty_tuple_for_a_corner_and_a_center_of_mass(primitive):
    assert primitive(frozenset()) == ()


def test_centers():
    assert arc.center(frozenset({(0, 0), (2, 4)})) == (1, 2)
    assert arc.center(frozenset({(0, 0), (1, 1)})) == (1, 1)
    assert arc.centerofmass(frozenset({(0, 0), (0, 1), (3, 5)})) == (1, 2)
    assert arc.centerofmass(frozenset({(-1, 0), (0, 0)})) == (-1, 0)


def test_a_place_counts_once_in_the_sum_but_each_cell_in_the_divisor():
    assert arc.centerofmass(frozenset({(1, (4, 4)), (2, (4, 4))})) == (2, 2)


@given(patches)
def test_the_center_is_within_the_bounding_box(patch):
    assume(patch)
    assert arc.center(patch) in arc.backdrop(patch)
