"""Tuples built from values: of two, of one again and again, of numbers in a row."""

from __future__ import annotations

from itertools import product as combinations

from runtime.arc.columns import laid_out, lengths, shortened
from runtime.arc.language import primitive
from runtime.arc.mapping import pairings
from runtime.arc.types import Any, Container, FrozenSet, Integer, IntegerTuple, Tuple, TupleTuple
from runtime.engine.arrays import elements_of, xp
from runtime.engine.columns import (
    Column,
    Ints,
    Lists,
    Sets,
)
from runtime.engine.encode import materialize
from runtime.engine.frames import Frame
from runtime.engine.limits import charge
from runtime.engine.ordering import make_sets
from runtime.engine.registry import rule
from runtime.engine.tuples import tuple_of_two
from runtime.engine.values import total_weight
from runtime.engine.weights import element_weights, weights


@primitive
def astuple(a: Any, b: Any) -> IntegerTuple:
    """The tuple of two values."""
    charge(total_weight((a, b)))  # type: ignore[arg-type]
    return (a, b)


@rule(astuple)
def _(frame: Frame, a: Column, b: Column) -> Column:
    frame.charge(weights(a) + weights(b))
    return tuple_of_two(a, b)


@primitive
def pair(a: Tuple, b: Tuple) -> TupleTuple:
    """The elements of two tuples side by side, up to the shorter's end."""
    n = min(len(a), len(b))
    charge(total_weight(a[:n]) + total_weight(b[:n]))  # type: ignore[arg-type]
    return tuple(zip(a, b))  # noqa: B905


@rule(pair)
def _(frame: Frame, a: Column, b: Column) -> Column:
    counts = xp.minimum(lengths(a), lengths(b))
    a, b = shortened(a, counts), shortened(b, counts)
    allowed = frame.charge(element_weights(a) + element_weights(b))
    first, second = laid_out(a, allowed), laid_out(b, allowed)
    return Lists.of_counts(first.counts, tuple_of_two(first.content, second.content))  # type: ignore[no-any-return]


@primitive
def product(a: Container, b: Container) -> FrozenSet:
    """The set of the tuples of an element of `a` and one of `b`."""
    charge(len(b) * total_weight(a) + len(a) * total_weight(b))
    return frozenset(combinations(a, b))


@rule(product)
def _(frame: Frame, a: Column, b: Column) -> Column:
    cost = lengths(b) * element_weights(a) + lengths(a) * element_weights(b)
    allowed = frame.charge(cost)
    first, second = laid_out(a, allowed), laid_out(b, allowed)
    counts = first.counts * second.counts
    offsets, right, left = pairings(second, first, counts)
    tuples = tuple_of_two(left, right)
    if isinstance(a, Sets) and isinstance(b, Sets):
        return Sets.of_counts(counts, tuples, offsets)
    return make_sets(counts, tuples, offsets)


@primitive
def repeat(item: Any, num: Integer) -> Tuple:
    """The tuple that has `item` num times."""
    n = max(num, 0)
    charge(n * total_weight([item]))
    return (item,) * n


@rule(repeat)
def _(frame: Frame, item: Column, num: Ints) -> Column:
    counts = xp.maximum(num.data, 0)
    counts = xp.where(frame.charge(counts * weights(item)), counts, 0)
    offsets, lanes, _ = elements_of(counts)
    return Lists.of_counts(counts, materialize(item).take(lanes), offsets)


@primitive
def interval(start: Integer, stop: Integer, step: Integer) -> Tuple:
    """The Integers from `start` on in steps of `step`, up to but without `stop`."""
    numbers = range(start, stop, step)
    charge(len(numbers))
    return tuple(numbers)


@rule(interval)
def _(frame: Frame, start: Ints, stop: Ints, step: Ints) -> Column:
    frame.fail(step.data == 0)
    stride = xp.maximum(abs(step.data), 1)
    way = xp.where(step.data > 0, stop.data - start.data, start.data - stop.data)
    counts = xp.where(step.data == 0, 0, (xp.maximum(way, 0) + stride - 1) // stride)
    counts = xp.where(frame.charge(counts), counts, 0)
    offsets, lanes, position = elements_of(counts)
    numbers = Ints(start.data[lanes] + position * step.data[lanes])
    return Lists.of_counts(counts, numbers, offsets)
