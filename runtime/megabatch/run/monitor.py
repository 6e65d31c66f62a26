"""Samples the machine's use during a run, in a thread: GPU, GPU memory, CPU and RAM.

Without a GPU, its driver or the package nvidia-ml-py, readings silently lack the GPU's part.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import psutil

_MB = 1 << 20
_LOW_GPU_PERCENT = 30.0
"""The mean GPU use below which `advice` gives advice."""


@dataclass(frozen=True)
class MachineUse:
    """The machine's use over the last `seconds`.

    cpu_percent: The CPU use of this process and its children; 100 is one core. ram_mb: The memory
    of these processes. gpu_percent: The share of time in which a GPU computed, as the mean of the
    GPUs. vram_mb, vram_total_mb: The GPUs' memory, in use by any process and in all. gpu_watts: The
    power of all GPUs; None if a driver does not tell.
    """

    seconds: float
    cpu_percent: float
    ram_mb: float
    gpu_percent: float | None = None
    vram_mb: float = 0.0
    vram_total_mb: float = 0.0
    gpu_watts: float | None = None


@dataclass(frozen=True)
class Usage:
    """Means and peaks of a run's readings, in MachineUse's units; None for a GPU not read."""

    seconds: float
    samples: int
    cpu_percent_mean: float
    ram_peak_mb: float
    gpu_percent_mean: float | None = None
    vram_peak_mb: float | None = None
    vram_total_mb: float | None = None
    gpu_watts_mean: float | None = None


class _Mean:
    """A mean weighted by time."""

    def __init__(self) -> None:
        self.total = self.seconds = 0.0

    def add(self, value: float, seconds: float) -> None:
        self.total += value * seconds
        self.seconds += seconds

    @property
    def value(self) -> float:
        return self.total / self.seconds if self.seconds else 0.0


class Monitor:
    """Samples the machine's use while entered.

    gpus: CUDA's numbers of the devices to watch; by default all. sampler: Takes a reading, by
    default of this machine; an error of `sampler` only loses the reading. every: The seconds
    between two readings.
    """

    def __init__(
        self,
        gpus: list[int] | None = None,
        sampler: Callable[[], MachineUse] | None = None,
        every: float = 0.5,
    ) -> None:
        self.sampler = sampler if sampler is not None else MachineSampler(gpus)
        self.every = every
        self.last: MachineUse | None = None
        self._cpu, self._gpu, self._watts = _Mean(), _Mean(), _Mean()
        self._samples = 0
        self._ram_peak = self._vram_peak = self._vram_total = 0.0
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="monitor", daemon=True)

    def __enter__(self) -> Monitor:
        self._thread.start()
        return self

    def __exit__(self, *_: Any) -> None:
        self._stop.set()
        self._thread.join()
        self.sample()  # covers the time since the last reading; a short run's only reading

    def _watch(self) -> None:
        while not self._stop.wait(self.every):
            self.sample()

    def sample(self) -> None:
        """Take one reading."""
        try:
            reading = self.sampler()
        except Exception:
            return  # a failed reading must not end a run
        self._samples += 1
        self._cpu.add(reading.cpu_percent, reading.seconds)
        self._ram_peak = max(self._ram_peak, reading.ram_mb)
        if reading.gpu_percent is not None:
            self._gpu.add(reading.gpu_percent, reading.seconds)
            self._vram_peak = max(self._vram_peak, reading.vram_mb)
            self._vram_total = reading.vram_total_mb
        if reading.gpu_watts is not None:
            self._watts.add(reading.gpu_watts, reading.seconds)
        self.last = reading

    def line(self) -> str:
        """Return the last reading in a line; "" before the first reading."""
        return "" if self.last is None else _line(self.last)

    def summary(self) -> Usage:
        """Sum up the readings so far."""
        usage = (self._cpu.seconds, self._samples, self._cpu.value, self._ram_peak)
        if not self._gpu.seconds:
            return Usage(*usage)
        watts = self._watts.value if self._watts.seconds else None
        return Usage(*usage, self._gpu.value, self._vram_peak, self._vram_total, watts)


def _line(reading: MachineUse) -> str:
    parts = [f"CPU {reading.cpu_percent:.0f} %", f"RAM {reading.ram_mb / 1024:.1f} GB"]
    if reading.gpu_percent is not None:
        used, total = reading.vram_mb / 1024, reading.vram_total_mb / 1024
        watts = "" if reading.gpu_watts is None else f", {reading.gpu_watts:.0f} W"
        parts[:0] = [
            f"GPU {reading.gpu_percent:.0f} %{watts}",
            f"VRAM {used:.1f} of {total:.0f} GB",
        ]
    return " | ".join(parts)


class MachineSampler:
    """Readings of this machine: psutil's for the processes, NVML's for the GPUs."""

    def __init__(self, gpus: list[int] | None = None) -> None:
        self.gpus = Gpus(gpus)
        self.process = psutil.Process()
        self.at = time.perf_counter()
        self.cpu_seconds, _ = self._processes()

    def __call__(self) -> MachineUse:
        now = time.perf_counter()
        before, (self.cpu_seconds, ram_mb) = self.cpu_seconds, self._processes()
        # A new process has no seconds before.
        busy = sum(s - before.get(process, 0.0) for process, s in self.cpu_seconds.items())
        seconds, self.at = max(now - self.at, 1e-6), now
        return MachineUse(seconds, 100 * busy / seconds, ram_mb, *self.gpus.read())

    def _processes(self) -> tuple[dict[psutil.Process, float], float]:
        """Return the CPU seconds of this process and each child, and their memory in MB."""
        cpu_seconds, ram = {}, 0
        for process in [self.process, *self.process.children(recursive=True)]:
            try:
                with process.oneshot():
                    times = process.cpu_times()
                    ram += process.memory_info().rss
            except psutil.Error:
                continue  # it ended just now
            cpu_seconds[process] = times.user + times.system
        return cpu_seconds, ram / _MB


def gpus_of(devices: Sequence[str]) -> list[int]:
    """Return the numbers of the GPUs among device names such as cpu, cuda:0, cuda:1."""
    named = dict.fromkeys(devices)
    return [int(name.partition(":")[2]) for name in named if name.startswith("cuda:")]


class Gpus:
    """The NVIDIA GPUs that NVML sees; none without NVML, or after NVML has failed."""

    def __init__(self, numbers: list[int] | None = None) -> None:
        self.nvml: Any = None
        self.handles: list[Any] = []
        if numbers == []:
            return
        try:
            import pynvml

            pynvml.nvmlInit()
            self.nvml = pynvml
            if numbers is None:
                numbers = list(range(pynvml.nvmlDeviceGetCount()))
            self.handles = [_handle(pynvml, number) for number in numbers]
        except Exception:
            self.handles = []  # no package, no driver or no device

    def read(self) -> tuple[float, float, float, float | None] | tuple[()]:
        """Return percent of time computing, MB in use, MB in all, and watts; () without a GPU."""
        try:
            rates = [self.nvml.nvmlDeviceGetUtilizationRates(handle) for handle in self.handles]
            memory = [self.nvml.nvmlDeviceGetMemoryInfo(handle) for handle in self.handles]
        except Exception:
            self.handles = []  # the driver is gone, or cannot read this device
        if not self.handles:
            return ()
        percent = sum(float(rate.gpu) for rate in rates) / len(rates)
        used, total = sum(m.used for m in memory) / _MB, sum(m.total for m in memory) / _MB
        return percent, used, total, self._watts()

    def _watts(self) -> float | None:
        """Return the power of all GPUs in watts; None if a driver does not tell."""
        try:
            return sum(self.nvml.nvmlDeviceGetPowerUsage(handle) for handle in self.handles) / 1000
        except Exception:
            return None

    def names(self) -> list[str]:
        """List the names of the GPUs' models, such as NVIDIA H100 80GB HBM3."""
        try:
            return [str(self.nvml.nvmlDeviceGetName(handle)) for handle in self.handles]
        except Exception:
            return []


