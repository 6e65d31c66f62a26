"""The main job: every batch through the vectorized form, and the results merged by task."""

from __future__ import annotations

import json
import os
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from joblib import Parallel, delayed

from runtime.engine.kernels import on_compiled
from runtime.engine.limits import MAX_ELEMENTS
from runtime.megabatch.batches import BatchOutcome, run_batch
from runtime.megabatch.compiling import compile_kernels
from runtime.megabatch.memory import peak_rss_mb
from runtime.megabatch.on_device import Processes, run_on_devices
from runtime.megabatch.programs import Job
from runtime.megabatch.results import clear_results
from runtime.megabatch.samples import Sample


@dataclass
class Outcome:
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


def run_jobs(
    folder: str,
    jobs: list[Job],
    workers: int = 1,
    max_elements: int = MAX_ELEMENTS,
    out: Path | None = None,
    progress: Callable[[int], None] = lambda samples: None,
    compiled: Callable[[str], None] = lambda kernel: None,
    devices: Sequence[str] = ("cpu",),
    processes: Processes | None = None,
) -> Outcome:
    """Run every job, on the CPU over `workers` processes where that is worth it.

    out: a folder for a Parquet file a batch. progress: called with the number of samples done;
    compiled: with the name of each kernel that had to be compiled. devices: by their names; what
    a GPU cannot do the CPU does. processes: as of `run_on_devices`.
    """
    began = time.perf_counter()
    if out is not None:
        clear_results(out)
    outcome = Outcome()
    on_cpu = list(devices) == ["cpu"]
    writers = workers
    if not on_cpu or _seconds_expected(folder, jobs) < _WORTH_PROCESSES:
        workers = 1
    outcome.workers = workers
    if workers > 1:
        compile_kernels(folder, jobs, compiled)
    with on_compiled(compiled):
        if on_cpu:
            calls = [(folder, job, max_elements, out) for job in jobs]
            done = in_processes(run_batch, calls, workers)
        else:
            done = run_on_devices(
                folder, jobs, list(devices), max_elements, out, writers, processes
            )
        for batch in done:
            outcome.batches.append(batch)
            progress(len(batch.job.samples))
    outcome.batches.sort(key=lambda batch: batch.job.number)
    outcome.wall_seconds = time.perf_counter() - began
    return outcome


_WORTH_PROCESSES = 3.0
"""Seconds of work below which starting processes takes longer than they save."""


def _seconds_expected(folder: str, jobs: list[Job]) -> float:
    """Roughly, from an operation's fixed cost and its cost a lane."""
    return sum(job.program(folder).operations * (100e-6 + 2e-6 * len(job.samples)) for job in jobs)


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


@dataclass
class TaskOutcome:
    """How a task came out.

    fits: the solvers right on all demonstration pairs; right: those of them that are right on
    all test pairs too; tests, tests_right: test pairs, and how many some fitting solver gets right.
    """

    task_id: str
    split: str
    fits: list[str]
    right: list[str]
    tests: int
    tests_right: int


def outcome_by_task(batches: Iterable[BatchOutcome]) -> list[TaskOutcome]:
    """The batches' matches, merged back by task."""
    members: dict[str, list[tuple[Sample, BatchOutcome, int]]] = defaultdict(list)
    for batch in batches:
        for lane, sample in enumerate(batch.job.samples):
            members[sample.task_id].append((sample, batch, lane))
    return [_task_outcome(task_id, lanes) for task_id, lanes in members.items()]


def _task_outcome(task_id: str, lanes: list[tuple[Sample, BatchOutcome, int]]) -> TaskOutcome:
    solvers = list(lanes[0][1].matches)
    right = np.array([[batch.matches[name][lane] for name in solvers] for _, batch, lane in lanes])
    is_test = np.array([sample.is_test for sample, _, _ in lanes], dtype=np.bool_)
    fits = right[~is_test].all(axis=0) & (not is_test.all())
    solves = fits & right[is_test].all(axis=0)
    names = np.array(solvers)
    return TaskOutcome(
        task_id,
        lanes[0][0].split,
        names[fits].tolist(),
        names[solves].tolist(),
        int(is_test.sum()),
        int(right[is_test][:, fits].any(axis=1).sum()),
    )


def write_summary(path: Path, summary: dict[str, Any]) -> None:
    """Write `summary` as JSON, whole or not at all."""
    temporary = path.with_name(f".{path.name}.tmp")
    temporary.write_text(json.dumps(summary, indent=2) + "\n", encoding="utf-8")
    os.replace(temporary, path)
