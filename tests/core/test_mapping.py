"""Functions over the elements of containers, and over the elements of nested containers."""

import inspect

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import megabatt.runtime.arc as arc
from megabatt.runtime.engine.language.values import ascending, identical
from tests.arc.lanes import assert_same, charge_of

small = st.integers(-5, 5)
tuples = st.lists(small, max_size=5).map(tuple)
sets = st.frozensets(small, max_size=5)
either_kind = st.one_of(tuples, sets)
nested = st.one_of(
    st.lists(either_kind, max_size=3).map(tuple),
    st.frozensets(either_kind, max_size=3),
    st.frozensets(sets, max_size=3),
)
functions = st.sampled_from(
    [arc.increment, arc.halve, arc.invert, arc.sign, arc.identity, arc.rbind(arc.subtract, 1)]
)

# --- the scalar forms -------------------------------------------------------------------------


def _stops(*_):
    return next(iter(()))


@pytest.mark.parametrize("primitive", [arc.apply, arc.mapply, arc.papply, arc.mpapply, arc.prapply])
def test_a_function_that_raises_stop_iteration_fails_and_cuts_no_results(primitive):
    with pytest.raises(RuntimeError):
        primitive(_stops, *[(1, 2)] * (len(inspect.signature(primitive).parameters) - 1))


@given(f=functions, c=either_kind)
def test_results_stand_in_a_container_of_the_same_kind(f, c):
    kind, elements = type(c), ascending(c)
    assert identical(arc.apply(f, c), kind(f(e) for e in elements))
    kept = [e for e in elements if f(e)]  # truth is Python's
    assert identical(arc.sfilter(c, f), kind(kept))
    assert identical(arc.first_of(c, f), tuple(kept[:1]))
    if kept:
        assert arc.extract(c, f) == kept[0]
    else:
        with pytest.raises(ValueError):
            arc.extract(c, f)
    added = kind(arc.lbind(arc.add, e) for e in c)
    assert identical(arc.rapply(added, 7), kind(7 + e for e in elements))


@given(f=functions, c=nested)
@example(arc.identity, (frozenset({9, 2}), (1,)))
def test_merging_takes_tuples_as_they_come_and_sets_in_ascending_order(f, c):
    merged = [e for inner in ascending(c) for e in ascending(arc.apply(f, inner))]
    assert identical(arc.mapply(arc.lbind(arc.apply, f), c), type(c)(merged))
    kept = [e for inner in ascending(c) if inner for e in ascending(inner)]
    assert identical(arc.mfilter(c, arc.identity), type(c)(kept))


@given(a=tuples, b=tuples)
def test_side_by_side_ends_with_the_shorter(a, b):
    assert arc.papply(arc.subtract, a, b) == tuple(i - j for i, j in zip(a, b, strict=False))
    both = tuple(part for pair in zip(a, b, strict=False) for part in pair)
    assert arc.mpapply(arc.astuple, a, b) == both


@given(a=either_kind, b=either_kind)
def test_every_element_with_every_element(a, b):
    assert arc.prapply(arc.subtract, a, b) == frozenset(i - j for i in a for j in b)


@pytest.mark.parametrize("empty", [(), frozenset()])
def test_empty_values_are_not_true(empty):
    some = empty, (0,), frozenset({0}), 0
    assert arc.sfilter(some, arc.identity) == some[1:3]
    assert arc.extract(some, arc.identity) == (0,)


SIXTH = arc.lbind(arc.divide, 6)


# --- failures and charges ---------------------------------------------------------------------


@pytest.mark.parametrize(
    "function, args",
    [
        (arc.apply, (SIXTH, (3, 0))), (arc.mapply, (SIXTH, ((3,), 0))),
        (arc.mapply, (arc.increment, (1, 2))), (arc.rapply, ((arc.increment, arc.toivec), (1, 2))),
        (arc.papply, (arc.divide, (1, 2), (1, 0))), (arc.papply, (arc.add, frozenset({1}), (1,))),
        (arc.prapply, (arc.divide, (1, 2), (1, 0))), (arc.sfilter, ((3, 0), SIXTH)),
        (arc.mfilter, (((3,), (0,)), arc.compose(SIXTH, arc.maximum))),
        (arc.mfilter, ((1, 2), arc.positive)), (arc.extract, ((0, 3), SIXTH)),
    ],
)  # fmt: skip
def test_a_failure_for_one_element_or_a_value_that_is_no_container_fails(function, args):
    with pytest.raises((ZeroDivisionError, TypeError)):
        function(*args)


@pytest.mark.parametrize("found", [arc.extract, lambda *args: arc.first_of(*args)[0]])
def test_a_search_stops_at_the_first_hit(found):
    seen = []
    assert found((1, 4, 6, 8), lambda e: seen.append(e) or e % 2 == 0) == 4
    assert seen == [1, 4]
    assert found((3, 0), arc.compose(arc.positive, SIXTH)) == 3


@pytest.mark.parametrize("primitive", [arc.extract, arc.first_of])
def test_a_search_charges_for_the_elements_up_to_the_first_hit(primitive):
    function = arc.compose(arc.positive, arc.increment)
    assert charge_of(primitive, (-5, 2, 3, 4), function) == 2
    assert_same(primitive, [((-5, 2, 3, 4), function), ((-5, -6, -7), function)], 2)


def test_charges_of_mapping():
    assert charge_of(arc.apply, arc.toivec, (5, 6, 7)) == 3
    assert charge_of(arc.apply, arc.rbind(arc.repeat, 4), (5, 6)) == 8 + 8
    assert charge_of(arc.apply, arc.power(arc.increment, 32), (5, 6)) == 2 * 3
    assert charge_of(arc.prapply, arc.add, (1, 2), (3, 4, 5)) == 6
    assert charge_of(arc.sfilter, (5, 6, 7), arc.even) == 3
    nested_calls = arc.lbind(arc.apply, arc.increment), ((1, 2), (3,))
    assert charge_of(arc.apply, *nested_calls) == 2 + 2 + 1
