"""megabatt beside arc-dsl's own functions, in one run on one machine.

    git clone https://github.com/michaelhodel/arc-dsl
    megabatt compile arc-dsl/solvers.py --out arc_batt
    python -m benchmarks.peer own arc-dsl --batt arc_batt
    python -m benchmarks.peer merged arc-dsl --batt arc_batt
    python -m benchmarks.peer tests arc-dsl

`own`: every solver on its own task, as arc-dsl calls it and in both of our forms. arc-dsl and our
scalar form take turns on the same samples, so that their ratios hold on a noisy machine. `merged`:
the merged program on samples of all tasks, with our functions and with arc-dsl's in their place.
arc-dsl has no limits, so both leave out samples on which it takes too long. `tests`: arc-dsl's own
tests on our primitives.
"""

from __future__ import annotations

import importlib
import importlib.util
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from types import ModuleType
from typing import Any

import click
from rich.console import Console
from rich.progress import track
from rich.table import Table

import megabatt.runtime.arc as arc
from benchmarks.batch import program_folder
from megabatt.runtime.arc.language import LANGUAGE
from megabatt.runtime.arc.workload import WORKLOAD, ArcSample, load, samples_of, solver_for
from megabatt.runtime.megabatch.batches import Batch, Settings, batches_of
from megabatt.runtime.megabatch.data import Data
from megabatt.runtime.megabatch.measure.bench import warmed_up
from megabatt.runtime.megabatch.programs import own_programs
from megabatt.runtime.megabatch.run.run import run_batches
from megabatt.runtime.megabatch.samples import spread_evenly

_WORST = 10

checkout_argument = click.argument(
    "checkout", type=click.Path(exists=True, file_okay=False, path_type=Path)
)
batt_option = click.option(
    "--batt", default="arc_batt", show_default=True, metavar="DIR",
    callback=program_folder, help="Folder compiled from the checkout's solvers.py.",
)  # fmt: skip
workers_option = click.option(
    "--workers", type=click.IntRange(min=1), default=2, show_default=True,
    help="Processes of the vectorized form; arc-dsl runs in one.",
)  # fmt: skip


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def main() -> None:
    """Compare with an arc-dsl checkout."""


@main.command()
@checkout_argument
def tests(checkout: Path) -> None:
    """Run the checkout's tests.py on our primitives."""
    module = imported(checkout, "tests")
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


@main.command()
@checkout_argument
@batt_option
@workers_option
@click.option("--max-elements", type=int, default=8_000_000, show_default=True,
              help="Our limit; arc-dsl has none.")  # fmt: skip
def own(checkout: Path, batt: str, workers: int, max_elements: int) -> None:
    """Time each solver on its own task, beside arc-dsl's function."""
    solvers = imported(checkout, "solvers")
    rows = []
    programs = own_programs(batt)
    settings = Settings(WORKLOAD, batt, max_elements, workers=workers)
    tasks = load("arcagi", "training").tasks
    for task in track(tasks, "scalar", transient=True):
        solver = solver_for(task.id, programs)
        if solver is None:
            continue
        peer = getattr(solvers, solver)
        theirs = ours = 0.0
        right = True
        for sample in samples_of([task]):
            theirs += _seconds(lambda sample=sample, peer=peer: peer(sample.I))
            began = time.perf_counter()
            outputs, _ = settings.scalar(programs[solver], sample)
            ours += time.perf_counter() - began
            right &= outputs[solver] == sample.C
        rows.append((ours - theirs, solver, theirs, ours, right))
    own_tasks = Data(samples_of(tasks), solver_for=solver_for)
    vectorized = _vectorized_seconds(settings, batches_of(settings, own_tasks, 1000))
    _report_own(rows, vectorized)


def imported(checkout: Path, name: str) -> ModuleType:
    """Import a module of the checkout."""
    sys.path.insert(0, str(checkout))
    return importlib.import_module(name)


def _seconds(call: Callable[[], Any]) -> float:
    began = time.perf_counter()
    try:
        call()
    except Exception as error:
        print(f"arc-dsl fails: {error!r}")
    return time.perf_counter() - began


