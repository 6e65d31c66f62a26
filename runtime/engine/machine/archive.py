"""Keeps values compactly, outside of the heap of the calls that made them."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np

from megabatt.runtime.engine.machine import prelude as m
from megabatt.runtime.engine.machine.copying import moved
from megabatt.runtime.engine.machine.heap import MOST_WORDS, Heap
from megabatt.runtime.engine.machine.loops import Loop, Numbers

_AHEAD = 8
"""The room of an archive that grows, as a multiple of the need. Unused memory costs nothing."""
_LARGE = 1 << 21
"""The words beyond which an archive grows to all words that a heap may have."""


def keep(archive: Heap, heap: Heap, words: Numbers) -> Numbers:
    """Copy values to an archive, a heap without calls; bytes are packed. Returns the new words."""
    copies, nodes = moved(heap, words, heap.top - archive.top, packing=True)
    needed = archive.top + len(nodes)
    if needed > len(archive.array):  # room for far more: growth copies all words
        with suppress(MemoryError):
            archive.grow(_AHEAD * needed if needed < _LARGE else MOST_WORDS)
    at = archive.reserve(len(nodes))
    archive.array[at : at + len(nodes)] = nodes
    return copies


@dataclass(eq=False, repr=False)
class WordColumn:
    """A value for every lane, as words of a heap, int64 (lanes,)."""

    heap: Heap
    words: Numbers

    def __len__(self) -> int:
        return len(self.words)

    @staticmethod
    def joined(columns: list[WordColumn]) -> WordColumn:
        first, *others = columns
        words = [first.words, *[keep(first.heap, other.heap, other.words) for other in others]]
        return WordColumn(first.heap, np.concatenate(words))

    def take(self, index: Numbers) -> WordColumn:
        return WordColumn(self.heap, self.words[index])

    def weights(self) -> Numbers:
        """Return the weights of the values; int64 (lanes,)."""
        found = np.empty(len(self), dtype=np.int64)
        _weigh(self.heap.array, self.words, found)
        return found

    def decode(self) -> list[Any]:
        """Return the plain Python values. Lanes with the same word share one object."""
        distinct, which = np.unique(self.words, return_inverse=True)
        values = list(map(self.heap.get, distinct.tolist()))
        return [values[k] for k in which.tolist()]

    def tables(self, least: int, most: int) -> tuple[Numbers, Numbers, Numbers, Numbers]:
        """Return the tables whose numbers are from `least` to `most`, and `()`.

        Returns the lanes with such a table, bool (lanes,); the tables' heights and widths, int64;
        and the tables' numbers, table by table and row by row, int64.
        """
        shapes = np.zeros((len(self), 2), dtype=np.int64)
        flags = np.zeros(len(self), dtype=np.bool_)
        _measure_tables(self.heap.array, self.words, least, most, flags, shapes)
        heights, widths = shapes[flags].T
        numbers = np.empty(int((heights * widths).sum()), dtype=np.int64)
        _read_tables(self.heap.array, self.words[flags], numbers)
        return flags, heights, widths, numbers


@Loop
def _weigh(heap, words, found):
    for k in range(len(words)):
        found[k] = m.weight(heap, words[k])


@Loop
def _measure_tables(heap, words, least, most, flags, shapes):
    for k in range(len(words)):
        word = words[k]
        kind = m.kind_at(heap, word)
        if kind == m.TABLE or kind == m.PACKED:
            at = m.address_of(word)
            shapes[k, 0] = heap[at + 1]
            shapes[k, 1] = heap[at + 2]
            right = True
            for place in range(shapes[k, 0] * shapes[k, 1]):
                number = number_at(heap, at, place)
                right = right and least <= number and number <= most
            flags[k] = right
        else:
            flags[k] = word == m.EMPTY_TUPLE


@Loop
def _read_tables(heap, words, numbers):
    to = 0
    for k in range(len(words)):
        if words[k] != m.EMPTY_TUPLE:
            at = m.address_of(words[k])
            for place in range(heap[at + 1] * heap[at + 2]):
                numbers[to] = number_at(heap, at, place)
                to += 1


@m.machine_function
def number_at(heap, at, place):
    """Return a number of the table at an address, packed or not."""
    if heap[at] == m.TABLE:
        return heap[at + m.CONTENT + place]
    return (heap[at + m.CONTENT + (place >> 3)] >> (8 * (place & 7))) & 255
