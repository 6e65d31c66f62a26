"""Each second counts for one stage, the innermost running stage, and for an operation."""

import time

import numpy as np
import pytest

from megabatt.runtime.arc import LANGUAGE
from megabatt.runtime.arc.workload import WORKLOAD, load, samples_of
from megabatt.runtime.megabatch.programs import merged_program
from megabatt.runtime.megabatch.run.stages import Stages
from megabatt.runtime.megabatch.samples import batch_inputs
from tests.megabatch.commands import ROOT


def test_seconds_of_a_stage_within_another_count_for_the_inner():
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


def test_seconds_of_operations_add_up_to_about_those_of_the_run():
    forms = merged_program(str(ROOT / "generated"))
    samples = samples_of(load("arcagi", "training").tasks)[:64]
    forms.run(batch_inputs(WORKLOAD, samples), LANGUAGE.max_elements)
    seconds = np.zeros(forms.operations + 1)
    began = time.perf_counter()
    forms.run(batch_inputs(WORKLOAD, samples, seconds=seconds), LANGUAGE.max_elements)
    elapsed = time.perf_counter() - began
    assert seconds[0] == 0 and (seconds >= 0).all()
    assert (seconds > 0).sum() > forms.operations / 2
    assert 0.05 * elapsed < seconds.sum() < 20 * elapsed  # of eight lanes one is timed
