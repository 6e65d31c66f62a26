"""Numbers are made sets, whatever their order and however far apart they lie."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from megabatt.runtime.arc import LANGUAGE
from megabatt.runtime.engine.machine.heap import Heap
from megabatt.runtime.engine.machine.loops import Loop
from megabatt.runtime.engine.machine.nodes import TOP
from megabatt.runtime.engine.machine.sets import distinct_in_order
from megabatt.runtime.engine.machine.words import INTEGERS, LABELLED_PAIRS, PAIRS

near, far = st.integers(-3, 12), st.integers(-(2**19), 2**19 - 1)


def lists_of(parts, kinds):
    """Draw a tag and values of it; parts: draws the Integers they are made of."""
    pair = st.tuples(parts, parts)
    element = {INTEGERS: parts, PAIRS: pair, LABELLED_PAIRS: st.tuples(parts, pair)}
    return kinds.flatmap(
        lambda tag: st.tuples(st.just(tag), st.lists(element[tag], min_size=1, max_size=300))
    )


@Loop
def made_distinct(heap, at, count, tag):
    return distinct_in_order(heap, at, count, tag)


@given(st.sampled_from([near, far, near | far]).flatmap(
    lambda parts: lists_of(parts, st.sampled_from([INTEGERS, PAIRS, LABELLED_PAIRS]))
), st.integers(1, 60))  # fmt: skip
def test_a_set_has_each_number_once_in_order(drawn, runs):
    tag, values = drawn
    values = [value for k in range(runs) for value in sorted(values[k::runs])]
    heap = Heap(LANGUAGE, 1 << 12)
    words = heap.put_all(values)
    behind = 77
    at = heap.reserve(len(words) + 1)
    heap.array[at : at + len(words)], heap.array[at + len(words)] = words, behind
    count = made_distinct(heap.array, at, len(words), tag)
    kept = heap.array[at : at + count].tolist()
    assert list(map(heap.get, kept)) == sorted(set(values))
    assert kept == np.unique(words).tolist()
    assert heap.array[at + len(words)] == behind
    assert heap.array[TOP] == at + len(words) + 1
