"""Batches on a device that streams, fills up or is lost: each result is there exactly once."""

import re
import shlex
import sys
from importlib.metadata import metadata
from types import SimpleNamespace
from unittest import mock

import numpy as np
import pyarrow.parquet as pq
import pytest

from megabatt.runtime.arc.workload import WORKLOAD, load, samples_of
from megabatt.runtime.megabatch.batches import Settings, batches_of
from megabatt.runtime.megabatch.data import Data
from megabatt.runtime.megabatch.extras import install_command
from megabatt.runtime.megabatch.run import hardware
from megabatt.runtime.megabatch.run.run import run_batches
from megabatt.runtime.megabatch.store import Store
from tests.engine.strict import StrictDevice
from tests.megabatch.commands import compiled, sorted_rows_in
from tests.megabatch.runs import assert_alike

SOURCE = """
def solve_first(I):
    x = subgrid(argmax(objects(I, T, F, T), size), I)
    return vconcat(x, x)


def solve_second(I):
    x = apply(first, S)
    return repeat(combine(x, x), TWO)


def solve_sometimes(I):
    return branch(even(height(I)), C, I)
"""


class DeviceFull(Exception): ...


class DeviceGone(Exception): ...


class FakeDevice(StrictDevice):
    """A strict device with little memory that may break.

    holds: The most elements of one array. memory: Free bytes. breaks_after: Launches of kernels
    until it breaks.
    """

    name = "fake"

    def __init__(self, holds=1 << 40, memory=1 << 28, breaks_after=1 << 40):
        super().__init__()
        self.holds, self.memory, self.breaks_after = holds, memory, breaks_after
        self.released = 0

        make = self.arrays.zeros

        def zeros(shape, **kwargs):
            if np.prod(shape) > self.holds:
                raise DeviceFull
            return make(shape, **kwargs)

        self.arrays.zeros = zeros

    def launch(self, kernel, lanes, args):
        self._begin()
        super().launch(kernel, lanes, args)

    def run_loop(self, loop, args):
        self._begin()
        super().run_loop(loop, args)

    def _begin(self):
        if self.launches >= self.breaks_after:
            raise DeviceGone("unspecified launch failure")

    def free_bytes(self):
        return self.memory

    def release(self):
        self.released += 1

    def exhausted(self, error):
        return isinstance(error, DeviceFull)

    def lost(self, error):
        return isinstance(error, DeviceGone)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return str(compiled(tmp_path_factory.mktemp("devices"), SOURCE))


@pytest.fixture(scope="module")
def batches(folder):
    samples = samples_of(load("arcagi", "training").tasks[:6])
    return batches_of(Settings(WORKLOAD, folder), Data(samples), 5)


def run_on(devices, folder, batches, workload=WORKLOAD, **settings):
    """Return the outcome of the batches on the named devices."""
    return run_batches(Settings(workload, folder, devices=tuple(devices), **settings), batches)


@pytest.fixture
def run(folder, batches, monkeypatch, tmp_path):
    """Give a function that runs the batches on a device and compares the results with the CPU's."""

    def on(device, workers=1, outputs="all"):
        """Run on a device. outputs: None for a run without a folder."""
        monkeypatch.setattr(hardware, "opened", lambda name: device)
        there, here = ({"out": Store.at(tmp_path / at), "outputs": outputs} if outputs else {}
                       for at in ("there", "here"))  # fmt: skip
        outcome = run_on(["fake"], folder, batches, workers=workers, **there)
        expected = run_on(["cpu"], folder, batches, **here)
        assert_alike(outcome.batches, expected.batches)
        for number in range(len(batches) if outputs else 0):
            one, other = (how["out"].path(f"batch-{number:05d}.parquet") for how in (there, here))
            assert pq.read_table(one).equals(pq.read_table(other))
        return outcome

    return on


LIMITS = {
    "nothing": {},
    "room for the inputs": {"memory": 1000},
    "room for a batch": {"holds": 12 * 4},
    "room for a sample": {"holds": 1},
    **{f"launches after {count}": {"breaks_after": count} for count in (0, 1, 10, 30, 40)},
    "room, and its end": {"holds": 12 * 4, "memory": 1000, "breaks_after": 60},
}


@pytest.mark.parametrize("outputs", ["all", "fits", None])
@pytest.mark.parametrize(
    "lacks", [pytest.param(name, marks=[pytest.mark.long] * ("sample" in name)) for name in LIMITS]
)
def test_a_device_that_lacks_something_gives_the_results_of_the_cpu(run, batches, lacks, outputs):
    """A batch too large for the device is computed in halves, and a sample too large by the CPU."""
    device = FakeDevice(**LIMITS[lacks])
    outcome = run(device, outputs=outputs)
    assert len(outcome.batches) == len(batches)
    assert (device.released > 0) == ("holds" in LIMITS[lacks])
    if "breaks_after" in LIMITS[lacks]:
        rescued = [batch for batch in outcome.batches if "fake lost" in batch.rescued]
        assert rescued and rescued == outcome.batches[-len(rescued) :]
    if lacks == "room for a sample":
        assert device.released >= sum(len(batch.samples) for batch in batches)


