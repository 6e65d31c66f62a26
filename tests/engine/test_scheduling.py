"""Operations give the same results side by side as in sequence, and wait less often."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from megabatt.runtime.engine.device.device import CPU, computing_on, room, xp
from megabatt.runtime.engine.device.scheduling import ask, run_in_order, side_by_side
from tests.engine.strict import StrictDevice

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
