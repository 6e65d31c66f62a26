"""Integers and pairs of them: arithmetic part by part, comparisons, vectors.

Of a Numerical, an Integer or a pair, an Integer counts as both parts where the other is a pair.
"""

from __future__ import annotations

import operator
from collections.abc import Callable

from numpy import int64

from runtime.arc.language import primitive
from runtime.arc.types import Any, Boolean, Integer, IntegerTuple, Numerical
from runtime.engine.arrays import Array, xp
from runtime.engine.columns import Bools, Column, Ints, Pairs
from runtime.engine.frames import Frame
from runtime.engine.kernels import device_function, lane_kernel
from runtime.engine.limits import INTEGER_MAX, INTEGER_MIN, LimitError, integer
from runtime.engine.packing import are_parts, pair_code
from runtime.engine.registry import rule


def pair(i: int, j: int) -> tuple[int, int]:
    """(i, j), if both are within the language's Integers. Raises LimitError otherwise."""
    if -2147483648 <= i <= 2147483647 and -2147483648 <= j <= 2147483647:
        return i, j
    raise LimitError("an Integer out of range")


def parts_of(number: Column) -> tuple[Array, ...]:
    """The one or two Integers that the lanes of a Numerical column are."""
    if isinstance(number, Pairs):
        return number.first.data, number.second.data
    assert isinstance(number, Ints)
    return (number.data,)


def part_by_part(function: Callable[..., Array], *numbers: Column) -> list[Array]:
    """`function` of the first parts, and of the second ones if one of the columns is of pairs."""
    parts = [parts_of(number) for number in numbers]
    return [function(*(p[k % len(p)] for p in parts)) for k in range(max(map(len, parts)))]


def numbers_of(frame: Frame, parts: list[Array], failed: Array | None = None) -> Column:
    """The column with these parts: beyond the Integers it fails, a pair beyond a code is punted.

    failed: bool (n,), lanes that fail in any case.
    """
    n = frame.n
    numbers, wrong = xp.empty(n, dtype=xp.int64), xp.empty(n, dtype=xp.bool_)
    if len(parts) == 1:
        hold_integer(n, parts[0], numbers, wrong)
        frame.fail(wrong if failed is None else wrong | failed)
        return Ints(numbers)
    far = xp.empty(n, dtype=xp.bool_)
    hold_pair(n, *parts, numbers, wrong, far)
    frame.punt(far if failed is None else far & ~failed)
    frame.fail(wrong if failed is None else wrong | failed)
    return Pairs(numbers)


@device_function
def is_integer(number):  # type: ignore[no-untyped-def]
    return INTEGER_MIN <= number and number <= INTEGER_MAX


@lane_kernel
def hold_integer(lane, numbers, held, wrong):  # type: ignore[no-untyped-def]
    """A number, or 0 where it is beyond the Integers."""
    held[lane] = 0
    wrong[lane] = not is_integer(numbers[lane])
    if is_integer(numbers[lane]):
        held[lane] = numbers[lane]


@lane_kernel
def hold_pair(lane, i, j, codes, wrong, far):  # type: ignore[no-untyped-def]
    """The code of a pair; whether it is beyond the Integers, and whether only beyond a code."""
    codes[lane] = pair_code(int64(0), int64(0))
    if are_parts(i[lane], j[lane]):
        codes[lane] = pair_code(i[lane], j[lane])
    beyond = not (is_integer(i[lane]) and is_integer(j[lane]))
    wrong[lane] = beyond
    far[lane] = not (are_parts(i[lane], j[lane]) or beyond)


@primitive
def identity(x: Any) -> Any:
    """The argument itself."""
    return x


@rule(identity)
def _(frame: Frame, x: Column) -> Column:
    return x


@primitive
def add(a: Numerical, b: Numerical) -> Numerical:
    """The sum."""
    if a.__class__ is int and b.__class__ is int:
        return integer(a + b)
    i, j = (a, a) if a.__class__ is int else a
    u, v = (b, b) if b.__class__ is int else b
    return pair(i + u, j + v)


@rule(add)
def _(frame: Frame, a: Column, b: Column) -> Column:
    return numbers_of(frame, part_by_part(operator.add, a, b))


@primitive
def subtract(a: Numerical, b: Numerical) -> Numerical:
    """The difference."""
    if a.__class__ is int and b.__class__ is int:
        return integer(a - b)
    i, j = (a, a) if a.__class__ is int else a
    u, v = (b, b) if b.__class__ is int else b
    return pair(i - u, j - v)


@rule(subtract)
def _(frame: Frame, a: Column, b: Column) -> Column:
    return numbers_of(frame, part_by_part(operator.sub, a, b))


@primitive
def multiply(a: Numerical, b: Numerical) -> Numerical:
    """The product; of two pairs, part by part."""
    if a.__class__ is int and b.__class__ is int:
        return integer(a * b)
    i, j = (a, a) if a.__class__ is int else a
    u, v = (b, b) if b.__class__ is int else b
    return pair(i * u, j * v)


