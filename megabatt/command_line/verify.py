"""`megabatt verify`: both forms on the same samples."""

from __future__ import annotations

import sys
from typing import Any

import click
from rich.console import Console

from megabatt.command_line.options import WorkloadCommand, selectors
from megabatt.command_line.selection import select
from megabatt.runtime.megabatch.run import report
from megabatt.runtime.megabatch.run.report import print_line
from megabatt.runtime.megabatch.verify.verify import verify_batches

_MOST_DRAWN = 10
"""Differences that are drawn; all are named."""


@click.command(cls=WorkloadCommand)
@selectors
@click.option(
    "--samples", type=click.IntRange(min=1), help="Only so many samples, drawn at random."
)
@click.option("--seed", type=int, default=0, show_default=True, help="Of that draw.")
def verify(**selection: Any) -> None:
    """Run both forms on the same samples and print every difference.

    Exits with 1 if there is one, or if a sample could not be compared, as memory is short.
    """
    console = Console()
    chosen = select(console, **selection)
    lost: list[str] = []
    not_compared: list[str] = []
    with report.progress_bar(console, "verifying", chosen.lanes) as bar:
        found = verify_batches(
            chosen.settings, chosen.batches, bar.advance, bar.compiled,
            lost.append, not_compared.append,
        )  # fmt: skip
    if lost:
        print_line(console, f"{lost[0]}: batches from then on were computed on the CPU")
    differences = [difference for difference in found if not difference.near]
    near = [difference for difference in found if difference.near]
    for number, difference in enumerate(differences):
        print_line(console, str(difference))
        row = difference.row(chosen.settings.workload) if number < _MOST_DRAWN else None
        if row is not None:
            console.print(row)
    report.print_problems(console, chosen.data.problems)
    report.print_first(console, "not compared", not_compared)
    report.print_first(console, "apart near a bound", [str(difference) for difference in near])
    solvers = sum(len(forms.solvers) for forms in chosen.programs)
    print_line(
        console,
        f"verified {chosen.lanes} samples x {solvers} solvers: {len(differences)} differences"
        + (f", {len(near)} apart near a bound" if near else "")
        + (f", {len(not_compared)} samples not compared" if not_compared else ""),
    )
    sys.exit(1 if differences or not_compared else 0)
