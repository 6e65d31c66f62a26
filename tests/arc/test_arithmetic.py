"""Integers and pairs of them."""

from operator import add, floordiv, mul, sub

import pytest
from hypothesis import given
from hypothesis import strategies as st

import megabatt.runtime.arc as arc
from megabatt.runtime.engine.language.limits import LimitError
from tests.arc.lanes import assert_same

integers = st.integers(-3, 3) | st.integers(-40_000, 40_000)
numbers = st.one_of(integers, st.tuples(integers, integers))
LARGEST, SMALLEST = 2**31 - 1, -(2**31)
BINARY = {arc.add: add, arc.subtract: sub, arc.multiply: mul, arc.divide: floordiv}
UNARY = {
    arc.invert: lambda n: -n,
    arc.double: lambda n: 2 * n,
    arc.halve: lambda n: n // 2,
    arc.increment: lambda n: n + 1,
    arc.decrement: lambda n: n - 1,
    arc.sign: lambda n: (n > 0) - (n < 0),
    arc.crement: lambda n: n + (n > 0) - (n < 0),
    arc.identity: lambda n: n,
}


def both_parts(number):
    return number if isinstance(number, tuple) else (number, number)


@pytest.mark.parametrize("function", BINARY)
@given(a=numbers, b=numbers)
def test_numbers_are_computed_as_in_python_and_an_integer_counts_as_both_parts(function, a, b):
    """Division rounds down."""
    if function is arc.divide and 0 in both_parts(b):
        with pytest.raises(ZeroDivisionError):
            function(a, b)
        return
    results = tuple(map(BINARY[function], both_parts(a), both_parts(b)))
    of_pairs = isinstance(a, tuple) or isinstance(b, tuple)
    assert function(a, b) == (results if of_pairs else results[0])


@pytest.mark.parametrize("function", UNARY)
@given(n=numbers)
def test_a_pair_is_computed_part_by_part(function, n):
    step = UNARY[function]
    assert function(n) == (tuple(map(step, n)) if isinstance(n, tuple) else step(n))


@pytest.mark.parametrize("a, b", [(1, 0), ((1, 1), 0), (4, (2, 0)), ((0, 0), (0, 1))])
def test_division_by_zero_fails(a, b):
    with pytest.raises(ZeroDivisionError):
        arc.divide(a, b)


@given(a=integers, b=integers)
def test_comparisons_and_vectors(a, b):
    assert arc.positive(a) is (a > 0)
    assert arc.greater(a, b) is (a > b)
    assert arc.even(a) is (abs(a) % 2 == 0)
    assert (arc.toivec(a), arc.tojvec(b)) == ((a, 0), (0, b))


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


def test_results_at_the_ends_of_the_integers_do_not_fail():
    assert arc.increment(LARGEST - 1) == LARGEST
    assert arc.subtract(-1, LARGEST) == SMALLEST
    assert arc.multiply(-(2**16), 2**15) == SMALLEST