def test_others_take_the_batches_of_a_device_that_does_not_begin(folder, batches):
    outcome = run_on(["cpu", "cuda:99"], folder, batches)
    assert [b.batch.number for b in outcome.batches] == [batch.number for batch in batches]
    assert not any(batch.rescued for batch in outcome.batches)
    outcome = run_on(["cuda:98", "cuda:99"], folder, batches[:1])
    (batch,) = outcome.batches
    assert re.match(r"computed on the CPU: cuda:9[89] lost, ", batch.rescued)
    assert list(batch.matches) == ["solve_first", "solve_second", "solve_sometimes"]


def test_several_devices_share_the_solvers_of_one_batch(folder, tmp_path):
    samples = samples_of(load("arcagi", "training").tasks[:12])
    batches = batches_of(Settings(WORKLOAD, folder), Data(samples), 1000)
    outcome = run_on(["cpu", "cpu"], folder, batches, out=Store.at(tmp_path / "parts"))
    expected = run_on(["cpu"], folder, batches, out=Store.at(tmp_path / "whole"))
    assert_alike(outcome.batches, expected.batches)
    assert len(outcome.batches[0].peak_rss_mb) == 2
    assert sorted_rows_in(tmp_path / "parts") == sorted_rows_in(tmp_path / "whole")
    assert len(list((tmp_path / "parts").glob("batch-*.parquet"))) == 2


# The choice of devices


def fake_cupy(count=2, error=None):
    counting = mock.Mock(return_value=count, side_effect=error)
    runtime = SimpleNamespace(getDeviceCount=counting)
    return SimpleNamespace(cuda=SimpleNamespace(runtime=runtime), arange=np.arange)


@pytest.fixture
def cupy(monkeypatch):
    def installed(module):
        hardware._gpus.cache_clear()
        monkeypatch.setitem(sys.modules, "cupy", module)

    yield installed
    hardware._gpus.cache_clear()


def test_gpus_are_taken_for_large_batches_and_requested_gpus_for_any(cupy):
    cupy(fake_cupy(2))
    assert hardware.choose("auto", 1000) == (["cuda:0", "cuda:1"], "device cuda:0, cuda:1: found")
    names, why = hardware.choose("auto", 100)
    assert names == ["cpu"] and "100 lanes" in why
    assert hardware.choose("auto", 100, threshold=50)[0] == ["cuda:0", "cuda:1"]
    assert hardware.available() == ["cpu", "cuda:0", "cuda:1"]
    cupy(fake_cupy(4))
    assert hardware.choose("cuda", 4, numbers="1,3")[0] == ["cuda:1", "cuda:3"]
    with pytest.raises(ValueError, match="GPUs 0 to 3"):
        hardware.choose("cuda", 4, numbers="1,4")


def fake_driver(version=12_040, started=0):
    """Make up NVIDIA's driver of a CUDA version, as ctypes has it; `cuInit` gives `started`."""

    def get_version(pointer):
        pointer._obj.value = version
        return 0

    return SimpleNamespace(cuInit=lambda flags: started, cuDriverGetVersion=get_version)


OUTDATED = fake_cupy(error=RuntimeError("driver version is insufficient\nmore"))
INSTALLING = f"the GPU needs CuPy, which `{install_command('cuda12')}` brings"


@pytest.mark.parametrize(
    ("module", "driver", "reason"),
    [
        (fake_cupy(0), fake_driver(), "CuPy sees no GPU"),
        (OUTDATED, fake_driver(), "is insufficient)"),
        (None, None, "there is no NVIDIA driver"),
        (None, fake_driver(started=100), "the NVIDIA driver finds no GPU"),
        (None, fake_driver(11_080), "the NVIDIA driver is too old for CUDA 12"),
        (None, fake_driver(12_040), INSTALLING), (None, fake_driver(13_000), INSTALLING),
    ],
)  # fmt: skip
def test_without_a_gpu_a_line_says_why_and_the_cpu_computes_if_it_may(
    cupy, monkeypatch, module, driver, reason
):
    absent = None if driver else OSError("no such file")
    monkeypatch.setattr(hardware.ctypes, "CDLL", mock.Mock(return_value=driver, side_effect=absent))
    cupy(module)
    names, why = hardware.choose("auto", 1000)
    assert names == ["cpu"] and why.startswith("device cpu: ") and "\n" not in why
    assert reason in why if module else why == f"device cpu: {reason}"
    with pytest.raises(ValueError, match=re.escape(why.replace("cpu", "cuda"))):
        hardware.choose("cuda", 1000)


def test_an_installed_cupy_that_does_not_load_is_named(cupy, monkeypatch, tmp_path):
    (tmp_path / "cupy.py").write_text("raise ImportError('libcublas.so.12: no such file')\n")
    monkeypatch.syspath_prepend(tmp_path)
    cupy(None)
    monkeypatch.delitem(sys.modules, "cupy")
    why = "CuPy does not load (libcublas.so.12: no such file)"
    assert hardware.choose("auto")[1] == f"device cpu: {why}"


def test_the_command_that_installs_an_extra_is_for_the_python_that_runs():
    program, *arguments = shlex.split(install_command("cuda12"))
    assert program == sys.executable
    assert arguments == ["-m", "pip", "install", "megabatt[cuda12]"]
    extras = set(metadata("megabatt").get_all("Provides-Extra"))
    assert {"cuda12", "plot"} <= extras
