"""The main job's command line: `python run_batt.py run | verify | bench | fuzz | sweep`."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from megabatt.runtime.megabatch.batches import Batch, Settings, batches_of, one_of_each_program
from megabatt.runtime.megabatch.measure.bench import bench as bench_forms
from megabatt.runtime.megabatch.measure.sweep import (
    SIZES,
    Load,
    Measured,
    best_sizes,
    gpus_of,
    keep_sizes,
    kept_size,
    plot,
    write_csv,
)
from megabatt.runtime.megabatch.measure.sweep import sweep as sweep_sizes
from megabatt.runtime.megabatch.programs import Forms, ProgramError, merged_program, own_programs
from megabatt.runtime.megabatch.run import hardware, report
from megabatt.runtime.megabatch.run.monitor import Monitor, advice
from megabatt.runtime.megabatch.run.report import print_line
from megabatt.runtime.megabatch.run.run import run_batches, write_summary
from megabatt.runtime.megabatch.samples import augmented, spread_evenly
from megabatt.runtime.megabatch.verify.fuzz import fuzz as fuzz_forms
from megabatt.runtime.megabatch.verify.fuzz import print_report
from megabatt.runtime.megabatch.verify.verify import verify_batches
from megabatt.runtime.megabatch.workload import Data, DataError, Workload, WorkloadError, named

BATCH_SIZE = 1000
"""On a CPU that no sweep has run on."""

_WORKLOAD_OPTION = click.Option(
    ["--workload"], default="arc", show_default=True, metavar="NAME",
    help="What is run: arc, or a module whose WORKLOAD says it. It may bring options of its own."
)  # fmt: skip
_BATCH_SIZE_OPTION = click.option(
    "--batch-size", type=click.IntRange(min=1),
    show_default=f"the best of the last sweep; without one {BATCH_SIZE}, or what a GPU holds",
    help="Samples computed at once.")  # fmt: skip

SELECTORS: list[Callable[..., Any]] = [
    click.option("--batt", "folder", default="generated", show_default=True, metavar="DIR",
                 help="Folder that `python -m codegen` wrote."),
    _BATCH_SIZE_OPTION,
    click.option("--device", type=click.Choice(["auto", "cpu", "cuda"]), default="auto",
                 show_default=True, help="Where to compute; auto: on a GPU that is there."),
    click.option("--devices", "gpus", default="", metavar="N,N,...", show_default="all",
                 help="Which GPUs; a process for each time that one is named."),
    click.option("--gpu-threshold", type=click.IntRange(min=0), default=hardware.GPU_THRESHOLD,
                 show_default=True,
                 help="With auto: lanes a batch up to which a GPU is not taken."),
    click.option("--workers", type=click.IntRange(min=1), default=os.cpu_count() or 1,
                 show_default="number of cores", help="Worker processes."),
    click.option("--max-elements", type=click.IntRange(min=1), show_default="the language's",
                 help="Container elements one operation may build."),
]  # fmt: skip


def selectors(command: Callable[..., Any], batch_size: bool = True) -> Callable[..., Any]:
    """The options that the commands share; batch_size: with the one for it."""
    for option in reversed(SELECTORS):
        if batch_size or option is not _BATCH_SIZE_OPTION:
            command = option(command)
    return command


class WorkloadCommand(click.Command):
    """A command with the options of the workload that it is given by `--workload`.

    It is called with the workload, and what its own options ask for by their names, as `data`.
    """

    own_options = True

    def parse_args(self, context: click.Context, args: list[str]) -> list[str]:
        finder = click.Command(
            None, params=[_WORKLOAD_OPTION], add_help_option=False,
            context_settings={"ignore_unknown_options": True, "allow_extra_args": True},
        )  # fmt: skip
        found = finder.make_context(None, list(args), parent=context, resilient_parsing=True)
        try:
            context.obj = named(found.params["workload"])
        except WorkloadError as error:
            raise click.UsageError(str(error), context) from error
        return super().parse_args(context, args)

    def get_params(self, context: click.Context) -> list[click.Parameter]:
        first, *others = super().get_params(context)
        return [_WORKLOAD_OPTION, first, *self._options(context), *others]

    def invoke(self, context: click.Context) -> Any:
        options = {
            option.name: context.params.pop(option.name) for option in self._options(context)
        }
        context.params["workload"] = context.obj
        if self.own_options:
            context.params["data"] = options
        return super().invoke(context)

    def _options(self, context: click.Context) -> tuple[click.Parameter, ...]:
        if not self.own_options:
            return ()
        return (context.obj or named("arc")).options  # type: ignore[no-any-return]


class LanguageCommand(WorkloadCommand):
    """A command that is of the workload's language alone, and takes none of its options."""

    own_options = False


