"""Packed tables, with eight numbers in a word, for very many kept values.

A packed table is a node of the kind `PACKED`, with the height and the width of the table. Compiled
forms do not know it: it is unpacked before use.
"""

from __future__ import annotations

from numpy import int64

from megabatt.runtime.engine.machine.functions import machine_function
from megabatt.runtime.engine.machine.nodes import (
    CONTENT,
    PACKED,
    TABLE,
    TOP,
    address_of,
    new_table,
    numbers_at,
)
from megabatt.runtime.engine.machine.words import WRONG, is_node

_MOST = 4096
"""The most numbers of a packed table: there is always room to unpack a few."""


@machine_function
def packed(heap, top, word):
    """Pack the last value of the heap if it is a small table of bytes. Returns its word.

    top: The end of the heap before the value. A value before it is left as it is.
    """
    if not is_node(word) or address_of(word) < top or heap[address_of(word)] != TABLE:
        return word
    at = address_of(word)
    count = heap[at + 1] * heap[at + 2]
    if count > _MOST:
        return word
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
    to = numbers_at(table)
    for k in range(0, count, 8):
        eight = heap[at + CONTENT + (k >> 3)]
        for place in range(min(8, count - k)):
            heap[to + k + place] = (eight >> (8 * place)) & int64(255)
    return table
