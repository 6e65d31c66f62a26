"""Reads containers element by element, and makes them of words.

Pairs, labelled pairs and tables are tuples too: all of them are read here, and new tuples become
one of them if possible.
"""

from __future__ import annotations

from numpy import int64

from megabatt.runtime.engine.machine.functions import machine_function, routine
from megabatt.runtime.engine.machine.nodes import (
    CONTENT,
    EMPTY_SET,
    EMPTY_TUPLE,
    SET,
    TABLE,
    TUPLE,
    address_of,
    area_of,
    begin_node,
    copy_words,
    count_of,
    finish_tagged,
    height_of,
    kind_at,
    new_table,
    numbers_at,
    width_of,
)
from megabatt.runtime.engine.machine.words import (
    FALSE,
    FULL,
    HOST,
    INTEGERS,
    MIXED,
    NONE,
    PAIRS,
    WRONG,
    column_of,
    is_integer,
    is_labelled_pair,
    is_node,
    is_pair,
    label_of,
    labelled,
    pair,
    pair_in,
    row_of,
    tag_of,
)


@machine_function
def element(heap, container, k):
    """Return the k-th element of a tuple or a set; `FULL` if there is no room for a table's row."""
    if is_pair(container):
        if k == 0:
            return row_of(container)
        return column_of(container)
    if is_labelled_pair(container):
        if k == 0:
            return label_of(container)
        return pair_in(container)
    at = address_of(container)
    if heap[at] == TABLE:
        return row_at(heap, at + CONTENT + k * heap[at + 2], heap[at + 2])
    return heap[at + CONTENT + k]


@machine_function
def row_at(heap, first, width):
    """Return the tuple of `width` numbers from an address on; `FULL` without room."""
    if width == 2:
        row = pair(heap[first], heap[first + 1])
        if row > WRONG:
            return row
    return long_row_at(heap, first, width)


@routine
def long_row_at(heap, first, width):
    """Do `row_at` for a row that is no pair."""
    if width == 0:
        return int64(EMPTY_TUPLE)
    at = begin_node(heap, width)
    if at < 0:
        return int64(FULL)
    copy_words(heap, first, at + CONTENT, width)
    return finish_tagged(heap, at, TUPLE, width, INTEGERS)


@machine_function
def opened(heap, container):
    """Return a container as a node with its elements as words, from `first_word` on.

    The node has the container's length at 1 and the elements' tag at 2. Returns `FULL` without
    room.
    """
    if is_node(container) and heap[address_of(container)] != TABLE:
        return container
    return open_other(heap, container)


@routine
def open_other(heap, container):
    """Open a pair, a labelled pair or a table."""
    count = int64(2)
    if is_node(container):
        count = heap[address_of(container) + 1]
    at = begin_node(heap, count)
    if at < 0:
        return int64(FULL)
    for k in range(count):
        word = element(heap, container, k)
        if word <= WRONG:
            return word
        heap[at + CONTENT + k] = word
    return finish_tagged(heap, at, TUPLE, count, tag_of_words(heap, at + CONTENT, count))


@machine_function
def first_word(container):
    """Return the address of an opened container's first word."""
    return address_of(container) + CONTENT


@machine_function
def begin_beside(heap, elements):
    """Begin a node for as many elements as an opened container has; -1 if that is `FULL`."""
    if elements <= WRONG:
        return int64(-1)
    return begin_node(heap, count_of(heap, elements))


@machine_function
def tag_of_words(heap, at, count):
    """Return the tag of `count` words from an address on."""
    if count == 0:
        return int64(MIXED)
    tag = tag_of(heap[at])
    for k in range(1, count):
        if tag_of(heap[at + k]) != tag:
            return int64(MIXED)
    return tag


@machine_function
def row_width(heap, word):
    """Return the length of a tuple of Integers; -1 for other values."""
    if is_pair(word):
        return int64(2)
    if word == EMPTY_TUPLE:
        return int64(0)
    if kind_at(heap, word) == TUPLE and heap[address_of(word) + 2] == INTEGERS:
        return heap[address_of(word) + 1]
    return int64(-1)


@routine
def finish_tuple(heap, at, count):
    """Make the tuple of the words of a begun node; `FULL` without room.

    The memory behind the node may be freed if no element is there.
    """
    if count == 0:
        return finish_tagged(heap, at, TUPLE, 0, MIXED)
    first = heap[at + CONTENT]
    tag = tag_of_words(heap, at + CONTENT, count)
    if count == 2:
        made = pair_or_cell(first, heap[at + CONTENT + 1])
        if made > WRONG:
            return made
    width = int64(-1)
    if tag == PAIRS:
        width = int64(2)
    elif tag == MIXED:
        width = row_width(heap, first)
        for k in range(1, count):
            if width < 0 or row_width(heap, heap[at + CONTENT + k]) != width:
                width = int64(-1)
                break
    if width < 0:
        return finish_tagged(heap, at, TUPLE, count, tag)
    table = new_table(heap, count, width)
    if table <= WRONG:
        return table
    to = numbers_at(table)
    for k in range(count):
        copy_row(heap, heap[at + CONTENT + k], to + k * width)
    return table


@machine_function
def pair_or_cell(first, second):
    """Return the word of a tuple of two; a wrong word if it needs a node."""
    if is_integer(first):
        if is_integer(second):
            return pair(first, second)
        if is_pair(second):
            return labelled(first, second)
    return int64(HOST)


@machine_function
def copy_row(heap, row, to):
    """Copy the numbers of a tuple of Integers to an address."""
    if is_pair(row):
        heap[to] = row_of(row)
        heap[to + 1] = column_of(row)
    else:
        copy_words(heap, first_word(row), to, count_of(heap, row))


@machine_function
def tuple_of_two(heap, first, second):
    """Make the tuple (first, second). `FULL` without room."""
    made = pair_or_cell(first, second)
    if made > WRONG:
        return made
    at = begin_node(heap, 2)
    if at < 0:
        return int64(FULL)
    heap[at + CONTENT] = first
    heap[at + CONTENT + 1] = second
    return finish_tuple(heap, at, 2)


@machine_function
def set_of_one(heap, word):
    """Make the set of one value. `FULL` without room."""
    at = begin_node(heap, 1)
    if at < 0:
        return int64(FULL)
    heap[at + CONTENT] = word
    return finish_tagged(heap, at, SET, 1, tag_of(word))


@routine
def stacked(heap, a, b):
    """Put a table above another of its width. `FULL` without room."""
    upper = area_of(heap, a)
    width = width_of(heap, a)
    table = new_table(heap, height_of(heap, a) + height_of(heap, b), width)
    if table <= WRONG:
        return table
    copy_words(heap, numbers_at(a), numbers_at(table), upper)
    copy_words(heap, numbers_at(b), numbers_at(table) + upper, area_of(heap, b))
    return table


@machine_function
def truth(word):
    """Tell whether a value is true in Python's sense."""
    if word == 0 or word == FALSE or word == NONE:
        return False
    return word != EMPTY_TUPLE and word != EMPTY_SET
