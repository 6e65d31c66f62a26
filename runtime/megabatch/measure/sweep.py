"""Finds the fastest batch size on this machine: times each size on each device.

Each device is measured in a process of its own. Memory counts from a fresh start, and a batch that
is too large for the machine ends only that process.
"""

from __future__ import annotations

import csv
import json
import multiprocessing
import os
import platform
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import psutil

from megabatt.runtime.megabatch.batches import Batch, Settings, batches_of
from megabatt.runtime.megabatch.data import Data
from megabatt.runtime.megabatch.run.compiling import compile_kernels
from megabatt.runtime.megabatch.run.memory import free_bytes
from megabatt.runtime.megabatch.run.monitor import Gpus, Monitor, Usage, gpus_of
from megabatt.runtime.megabatch.run.run import RunOutcome, run_batches
from megabatt.runtime.megabatch.samples import augmented, by_group, spread_evenly
from megabatt.runtime.vocabulary import counted

SIZES = tuple(2**k for k in range(6, 17))

_AS_GOOD = 1.03
"""A size is as good as the best if its time a lane is at most this multiple of the best."""


@dataclass(frozen=True)
class Measured:
    """The figures of one batch size on one device.

    seconds: The seconds of the timed run. peak_rss_mb: The peak memory of the process, which ran
    the smaller sizes before. vram_peak_mb, gpu_percent_mean, transfers: For a GPU only; the last is
    the number of transfers between the host and the device.
    """

    device: str
    batch_size: int
    lanes: int
    seconds: float
    peak_rss_mb: float
    vram_peak_mb: float | None = None
    gpu_percent_mean: float | None = None
    transfers: int | None = None
    stages: str = ""
    """The seconds of each stage."""

    @property
    def samples_per_second(self) -> float:
        return self.lanes / self.seconds

    @property
    def ms_per_lane(self) -> float:
        return 1e3 * self.seconds / self.lanes


class LeftOut(Exception):
    """Raised for a size that gets no figures; the message gives the reason."""


@dataclass(frozen=True)
class Load:
    """The work to time at each size: a folder's programs on samples and variants of samples."""

    settings: Settings
    data: Data[Any]

    @property
    def whole(self) -> list[Batch]:
        """The samples themselves, without variants, in one batch for each program."""
        return batches_of(self.settings, self.data, len(self.data.samples))

    def batches(self, size: int) -> list[Batch]:
        """Make a batch of `size` lanes; for solvers on their own groups, one for each group."""
        workload, samples = self.settings.workload, self.data.samples
        if self.data.solver_for is None:
            lanes = augmented(workload, spread_evenly(samples, size, seed=0), size)
        else:
            groups = by_group(sample for batch in self.whole for sample in batch.samples)
            lanes = [lane for group in groups.values() for lane in augmented(workload, group, size)]
        return batches_of(self.settings, replace(self.data, samples=lanes), size)


def sweep(
    load: Load,
    sizes: list[int],
    patience: float,
    done: Callable[[Measured], None] = lambda measured: None,
    left_out: Callable[[str], None] = lambda line: None,
    compiled: Callable[[str], None] = lambda kernel: None,
) -> list[Measured]:
    """Time each size on each device of the settings, in ascending order of sizes.

    patience: The most expected seconds of a size; a size that takes three times as long is stopped.
    done: Called with a size's figures. left_out: Called with the reason why a size and all larger
    sizes get no figures. compiled: As for `run_batches`.
    """
    sizes = sorted(set(sizes))
    if "cpu" in load.settings.devices:
        compile_kernels(load.settings, load.whole, compiled)
    found: list[Measured] = []
    for device in load.settings.devices:
        size = sizes[0]
        smaller: list[Measured] = []
        with _process() as call:
            try:
                call(load, device, size)  # to warm up
                for size in sizes:
                    _worth_trying(smaller, size, patience)
                    smaller.append(call(load, device, size, limit=3 * patience))
                    done(smaller[-1])
            except LeftOut as reason:
                rest = " and larger" if size < sizes[-1] else ""
                left_out(f"{device}, batch size {size}{rest}: left out, {reason}")
        found += smaller
    return found


