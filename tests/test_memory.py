"""Memory that is kept for later arrays."""

from concurrent.futures import ThreadPoolExecutor
from weakref import ref

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from megabatt.runtime import memory as memory_module
from megabatt.runtime.memory import SpareMemory, give_back


@pytest.fixture(autouse=True)
def keeping(monkeypatch):
    monkeypatch.setattr(memory_module, "_kept", 128 << 20)


def at(array):
    return array.ctypes.data


def test_memory_is_used_again_once_nothing_refers_to_it_unless_it_is_too_small():
    memory = SpareMemory()
    first = memory.array(1000)
    where, part = at(first), first[10:20]
    del first
    assert at(memory.array(10)) != where  # a part of the array is still there
    del part
    assert at(memory.array(1000)) == where
    small = ref(memory.array(1000))
    assert len(memory.array(5000)) >= 5000 and small() is None
    assert len(memory.array(10)) >= 5000


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(1, 3000)), min_size=1))
def test_arrays_in_use_never_share_memory(steps):
    memory = SpareMemory()
    held = {}
    for turn, (place, words) in enumerate(steps):
        array = memory.array(words)
        assert len(array) >= words
        array[:] = turn
        held[place] = turn, array
        assert all((values == mark).all() for mark, values in held.values())


def test_threads_never_share_memory():
    memory = SpareMemory()

    def filled(mark):
        for _ in range(300):
            array = memory.array(100 + mark)
            array[:] = mark
            if not (array == mark).all():
                return False
        return True

    with ThreadPoolExecutor(8) as threads:
        assert all(threads.map(filled, range(40)))


def test_trimming_leaves_what_is_in_use_and_frees_the_rest():
    array = np.full(8 << 20, 7, dtype=np.int64)
    before = memory_module.held_bytes()
    SpareMemory.trim(array, 5 << 20)
    assert (array[: 5 << 20] == 7).all()
    assert before - memory_module.held_bytes() > 16 << 20


def test_spare_memory_is_given_back_where_memory_is_short():
    memory = SpareMemory()
    memory.array(8 << 20)[:] = 1
    before = memory_module.held_bytes()
    give_back()
    assert before - memory_module.held_bytes() > 32 << 20


def test_nothing_is_kept_unless_asked(monkeypatch):
    memory = SpareMemory()
    kept = ref(memory.array(1000))
    assert kept() is not None
    monkeypatch.setattr(memory_module, "_kept", 0)
    freed = ref(memory.array(1000))
    assert freed() is None
