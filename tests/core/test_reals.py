"""Reals are Python's floats, in both forms."""

import math
from fractions import Fraction

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import megabatt.runtime.arc as arc
from megabatt.runtime.engine.language.limits import LimitError
from megabatt.runtime.engine.language.values import identical
from megabatt.runtime.literals import is_real
from tests.arc.lanes import assert_same
from tests.engine.machine_values import numbers, reals

some = st.one_of(numbers, reals)
OPERATORS = {
    arc.sum_of: lambda a, b: a + b,
    arc.difference_of: lambda a, b: a - b,
    arc.product_of: lambda a, b: a * b,
    arc.ratio_of: lambda a, b: a / b,
    arc.power_of: lambda a, b: a**b,
    arc.less: lambda a, b: a < b,
}
ROUNDING = [int, math.floor, math.ceil, round]


def result_of(function, *args):
    """Return Python's result as the language has it; None where a primitive fails."""
    if function is OPERATORS[arc.power_of] and type(args[0]) is int and type(args[1]) is int:
        args = args[0], min(args[1], 98 + args[1] % 2)  # or it takes forever
    try:
        made = function(*args)
    except (ArithmeticError, ValueError):
        return None
    if made.__class__ is float:
        return made + 0.0 if is_real(made) else None
    return made if made.__class__ in (int, bool) and abs(made) < 2**31 or made == -(2**31) else None


def called(primitive, *args):
    try:
        return primitive(*args)
    except (ArithmeticError, ValueError, TypeError, LimitError):
        return None


@given(some, some)
@example(0.0, 0.0)
@example(0.0, -1)
@example(-8, 1 / 3)
@example(-2, 31)
@example(2, -1)
@example(True, 10)
@example(1e70, 2)
def test_operators_mean_what_they_mean_in_python(a, b):
    for primitive, operator in OPERATORS.items():
        assert identical(called(primitive, a, b), result_of(operator, a, b)), primitive.__name__
        assert_same(primitive, [(a, b), (b, a)])


@given(some)
@example(2.5)
@example(-0.5)
@example(2.0**31)
@example(-(2.0**31) - 0.5)
def test_rounding_and_roots_are_python_s(a):
    for way, function in enumerate(ROUNDING):
        assert identical(called(arc.rounded, a, way), result_of(function, a))
        assert_same(arc.rounded, [(a, way)])
    assert identical(called(arc.root_of, a), result_of(math.sqrt, a))
    assert_same(arc.root_of, [(a,)])


@given(st.lists(st.floats(-9, 9).filter(is_real)).map(tuple))
@example((0.1,) * 10)
def test_a_sum_of_reals_keeps_what_its_steps_round_off(numbers):
    exact = sum(map(Fraction, numbers))
    assert_same(arc.total_of, [(numbers,)])
    assert abs(Fraction(arc.total_of(numbers)) - exact) <= abs(exact) / 2**52 + Fraction(2) ** -99


def test_a_sum_with_integers_keeps_what_steps_between_reals_round_off():
    """So does Python 3.12."""
    assert arc.total_of((1, 0.1, 0.1)) == 1 + 0.1 + 0.1 == 1.2000000000000002
    assert arc.total_of((1.0, 0.1, 0.1)) == 1.2


@given(st.lists(some))
def test_reals_and_integers_are_one_order(numbers):
    """Equal numbers are equal elements, as in Python."""
    assert_same(arc.order, [(tuple(numbers), arc.identity)])
    made = arc.order(tuple(numbers), arc.identity)
    assert all(a <= b for a, b in zip(made, made[1:], strict=False))
    assert arc.dedupe(made) == tuple(dict.fromkeys(made))
    assert_same(arc.repeat, [(one, 2) for one in numbers] or [(1, 2)])
    assert_same(arc.combine, [(frozenset(numbers), frozenset(map(float, numbers[:2])))])


@pytest.mark.parametrize("value", [math.nan, 2.0**255, 2.0**-256])
def test_no_operation_results_in_what_is_no_real(value):
    assert not is_real(value)
    assert called(arc.sum_of, value, 0) is None
