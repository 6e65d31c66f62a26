"""Integers and pairs of them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import megabatt.runtime.arc as arc
from megabatt.runtime.engine.language.limits import LimitError
from tests.arc.lanes import assert_same

integers = st.integers(-(10**6), 10**6)
numbers = st.one_of(integers, st.tuples(integers, integers))
small = st.integers(-1000, 1000)
small_numbers = st.one_of(small, st.tuples(small, small))
LARGEST, SMALLEST = 2**31 - 1, -(2**31)
BINARY = [arc.add, arc.subtract, arc.multiply, arc.divide]
UNARY = [arc.invert, arc.double, arc.halve, arc.increment, arc.decrement, arc.crement, arc.sign]


def both_parts(number):
    return number if isinstance(number, tuple) else (number, number)


def test_integers_and_pairs_combine_in_all_four_ways():
    assert arc.add(2, 5) == 7
    assert arc.add((2, 3), (10, 20)) == (12, 23)
    assert arc.subtract(10, (1, 2)) == (9, 8)
    assert arc.multiply((4, -1), 3) == (12, -3)


@pytest.mark.parametrize("function", [arc.add, arc.subtract, arc.multiply])
@given(a=small_numbers, b=small_numbers)
def test_an_integer_counts_as_both_parts_beside_a_pair(function, a, b):
    parts = tuple(function(i, u) for i, u in zip(both_parts(a), both_parts(b), strict=True))
    assert both_parts(function(a, b)) == parts


def test_division_rounds_down():
    assert arc.divide(7, 2) == 3
    assert arc.divide(-7, 2) == -4
    assert arc.divide(7, (-2, 3)) == (-4, 2)
    assert arc.halve((-3, 3)) == (-2, 1)


@pytest.mark.parametrize("a, b", [(1, 0), ((1, 1), 0), (4, (2, 0)), ((0, 0), (0, 1))])
def test_division_by_zero_fails(a, b):
    with pytest.raises(ZeroDivisionError):
        arc.divide(a, b)
    assert_same(arc.divide, [(a, b), (6, 4), ((6, 5), 2)])


@given(a=numbers, b=numbers)
def test_what_is_added_can_be_subtracted(a, b):
    assert both_parts(arc.subtract(arc.add(a, b), b)) == both_parts(a)


@given(n=numbers)
def test_steps_and_their_ways_back(n):
    assert arc.decrement(arc.increment(n)) == n
    assert arc.invert(arc.invert(n)) == n
    assert arc.halve(arc.double(n)) == n
    assert arc.double(n) == arc.add(n, n)
    assert arc.crement(n) == arc.add(n, arc.sign(n))
    assert arc.identity(n) is n


def test_crement_leads_away_from_zero():
    assert arc.crement(3) == 4
    assert arc.crement(-3) == -4
    assert arc.crement((0, -1)) == (0, -2)
    assert arc.sign((-7, 0)) == (-1, 0)


@given(a=integers, b=integers)
def test_comparisons(a, b):
    assert arc.positive(a) is (a > 0)
    assert arc.greater(a, b) is (a > b)
    assert arc.even(a) is (abs(a) % 2 == 0)


def test_vectors_point_down_and_right():
    assert arc.toivec(3) == (3, 0)
    assert arc.tojvec(-2) == (0, -2)


@pytest.mark.parametrize(
    "function, args",
    [
        (arc.add, (LARGEST, 1)), (arc.subtract, (SMALLEST, 1)), (arc.multiply, (2**16, 2**15)),
        (arc.multiply, ((1, 2**16), 2**15)), (arc.divide, (SMALLEST, -1)),
        (arc.invert, ((0, SMALLEST),)), (arc.double, (2**30,)), (arc.increment, ((0, LARGEST),)),
        (arc.decrement, (SMALLEST,)), (arc.crement, (SMALLEST,)),
    ],
)
def test_a_result_beyond_the_integers_fails(function, args):
    with pytest.raises(LimitError):
        function(*args)
    assert_same(function, [args, ((5, 5), 2)[: len(args)]])


def test_results_at_the_ends_of_the_integers_are_results():
    assert arc.increment(LARGEST - 1) == LARGEST
    assert arc.subtract(-1, LARGEST) == SMALLEST
    assert arc.multiply(-(2**16), 2**15) == SMALLEST
