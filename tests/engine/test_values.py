"""Values of the language as text."""

from __future__ import annotations

from hypothesis import given

import megabatt.runtime.arc as arc
from megabatt.runtime.engine.values import identical, show
from tests.engine.values import values


@given(values)
def test_what_is_shown_builds_the_value(value):
    built = eval(show(value), vars(arc).copy())
    assert identical(built, value)


def test_sets_are_shown_in_ascending_order():
    value = frozenset([(2, (0, 1)), (1, (5, 5)), frozenset([3, 1]), ()])
    assert show(value) == "frozenset({(), (1, (5, 5)), (2, (0, 1)), frozenset({1, 3})})"
    assert show(frozenset([(7,)])) == "frozenset({(7,)})"
