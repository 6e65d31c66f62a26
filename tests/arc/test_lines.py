"""Sets of indices drawn from bounding boxes and points."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import megabatt.runtime.arc as arc
from megabatt.runtime.engine.language.limits import UNLIMITED, LimitError, budget
from tests.arc.lanes import indices, objects, pairs

ENDS = frozenset({(1, 1), (3, 4)})
patches = st.one_of(indices, objects)


@pytest.fixture
def limit():
    """Set a budget of 1000 elements."""
    budget.left = 1000
    yield
    budget.left = UNLIMITED


def test_corners():
    assert arc.corners(ENDS) == frozenset({(1, 1), (1, 4), (3, 1), (3, 4)})
    assert arc.corners(frozenset({(5, (2, 2))})) == frozenset({(2, 2)})
    assert arc.corners(frozenset()) == frozenset({()})


def test_box_and_backdrop():
    assert arc.backdrop(ENDS) == frozenset((i, j) for i in (1, 2, 3) for j in (1, 2, 3, 4))
    assert arc.box(ENDS) == arc.backdrop(ENDS) - {(2, 2), (2, 3)}
    assert arc.delta(ENDS) == arc.backdrop(ENDS) - ENDS


@pytest.mark.parametrize("primitive", [arc.box, arc.backdrop, arc.delta])
def test_an_empty_patch_draws_nothing(primitive):
    assert primitive(frozenset()) == frozenset()


@pytest.mark.parametrize("primitive", [arc.inbox, arc.outbox])
def test_an_empty_patch_has_no_box_within_or_around(primitive):
    with pytest.raises(ValueError):
        primitive(frozenset())


@given(patches)
def test_a_patch_and_its_delta_fill_its_backdrop(patch):
    assert arc.delta(patch) | arc.toindices(patch) == arc.backdrop(patch)
    assert arc.delta(patch).isdisjoint(arc.toindices(patch))


@given(patches)
def test_a_box_is_what_its_own_inside_leaves_of_the_backdrop(patch):
    assume(arc.height(patch) > 2 and arc.width(patch) > 2)
    assert arc.box(patch) == arc.backdrop(patch) - arc.backdrop(arc.inbox(patch))


@given(patches)
def test_the_inbox_of_the_outbox_is_the_box(patch):
    assume(patch)
    assert arc.inbox(arc.outbox(patch)) == arc.box(patch)


def test_where_there_is_no_within_the_sides_of_the_inbox_swap():
    point = frozenset({(4, 4)})
    assert arc.inbox(point) == arc.neighbors((4, 4))
    assert arc.inbox(frozenset({(0, 0), (1, 1)})) == frozenset({(0, 0), (0, 1), (1, 0), (1, 1)})


def test_no_box_lies_beyond_the_integers():
    with pytest.raises(LimitError):
        arc.outbox(frozenset({(0, 2**31 - 1)}))
    with pytest.raises(LimitError):
        arc.inbox(frozenset({(-(2**31), 0)}))


def test_connecting():
    assert arc.connect((2, 1), (2, 3)) == frozenset({(2, 1), (2, 2), (2, 3)})
    assert arc.connect((1, 0), (-1, 0)) == frozenset({(-1, 0), (0, 0), (1, 0)})
    assert arc.connect((0, 2), (2, 0)) == frozenset({(0, 2), (1, 1), (2, 0)})
    assert arc.connect((0, 0), (2, 2)) == frozenset({(0, 0), (1, 1), (2, 2)})
    assert arc.connect((5, 5), (5, 5)) == frozenset({(5, 5)})
    assert arc.connect((0, 0), (1, 2)) == frozenset()


@given(pairs, pairs)
def test_a_line_is_the_same_from_both_ends_and_as_long_as_its_box(a, b):
    line = arc.connect(a, b)
    assert line == arc.connect(b, a)
    if line:
        assert {a, b} <= line
        assert len(line) == max(arc.shape(line))


def test_shooting_goes_on_for_42_steps():
    assert arc.shoot((1, 1), (0, 0)) == frozenset({(1, 1)})
    assert arc.shoot((1, 1), (-1, 1)) == frozenset((1 - k, 1 + k) for k in range(43))
    assert arc.shoot((0, 0), (0, 2)) == arc.connect((0, 0), (0, 84))
    with pytest.raises(LimitError):
        arc.shoot((0, 0), (2**30, 0))


def test_frontiers():
    assert arc.vfrontier((5, 3)) == arc.connect((0, 3), (29, 3))
    assert arc.hfrontier((5, 3)) == arc.connect((5, 0), (5, 29))


FAR = frozenset({(0, 0), (2**30, 2**30)})


@pytest.mark.parametrize("primitive", [arc.backdrop, arc.delta, arc.box, arc.inbox, arc.outbox])
def test_a_huge_box_fails_before_it_is_built(limit, primitive):
    with pytest.raises(LimitError):
        primitive(FAR)


def test_a_huge_line_fails_before_it_is_built(limit):
    with pytest.raises(LimitError):
        arc.connect((-(2**31), 0), (2**31 - 1, 0))
    assert arc.connect((0, 0), (1, 2**30)) == frozenset()


@pytest.mark.parametrize(
    "call, charged",
    [
        (lambda: arc.corners(ENDS), 4),
        (lambda: arc.backdrop(ENDS), 12),
        (lambda: arc.delta(ENDS), 12),
        (lambda: arc.box(ENDS), 10),
        (lambda: arc.box(frozenset()), 0),
        (lambda: arc.inbox(ENDS), 2),
        (lambda: arc.outbox(ENDS), 18),
        (lambda: arc.connect((0, 0), (0, 9)), 10),
        (lambda: arc.connect((0, 0), (1, 9)), 0),
        (lambda: arc.shoot((0, 0), (1, 0)), 43),
        (lambda: arc.vfrontier((0, 0)), 30),
    ],
)
def test_the_charge_is_the_number_of_indices_drawn(limit, call, charged):
    call()
    assert 1000 - budget.left == charged
