"""Operations side by side compute what they compute one after the other, and wait less often."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from megabatt.runtime.engine.device.device import computing_on, xp
from megabatt.runtime.engine.device.room import room
from megabatt.runtime.engine.device.scheduling import ask, side_by_side
from megabatt.runtime.engine.executor.concurrent import SideBySide, Target
from tests.engine.strict import StrictDevice

none = st.just([])
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


def test_what_a_task_raises_is_raised():
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


@given(st.data(), st.integers(1, 200))
def test_operations_run_after_what_they_are_given(data, count):
    """Operations that ask several times and depend on some of the earlier ones."""
    made = []

    def run(target, asks, given):
        assert all(argument.made is not None for argument in given)
        assert sum(ask(number_there(1)) for _ in range(asks)) == asks
        target.made = target.source
        made.append(target.source)

    with computing_on(StrictDevice()):
        schedule = SideBySide(run)
        targets = []
        for number in range(count):
            given = data.draw(st.lists(st.sampled_from(targets), max_size=3) if targets else none)
            targets.append(Target(number))
            schedule.add(targets[-1], data.draw(st.integers(0, 3)), tuple(given))
        schedule.finish()
    assert sorted(made) == list(range(count))
