"""Order, extremes and frequency, and which element counts where several tie."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import megabatt.runtime.arc as arc
from megabatt.runtime.engine.language.values import ascending, order_key
from tests.arc.lanes import anything, assert_same, containers, scalar

integers = st.lists(st.integers(-20, 20), max_size=8)
integer_containers = st.one_of(integers.map(tuple), integers.map(frozenset))
keys = st.sampled_from([arc.identity, arc.invert, arc.even, arc.sign, arc.increment])
RANKING = [arc.order, arc.argmax, arc.argmin, arc.valmax, arc.valmin]
ranking = pytest.mark.parametrize("function", RANKING)


def test_order_sorts_by_key():
    assert arc.order((3, -5, 4), arc.invert) == (4, 3, -5)
    assert arc.order(frozenset({(2, 1), (0, 7), (2, 0)}), arc.identity) == ((0, 7), (2, 0), (2, 1))


def test_ties_stand_as_they_do_in_the_ascending_container():
    assert arc.order(frozenset({5, 2, 3, 4}), arc.even) == (3, 5, 2, 4)
    assert arc.order((5, 2, 3, 4), arc.even) == (5, 3, 2, 4)
    assert arc.argmax(frozenset({7, 2, -3, 5}), arc.sign) == 2
    assert arc.argmin(frozenset({7, 2, -3, -5}), arc.sign) == -5
    assert arc.argmax((7, 2, -3, 5), arc.sign) == 7


def test_of_sets_that_tie_the_one_with_the_least_elements_comes_first():
    a, b, c = frozenset({(1, 1), (0, 9)}), frozenset({(0, 0)}), frozenset({(0, 0), (5, 5)})
    assert arc.order(frozenset({c, a, b}), arc.lbind(arc.contained, (7, 7))) == (b, c, a)
    assert arc.argmin(frozenset({c, a}), arc.lbind(arc.contained, (7, 7))) == c


@given(container=integer_containers, key=keys)
def test_order_is_a_permutation_that_ascends(container, key):
    result = arc.order(container, key)
    assert sorted(result) == sorted(container)
    assert [key(e) for e in result] == sorted(key(e) for e in container)


@given(container=integer_containers.filter(len), key=keys)
def test_extremes_are_at_the_ends_of_the_order(container, key):
    ordered = arc.order(container, key)
    assert arc.argmin(container, key) == ordered[0]
    assert arc.valmin(container, key) == key(ordered[0])
    assert arc.valmax(container, key) == key(ordered[-1]) == key(arc.argmax(container, key))


@given(container=containers.filter(len))
def test_keys_of_any_kind_compare_in_the_languages_order(container):
    ordered = [order_key(e) for e in arc.order(container, arc.identity)]
    assert ordered == sorted(map(order_key, container))
    assert order_key(arc.argmax(container, arc.identity)) == ordered[-1]
    assert order_key(arc.valmin(container, arc.identity)) == ordered[0]


def test_the_extreme_key_is_the_first_of_equal_ones():
    assert arc.valmax((True, 1, 0), arc.identity) is True
    assert arc.valmin((1, 5, True), arc.identity) == 1
    assert arc.valmin((1, 5, True), arc.identity) is not True


def test_an_empty_container_has_no_extreme_element_but_the_key_of_zero():
    for function in (arc.argmax, arc.argmin):
        with pytest.raises(ValueError):
            function((), arc.identity)
    assert arc.valmax(frozenset(), arc.increment) == 1
    assert arc.valmin((), arc.rbind(arc.add, (3, 4))) == (3, 4)
    assert arc.order(frozenset(), arc.identity) == ()
    lanes = [((), arc.increment), ((4, 6), arc.increment), (frozenset(), arc.increment)]
    for function in RANKING:
        assert_same(function, lanes)


@ranking
def test_each_key_is_computed_once(function):
    seen = []
    function(frozenset({4, 1, 3}), lambda e: seen.append(e) or -e)
    assert sorted(seen) == [1, 3, 4]


@ranking
def test_a_key_that_fails_fails_the_whole(function):
    with pytest.raises(TypeError):
        function((1, (2, 3)), arc.positive)
    assert_same(function, [((1, (2, 3)), arc.positive), ((1, 2), arc.positive)])


@ranking
def test_what_ranking_charges(function):
    key = arc.rbind(arc.add, 1)
    assert scalar(function, ((5, 6, 7), key), 100)[2] == 3 * (1 + (function is arc.order))


@given(container=integer_containers)
def test_maximum_and_minimum_of_nothing_are_zero(container):
    assert arc.maximum(container) == (sorted(container)[-1] if container else 0)
    assert arc.minimum(container) == (sorted(container)[0] if container else 0)
    assert_same(arc.maximum, [(container,), ((),), ((-3, -8),)])
    assert_same(arc.minimum, [(frozenset(),), (container,), (frozenset({9, 3}),)])


def test_maximum_takes_integers_alone():
    with pytest.raises(TypeError):
        arc.maximum(((1, 2), (3, 4)))
    assert arc.maximum((True, False)) == 1


def test_frequency_and_its_ties():
    assert arc.mostcommon((3, 8, 3, 1)) == 3
    assert arc.leastcommon((3, 8, 3, 1)) == 1
    assert arc.mostcommon((8, 3, 3, 8, 5)) == 3
    assert arc.mostcommon(((1, 1), (0, 9), (1, 1))) == (1, 1)


@given(container=st.lists(st.one_of(st.integers(0, 3), anything), min_size=1, max_size=8))
def test_frequency_is_counted_by_equality(container):
    container = tuple(container)
    most, least = arc.mostcommon(container), arc.leastcommon(container)
    counts = [container.count(e) for e in container]
    assert container.count(most) == max(counts)
    assert container.count(least) == min(counts)
    tied = [e for e in container if container.count(e) == max(counts)]
    assert most == ascending(frozenset(tied))[0]


@pytest.mark.parametrize("function", [arc.mostcommon, arc.leastcommon])
@pytest.mark.parametrize("container", [(), frozenset(), frozenset({1, 2})])
def test_nothing_is_common_in_a_set_or_in_nothing(function, container):
    with pytest.raises((ValueError, TypeError)):
        function(container)
    assert_same(function, [(container,), ((1, 2, 2),), ((),)])
