"""Measures of containers, functions and numbers, of which the core's charges consist.

Charges that are known only during a call are not declared: the weight of results (`mapping`), the
elements that `extract` looks at, the sizes of new functions.
"""

from typing import Any

from megabatt.runtime.engine.columns import Ints, Lists
from megabatt.runtime.engine.device.arrays import Array, xp
from megabatt.runtime.engine.language import values
from megabatt.runtime.engine.language.charges import Formula, Measure
from megabatt.runtime.engine.machine import prelude as m

count = Measure(len).for_words(m.count_of.function)
"""The number of elements of a tuple or a set."""


@count.for_columns
def count(lists: Lists) -> Array:
    return lists.counts


@Measure
def kept(container: Any) -> int:
    """Return a sixteenth of the number of elements, rounded up: the charge for copying them."""
    return (len(container) + 15) >> 4


@m.machine_function
def kept_on_words(heap, container):
    return (m.count_of(heap, container) + 15) >> 4


kept.for_words(kept_on_words.function)


@Measure
def searched(container: Any) -> int:
    """Count the elements that a search for a value compares: all of a tuple, none of a set."""
    return len(container) if container.__class__ is tuple else 0


@searched.for_words
def searched(heap, container):
    return 0 if m.is_set(heap, container) else m.count_of(heap, container)


weight = Measure(values.weight).for_words(m.weight.function)
"""The number of elements that a value counts as."""
element_weight = Measure(values.total_weight).for_words(m.element_weight.function)
"""The weight of a container's elements together."""


@Measure
def paired_weight(a: Any, b: Any) -> int:
    """Weigh the elements of two tuples together, up to the shorter's end."""
    n = min(len(a), len(b))
    return values.total_weight(a[:n]) + values.total_weight(b[:n])


@paired_weight.for_words
def paired_weight(heap, a, b):
    total = 0
    for k in range(min(m.count_of(heap, a), m.count_of(heap, b))):
        total += m.weight(heap, m.element(heap, a, k)) + m.weight(heap, m.element(heap, b, k))
    return total


@Formula
def lesser(a: int, b: int) -> int:
    return min(a, b)


cost = Measure(values.call_cost).for_words(m.call_cost.function)


def calls_on_each(container: Any, function: Any) -> Any:
    """Return the cost of a call of a function on each element of a container."""
    return count(container) * cost(function)


def calls_of(function: Any, container: Any) -> Any:
    """Do `calls_on_each` with the arguments in the other order."""
    return calls_on_each(container, function)


@Formula
def at_least_one(number: int) -> int:
    """Return a number above 0, or 1."""
    return max(number, 1)


def key_calls(container: Any, function: Any) -> Any:
    """Return the cost of computing every element's key, or the key of 0 for an empty container."""
    return at_least_one(count(container)) * cost(function)


@Measure
def call_of_each(functions: Any) -> int:
    """Return the cost of calling each function of a container once."""
    return sum(map(values.call_cost, functions))


@call_of_each.for_words
def call_of_each(heap, functions):
    total = 0
    for k in range(m.count_of(heap, functions)):
        function = m.element(heap, functions, k)
        total += m.call_cost(heap, function) if m.is_function(heap, function) else 1  # a call fails
    return total


@Measure
def times(number: int) -> int:
    """Return the number of repetitions: 0 if the number is negative."""
    return max(number, 0)


@times.for_columns
def times(numbers: Ints) -> Array:
    return xp.maximum(numbers.data, 0)


@times.for_words
def times(heap, number):
    return max(number, 0)


@Formula
def steps(start: int, stop: int, step: int) -> int:
    """Count the Integers in `range(start, stop, step)`; 0 if the step is 0."""
    if step > 0 and stop > start:
        return (stop - start - 1) // step + 1
    if step < 0 and stop < start:
        return (start - stop - 1) // -step + 1
    return 0


steps_in_kernels = m.machine_function(steps.of_ints)
