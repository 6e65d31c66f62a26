"""Garbage collection: moves live values together."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy import int64

from megabatt.runtime.engine.machine.functions import machine_function
from megabatt.runtime.engine.machine.heap import Heap
from megabatt.runtime.engine.machine.loops import Loop
from megabatt.runtime.engine.machine.nodes import (
    CONTENT,
    TOP,
    address_of,
    word_at,
)
from megabatt.runtime.engine.machine.running import has_words, words_at
from megabatt.runtime.engine.machine.words import is_node

Numbers = np.ndarray[Any, Any]

_MOVED = 7
"""The kind of a node that was copied; the next word is the copy's future address."""


def collect(heap: Heap, base: int, words: Numbers, rows: Numbers) -> None:
    """Keep the values that some words need, and free all others from `base` on.

    Shared nodes stay shared (Cheney's algorithm). rows: int64 (n,), the places of these words in
    `words`, which get the new addresses.
    """
    copies = np.empty(heap.top - base, dtype=np.int64)
    _collect(heap.array, copies, base, words, rows)


@Loop
def _collect(heap, copies, base, words, rows):
    end = int64(0)
    scanned = int64(0)
    for k in range(len(rows)):
        word = words[rows[k]]
        if is_node(word) and address_of(word) >= base:
            end = _copied(heap, copies, base, end, word)
            words[rows[k]] = word_at(heap[address_of(word) + 1])
    while scanned < end:
        count = copies[scanned + 1]
        if has_words(copies, scanned):
            for place in range(scanned + CONTENT, scanned + CONTENT + count):
                word = copies[place]
                if is_node(word) and address_of(word) >= base:
                    end = _copied(heap, copies, base, end, word)
                    copies[place] = word_at(heap[address_of(word) + 1])
        scanned += words_at(copies, scanned)
    _copy_back(copies, heap, base, end)
    heap[TOP] = base + end


@machine_function
def _copied(heap, copies, base, end, word):
    """Copy a node behind the other copies, unless it was copied. Returns the new end of copies."""
    at = address_of(word)
    if heap[at] == _MOVED:
        return end
    size = words_at(heap, at)
    for k in range(size):
        copies[end + k] = heap[at + k]
    heap[at] = _MOVED
    heap[at + 1] = base + end
    return end + size


@machine_function
def _copy_back(source, target, to, count):
    """Copy the first words of one heap into another."""
    for k in range(count):
        target[to + k] = source[k]
