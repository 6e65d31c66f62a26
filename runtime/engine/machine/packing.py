"""Tables packed, eight numbers to a word, for values that are kept in great numbers.

A packed table is a node of its own kind, `PACKED`, with the height and the width of the table. No
compiled form knows it: it is unpacked before it is used.
"""

from __future__ import annotations

from numpy import int64

from megabatt.runtime.engine.machine.functions import machine_function
from megabatt.runtime.engine.machine.heap import (
    CONTENT,
    TABLE,
    TOP,
    address_of,
    new_table,
    word_at,
)
from megabatt.runtime.engine.machine.words import WRONG, is_node

PACKED = 5


@machine_function
def packed(heap, top, word):
    """Pack a table that is the last value of the heap, if its numbers are bytes. Returns its word.

    top: where the heap ended before the value; an older value is left as it is.
    """
    if not is_node(word) or address_of(word) < top or heap[address_of(word)] != TABLE:
        return word
    at = address_of(word)
    count = heap[at + 1] * heap[at + 2]
    for k in range(count):
        number = heap[at + CONTENT + k]
        if number < 0 or number > 255:
            return word
    heap[at] = PACKED
    first = at + CONTENT
    for k in range((count + 7) >> 3):
        eight = int64(0)
        for place in range(min(8, count - 8 * k)):
            eight |= heap[first + 8 * k + place] << (8 * place)
        heap[first + k] = eight
    heap[TOP] = first + ((count + 7) >> 3)
    return word


@machine_function
def unpacked(heap, word):
    """Return a value with a packed table unpacked at the end of the heap. `FULL` without room."""
    if not is_node(word) or heap[address_of(word)] != PACKED:
        return word
    at = address_of(word)
    table = new_table(heap, heap[at + 1], heap[at + 2])
    if table <= WRONG:
        return table
    count = heap[at + 1] * heap[at + 2]
    to = address_of(table) + CONTENT
    for k in range(0, count, 8):
        eight = heap[at + CONTENT + (k >> 3)]
        for place in range(min(8, count - k)):
            heap[to + k + place] = (eight >> (8 * place)) & int64(255)
    return word_at(address_of(table))
