"""A loop takes arrays and numbers from Python, and gives Python's results."""

import gc
import threading
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from megabatt.runtime.engine.machine.functions import nanoseconds
from megabatt.runtime.engine.machine.loops import Loop, _Method

LETTERS = "?bBhHiIl"
sides = st.integers(0, 4)
shapes = st.tuples(sides) | st.tuples(sides, sides, sides)


@st.composite
def two_arrays(draw):
    shape = draw(shapes)
    return [draw(arrays.arrays(draw(st.sampled_from(LETTERS)), shape)) for _ in range(2)]


@Loop
def stored_1(source, target):
    for k in range(len(source)):
        target[k] = source[k]
    return len(source)


@Loop
def stored_3(source, target):
    for i in range(len(source)):
        for j in range(source.shape[1]):
            for k in range(source.shape[2]):
                target[i, j, k] = source[i, j, k]
    return source.shape[0] * source.shape[1] * source.shape[2]


@given(two_arrays(), st.booleans())
def test_elements_are_those_of_numpy(tmp_path_factory, two, mapped):
    """A memory map is an array too."""
    source, target = two
    if mapped and source.size:
        path = tmp_path_factory.mktemp("map") / "numbers"
        source.tofile(path)
        source = np.memmap(path, dtype=source.dtype, mode="r", shape=source.shape)
    loop = stored_1 if source.ndim == 1 else stored_3
    expected = source.astype(target.dtype)
    assert loop(source, target) == source.size
    assert target.tolist() == expected.tolist()


@Loop
def stands_for(number):
    return number


@pytest.mark.parametrize("number", [0, -1, 2**63 - 1, -(2**63), True, np.int64(-1), np.uint8(3)])
def test_numbers_are_what_python_takes_for_one(number):
    assert stands_for(number) == number


@pytest.mark.parametrize("args", [(0.5,), (None,), ("1",), (2**63,), (np.float32(1),), (), (1, 2)])
def test_arguments_that_are_no_single_number_raise_python_s_errors(args):
    message = None if len(args) == 1 else "stands_for takes 1 argument"
    with pytest.raises((TypeError, OverflowError), match=message):
        stands_for(*args)


@pytest.mark.parametrize(
    "array",
    [np.zeros(3), np.zeros((4, 2), dtype=int)[:, 0], np.zeros(2, dtype=">i8"),
     np.array(["a"]), np.array([None])],
)  # fmt: skip
def test_arrays_with_gaps_and_of_no_integers_are_refused(array):
    for target in (np.zeros(4, dtype=int), array):
        with pytest.raises(TypeError, match="stored_1: an array of "):
            stored_1(array, target)


@Loop
def waits(heap, seconds):
    until = nanoseconds(heap, 0) + seconds * 10**9
    while nanoseconds(heap, 0) < until:
        heap[2] += 1
    return heap[2]


def test_others_run_meanwhile():
    thread = threading.Thread(target=waits, args=(np.zeros(3, dtype=int), 1))
    thread.start()
    time.sleep(0.01)
    assert thread.is_alive()
    thread.join()


def test_the_definition_of_a_function_outlives_its_loop():
    """Python reads a function's definition when it frees the function, in any order of loops."""
    numbers = np.arange(3, dtype=np.int8)
    stored_1(numbers, numbers.copy())
    again = Loop(stored_1.function)
    Loop.every.remove(again)
    assert again(numbers, numbers.copy()) == 3
    function = again._last
    del again
    gc.collect()
    filling = [_Method(b"another", 0, 0, None) for _ in range(1000)]
    assert function.__name__ == "stored_1" and filling
