"""Each second counts for one stage, the innermost that runs, and for one operation."""

from __future__ import annotations

import time

import pytest

from megabatt.runtime.megabatch.run.operation_clock import OperationClock
from megabatt.runtime.megabatch.run.stages import Stages


def test_seconds_of_a_stage_within_another_are_those_of_the_inner():
    stages = Stages()
    began = time.perf_counter()
    with stages("compute"):
        time.sleep(0.02)
        with stages("encode"):
            time.sleep(0.03)
        time.sleep(0.01)
    elapsed = time.perf_counter() - began
    seconds = stages.taken()
    assert sum(seconds.values()) == pytest.approx(elapsed, abs=1e-3)
    assert seconds["compute"] >= 0.03 and seconds["encode"] >= 0.03
    assert stages.taken() == {}


def test_an_operation_has_the_seconds_since_the_one_before_it():
    clock = OperationClock(3)
    time.sleep(0.02)
    clock.restart()
    began = time.perf_counter()
    for number, seconds in ((2, 0.02), (1, 0.01)):
        time.sleep(seconds)
        clock(number)
    elapsed = time.perf_counter() - began
    assert clock.seconds[0] == clock.seconds[3] == 0
    assert clock.seconds[2] >= 0.02 and clock.seconds[1] >= 0.01
    assert clock.seconds.sum() == pytest.approx(elapsed, abs=1e-3)
