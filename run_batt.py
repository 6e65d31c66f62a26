"""The main job's command line: `python run_batt.py run | verify | bench | fuzz`."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from runtime.engine.limits import MAX_ELEMENTS
from runtime.megabatch import devices, report
from runtime.megabatch.bench import bench as bench_forms
from runtime.megabatch.data import DataError, DataSet, load
from runtime.megabatch.fuzz import fuzz as fuzz_forms
from runtime.megabatch.fuzz import print_report
from runtime.megabatch.programs import Job, ProgramError, jobs_of
from runtime.megabatch.run import outcome_by_task, run_jobs, write_summary
from runtime.megabatch.samples import samples_of, spread_evenly
from runtime.megabatch.verify import verify_jobs

SELECTORS: list[Callable[..., Any]] = [
    click.option("--batt", "folder", default="generated", show_default=True, metavar="DIR",
                 help="Folder that `python -m codegen` wrote."),
    click.option("--data", default="arcagi", show_default=True, metavar="arcagi|arcagi2|FOLDER",
                 help="ARC-AGI-1, ARC-AGI-2, or a folder of task JSON files."),
    click.option("--split", type=click.Choice(["training", "evaluation", "both"]), default="both",
                 show_default=True, help="Which tasks of it."),
    click.option("--tasks", multiple=True, metavar="ID...", help="Only these tasks: ids with "
                 "spaces or commas between."),
    click.argument("more_tasks", nargs=-1, metavar=""),
    click.option("--own", is_flag=True,
                 help="Run each solver on the task alone that its name ends in."),
    click.option("--batch-size", type=click.IntRange(min=1), default=1000, show_default=True,
                 help="Samples computed at once."),
    click.option("--device", type=click.Choice(["auto", "cpu", "cuda"]), default="auto",
                 show_default=True, help="Where to compute."),
    click.option("--workers", type=click.IntRange(min=1), default=os.cpu_count() or 1,
                 show_default="number of cores", help="Worker processes."),
    click.option("--max-elements", type=click.IntRange(min=1), default=MAX_ELEMENTS,
                 show_default=True, help="Container elements one operation may build."),
]  # fmt: skip


def selectors(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options that all commands share."""
    for option in reversed(SELECTORS):
        command = option(command)
    return command


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def main() -> None:
    """Evaluate a program of many solvers on many ARC tasks at once.

    The programs are those that `python -m codegen` wrote to a folder.
    """


@main.command()
@selectors
@click.option("--out", type=click.Path(file_okay=False, path_type=Path), metavar="FOLDER",
              help="Write a Parquet file a batch and summary.json there.")  # fmt: skip
def run(out: Path | None, device: str, workers: int, max_elements: int, **selection: Any) -> None:
    """Run all solvers on all samples in one mega-batch and say which tasks they solve."""
    console = Console()
    data, jobs = _select(console, device=device, workers=workers, **selection)
    samples = sum(len(job.samples) for job in jobs)
    folder = selection["folder"]
    with report.progress_bar(console, "running", samples) as bar:
        outcome = run_jobs(folder, jobs, workers, max_elements, out, bar.advance, bar.compiled)
    tasks = outcome_by_task(outcome.batches)
    programs = {job.solver: job.program(folder) for job in jobs}.values()
    summary = report.summary_of(
        outcome,
        tasks,
        operations=sum(program.operations for program in programs),
        solvers=sum(len(program.solvers) for program in programs),
        problems=data.problems,
    )
    if out is not None:
        write_summary(out / "summary.json", summary)
    report.print_summary(console, summary)


