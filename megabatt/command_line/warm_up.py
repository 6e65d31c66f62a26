"""`megabatt warm-up`: compiles kernels and primitives ahead."""

from __future__ import annotations

import time
from typing import Any

import click

from megabatt.command_line.options import WorkloadCommand, selectors
from megabatt.command_line.selection import select
from megabatt.runtime.megabatch.measure.bench import warmed_up
from megabatt.runtime.megabatch.run import report
from megabatt.runtime.megabatch.run.report import print_line
from megabatt.runtime.megabatch.run.run import run_batches
from megabatt.runtime.terminal import Terminal


@click.command("warm-up", cls=WorkloadCommand)
@selectors
def warm_up(**selection: Any) -> None:
    """Compile what programs need, so that the next command starts at once.

    This runs a few samples on every device. Compiled code is kept: for the CPU beside megabatt's
    modules, or in NUMBA_CACHE_DIR; for GPUs in ~/.cupy/kernel_cache, or in CUPY_CACHE_DIR. The
    first search compiles its strategies by itself.
    """
    console = Terminal()
    chosen = select(console, **selection)
    few = warmed_up(chosen.settings, chosen.batches)
    began = time.perf_counter()
    report.show_compiling(console, chosen.settings.workload)
    total = sum(len(batch.samples) for batch in few)
    with report.progress_bar(console, "warming up", total) as bar:
        run_batches(
            chosen.settings, few, lambda batch: bar.advance(len(batch.samples)), bar.compiled
        )
    where = ", ".join(dict.fromkeys(chosen.settings.devices))
    print_line(console, f"ready on {where} after {time.perf_counter() - began:.1f} seconds")