Options = dict[str, Any]
"""What a workload's options ask for, by their names."""


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def main() -> None:
    """Evaluate a program of many solvers on many samples at once.

    The programs are those that `python -m codegen` wrote to a folder.
    """


@main.command(cls=WorkloadCommand)
@selectors
@click.option("--out", type=click.Path(file_okay=False, path_type=Path), metavar="FOLDER",
              help="Write a Parquet file a batch and summary.json there.")  # fmt: skip
def run(out: Path | None, **selection: Any) -> None:
    """Run all solvers on all samples in one mega-batch and sum up what they give.

    Exits with 1 if a sample could not be computed, as memory is short.
    """
    console = Console()
    chosen = _select(console, **selection)
    settings = replace(chosen.settings, out=out)
    with (
        Monitor(gpus_of(settings.devices)) as use,
        report.progress_bar(console, "running", chosen.lanes, use) as bar,
    ):
        outcome = run_batches(settings, chosen.batches, bar.advance, bar.compiled)
    usage, processes = use.summary(), len(settings.devices)
    of_workload = chosen.settings.workload.report(chosen.data, outcome.batches, chosen.solvers)
    summary = report.summary_of(
        outcome,
        of_workload,
        operations=sum(forms.operations for forms in chosen.programs),
        solvers=sum(len(forms.solvers) for forms in chosen.programs),
        problems=chosen.data.problems,
        usage=usage,
        advice=advice(
            usage, chosen.largest_batch, len(chosen.batches), outcome.seconds,
            processes, max(processes, outcome.workers),
        ),
    )  # fmt: skip
    if out is not None:
        write_summary(out / "summary.json", summary)
    report.print_summary(console, summary, of_workload, summary_written=out is not None)
    sys.exit(1 if summary["not_computed"] else 0)


@main.command(cls=WorkloadCommand)
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
    chosen = _select(console, **selection)
    lost: list[str] = []
    not_compared: list[str] = []
    with report.progress_bar(console, "verifying", chosen.lanes) as bar:
        differences = verify_batches(
            chosen.settings, chosen.batches, bar.advance, bar.compiled,
            lost.append, not_compared.append,
        )  # fmt: skip
    if lost:
        print_line(console, f"{lost[0]}: batches from then on were computed on the CPU")
    for difference in differences:
        print_line(console, str(difference))
    report.print_problems(console, chosen.data.problems)
    report.print_first(console, "not compared", not_compared)
    solvers = sum(len(forms.solvers) for forms in chosen.programs)
    print_line(
        console,
        f"verified {chosen.lanes} samples x {solvers} solvers: {len(differences)} differences"
        + (f", {len(not_compared)} samples not compared" if not_compared else ""),
    )
    sys.exit(1 if differences or not_compared else 0)


@main.command(cls=WorkloadCommand)
@selectors
@click.option("--samples", type=click.IntRange(min=1), default=100, show_default=True,
              help="How many samples the scalar form runs on, drawn at random.")  # fmt: skip
