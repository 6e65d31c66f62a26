"""The weights of values, as in `engine.language.values.weight`."""

from __future__ import annotations

from numpy import int64

from megabatt.runtime.engine.language.limits import TOO_DEEP
from megabatt.runtime.engine.machine.contents import element
from megabatt.runtime.engine.machine.functions import machine_function, routine
from megabatt.runtime.engine.machine.nodes import (
    CONTENT,
    FUNCTION,
    MAX_DEPTH,
    PLACES_WEIGH_ONE,
    TABLE,
    TUPLE,
    address_of,
    count_of,
    kind_at,
)
from megabatt.runtime.engine.machine.words import (
    INTEGERS,
    MIXED,
    is_labelled_pair,
    is_node,
    is_number,
    is_pair,
    is_primitive,
)


@machine_function
def weight(heap, word):
    """Weigh a value."""
    return weight_within(heap, word, heap[MAX_DEPTH])


@machine_function
def element_weight(heap, container):
    """Weigh the elements of a container together."""
    return elements_within(heap, container, heap[MAX_DEPTH])


@routine
def elements_within(heap, container, levels):
    """Weigh the elements of a container with at most `levels` levels of containers in it."""
    total = int64(0)
    if is_node(container):
        at = address_of(container)
        if heap[at] != TABLE:
            tag = heap[at + 2]
            if tag == INTEGERS or (tag != MIXED and heap[PLACES_WEIGH_ONE] == 1):
                return heap[at + 1]
        else:
            width = heap[at + 2]
            if width == 0 or (width == 2 and heap[PLACES_WEIGH_ONE] == 1):
                return heap[at + 1]
            if levels == 0:
                return int64(TOO_DEEP)
            return heap[at + 1] * width
    for k in range(count_of(heap, container)):
        total += weight_within(heap, element(heap, container, k), levels)
        if total >= TOO_DEEP:
            return int64(TOO_DEEP)
    return total


@machine_function
def weight_within(heap, word, levels):
    """Weigh a value with at most `levels` levels of containers."""
    if is_pair(word) or is_labelled_pair(word):
        if heap[PLACES_WEIGH_ONE] == 1:
            return int64(1)
    elif not is_node(word) or heap[address_of(word)] == FUNCTION or count_of(heap, word) == 0:
        return int64(1)
    elif heap[PLACES_WEIGH_ONE] == 1 and is_place(heap, word):
        return int64(1)
    if levels == 0:
        return int64(TOO_DEEP)
    return elements_within(heap, word, levels - 1)


@machine_function
def is_place(heap, word):
    """Tell whether a node is a pair of numbers, or a number with such a pair, without a word."""
    if kind_at(heap, word) != TUPLE or count_of(heap, word) != 2:
        return False
    at = address_of(word) + CONTENT
    if not is_number(heap[at]):
        return False
    return is_number(heap[at + 1]) or is_pair_of_numbers(heap, heap[at + 1])


@machine_function
def is_pair_of_numbers(heap, word):
    if is_pair(word):
        return True
    if kind_at(heap, word) != TUPLE or count_of(heap, word) != 2:
        return False
    at = address_of(word) + CONTENT
    return is_number(heap[at]) and is_number(heap[at + 1])


@machine_function
def size_of(heap, function):
    """Return the size of a function, see `Function.size`."""
    if is_primitive(function):
        return int64(1)
    at = address_of(function)
    return heap[at + CONTENT + heap[at + 1] + 1]


@machine_function
def depth_of(heap, word):
    """Return the depth of a function, see `Function.depth`; 0 for other values."""
    if kind_at(heap, word) != FUNCTION:
        return int64(0)
    at = address_of(word)
    return heap[at + CONTENT + heap[at + 1] + 2]


@machine_function
def call_cost(heap, function):
    """Return what a container primitive charges for a call; see `values.call_cost`."""
    return 1 + size_of(heap, function) // 16
