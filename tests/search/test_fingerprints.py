"""Fingerprints tell values apart, in any heap, packed or not."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from megabatt.runtime.arc.language import LANGUAGE
from megabatt.runtime.engine.language.values import identical
from megabatt.runtime.engine.machine.archive import keep
from megabatt.runtime.engine.machine.heap import Heap
from megabatt.runtime.search.calls import learnt
from tests.engine.machine_values import values


@given(st.lists(values, min_size=1, max_size=8))
def test_fingerprints_are_the_same_for_the_same_values_alone(some):
    heap, archive, twice = Heap(LANGUAGE, 1 << 16), Heap(LANGUAGE, 1), Heap(LANGUAGE, 1 << 16)
    archived = keep(archive, twice, twice.put_all(some))
    first = np.transpose(learnt(heap, heap.put_all(some)))
    second = np.transpose(learnt(archive, archived))
    for a, of_a in zip(some, first, strict=True):
        for b, of_b in zip(some, second, strict=True):
            assert (of_a == of_b)[:2].all() == identical(a, b)