@main.command()
@selectors
@click.option(
    "--samples", type=click.IntRange(min=1), help="Only so many samples, drawn at random."
)
@click.option("--seed", type=int, default=0, show_default=True, help="Of that draw.")
def verify(
    samples: int | None, seed: int, device: str, workers: int, max_elements: int, **selection: Any
) -> None:
    """Run both forms on the same samples and print every difference; exit 1 if there is one."""
    console = Console()
    data, jobs = _select(console, device=device, samples=samples, seed=seed, **selection)
    folder = selection["folder"]
    lanes = sum(len(job.samples) for job in jobs)
    with report.progress_bar(console, "verifying", lanes) as bar:
        differences = verify_jobs(folder, jobs, workers, max_elements, bar.advance, bar.compiled)
    for difference in differences:
        console.print(str(difference), highlight=False, markup=False, soft_wrap=True)
    report.print_problems(console, data.problems)
    solvers = sum(len(job.program(folder).solvers) for job in {j.solver: j for j in jobs}.values())
    console.print(
        f"verified {lanes} samples x {solvers} solvers: {len(differences)} differences",
        highlight=False,
    )
    sys.exit(1 if differences else 0)


@main.command()
@selectors
@click.option("--samples", type=click.IntRange(min=1), default=100, show_default=True,
              help="How many samples the scalar form runs on, drawn at random.")  # fmt: skip
@click.option("--seed", type=int, default=0, show_default=True, help="Of that draw.")
def bench(
    samples: int, seed: int, device: str, workers: int, max_elements: int, **selection: Any
) -> None:
    """Time both forms in one run; the last line is a JSON object of the figures."""
    console = Console()
    _, jobs = _select(console, device=device, workers=workers, **selection)
    _, scalar_jobs = _select(console, device="cpu", samples=samples, seed=seed, **selection)
    total = sum(len(job.samples) for job in [*jobs, *scalar_jobs])
    with report.progress_bar(console, "timing", total) as bar:
        figures = bench_forms(
            selection["folder"], jobs, scalar_jobs, workers, selection["batch_size"], max_elements,
            bar.advance, bar.compiled,
        )  # fmt: skip
    print(json.dumps(figures))


@main.command()
@click.option("--programs", type=click.IntRange(min=1), default=200, show_default=True,
              help="How many random programs.")  # fmt: skip
@click.option("--samples", type=click.IntRange(min=1), default=8, show_default=True,
              help="How many inputs each is run on.")  # fmt: skip
@click.option("--seed", type=int, default=0, show_default=True, help="Of programs and inputs.")
@click.option("--workers", type=click.IntRange(min=1), default=1, show_default=True,
              help="Worker processes.")  # fmt: skip
@click.option("--max-elements", type=click.IntRange(min=1), default=20_000, show_default=True,
              help="What one operation may build; in some programs less.")  # fmt: skip
def fuzz(programs: int, samples: int, seed: int, workers: int, max_elements: int) -> None:
    """Compare both forms on random programs over the whole language; exit 1 if they differ."""
    console = Console()
    with report.progress_bar(console, "fuzzing", programs * samples) as bar:
        outcome = fuzz_forms(
            programs, samples, seed, workers, max_elements, lambda done: bar.advance(done * samples)
        )
    print_report(console, outcome, samples)
    sys.exit(1 if outcome.differences else 0)


def _select(
    console: Console,
    folder: str,
    data: str,
    split: str,
    tasks: tuple[str, ...],
    more_tasks: tuple[str, ...],
    own: bool,
    batch_size: int,
    device: str,
    workers: int = 1,
    samples: int | None = None,
    seed: int = 0,
) -> tuple[DataSet, list[Job]]:
    """The data and batches that a command's options ask for. Exits with 2 if there are none."""
    if more_tasks and not tasks:
        raise click.UsageError(f"unexpected argument: {more_tasks[0]}")
    try:
        given = ",".join([*tasks, *more_tasks])
        ids = tuple(task_id for task_id in given.split(",") if task_id)
        data_set = load(data, split, ids)
        chosen = spread_evenly(samples_of(data_set.tasks), samples, seed)
        jobs = jobs_of(folder, chosen, own, batch_size, workers)
    except (DataError, ProgramError) as error:
        raise click.UsageError(str(error)) from error
    if not jobs:
        raise click.UsageError("no solver's name ends in the id of one of these tasks")
    if device != "cpu":
        console.print(devices.choose(device)[1], highlight=False)
    return data_set, jobs


if __name__ == "__main__":
    main()
