"""Casts words to the declared types; a value of another type gives a wrong word."""

from __future__ import annotations

from numpy import int64

from megabatt.runtime.engine.machine.calls import is_function
from megabatt.runtime.engine.machine.contents import element, finish_tuple
from megabatt.runtime.engine.machine.functions import machine_function, routine
from megabatt.runtime.engine.machine.nodes import (
    CONTENT,
    EMPTY_SET,
    EMPTY_TUPLE,
    SET,
    TABLE,
    address_of,
    begin_node,
    count_of,
    is_container,
    is_set,
    is_tuple,
    kind_at,
)
from megabatt.runtime.engine.machine.sets import finish_set
from megabatt.runtime.engine.machine.words import (
    FULL,
    INTEGERS,
    WRONG_TYPE,
    is_boolean,
    is_integer,
    is_labelled_pair,
    is_number,
    is_pair,
    number_of,
)


@machine_function
def to_integer(heap, word):
    if is_integer(word):
        return word
    if is_boolean(word):
        return number_of(word)
    return int64(WRONG_TYPE)


@machine_function
def to_boolean(heap, word):
    if is_boolean(word):
        return word
    return int64(WRONG_TYPE)


@machine_function
def to_container(heap, word):
    if is_container(heap, word):
        return word
    return int64(WRONG_TYPE)


@machine_function
def to_set(heap, word):
    if is_set(heap, word):
        return word
    if word == EMPTY_TUPLE:
        return int64(EMPTY_SET)
    return int64(WRONG_TYPE)


@machine_function
def to_tuple(heap, word):
    if is_tuple(heap, word):
        return word
    if word == EMPTY_SET:
        return int64(EMPTY_TUPLE)
    return int64(WRONG_TYPE)


@machine_function
def to_callable(heap, word):
    if is_function(heap, word):
        return word
    return int64(WRONG_TYPE)


@machine_function
def to_integers(heap, word):
    """Cast to sets or tuples of Integers."""
    if is_pair(word) or word == EMPTY_TUPLE or word == EMPTY_SET:
        return word
    if is_labelled_pair(word) or not is_container(heap, word) or kind_at(heap, word) == TABLE:
        return int64(WRONG_TYPE)
    if heap[address_of(word) + 2] == INTEGERS:
        return word
    return numbers_of(heap, word)


@routine
def numbers_of(heap, container):
    """Turn a container's Booleans into Integers; `WRONG_TYPE` if it has other elements."""
    count = count_of(heap, container)
    at = begin_node(heap, count)
    if at < 0:
        return int64(FULL)
    for k in range(count):
        word = element(heap, container, k)
        if not is_number(word):
            return int64(WRONG_TYPE)
        heap[at + CONTENT + k] = number_of(word)
    if kind_at(heap, container) == SET:
        return finish_set(heap, at, count)
    return finish_tuple(heap, at, count)
