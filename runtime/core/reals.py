"""Reals, which are Python's floats: quotients, powers, roots, and Integers made of Reals.

Sums and products of Reals are those of `operators`. A Real is 0, infinite, or of a size from
2**-255 up to 2**255; an operation with another result fails.
"""

from collections.abc import Iterable
from math import ceil, floor, isfinite, sqrt
from typing import Any as Value

from megabatt.runtime.core.table import compiled, m, primitive
from megabatt.runtime.core.types import Integer, Number
from megabatt.runtime.engine.language.limits import LimitError
from megabatt.runtime.engine.language.values import of_language
from megabatt.runtime.engine.machine.functions import on_reals, real_of, whole_of

_NUMBERS = {int, bool, float, complex}


def are_numbers(*values: Value) -> bool:
    return _NUMBERS.issuperset(map(type, values))


def number(result: Value) -> Value:
    """Return an operation's result as a number of the language.

    Raises ValueError for no number, TypeError for a complex one, LimitError for one out of range.
    """
    if result != result:
        raise ValueError("not a number")
    return of_language(result) + 0.0 if result.__class__ is float else of_language(result)


def total(numbers: Iterable[Value]) -> Value:
    """Return the sum of numbers as Python 3.12 does: what Reals round off is added at the end."""
    made, lost = 0, 0.0
    for one in numbers:
        before, made = made, made + one
        if before.__class__ is float and one.__class__ is float:
            small, large = sorted((before, one), key=abs)
            lost += (large - made) + small
    return number(made + lost if lost and isfinite(lost) else made)


@primitive
def ratio_of(a: Number, b: Number) -> Number:
    """Return a / b, which is a Real. Fails if b is 0."""
    return number(a / b)


@compiled(ratio_of)
def ratio_of(heap, a, b):
    return m.real(on_reals("/", m.bits_of(a), m.bits_of(b))) if m.truth(b) else m.NO_VALUE


@primitive
def power_of(a: Number, b: Number) -> Number:
    """Return a ** b: an Integer if both are Integers and b is not negative, else a Real."""
    if a.__class__ is float or b.__class__ is float or b < 0:
        try:
            return number(float(a) ** b)
        except OverflowError:
            raise LimitError("a Real out of range") from None
    return number(a ** (b if -1 <= a <= 1 else min(b, _MOST_BITS)))


_MOST_BITS = 64
"""An exponent with which the power of each Integer but -1, 0 and 1 is out of range."""


@compiled(power_of)
def power_of(heap, a, b):
    if not m.is_real(a) and not m.is_real(b) and (b >= 0 or a == 0):
        if b < 0:
            return m.NO_VALUE
        times = b if abs(a) > 1 else min(b, 2 - (b & 1))
        power = 1
        while times > 0 and abs(power) <= heap[m.MOST] + 1:
            power *= a
            times -= 1
        return m.integer(heap, power)
    power = m.real(on_reals("**", m.bits_of(a), m.bits_of(b)))
    if power == m.NO_VALUE or abs(power - m.ZERO) == m.INFINITE_CODE:
        return m.HOST
    return power


@primitive
def root_of(a: Number) -> Number:
    """Return the square root. Fails for a negative number."""
    return number(sqrt(a))


@compiled(root_of)
def root_of(heap, a):
    bits = m.bits_of(a)
    return m.real(on_reals("root", bits, bits))


_TOWARD_ZERO, _DOWN, _UP = range(3)
_HALF = m.ZERO + (255 << 52)
"""The word of 0.5."""
_BEYOND_INTEGERS = (256 + 33) << 52
"""The code of 2**33, see `engine.machine.layout.real`."""


@primitive
def rounded(a: Number, way: Integer) -> Integer:
    """Return a number rounded to an Integer.

    way: 0 toward zero, 1 down, 2 up, else to the nearest, and halves to the even one.
    """
    if a.__class__ is float and a - a != 0:
        raise ValueError("infinity is no Integer")
    ways = {_TOWARD_ZERO: int, _DOWN: floor, _UP: ceil}
    return of_language(ways.get(way, round)(a))


@compiled(rounded)
def rounded(heap, a, way):
    if not m.is_real(a):
        return a
    size = abs(a - m.ZERO)
    if size > _BEYOND_INTEGERS:
        return m.NO_VALUE if size == m.INFINITE_CODE else m.OVER_LIMIT
    whole = whole_of(m.bits_of(a))
    low = whole - (m.real(real_of(whole)) > a)
    if way == _DOWN:
        whole = low
    elif way == _UP:
        whole = low + (m.real(real_of(low)) < a)
    elif way != _TOWARD_ZERO:
        rest = m.real(on_reals("-", m.bits_of(a), real_of(low)))
        whole = low + (rest > _HALF or (rest == _HALF and (low & 1) == 1))
    return m.integer(heap, whole)
