"""Integers and pairs of them: arithmetic part by part, comparisons, vectors.

A Numerical is an Integer or a pair. Beside a pair, an Integer stands for a pair of itself.
"""

from __future__ import annotations

from itertools import product
from typing import Any as Value

from numpy import int64

from megabatt.runtime.arc.integers import INTEGER_MAX, INTEGER_MIN, integer
from megabatt.runtime.arc.language import primitive
from megabatt.runtime.arc.layouts import Pairs
from megabatt.runtime.arc.layouts.packing import are_parts, column_of, pair_code, row_of
from megabatt.runtime.arc.types import Boolean, Integer, IntegerTuple, Numerical
from megabatt.runtime.engine.calls.frames import Frame
from megabatt.runtime.engine.calls.registry import rule
from megabatt.runtime.engine.columns import Bools, Column, Ints
from megabatt.runtime.engine.device.arrays import Array, xp
from megabatt.runtime.engine.device.kernels import (
    LaneKernel,
    device_function,
    lane_kernel,
    spelled_out,
)
from megabatt.runtime.engine.limits import LimitError
from megabatt.runtime.engine.machine import prelude as m
from megabatt.runtime.engine.machine.forms import compiled
from megabatt.runtime.engine.machine.functions import machine_function


def pair(i: int, j: int) -> tuple[int, int]:
    """Return (i, j), if both are within the language's Integers. Raises LimitError otherwise."""
    if -2147483648 <= i <= 2147483647 and -2147483648 <= j <= 2147483647:
        return i, j
    raise LimitError("an Integer out of range")


class PartByPart:
    """A device function of Integers, for columns of Integers and pairs: one launch for any mix.

    Pairs are taken part by part. Results out of range fail; a pair that no code holds goes to the
    scalar form.
    """

    def __init__(self, function: Value) -> None:
        arguments = function.py_func.__code__.co_argcount
        self._kernels = {
            are_pairs: _of_parts(function, are_pairs)
            for are_pairs in product((False, True), repeat=arguments)
        }

    def __call__(self, frame: Frame, *numbers: Column) -> Column:
        are_pairs = tuple(isinstance(number, Pairs) for number in numbers)
        data = [number.data for number in numbers]  # type: ignore[attr-defined]
        kernel = self._kernels[are_pairs]
        return _pairs(frame, kernel, *data) if any(are_pairs) else _integers(frame, kernel, *data)


def _of_parts(function: Value, are_pairs: tuple[bool, ...]) -> LaneKernel:
    """Make the kernel of `function` for arguments of these kinds; an Integer is both parts."""
    body = function.py_func
    names = [f"a{k}" for k in range(len(are_pairs))]

    def call(part_of: str) -> str:
        parts = [
            f"{part_of}({name}[lane])" if is_pair else f"{name}[lane]"
            for name, is_pair in zip(names, are_pairs, strict=True)
        ]
        return f"{body.__name__}({', '.join(parts)})"

    arguments = ", ".join(names)
    name = f"{body.__name__}_of_{''.join('p' if is_pair else 'i' for is_pair in are_pairs)}"
    if any(are_pairs):
        source = (
            f"def {name}(lane, {arguments}, codes, wrong, far):\n"
            f"    hold_pair(lane, {call('row_of')}, {call('column_of')}, codes, wrong, far)\n"
        )
    else:
        source = (
            f"def {name}(lane, {arguments}, numbers, wrong):\n"
            f"    hold_integer(lane, {call('')}, numbers, wrong)\n"
        )
    helpers = {helper.__name__: helper for helper in (hold_integer, hold_pair, row_of, column_of)}
    spelled = spelled_out(name, source, __name__, {**helpers, body.__name__: function})
    return LaneKernel(spelled, body.__code__)


def _integers(frame: Frame, kernel: LaneKernel, *args: Array | int) -> Ints:
    """Run a kernel that ends in `hold_integer`; return its numbers, failing those out of range."""
    numbers, wrong = xp.empty(frame.n, dtype=xp.int64), xp.empty(frame.n, dtype=xp.bool_)
    kernel.run(frame.n, *args, numbers, wrong)
    frame.fail(wrong)
    return Ints(numbers)


def _pairs(frame: Frame, kernel: LaneKernel, *args: Array | int) -> Pairs:
    """Run a kernel that ends in `hold_pair`; return its pairs.

    Lanes out of the Integers' range fail; those out of a code's range only go to the host.
    """
    codes = xp.empty(frame.n, dtype=xp.int64)
    wrong, far = (xp.empty(frame.n, dtype=xp.bool_) for _ in range(2))
    kernel.run(frame.n, *args, codes, wrong, far)
    frame.leave_to_host(far)
    frame.fail(wrong)
    return Pairs(codes)


