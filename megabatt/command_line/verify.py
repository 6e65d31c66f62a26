"""`megabatt verify`: both forms on the same samples."""

from __future__ import annotations

import sys
from collections import Counter
from typing import Any

import click
from rich.console import Console

from megabatt.command_line.options import MEMORY, WorkloadCommand, selectors
from megabatt.command_line.selection import select
from megabatt.runtime.megabatch.run import report
from megabatt.runtime.megabatch.run.report import print_line
from megabatt.runtime.megabatch.verify.verify import SampleDifference, verify_batches
from megabatt.runtime.megabatch.workload import Workload
from megabatt.runtime.terminal import Terminal
from megabatt.runtime.vocabulary import counted

_MOST_SHOWN = 10
"""The most differences printed in full, and the most operations in the count of the others."""


@click.command(cls=WorkloadCommand)
@selectors
@click.option("--samples", type=click.IntRange(min=1), show_default="all",
              help="Compare only this many samples, drawn at random.")  # fmt: skip
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of that draw.")
@MEMORY
def verify(**selection: Any) -> None:
    """Run both forms of the programs on the same samples, and print every difference.

    The exit status is 1 if there is a difference, or if memory was too short to compare a sample.
    """
    console = Terminal()
    chosen = select(console, **selection)
    lost: list[str] = []
    not_compared: list[str] = []
    shown = _Shown(console, chosen.settings.workload)
    with report.progress_bar(console, "verifying", chosen.lanes) as bar:
        found = verify_batches(
            chosen.settings, chosen.batches, bar.advance, bar.compiled,
            lost.append, not_compared.append, shown,
        )  # fmt: skip
    if lost:
        print_line(console, f"{lost[0]}: batches from then on were computed on the CPU")
    shown.rest()
    differences = [difference for difference in found if not difference.near]
    near = [difference for difference in found if difference.near]
    report.print_problems(console, chosen.data.problems)
    report.print_first(console, "not compared", not_compared)
    report.print_first(console, "apart near a bound", [str(difference) for difference in near])
    solvers = sum(len(forms.solvers) for forms in chosen.programs)
    print_line(
        console,
        f"verified {counted(chosen.lanes, 'sample')} x {counted(solvers, 'solver')}: "
        + counted(len(differences), "difference")
        + (f", {len(near)} apart near a bound" if near else "")
        + (f", {counted(len(not_compared), 'sample')} not compared" if not_compared else ""),
    )
    sys.exit(1 if differences or not_compared else 0)


class _Shown:
    """Prints differences as they are found: the first ones in full, the others counted."""

    def __init__(self, console: Console, workload: Workload[Any]) -> None:
        self.console = console
        self.workload = workload
        self.shown = 0
        self.others: Counter[str] = Counter()

    def __call__(self, difference: SampleDifference) -> None:
        if difference.near:
            return
        if self.shown == _MOST_SHOWN:
            self.others[difference.operation or "none, when run again"] += 1
            return
        self.shown += 1
        print_line(self.console, str(difference))
        row = difference.row(self.workload)
        if row is not None:
            self.console.print(row)

    def rest(self) -> None:
        """Print the number of further differences, by the first operation that differs."""
        for operation, count in self.others.most_common(_MOST_SHOWN):
            line = f"{counted(count, 'more difference')}, first operation that differs {operation}"
            print_line(self.console, line)
        left = len(self.others) - _MOST_SHOWN
        if left > 0:
            print_line(self.console, f"and more in {counted(left, 'other operation')}")
