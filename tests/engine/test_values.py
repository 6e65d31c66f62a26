"""Values of the language: their order, their text, their weight."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import megabatt.runtime.arc as arc
from megabatt.runtime.engine.language.values import (
    CUT,
    ascending,
    identical,
    order_key,
    show,
    show_cut,
    weight,
)
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


@given(values)
def test_the_text_of_a_value_builds_the_value(value):
    text = show(value)
    assume("lambda" not in text)  # a function of a program's own
    assert identical(eval(text, vars(arc).copy()), value)


@given(values, st.integers(1, 60))
def test_a_cut_text_is_the_beginning_of_the_whole_text(value, most):
    text = show(value)
    assert show_cut(value, most) == (text if len(text) <= most else text[:most] + CUT)
    assert show_cut(value, len(text)) == text


def test_the_text_of_a_tower_is_cut_to_the_asked_length():
    tower = few = ()
    for level in range(60):
        tower = (tower, tower)
        few = tower if level == 9 else few
    assert show_cut(tower, 100) == "(" * 50 + show(few)[:50] + CUT


def test_a_tower_weighs_what_its_elements_do_together():
    tower, elements = frozenset([1, 2, 3]), 3
    for _ in range(20):
        tower, elements = (tower, tower, 7), 2 * elements + 1
    assert weight(tower) == elements
