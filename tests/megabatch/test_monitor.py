"""The monitor's means, peaks, line and advice, from readings recorded and made up."""

import sys
from types import SimpleNamespace

import pytest

from megabatt.runtime.megabatch.run.monitor import (
    Gpus,
    MachineSampler,
    MachineUse,
    Monitor,
    Usage,
    advice,
)
from megabatt.runtime.megabatch.run.report import usage_figures

CPU = MachineUse(1.0, 180, 3174)
GPU = MachineUse(1.0, 180, 3174, 62, 10_445, 81_559)


def watched(*readings):
    """Return a monitor that has taken the readings. The sampler raises an exception among them."""
    left = iter(readings)

    def sampler():
        reading = next(left)
        if isinstance(reading, Exception):
            raise reading
        return reading

    monitor = Monitor(sampler=sampler)
    for _ in readings:
        monitor.sample()
    return monitor


def test_means_are_weighted_by_time_and_peaks_are_the_largest():
    """The power is a mean over the time for which the driver told it."""
    some = [MachineUse(1.0, 100, 500, 20, 1000, 8000, 100),
            MachineUse(3.0, 200, 300, 60, 4000, 8000, 300),
            MachineUse(4.0, 25, 1, 10, 1, 8000)]  # fmt: skip
    assert watched(*some).summary() == Usage(8.0, 3, 100.0, 500, 30.0, 4000, 8000, 250)
    assert "GPU 60 %, 300 W" in watched(*some[:2]).line()


def test_the_line_has_the_last_reading_and_without_a_gpu_its_part_is_absent():
    assert watched().line() == ""
    assert watched(CPU, GPU).line() == "GPU 62 % | VRAM 10.2 of 80 GB | CPU 180 % | RAM 3.1 GB"
    monitor = watched(CPU, CPU)
    assert monitor.line() == "CPU 180 % | RAM 3.1 GB"
    assert monitor.summary() == Usage(2.0, 2, 180, 3174)
    assert set(usage_figures(monitor.summary())) == {"cpu_percent_mean", "ram_peak_mb"}


def test_a_sampler_that_raises_costs_its_reading_alone():
    monitor = watched(GPU, RuntimeError("driver gone"), CPU)
    assert monitor.summary() == Usage(2.0, 2, 180, 3174, 62, 10_445, 81_559)
    assert monitor.line() == "CPU 180 % | RAM 3.1 GB"
    assert watched(RuntimeError("none at all")).summary() == Usage(0.0, 0, 0.0, 0.0)


@pytest.fixture
def driver(monkeypatch):
    """Make up a pynvml with two GPUs, and no CuPy."""
    driver = SimpleNamespace(
        nvmlInit=lambda: None,
        nvmlDeviceGetCount=lambda: 2,
        nvmlDeviceGetHandleByIndex=int,
        nvmlDeviceGetName="model {}".format,
        nvmlDeviceGetUtilizationRates=lambda gpu: SimpleNamespace(gpu=[20, 60][gpu]),
        nvmlDeviceGetMemoryInfo=lambda gpu: SimpleNamespace(used=[1, 3][gpu] << 30, total=8 << 30),
        nvmlDeviceGetPowerUsage=[90_000, 250_500].__getitem__,
    )
    for name, module in {"cupy": None, "cupy.cuda": None, "pynvml": driver}.items():
        monkeypatch.setitem(sys.modules, name, module)
    return driver


def fails(*_):
    raise RuntimeError("driver gone")


def test_gpus_are_all_or_those_asked_for_also_where_the_driver_does_not_tell_their_power(driver):
    assert Gpus().read() == (40.0, 4096.0, 16384.0, 340.5)
    assert Gpus([1]).read() == (60.0, 3072.0, 8192.0, 250.5)
    assert Gpus([1]).names() == ["model 1"]
    assert Gpus([]).read() == () and Gpus([]).names() == []
    driver.nvmlDeviceGetPowerUsage = fails
    assert Gpus([1]).read() == (60.0, 3072.0, 8192.0, None)


def test_a_driver_that_goes_leaves_the_rest_of_the_reading(driver):
    sampler = MachineSampler()
    assert sampler().gpu_percent == 40
    driver.nvmlDeviceGetUtilizationRates = fails
    for reading in (sampler(), MachineSampler(gpus=[])()):
        assert reading.gpu_percent is None
        assert reading.seconds > 0 and reading.cpu_percent >= 0 and reading.ram_mb > 10


def test_without_a_driver_or_its_package_there_is_no_gpu(driver, monkeypatch):
    driver.nvmlInit = fails
    assert Gpus().read() == ()
    monkeypatch.setitem(sys.modules, "pynvml", None)
    assert Gpus().read() == ()


def used(gpu_percent, cpu_percent=50.0, vram_share=0.5):
    return Usage(60.0, 120, cpu_percent, 3000, gpu_percent, vram_share * 80_000, 80_000)


COMPUTING = {"encode": 0.5, "compute": 50.0, "compare": 1.0, "write": 0.0}


TWO = {"devices": 2, "workers": 2}


@pytest.mark.parametrize(
    ("usage", "batches", "seconds", "messages", "options"),
    [
        (used(30.0, cpu_percent=100), 1, COMPUTING, [], {}),
        (used(12.0, vram_share=0.08), 20, COMPUTING,
         ["batches of 1000 fill 8% of the GPU's memory: try --batch-size 8000"], {}),
        (used(12.0), 1, COMPUTING,
         ["only one batch: try more samples or more programs at once"], {}),
        (used(12.0), 9, {"encode": 4.0, "send": 7.0, "compute": 5.0, "wait": 45.0},
         ["preparing input took 11.0 s beside 50.0 s of computing"], {}),
        (used(12.0, cpu_percent=99), 9, COMPUTING,
         ["processes for each GPU: --devices 0,0,0,0"], {}),
        (used(12.0), 9, COMPUTING, ["computing is 97% of the time"], {}),
        # batches are counted by device, and cores by worker
        (used(12.0, cpu_percent=190), 2, COMPUTING, ["", "190 % over 2 processes"], TWO),
    ],
)  # fmt: skip
def test_advice_says_what_was_measured_and_what_to_try(usage, batches, seconds, messages, options):
    lines = advice(usage, 1000, batches, seconds, **options)
    for line, message in zip(lines, messages, strict=True):
        assert line.startswith("GPU use 12 % on average: ") and message in line
