"""Both forms timed in one run, on the same machine and program."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import Any

from megabatt.runtime.engine.limits import SHORTAGES
from megabatt.runtime.megabatch.batches import Batch, Settings, one_of_each_program
from megabatt.runtime.megabatch.measure.sweep import gpus_of
from megabatt.runtime.megabatch.run.monitor import Monitor
from megabatt.runtime.megabatch.run.on_devices import devices_processes
from megabatt.runtime.megabatch.run.report import stage_figures, usage_figures
from megabatt.runtime.megabatch.run.run import run_batches


def scalar_seconds(
    settings: Settings,
    batches: list[Batch],
    progress: Callable[[int], None] = lambda samples: None,
) -> tuple[float, int]:
    """Seconds that the scalar form takes for the batches' samples, one by one in one process.

    Also returns how many samples these are. Samples that it could not compute, since memory is
    short, are left out.
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


def bench(
    settings: Settings,
    batches: list[Batch],
    scalar_batches: list[Batch],
    batch_size: int,
    progress: Callable[[int], None] = lambda samples: None,
    compiled: Callable[[str], None] = lambda kernel: None,
) -> dict[str, Any]:
    """The figures of a run of both forms: the vectorized on `batches`, the scalar on the others.

    Seconds a sample are wall-clock: of the vectorized form over all workers, kernels compiled
    (a first batch is run before the clock starts), of the scalar form in one process. The use of
    the machine is that of the vectorized form's run. not_computed: samples that a form could not
    compute, as memory is short.
    """
    samples = sum(len(batch.samples) for batch in batches)
    with devices_processes(settings.devices) as processes:
        run = partial(run_batches, settings, processes=processes)
        run(warmed_up(settings, batches), compiled=compiled)
        with Monitor(gpus_of(settings.devices)) as monitor:
            outcome = run(batches, progress=lambda batch: progress(len(batch.samples)))
    total, timed = scalar_seconds(settings, scalar_batches, progress)
    scalar = total / max(timed, 1)
    left_out = sum(len(batch.samples) for batch in scalar_batches) - timed
    vectorized = outcome.wall_seconds / max(samples, 1)
    operations = sum(settings.forms(batch).operations for batch in one_of_each_program(batches))
    return {
        "samples": samples,
        "scalar_samples": timed,
        "solvers": len({name for batch in outcome.batches for name in batch.matches}),
        "operations": operations,
        "scalar_s_per_sample": round(scalar, 6),
        "vectorized_s_per_sample": round(vectorized, 6),
        "speedup": round(scalar / vectorized, 2),
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
    """A few samples of every program for each process, so that what compiles has compiled."""
    processes = max(settings.workers, len(settings.devices))
    few = [batch for batch in one_of_each_program(batches) for _ in range(processes)]
    return [Batch(number, batch.solver, batch.samples[:64]) for number, batch in enumerate(few)]
