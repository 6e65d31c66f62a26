"""Stages: each second is of one stage, that of the innermost that runs."""

from __future__ import annotations

import time

import pytest

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
