"""Primitives that build tuples: pairs, products, repetitions, ranges of Integers."""

from itertools import product as combinations

from megabatt.runtime.core.charges import (
    count,
    element_weight,
    paired_weight,
    steps,
    steps_in_kernels,
    times,
    weight,
)
from megabatt.runtime.core.table import compiled, compiled_as, m, primitive
from megabatt.runtime.core.types import Any, Container, FrozenSet, Integer, Tuple, TupleTuple
from megabatt.runtime.engine.language.charges import Formula


@primitive(charge=lambda a, b: weight(a) + weight(b))
def astuple(a: Any, b: Any) -> Tuple:
    """Return the tuple of two values."""
    return (a, b)


compiled_as(astuple, m.tuple_of_two)


@primitive(charge=lambda a, b: paired_weight(a, b))
def pair(a: Tuple, b: Tuple) -> TupleTuple:
    """Pair the elements of two tuples side by side, up to the shorter's end."""
    return tuple(zip(a, b))  # noqa: B905


@compiled(pair)
def pair(heap, a, b):
    first = m.required(m.opened(heap, a))
    second = m.required(m.opened(heap, b))
    count = min(m.count_of(heap, first), m.count_of(heap, second))
    tag = heap[m.address_of(first) + 2]
    if tag == m.INTEGERS and heap[m.address_of(second) + 2] == tag:
        table = m.required(m.new_table(heap, count, 2))
        to = m.numbers_at(table)
        for k in range(count):
            heap[to + 2 * k] = heap[m.first_word(first) + k]
            heap[to + 2 * k + 1] = heap[m.first_word(second) + k]
        return table
    at = m.required(m.begin_node(heap, count))
    for k in range(count):
        one, other = heap[m.first_word(first) + k], heap[m.first_word(second) + k]
        heap[at + m.CONTENT + k] = m.required(m.tuple_of_two(heap, one, other))
    return m.finish_tuple(heap, at, count)


@primitive(charge=lambda a, b: count(b) * element_weight(a) + count(a) * element_weight(b))
def product(a: Container, b: Container) -> FrozenSet:
    """Return the set of all pairs of an element of `a` and an element of `b`."""
    return frozenset(combinations(a, b))


@compiled(product)
def product(heap, a, b):
    first = m.required(m.opened(heap, a))
    second = m.required(m.opened(heap, b))
    count = m.count_of(heap, second)
    total = m.count_of(heap, first) * count
    at = m.required(m.begin_node(heap, total))
    to = at + m.CONTENT
    for i in range(m.count_of(heap, first)):
        one = heap[m.first_word(first) + i]
        for j in range(count):
            heap[to] = m.required(m.tuple_of_two(heap, one, heap[m.first_word(second) + j]))
            to += 1
    if m.is_set(heap, a) and m.is_set(heap, b):
        return m.finish_ascending(heap, at, total, m.MIXED)
    return m.finish_set(heap, at, total)


@Formula
def weight_of_all(count: int, weight: int) -> int:
    """Weigh `count` equal elements. A weight beyond every limit is cut, to stay within int64."""
    return count * min(weight, 1 << 31)


@primitive(charge=lambda item, num: weight_of_all(times(num), weight(item)))
def repeat(item: Any, num: Integer) -> Tuple:
    """Return the tuple that has `item` num times."""
    return (item,) * num


@compiled(repeat)
def repeat(heap, item, num):
    return steps_from(heap, item, 0, max(num, 0))


@m.machine_function
def steps_from(heap, first, step, count):
    """Return the tuple of `count` words from `first` on, `step` apart."""
    at = m.required(m.begin_node(heap, count))
    for k in range(count):
        heap[at + m.CONTENT + k] = first + k * step
    return m.finish_tuple(heap, at, count)


@primitive(charge=lambda start, stop, step: steps(start, stop, step))
def interval(start: Integer, stop: Integer, step: Integer) -> Tuple:
    """Return the Integers from `start` on in steps of `step`, up to but without `stop`."""
    return tuple(range(start, stop, step))


@compiled(interval)
def interval(heap, start, stop, step):
    if step == 0:
        return m.NO_VALUE
    return steps_from(heap, start, step, steps_in_kernels(start, stop, step))
