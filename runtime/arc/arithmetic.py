"""Integers and pairs of Integers: arithmetic part by part, comparisons, vectors.

A Numerical is an Integer or a pair. Beside a pair, an Integer stands for a pair of itself.
"""

from megabatt.runtime.arc.language import compiled, compiled_as, integer, m, primitive
from megabatt.runtime.arc.types import Boolean, Integer, IntegerTuple, Numerical
from megabatt.runtime.engine.language.limits import LimitError


def pair(i: int, j: int) -> tuple[int, int]:
    """Return (i, j), if both are within the language's Integers. Raises LimitError otherwise."""
    if -2147483648 <= i <= 2147483647 and -2147483648 <= j <= 2147483647:
        return i, j
    raise LimitError("an Integer out of range")


@primitive
def add(a: Numerical, b: Numerical) -> Numerical:
    """Return the sum."""
    if a.__class__ is int and b.__class__ is int:
        return integer(a + b)
    i, j = (a, a) if a.__class__ is int else a
    u, v = (b, b) if b.__class__ is int else b
    return pair(i + u, j + v)


@m.machine_function
def sum_of(a, b):
    return a + b


@m.machine_function
def by_parts(heap, a, b, function):
    """Apply a function to two Integers, part by part if an operand is a pair."""
    if m.is_pair(a) or m.is_pair(b):
        i = m.required(m.integer(heap, function(first_part(a), first_part(b))))
        j = m.required(m.integer(heap, function(second_part(a), second_part(b))))
        return m.pair(i, j)
    return m.integer(heap, function(a, b))


compiled_as(add, by_parts, sum_of)


@m.machine_function
def first_part(number):
    """Return the first part of a pair; an Integer is both parts."""
    return m.row_of(number) if m.is_pair(number) else number


@m.machine_function
def second_part(number):
    """Return the second part of a pair; an Integer is both parts."""
    return m.column_of(number) if m.is_pair(number) else number


@primitive
def subtract(a: Numerical, b: Numerical) -> Numerical:
    """Return the difference."""
    if a.__class__ is int and b.__class__ is int:
        return integer(a - b)
    i, j = (a, a) if a.__class__ is int else a
    u, v = (b, b) if b.__class__ is int else b
    return pair(i - u, j - v)


@m.machine_function
def difference_of(a, b):
    return a - b


compiled_as(subtract, by_parts, difference_of)


@primitive
def multiply(a: Numerical, b: Numerical) -> Numerical:
    """Return the product, part by part for two pairs."""
    if a.__class__ is int and b.__class__ is int:
        return integer(a * b)
    i, j = (a, a) if a.__class__ is int else a
    u, v = (b, b) if b.__class__ is int else b
    return pair(i * u, j * v)


@m.machine_function
def product_of(a, b):
    return a * b


compiled_as(multiply, by_parts, product_of)


@primitive
def divide(a: Numerical, b: Numerical) -> Numerical:
    """Return the quotient, rounded down. Fails where a divisor is 0."""
    if a.__class__ is int and b.__class__ is int:
        return integer(a // b)
    i, j = (a, a) if a.__class__ is int else a
    u, v = (b, b) if b.__class__ is int else b
    return pair(i // u, j // v)


@m.machine_function
def quotient_of(a, b):
    return a // b


@compiled(divide)
def divide(heap, a, b):
    if first_part(b) == 0 or second_part(b) == 0:
        return m.NO_VALUE
    return by_parts(heap, a, b, quotient_of)


@primitive
def invert(n: Numerical) -> Numerical:
    """Return the negative."""
    return integer(-n) if n.__class__ is int else pair(-n[0], -n[1])


compiled_as(invert, by_parts, -1, product_of)


@primitive
def even(n: Integer) -> Boolean:
    """Tell whether `n` is even."""
    return n & 1 == 0


@compiled(even)
def even(heap, n):
    return m.boolean(n & 1 == 0)


@primitive
def double(n: Numerical) -> Numerical:
    """Return twice `n`."""
    return integer(2 * n) if n.__class__ is int else pair(2 * n[0], 2 * n[1])


compiled_as(double, by_parts, 2, product_of)


@primitive
def halve(n: Numerical) -> Numerical:
    """Return half of `n`, rounded down."""
    return n // 2 if n.__class__ is int else (n[0] // 2, n[1] // 2)


compiled_as(halve, by_parts, 2, quotient_of)


@primitive
def increment(x: Numerical) -> Numerical:
    """Return one more than `x`."""
    return integer(x + 1) if x.__class__ is int else pair(x[0] + 1, x[1] + 1)


compiled_as(increment, by_parts, 1, sum_of)


@primitive
def decrement(x: Numerical) -> Numerical:
    """Return one less than `x`."""
    return integer(x - 1) if x.__class__ is int else pair(x[0] - 1, x[1] - 1)


compiled_as(decrement, by_parts, 1, difference_of)


@primitive
def crement(x: Numerical) -> Numerical:
    """Move `x` one further away from 0; 0 stays 0."""
    return integer(x + _sign(x)) if x.__class__ is int else pair(*[n + _sign(n) for n in x])


def _sign(n: int) -> int:
    return (n > 0) - (n < 0)


@m.machine_function
def away_from(a, b):
    return a + m.sign(a, b)


compiled_as(crement, by_parts, 0, away_from)


@primitive
def sign(x: Numerical) -> Numerical:
    """Return 1, 0 or -1, as `x` is above, at or below 0."""
    return _sign(x) if x.__class__ is int else (_sign(x[0]), _sign(x[1]))


compiled_as(sign, by_parts, 0, m.sign)


@primitive
def positive(x: Integer) -> Boolean:
    """Tell whether `x` is above 0."""
    return x > 0


@m.machine_function
def is_greater(heap, a, b):
    return m.boolean(a > b)


compiled_as(positive, is_greater, 0)


@primitive
def greater(a: Integer, b: Integer) -> Boolean:
    """Tell whether `a` is above `b`."""
    return a > b


compiled_as(greater, is_greater)


@primitive
def toivec(i: Integer) -> IntegerTuple:
    """Return the vector `i` rows down."""
    return i, 0


@compiled(toivec)
def toivec(heap, i):
    return m.pair(i, 0)


@primitive
def tojvec(j: Integer) -> IntegerTuple:
    """Return the vector `j` columns to the right."""
    return 0, j


@compiled(tojvec)
def tojvec(heap, j):
    return m.pair(0, j)
