"""Order, extremes and frequency, and which element counts where several tie."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from megabatt.runtime.arc import (
    add,
    argmax,
    argmin,
    contained,
    even,
    identity,
    increment,
    invert,
    lbind,
    leastcommon,
    maximum,
    minimum,
    mostcommon,
    order,
    positive,
    rbind,
    sign,
    valmax,
    valmin,
)
from megabatt.runtime.engine.values import ascending, order_key
from tests.arc.lanes import anything, assert_same, containers, scalar

integers = st.lists(st.integers(-20, 20), max_size=8)
integer_containers = st.one_of(integers.map(tuple), integers.map(frozenset))
keys = st.sampled_from([identity, invert, even, sign, increment])
ranking = pytest.mark.parametrize("function", [order, argmax, argmin, valmax, valmin])


def test_order_sorts_by_key():
    assert order((3, -5, 4), invert) == (4, 3, -5)
    assert order(frozenset({(2, 1), (0, 7), (2, 0)}), identity) == ((0, 7), (2, 0), (2, 1))


def test_ties_stand_as_they_do_in_the_ascending_container():
    assert order(frozenset({5, 2, 3, 4}), even) == (3, 5, 2, 4)
    assert order((5, 2, 3, 4), even) == (5, 3, 2, 4)
    assert argmax(frozenset({7, 2, -3, 5}), sign) == 2
    assert argmin(frozenset({7, 2, -3, -5}), sign) == -5
    assert argmax((7, 2, -3, 5), sign) == 7


def test_of_sets_that_tie_the_one_with_the_least_elements_comes_first():
    a, b, c = frozenset({(1, 1), (0, 9)}), frozenset({(0, 0)}), frozenset({(0, 0), (5, 5)})
    assert order(frozenset({c, a, b}), lbind(contained, (7, 7))) == (b, c, a)
    assert argmin(frozenset({c, a}), lbind(contained, (7, 7))) == c


@given(container=integer_containers, key=keys)
def test_order_is_a_permutation_that_ascends(container, key):
    result = order(container, key)
    assert sorted(result) == sorted(container)
    assert [key(e) for e in result] == sorted(key(e) for e in container)


@given(container=integer_containers.filter(len), key=keys)
def test_extremes_are_at_the_ends_of_the_order(container, key):
    ordered = order(container, key)
    assert argmin(container, key) == ordered[0]
    assert valmin(container, key) == key(ordered[0])
    assert valmax(container, key) == key(ordered[-1]) == key(argmax(container, key))


@given(container=containers.filter(len))
def test_keys_of_any_kind_compare_in_the_languages_order(container):
    ordered = [order_key(e) for e in order(container, identity)]
    assert ordered == sorted(map(order_key, container))
    assert order_key(argmax(container, identity)) == ordered[-1]
    assert order_key(valmin(container, identity)) == ordered[0]


def test_the_extreme_key_is_the_first_of_equal_ones():
    assert valmax((True, 1, 0), identity) is True
    assert valmin((1, 5, True), identity) == 1
    assert valmin((1, 5, True), identity) is not True


def test_an_empty_container_has_no_extreme_element_but_the_key_of_zero():
    for function in (argmax, argmin):
        with pytest.raises(ValueError):
            function((), identity)
    assert valmax(frozenset(), increment) == 1
    assert valmin((), rbind(add, (3, 4))) == (3, 4)
    assert order(frozenset(), identity) == ()
    lanes = [((), increment), ((4, 6), increment), (frozenset(), increment)]
    for function in (order, argmax, argmin, valmax, valmin):
        assert_same(function, lanes)


@ranking
def test_each_key_is_computed_once(function):
    seen = []
    function(frozenset({4, 1, 3}), lambda e: seen.append(e) or -e)
    assert sorted(seen) == [1, 3, 4]


@ranking
def test_a_key_that_fails_fails_the_whole(function):
    with pytest.raises(TypeError):
        function((1, (2, 3)), positive)
    assert_same(function, [((1, (2, 3)), positive), ((1, 2), positive)])


@pytest.mark.parametrize("function, per_element", [(order, 2), (argmax, 1), (valmin, 1)])
def test_what_ranking_charges(function, per_element):
    key = rbind(add, 1)
    assert scalar(function, ((5, 6, 7), key), 100)[2] == 3 * per_element


@given(container=integer_containers)
def test_maximum_and_minimum_of_nothing_are_zero(container):
    assert maximum(container) == (sorted(container)[-1] if container else 0)
    assert minimum(container) == (sorted(container)[0] if container else 0)
    assert_same(maximum, [(container,), ((),), ((-3, -8),)])
    assert_same(minimum, [(frozenset(),), (container,), (frozenset({9, 3}),)])


def test_maximum_takes_integers_alone():
    with pytest.raises(TypeError):
        maximum(((1, 2), (3, 4)))
    assert maximum((True, False)) == 1


def test_frequency_and_its_ties():
    assert mostcommon((3, 8, 3, 1)) == 3
    assert leastcommon((3, 8, 3, 1)) == 1
    assert mostcommon((8, 3, 3, 8, 5)) == 3
    assert mostcommon(((1, 1), (0, 9), (1, 1))) == (1, 1)


@given(container=st.lists(st.one_of(st.integers(0, 3), anything), min_size=1, max_size=8))
def test_frequency_is_counted_by_equality(container):
    container = tuple(container)
    most, least = mostcommon(container), leastcommon(container)
    counts = [container.count(e) for e in container]
    assert container.count(most) == max(counts)
    assert container.count(least) == min(counts)
    tied = [e for e in container if container.count(e) == max(counts)]
    assert most == ascending(frozenset(tied))[0]


@pytest.mark.parametrize("function", [mostcommon, leastcommon])
@pytest.mark.parametrize("container", [(), frozenset(), frozenset({1, 2})])
def test_nothing_is_common_in_a_set_or_in_nothing(function, container):
    with pytest.raises((ValueError, TypeError)):
        function(container)
    assert_same(function, [(container,), ((1, 2, 2),), ((),)])
