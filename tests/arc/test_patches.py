"""Corners, extent and center of patches; moving and recoloring them; neighbors."""

import pytest
from hypothesis import example, given

import megabatt.runtime.arc as arc
from megabatt.runtime.engine.language.limits import LimitError
from tests.arc.lanes import assert_same, colors, pairs, patch_sets

BOUNDS = [arc.uppermost, arc.lowermost, arc.leftmost, arc.rightmost, arc.center]
CORNERS = [arc.ulcorner, arc.urcorner, arc.llcorner, arc.lrcorner]


def places_of(patch):
    """Return where the cells of an object, or the indices, are."""
    return {cell[1] if isinstance(cell[1], tuple) else cell for cell in patch}


@given(patch_sets, colors)
def test_recoloring_keeps_the_indices(patch, color):
    assert arc.toindices(patch) == places_of(patch)
    assert arc.recolor(color, patch) == {(color, place) for place in places_of(patch)}


def test_objects_of_several_colors_that_lie_in_one_another_as_indices():
    cells = ((1, (5, 5)), (2, (0, 0)), (3, (5, 5)))
    objects = [cells, cells[:2], cells[1:], frozenset(cells), ()]
    assert_same(arc.toindices, [(obj,) for obj in objects])
    assert {arc.toindices(obj) for obj in objects[:4]} == {frozenset({(0, 0), (5, 5)})}


@given(patch_sets, pairs)
def test_shifting_moves_all_and_a_normalized_patch_starts_at_the_origin(patch, way):
    shifted = arc.shift(patch, way)
    assert shifted == {
        (cell[0], arc.add(cell[1], way)) if isinstance(cell[1], tuple) else arc.add(cell, way)
        for cell in patch
    }
    assert arc.normalize(shifted) == arc.normalize(patch)
    assert not patch or arc.shift(arc.normalize(patch), arc.ulcorner(patch)) == patch


@pytest.mark.parametrize("direction", [(1, 0), (0, -1)])
def test_a_shift_out_of_the_integers_fails(direction):
    with pytest.raises(LimitError):
        arc.shift(frozenset({(0, 0), (2**31 - 1, -(2**31))}), direction)


@given(pairs)
def test_neighbors_are_the_direct_and_the_diagonal_ones(place):
    i, j = place
    assert arc.dneighbors(place) == {(i - 1, j), (i + 1, j), (i, j - 1), (i, j + 1)}
    assert arc.ineighbors(place) == {(i + a, j + b) for a in (-1, 1) for b in (-1, 1)}
    assert arc.neighbors(place) == arc.dneighbors(place) | arc.ineighbors(place)


@pytest.mark.parametrize("near", [arc.dneighbors, arc.ineighbors, arc.neighbors])
@pytest.mark.parametrize("place", [(2**31 - 1, 0), (0, -(2**31))])
def test_no_neighbor_lies_beyond_the_integers(near, place):
    with pytest.raises(LimitError):
        near(place)


@given(patch_sets.filter(bool))
def test_corners_join_the_extremes_and_the_center_lies_between(patch):
    rows, columns = map(sorted, zip(*places_of(patch), strict=True))
    top, bottom, left, right = rows[0], rows[-1], columns[0], columns[-1]
    assert [bound(patch) for bound in BOUNDS[:4]] == [top, bottom, left, right]
    assert [corner(patch) for corner in CORNERS] == [
        (top, left), (top, right), (bottom, left), (bottom, right)
    ]
    height, width = bottom - top + 1, right - left + 1
    assert arc.shape(patch) == (height, width)
    assert arc.center(patch) == (top + height // 2, left + width // 2)


def test_an_empty_patch_has_no_bounds_and_the_empty_tuple_for_a_corner_and_a_center_of_mass():
    for bound in BOUNDS:
        with pytest.raises(ValueError):
            bound(frozenset())
    assert {of(frozenset()) for of in (*CORNERS, arc.centerofmass)} == {()}


@given(patch_sets.filter(bool))
@example(frozenset({(1, (4, 4)), (2, (4, 4))}))
def test_a_place_counts_once_in_the_center_of_mass_but_each_cell_in_its_divisor(patch):
    sums = map(sum, zip(*places_of(patch), strict=True))
    assert arc.centerofmass(patch) == tuple(total // len(patch) for total in sums)