@device_function
def is_integer(number):
    return INTEGER_MIN <= number and number <= INTEGER_MAX


@device_function
def hold_integer(lane, number, numbers, wrong):
    """Store a number. If it is out of range, store 0 and set the flag."""
    numbers[lane] = 0
    wrong[lane] = not is_integer(number)
    if is_integer(number):
        numbers[lane] = number
    return int64(0)


@device_function
def hold_pair(lane, i, j, codes, wrong, far):
    """Store the code of a pair, and two flags: out of the Integers' range, out of a code's only."""
    codes[lane] = pair_code(int64(0), int64(0))
    if are_parts(i, j):
        codes[lane] = pair_code(i, j)
    beyond = not (is_integer(i) and is_integer(j))
    wrong[lane] = beyond
    far[lane] = not (are_parts(i, j) or beyond)
    return int64(0)


@primitive
def add(a: Numerical, b: Numerical) -> Numerical:
    """Return the sum."""
    if a.__class__ is int and b.__class__ is int:
        return integer(a + b)
    i, j = (a, a) if a.__class__ is int else a
    u, v = (b, b) if b.__class__ is int else b
    return pair(i + u, j + v)


@device_function
def sum_of(n, m):
    return n + m


rule(add)(PartByPart(sum_of))


@compiled(add)
def add(heap, a, b):
    return by_parts(heap, sum_of, a, b)


@machine_function
def by_parts(heap, function, a, b):
    """Return a function of two Integers, part by part if one of them is a pair."""
    if m.is_pair(a) or m.is_pair(b):
        i = function(first_part(a), first_part(b))
        return pair_of(heap, i, function(second_part(a), second_part(b)))
    return m.integer(heap, function(a, b))


@machine_function
def first_part(number):
    """Return the first part of a pair; an Integer is both parts."""
    return m.row_of(number) if m.is_pair(number) else number


@machine_function
def second_part(number):
    """Return the second part of a pair; an Integer is both parts."""
    return m.column_of(number) if m.is_pair(number) else number


@machine_function
def pair_of(heap, i, j):
    """Return (i, j); `FAILED` where a part is no Integer, `HOST` where one does not fit."""
    if m.integer(heap, i) == m.FAILED or m.integer(heap, j) == m.FAILED:
        return int64(m.FAILED)
    return m.pair(i, j)


@primitive
def subtract(a: Numerical, b: Numerical) -> Numerical:
    """Return the difference."""
    if a.__class__ is int and b.__class__ is int:
        return integer(a - b)
    i, j = (a, a) if a.__class__ is int else a
    u, v = (b, b) if b.__class__ is int else b
    return pair(i - u, j - v)


@device_function
def difference_of(n, m):
    return n - m


rule(subtract)(PartByPart(difference_of))


@compiled(subtract)
def subtract(heap, a, b):
    return by_parts(heap, difference_of, a, b)


@primitive
def multiply(a: Numerical, b: Numerical) -> Numerical:
    """Return the product; of two pairs, part by part."""
    if a.__class__ is int and b.__class__ is int:
        return integer(a * b)
    i, j = (a, a) if a.__class__ is int else a
    u, v = (b, b) if b.__class__ is int else b
    return pair(i * u, j * v)


@device_function
def product_of(n, m):
    return n * m


rule(multiply)(PartByPart(product_of))


@compiled(multiply)
def multiply(heap, a, b):
    return by_parts(heap, product_of, a, b)


