"""The scalar form makes, and counts, the calls that the machine cannot make; no sample is lost."""


import pytest

from megabatt.runtime.arc.workload import WORKLOAD, load, samples_of
from megabatt.runtime.engine.executor.program import NumberedProgram
from megabatt.runtime.megabatch.batches import Batch, Settings
from megabatt.runtime.megabatch.programs import merged_program
from megabatt.runtime.megabatch.run.compute import run_batch
from megabatt.runtime.megabatch.samples import batch_inputs
from tests.megabatch.commands import compiled, same_outcome
from tests.megabatch.runs import assert_alike

LISTS = """
def solve_large(I):
    return merge(rapply(apply(compose(lbind(lbind, shift), initset), asindices(I)), UNITY))


def solve_far(I):
    return shift(asindices(I), tojvec(10000000))
"""


@pytest.fixture(scope="module")
def samples():
    return samples_of(load("arcagi", "training").tasks[:6])


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return str(compiled(tmp_path_factory.mktemp("fallback"), LISTS))


def scalar(folder, samples):
    settings, forms = Settings(WORKLOAD, folder), merged_program(folder)
    return [settings.scalar(forms, sample) for sample in samples]


def vectorized(folder, samples):
    return merged_program(folder).vectorized(batch_inputs(WORKLOAD, samples))


def test_a_value_that_no_word_holds_goes_to_the_scalar_form_and_is_counted(folder, samples):
    results = vectorized(folder, samples)
    assert all(map(same_outcome, scalar(folder, samples), results.decode()))
    assert results.host_lanes > 0


def test_a_batch_that_fails_in_an_unforeseen_way_is_computed_by_the_scalar_form(
    folder, samples, monkeypatch
):
    expected = run_batch(Settings(WORKLOAD, folder), Batch(0, None, samples))
    assert expected.rescued == ""

    def broken(*args):
        raise RuntimeError("a device is lost")

    monkeypatch.setattr(NumberedProgram, "run", broken)
    rescued = run_batch(Settings(WORKLOAD, folder), Batch(0, None, samples))
    assert rescued.rescued == "RuntimeError: a device is lost"
    assert_alike([rescued], [expected])
