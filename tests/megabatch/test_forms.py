"""Whole programs in both forms on real ARC grids: the same values and failures, lane by lane."""

import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest

from generated.batt import batt
from megabatt.runtime.arc import LANGUAGE
from megabatt.runtime.arc.workload import WORKLOAD, load, samples_of, solver_for
from megabatt.runtime.megabatch.batches import Settings
from megabatt.runtime.megabatch.programs import PackageError, merged_program, own_programs
from megabatt.runtime.megabatch.run.fits import Fits
from megabatt.runtime.megabatch.run.stages import Stages
from megabatt.runtime.megabatch.samples import batch_inputs, spread_evenly
from tests.examples import LONG
from tests.megabatch.commands import ROOT, same_outcome

FOLDER = str(ROOT / "generated")
SETTINGS = Settings(WORKLOAD, FOLDER)


@pytest.fixture(scope="module")
def samples():
    return spread_evenly(samples_of(load("arcagi").tasks), 36 if LONG else 10, seed=1)


@pytest.mark.parametrize(("count", "limit"), [(None, None), (6, 300)])
def test_the_vectorized_form_gives_what_the_sequential_form_gives(samples, count, limit):
    """Under a low limit, the same operations fail. Plain tuples are a batch too."""
    program, settings = merged_program(FOLDER), replace(SETTINGS, max_elements=limit)
    inputs = batch_inputs(WORKLOAD, samples[:count])
    results = program.vectorized(inputs, max_elements=settings.limit).decode()
    for sample, result in zip(samples[:count], results, strict=True):
        assert same_outcome(settings.scalar(program, sample), result)
    plain = [(sample.task, sample.S, sample.I, sample.C) for sample in samples[:5]]
    again = program.vectorized(plain, max_elements=settings.limit).decode()
    assert all(map(same_outcome, again, results))


def test_of_a_solver_with_a_wrong_demonstration_no_output_is_kept(tmp_path):
    """Most outputs are such, and some are sets of a million elements."""
    members = samples_of(load("arcagi").tasks[:12])
    program, settings = merged_program(FOLDER), replace(SETTINGS, out=tmp_path, outputs="fits")
    results, every = (program.run(batch_inputs(WORKLOAD, members, kept=kept), settings.limit)
                      for kept in (settings.kept(members), None))  # fmt: skip
    fits = Fits(WORKLOAD, members, np.ones(len(members), dtype=np.bool_))
    for name, column in results.columns.items():
        whole, right = every.columns[name].decode(), results.matches[name]
        for k, (one, fit) in enumerate(zip(column.decode(), fits.of(right), strict=True)):
            # an output that is right before the miss may have been kept
            assert one == whole[k] if fit else one == 0 or (right[k] and one == whole[k])


def test_every_bundled_solver_solves_its_task():
    programs = own_programs(FOLDER)
    solved = 0
    for task in load("arcagi").tasks:
        solver = solver_for(task.id, programs)
        if solver is None:
            continue
        members = samples_of([task])
        column = programs[solver].vectorized(batch_inputs(WORKLOAD, members)).decode()
        assert all(
            outputs[solver] == sample.C
            for sample, (outputs, _) in zip(members, column, strict=True)
        ), task.id
        solved += 1
    assert solved == len(programs) >= 60


@pytest.fixture
def often_switched():
    """Make threads take turns as often as possible."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def test_threads_fail_what_one_thread_alone_fails(often_switched):
    samples = samples_of(load("arcagi", "training").tasks[:4])[:6]
    inputs = [("", s.S, s.I, s.C) for s in samples]
    cases = [(sample, limit) for sample in inputs for limit in (131_072, 200, 40)]

    def run(case):
        sample, limit = case
        return batt(*sample, max_elements=limit)

    expected = list(map(run, cases))
    with ThreadPoolExecutor(6) as threads:
        found = list(threads.map(run, cases))
    assert all(map(same_outcome, found, expected))


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
    forms = merged_program(FOLDER)
    samples = samples_of(load("arcagi", "training").tasks)[:64]
    forms.run(batch_inputs(WORKLOAD, samples), LANGUAGE.max_elements)
    seconds = np.zeros(forms.operations + 1)
    began = time.perf_counter()
    forms.run(batch_inputs(WORKLOAD, samples, seconds=seconds), LANGUAGE.max_elements)
    elapsed = time.perf_counter() - began
    assert seconds[0] == 0 and (seconds >= 0).all()
    assert (seconds > 0).sum() > forms.operations / 2
    assert 0.05 * elapsed < seconds.sum() < 20 * elapsed  # of eight lanes one is timed


# Generated folders, loaded


OLDER = "from megabatt.runtime.engine import Batch, Sequential\n"


@pytest.mark.parametrize(
    ("name", "load"), [("batt.py", merged_program), ("solvers.py", own_programs)]
)
def test_a_folder_of_an_older_megabatt_must_be_compiled_again(tmp_path, name, load):
    (tmp_path / name).write_text(OLDER)
    with pytest.raises(PackageError, match=f"{name}: .*older megabatt; compile its sources again"):
        load(str(tmp_path))


def test_a_name_that_the_language_of_a_folder_lacks_is_named(tmp_path):
    (tmp_path / "batt.py").write_text("from megabatt.runtime.arc import rot91\n")
    with pytest.raises(PackageError, match=r"batt\.py: ImportError: .*'rot91'"):
        merged_program(str(tmp_path))