@primitive
def divide(a: Numerical, b: Numerical) -> Numerical:
    """Return the quotient, rounded down. Fails where a divisor is 0."""
    if a.__class__ is int and b.__class__ is int:
        return integer(a // b)
    i, j = (a, a) if a.__class__ is int else a
    u, v = (b, b) if b.__class__ is int else b
    return pair(i // u, j // v)


@device_function
def quotient_of(n, m):
    """Return the quotient, rounded down. For a divisor of 0 return no Integer, which fails."""
    if m == 0:
        return int64(1 << 32)
    return n // m


rule(divide)(PartByPart(quotient_of))


@compiled(divide)
def divide(heap, a, b):
    """Do what `by_parts` does: Numba keeps no function that is given one that divides."""
    if m.is_pair(a) or m.is_pair(b):
        i = quotient_of(first_part(a), first_part(b))
        return pair_of(heap, i, quotient_of(second_part(a), second_part(b)))
    return m.integer(heap, quotient_of(a, b))


@primitive
def invert(n: Numerical) -> Numerical:
    """Return the negative."""
    return integer(-n) if n.__class__ is int else pair(-n[0], -n[1])


@device_function
def negative_of(n):
    return -n


rule(invert)(PartByPart(negative_of))


@compiled(invert)
def invert(heap, n):
    return by_each_part(heap, negative_of, n)


@machine_function
def by_each_part(heap, function, n):
    """Return a function of an Integer, or of each part of a pair."""
    if m.is_pair(n):
        return pair_of(heap, function(m.row_of(n)), function(m.column_of(n)))
    return m.integer(heap, function(n))


@primitive
def even(n: Integer) -> Boolean:
    """Tell whether `n` is even."""
    return n & 1 == 0


@rule(even)
def even(frame: Frame, n: Ints) -> Column:
    return Bools(n.data & 1 == 0)


@compiled(even)
def even(heap, n):
    return m.boolean(n & 1 == 0)


@primitive
def double(n: Numerical) -> Numerical:
    """Return twice `n`."""
    return integer(2 * n) if n.__class__ is int else pair(2 * n[0], 2 * n[1])


@device_function
def double_of(n):
    return 2 * n


rule(double)(PartByPart(double_of))


@compiled(double)
def double(heap, n):
    return by_each_part(heap, double_of, n)


@primitive
def halve(n: Numerical) -> Numerical:
    """Return half of `n`, rounded down."""
    return n // 2 if n.__class__ is int else (n[0] // 2, n[1] // 2)


@device_function
def half_of(n):
    return n >> 1


rule(halve)(PartByPart(half_of))


@compiled(halve)
def halve(heap, n):
    return by_each_part(heap, half_of, n)


@primitive
def increment(x: Numerical) -> Numerical:
    """Return one more than `x`."""
    return integer(x + 1) if x.__class__ is int else pair(x[0] + 1, x[1] + 1)


@device_function
def one_above(n):
    return n + 1


rule(increment)(PartByPart(one_above))


@compiled(increment)
def increment(heap, x):
    return by_each_part(heap, one_above, x)


@primitive
def decrement(x: Numerical) -> Numerical:
    """Return one less than `x`."""
    return integer(x - 1) if x.__class__ is int else pair(x[0] - 1, x[1] - 1)


@device_function
def one_below(n):
    return n - 1


rule(decrement)(PartByPart(one_below))


@compiled(decrement)
def decrement(heap, x):
    return by_each_part(heap, one_below, x)


@primitive
def crement(x: Numerical) -> Numerical:
    """Move `x` one further away from 0; 0 stays 0."""
    if x.__class__ is int:
        return integer(x + _sign(x))
    i, j = x
    return pair(i + _sign(i), j + _sign(j))


def _sign(n: int) -> int:
    return (n > 0) - (n < 0)


@device_function
def sign_of(n):
    if n > 0:
        return int64(1)
    if n < 0:
        return int64(-1)
    return int64(0)


@device_function
def one_away(n):
    return n + sign_of(n)


rule(crement)(PartByPart(one_away))


@compiled(crement)
def crement(heap, x):
    return by_each_part(heap, one_away, x)


@primitive
def sign(x: Numerical) -> Numerical:
    """Return 1, 0 or -1, as `x` is above, at or below 0."""
    return _sign(x) if x.__class__ is int else (_sign(x[0]), _sign(x[1]))


rule(sign)(PartByPart(sign_of))


@compiled(sign)
def sign(heap, x):
    return by_each_part(heap, sign_of, x)


@primitive
def positive(x: Integer) -> Boolean:
    """Tell whether `x` is above 0."""
    return x > 0


@rule(positive)
def positive(frame: Frame, x: Ints) -> Column:
    return Bools(x.data > 0)


@compiled(positive)
def positive(heap, x):
    return m.boolean(x > 0)


@primitive
def greater(a: Integer, b: Integer) -> Boolean:
    """Tell whether `a` is above `b`."""
    return a > b


@rule(greater)
def greater(frame: Frame, a: Ints, b: Ints) -> Column:
    return Bools(a.data > b.data)


@compiled(greater)
def greater(heap, a, b):
    return m.boolean(a > b)


@primitive
def toivec(i: Integer) -> IntegerTuple:
    """Return the vector `i` rows down."""
    return i, 0


@rule(toivec)
def toivec(frame: Frame, i: Ints) -> Column:
    return _pairs(frame, hold_vector, i.data, 1, 0)


@lane_kernel
def hold_vector(lane, steps, di, dj, codes, wrong, far):
    hold_pair(lane, steps[lane] * di, steps[lane] * dj, codes, wrong, far)


@compiled(toivec)
def toivec(heap, i):
    return m.pair(i, 0)


@primitive
def tojvec(j: Integer) -> IntegerTuple:
    """Return the vector `j` columns to the right."""
    return 0, j


@rule(tojvec)
def tojvec(frame: Frame, j: Ints) -> Column:
    return _pairs(frame, hold_vector, j.data, 0, 1)


@compiled(tojvec)
def tojvec(heap, j):
    return m.pair(0, j)
