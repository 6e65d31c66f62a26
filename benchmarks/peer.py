"""The scalar form beside arc-dsl's own functions: each solver on its own task, in one process.

    git clone https://github.com/michaelhodel/arc-dsl
    python -m codegen arc-dsl/solvers.py --out arc_batt
    python -m benchmarks.peer arc-dsl --batt arc_batt

Each solver is timed as arc-dsl calls it and as our sequential form runs it, one after the other
on the same samples, so that the ratio holds on a noisy machine. `--tests` runs arc-dsl's own
tests on our primitives instead.
"""

from __future__ import annotations

import importlib
import sys
import time
from pathlib import Path
from statistics import median
from types import ModuleType

import click
from rich.console import Console
from rich.table import Table

import runtime.arc as arc
from runtime.arc.language import LANGUAGE
from runtime.megabatch.data import load
from runtime.megabatch.programs import own_programs, solver_for
from runtime.megabatch.samples import samples_of

_WORST = 10


@click.command()
@click.argument("checkout", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--batt", default="arc_batt", show_default=True, metavar="DIR",
              help="What codegen wrote for the checkout's solvers.py.")  # fmt: skip
@click.option("--max-elements", type=int, default=8_000_000, show_default=True,
              help="Our limit; arc-dsl has none.")  # fmt: skip
@click.option("--tests", is_flag=True, help="Run the checkout's tests.py on our primitives.")
def main(checkout: Path, batt: str, max_elements: int, tests: bool) -> None:
    """Compare with the arc-dsl checkout at CHECKOUT."""
    sys.path.insert(0, str(checkout))
    if tests:
        run_tests(importlib.import_module("tests"))
    else:
        compare(importlib.import_module("solvers"), batt, max_elements)


def run_tests(module: ModuleType) -> None:
    """Run a module's test functions with each primitive replaced by ours."""
    failed = []
    names = [name for name in vars(module) if name.startswith("test_")]
    for name in LANGUAGE.primitives:
        setattr(module, name, getattr(arc, name))
    for name in names:
        try:
            getattr(module, name)()
        except Exception as error:
            failed.append(f"{name}: {type(error).__name__}: {error}")
    for line in failed:
        print(line)
    print(f"{len(names) - len(failed)} of {len(names)} tests pass")


def compare(solvers: ModuleType, batt: str, max_elements: int) -> None:
    """Time every solver in both, print the totals and where we are slowest."""
    rows = []
    programs = own_programs(batt)
    for task in load("arcagi").tasks:
        program = solver_for(task.id, programs)
        if program is None:
            continue
        peer = getattr(solvers, program.solvers[0])
        theirs = ours = 0.0
        right = True
        for sample in samples_of([task]):
            theirs += _seconds(lambda sample=sample, peer=peer: peer(sample.I))
            began = time.perf_counter()
            outputs, _ = program.sequential(*sample[:4], max_elements=max_elements)
            ours += time.perf_counter() - began
            right &= outputs[program.solvers[0]] == sample.C
        rows.append((ours - theirs, program.solvers[0], theirs, ours, right))
    report(rows)


def _seconds(call: object) -> float:
    began = time.perf_counter()
    try:
        call()  # type: ignore[operator]
    except Exception as error:
        print(f"arc-dsl fails: {error!r}")
    return time.perf_counter() - began


def report(rows: list[tuple[float, str, float, float, bool]]) -> None:
    console = Console()
    table = Table("solver", "arc-dsl, s", "ours, s", "ratio")
    for _, name, theirs, ours, _ in sorted(rows, reverse=True)[:_WORST]:
        table.add_row(name, f"{theirs:.3f}", f"{ours:.3f}", f"{ours / theirs:.2f}")
    console.print(table)
    theirs, ours = sum(row[2] for row in rows), sum(row[3] for row in rows)
    wrong = [name for _, name, _, _, right in rows if not right]
    print(f"{len(rows) - len(wrong)} of {len(rows)} tasks solved by our scalar form; not: {wrong}")
    middle = median(row[3] / row[2] for row in rows)
    print(
        f"arc-dsl {theirs:.2f} s, ours {ours:.2f} s: ratio {ours / theirs:.3f}, "
        f"median ratio of a solver {middle:.3f}"
    )


if __name__ == "__main__":
    main()
