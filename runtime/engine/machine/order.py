"""The order of values, as in `engine.language.values.order_key`, and equality.

None comes first, then numbers, tuples, sets, functions. Tuples are compared by their elements, sets
by their ascending elements, functions by their names and bound values.
"""

from __future__ import annotations

from numpy import int64

from megabatt.runtime.engine.machine.contents import element
from megabatt.runtime.engine.machine.functions import machine_function, routine
from megabatt.runtime.engine.machine.nodes import (
    CONTENT,
    KIND_RANKS,
    RANKS,
    SET,
    TABLE,
    TUPLE,
    address_of,
    count_of,
    has_words,
    is_tuple,
    kind_at,
)
from megabatt.runtime.engine.machine.words import (
    MIXED,
    NONE,
    PRIMITIVE,
    is_node,
    is_number,
    is_primitive,
    number_of,
    tag_of,
)


@machine_function
def rank_of(heap, word):
    """Return the place of a value's kind in the order."""
    if is_number(word):
        return int64(1)
    if word == NONE:
        return int64(0)
    if is_tuple(heap, word):
        return int64(2)
    if kind_at(heap, word) == SET:
        return int64(3)
    return int64(4)


@machine_function
def name_rank(heap, function):
    """Return the place of a function's name in the order of names."""
    if is_primitive(function):
        return heap[RANKS + (function - int64(PRIMITIVE))]
    return heap[KIND_RANKS + heap[address_of(function) + 2]]


@machine_function
def bound_count(heap, function):
    """Return the number of values that a function binds."""
    if is_primitive(function):
        return int64(0)
    return heap[address_of(function) + 1]


@machine_function
def sign(a, b):
    """Return -1, 0 or 1 as `a` is less than, equal to or greater than `b`."""
    return int64(a > b) - int64(a < b)


@machine_function
def compare(heap, a, b):
    """Return -1, 0 or 1 as `a` comes before, equals or comes after `b`."""
    if a == b:
        return int64(0)
    tag = tag_of(a)
    if tag != MIXED and tag_of(b) == tag:
        return sign(a, b)
    return compare_any(heap, a, b)


@machine_function
def equal(heap, a, b):
    """Tell whether two values are equal."""
    return compare(heap, a, b) == 0


@routine
def compare_any(heap, a, b):
    """Do `compare` for values of any kind."""
    if is_node(a) and is_node(b):
        at_a = address_of(a)
        at_b = address_of(b)
        if heap[at_a] == heap[at_b] and heap[at_a + 2] == heap[at_b + 2]:
            if heap[at_a + 2] != MIXED and (heap[at_a] == TUPLE or heap[at_a] == SET):
                least = min(heap[at_a + 1], heap[at_b + 1])
                found = compare_numbers(heap, at_a + CONTENT, at_b + CONTENT, least)
                if found != 0:
                    return found
                return sign(heap[at_a + 1], heap[at_b + 1])
    rank = rank_of(heap, a)
    other = rank_of(heap, b)
    if rank != other:
        return sign(rank, other)
    if rank == 0:
        return int64(0)
    if rank == 1:
        return sign(number_of(a), number_of(b))
    if rank == 4:
        return compare_functions(heap, a, b)
    if kind_at(heap, a) == TABLE and kind_at(heap, b) == TABLE:
        return compare_tables(heap, address_of(a), address_of(b))
    least = min(count_of(heap, a), count_of(heap, b))
    for k in range(least):
        found = compare(heap, element(heap, a, k), element(heap, b, k))
        if found != 0:
            return found
    return sign(count_of(heap, a), count_of(heap, b))


@machine_function
def compare_numbers(heap, a, b, count):
    """Compare `count` numbers from two addresses on, in order."""
    for k in range(count):
        if heap[a + k] != heap[b + k]:
            return sign(heap[a + k], heap[b + k])
    return int64(0)


@machine_function
def compare_tables(heap, a, b):
    """Compare tables at two addresses row by row."""
    width_a = heap[a + 2]
    width_b = heap[b + 2]
    width = min(width_a, width_b)
    at_a = a + CONTENT
    at_b = b + CONTENT
    for _row in range(min(heap[a + 1], heap[b + 1])):
        found = compare_numbers(heap, at_a, at_b, width)
        if found != 0:
            return found
        if width_a != width_b:
            return sign(width_a, width_b)
        at_a += width_a
        at_b += width_b
    return sign(heap[a + 1], heap[b + 1])


@machine_function
def compare_functions(heap, a, b):
    """Compare functions: by name, then by the values that they bind."""
    found = sign(name_rank(heap, a), name_rank(heap, b))
    if found != 0:
        return found
    bound_a = bound_count(heap, a)
    bound_b = bound_count(heap, b)
    at_a = address_of(a) + CONTENT
    at_b = address_of(b) + CONTENT
    for k in range(min(bound_a, bound_b)):
        found = compare_any(heap, heap[at_a + k], heap[at_b + k])
        if found != 0:
            return found
    return sign(bound_a, bound_b)


@routine
def same(heap, a, b):
    """Tell whether two values are equal in value and type, as 1 or 0; see `values.identical`."""
    if a == b:
        return int64(1)
    kind = kind_at(heap, a)
    if kind == 0 or kind != kind_at(heap, b):
        return int64(0)
    at_a = address_of(a)
    at_b = address_of(b)
    if heap[at_a + 1] != heap[at_b + 1] or heap[at_a + 2] != heap[at_b + 2]:
        return int64(0)
    words = heap[at_a + 1]
    nested = has_words(heap, at_a)
    if kind == TABLE:
        words *= heap[at_a + 2]
    for k in range(words):
        one = heap[at_a + CONTENT + k]
        other = heap[at_b + CONTENT + k]
        if one != other:
            if not nested or same(heap, one, other) == 0:
                return int64(0)
    return int64(1)
