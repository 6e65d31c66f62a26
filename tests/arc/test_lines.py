"""Sets of indices drawn from bounding boxes and points."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import megabatt.runtime.arc as arc
from megabatt.runtime.engine.language.limits import LimitError
from megabatt.runtime.engine.language.values import show
from tests.arc.lanes import charge_of, pairs, patch_sets, scalar

ENDS = frozenset({(1, 1), (3, 4)})
signs = st.sampled_from([-1, 0, 1])
ways = pairs | st.builds(arc.multiply, st.integers(0, 4), st.tuples(signs, signs))


@given(patch_sets.filter(bool))
def test_parts_of_the_bounding_box(patch):
    places = arc.toindices(patch)
    (top, bottom), (left, right) = [(min(part), max(part)) for part in zip(*places, strict=True)]
    rows, columns = range(top, bottom + 1), range(left, right + 1)
    assert arc.backdrop(patch) == {(i, j) for i in rows for j in columns}
    assert arc.delta(patch) == arc.backdrop(patch) - places
    assert arc.corners(patch) == {(i, j) for i in (top, bottom) for j in (left, right)}
    assert arc.box(patch) == {
        (i, j) for i, j in arc.backdrop(patch) if i in (top, bottom) or j in (left, right)
    }
    assert arc.outbox(patch) == arc.box(frozenset({(top - 1, left - 1), (bottom + 1, right + 1)}))
    assert arc.inbox(arc.outbox(patch)) == arc.box(patch)


def test_an_empty_patch_draws_nothing_and_has_no_box_within_or_around():
    assert arc.corners(frozenset()) == frozenset({()})
    for draw in (arc.box, arc.backdrop, arc.delta):
        assert draw(frozenset()) == frozenset()
    for draw in (arc.inbox, arc.outbox):
        with pytest.raises(ValueError):
            draw(frozenset())


def test_without_an_inside_the_sides_of_the_inbox_swap():
    point = frozenset({(4, 4)})
    assert arc.inbox(point) == arc.neighbors((4, 4))
    assert arc.inbox(frozenset({(0, 0), (1, 1)})) == frozenset({(0, 0), (0, 1), (1, 0), (1, 1)})


@given(pairs, ways)
def test_a_line_leads_straight_from_one_place_to_another(a, way):
    b, (di, dj), steps = arc.add(a, way), way, max(map(abs, way))
    straight = 0 in (di, dj) or abs(di) == abs(dj)
    line = {(a[0] + di * k // steps, a[1] + dj * k // steps) for k in range(steps + 1) if steps}
    assert arc.connect(a, b) == ((line or {a}) if straight else frozenset())


@given(pairs, ways)
def test_shooting_goes_on_for_42_steps(start, direction):
    di, dj = direction
    if 0 in direction or abs(di) == abs(dj):
        end = arc.add(start, arc.multiply(42, direction))
        assert arc.shoot(start, direction) == arc.connect(start, end)
    assert arc.vfrontier(start) == arc.connect((0, start[1]), (29, start[1]))
    assert arc.hfrontier(start) == arc.connect((start[0], 0), (start[0], 29))


FAR = frozenset({(0, 0), (2**30, 2**30)})


@pytest.mark.parametrize(
    "call",
    [
        *[(draw, FAR) for draw in (arc.backdrop, arc.delta, arc.box, arc.inbox, arc.outbox)],
        (arc.connect, (-(2**31), 0), (2**31 - 1, 0)), (arc.shoot, (0, 0), (2**30, 0)),
        (arc.outbox, frozenset({(0, 2**31 - 1)})), (arc.inbox, frozenset({(-(2**31), 0)})),
    ],
    ids=show,
)  # fmt: skip
def test_results_that_are_huge_or_beyond_the_integers_fail_before_they_are_built(call):
    function, *args = call
    succeeded, error, _ = scalar(function, args, 1000)
    assert not succeeded and isinstance(error, LimitError)


@pytest.mark.parametrize(
    "call, charged",
    [
        ((arc.corners, ENDS), 4), ((arc.backdrop, ENDS), 12), ((arc.delta, ENDS), 12),
        ((arc.box, ENDS), 10), ((arc.box, frozenset()), 0), ((arc.inbox, ENDS), 2),
        ((arc.outbox, ENDS), 18), ((arc.connect, (0, 0), (0, 9)), 10),
        ((arc.connect, (0, 0), (1, 9)), 0), ((arc.connect, (0, 0), (1, 2**30)), 0),
        ((arc.shoot, (0, 0), (1, 0)), 43), ((arc.vfrontier, (0, 0)), 30),
    ],
    ids=show,
)  # fmt: skip
def test_the_charge_is_the_number_of_indices_drawn(call, charged):
    assert charge_of(*call) == charged
