"""How samples are cut into batches, and kernels compiled before they are shared out."""

import shutil
from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from megabatt.runtime.arc.workload import WORKLOAD, load, samples_of
from megabatt.runtime.engine.device.device import CPU, computing_on
from megabatt.runtime.engine.language.values import identical
from megabatt.runtime.megabatch.batches import Settings, batches_of
from megabatt.runtime.megabatch.data import Data
from megabatt.runtime.megabatch.run import compiling
from megabatt.runtime.megabatch.run.parts import parts_of_each
from megabatt.runtime.megabatch.samples import batch_inputs
from megabatt.runtime.signal.workload import WORKLOAD as SIGNALS
from tests.engine.strict import StrictDevice
from tests.megabatch.commands import ROOT, command

SETTINGS = Settings(WORKLOAD, str(ROOT / "generated"))
SAMPLES = samples_of(load("arcagi", "training").tasks)


@given(st.integers(1, len(SAMPLES)), st.integers(1, 2000), st.integers(1, 8))
def test_batches_are_of_one_size_and_hold_every_sample_once(count, batch_size, workers):
    batches = batches_of(SETTINGS, Data(SAMPLES[:count]), batch_size, workers)
    sizes = [len(batch.samples) for batch in batches]
    assert max(sizes) - min(sizes) <= 1
    assert max(sizes) <= batch_size
    assert [sample for batch in batches for sample in batch.samples] == SAMPLES[:count]
    if count >= 100 * workers and batch_size > 1:
        assert len(batches) % workers == 0


@pytest.mark.parametrize(("links", "sizes"), [(64, [32, 32]), (13, [6, 7]), (12, [12])])
def test_workers_share_few_samples_where_a_few_are_work_enough(links, sizes):
    settings = Settings(SIGNALS, str(ROOT / "generated" / "signals"))
    batches = batches_of(settings, SIGNALS.load(links, duration_ms=1.0), 64, workers=2)
    assert [len(batch.samples) for batch in batches] == sizes


@given(st.integers(1, 12), st.integers(1, 12))
def test_parts_give_every_process_as_much_and_no_more_than_are_needed(batches, processes):
    parts = parts_of_each(batches, processes)
    assert batches * parts % processes == 0 or batches >= 2 * processes
    assert parts == 1 or batches * parts <= batches * processes


@pytest.mark.parametrize("device", [CPU, StrictDevice()], ids=["in_order", "side_by_side"])
def test_parts_of_a_program_give_what_the_whole_gives(device):
    (whole,) = batches_of(SETTINGS, Data(SAMPLES[:400:80]), 10)
    forms = SETTINGS.forms(whole)
    computed = {}
    for batch in [whole, *SETTINGS.parts(whole, 3)]:
        with computing_on(device):
            inputs = batch_inputs(WORKLOAD, batch.samples, solvers=batch.solvers)
            computed[batch.part] = forms.vectorized(inputs).on_host()
    expected = computed.pop(None)
    names = [name for part in computed.values() for name in part.columns]
    assert sorted(names) == sorted(expected.columns)
    for part in computed.values():
        ran = np.zeros(forms.operations + 1, dtype=np.bool_)
        for name, column in part.columns.items():
            assert identical(tuple(column.decode()), tuple(expected.columns[name].decode()))
            assert part.cones[name] == expected.cones[name]
            ran[part.cones[name]] = True
        assert np.array_equal(part.failed, expected.failed & ran[:, None])
        assert ran.sum() < forms.operations / 2


@pytest.mark.long
def test_kernels_are_compiled_once_and_the_first_run_says_so(mirrors, tmp_path):
    selection = ["--batt", mirrors / "batt", "--split", "training", "--samples", 20, "--workers", 1]
    environment = {"NUMBA_CACHE_DIR": str(tmp_path)}
    first, second = (
        command("run_batt.py", "verify", *selection, env=environment).stdout for _ in range(2)
    )
    assert "kernels, kept for the next run" in first
    assert "compiled" not in second
    assert first.splitlines()[-1] == second.splitlines()[-1]


def test_a_program_compiled_before_is_not_run_again_for_its_kernels(mirrors, tmp_path, monkeypatch):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    folder = shutil.copytree(mirrors / "batt", tmp_path / "batt")
    settings = Settings(WORKLOAD, str(folder))
    batches = batches_of(settings, Data(SAMPLES[:20]), 10)
    runs = mock.Mock(wraps=batch_inputs)
    monkeypatch.setattr(compiling, "batch_inputs", runs)
    for _ in range(2):
        compiling.compile_kernels(settings, batches, lambda kernel: None)
        assert runs.call_count == 1
    (folder / "batt.py").write_text((folder / "batt.py").read_text() + "\n# another program\n")
    compiling.compile_kernels(settings, batches, lambda kernel: None)
    assert runs.call_count == 2
    assert len(list(tmp_path.glob("megabatt-*.compiled"))) == 1