@click.option("--seed", type=int, default=0, show_default=True, help="Of that draw.")
@click.option("--lanes", type=click.IntRange(min=1), show_default="all of the data",
              help="How many samples the vectorized form runs on; beyond those of the data they "
              "are variants of these, no two alike.")  # fmt: skip
def bench(samples: int, seed: int, **selection: Any) -> None:
    """Time both forms in one run; the last line is a JSON object of the figures.

    Exits with 1 if a sample could not be computed, as memory is short: the times are not for it.
    """
    console = Console()
    chosen = _select(console, **selection)
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
    print(json.dumps(figures))
    sys.exit(1 if figures["not_computed"] else 0)


@main.command(cls=WorkloadCommand)
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
    workload: Workload[Any], data: Options, sizes: str, patience: float, out: Path, device: str,
    gpus: str, gpu_threshold: int, workers: int, max_elements: int | None, folder: str,
) -> None:  # fmt: skip
    """Time batch sizes on every device and keep the best for runs to come of all solvers.

    A size is one batch of so many samples; where there are fewer, they are varied. The best is the
    smallest size within 3 % of the least time a lane.
    """
    console = Console()
    wanted = _sizes(sizes)
    loaded = _loaded(console, workload, data)
    report.print_problems(console, loaded.problems)
    settings = Settings(workload, folder, max_elements, workers=workers)
    _batches(settings, loaded, wanted[0])
    try:
        there = hardware.available(gpus)
    except ValueError as error:
        raise click.UsageError(str(error)) from error
    names = [name for name in there if device in ("auto", name.partition(":")[0])]
    if not names:
        raise click.UsageError(f"there is no device {device} here; leave --device out to go on")
    settings = replace(settings, devices=tuple(names))
    with report.progress_bar(console, "sweeping", sum(wanted) * len(names)) as bar:
        found = sweep_sizes(
            Load(settings, loaded), wanted, patience,
            lambda measured: bar.advance(measured.batch_size),
            lambda line: print_line(console, line),
            bar.compiled,
        )  # fmt: skip
    if not found:
        raise click.ClickException("no size could be timed; try smaller --sizes, more --patience")
    report.print_sweep(console, found)
    _write_sweep(console, out, found)
    best = best_sizes(found)
    for name, size in best.items():
        print_line(console, f"best batch size on {name}: {size}")
    if loaded.solver_for is None:  # small programs' sizes are none for the merged one
        _keep_best(console, workload, best)


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
        print_line(
            console, "no sweep.png: matplotlib is missing; `pip install 'megabatt[plot]'` brings it"
        )


def _keep_best(console: Console, workload: Workload[Any], best: dict[str, int]) -> None:
    try:
        kept = f"kept in {keep_sizes(workload.name, best)} for the next runs"
    except (OSError, RuntimeError) as error:
        kept = f"not kept for the next runs: {error}"
    print_line(console, kept)


@main.command(cls=LanguageCommand)
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
    workload: Workload[Any], programs: int, samples: int, seed: int, workers: int,
    max_elements: int, device: str,
) -> None:  # fmt: skip
    """Compare both forms on random programs over the whole language.

    Exits with 1 if they differ, or if a program could not be compared, as memory is short.
    """
    console = Console()
    if workload.draws is None:
        raise click.UsageError(f"workload {workload.name} does not say what to make programs of")
    names, why = hardware.choose(device)
    if device != "cpu":
        print_line(console, why)
    with report.progress_bar(console, "fuzzing", programs * samples) as bar:
        outcome = fuzz_forms(
            workload, programs, samples, seed, workers, max_elements,
            lambda done: bar.advance(done * samples), names[0],
        )  # fmt: skip
    print_report(console, workload, outcome, samples)
    sys.exit(1 if outcome.differences or outcome.not_compared else 0)