def _handle(nvml: Any, number: int) -> Any:
    """Return NVML's handle of a CUDA device. CUDA may reorder or hide devices."""
    try:
        from cupy.cuda import runtime

        return nvml.nvmlDeviceGetHandleByPciBusId(runtime.deviceGetPCIBusId(number))
    except Exception:
        return nvml.nvmlDeviceGetHandleByIndex(number)


_COMPUTING = ("compute", "wait")
_INPUT_STAGES = ("encode", "send")
_LARGE_SHARE = 0.2
"""A stage is a bottleneck if its seconds exceed this share of the computing seconds."""
_VRAM_TO_FILL = 0.75


def advice(
    usage: Usage,
    batch_size: int,
    batches: int,
    seconds: dict[str, float],
    devices: int = 1,
    workers: int = 1,
) -> list[str]:
    """Suggest remedies, a line each, if the GPU was used less than 30 % of the time.

    batch_size: The samples of a batch. seconds: The seconds by stage, as in a `RunOutcome`.
    devices: The number of processes with a device. workers: The number of processes. Returns no
    line without a GPU.
    """
    if usage.gpu_percent_mean is None or usage.gpu_percent_mean >= _LOW_GPU_PERCENT:
        return []
    lines = [
        *_on_batches(usage, batch_size, batches, devices),
        *_on_stages(seconds),
        *_on_dispatch(usage, workers),
    ] or _on_nothing(seconds)
    used = f"GPU use {usage.gpu_percent_mean:.0f} % on average"
    return [f"{used}: {line}" for line in lines]


