"""Copies values: within a heap, packed, out of a heap, and away from garbage.

A packed table has eight numbers in a word, for very many kept values. It is a node of the kind
`PACKED`, with the height and the width of the table. Compiled forms do not know packed tables,
which must be unpacked before use.
"""

import numpy as np

from megabatt.runtime.engine.machine import prelude as m
from megabatt.runtime.engine.machine.heap import Heap
from megabatt.runtime.engine.machine.loops import Loop, Numbers

_MOST = 4096
"""The most numbers of a table that is packed in place, so that a few can always be unpacked."""
_MOVED = 7
"""The kind of a collected node, whose next word is the copy's future address."""


@m.machine_function
def kept(heap, top, word, end):
    """Move a call's result to `top`, the end of the heap before the call, and free the rest.

    end: The end of the heap's room. Returns the result's word, or a wrong word: `FULL` if anything
    in the call lacked room, or a temporary copy of the result lacks room.
    """
    word = m.outcome(heap, moved_to(heap, top, word), end)
    if word <= m.WRONG:
        heap[m.TOP] = top
    return word


@m.machine_function
def moved_to(heap, top, word):
    """Do `kept` without its test whether anything lacked room."""
    if not m.is_node(word) or m.address_of(word) < top:
        heap[m.TOP] = top
        return word
    at = m.address_of(word)
    size = words_at(heap, at)
    is_alone = at == top and top + size == heap[m.TOP]  # such as a new function
    if m.has_words(heap, at) and not is_alone:
        at = heap[m.TOP]
        m.required(copied(heap, word, top, at - top, False))
        size = heap[m.TOP] - at
    if at != top:
        m.copy_words(heap, at, top, size)
    heap[m.TOP] = top + size
    return m.word_at(top)


@m.machine_function
def words_at(heap, at):
    """Return the number of words of the node at an address."""
    count = heap[at + 1]
    if heap[at] == m.TABLE:
        return m.CONTENT + count * heap[at + 2]
    if heap[at] == m.PACKED:
        return m.CONTENT + ((count * heap[at + 2] + 7) >> 3)
    if heap[at] == m.FUNCTION:
        return m.CONTENT + count + 3
    return m.CONTENT + count


@m.routine
def copied(heap, word, top, shift, packing):
    """Copy a value to the end of the heap, except nodes before `top`. Returns its word.

    shift: The distance by which the copies will later move towards the beginning of the heap; all
    words already have the later addresses. packing: Whether to pack tables of bytes.
    """
    if not m.is_node(word) or m.address_of(word) < top:
        return word
    at = m.address_of(word)
    if packing and heap[at] == m.TABLE:
        count = heap[at + 1] * heap[at + 2]
        if are_bytes(heap, at + m.CONTENT, count):
            to = m.required(m.room_for(heap, m.CONTENT + ((count + 7) >> 3)))
            pack(heap, at, to)
            return m.word_at(to - shift)
    size = words_at(heap, at)
    to = m.required(m.room_for(heap, size))
    m.copy_words(heap, at, to, size)
    if m.has_words(heap, at):
        for k in range(heap[at + 1]):
            word = heap[at + m.CONTENT + k]
            heap[to + m.CONTENT + k] = m.required(copied(heap, word, top, shift, packing))
    return m.word_at(to - shift)


def moved(heap: Heap, words: Numbers, shift: int, packing: bool = False) -> tuple[Numbers, Numbers]:
    """Copy values out of a heap, for another heap.

    shift: The end of this heap minus the place of the nodes in the other heap. packing: Whether to
    pack tables. Returns the values' words in the other heap, and the nodes, which are valid until
    the next call in this heap; both int64.
    """
    begin = heap.top
    copies = np.empty(len(words), dtype=np.int64)
    try:
        while not _copy_out(heap.array, begin, words, shift, packing, copies):
            heap.grow()
        return copies, heap.array[begin : heap.top]
    finally:
        heap.forget_from(begin)


