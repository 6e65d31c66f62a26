"""Both forms timed in one run, on the same machine and program."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from runtime.engine.limits import MAX_ELEMENTS
from runtime.megabatch.monitor import Monitor
from runtime.megabatch.on_device import devices_processes
from runtime.megabatch.programs import Job
from runtime.megabatch.report import usage_figures
from runtime.megabatch.run import run_jobs
from runtime.megabatch.sweep import gpus_of


def scalar_seconds(
    folder: str,
    jobs: list[Job],
    max_elements: int = MAX_ELEMENTS,
    progress: Callable[[int], None] = lambda samples: None,
) -> float:
    """Seconds that the scalar form takes for the jobs' samples, one by one in one process."""
    total = 0.0
    for job in jobs:
        program = job.program(folder)
        for sample in job.samples:
            began = time.perf_counter()
            program.sequential(*sample[:4], max_elements=max_elements)
            total += time.perf_counter() - began
            progress(1)
    return total


def bench(
    folder: str,
    jobs: list[Job],
    scalar_jobs: list[Job],
    workers: int,
    batch_size: int,
    max_elements: int = MAX_ELEMENTS,
    progress: Callable[[int], None] = lambda samples: None,
    compiled: Callable[[str], None] = lambda kernel: None,
    devices: Sequence[str] = ("cpu",),
) -> dict[str, Any]:
    """The figures of a run of both forms: the vectorized on `jobs`, the scalar on `scalar_jobs`.

    Seconds a sample are wall-clock: of the vectorized form over all workers, kernels compiled
    (a first batch is run before the clock starts), of the scalar form in one process. The use of
    the machine is that of the vectorized form's run.
    """
    samples = sum(len(job.samples) for job in jobs)
    timed = sum(len(job.samples) for job in scalar_jobs)
    warm = warmed_up(jobs, max(workers, len(devices)))
    with devices_processes(devices) as processes:
        run = partial(run_jobs, folder, devices=devices, processes=processes)
        run(warm, workers, max_elements, compiled=compiled)
        with Monitor(gpus_of(list(devices))) as monitor:
            outcome = run(jobs, workers, max_elements, progress=progress)
    scalar = scalar_seconds(folder, scalar_jobs, max_elements, progress) / max(timed, 1)
    vectorized = outcome.wall_seconds / max(samples, 1)
    operations = sum(job.program(folder).operations for job in _programs(jobs))
    return {
        "samples": samples,
        "scalar_samples": timed,
        "solvers": len({name for batch in outcome.batches for name in batch.matches}),
        "operations": operations,
        "scalar_s_per_sample": round(scalar, 6),
        "vectorized_s_per_sample": round(vectorized, 6),
        "speedup": round(scalar / vectorized, 2),
        "host_share": round(outcome.host_share, 5),
        "failed_share": round(outcome.failed_share, 5),
        "peak_rss_mb": round(outcome.peak_rss_mb),
        "batch_size": batch_size,
        "workers": outcome.workers,
        "device": ", ".join(devices),
        "transfers": outcome.transfers,
        **usage_figures(monitor.summary()),
    }


def warmed_up(jobs: list[Job], workers: int) -> list[Job]:
    """A few samples of every program for each worker, so that what compiles has compiled."""
    few = [job for job in _programs(jobs) for _ in range(workers)]
    return [Job(number, job.solver, job.samples[:64]) for number, job in enumerate(few)]


def _programs(jobs: list[Job]) -> list[Job]:
    """A job for each program in use."""
    return list({job.solver: job for job in jobs}.values())
