"""The main job's command line: `python run_batt.py run | verify | bench | fuzz | sweep`."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from runtime.engine.limits import MAX_ELEMENTS
from runtime.megabatch import devices, report
from runtime.megabatch.augment import augmented
from runtime.megabatch.bench import bench as bench_forms
from runtime.megabatch.data import DataError, DataSet, load
from runtime.megabatch.fuzz import fuzz as fuzz_forms
from runtime.megabatch.fuzz import print_report
from runtime.megabatch.monitor import Monitor, advice
from runtime.megabatch.programs import Job, Program, ProgramError, jobs_of
from runtime.megabatch.run import outcome_by_task, run_jobs, write_summary
from runtime.megabatch.samples import Sample, samples_of, spread_evenly
from runtime.megabatch.sweep import (
    SIZES,
    Measured,
    Workload,
    best_sizes,
    gpus_of,
    keep_sizes,
    kept_size,
    plot,
    write_csv,
)
from runtime.megabatch.sweep import sweep as sweep_sizes
from runtime.megabatch.verify import verify_jobs

BATCH_SIZE = 1000
"""On a CPU that no sweep has run on."""

_BATCH_SIZE_OPTION = click.option(
    "--batch-size", type=click.IntRange(min=1),
    show_default=f"the best of the last sweep; without one {BATCH_SIZE}, or what a GPU holds",
    help="Samples computed at once.")  # fmt: skip

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
    _BATCH_SIZE_OPTION,
    click.option("--device", type=click.Choice(["auto", "cpu", "cuda"]), default="auto",
                 show_default=True, help="Where to compute; auto: on a GPU that is there."),
    click.option("--devices", "gpus", default="", metavar="N,N,...", show_default="all",
                 help="Which GPUs; a process for each time that one is named."),
    click.option("--gpu-threshold", type=click.IntRange(min=0), default=devices.GPU_THRESHOLD,
                 show_default=True,
                 help="With auto: lanes a batch up to which a GPU is not taken."),
    click.option("--workers", type=click.IntRange(min=1), default=os.cpu_count() or 1,
                 show_default="number of cores", help="Worker processes."),
    click.option("--max-elements", type=click.IntRange(min=1), default=MAX_ELEMENTS,
                 show_default=True, help="Container elements one operation may build."),
]  # fmt: skip


def selectors(command: Callable[..., Any], batch_size: bool = True) -> Callable[..., Any]:
    """The options that the commands share; batch_size: with the one for it."""
    for option in reversed(SELECTORS):
        if batch_size or option is not _BATCH_SIZE_OPTION:
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
def run(out: Path | None, max_elements: int, **selection: Any) -> None:
    """Run all solvers on all samples in one mega-batch and say which tasks they solve."""
    console = Console()
    chosen = _select(console, **selection)
    with (
        Monitor(gpus_of(chosen.devices)) as use,
        report.progress_bar(console, "running", chosen.lanes, use) as bar,
    ):
        outcome = run_jobs(
            chosen.folder, chosen.jobs, chosen.workers, max_elements, out,
            bar.advance, bar.compiled, chosen.devices,
        )  # fmt: skip
    usage = use.summary()
    summary = report.summary_of(
        outcome,
        outcome_by_task(outcome.batches),
        operations=sum(program.operations for program in chosen.programs),
        solvers=sum(len(program.solvers) for program in chosen.programs),
        problems=chosen.data.problems,
        usage=usage,
        advice=advice(
            usage, chosen.largest_batch, len(chosen.jobs), outcome.seconds,
            len(chosen.devices), max(len(chosen.devices), outcome.workers),
        ),
    )  # fmt: skip
    if out is not None:
        write_summary(out / "summary.json", summary)
    report.print_summary(console, summary)


@main.command()
@selectors
@click.option(
    "--samples", type=click.IntRange(min=1), help="Only so many samples, drawn at random."
)
@click.option("--seed", type=int, default=0, show_default=True, help="Of that draw.")
def verify(max_elements: int, **selection: Any) -> None:
    """Run both forms on the same samples and print every difference; exit 1 if there is one."""
    console = Console()
    chosen = _select(console, **selection)
    lost: list[str] = []
    with report.progress_bar(console, "verifying", chosen.lanes) as bar:
        differences = verify_jobs(
            chosen.folder, chosen.jobs, chosen.workers, max_elements,
            bar.advance, bar.compiled, chosen.devices[0], lost.append,
        )  # fmt: skip
    if lost:
        console.print(
            f"{lost[0]}: batches from then on were computed on the CPU",
            highlight=False, markup=False, soft_wrap=True,
        )  # fmt: skip
    for difference in differences:
        console.print(str(difference), highlight=False, markup=False, soft_wrap=True)
    report.print_problems(console, chosen.data.problems)
    solvers = sum(len(program.solvers) for program in chosen.programs)
    console.print(
        f"verified {chosen.lanes} samples x {solvers} solvers: {len(differences)} differences",
        highlight=False,
    )
    sys.exit(1 if differences else 0)


@main.command()
@selectors
@click.option("--samples", type=click.IntRange(min=1), default=100, show_default=True,
              help="How many samples the scalar form runs on, drawn at random.")  # fmt: skip
@click.option("--seed", type=int, default=0, show_default=True, help="Of that draw.")
@click.option("--lanes", type=click.IntRange(min=1), show_default="all of the data",
              help="How many samples the vectorized form runs on; beyond those of the data they "
              "are turned, mirrored and recoloured, no two alike.")  # fmt: skip
def bench(samples: int, seed: int, max_elements: int, **selection: Any) -> None:
    """Time both forms in one run; the last line is a JSON object of the figures."""
    console = Console()
    chosen = _select(console, **selection)
    few = chosen.jobs_of(spread_evenly(chosen.samples, samples, seed))
    total = chosen.lanes + sum(len(job.samples) for job in few)
    with (
        Monitor(gpus_of(chosen.devices)) as use,
        report.progress_bar(console, "timing", total, use) as bar,
    ):
        figures = bench_forms(
            chosen.folder, chosen.jobs, few, chosen.workers, chosen.batch_size, max_elements,
            bar.advance, bar.compiled, chosen.devices,
        )  # fmt: skip
    print(json.dumps(figures))


@main.command()
@partial(selectors, batch_size=False)
@click.option(
    "--sizes",
    default=",".join(map(str, SIZES)),
    metavar="N,N,...",
    show_default=f"powers of two, {SIZES[0]} to {SIZES[-1]}",
    help="Batch sizes to time.",
)
@click.option(
    "--patience",
    type=click.FloatRange(min=0, min_open=True),
    default=120.0,
    show_default=True,
    help="Seconds that a size may take; longer ones are left out.",
)
@click.option("--out", type=click.Path(file_okay=False, path_type=Path), metavar="FOLDER",
              default=Path("results/sweep"), show_default=True,
              help="Write sweep.csv and sweep.png there.")  # fmt: skip
def sweep(
    sizes: str, patience: float, out: Path, device: str, gpus: str, gpu_threshold: int,
    workers: int, max_elements: int, folder: str, own: bool, **selection: Any,
) -> None:  # fmt: skip
    """Time batch sizes on every device and keep the best for runs without --own to come.

    A size is one batch of so many samples; where there are fewer, they are turned, mirrored and
    recoloured. The best is the smallest size within 3 % of the least time a lane.
    """
    console = Console()
    wanted = _sizes(sizes)
    samples = _samples(**selection)[1]
    _jobs(folder, samples, own, wanted[0])
    try:
        there = devices.available(gpus)
    except ValueError as error:
        raise click.UsageError(str(error)) from error
    names = [name for name in there if device in ("auto", name.partition(":")[0])]
    if not names:
        raise click.UsageError(f"there is no device {device} here; leave --device out to go on")
    load = Workload(folder, samples, own, workers, max_elements)
    with report.progress_bar(console, "sweeping", sum(wanted) * len(names)) as bar:
        found = sweep_sizes(
            load, names, wanted, patience,
            lambda measured: bar.advance(measured.batch_size),
            lambda line: console.print(line, highlight=False, soft_wrap=True),
            bar.compiled,
        )  # fmt: skip
    if not found:
        raise click.ClickException("no size could be timed; try smaller --sizes, more --patience")
    report.print_sweep(console, found)
    _write_sweep(console, out, found)
    best = best_sizes(found)
    for name, size in best.items():
        console.print(f"best batch size on {name}: {size}", highlight=False)
    if not own:  # small programs' sizes are none for the merged one
        _keep_best(console, best)


def _sizes(text: str) -> list[int]:
    """The numbers of `--sizes`, ascending. Exits with 2 if one is none."""
    parts = [part for part in text.replace(",", " ").split() if part]
    if not parts or not all(part.isdecimal() and int(part) for part in parts):
        raise click.UsageError(f"--sizes: not positive whole numbers: {text!r}")
    return sorted({int(part) for part in parts})


def _write_sweep(console: Console, out: Path, found: list[Measured]) -> None:
    out.mkdir(parents=True, exist_ok=True)
    write_csv(out / "sweep.csv", found)
    try:
        plot(out / "sweep.png", found)
    except ImportError:
        console.print(
            "no sweep.png: matplotlib is missing; `pip install 'megabatt[plot]'` brings it",
            highlight=False, markup=False, soft_wrap=True,
        )  # fmt: skip


def _keep_best(console: Console, best: dict[str, int]) -> None:
    try:
        kept = f"kept in {keep_sizes(best)} for the next runs"
    except (OSError, RuntimeError) as error:
        kept = f"not kept for the next runs: {error}"
    console.print(kept, highlight=False, soft_wrap=True)


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
@click.option("--device", type=click.Choice(["cpu", "cuda"]), default="cpu", show_default=True,
              help="Where the vectorized form computes.")  # fmt: skip
def fuzz(
    programs: int, samples: int, seed: int, workers: int, max_elements: int, device: str
) -> None:
    """Compare both forms on random programs over the whole language; exit 1 if they differ."""
    console = Console()
    names, why = devices.choose(device)
    if device != "cpu":
        console.print(why, highlight=False, markup=False, soft_wrap=True)
    with report.progress_bar(console, "fuzzing", programs * samples) as bar:
        outcome = fuzz_forms(
            programs, samples, seed, workers, max_elements,
            lambda done: bar.advance(done * samples), names[0],
        )  # fmt: skip
    print_report(console, outcome, samples)
    sys.exit(1 if outcome.differences else 0)


@dataclass(frozen=True)
class Selection:
    """What a command's options ask for."""

    folder: str
    own: bool
    data: DataSet
    samples: list[Sample]
    batch_size: int
    workers: int
    jobs: list[Job]
    devices: list[str]

    @property
    def lanes(self) -> int:
        return sum(len(job.samples) for job in self.jobs)

    @property
    def largest_batch(self) -> int:
        return max(len(job.samples) for job in self.jobs)

    @property
    def programs(self) -> list[Program]:
        """Each in use once."""
        return list({job.solver: job.program(self.folder) for job in self.jobs}.values())

    def jobs_of(self, samples: list[Sample]) -> list[Job]:
        return _jobs(self.folder, samples, self.own, self.batch_size)


