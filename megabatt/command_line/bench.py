"""`megabatt bench`: both forms timed."""

from __future__ import annotations

import json
import sys
from typing import Any

import click
from rich.console import Console

from megabatt.command_line.options import MEMORY, WorkloadCommand, selectors
from megabatt.command_line.selection import select
from megabatt.runtime.megabatch.measure.bench import bench as bench_forms
from megabatt.runtime.megabatch.measure.sweep import gpus_of
from megabatt.runtime.megabatch.run import report
from megabatt.runtime.megabatch.run.monitor import Monitor
from megabatt.runtime.megabatch.samples import spread_evenly


@click.command(cls=WorkloadCommand)
@selectors
@click.option("--samples", type=click.IntRange(min=1), default=100, show_default=True,
              help="How many samples the scalar form runs on, drawn at random.")  # fmt: skip
@click.option("--seed", type=int, default=0, show_default=True, help="Of that draw.")
@click.option("--lanes", type=click.IntRange(min=1), show_default="all of the data",
              help="How many samples the vectorized form runs on; beyond those of the data they "
              "are variants of these, no two alike.")  # fmt: skip
@MEMORY
def bench(samples: int, seed: int, **selection: Any) -> None:
    """Time both forms in one run; the last line is a JSON object of the figures.

    The speedup is that of the vectorized form at this many lanes a batch: more lanes, more of it.

    Exits with 1 if a sample could not be computed, as memory is short: the times are not for it.
    """
    console = Console()
    chosen = select(console, **selection)
    report.print_problems(console, chosen.data.problems)
    few = chosen.batches_of(spread_evenly(chosen.data.samples, samples, seed))
    total = chosen.lanes + sum(len(batch.samples) for batch in few)
    with (
        Monitor(gpus_of(chosen.settings.devices)) as use,
        report.progress_bar(console, "timing", total, use) as bar,
    ):
        figures = bench_forms(
            chosen.settings, chosen.batches, few, chosen.batch_size, bar.advance, bar.compiled
        )
    report.print_bench(console, figures)
    print(json.dumps(figures))
    sys.exit(1 if figures["not_computed"] else 0)
