"""Puts the constants of operations into heaps; the nodes of programs' functions are made once."""

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from megabatt.runtime.engine.language.closures import Closure
from megabatt.runtime.engine.machine.copying import moved
from megabatt.runtime.engine.machine.heap import Heap
from megabatt.runtime.engine.machine.linking import Head
from megabatt.runtime.engine.machine.loops import Numbers

_MOST_REMEMBERED = 1 << 14
"""The most functions whose nodes are remembered."""
_WORDS = 1 << 10
"""The first room of a heap for one function, in words."""


class _Nodes(NamedTuple):
    """The nodes of a function, as if they began at address 0.

    head       the head of the heaps that the nodes are for
    word       the function's word
    words      int64: the words of the nodes
    places     int64: the places of the addresses among these words
    """

    function: Closure
    head: Head
    word: int
    words: Numbers
    places: Numbers


_REMEMBERED: dict[int, _Nodes] = {}
"""The nodes of functions, by the functions' `id`."""


def put_constants(heap: Heap, values: Iterable[Any]) -> list[int]:
    """Put values into a heap. Returns their words. Raises NoWord."""
    listed = list(values)
    heap.load_all(listed)
    return [
        _put_function(heap, value) if value.__class__ is Closure else heap.put(value)
        for value in listed
    ]


def _put_function(heap: Heap, function: Closure) -> int:
    nodes = _REMEMBERED.get(id(function))
    if nodes is None or nodes.function is not function or nodes.head is not heap.head:
        if len(_REMEMBERED) >= _MOST_REMEMBERED:
            _REMEMBERED.clear()
        nodes = _REMEMBERED[id(function)] = _nodes_of(function, heap)
    heap.follow()
    at = heap.reserve(len(nodes.words))
    place = heap.array[at : at + len(nodes.words)]
    place[:] = nodes.words
    place[nodes.places] += at
    return nodes.word + at


def _nodes_of(function: Closure, like: Heap) -> _Nodes:
    """Make the nodes of a function. like: A heap that is to get the nodes."""
    heap = Heap(like.language, _WORDS, head=like.head)
    word = np.array([heap.put(function)])
    (there,), words = moved(heap, word, heap.top)
    words = words.copy()
    _, further = moved(heap, word, heap.top - 1)  # only addresses differ
    return _Nodes(function, like.head, int(there), words, np.flatnonzero(further != words))
