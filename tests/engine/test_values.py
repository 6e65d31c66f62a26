"""Values of the language as text."""

from hypothesis import assume, given
from hypothesis import strategies as st

import megabatt.runtime.arc as arc
from megabatt.runtime.engine.language.values import CUT, identical, show, show_cut, weight
from tests.engine.machine_values import values


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
