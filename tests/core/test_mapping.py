"""Functions over the elements of containers, and over those of containers in containers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import megabatt.runtime.arc as arc
from megabatt.runtime.engine.language.limits import LimitError
from megabatt.runtime.engine.language.values import ascending
from tests.arc.lanes import LIMIT, assert_same, scalar

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


def test_results_stand_in_a_container_of_the_same_kind():
    assert arc.apply(arc.double, (3, 1, 3)) == (6, 2, 6)
    assert arc.apply(arc.sign, frozenset({3, 1, -3})) == frozenset({1, -1})
    assert arc.sfilter((4, 1, 2, 4), arc.even) == (4, 2, 4)
    assert arc.sfilter(frozenset({4, 1}), arc.even) == frozenset({4})
    assert arc.rapply((arc.double, arc.increment), 5) == (10, 6)
    assert arc.rapply(frozenset({arc.double, arc.increment}), 1) == frozenset({2})


def test_merging_takes_tuples_as_they_come_and_sets_in_ascending_order():
    assert arc.mapply(arc.identity, ((3, 1), (3,))) == (3, 1, 3)
    assert arc.mapply(arc.identity, (frozenset({9, 2}), (1,))) == (2, 9, 1)
    assert arc.mapply(arc.toivec, frozenset({4, 7})) == frozenset({4, 7, 0})
    assert arc.mfilter(((1, 2), (), (3,)), arc.identity) == (1, 2, 3)
    assert arc.mpapply(arc.lbind(arc.branch, True), ((1, 2), (3,)), (0, 0)) == (1, 2, 3)


@pytest.mark.parametrize("function", [arc.mapply, arc.mfilter])
def test_what_is_no_container_cannot_be_merged(function):
    args = (arc.increment, (1, 2)) if function is arc.mapply else ((1, 2), arc.positive)
    with pytest.raises(TypeError):
        function(*args)


def test_side_by_side_ends_with_the_shorter():
    assert arc.papply(arc.subtract, (9, 8, 7), (1, 2)) == (8, 6)
    assert arc.papply(arc.add, (), (1, 2)) == ()
    assert arc.papply(arc.tojvec, (), ()) == ()
    with pytest.raises(TypeError):
        arc.papply(arc.add, frozenset({1}), (1,))


def test_every_element_with_every_element():
    assert arc.prapply(arc.subtract, (1, 2), (0, 1)) == frozenset({1, 0, 2})
    assert arc.prapply(arc.add, frozenset(), (1, 2)) == frozenset()


def test_truth_is_pythons():
    assert arc.sfilter((0, 1, 2), arc.identity) == (1, 2)
    some = (), (0,), frozenset(), frozenset({0})
    assert arc.sfilter(some, arc.identity) == ((0,), frozenset({0}))
    assert arc.extract((0, (), 7), arc.identity) == 7


def test_extract_takes_the_first_in_the_language_s_order():
    assert arc.extract(frozenset({8, 6, 3}), arc.even) == 6
    assert arc.extract((8, 6, 3), arc.even) == 8
    with pytest.raises(ValueError):
        arc.extract((1, 3), arc.even)


@given(f=functions, g=functions, c=either_kind)
def test_maps_compose(f, g, c):
    assert arc.apply(arc.identity, c) == c
    assert arc.apply(f, arc.apply(g, c)) == arc.apply(arc.compose(f, g), c)


@given(f=functions, c=nested)
def test_mapply_merges_what_apply_gives(f, c):
    merged = arc.mapply(arc.lbind(arc.apply, f), c)
    results = [e for inner in c for e in arc.apply(f, inner)]
    assert frozenset(merged) == frozenset(results)
    assert len(merged) == (len(results) if isinstance(c, tuple) else len(frozenset(results)))


@given(c=either_kind)
def test_filters_part_a_container(c):
    odd = arc.sfilter(c, arc.matcher(arc.even, False))
    assert len(arc.sfilter(c, arc.even)) + len(odd) == len(c)
    assert arc.sfilter(odd, arc.even) == type(c)()
    if odd:
        assert arc.extract(c, arc.matcher(arc.even, False)) == ascending(odd)[0]


@given(a=either_kind, b=either_kind)
def test_prapply_is_the_union_of_the_maps_of_one_element_each(a, b):
    maps = [arc.apply(arc.lbind(arc.subtract, i), frozenset(b)) for i in a]
    assert arc.prapply(arc.subtract, a, b) == frozenset().union(*maps)


# --- failures and charges ---------------------------------------------------------------------


@pytest.mark.parametrize(
    "function, args",
    [
        (arc.apply, (arc.lbind(arc.divide, 6), (3, 0))),
        (arc.mapply, (arc.lbind(arc.divide, 6), ((3,), 0))),
        (arc.rapply, ((arc.increment, arc.toivec), (1, 2))),
        (arc.papply, (arc.divide, (1, 2), (1, 0))),
        (arc.prapply, (arc.divide, (1, 2), (1, 0))),
        (arc.sfilter, ((3, 0), arc.lbind(arc.divide, 6))),
        (arc.mfilter, (((3,), (0,)), arc.compose(arc.lbind(arc.divide, 6), arc.maximum))),
        (arc.extract, ((0, 3), arc.lbind(arc.divide, 6))),
    ],
)
def test_a_failure_for_one_element_fails_the_operation(function, args):
    with pytest.raises((ZeroDivisionError, TypeError)):
        function(*args)
    assert_same(function, [args, args])


def test_extract_looks_at_nothing_behind_the_first_hit():
    seen = []
    assert arc.extract((1, 4, 6, 8), lambda e: seen.append(e) or e % 2 == 0) == 4
    assert seen == [1, 4]
    sixths = arc.compose(arc.positive, arc.lbind(arc.divide, 6))
    assert arc.extract((3, 0), sixths) == 3
    assert_same(arc.extract, [((3, 0), sixths), ((0, 3), sixths), ((-3, 5, 0), sixths)])


def test_extract_charges_for_what_it_looks_at():
    function = arc.compose(arc.positive, arc.increment)
    assert scalar(arc.extract, ((-5, 2, 3, 4), function), 100)[2] == 2
    assert_same(arc.extract, [((-5, 2, 3, 4), function), ((-5, -6, -7), function)], 2)


def test_what_mapping_charges():
    assert scalar(arc.apply, (arc.toivec, (5, 6, 7)), 100)[2] == 3
    assert scalar(arc.apply, (arc.rbind(arc.repeat, 4), (5, 6)), 100)[2] == 8 + 8
    assert scalar(arc.apply, (arc.power(arc.increment, 32), (5, 6)), 100)[2] == 2 * 3
    assert scalar(arc.prapply, (arc.add, (1, 2), (3, 4, 5)), 100)[2] == 6
    assert scalar(arc.sfilter, ((5, 6, 7), arc.even), 100)[2] == 3
    nested_calls = (arc.lbind(arc.apply, arc.increment), ((1, 2), (3,)))
    assert scalar(arc.apply, nested_calls, 100)[2] == 2 + 2 + 1


SUMS = arc.fork(arc.lbind(arc.prapply, arc.add), arc.identity, arc.identity)
"""All sums of two elements: a set that grows with every call."""


@pytest.mark.parametrize("times", range(1, 8))
def test_the_limit_cuts_an_explosion_off_in_both_forms_alike(times):
    start = frozenset({(0, 0), (1, 0), (0, 1)})
    lanes = [(start,), (frozenset({(2, 2)}),), (frozenset({1, 5, 25}),), (frozenset(),)]
    assert_same(arc.power(SUMS, times), lanes)
    assert scalar(arc.power(SUMS, times), lanes[3], LIMIT) == (True, frozenset(), 0)
    succeeded, result, _ = scalar(arc.power(SUMS, times), (start,), LIMIT)
    assert succeeded is (times < 6)
    assert succeeded or isinstance(result, LimitError)