def _on_batches(usage: Usage, batch_size: int, batches: int, devices: int) -> list[str]:
    if batches <= devices:
        one = "one batch" if batches == 1 else f"{batches} batches for {devices} processes"
        return [f"there was only {one}: try more samples or more programs at once"]
    share = (usage.vram_peak_mb or 0.0) / (usage.vram_total_mb or 1.0)
    larger = _larger_batch(batch_size, share, batch_size * -(-batches // devices))
    if larger == batch_size:
        return []
    return [
        f"batches of {batch_size} fill {share:.0%} of the GPU's memory: try --batch-size {larger}"
    ]


def _larger_batch(batch_size: int, share: float, samples: int) -> int:
    """Double the batch size as long as memory and the number of samples allow."""
    larger = batch_size
    while larger < samples and share * 2 <= _VRAM_TO_FILL:
        larger, share = 2 * larger, 2 * share
    return larger


def _on_stages(seconds: dict[str, float]) -> list[str]:
    compute = sum(seconds.get(stage, 0.0) for stage in _COMPUTING)
    waiting = sum(seconds.get(stage, 0.0) for stage in _INPUT_STAGES)
    lines = []
    if waiting > _LARGE_SHARE * compute:
        lines.append(
            f"preparing input took {waiting:.1f} s beside {compute:.1f} s of computing and is a "
            "limit: prefetch, so that the next batch is encoded while one computes"
        )
    for stage in seconds.keys() - {*_COMPUTING, *_INPUT_STAGES}:
        if seconds[stage] > _LARGE_SHARE * compute:
            lines.append(
                f"the stage '{stage}' took {seconds[stage]:.1f} s beside {compute:.1f} s of "
                "computing, while the GPU may wait"
            )
    return sorted(lines)


def _on_dispatch(usage: Usage, workers: int) -> list[str]:
    if not 80 <= usage.cpu_percent_mean / workers <= 130:
        return []
    each = "" if workers == 1 else f" over {workers} processes"
    return [
        f"the CPU was at {usage.cpu_percent_mean:.0f} %{each}: Python's dispatch between "
        "operations is the limit: try larger batches, which spread dispatch over more samples, or "
        "more processes for each GPU: --devices 0,0,0,0 gives the first GPU four"
    ]


def _on_nothing(seconds: dict[str, float]) -> list[str]:
    total = sum(seconds.values())
    computing = sum(seconds.get(stage, 0.0) for stage in _COMPUTING)
    share = computing / total if total else 0.0
    return [
        f"computing is {share:.0%} of the time, and neither memory, input nor dispatch stands "
        "out: `python -m benchmarks.profile` shows which operations take it"
    ]
