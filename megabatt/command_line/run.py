"""`megabatt run`: all solvers on all samples, summed up."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource
from rich.console import Console

from megabatt.command_line.options import WorkloadCommand, selectors
from megabatt.command_line.selection import select
from megabatt.runtime.megabatch.measure.sweep import gpus_of
from megabatt.runtime.megabatch.run import report
from megabatt.runtime.megabatch.run.monitor import Monitor, advice
from megabatt.runtime.megabatch.run.run import run_batches, write_summary
from megabatt.runtime.megabatch.workload import Configured, DataError, Workload


@click.command(cls=WorkloadCommand)
@selectors
@click.option("--out", type=click.Path(file_okay=False, path_type=Path), metavar="FOLDER",
              help="Write a Parquet file a batch and summary.json there.")  # fmt: skip
@click.option("--config", type=click.Path(exists=True, dir_okay=False, path_type=Path),
              metavar="FILE", help="Run what this file describes, where the workload has such "
              "files, and write it to --out.")  # fmt: skip
def run(out: Path | None, config: Path | None, **selection: Any) -> None:
    """Run all solvers on all samples in one mega-batch and sum up what they give.

    Exits with 1 if a sample could not be computed, as memory is short.
    """
    console = Console()
    if config is not None:
        sys.exit(_run_configured(console, config, out, **selection))
    chosen = select(console, **selection)
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


def _run_configured(
    console: Console, config: Path, out: Path | None, workload: Workload[Any], **options: Any
) -> int:
    """What a configuration file describes, run by the workload. Returns the exit status."""
    if out is None:
        raise click.UsageError("--config needs --out, the folder to write to")
    given = click.get_current_context().get_parameter_source
    asked = Configured(
        config,
        out,
        options["folder"] if given("folder") is ParameterSource.COMMANDLINE else None,
        options["batch_size"],
        options["device"],
        options["gpus"],
        options["workers"],
    )
    try:
        return workload.run_configured(asked, console)
    except DataError as error:
        report.print_problems(console, error.problems)
        raise click.UsageError(str(error)) from error
