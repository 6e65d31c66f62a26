"""Functions over the elements of containers, and over those of containers in containers."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from megabatt.runtime.arc import (
    add,
    apply,
    branch,
    compose,
    divide,
    double,
    even,
    extract,
    fork,
    halve,
    identity,
    increment,
    invert,
    lbind,
    mapply,
    matcher,
    maximum,
    mfilter,
    mpapply,
    multiply,
    papply,
    positive,
    power,
    prapply,
    rapply,
    rbind,
    repeat,
    sfilter,
    sign,
    subtract,
    toivec,
    tojvec,
)
from megabatt.runtime.engine.limits import MAX_ELEMENTS, LimitError
from megabatt.runtime.engine.values import ascending
from tests.arc.lanes import assert_same, scalar

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
    [increment, double, halve, invert, sign, identity, lbind(multiply, 2), rbind(subtract, 1)]
)
# --- the scalar forms -------------------------------------------------------------------------


def test_results_stand_in_a_container_of_the_same_kind():
    assert apply(double, (3, 1, 3)) == (6, 2, 6)
    assert apply(sign, frozenset({3, 1, -3})) == frozenset({1, -1})
    assert sfilter((4, 1, 2, 4), even) == (4, 2, 4)
    assert sfilter(frozenset({4, 1}), even) == frozenset({4})
    assert rapply((double, increment), 5) == (10, 6)
    assert rapply(frozenset({double, increment}), 1) == frozenset({2})


def test_merging_takes_tuples_as_they_come_and_sets_in_ascending_order():
    assert mapply(identity, ((3, 1), (3,))) == (3, 1, 3)
    assert mapply(identity, (frozenset({9, 2}), (1,))) == (2, 9, 1)
    assert mapply(toivec, frozenset({4, 7})) == frozenset({4, 7, 0})
    assert mfilter(((1, 2), (), (3,)), identity) == (1, 2, 3)
    assert mpapply(lbind(branch, True), ((1, 2), (3,)), (0, 0)) == (1, 2, 3)


@pytest.mark.parametrize("function", [mapply, mfilter])
def test_what_is_no_container_cannot_be_merged(function):
    args = (increment, (1, 2)) if function is mapply else ((1, 2), positive)
    with pytest.raises(TypeError):
        function(*args)


def test_side_by_side_ends_with_the_shorter():
    assert papply(subtract, (9, 8, 7), (1, 2)) == (8, 6)
    assert papply(add, (), (1, 2)) == ()
    assert papply(tojvec, (), ()) == ()
    with pytest.raises(TypeError):
        papply(add, frozenset({1}), (1,))


def test_every_element_with_every_element():
    assert prapply(subtract, (1, 2), (0, 1)) == frozenset({1, 0, 2})
    assert prapply(add, frozenset(), (1, 2)) == frozenset()


def test_truth_is_pythons():
    assert sfilter((0, 1, 2), identity) == (1, 2)
    assert sfilter(((), (0,), frozenset(), frozenset({0})), identity) == ((0,), frozenset({0}))
    assert extract((0, (), 7), identity) == 7


def test_extract_takes_the_first_in_the_language_s_order():
    assert extract(frozenset({8, 6, 3}), even) == 6
    assert extract((8, 6, 3), even) == 8
    with pytest.raises(ValueError):
        extract((1, 3), even)


@given(f=functions, g=functions, c=either_kind)
def test_maps_compose(f, g, c):
    assert apply(identity, c) == c
    assert apply(f, apply(g, c)) == apply(compose(f, g), c)


@given(f=functions, c=nested)
def test_mapply_merges_what_apply_gives(f, c):
    merged = mapply(lbind(apply, f), c)
    results = [e for inner in c for e in apply(f, inner)]
    assert frozenset(merged) == frozenset(results)
    assert len(merged) == (len(results) if isinstance(c, tuple) else len(frozenset(results)))


@given(c=either_kind)
def test_filters_part_a_container(c):
    odd = sfilter(c, matcher(even, False))
    assert len(sfilter(c, even)) + len(odd) == len(c)
    assert sfilter(odd, even) == type(c)()
    if odd:
        assert extract(c, matcher(even, False)) == ascending(odd)[0]


@given(a=either_kind, b=either_kind)
def test_prapply_is_the_union_of_the_maps_of_one_element_each(a, b):
    maps = [apply(lbind(subtract, i), frozenset(b)) for i in a]
    assert prapply(subtract, a, b) == frozenset().union(*maps)


# --- failures and charges ---------------------------------------------------------------------


@pytest.mark.parametrize(
    "function, args",
    [
        (apply, (lbind(divide, 6), (3, 0))),
        (mapply, (lbind(divide, 6), ((3,), 0))),
        (rapply, ((increment, toivec), (1, 2))),
        (papply, (divide, (1, 2), (1, 0))),
        (prapply, (divide, (1, 2), (1, 0))),
        (sfilter, ((3, 0), lbind(divide, 6))),
        (mfilter, (((3,), (0,)), compose(lbind(divide, 6), maximum))),
        (extract, ((0, 3), lbind(divide, 6))),
    ],
)
def test_a_failure_for_one_element_fails_the_operation(function, args):
    with pytest.raises((ZeroDivisionError, TypeError)):
        function(*args)
    assert_same(function, [args, args])


def test_extract_looks_at_nothing_behind_the_first_hit():
    seen = []
    assert extract((1, 4, 6, 8), lambda e: seen.append(e) or e % 2 == 0) == 4
    assert seen == [1, 4]
    sixths = compose(positive, lbind(divide, 6))
    assert extract((3, 0), sixths) == 3
    assert_same(extract, [((3, 0), sixths), ((0, 3), sixths), ((-3, 5, 0), sixths)])


def test_extract_charges_for_what_it_looks_at():
    function = compose(positive, increment)
    assert scalar(extract, ((-5, 2, 3, 4), function), 100)[2] == 2
    assert_same(extract, [((-5, 2, 3, 4), function), ((-5, -6, -7), function)], 2)


def test_what_mapping_charges():
    assert scalar(apply, (toivec, (5, 6, 7)), 100)[2] == 3
    assert scalar(apply, (rbind(repeat, 4), (5, 6)), 100)[2] == 8 + 8
    assert scalar(apply, (power(increment, 32), (5, 6)), 100)[2] == 2 * 3
    assert scalar(prapply, (add, (1, 2), (3, 4, 5)), 100)[2] == 6
    assert scalar(sfilter, ((5, 6, 7), even), 100)[2] == 3
    nested_calls = (lbind(apply, increment), ((1, 2), (3,)))
    assert scalar(apply, nested_calls, 100)[2] == 2 + 2 + 1




SUMS = fork(lbind(prapply, add), identity, identity)
"""All sums of two elements: a set that grows with every call."""


@pytest.mark.parametrize("times", range(1, 8))
def test_the_limit_cuts_an_explosion_off_in_both_forms_alike(times):
    start = frozenset({(0, 0), (1, 0), (0, 1)})
    lanes = [(start,), (frozenset({(2, 2)}),), (frozenset({1, 5, 25}),), (frozenset(),)]
    assert_same(power(SUMS, times), lanes)
    assert scalar(power(SUMS, times), lanes[3], MAX_ELEMENTS) == (True, frozenset(), 0)
    succeeded, result, _ = scalar(power(SUMS, times), (start,), MAX_ELEMENTS)
    assert succeeded is (times < 6)
    assert succeeded or isinstance(result, LimitError)
