"""The language's order of values."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import megabatt.runtime.arc as arc
from megabatt.runtime.engine.language.values import ascending, order_key, show
from tests.engine.machine_values import values

ORDERED = {
    "kinds rank": [None, 5, (1, 2), frozenset({1}), arc.compose],
    "tuples lexicographically": [(), (0, 5), (1,), (1, 0)],
    "sets as their ascending tuples": [
        frozenset(), frozenset({1}), frozenset({1, 9}), frozenset({2})
    ],
    "functions by name, then by what they bind": [
        arc.apply, arc.compose, arc.lbind(arc.apply, arc.compose), arc.lbind(arc.compose, 1)
    ],
}  # fmt: skip


@pytest.mark.parametrize("rule", ORDERED)
def test_sets_are_shown_in_ascending_order(rule):
    elements = ORDERED[rule]
    assert list(ascending(frozenset(elements))) == elements
    assert show(frozenset(elements)) == f"frozenset({{{', '.join(map(show, elements))}}})"


parts = st.sampled_from([0, 1, None, (0, 1), (0, None), frozenset({1}), frozenset({0, 2})])
near_alike = st.tuples(parts) | st.tuples(st.integers(0, 1), parts)


@given(st.frozensets(values, max_size=8) | st.frozensets(near_alike, min_size=2, max_size=6))
def test_ascending_is_the_order_of_the_keys(elements):
    keys = [order_key(e) for e in ascending(elements)]
    assert keys == sorted(keys)
