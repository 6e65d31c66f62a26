"""How samples are cut into batches, and kernels compiled before they are shared out."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.engine.devices import CPU, computing_on
from runtime.engine.values import identical
from runtime.megabatch import compiling
from runtime.megabatch.data import load
from runtime.megabatch.on_device import _parts_of_each
from runtime.megabatch.programs import jobs_of
from runtime.megabatch.samples import batch_inputs, samples_of
from tests.engine.strict import StrictDevice
from tests.megabatch.commands import ROOT, command, compiled

FOLDER = str(ROOT / "generated")
SAMPLES = samples_of(load("arcagi", "training").tasks)


@given(st.integers(1, len(SAMPLES)), st.integers(1, 2000), st.integers(1, 8))
def test_batches_are_of_one_size_and_hold_every_sample_once(count, batch_size, workers):
    jobs = jobs_of(FOLDER, SAMPLES[:count], False, batch_size, workers)
    sizes = [len(job.samples) for job in jobs]
    assert max(sizes) - min(sizes) <= 1
    assert max(sizes) <= batch_size
    assert [sample for job in jobs for sample in job.samples] == SAMPLES[:count]
    if count >= 100 * workers:
        assert len(jobs) % workers == 0


@given(st.integers(1, 12), st.integers(1, 12))
def test_parts_give_every_process_as_much_and_no_more_than_are_needed(batches, processes):
    parts = _parts_of_each(batches, processes)
    assert batches * parts % processes == 0 or batches >= 2 * processes
    assert parts == 1 or batches * parts <= batches * processes


@pytest.mark.parametrize("device", [CPU, StrictDevice()], ids=["in_order", "side_by_side"])
def test_parts_of_a_program_give_what_the_whole_gives(device):
    (whole,) = jobs_of(FOLDER, SAMPLES[:400:40], False, 10)
    program = whole.program(FOLDER)
    computed = {}
    for job in [whole, *whole.parts(FOLDER, 3)]:
        with computing_on(device):
            inputs = batch_inputs(job.samples, solvers=job.solvers)
            computed[job.part] = program.vectorized(inputs).on_host()
    expected = computed.pop(None)
    names = [name for part in computed.values() for name in part.outputs]
    assert sorted(names) == sorted(expected.outputs)
    for part in computed.values():
        ran = np.zeros(program.operations + 1, dtype=np.bool_)
        for name, column in part.outputs.items():
            assert identical(tuple(column.decode()), tuple(expected.outputs[name].decode()))
            assert part.cones[name] == expected.cones[name]
            ran[part.cones[name]] = True
        assert np.array_equal(part.failed, expected.failed & ran[:, None])
        assert ran.sum() < program.operations / 2


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return compiled(tmp_path_factory.mktemp("batches"))


def test_kernels_are_compiled_once_and_the_first_run_says_so(folder, tmp_path):
    selection = ["--batt", folder, "--split", "training", "--samples", "200", "--workers", "1"]
    environment = {"NUMBA_CACHE_DIR": str(tmp_path)}
    first, second = (
        command("run_batt.py", "verify", *selection, env=environment).stdout for _ in range(2)
    )
    assert "kernels, which are kept for the next run" in first
    assert "compiled" not in second
    assert first.splitlines()[-1] == second.splitlines()[-1]


def test_a_program_compiled_before_is_not_run_again_for_its_kernels(folder, tmp_path, monkeypatch):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    jobs = jobs_of(str(folder), SAMPLES[:20], False, 10)
    runs = []
    monkeypatch.setattr(
        compiling, "batch_inputs", lambda few: runs.append(few) or batch_inputs(few)
    )
    for _ in range(2):
        compiling.compile_kernels(str(folder), jobs, lambda kernel: None)
    assert len(runs) == 1
    (folder / "batt.py").write_text((folder / "batt.py").read_text() + "\n# another program\n")
    compiling.compile_kernels(str(folder), jobs, lambda kernel: None)
    assert len(runs) == 2
    assert len(list(tmp_path.glob("megabatt-*.compiled"))) == 1
