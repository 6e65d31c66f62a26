"""Whole programs in both forms on real ARC grids: the same values and failures, lane by lane."""

from dataclasses import replace

import numpy as np
import pytest

from megabatt.runtime.arc.workload import WORKLOAD, load, samples_of, solver_for
from megabatt.runtime.megabatch.batches import Settings
from megabatt.runtime.megabatch.programs import merged_program, own_programs
from megabatt.runtime.megabatch.run.fits import Fits
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
    inputs = batch_inputs(WORKLOAD, members, kept=settings.kept(members))
    results = program.run(inputs, settings.limit)
    every = program.run(batch_inputs(WORKLOAD, members), settings.limit)
    fits = Fits(WORKLOAD, members, np.ones(len(members), dtype=np.bool_))
    for name, column in results.columns.items():
        flags = fits.of(results.matches[name])
        expected = every.columns[name].decode()
        made = [value if fit else 0 for value, fit in zip(expected, flags, strict=True)]
        late = [k for k in np.flatnonzero(~flags) if results.matches[name][k]]  # before the miss
        assert all(one in (made[k], expected[k]) if k in late else one == made[k]
                   for k, one in enumerate(column.decode()))  # fmt: skip


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
