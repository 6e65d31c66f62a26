"""Integers and pairs of them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from megabatt.runtime.arc import (
    add,
    crement,
    decrement,
    divide,
    double,
    even,
    greater,
    halve,
    identity,
    increment,
    invert,
    multiply,
    positive,
    sign,
    subtract,
    toivec,
    tojvec,
)
from megabatt.runtime.engine.limits import LimitError
from tests.arc.lanes import assert_same

integers = st.integers(-(10**6), 10**6)
numbers = st.one_of(integers, st.tuples(integers, integers))
small = st.integers(-1000, 1000)
small_numbers = st.one_of(small, st.tuples(small, small))
LARGEST, SMALLEST = 2**31 - 1, -(2**31)
BINARY = [add, subtract, multiply, divide]
UNARY = [invert, double, halve, increment, decrement, crement, sign]


def both_parts(number):
    return number if isinstance(number, tuple) else (number, number)


def test_integers_and_pairs_combine_in_all_four_ways():
    assert add(2, 5) == 7
    assert add((2, 3), (10, 20)) == (12, 23)
    assert subtract(10, (1, 2)) == (9, 8)
    assert multiply((4, -1), 3) == (12, -3)


@pytest.mark.parametrize("function", [add, subtract, multiply])
@given(a=small_numbers, b=small_numbers)
def test_an_integer_counts_as_both_parts_beside_a_pair(function, a, b):
    parts = tuple(function(i, u) for i, u in zip(both_parts(a), both_parts(b), strict=True))
    assert both_parts(function(a, b)) == parts


def test_division_rounds_down():
    assert divide(7, 2) == 3
    assert divide(-7, 2) == -4
    assert divide(7, (-2, 3)) == (-4, 2)
    assert halve((-3, 3)) == (-2, 1)


@pytest.mark.parametrize("a, b", [(1, 0), ((1, 1), 0), (4, (2, 0)), ((0, 0), (0, 1))])
def test_division_by_zero_fails(a, b):
    with pytest.raises(ZeroDivisionError):
        divide(a, b)
    assert_same(divide, [(a, b), (6, 4), ((6, 5), 2)])


@given(a=numbers, b=numbers)
def test_what_is_added_can_be_subtracted(a, b):
    assert both_parts(subtract(add(a, b), b)) == both_parts(a)


@given(n=numbers)
def test_steps_and_their_ways_back(n):
    assert decrement(increment(n)) == n
    assert invert(invert(n)) == n
    assert halve(double(n)) == n
    assert double(n) == add(n, n)
    assert crement(n) == add(n, sign(n))
    assert identity(n) is n


def test_crement_leads_away_from_zero():
    assert crement(3) == 4
    assert crement(-3) == -4
    assert crement((0, -1)) == (0, -2)
    assert sign((-7, 0)) == (-1, 0)


@given(a=integers, b=integers)
def test_comparisons(a, b):
    assert positive(a) is (a > 0)
    assert greater(a, b) is (a > b)
    assert even(a) is (abs(a) % 2 == 0)


def test_vectors_point_down_and_right():
    assert toivec(3) == (3, 0)
    assert tojvec(-2) == (0, -2)


@pytest.mark.parametrize(
    "function, args",
    [
        (add, (LARGEST, 1)),
        (subtract, (SMALLEST, 1)),
        (multiply, (2**16, 2**15)),
        (multiply, ((1, 2**16), 2**15)),
        (divide, (SMALLEST, -1)),
        (invert, ((0, SMALLEST),)),
        (double, (2**30,)),
        (increment, ((0, LARGEST),)),
        (decrement, (SMALLEST,)),
        (crement, (SMALLEST,)),
    ],
)
def test_a_result_beyond_the_integers_fails(function, args):
    with pytest.raises(LimitError):
        function(*args)
    assert_same(function, [args, ((5, 5), 2)[: len(args)]])


def test_results_at_the_ends_of_the_integers_are_results():
    assert increment(LARGEST - 1) == LARGEST
    assert subtract(-1, LARGEST) == SMALLEST
    assert multiply(-(2**16), 2**15) == SMALLEST
