"""Times both forms in one run, on the same machine and program."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from megabatt.runtime.engine.language.limits import SHORTAGES
from megabatt.runtime.megabatch.batches import Batch, Settings, one_of_each_program
from megabatt.runtime.megabatch.run.compute import BatchOutcome
from megabatt.runtime.megabatch.run.monitor import Monitor, gpus_of
from megabatt.runtime.megabatch.run.on_devices import devices_processes
from megabatt.runtime.megabatch.run.report import stage_figures, usage_figures
from megabatt.runtime.megabatch.run.run import RunOutcome, run_batches


def scalar_seconds(
    settings: Settings,
    batches: list[Batch],
    progress: Callable[[int], None] = lambda samples: None,
) -> tuple[float, int]:
    """Time the scalar form on the batches' samples, one by one, in one process.

    Returns the seconds and the number of timed samples, without samples that lack memory.
    """
    total, timed = 0.0, 0
    for batch in batches:
        forms = settings.forms(batch)
        for sample in batch.samples:
            began = time.perf_counter()
            try:
                settings.scalar(forms, sample)
            except SHORTAGES:
                pass
            else:
                total += time.perf_counter() - began
                timed += 1
            progress(1)
    return total, timed


@dataclass(frozen=True)
class AtLanes:
    """The time of the vectorized form on a number of lanes.

    batch: The lanes of the largest batch. outcome: The outcome of the last run.
    """

    lanes: int
    batch: int
    outcome: RunOutcome
    seconds_a_sample: float


Draw = Callable[[int], list[Batch]]
"""Draws batches with some number of lanes, given the number of the draw."""

_AT_LEAST = 1.0
"""The least seconds of measuring; for few lanes, samples are drawn and run repeatedly."""


def vectorized_seconds(
    run: Callable[..., RunOutcome],
    draw: Draw,
    progress: Callable[[int], None] = lambda samples: None,
) -> AtLanes:
    """Time the vectorized form on drawn samples, by the wall clock.

    run: `run_batches` with bound settings; kernels must be compiled. progress: Called with the
    number of samples of each batch of the first draw.
    """
    seconds, number, lanes = 0.0, 0, 0
    while not number or seconds < _AT_LEAST:
        batches = draw(number)
        outcome = run(batches, progress=partial(_tell, progress) if not number else _unheard)
        sizes = [len(batch.samples) for batch in batches]
        seconds, number, lanes = seconds + outcome.wall_seconds, number + 1, lanes + sum(sizes)
    return AtLanes(sum(sizes), max(sizes), outcome, seconds / lanes)


def _tell(progress: Callable[[int], None], done: BatchOutcome) -> None:
    progress(len(done.samples))


def _unheard(done: BatchOutcome) -> None:
    pass


def bench(
    settings: Settings,
    draws: list[Draw],
    scalar_batches: list[Batch],
    batch_size: int,
    progress: Callable[[int], None] = lambda samples: None,
    compiled: Callable[[str], None] = lambda kernel: None,
    begun: Callable[[str], None] = lambda form: None,
) -> dict[str, Any]:
    """Time both forms and return the figures.

    draws: Draws of the vectorized form's batches, by ascending number of lanes. Apart from
    `by_lanes`, the figures describe the last draw. scalar_batches: The batches of the scalar form.
    begun: Called with the name of the form that is timed next.

    Seconds a sample are wall-clock. The vectorized form uses all workers, and compiles kernels on a
    first batch before the clock starts; the scalar form runs in one process. The use of the machine
    is measured during the vectorized form. The figure `not_computed` counts the samples that either
    form could not compute.
    """
    most = draws[-1](0)
    with devices_processes(settings.devices) as processes:
        run = partial(run_batches, settings, processes=processes)
        run(warmed_up(settings, most), compiled=compiled)
        with Monitor(gpus_of(settings.devices)) as monitor:
            begun("vectorized")
            found = [vectorized_seconds(run, draw, progress) for draw in draws]
    begun("scalar")
    total, timed = scalar_seconds(settings, scalar_batches, progress)
    scalar = total / max(timed, 1)
    left_out = sum(len(batch.samples) for batch in scalar_batches) - timed
    last = found[-1]
    outcome = last.outcome
    operations = sum(settings.forms(batch).operations for batch in one_of_each_program(most))
    return {
        "samples": last.lanes,
        "scalar_samples": timed,
        "solvers": len({name for batch in outcome.batches for name in batch.matches}),
        "operations": operations,
        "scalar_s_per_sample": round(scalar, 6),
        "vectorized_s_per_sample": round(last.seconds_a_sample, 6),
        "speedup": round(scalar / last.seconds_a_sample, 2),
        "by_lanes": [
            {
                "lanes": at.lanes,
                "batch": at.batch,
                "vectorized_s_per_sample": round(at.seconds_a_sample, 6),
                "speedup": round(scalar / at.seconds_a_sample, 2),
            }
            for at in found
        ],
        "host_share": round(outcome.host_share, 5),
        "not_computed": len(outcome.not_computed) + left_out,
        "failed_share": round(outcome.failed_share, 5),
        "peak_rss_mb": round(outcome.peak_rss_mb),
        "batch_size": batch_size,
        "workers": outcome.workers,
        "device": ", ".join(settings.devices),
        "transfers": outcome.transfers,
        **stage_figures(outcome),
        **usage_figures(monitor.summary()),
    }


def warmed_up(settings: Settings, batches: list[Batch]) -> list[Batch]:
    """Make a small batch of every program for each process, to compile kernels."""
    processes = max(settings.workers, len(settings.devices))
    few = [batch for batch in one_of_each_program(batches) for _ in range(processes)]
    return [Batch(number, batch.solver, batch.samples[:64]) for number, batch in enumerate(few)]