def measure(load: Load, device: str, size: int) -> Measured:
    """Time one run. Raises LeftOut if a batch was not computed as planned."""
    try:
        batches = load.batches(size)
    except ValueError as error:
        raise LeftOut(str(error)) from error
    workers = min(load.settings.workers, len(batches))
    settings = replace(load.settings, devices=(device,), workers=workers)
    outcome, usage = _timed(settings, batches)
    for batch in outcome.batches:
        why = batch.rescued or next(iter(batch.not_computed.values()), "")
        if why:
            full = "Memory" in why.partition(":")[0]
            reason = "it does not fit in memory" if full else "its batch failed"
            raise LeftOut(f"{reason} ({why})")
    return Measured(
        device,
        size,
        sum(len(batch.samples) for batch in batches),
        outcome.wall_seconds,
        outcome.peak_rss_mb,
        usage.vram_peak_mb,
        usage.gpu_percent_mean,
        None if device == "cpu" else outcome.transfers,
        ", ".join(f"{stage} {seconds:.2f}" for stage, seconds in outcome.seconds.items()),
    )


def _timed(settings: Settings, batches: list[Batch]) -> tuple[RunOutcome, Usage]:
    """Time a run, or a second run if the first run compiled kernels."""
    for _ in range(2):
        compiled: list[str] = []
        with Monitor(gpus_of(settings.devices)) as monitor:
            outcome = run_batches(settings, batches, compiled=compiled.append)
        if not compiled:
            break
    return outcome, monitor.summary()


@contextmanager
def _process() -> Iterator[Callable[..., Measured]]:
    """Yield `measure` in a fresh process; end the process at the exit, even during a run."""
    # Not joblib, which replaces a process that holds much memory.
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe()
    process = context.Process(target=_serve, args=(there,))
    process.start()
    there.close()

    def call(*args: Any, limit: float | None = None) -> Measured:
        try:
            here.send(args)
            if not here.poll(limit):
                raise LeftOut(f"it was not done after {limit:.0f} s")
            answer = here.recv()
        except (EOFError, OSError):
            raise LeftOut("its process was ended from outside, most likely out of memory") from None
        if isinstance(answer, str):
            raise LeftOut(answer)
        return answer

    try:
        yield call
    finally:
        here.close()
        _end(process.pid)
        process.join()


def _serve(pipe: Any) -> None:
    """Answer each call with its figures, or with the reason why the call has no figures."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the sweep's own process ends this one
    while True:
        try:
            args = pipe.recv()
        except EOFError:
            return
        try:
            pipe.send(measure(*args))
        except LeftOut as reason:
            pipe.send(str(reason))
        except Exception as error:
            pipe.send(f"{type(error).__name__}: {error}")


def _end(pid: int | None) -> None:
    """End a process and the workers that it started."""
    try:
        process = psutil.Process(pid)
        members = [*process.children(recursive=True), process]
    except psutil.NoSuchProcess:
        return
    for member in members:
        with suppress(psutil.NoSuchProcess):
            member.kill()


def _worth_trying(smaller: list[Measured], size: int, patience: float) -> None:
    """Raise LeftOut if the smaller sizes predict too much time or memory for `size`."""
    if not smaller:
        return
    last = smaller[-1]
    seconds = last.seconds * size / last.batch_size
    if seconds > patience:
        raise LeftOut(f"it would take about {seconds:.0f} s (--patience {patience:g})")
    if len(smaller) > 1:
        needed = _memory_expected(smaller[-2], last, size)
        free = free_bytes() / 2**20 + last.peak_rss_mb
        if needed > free:
            raise LeftOut(
                "it does not fit in memory: it would take about "
                f"{needed / 1024:.1f} GB, {free / 1024:.1f} GB are free"
            )


def _memory_expected(before: Measured, last: Measured, size: int) -> float:
    """Return the expected memory in MB, extrapolated on the line through the last two sizes."""
    a_lane = (last.peak_rss_mb - before.peak_rss_mb) / (last.batch_size - before.batch_size)
    return last.peak_rss_mb + a_lane * (size - last.batch_size)


def best_sizes(found: list[Measured]) -> dict[str, int]:
    """Return each device's smallest size whose time a lane is within 3 % of the best."""
    best = {}
    for device in dict.fromkeys(measured.device for measured in found):
        mine = [measured for measured in found if measured.device == device]
        least = min(measured.ms_per_lane for measured in mine)
        best[device] = min(m.batch_size for m in mine if m.ms_per_lane <= _AS_GOOD * least)
    return best


