"""Runs a configuration file for the command, and reports progress."""

from __future__ import annotations

import time
from contextlib import ExitStack
from dataclasses import replace
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from megabatt.runtime.megabatch.batches import Batch, Settings
from megabatt.runtime.megabatch.data import DataError
from megabatt.runtime.megabatch.locks import InUse, locked
from megabatt.runtime.megabatch.programs import PackageError, merged_program
from megabatt.runtime.megabatch.run import hardware, report
from megabatt.runtime.megabatch.run.compiling import compile_kernels
from megabatt.runtime.megabatch.run.manifest import program_digest
from megabatt.runtime.megabatch.run.monitor import Monitor, Usage, gpus_of
from megabatt.runtime.megabatch.run.report import print_line
from megabatt.runtime.megabatch.run.stopping import on_signals
from megabatt.runtime.megabatch.store import Store
from megabatt.runtime.megabatch.summaries import write_summary
from megabatt.runtime.megabatch.workload import Configured, Workload
from megabatt.runtime.signal.dataset.configuration import (
    Configuration,
    ConfigurationError,
    read_configuration,
)
from megabatt.runtime.signal.dataset.files import (
    DatasetFolder,
    DatasetRefused,
    begin,
    files_in,
    go_on,
)
from megabatt.runtime.signal.dataset.generation import Generation
from megabatt.runtime.signal.dataset.measuring import LATE, Unmeasured, chain_of, samples_of
from megabatt.runtime.signal.dataset.rejection import EARLY, Fruitless, survivors_from
from megabatt.runtime.terminal import Terminal
from megabatt.runtime.vocabulary import counted


def run_dataset(asked: Configured, workload: Workload[Any], console: Console) -> int:
    """Make the dataset that a configuration file describes; return the exit status.

    Raises DataError.
    """
    with ExitStack() as entered:
        try:
            configuration = read_configuration(asked.config)
            if asked.batch_size is not None:
                configuration = replace(configuration, batch_size=asked.batch_size)
            settings = _settings(asked, workload, configuration, console)
            store = Store.at(asked.out)
            store.make()
            entered.enter_context(locked(store, ".run.lock", "in use by another run"))
            programs = program_digest(settings, own=False)
            if asked.resume:
                folder = go_on(asked.out, configuration, programs)
            else:
                folder = begin(asked.out, configuration, programs, asked.overwrite)
        except (
            ConfigurationError, DatasetRefused, InUse, OSError, PackageError, ValueError
        ) as error:  # fmt: skip
            raise DataError(str(error).split("\n")) from error
        return _generate(configuration, settings, folder, console)


def _generate(
    configuration: Configuration, settings: Settings, folder: DatasetFolder, console: Console
) -> int:
    """Generate what the folder lacks; return the exit status."""
    _print_plan(console, configuration, folder)
    began, problem = time.perf_counter(), ""
    stopping = "stopping after the current batches; press Ctrl-C again to stop at once"
    with (
        on_signals(lambda: print_line(console, stopping)) as stop,
        Monitor(gpus_of(settings.devices)) as use,
        report.progress_bar(console, "generating", configuration.num_samples, use) as bar,
    ):
        stop.between_batches = True
        bar.advance(folder.accepted)
        generation = Generation(settings, configuration, folder, stop, bar.advance)
        try:
            _compile(settings, configuration, bar)
            generation.run()
        except (Fruitless, Unmeasured, OSError) as error:
            problem = str(error)
            if isinstance(error, Fruitless):
                folder.rejected.update(error.rejected)
    summary = _summary(generation, use.summary(), time.perf_counter() - began)
    try:
        write_summary(folder.store, summary, files_in(folder.path).values())
    except OSError as error:
        problem = problem or str(error)
    _print_summary(console, summary)
    if problem:
        print_line(Terminal(), problem)
        return 1
    made = f"{counted(folder.accepted, 'sample')} -> {folder.path}"
    if generation.missing:
        goes_on = f"--resume makes the other {counted(generation.missing, 'sample')}"
        print_line(Terminal(), f"{stop.cause}: {made}; the same command with {goes_on}")
        return stop.exit_status
    print_line(Terminal(), f"{configuration.dataset_name}: {made}")
    return 0


