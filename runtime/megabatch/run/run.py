"""Runs every batch in the vectorized form, on the CPU or on devices."""

from __future__ import annotations

import os
import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field

from megabatt.runtime.engine.device.compiling import on_compiled
from megabatt.runtime.megabatch.batches import Batch, Settings
from megabatt.runtime.megabatch.run.clusters import ClusterEngine
from megabatt.runtime.megabatch.run.compiling import compile_kernels
from megabatt.runtime.megabatch.run.compute import BatchOutcome, added_up
from megabatt.runtime.megabatch.run.cpu import in_threads, on_cluster, on_cpus
from megabatt.runtime.megabatch.run.memory import peak_rss_mb
from megabatt.runtime.megabatch.run.on_devices import Processes, run_on_devices
from megabatt.runtime.megabatch.run.parts import whole_batches
from megabatt.runtime.megabatch.run.results import settle
from megabatt.runtime.megabatch.run.stopping import Stop


@dataclass
class RunOutcome:
    """The outcome of a whole run."""

    batches: list[BatchOutcome] = field(default_factory=list)
    wall_seconds: float = 0.0
    workers: int = 1

    @property
    def operation_lanes(self) -> int:
        return sum(batch.operation_lanes for batch in self.batches)

    @property
    def failed_lanes(self) -> dict[str, int]:
        """The numbers of failed operation-lanes by reason."""
        return added_up(batch.failed_lanes for batch in self.batches)

    @property
    def failed_share(self) -> float:
        return sum(self.failed_lanes.values()) / max(self.operation_lanes, 1)

    @property
    def host_share(self) -> float:
        return sum(batch.host_lanes for batch in self.batches) / max(self.operation_lanes, 1)

    @property
    def peak_rss_mb(self) -> float:
        """The sum of all processes' peaks."""
        peaks: dict[int, float] = {os.getpid(): peak_rss_mb()}
        for batch in self.batches:
            for process, peak in batch.peak_rss_mb.items():
                peaks[process] = max(peak, peaks.get(process, 0.0))
        return sum(peaks.values())

    @property
    def not_computed(self) -> list[str]:
        """A line on each sample that was not computed: its key and the reason."""
        return [
            f"{of_batch.samples[lane].key}: {why}"
            for of_batch in self.batches
            for lane, why in sorted(of_batch.not_computed.items())
        ]

    @property
    def transfers(self) -> int:
        """The number of transfers between the host and devices."""
        return sum(batch.transfers for batch in self.batches)

    @property
    def seconds(self) -> dict[str, float]:
        """The seconds by stage, summed over all processes."""
        total: dict[str, float] = defaultdict(float)
        for batch in self.batches:
            for stage, seconds in batch.seconds.items():
                total[stage] += seconds
        return dict(total)

    @property
    def most_seconds(self) -> dict[str, float]:
        """The most seconds of a batch, by stage."""
        most: dict[str, float] = defaultdict(float)
        for batch in self.batches:
            for stage, seconds in batch.seconds.items():
                most[stage] = max(most[stage], seconds)
        return dict(most)


def run_batches(
    settings: Settings,
    batches: list[Batch],
    progress: Callable[[BatchOutcome], None] = lambda batch: None,
    compiled: Callable[[str], None] = lambda kernel: None,
    processes: Processes | None = None,
    stop: Stop | None = None,
    outcome: RunOutcome | None = None,
    cluster: ClusterEngine | None = None,
) -> RunOutcome:
    """Run every batch, on the CPU with several workers if that pays.

    The CPU computes batches that a GPU cannot. progress: Called with each finished batch. compiled:
    Called with the name of each compiled kernel. stop: No batch begins after a request to stop.
    outcome: Gets the finished batches. processes: As for `run_on_devices`. cluster: Computes the
    batches in place of this machine.
    """
    began = time.perf_counter()
    outcome = outcome or RunOutcome()
    if settings.out is not None:
        settings.out.make()
    on_cpu = settings.devices == ("cpu",)
    if cluster is not None:
        outcome.workers = cluster.processes()
    elif on_cpu and in_threads(settings, batches):
        outcome.workers = settings.workers
    elif on_cpu and _seconds_expected(settings, batches) >= _WORTH_PROCESSES:
        outcome.workers = min(settings.workers, len(batches))
    if outcome.workers > 1 and cluster is None:
        compile_kernels(settings, batches, compiled)
    stop = stop or Stop()
    stop.between_batches = True
    with on_compiled(compiled):
        if cluster is not None:
            done = on_cluster(settings, batches, cluster, stop)
        elif on_cpu:
            done = on_cpus(settings, batches, outcome.workers, stop)
        else:
            done = run_on_devices(settings, batches, processes, stop)
        for of_batch in whole_batches(settings, batches, done):
            settle_pieces(settings, of_batch)
            outcome.batches.append(of_batch)
            progress(of_batch)
    outcome.batches.sort(key=lambda of_batch: of_batch.batch.number)
    outcome.wall_seconds = time.perf_counter() - began
    return outcome


def settle_pieces(settings: Settings, done: BatchOutcome) -> None:
    """Remove outputs that a batch's pieces kept, but that the whole batch drops. Raises OSError."""
    if done.in_pieces:
        settle(settings, done.batch, done.matches, done.not_computed)


_WORTH_PROCESSES = 3.0
"""The least expected seconds of work for which worker processes pay."""


def _seconds_expected(settings: Settings, batches: list[Batch]) -> float:
    """Estimate the seconds of batches from an operation's fixed cost and cost per lane."""
    return sum(
        settings.forms(batch).operations * (100e-6 + 2e-6 * len(batch.samples)) for batch in batches
    )