COLUMNS: dict[str, tuple[str, str]] = {
    "device": ("device", ""),
    "batch_size": ("batch size", ""),
    "samples_per_second": ("samples/s", ".1f"),
    "ms_per_lane": ("ms a lane", ".3f"),
    "seconds": ("s", ".2f"),
    "peak_rss_mb": ("peak memory, MB", ".0f"),
    "vram_peak_mb": ("peak GPU memory, MB", ".0f"),
    "gpu_percent_mean": ("GPU use, %", ".0f"),
    "transfers": ("transfers", ""),
    "stages": ("s by stage", ""),
}
"""The columns of the table and the CSV file: name -> (heading, format)."""


def columns_in_use(found: list[Measured]) -> list[str]:
    """Return the names of the columns in which any size has a figure."""
    return [name for name in COLUMNS if any(getattr(m, name) is not None for m in found)]


def cells(measured: Measured, columns: list[str]) -> list[str]:
    """Return a row as texts; "" for a missing figure."""
    values = [getattr(measured, name) for name in columns]
    return [
        "" if value is None else format(value, COLUMNS[name][1])
        for name, value in zip(columns, values, strict=True)
    ]


def write_csv(path: Path, found: list[Measured]) -> None:
    columns = columns_in_use(found)
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows(cells(measured, columns) for measured in found)


def plot(path: Path, found: list[Measured]) -> None:
    """Plot throughput and memory by batch size. Raises ImportError without matplotlib."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10, 4), layout="constrained")
    speed, memory = figure.subplots(1, 2)
    best = best_sizes(found)
    for device in best:
        mine = [measured for measured in found if measured.device == device]
        sizes = [m.batch_size for m in mine]
        speed.plot(
            sizes, [m.samples_per_second for m in mine], "o-", label=device,
            markevery=[sizes.index(best[device])],
        )  # fmt: skip
        memory.plot(sizes, [m.peak_rss_mb for m in mine], ".-", label=f"{device}, RAM")
        if any(m.vram_peak_mb for m in mine):
            memory.plot(sizes, [m.vram_peak_mb for m in mine], ".--", label=f"{device}, GPU memory")
    speed.set(ylabel="samples/s", title="Throughput; dot: the best batch size", ylim=(0, None))
    memory.set(ylabel="MB", title="Peak memory", ylim=(0, None))
    for axes in (speed, memory):
        axes.set_xscale("log", base=2)
        axes.set(xlabel="batch size, samples")
        axes.grid(alpha=0.3)
        axes.legend()
    figure.savefig(path, dpi=150)


def _machine(workload: str, device: str) -> str:
    """Return the key of a kept size: workload, device and model, not the machine's name."""
    numbers = gpus_of([device])
    if numbers:
        model = ", ".join(Gpus(numbers).names()) or "unknown GPU"
        return f"{workload} | cuda:{numbers[0]} | {model}"
    return f"{workload} | cpu | {_cpu_model()}, {counted(os.cpu_count() or 1, 'core')}"


def _cpu_model() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass  # not Linux
    return platform.processor() or platform.machine()


def _kept() -> Path:
    cache = os.environ.get("XDG_CACHE_HOME")
    return (Path(cache) if cache else Path.home() / ".cache") / "megabatt" / "batch_size.json"


def _kept_sizes() -> dict[str, Any]:
    """Read the sizes that earlier sweeps kept; {} for a missing or broken file."""
    try:
        sizes = json.loads(_kept().read_text(encoding="utf-8"))
    except (OSError, ValueError, RuntimeError):  # RuntimeError: nested too deeply, or no home
        return {}
    return sizes if isinstance(sizes, dict) else {}


def kept_size(workload: str, device: str) -> int | None:
    """Return the best size in the last sweep of a workload and device on this machine, or None."""
    size = _kept_sizes().get(_machine(workload, device))
    return size if type(size) is int and size > 0 else None


def keep_sizes(workload: str, best: dict[str, int]) -> Path:
    """Keep the best size of each device for later runs. Raises OSError."""
    sizes = _kept_sizes() | {_machine(workload, device): size for device, size in best.items()}
    path = _kept()
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    temporary.write_text(json.dumps(sizes, indent=2) + "\n", encoding="utf-8")
    os.replace(temporary, path)
    return path
