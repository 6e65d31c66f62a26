"""`megabatt bench`: both forms timed."""

from __future__ import annotations

import json
import sys
from functools import partial
from typing import Any

import click

from megabatt.command_line.options import COUNTS, MEMORY, WorkloadCommand, selectors
from megabatt.command_line.selection import Selection, select
from megabatt.runtime.megabatch.batches import Batch
from megabatt.runtime.megabatch.measure.bench import Draw
from megabatt.runtime.megabatch.measure.bench import bench as bench_forms
from megabatt.runtime.megabatch.run import report
from megabatt.runtime.megabatch.run.monitor import Monitor, gpus_of
from megabatt.runtime.megabatch.samples import spread_evenly
from megabatt.runtime.terminal import Terminal


@click.command(cls=WorkloadCommand)
@selectors
@click.option("--samples", type=click.IntRange(min=1), default=100, show_default=True,
              help="Samples to run the sequential form on, drawn at random.")  # fmt: skip
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of that draw.")
@click.option("--lanes", "counts", type=COUNTS, multiple=True, metavar="N,N,...",
              show_default="4, 64 and all samples of the data",
              help="Numbers of samples to run the vectorized form on, each timed by itself. If "
              "the data has fewer, distinct variants of its samples are added.")  # fmt: skip
@MEMORY
def bench(samples: int, seed: int, counts: tuple[list[int], ...], **selection: Any) -> None:
    """Time both forms, and print the vectorized form's speedup by lanes.

    A lane is one sample of a batch. The speedup is the time of the sequential form, which computes
    sample by sample in one process, over the time of the vectorized form. Python computes on the
    CPU what no kernel can compute; the table has Python's share.

    The last line is a JSON object: the figures for most lanes, and the others in by_lanes. The exit
    status is 1 if memory was too short for a sample; the times then leave it out.
    """
    console = Terminal()
    lanes = sorted({count for some in counts for count in some})
    chosen = select(console, **selection, lanes=lanes[-1] if lanes else None)
    report.print_problems(console, chosen.data.problems)
    few = chosen.batches_of(spread_evenly(chosen.data.samples, samples, seed))
    every = [sample for batch in chosen.batches for sample in batch.samples]
    fewer = lanes[:-1] if lanes else [count for count in _FEW_LANES if count < len(every)]
    draws: list[Draw] = [partial(_draw, chosen, every, count) for count in fewer]
    draws.append(lambda number: chosen.batches)
    totals = {"vectorized": sum(fewer) + len(every), "scalar": sum(len(b.samples) for b in few)}
    with (
        Monitor(gpus_of(chosen.settings.devices)) as use,
        report.progress_bar(console, "timing", totals["vectorized"], use) as bar,
    ):
        figures = bench_forms(
            chosen.settings, draws, few, chosen.batch_size, bar.advance, bar.compiled,
            lambda form: bar.begin(f"timing the {form} form", totals[form]),
        )  # fmt: skip
    report.print_bench(console, figures)
    print(json.dumps(figures))
    sys.exit(1 if figures["not_computed"] else 0)


def _draw(chosen: Selection, samples: list[Any], count: int, number: int) -> list[Batch]:
    return chosen.batches_of(spread_evenly(samples, count, seed=number))


_FEW_LANES = (4, 64)
"""Small batch sizes that are timed besides the whole data."""