def _select(
    console: Console,
    folder: str,
    own: bool,
    batch_size: int | None,
    device: str,
    gpus: str,
    gpu_threshold: int,
    workers: int,
    lanes: int | None = None,
    **selection: Any,
) -> Selection:
    """The data, batches and devices asked for. Exits with 2 if there are none."""
    data, samples = _samples(**selection)
    try:
        if lanes is not None:
            samples = augmented(spread_evenly(samples, lanes, seed=0), lanes)
        names, _ = devices.choose(device, numbers=gpus)
        size, note = _batch_size(batch_size, names[0], own, names.count(names[0]))
        names, why = devices.choose(device, min(size, len(samples)), gpu_threshold, gpus)
    except ValueError as error:
        raise click.UsageError(str(error)) from error
    if names == ["cpu"]:
        size, note = _batch_size(batch_size, "cpu", own)
    jobs = _jobs(folder, samples, own, size, workers if names == ["cpu"] else 1)
    for line in (note, why if device != "cpu" else ""):
        if line:
            console.print(line, highlight=False, markup=False, soft_wrap=True)
    return Selection(folder, own, data, samples, size, workers, jobs, names)


def _batch_size(
    asked_for: int | None, device: str, own: bool, processes: int = 1
) -> tuple[int, str]:
    """The batch size asked for, the best of the last sweep, or the default; and what to say.

    processes: how many share the device.
    """
    kept = None if own or asked_for else kept_size(device)
    if kept is not None:
        return kept, f"batch size {kept}: the best of the last sweep on this machine"
    if asked_for is None and device != "cpu":
        return devices.batch_size_for(devices.opened(device), processes), ""
    return asked_for or BATCH_SIZE, ""


def _samples(
    data: str,
    split: str,
    tasks: tuple[str, ...],
    more_tasks: tuple[str, ...],
    samples: int | None = None,
    seed: int = 0,
) -> tuple[DataSet, list[Sample]]:
    """The data asked for, and its samples or some of them. Exits with 2 if there are none."""
    if more_tasks and not tasks:
        raise click.UsageError(f"unexpected argument: {more_tasks[0]}")
    given = " ".join([*tasks, *more_tasks]).replace(",", " ").split()
    try:
        data_set = load(data, split, tuple(given))
    except DataError as error:
        raise click.UsageError(str(error)) from error
    return data_set, spread_evenly(samples_of(data_set.tasks), samples, seed)


def _jobs(
    folder: str, samples: list[Sample], own: bool, batch_size: int, workers: int = 1
) -> list[Job]:
    """The batches asked for. Exits with 2 if there are none."""
    try:
        jobs = jobs_of(folder, samples, own, batch_size, workers)
    except ProgramError as error:
        raise click.UsageError(str(error)) from error
    if not jobs:
        raise click.UsageError("no solver's name ends in the id of one of these tasks")
    return jobs


if __name__ == "__main__":
    main()