@Loop
def _copy_out(heap, begin, words, shift, packing, copies):
    """Copy values to the end of the heap. Returns whether there was room."""
    end = heap[m.END]
    heap[m.TOP] = begin
    for k in range(len(words)):
        copies[k] = m.outcome(heap, copied(heap, words[k], m.BEGIN, shift, packing), end)
        if copies[k] == m.FULL:
            heap[m.TOP] = begin
            return False
    return True


@m.machine_function
def packed(heap, top, word):
    """Pack the last value of the heap if it is a small table of bytes. Returns its word.

    top: The end of the heap before the value. A value before `top` stays as it is.
    """
    if not m.is_table(heap, word) or m.address_of(word) < top:
        return word
    at = m.address_of(word)
    count = heap[at + 1] * heap[at + 2]
    first = at + m.CONTENT
    if count > _MOST or not are_bytes(heap, first, count):
        return word
    pack(heap, at, at)
    heap[m.TOP] = first + ((count + 7) >> 3)
    return word


@m.machine_function
def pack(heap, at, to):
    """Pack the table at an address into a node at another address, which may be the same."""
    height, width = heap[at + 1], heap[at + 2]
    heap[to], heap[to + 1], heap[to + 2] = m.PACKED, height, width
    for k in range(0, height * width, 8):
        heap[to + m.CONTENT + (k >> 3)] = eight_in(heap, at + m.CONTENT + k, height * width - k)


@m.machine_function
def are_bytes(heap, at, count):
    """Tell whether all numbers from an address on are from 0 to 255."""
    bits = 0
    for k in range(count):
        bits |= heap[at + k]
    return bits >= 0 and bits <= 255


@m.machine_function
def eight_in(heap, at, count):
    """Pack the numbers from an address on, at most eight of `count`, into a word."""
    eight = 0
    for place in range(min(8, count)):
        eight |= heap[at + place] << (8 * place)
    return eight


@m.machine_function
def unpacked(heap, word):
    """Return a value with a packed table unpacked at the end of the heap. `FULL` without room."""
    if m.kind_at(heap, word) != m.PACKED:
        return word
    at = m.address_of(word)
    return unpacked_from(heap, heap, at + m.CONTENT, heap[at + 1], heap[at + 2])


@m.machine_function
def unpacked_from(heap, words, at, height, width):
    """Make a table of the packed numbers from `words[at]` on. `FULL` without room."""
    table = m.required(m.new_table(heap, height, width))
    count = height * width
    to = m.numbers_at(table)
    for k in range(0, count, 8):
        eight = words[at + (k >> 3)]
        for place in range(min(8, count - k)):
            heap[to + k + place] = (eight >> (8 * place)) & 255
    return table


def collect(heap: Heap, base: int, words: Numbers, rows: Numbers) -> None:
    """Keep the values that some words need, and free all others from `base` on.

    Shared nodes stay shared (Cheney's algorithm). rows: int64 (n,), the places of the needed words
    in `words`, which gets the new addresses.
    """
    _collect(heap.array, np.empty(heap.top - base, dtype=np.int64), base, words, rows)


@Loop
def _collect(heap, copies, base, words, rows):
    end = 0
    scanned = 0
    for k in range(len(rows)):
        end = _collected(heap, copies, base, end, words, rows[k])
    while scanned < end:
        if m.has_words(copies, scanned):
            for k in range(copies[scanned + 1]):
                end = _collected(heap, copies, base, end, copies, scanned + m.CONTENT + k)
        scanned += words_at(copies, scanned)
    for k in range(end):
        heap[base + k] = copies[k]
    heap[m.TOP] = base + end


@m.machine_function
def _collected(heap, copies, base, end, words, place):
    """Give a word its node's future address; first copy the node behind the copies, unless copied.

    Returns the new end of the copies.
    """
    word = words[place]
    if not m.is_node(word) or m.address_of(word) < base:
        return end
    at = m.address_of(word)
    if heap[at] != _MOVED:
        size = words_at(heap, at)
        for k in range(size):
            copies[end + k] = heap[at + k]
        heap[at] = _MOVED
        heap[at + 1] = base + end
        end += size
    words[place] = m.word_at(heap[at + 1])
    return end