def _vectorized_seconds(settings: Settings, batches: list[Batch]) -> float:
    run_batches(settings, warmed_up(settings, batches))
    return run_batches(settings, batches).wall_seconds


def _report_own(rows: list[tuple[float, str, float, float, bool]], vectorized: float) -> None:
    console = Console()
    table = Table("solver", "arc-dsl, s", "our scalar form, s", "ratio")
    for _, name, theirs, ours, _ in sorted(rows, reverse=True)[:_WORST]:
        table.add_row(name, f"{theirs:.3f}", f"{ours:.3f}", f"{ours / theirs:.2f}")
    console.print(table)
    theirs, ours = sum(row[2] for row in rows), sum(row[3] for row in rows)
    wrong = [name for _, name, _, _, right in rows if not right]
    print(f"{len(rows) - len(wrong)} of {len(rows)} tasks solved by our scalar form; not: {wrong}")
    middle = median(row[3] / row[2] for row in rows)
    print(
        f"arc-dsl {theirs:.2f} s; our scalar form {ours:.2f} s, {theirs / ours:.1f} times as fast "
        f"(a solver takes {middle:.2f} of its time in the median); "
        f"vectorized {vectorized:.2f} s, {theirs / vectorized:.1f} times as fast"
    )


@main.command()
@checkout_argument
@batt_option
@workers_option
@click.option("--samples", type=click.IntRange(min=1), default=100, show_default=True,
              help="How many, drawn at random from all of ARC-AGI-1.")  # fmt: skip
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of that draw.")
@click.option("--patience", type=float, default=10.0, show_default=True,
              help="Seconds after which arc-dsl is stopped on a sample.")  # fmt: skip
def merged(
    checkout: Path, batt: str, workers: int, samples: int, seed: int, patience: float
) -> None:
    """Time the merged program with arc-dsl's functions in it, and with ours.

    Both are timed on the samples that arc-dsl finishes within the patience. Primitives that arc-dsl
    lacks are megabatt's. The vectorized form gets copies of the samples: 1000 for each worker.
    """
    theirs = _with_their_functions(Path(batt), imported(checkout, "dsl"))
    chosen = spread_evenly(samples_of(load("arcagi").tasks), samples, seed)
    calm: list[ArcSample] = []
    spent = 0.0
    for sample in track(chosen, "arc-dsl", transient=True):
        seconds = _within(
            patience, lambda sample=sample: theirs(sample.key, *WORKLOAD.inputs_of(sample))
        )
        if seconds is not None:
            calm.append(sample)
            spent += seconds
    many = (calm * -(-1000 * workers // len(calm)))[: 1000 * workers]
    settings = Settings(WORKLOAD, batt, workers=workers)
    ours = _vectorized_seconds(settings, batches_of(settings, Data(many), 1000, workers))
    a, b = spent / len(calm), ours / len(many)
    print(
        f"{len(calm)} of {len(chosen)} samples; arc-dsl {a:.4f} s a sample in one process, "
        f"vectorized {b:.5f} s with {workers} workers: {a / b:.0f} times as fast"
    )


def _with_their_functions(batt: Path, dsl: ModuleType) -> Callable[..., Any]:
    """Make a copy of the merged program's sequential form that calls arc-dsl's functions."""
    spec = importlib.util.spec_from_file_location("merged_of_the_peer", batt / "batt.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    for name in arc.ARC_DSL:
        setattr(module, name, getattr(dsl, name))
    return module.batt  # type: ignore[no-any-return]


class _TooLong(BaseException):
    """Raised in the middle of a call. A program would count an Exception as a failure."""


def _within(seconds: float, call: Callable[[], Any]) -> float | None:
    """Return the seconds that a call takes; None if it exceeds `seconds` or the stack."""

    def give_up(*_: object) -> None:
        raise _TooLong

    signal.signal(signal.SIGALRM, give_up)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    began = time.perf_counter()
    try:
        call()
        return time.perf_counter() - began
    except (_TooLong, RecursionError):
        return None
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


if __name__ == "__main__":
    main()
