"""Tuples built from values: of two, of one again and again, of numbers in a row."""

from __future__ import annotations

from itertools import product as combinations

from megabatt.runtime.core.mapping import pairings
from megabatt.runtime.core.table import primitive
from megabatt.runtime.core.types import Any, Container, FrozenSet, Integer, Tuple, TupleTuple
from megabatt.runtime.engine.calls.frames import Frame
from megabatt.runtime.engine.calls.registry import rule
from megabatt.runtime.engine.columns import (
    Column,
    Ints,
    Lists,
    Sets,
    laid_out,
    make_sets,
    tuples_of,
)
from megabatt.runtime.engine.device.arrays import elements_of, xp
from megabatt.runtime.engine.limits import charge
from megabatt.runtime.engine.values import total_weight


@primitive
def astuple(a: Any, b: Any) -> Tuple:
    """The tuple of two values."""
    charge(total_weight((a, b)))  # type: ignore[arg-type]
    return (a, b)


@rule(astuple)
def astuple(frame: Frame, a: Column, b: Column) -> Column:
    frame.charge(a.weights() + b.weights())
    return tuples_of([a, b])


@primitive
def pair(a: Tuple, b: Tuple) -> TupleTuple:
    """The elements of two tuples side by side, up to the shorter's end."""
    n = min(len(a), len(b))
    charge(total_weight(a[:n]) + total_weight(b[:n]))  # type: ignore[arg-type]
    return tuple(zip(a, b))  # noqa: B905


@rule(pair)
def pair(frame: Frame, a: Column, b: Column) -> Column:
    counts = xp.minimum(a.lengths(), b.lengths())
    a, b = a.shortened(counts), b.shortened(counts)
    allowed = frame.charge(a.element_weights() + b.element_weights())
    first, second = laid_out(a, allowed), laid_out(b, allowed)
    return Lists.of_counts(first.counts, tuples_of([first.content, second.content]))  # type: ignore[no-any-return]


@primitive
def product(a: Container, b: Container) -> FrozenSet:
    """The set of the tuples of an element of `a` and one of `b`."""
    charge(len(b) * total_weight(a) + len(a) * total_weight(b))
    return frozenset(combinations(a, b))


@rule(product)
def product(frame: Frame, a: Column, b: Column) -> Column:
    cost = b.lengths() * a.element_weights() + a.lengths() * b.element_weights()
    allowed = frame.charge(cost)
    first, second = laid_out(a, allowed), laid_out(b, allowed)
    counts = first.counts * second.counts
    offsets, right, left = pairings(second, first, counts)
    tuples = tuples_of([left, right])
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
def repeat(frame: Frame, item: Column, num: Ints) -> Column:
    counts = xp.maximum(num.data, 0)
    counts = xp.where(frame.charge(counts * item.weights()), counts, 0)
    offsets, lanes, _ = elements_of(counts)
    return Lists.of_counts(counts, item.materialized().take(lanes), offsets)


@primitive
def interval(start: Integer, stop: Integer, step: Integer) -> Tuple:
    """The Integers from `start` on in steps of `step`, up to but without `stop`."""
    numbers = range(start, stop, step)
    charge(len(numbers))
    return tuple(numbers)


@rule(interval)
def interval(frame: Frame, start: Ints, stop: Ints, step: Ints) -> Column:
    frame.fail(step.data == 0)
    stride = xp.maximum(abs(step.data), 1)
    way = xp.where(step.data > 0, stop.data - start.data, start.data - stop.data)
    counts = xp.where(step.data == 0, 0, (xp.maximum(way, 0) + stride - 1) // stride)
    counts = xp.where(frame.charge(counts), counts, 0)
    offsets, lanes, position = elements_of(counts)
    numbers = Ints(start.data[lanes] + position * step.data[lanes])
    return Lists.of_counts(counts, numbers, offsets)
