"""Whole programs in both forms on real ARC grids: the same values and failures, lane by lane."""

from dataclasses import replace

import pytest

from megabatt.runtime.arc.workload import WORKLOAD, load, samples_of
from megabatt.runtime.megabatch.batches import Settings
from megabatt.runtime.megabatch.programs import PackageError, merged_program, own_programs
from megabatt.runtime.megabatch.samples import batch_inputs, spread_evenly
from tests.examples import LONG
from tests.megabatch.commands import ROOT, printed, same_outcome

FOLDER = str(ROOT / "generated")
SETTINGS = Settings(WORKLOAD, FOLDER)


@pytest.fixture(scope="module")
def samples():
    every = samples_of(load("arcagi").tasks)  # on large grids the scalar form takes many seconds
    some = [one for one in every if LONG or len(one.I) * len(one.I[0]) <= 150]
    return spread_evenly(some, 36 if LONG else 6, seed=1)


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


def test_every_bundled_solver_solves_its_task():
    *_, last = printed("run", "--own", "--data", "arcagi").splitlines()
    count = len(own_programs(FOLDER))
    assert last == f"solved {count} of {count} tasks" and count >= 60


# Generated folders, loaded


OLDER = "from megabatt.runtime.engine import Batch, Sequential\n"


ROT91 = "from megabatt.runtime.arc import rot91\n"


@pytest.mark.parametrize(
    ("name", "load", "source", "why"),
    [("batt.py", merged_program, OLDER, "older megabatt; compile its sources again"),
     ("solvers.py", own_programs, OLDER, "older megabatt; compile its sources again"),
     ("batt.py", merged_program, ROT91, "ImportError: .*'rot91'")],
)  # fmt: skip
def test_a_folder_of_another_megabatt_is_named_with_what_it_lacks(
    tmp_path, name, load, source, why
):
    (tmp_path / name).write_text(source)
    with pytest.raises(PackageError, match=f"{name}: .*{why}"):
        load(str(tmp_path))
