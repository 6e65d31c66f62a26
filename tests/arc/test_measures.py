"""Extent and colors of grids and patches."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

import megabatt.runtime.arc as arc
from megabatt.runtime.engine.language.limits import LimitError
from tests.arc.lanes import charge_of, colors, grids, objects, patch_sets

GRID = ((3, 3, 1), (1, 0, 3))
ELBOW = frozenset({(4, (2, 5)), (4, (3, 5)), (7, (3, 6))})


@given(grids() | objects, colors)
def test_colors_are_counted_and_ties_fall_to_the_smallest(piece, color):
    object_ = piece if isinstance(piece, frozenset) else arc.asobject(piece)
    counts = Counter(color for color, _ in object_)
    assert arc.colorcount(piece, color) == counts[color]
    assert arc.palette(piece) == set(counts) and arc.numcolors(piece) == len(counts)
    assert charge_of(arc.palette, piece) == len(counts)
    if counts:
        assert arc.mostcolor(piece) == min(counts, key=lambda color: (-counts[color], color))
        assert arc.leastcolor(piece) == min(counts, key=lambda color: (counts[color], color))
    else:
        for common in (arc.mostcolor, arc.leastcolor):
            with pytest.raises(ValueError):
                common(piece)


@given(grids() | patch_sets)
def test_extent_of_grids_and_patches(piece):
    high, wide = len(piece), len(piece[0]) if piece and isinstance(piece, tuple) else 0
    if piece and isinstance(piece, frozenset):
        sides = zip(*arc.toindices(piece), strict=True)
        high, wide = (max(side) - min(side) + 1 for side in sides)
    assert (arc.height(piece), arc.width(piece), arc.shape(piece)) == (high, wide, (high, wide))
    assert arc.portrait(piece) is (high > wide)


def test_height_of_any_tuple_is_its_length():
    assert arc.height((5, 6, 7)) == 3
    assert arc.height((ELBOW,)) == 1


def test_an_extent_beyond_the_integers_fails():
    ends = frozenset({(-(2**31), 0), (2**31 - 1, 0)})
    with pytest.raises(LimitError):
        arc.height(ends)
    assert arc.portrait(ends)


@given(objects)
def test_the_color_of_an_object_is_its_first_cells(cells):
    if cells:
        assert arc.color(cells) == min(cells)[0]
        assert arc.color(tuple(sorted(cells, reverse=True))) == max(cells)[0]
    else:
        with pytest.raises(ValueError):
            arc.color(cells)


def test_squares_of_grids_and_of_empty_values():
    assert arc.square(((1, 2), (3, 4)))
    assert not arc.square(GRID)
    assert arc.square(frozenset())
    with pytest.raises(IndexError):
        arc.square(())


@given(st.frozensets(st.tuples(st.integers(0, 1), st.integers(0, 2)), min_size=1))
def test_squares_and_lines_fill_their_bounding_box(patch):
    for some in (patch, arc.backdrop(patch)):
        high, wide, full = *arc.shape(some), some == arc.backdrop(some)
        assert arc.square(some) is (full and high == wide)
        assert arc.vline(some) is (full and wide == 1)
        assert arc.hline(some) is (full and high == 1)
    assert not arc.vline(frozenset()) and not arc.hline(frozenset())