def _settings(
    asked: Configured,
    workload: Workload[Any],
    configuration: Configuration,
    console: Console,
) -> Settings:
    needed = chain_of(configuration).solvers
    missing = [name for name in needed if name not in merged_program(asked.folder).solvers]
    if missing:
        raise PackageError(f"{asked.folder}: there is no solver {', '.join(missing)} in it")
    names, why = hardware.choose(asked.device, configuration.batch_size, numbers=asked.gpus)
    if asked.device != "cpu":
        print_line(console, why)
    return Settings(workload, asked.folder, workers=asked.workers, devices=tuple(names))


def _compile(settings: Settings, configuration: Configuration, bar: report.Bar) -> None:
    """Compile the kernels before the work is shared out."""
    if settings.devices[0] != "cpu" or settings.workers < 2:
        return
    some = next(survivors_from(configuration, 0))
    lanes = samples_of(configuration, some.links.take(slice(1)))[:1]
    compile_kernels(settings, [Batch(0, None, lanes)], bar.compiled)


def _print_plan(console: Console, configuration: Configuration, folder: DatasetFolder) -> None:
    c = configuration
    receivers = (
        f"{c.min_receivers} to {c.max_receivers} receivers"
        if c.use_random_receivers
        else f"{len(c.receivers)} receivers"
    )
    print_line(
        console,
        f"{c.dataset_name}: {counted(c.num_samples, 'sample')} of {receivers}, signals of "
        f"{c.signal_length:,} samples -> {folder.path}",
    )
    if folder.accepted:
        print_line(console, f"there already: {counted(folder.accepted, 'sample')}")
    report.print_first(Terminal(), "damaged", folder.damaged)


def _summary(generation: Generation, use: Usage, wall: float) -> dict[str, Any]:
    """Return the run in figures: of the whole dataset first, then of this run."""
    folder, c = generation.folder, generation.configuration
    rejected = {reason: folder.rejected[reason] for reason in (*EARLY, *LATE)}
    seconds = generation.seconds
    return {
        "workload": "signals",
        "dataset_name": c.dataset_name,
        "samples": folder.accepted,
        "samples_missing": generation.missing,
        "candidates": folder.accepted + sum(rejected.values()),
        "rejected": rejected,
        "signals_this_run": generation.signals,
        "signals_per_second": round(generation.signals / wall, 1),
        "seconds": {
            "early rejection": round(seconds["early"], 3),
            "signals, all workers": round(seconds["signals"], 2),
            "wall clock": round(wall, 2),
        },
        "early_rejection_share": round(seconds["early"] / wall, 4),
        "usage": report.usage_figures(use),
        "notes": [f"{note} ({counted(count, 'time')})" for note, count in generation.notes.items()],
    }


def _print_summary(console: Console, summary: dict[str, Any]) -> None:
    table = Table(title="megabatt run", show_header=False, title_justify="left")
    table.add_column(justify="left")
    table.add_column(justify="right")
    rows = [
        ("samples", f"{summary['samples']:,}"),
        ("candidates", f"{summary['candidates']:,}"),
        *((f"rejected, {reason}", f"{count:,}") for reason, count in summary["rejected"].items()),
        ("signals, this run", f"{summary['signals_this_run']:,}"),
        ("signals a second of wall clock", f"{summary['signals_per_second']:,}"),
        *((f"seconds, {what}", f"{s:,.2f}") for what, s in summary["seconds"].items()),
    ]
    for name, value in rows:
        table.add_row(Text(name), Text(value))
    console.print(table)
    for note in summary["notes"]:
        print_line(console, note)
