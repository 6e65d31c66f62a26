"""Order, extremes and frequency, and the choice among elements that tie."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import megabatt.runtime.arc as arc
from megabatt.runtime.engine.language.values import ascending, identical, order_key
from tests.arc.lanes import anything, charge_of, containers

integers = st.lists(st.integers(-20, 20), max_size=8)
integer_containers = st.one_of(integers.map(tuple), integers.map(frozenset))
keys = st.sampled_from([arc.identity, arc.invert, arc.even, arc.sign, arc.increment])
RANKING = [arc.order, arc.argmax, arc.argmin, arc.valmax, arc.valmin]
ranking = pytest.mark.parametrize("function", RANKING)
NESTED = frozenset({(0, 0)}), frozenset({(1, 1), (0, 9)}), frozenset({(0, 0), (5, 5)})


@given(
    st.tuples(integer_containers.filter(len), keys)
    | st.tuples(containers.filter(len), st.just(arc.identity))
)
@example((frozenset(NESTED), arc.lbind(arc.contained, (7, 7))))
@example(((True, 1, 0), arc.identity))
@example(((1, 5, True), arc.identity))
def test_the_first_element_in_ascending_order_wins_a_tie(call):
    """Keys of any kind compare in the language's order."""
    container, key = call
    elements = ascending(container)
    ordered = sorted(elements, key=lambda e: order_key(key(e)))
    least, most = ordered[0], max(elements, key=lambda e: order_key(key(e)))
    assert identical(arc.order(container, key), tuple(ordered))
    assert identical(arc.argmin(container, key), least)
    assert identical(arc.argmax(container, key), most)
    assert identical(arc.valmin(container, key), key(least))
    assert identical(arc.valmax(container, key), key(most))


def test_an_empty_container_has_no_extreme_element_but_the_key_of_zero():
    for function in (arc.argmax, arc.argmin):
        with pytest.raises(ValueError):
            function((), arc.identity)
    assert arc.valmax(frozenset(), arc.increment) == 1
    assert arc.valmin((), arc.rbind(arc.add, (3, 4))) == (3, 4)
    assert arc.order(frozenset(), arc.identity) == ()


@ranking
def test_each_key_is_computed_and_charged_once_and_a_failed_key_fails_the_call(function):
    seen = []
    function(frozenset({4, 1, 3}), lambda e: seen.append(e) or -e)
    assert sorted(seen) == [1, 3, 4]
    key = arc.rbind(arc.add, 1)
    assert charge_of(function, (5, 6, 7), key) == 3 * (1 + (function is arc.order))
    with pytest.raises(TypeError):
        function((1, (2, 3)), arc.positive)


@given(container=integer_containers)
def test_maximum_and_minimum_of_nothing_are_zero(container):
    assert arc.maximum(container) == max(container, default=0)
    assert arc.minimum(container) == min(container, default=0)


def test_maximum_takes_integers_alone():
    with pytest.raises(TypeError):
        arc.maximum(((1, 2), (3, 4)))
    assert arc.maximum((True, False)) == 1


@given(container=st.lists(st.one_of(st.integers(0, 3), anything), min_size=1, max_size=8))
@example([8, 3, 3, 8, 5])
def test_frequency_is_counted_by_equality_and_the_least_value_wins_a_tie(container):
    container = tuple(container)
    counts = [container.count(e) for e in container]
    for common, times in ((arc.mostcommon, max(counts)), (arc.leastcommon, min(counts))):
        tied = frozenset(e for e in container if container.count(e) == times)
        assert common(container) == ascending(tied)[0]


@pytest.mark.parametrize("function", [arc.mostcommon, arc.leastcommon])
@pytest.mark.parametrize("container", [(), frozenset(), frozenset({1, 2})])
def test_nothing_is_common_in_a_set_or_in_nothing(function, container):
    with pytest.raises((ValueError, TypeError)):
        function(container)