@dataclass(frozen=True)
class Selection:
    """What a command's options ask for."""

    settings: Settings
    data: Data[Any]
    batch_size: int
    batches: list[Batch]

    @property
    def lanes(self) -> int:
        return sum(len(batch.samples) for batch in self.batches)

    @property
    def largest_batch(self) -> int:
        return max(len(batch.samples) for batch in self.batches)

    @property
    def programs(self) -> list[Forms]:
        """Each in use once."""
        return [self.settings.forms(batch) for batch in one_of_each_program(self.batches)]

    @property
    def solvers(self) -> tuple[str, ...]:
        """All that there are, in use or not."""
        folder = self.settings.folder
        if self.data.solver_for is None:
            return merged_program(folder).solvers
        return tuple(own_programs(folder))

    def batches_of(self, samples: list[Any]) -> list[Batch]:
        return _batches(self.settings, replace(self.data, samples=samples), self.batch_size)


def _select(
    console: Console,
    workload: Workload[Any],
    data: Options,
    folder: str,
    batch_size: int | None,
    device: str,
    gpus: str,
    gpu_threshold: int,
    workers: int,
    max_elements: int | None,
    lanes: int | None = None,
    samples: int | None = None,
    seed: int = 0,
) -> Selection:
    """The data, batches and devices asked for. Exits with 2 if there are none.

    lanes: so many samples, variants where there are too few; samples: only so many, drawn at
    random by `seed`.
    """
    loaded = _loaded(console, workload, data)
    chosen = spread_evenly(loaded.samples, samples, seed)
    size_of = partial(_batch_size, batch_size, workload.name, loaded.solver_for is not None)
    try:
        if lanes is not None:
            chosen = augmented(workload, spread_evenly(chosen, lanes, seed=0), lanes)
        names, _ = hardware.choose(device, numbers=gpus)
        size, note = size_of(names[0], names.count(names[0]))
        names, why = hardware.choose(device, min(size, len(chosen)), gpu_threshold, gpus)
    except ValueError as error:
        raise click.UsageError(str(error)) from error
    if names == ["cpu"]:
        size, note = size_of("cpu")
    loaded = replace(loaded, samples=chosen)
    settings = Settings(workload, folder, max_elements, workers=workers, devices=tuple(names))
    batches = _batches(settings, loaded, size, workers if names == ["cpu"] else 1)
    for line in (note, why if device != "cpu" else ""):
        if line:
            print_line(console, line)
    return Selection(settings, loaded, size, batches)


def _batch_size(
    asked_for: int | None, workload: str, own: bool, device: str, processes: int = 1
) -> tuple[int, str]:
    """The batch size asked for, the best of the last sweep, or the default; and what to say.

    own: whether each solver runs on its own group; processes: how many share the device.
    """
    kept = None if own or asked_for else kept_size(workload, device)
    if kept is not None:
        return kept, f"batch size {kept}: the best of the last sweep on this machine"
    if asked_for is None and device != "cpu":
        return hardware.batch_size_for(hardware.opened(device), processes), ""
    return asked_for or BATCH_SIZE, ""


def _loaded(console: Console, workload: Workload[Any], options: Options) -> Data[Any]:
    """The data asked for. Exits with 2 if there is none.

    What could not be read of it is left to be printed, but where this exits.
    """
    try:
        loaded = workload.load(**options)
        if not loaded.samples:
            raise DataError("there are no samples", loaded.problems)
    except DataError as error:
        report.print_problems(console, error.problems)
        raise click.UsageError(str(error)) from error
    return loaded


def _batches(settings: Settings, data: Data[Any], batch_size: int, workers: int = 1) -> list[Batch]:
    """The batches asked for. Exits with 2 if there are none."""
    try:
        batches = batches_of(settings, data, batch_size, workers)
    except ProgramError as error:
        raise click.UsageError(str(error)) from error
    if not batches:
        raise click.UsageError(f"no solver of {settings.folder} is meant for one of the samples")
    return batches


if __name__ == "__main__":
    main()
