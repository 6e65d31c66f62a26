"""The array idioms, on the device in use: `make gpu-test` runs these tests on a GPU."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from megabatt.runtime.engine.device.arrays import offsets_of, xp
from megabatt.runtime.engine.device.device import ANY, FIRST, LAST, MAX, SUM, current, to_host
from megabatt.runtime.engine.device.scheduling import ask, side_by_side

pytestmark = pytest.mark.device

def there(values, dtype=np.int64):
    return xp.asarray(np.array(values, dtype=dtype))


@pytest.mark.parametrize("dtype", ["int64", "uint8", "bool"])
@pytest.mark.parametrize("n", [0, 1, 31, 32, 33, 1023, 1024, 1025, 16_384, 16_385, 100_000])
def test_offsets_are_the_running_sum(n, dtype):
    counts = np.random.default_rng(n).integers(0, 2 if dtype == "bool" else 200, n).astype(dtype)
    expected = np.concatenate([[0], np.cumsum(counts, dtype=np.int64)])
    assert np.array_equal(to_host(offsets_of(there(counts, dtype))), expected)


SMALL, BYTES = st.integers(-(1 << 40), 1 << 40), st.integers(0, 255)
ASKED = {  # the element types of each
    FIRST: ["int64", "uint8", "bool"],
    LAST: ["int64", "uint8", "bool"],
    ANY: ["bool"],
    SUM: ["int64", "bool"],
    MAX: ["int64", "uint8"],
}


@st.composite
def questions(draw):
    """Draw an array of the host and a number to ask of it."""
    number = draw(st.sampled_from(list(ASKED)))
    dtype = draw(st.sampled_from(ASKED[number]))
    elements = {"int64": SMALL, "uint8": BYTES, "bool": st.booleans()}[dtype]
    least = 0 if number in (ANY, SUM) else 1
    values = np.array(draw(st.lists(elements, min_size=least, max_size=20)), dtype=dtype)
    return np.tile(values, draw(st.sampled_from([1, 1, 100]))), number


@given(st.lists(questions(), max_size=100))
def test_numbers_of_arrays_are_answered(asked):
    """Questions are asked one by one, and all together."""
    here = [int(number.of(values)) for values, number in asked]
    questions = [(there(values, values.dtype), number) for values, number in asked]
    assert [ask(*question) for question in questions] == here
    assert current().answers(questions) == here
    assert side_by_side([lambda q=question: ask(*q) for question in questions]) == here


@given(st.data())
def test_the_bytes_of_arrays_are_collected(data):
    """There are more arrays than a launch copies; they begin anywhere, and have any length."""
    arrays, places, expected, room = [], [], {}, 0
    for _ in range(data.draw(st.sampled_from([0, 1, 3, 130]))):
        dtype = data.draw(st.sampled_from(["int64", "uint8", "int8", "bool"]))
        n, first = data.draw(st.integers(0, 40)), data.draw(st.integers(0, 9))
        values = np.random.default_rng(n).integers(0, 2, n + first).astype(dtype)
        arrays.append(there(values, dtype)[first:])
        places.append(room)
        expected[room] = values[first:].tobytes()
        room += -(-len(expected[room]) // 8) * 8
    collected = xp.zeros(room, dtype=xp.uint8)
    current().collect(arrays, places, collected)
    found = to_host(collected).tobytes()
    assert {at: found[at : at + len(some)] for at, some in expected.items()} == expected


def test_numbers_of_large_arrays_and_of_every_other_element_are_answered():
    flags = there(np.arange(1 << 18) == 100_000, np.bool_)
    assert [ask(flags, number) for number in (FIRST, LAST, ANY, SUM)] == [0, 0, 1, 1]
    assert ask(there(np.arange(1 << 18))[::2], MAX) == (1 << 18) - 2
    assert ask(there([1, 0, 2, 0])[::2], SUM) == 3
