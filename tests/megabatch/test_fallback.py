"""The scalar form makes, and counts, the calls that the machine cannot make; no sample is lost."""

from dataclasses import replace
from unittest import mock

from megabatt.runtime.arc.workload import WORKLOAD, load, samples_of
from megabatt.runtime.engine.executor.program import NumberedProgram
from megabatt.runtime.megabatch.batches import Batch, Settings
from megabatt.runtime.megabatch.run.compute import run_batch
from megabatt.runtime.megabatch.store import Store
from tests.megabatch.commands import compiled, solvers, sorted_rows_in
from tests.megabatch.runs import assert_alike

LISTS = solvers(
    large="merge(rapply(apply(compose(lbind(lbind, shift), initset), asindices(I)), UNITY))",
    far="shift(asindices(I), tojvec(10000000))",
)


def test_the_scalar_form_makes_calls_on_values_without_words_and_batches_that_fail(
    tmp_path, monkeypatch
):
    """A batch that fails in an unforeseen way is computed by the scalar form alone."""
    settings = Settings(WORKLOAD, str(compiled(tmp_path, LISTS)), outputs="all")
    samples = samples_of(load("arcagi", "training").tasks[:6])

    def ran(name):
        out = Store.at(tmp_path / name)
        out.make()
        return run_batch(replace(settings, out=out), Batch(0, None, samples))

    made = ran("made")
    assert made.rescued == "" and made.host_lanes > 0
    lost = RuntimeError("a device is lost")
    monkeypatch.setattr(NumberedProgram, "run", mock.Mock(side_effect=lost))
    rescued = ran("rescued")
    assert rescued.rescued == "RuntimeError: a device is lost"
    assert_alike([rescued], [made])
    assert sorted_rows_in(tmp_path / "rescued") == sorted_rows_in(tmp_path / "made")
