"""Tuples built from values: of two, of one again and again, of numbers in a row."""

from __future__ import annotations

from itertools import product as combinations

from megabatt.runtime.core.charges import (
    count,
    element_weight,
    paired_weight,
    shorter,
    steps,
    times,
    weight,
)
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
    flatten,
    laid_out,
    make_sets,
    tuples_of,
)
from megabatt.runtime.engine.device.arrays import elements_of, xp
from megabatt.runtime.engine.policy import SET


@primitive(charge=lambda a, b: weight(a) + weight(b))
def astuple(a: Any, b: Any) -> Tuple:
    """Return the tuple of two values."""
    return (a, b)


@rule(astuple)
def astuple(frame: Frame, a: Column, b: Column) -> Column:
    return tuples_of([a, b])


@primitive(charge=lambda a, b: paired_weight(a, b))
def pair(a: Tuple, b: Tuple) -> TupleTuple:
    """Pair the elements of two tuples side by side, up to the shorter's end."""
    return tuple(zip(a, b))  # noqa: B905


@rule(pair)
def pair(frame: Frame, a: Column, b: Column) -> Column:
    counts = xp.where(frame.pay(), shorter(a, b), 0)
    fields = [flatten(column.shortened(counts))[1] for column in (a, b)]
    return Lists.of_counts(counts, tuples_of(fields))


@primitive(charge=lambda a, b: count(b) * element_weight(a) + count(a) * element_weight(b))
def product(a: Container, b: Container) -> FrozenSet:
    """Return the set of all tuples of an element of `a` and one of `b`."""
    return frozenset(combinations(a, b))


@rule(product)
def product(frame: Frame, a: Column, b: Column) -> Column:
    allowed = frame.pay()
    first, second = laid_out(a, allowed), laid_out(b, allowed)
    counts = first.counts * second.counts
    offsets, right, left = pairings(second, first, counts)
    tuples = tuples_of([left, right])
    if a.kind == SET and b.kind == SET:
        return Sets.of_counts(counts, tuples, offsets)
    return make_sets(counts, tuples, offsets)


@primitive(charge=lambda item, num: times(num) * weight(item))
def repeat(item: Any, num: Integer) -> Tuple:
    """Return the tuple that has `item` num times."""
    return (item,) * num


@rule(repeat)
def repeat(frame: Frame, item: Column, num: Ints) -> Column:
    counts = xp.where(frame.pay(), times(num), 0)
    offsets, lanes, _ = elements_of(counts)
    return Lists.of_counts(counts, item.materialized().take(lanes), offsets)


@primitive(charge=lambda start, stop, step: steps(start, stop, step))
def interval(start: Integer, stop: Integer, step: Integer) -> Tuple:
    """Return the Integers from `start` on in steps of `step`, up to but without `stop`."""
    return tuple(range(start, stop, step))


@rule(interval)
def interval(frame: Frame, start: Ints, stop: Ints, step: Ints) -> Column:
    frame.fail(step.data == 0)
    counts = xp.where(frame.pay(), steps(start, stop, step), 0)
    offsets, lanes, position = elements_of(counts)
    numbers = Ints(start.data[lanes] + position * step.data[lanes])
    return Lists.of_counts(counts, numbers, offsets)