@rule(multiply)
def _(frame: Frame, a: Column, b: Column) -> Column:
    return numbers_of(frame, part_by_part(operator.mul, a, b))


@primitive
def divide(a: Numerical, b: Numerical) -> Numerical:
    """The quotient, rounded down. Fails where a divisor is 0."""
    if a.__class__ is int and b.__class__ is int:
        return integer(a // b)
    i, j = (a, a) if a.__class__ is int else a
    u, v = (b, b) if b.__class__ is int else b
    return pair(i // u, j // v)


@rule(divide)
def _(frame: Frame, a: Column, b: Column) -> Column:
    by_zero = xp.zeros(frame.n, dtype=xp.bool_)
    for part in parts_of(b):
        by_zero = by_zero | (part == 0)
    parts = part_by_part(lambda n, m: n // xp.where(m == 0, 1, m), a, b)
    return numbers_of(frame, parts, by_zero)


@primitive
def invert(n: Numerical) -> Numerical:
    """The negative."""
    return integer(-n) if n.__class__ is int else pair(-n[0], -n[1])


@rule(invert)
def _(frame: Frame, n: Column) -> Column:
    return numbers_of(frame, part_by_part(operator.neg, n))


@primitive
def even(n: Integer) -> Boolean:
    """Whether `n` is even."""
    return n & 1 == 0


@rule(even)
def _(frame: Frame, n: Ints) -> Column:
    return Bools(n.data & 1 == 0)


@primitive
def double(n: Numerical) -> Numerical:
    """Twice `n`."""
    return integer(2 * n) if n.__class__ is int else pair(2 * n[0], 2 * n[1])


@rule(double)
def _(frame: Frame, n: Column) -> Column:
    return numbers_of(frame, part_by_part(lambda part: 2 * part, n))


@primitive
def halve(n: Numerical) -> Numerical:
    """Half of `n`, rounded down."""
    return n // 2 if n.__class__ is int else (n[0] // 2, n[1] // 2)


@rule(halve)
def _(frame: Frame, n: Column) -> Column:
    return numbers_of(frame, part_by_part(lambda part: part >> 1, n))


@primitive
def increment(x: Numerical) -> Numerical:
    """One more than `x`."""
    return integer(x + 1) if x.__class__ is int else pair(x[0] + 1, x[1] + 1)


@rule(increment)
def _(frame: Frame, x: Column) -> Column:
    return numbers_of(frame, part_by_part(lambda part: part + 1, x))


@primitive
def decrement(x: Numerical) -> Numerical:
    """One less than `x`."""
    return integer(x - 1) if x.__class__ is int else pair(x[0] - 1, x[1] - 1)


@rule(decrement)
def _(frame: Frame, x: Column) -> Column:
    return numbers_of(frame, part_by_part(lambda part: part - 1, x))


@primitive
def crement(x: Numerical) -> Numerical:
    """One further away from 0 than `x`; 0 for 0."""
    if x.__class__ is int:
        return integer(x + _sign(x))
    i, j = x
    return pair(i + _sign(i), j + _sign(j))


def _sign(n: int) -> int:
    return (n > 0) - (n < 0)


@rule(crement)
def _(frame: Frame, x: Column) -> Column:
    return numbers_of(frame, part_by_part(lambda part: part + xp.sign(part), x))


@primitive
def sign(x: Numerical) -> Numerical:
    """1, 0 or -1, as `x` is above, at or below 0."""
    return _sign(x) if x.__class__ is int else (_sign(x[0]), _sign(x[1]))


@rule(sign)
def _(frame: Frame, x: Column) -> Column:
    return numbers_of(frame, part_by_part(xp.sign, x))


@primitive
def positive(x: Integer) -> Boolean:
    """Whether `x` is above 0."""
    return x > 0


@rule(positive)
def _(frame: Frame, x: Ints) -> Column:
    return Bools(x.data > 0)


@primitive
def greater(a: Integer, b: Integer) -> Boolean:
    """Whether `a` is above `b`."""
    return a > b


@rule(greater)
def _(frame: Frame, a: Ints, b: Ints) -> Column:
    return Bools(a.data > b.data)


@primitive
def toivec(i: Integer) -> IntegerTuple:
    """The vector `i` rows down."""
    return i, 0


@rule(toivec)
def _(frame: Frame, i: Ints) -> Column:
    return numbers_of(frame, [i.data, xp.zeros(frame.n, dtype=xp.int64)])


@primitive
def tojvec(j: Integer) -> IntegerTuple:
    """The vector `j` columns to the right."""
    return 0, j


@rule(tojvec)
def _(frame: Frame, j: Ints) -> Column:
    return numbers_of(frame, [xp.zeros(frame.n, dtype=xp.int64), j.data])
