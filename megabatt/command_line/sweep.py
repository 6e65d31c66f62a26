"""`megabatt sweep`: batch sizes timed on every device."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from megabatt.command_line.options import (
    COUNTS,
    SECONDS,
    Options,
    WorkloadCommand,
    selectors,
)
from megabatt.command_line.selection import batches_for, data_for
from megabatt.runtime.megabatch.batches import Settings
from megabatt.runtime.megabatch.extras import install_command
from megabatt.runtime.megabatch.measure.sweep import (
    SIZES,
    Load,
    Measured,
    best_sizes,
    keep_sizes,
    plot,
    write_csv,
)
from megabatt.runtime.megabatch.measure.sweep import sweep as sweep_sizes
from megabatt.runtime.megabatch.run import hardware, report
from megabatt.runtime.megabatch.run.report import print_line
from megabatt.runtime.megabatch.workload import Workload
from megabatt.runtime.terminal import Terminal


@click.command(cls=WorkloadCommand)
@partial(selectors, batch_size=False)
@click.option(
    "--sizes",
    type=COUNTS,
    default=",".join(map(str, SIZES)),
    metavar="N,N,...",
    show_default=f"powers of two, {SIZES[0]} to {SIZES[-1]}",
    help="Batch sizes to time.",
)
@click.option(
    "--patience",
    type=SECONDS,
    default=120.0,
    show_default=True,
    help="Seconds that a size may take. Slower sizes are left out.",
)
@click.option("--out", type=click.Path(file_okay=False, path_type=Path), metavar="DIR",
              default=Path("results/sweep"), show_default=True,
              help="Folder to write sweep.csv and sweep.png to.")  # fmt: skip
def sweep(
    workload: Workload[Any], data: Options, sizes: list[int], patience: float, out: Path,
    device: str, gpus: str, gpu_threshold: int, workers: int, max_elements: int | None, folder: str,
) -> None:  # fmt: skip
    """Time batch sizes on every device, and keep the best size for later runs.

    Each size is timed on one batch of that many samples; if the data has fewer, variants are added.
    The best size is the smallest within 3 % of the least time per lane.
    """
    console = Terminal()
    loaded = data_for(console, workload, data)
    report.print_problems(console, loaded.problems)
    settings = Settings(workload, folder, max_elements, workers=workers)
    batches_for(settings, loaded, sizes[0])
    try:
        there = hardware.available(gpus)
    except ValueError as error:
        raise click.UsageError(str(error)) from error
    names = [name for name in there if device in ("auto", name.partition(":")[0])]
    if not names:
        raise click.UsageError(f"there is no device {device} here: leave out --device")
    settings = replace(settings, devices=tuple(names))
    with _writing_to(out):
        out.mkdir(parents=True, exist_ok=True)
    with report.progress_bar(console, "sweeping", sum(sizes) * len(names)) as bar:
        found = sweep_sizes(
            Load(settings, loaded), sizes, patience,
            lambda measured: bar.advance(measured.batch_size),
            lambda line: print_line(console, line),
            bar.compiled,
        )  # fmt: skip
    if not found:
        raise click.ClickException("no size was timed: try smaller --sizes, or more --patience")
    report.print_sweep(console, found)
    best = best_sizes(found)
    for name, size in best.items():
        print_line(console, f"best batch size on {name}: {size}")
    if loaded.solver_for is None:  # sizes for solvers' own programs do not suit the merged one
        _keep_best(console, workload, best)
    with _writing_to(out):
        _write_sweep(console, out, found)


@contextmanager
def _writing_to(out: Path) -> Iterator[None]:
    """Exit with 2 if the block cannot write to the folder."""
    try:
        yield
    except OSError as error:
        raise click.UsageError(f"{out}: {error.strerror or error}") from error


def _write_sweep(console: Console, out: Path, found: list[Measured]) -> None:
    write_csv(out / "sweep.csv", found)
    try:
        plot(out / "sweep.png", found)
    except ImportError:
        command = install_command("plot")
        print_line(console, f"no sweep.png: matplotlib is missing; install it with `{command}`")


def _keep_best(console: Console, workload: Workload[Any], best: dict[str, int]) -> None:
    try:
        kept = f"kept in {keep_sizes(workload.name, best)} for the next runs"
    except (OSError, RuntimeError) as error:
        kept = f"not kept for the next runs: {error}"
    print_line(console, kept)
