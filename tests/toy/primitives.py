"""The primitives: for each, scalar form, charge, rule and kernel together."""

from __future__ import annotations

import math

from megabatt.language import (
    Array,
    Boolean,
    Bools,
    Column,
    Floats,
    Frame,
    Integer,
    Ints,
    Lists,
    charges,
    elements_of,
    lane_kernel,
    rule,
    xp,
)
from tests.toy.language import primitive
from tests.toy.types import Real, Reals, real


def _finite(frame: Frame, data: Array) -> Floats:
    """Return the data as reals. Fail the lanes in which a number is not finite."""
    wrong = ~xp.isfinite(data)
    frame.fail(wrong)
    return Floats(xp.where(wrong, 0.0, data))


def _finite_lists(frame: Frame, data: Array, counts: Array, offsets: Array, lanes: Array) -> Column:
    """Return the data as lists of reals. Fail the lanes in which a number is not finite."""
    wrong = ~xp.isfinite(data)
    elements = frame.child(lanes)
    elements.fail(wrong)
    frame.close(elements, lanes)
    return Lists.of_counts(counts, Floats(xp.where(wrong, 0.0, data)), offsets)


@primitive
def plus(a: Real, b: Real) -> Real:
    """Return a + b."""
    return real(a + b)


@rule(plus)
def plus(frame: Frame, a: Floats, b: Floats) -> Column:
    return _finite(frame, a.data + b.data)


@primitive
def times(a: Real, b: Real) -> Real:
    """Return a * b."""
    return real(a * b)


@rule(times)
def times(frame: Frame, a: Floats, b: Floats) -> Column:
    return _finite(frame, a.data * b.data)


@primitive
def quotient(a: Real, b: Real) -> Real:
    """Return a / b. Fails for b = 0."""
    return real(a / b)


@rule(quotient)
def quotient(frame: Frame, a: Floats, b: Floats) -> Column:
    frame.fail(b.data == 0)
    return _finite(frame, a.data / xp.where(b.data == 0, 1.0, b.data))


@primitive
def root(a: Real) -> Real:
    """Return the square root. Fails below zero."""
    return math.sqrt(a)


@rule(root)
def root(frame: Frame, a: Floats) -> Column:
    frame.fail(a.data < 0)
    return Floats(xp.sqrt(xp.maximum(a.data, 0.0)))


@primitive
def above(a: Real, b: Real) -> Boolean:
    """Tell whether a > b."""
    return a > b


@rule(above)
def above(frame: Frame, a: Floats, b: Floats) -> Column:
    return Bools(a.data > b.data)


@primitive(charge=charges.count)
def total(xs: Reals) -> Real:
    """Add the numbers up from the first to the last."""
    result = 0.0
    for x in xs:
        result += x
    return real(result)


@rule(total)
def total(frame: Frame, xs: Lists) -> Column:
    sums = xp.empty(frame.n, dtype=xp.float64)
    add_up(frame.n, xs.starts, xs.counts, xs.content.data, sums)
    return _finite(frame, sums)


@lane_kernel
def add_up(lane, starts, counts, numbers, sums):
    result = 0.0
    for k in range(starts[lane], starts[lane] + counts[lane]):
        result += numbers[k]
    sums[lane] = result


@primitive(charge=charges.count)
def mean(xs: Reals) -> Real:
    """Return the mean. Fails without any number."""
    result = 0.0
    for x in xs:
        result += x
    return real(result / len(xs))


@rule(mean)
def mean(frame: Frame, xs: Lists) -> Column:
    frame.fail(xs.counts == 0)
    sums = xp.empty(frame.n, dtype=xp.float64)
    add_up(frame.n, xs.starts, xs.counts, xs.content.data, sums)
    return _finite(frame, sums / xp.maximum(xs.counts, 1))


@primitive(charge=charges.count)
def scaled(xs: Reals, k: Real) -> Reals:
    """Multiply every number by k."""
    return tuple([real(x * k) for x in xs])


@rule(scaled)
def scaled(frame: Frame, xs: Lists, k: Floats) -> Column:
    counts = xp.where(frame.pay(), xs.counts, 0)
    offsets, lanes, places = elements_of(counts)
    products = xs.content.data[xs.starts[lanes] + places] * k.data[lanes]
    return _finite_lists(frame, products, counts, offsets, lanes)


@primitive(charge=charges.count)
def smoothed(xs: Reals) -> Reals:
    """Return the mean of each number and the next."""
    return tuple([real((x + y) / 2) for x, y in zip(xs, xs[1:], strict=False)])


@rule(smoothed)
def smoothed(frame: Frame, xs: Lists) -> Column:
    counts = xp.maximum(xs.counts - 1, 0)
    offsets, lanes, places = elements_of(counts)
    numbers, at = xs.content.data, xs.starts[lanes] + places
    return _finite_lists(frame, (numbers[at] + numbers[at + 1]) / 2, counts, offsets, lanes)


@primitive(charge=charges.times)
def ramp(n: Integer, step: Real) -> Reals:
    """Return the n reals 0, step, 2 * step, ..."""
    return tuple([real(k * step) for k in range(n)])


@rule(ramp)
def ramp(frame: Frame, n: Ints, step: Floats) -> Column:
    counts = xp.where(frame.pay(), charges.times(n), 0)
    offsets, lanes, places = elements_of(counts)
    return _finite_lists(frame, places * step.data[lanes], counts, offsets, lanes)


@primitive(charge=charges.count)
def weighted(xs: Reals, weights: Reals) -> Reals:
    """Multiply each number by its weight. Fails if there are more or fewer weights than numbers."""
    return tuple([real(x * w) for x, w in zip(xs, weights, strict=True)])


@rule(weighted)
def weighted(frame: Frame, xs: Lists, weights: Lists) -> Column:
    frame.fail(xs.counts != weights.counts)
    counts = xp.where(frame.pay(), xp.minimum(xs.counts, weights.counts), 0)
    offsets, lanes, places = elements_of(counts)
    factors = weights.content.data[weights.starts[lanes] + places]
    products = xs.content.data[xs.starts[lanes] + places] * factors
    return _finite_lists(frame, products, counts, offsets, lanes)
