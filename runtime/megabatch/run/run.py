"""The main job: every batch through the vectorized form, on the CPU or on devices."""

from __future__ import annotations

import json
import os
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from joblib import Parallel, delayed

from megabatt.runtime.engine.device.kernels import on_compiled
from megabatt.runtime.megabatch.batches import Batch, Settings
from megabatt.runtime.megabatch.run.compiling import compile_kernels
from megabatt.runtime.megabatch.run.compute import BatchOutcome, run_batch
from megabatt.runtime.megabatch.run.memory import peak_rss_mb
from megabatt.runtime.megabatch.run.on_devices import Processes, run_on_devices
from megabatt.runtime.megabatch.run.results import clear_results


@dataclass
class RunOutcome:
    """A whole run's outcome."""

    batches: list[BatchOutcome] = field(default_factory=list)
    wall_seconds: float = 0.0
    workers: int = 1

    @property
    def operation_lanes(self) -> int:
        return sum(batch.operation_lanes for batch in self.batches)

    @property
    def failed_share(self) -> float:
        return sum(batch.failed_lanes for batch in self.batches) / max(self.operation_lanes, 1)

    @property
    def host_share(self) -> float:
        return sum(batch.host_lanes for batch in self.batches) / max(self.operation_lanes, 1)

    @property
    def peak_rss_mb(self) -> float:
        """The peaks of all processes added up."""
        peaks: dict[int, float] = {os.getpid(): peak_rss_mb()}
        for batch in self.batches:
            for process, peak in batch.peak_rss_mb.items():
                peaks[process] = max(peak, peaks.get(process, 0.0))
        return sum(peaks.values())

    @property
    def not_computed(self) -> list[str]:
        """The samples of which nothing is known, and why; a line each."""
        return [
            f"{of_batch.samples[lane].key}: {why}"
            for of_batch in self.batches
            for lane, why in sorted(of_batch.not_computed.items())
        ]

    @property
    def transfers(self) -> int:
        """How often anything went from the host to a device or back."""
        return sum(batch.transfers for batch in self.batches)

    @property
    def seconds(self) -> dict[str, float]:
        """Seconds by stage, over all processes."""
        total: dict[str, float] = defaultdict(float)
        for batch in self.batches:
            for stage, seconds in batch.seconds.items():
                total[stage] += seconds
        return dict(total)


def run_batches(
    settings: Settings,
    batches: list[Batch],
    progress: Callable[[int], None] = lambda samples: None,
    compiled: Callable[[str], None] = lambda kernel: None,
    processes: Processes | None = None,
) -> RunOutcome:
    """Run every batch, on the CPU over several workers where that is worth it.

    progress: called with the number of samples done; compiled: with the name of each kernel that
    had to be compiled. What a GPU cannot do the CPU does. processes: as of `run_on_devices`.
    """
    began = time.perf_counter()
    if settings.out is not None:
        clear_results(settings.out)
    on_cpu = settings.devices == ("cpu",)
    outcome = RunOutcome()
    if on_cpu and _seconds_expected(settings, batches) >= _WORTH_PROCESSES:
        outcome.workers = settings.workers
    if outcome.workers > 1:
        compile_kernels(settings, batches, compiled)
    with on_compiled(compiled):
        if on_cpu:
            calls = [(settings, batch) for batch in batches]
            done = in_processes(run_batch, calls, outcome.workers)
        else:
            done = run_on_devices(settings, batches, processes)
        for of_batch in done:
            outcome.batches.append(of_batch)
            progress(len(of_batch.samples))
    outcome.batches.sort(key=lambda of_batch: of_batch.batch.number)
    outcome.wall_seconds = time.perf_counter() - began
    return outcome


_WORTH_PROCESSES = 3.0
"""Seconds of work below which starting processes takes longer than they save."""


def _seconds_expected(settings: Settings, batches: list[Batch]) -> float:
    """Roughly, from an operation's fixed cost and its cost a lane."""
    return sum(
        settings.forms(batch).operations * (100e-6 + 2e-6 * len(batch.samples)) for batch in batches
    )


def in_processes(
    function: Callable[..., Any], calls: list[tuple[Any, ...]], workers: int
) -> Iterator[Any]:
    """The results of `function` for each tuple of arguments, as they are ready."""
    workers = min(workers, len(calls))
    if workers < 2:
        yield from (function(*call) for call in calls)
        return
    parallel = Parallel(
        n_jobs=workers, return_as="generator_unordered", batch_size="auto", mmap_mode=None
    )
    yield from parallel(delayed(function)(*call) for call in calls)


def write_summary(path: Path, summary: dict[str, Any]) -> None:
    """Write `summary` as JSON, whole or not at all."""
    temporary = path.with_name(f".{path.name}.tmp")
    temporary.write_text(json.dumps(summary, indent=2) + "\n", encoding="utf-8")
    os.replace(temporary, path)
