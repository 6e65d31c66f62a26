"""`megabatt fuzz`: both forms on random programs."""

from __future__ import annotations

import sys
from typing import Any

import click

from megabatt.command_line.options import ELEMENTS, LanguageCommand, load_modules, require_draws
from megabatt.runtime.engine.device.compiling import on_compiled
from megabatt.runtime.megabatch.run import hardware, report
from megabatt.runtime.megabatch.run.report import print_line
from megabatt.runtime.megabatch.verify.fuzz import fuzz as fuzz_forms
from megabatt.runtime.megabatch.verify.fuzz import print_report
from megabatt.runtime.megabatch.workload import Workload
from megabatt.runtime.terminal import Terminal


@click.command(cls=LanguageCommand)
@click.option("--programs", type=click.IntRange(min=1), default=200, show_default=True,
              help="Random programs to run.")  # fmt: skip
@click.option("--samples", type=click.IntRange(min=1), default=8, show_default=True,
              help="Inputs to run each program on.")  # fmt: skip
@click.option("--seed", type=int, default=0, show_default=True,
              help="Seed of the programs and inputs.")
@click.option("--workers", type=click.IntRange(min=1), default=1, show_default=True,
              help="Worker processes.")  # fmt: skip
@click.option("--max-elements", type=ELEMENTS, default=20_000, show_default=True,
              help="Container elements that one operation may build. Some programs run under "
              "lower limits.")  # fmt: skip
@click.option("--primitives", "modules", multiple=True, metavar="MODULE",
              help="A module that registers more primitives, or its file, to be drawn too. "
              "megabatt imports it: name only one that you trust. May be repeated.")  # fmt: skip
@click.option("--device", type=click.Choice(["cpu", "cuda"]), default="cpu", show_default=True,
              help="Where the vectorized form computes.")  # fmt: skip
def fuzz(
    workload: Workload[Any], programs: int, samples: int, seed: int, workers: int,
    max_elements: int, modules: tuple[str, ...], device: str,
) -> None:  # fmt: skip
    """Compare both forms on random programs over the whole language.

    The exit status is 1 if the forms differ, or if memory was too short to compare a program.
    """
    console = Terminal()
    require_draws(workload)
    load_modules(workload, modules)
    try:
        names, why = hardware.choose(device)
    except ValueError as error:
        raise click.UsageError(str(error)) from error
    if device != "cpu":
        print_line(console, why)
    with (
        report.progress_bar(console, "fuzzing", programs * samples) as bar,
        on_compiled(bar.compiled),
    ):
        outcome = fuzz_forms(
            workload, programs, samples, seed, workers, max_elements,
            lambda done: bar.advance(done * samples), names[0],
        )  # fmt: skip
    print_report(console, workload, outcome, samples)
    sys.exit(1 if outcome.differences or outcome.not_compared else 0)
