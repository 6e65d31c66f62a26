"""Reads containers element by element, and makes them of words.

Pairs, labelled pairs and tables are tuples too: this module reads all of them, and makes a new
tuple a pair, a labelled pair or a table if possible.
"""


from megabatt.runtime.engine.machine import layout as m
from megabatt.runtime.engine.machine.functions import machine_function, routine


@machine_function
def element(heap, container, k):
    """Return the k-th element of a tuple or a set; `FULL` if there is no room for a table's row."""
    if m.is_pair(container):
        return m.row_of(container) if k == 0 else m.column_of(container)
    if m.is_labelled_pair(container):
        return m.label_of(container) if k == 0 else m.pair_in(container)
    at = m.address_of(container)
    if heap[at] == m.TABLE:
        return row_at(heap, at + m.CONTENT + k * heap[at + 2], heap[at + 2])
    return heap[at + m.CONTENT + k]


@machine_function
def row_at(heap, first, width):
    """Return the tuple of `width` numbers from an address on; `FULL` without room."""
    if width == 2:
        row = m.pair(heap[first], heap[first + 1])
        if row > m.WRONG:
            return row
    return long_row_at(heap, first, width)


@routine
def long_row_at(heap, first, width):
    """Do `row_at` for a row that is no pair."""
    if width == 0:
        return m.EMPTY_TUPLE
    at = m.required(m.begin_node(heap, width))
    m.copy_words(heap, first, at + m.CONTENT, width)
    return m.finish_tagged(heap, at, m.TUPLE, width, m.INTEGERS)


@machine_function
def opened(heap, container):
    """Return a container as a node with its elements as words, from `first_word` on.

    The node has the container's length at 1, the elements' tag at 2. Returns `FULL` without room.
    """
    if m.is_node(container) and heap[m.address_of(container)] != m.TABLE:
        return container
    return open_other(heap, container)


@routine
def open_other(heap, container):
    """Open a pair, a labelled pair or a table."""
    count = m.count_of(heap, container)
    at = m.required(m.begin_node(heap, count))
    for k in range(count):
        heap[at + m.CONTENT + k] = m.required(element(heap, container, k))
    return m.finish_tagged(heap, at, m.TUPLE, count, tag_of_words(heap, at + m.CONTENT, count))


first_word = m.numbers_at
"""Returns the address of an opened container's first word."""


@machine_function
def tag_of_words(heap, at, count):
    """Return the tag of `count` words from an address on.

    Each tag but `MIXED` is that of all words of a range: the least and the greatest word decide.
    """
    if count == 0:
        return m.MIXED
    least, most = heap[at], heap[at]
    for k in range(1, count):
        least, most = min(least, heap[at + k]), max(most, heap[at + k])
    tag = m.tag_of(least)
    return tag if m.tag_of(most) == tag else m.MIXED


@machine_function
def row_width(heap, word):
    """Return the length of a tuple of Integers; -1 for other values."""
    if m.is_pair(word):
        return 2
    if word == m.EMPTY_TUPLE:
        return 0
    if m.kind_at(heap, word) == m.TUPLE and heap[m.address_of(word) + 2] == m.INTEGERS:
        return heap[m.address_of(word) + 1]
    return -1


@routine
def finish_tuple(heap, at, count):
    """Make the tuple of the words of a begun node; `FULL` without room.

    May free the memory behind the node, if no element lies in it.
    """
    if count == 0:
        return m.finish_tagged(heap, at, m.TUPLE, 0, m.MIXED)
    first = heap[at + m.CONTENT]
    tag = tag_of_words(heap, at + m.CONTENT, count)
    if count == 2:
        made = pair_or_cell(first, heap[at + m.CONTENT + 1])
        if made > m.WRONG:
            return made
    width = -1
    if tag == m.PAIRS:
        width = 2
    elif tag == m.MIXED:
        width = row_width(heap, first)
        for k in range(1, count):
            if width < 0 or row_width(heap, heap[at + m.CONTENT + k]) != width:
                width = -1
                break
    if width < 0:
        return m.finish_tagged(heap, at, m.TUPLE, count, tag)
    table = m.required(m.new_table(heap, count, width))
    to = m.numbers_at(table)
    for k in range(count):
        copy_row(heap, heap[at + m.CONTENT + k], to + k * width)
    return table


@machine_function
def pair_or_cell(first, second):
    """Return the word of a tuple of two; a wrong word if the tuple needs a node."""
    if m.is_integer(first):
        if m.is_integer(second):
            return m.pair(first, second)
        if m.is_pair(second):
            return m.labelled(first, second)
    return m.HOST


@machine_function
def copy_row(heap, row, to):
    """Copy the numbers of a tuple of Integers to an address."""
    if m.is_pair(row):
        heap[to] = m.row_of(row)
        heap[to + 1] = m.column_of(row)
    else:
        m.copy_words(heap, first_word(row), to, m.count_of(heap, row))


@machine_function
def tuple_of_two(heap, first, second):
    """Make the tuple (first, second). `FULL` without room."""
    made = pair_or_cell(first, second)
    if made > m.WRONG:
        return made
    at = m.required(m.begin_node(heap, 2))
    heap[at + m.CONTENT] = first
    heap[at + m.CONTENT + 1] = second
    return finish_tuple(heap, at, 2)


@machine_function
def set_of_one(heap, word):
    """Make the set of one value. `FULL` without room."""
    at = m.required(m.begin_node(heap, 1))
    heap[at + m.CONTENT] = word
    return m.finish_tagged(heap, at, m.SET, 1, m.tag_of(word))


@routine
def stacked(heap, a, b):
    """Put a table above another of the same width. `FULL` without room."""
    upper = m.area_of(heap, a)
    width = m.width_of(heap, a)
    table = m.required(m.new_table(heap, m.height_of(heap, a) + m.height_of(heap, b), width))
    m.copy_words(heap, m.numbers_at(a), m.numbers_at(table), upper)
    m.copy_words(heap, m.numbers_at(b), m.numbers_at(table) + upper, m.area_of(heap, b))
    return table


@machine_function
def truth(word):
    """Tell whether a value is true in Python's sense."""
    if word == 0 or word == m.FALSE or word == m.NONE or word == m.ZERO:
        return False
    return word != m.EMPTY_TUPLE and word != m.EMPTY_SET
