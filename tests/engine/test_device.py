"""A device: what it refuses, what it waits for, and columns that go there and come back."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from megabatt.runtime.engine.columns import encode
from megabatt.runtime.engine.columns.transfer import Parcel, columns_to_host
from megabatt.runtime.engine.device.device import CPU, computing_on, room, xp
from megabatt.runtime.engine.device.scheduling import ask, run_in_order, side_by_side
from megabatt.runtime.engine.language.values import identical
from tests.engine.machine_values import columns
from tests.engine.strict import Refused, StrictDevice

# The strict device refuses what CuPy does not do


REFUSED = {
    "an array of the host": lambda a: a + np.arange(3),
    "NumPy on an array of the device": lambda a: np.cumsum(a),
    "a loop over its elements": lambda a: list(a),
    "a slice that ends at an element": lambda a: a[: a[1]],
    "a size on the device": lambda a: xp.zeros(a[1], dtype=xp.int64),
    "a count for each element of repeat": lambda a: xp.repeat(a, a),
    "a choice among several values": lambda a: a.__setitem__(xp.asarray([0, 0, 1]), a),
}


@pytest.mark.parametrize("name", REFUSED)
def test_the_device_refuses(name):
    refused = pytest.raises((Refused, AttributeError, TypeError))
    with computing_on(StrictDevice()), refused:
        REFUSED[name](xp.arange(3, dtype=xp.int64))


# Operations side by side, which give the same as in sequence and wait less often


numbers = st.lists(st.lists(st.integers(0, 99), max_size=6), max_size=8)


def number_there(value):
    """Make an array of the device that has the number."""
    return xp.full(1, value, dtype=xp.int64)


@given(numbers)
def test_every_task_gets_its_own_answers_and_all_wait_together(questions):
    device = StrictDevice()

    def asked(values):
        return lambda: [ask(number_there(value)) for value in values]

    with computing_on(device):
        assert side_by_side([asked(values) for values in questions]) == questions
    assert device.syncs == max(map(len, questions), default=0)


def test_the_exception_of_a_task_is_raised():
    def failing():
        ask(number_there(1))
        raise MemoryError("full")

    with computing_on(StrictDevice()), pytest.raises(MemoryError, match="full"):
        side_by_side([lambda: ask(number_there(2)), failing, lambda: ask(number_there(3))])
    assert not room.limited


def test_room_is_limited_for_the_task_that_limits_it():
    seen = []

    def limiting():
        room.limited = True
        ask(number_there(1))
        seen.append(room.limited)

    with computing_on(StrictDevice()):
        side_by_side([limiting, lambda: (ask(number_there(1)), seen.append(room.limited))])
    assert sorted(seen) == [False, True]


operations = st.lists(
    st.tuples(st.sets(st.integers(1, 40), max_size=3), st.integers(0, 3)), max_size=200
)


@given(operations)
def test_operations_run_after_those_that_they_need(operations):
    """An operation needs earlier operations at given distances, and asks several times."""
    needs = [{number - back for back in backs} for number, (backs, _) in enumerate(operations)]
    made = []

    def run(number):
        assert {other for other in needs[number] if other >= 0} <= set(made)
        asks = operations[number][1]
        assert sum(ask(number_there(1)) for _ in range(asks)) == asks
        made.append(number)

    for device in (CPU, StrictDevice()):
        made.clear()
        with computing_on(device):
            run_in_order(range(len(operations)), needs.__getitem__, run)
        assert sorted(made) == list(range(len(operations)))


# Columns


@given(columns, columns)
def test_columns_go_to_a_device_and_back_in_a_transfer_each(first, second):
    device = StrictDevice()
    parcel = Parcel([encode(first), encode(second)])
    with computing_on(device):
        back = columns_to_host(parcel.unpacked(device.send(parcel.bytes)()))
    assert (device.sent, device.fetched) == (1, 1)
    assert identical(tuple(tuple(one.decode()) for one in back), (tuple(first), tuple(second)))


@given(columns, st.data())
def test_compact_columns_hold_only_the_data_of_their_lanes(lanes, data):
    chosen = data.draw(st.lists(st.sampled_from(range(len(lanes))), min_size=1, max_size=8))
    few = encode(lanes).take(np.array(chosen)).packed()
    assert identical(tuple(few.decode()), tuple(lanes[k] for k in chosen))
    if set(chosen) == {chosen[0]}:
        assert Parcel([few.take(np.array([0])).packed()]).bytes.nbytes <= size_of(lanes[chosen[0]])


def size_of(value):
    """Return more bytes than any layout of one value takes."""
    if isinstance(value, tuple | frozenset):
        return 64 + sum(map(size_of, value))
    return 256


def test_an_array_that_columns_share_goes_once():
    column = encode([tuple(range(100)), tuple(range(50))])
    twice = Parcel([column, column.take(np.array([1, 0]))])
    assert twice.bytes.nbytes < 1.5 * Parcel([column]).bytes.nbytes
