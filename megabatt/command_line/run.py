"""`megabatt run`: all solvers on all samples, summed up."""

from __future__ import annotations

import logging
import shlex
import sys
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource
from rich.console import Console

from megabatt.command_line.options import (
    MEMORY,
    SECONDS,
    SHARD,
    Options,
    WorkloadCommand,
    selectors,
)
from megabatt.command_line.selection import Selection, select
from megabatt.runtime.completing import folders_beginning
from megabatt.runtime.megabatch.batches import batches_of_sizes
from megabatt.runtime.megabatch.data import DataError
from megabatt.runtime.megabatch.run import report
from megabatt.runtime.megabatch.run.clusters import ClusterEngine, ClusterError, Plan, cluster
from megabatt.runtime.megabatch.run.compute import BatchOutcome
from megabatt.runtime.megabatch.run.folder import FolderError, RunFolder, open_folder
from megabatt.runtime.megabatch.run.job import Job
from megabatt.runtime.megabatch.run.manifest import manifest_of
from megabatt.runtime.megabatch.run.monitor import Monitor, Usage, advice, gpus_of
from megabatt.runtime.megabatch.run.progress import Progress, log
from megabatt.runtime.megabatch.run.report import print_line
from megabatt.runtime.megabatch.run.stopping import Stop, on_signals
from megabatt.runtime.megabatch.store import Store
from megabatt.runtime.megabatch.workload import Configured, Report, Workload
from megabatt.runtime.printable import echo, log_to_terminal
from megabatt.runtime.terminal import Terminal
from megabatt.runtime.vocabulary import counted


@click.command(cls=WorkloadCommand)
@selectors
@click.option("--out", metavar="DIR", shell_complete=folders_beginning,
              show_default="nothing is kept",
              help="Write a Parquet file for each batch, and summary.json, to this folder or URI, "
              "such as s3://BUCKET/FOLDER.")  # fmt: skip
@click.option("--resume", is_flag=True, help="Resume the run in --out.")
@click.option("--overwrite", is_flag=True, help="Delete the run in --out first.")
@click.option("--shard", type=SHARD, metavar="I/N",
              help="Run only every Nth batch, from the Ith on. N such processes do the whole run. "
              "Resumes the run in --out.")  # fmt: skip
@click.option("--cluster", "cluster_name", metavar="dask|ray|ADDRESS",
              help="Compute with Dask or Ray: with --workers processes here, or on the cluster at "
              "tcp://HOST:PORT (Dask) or ray://HOST:PORT (Ray).")  # fmt: skip
@click.option("--seconds", type=SECONDS, metavar="SECONDS",
              show_default="no limit",
              help="Begin no batch after this many seconds, and sum up the finished "
              "batches.")  # fmt: skip
@click.option("--outputs", type=click.Choice(["all", "fits", "none"]), default="fits",
              show_default=True, help="Which outputs --out keeps: those of solvers that fit the "
              "task's demonstrations, all, or none.")  # fmt: skip
@MEMORY
@click.option("--quiet", is_flag=True, help="Print only the last line, and errors.")
@click.option("--log-level", type=click.Choice(["debug", "info", "warning", "error"]),
              show_default="info, warning with --quiet",
              help="Least level of log messages on standard error; progress is info.")  # fmt: skip
@click.option("--config", type=click.Path(exists=True, dir_okay=False, path_type=Path),
              metavar="FILE", help="Run the configuration in this file, if the workload has such "
              "files, and write the result to --out.")  # fmt: skip
def run(
    config: Path | None,
    out: str | None,
    resume: bool,
    seconds: float | None,
    quiet: bool,
    log_level: str | None,
    **options: Any,
) -> None:
    """Run all solvers on all samples, merged into one program, and sum up the results.

    Ctrl-C stops the run after the current batches; --resume goes on from there. The exit status is
    1 if a sample could not be computed for lack of memory, 130 after Ctrl-C, and 143 after SIGTERM.
    """
    console = Terminal(quiet=quiet)
    level = (log_level or ("warning" if quiet else "info")).upper()
    log_to_terminal(level, _LOGGED, "%H:%M:%S")
    if config is not None:
        _refuse_what_it_ignores(click.get_current_context())
        sys.exit(_run_configured(console, config, out, resume, **options))
    stopping = partial(
        print_line,
        console,
        "stopping after the current batches; press Ctrl-C again to stop at once",
    )
    with on_signals(stopping) as stop, stop.after(seconds):
        try:
            status = _run(console, stop, out, resume, **options)
        except (FolderError, ClusterError) as error:
            raise click.UsageError(str(error)) from error
        except KeyboardInterrupt:  # before there was anything to sum up
            echo(f"\n{stop.cause}", err=True)
            status = stop.exit_status
    sys.exit(status)


def _run(
    console: Console,
    stop: Stop,
    out: str | None,
    resume: bool,
    overwrite: bool,
    shard: tuple[int, int] | None,
    memory: int | None,
    cluster_name: str | None,
    outputs: str,
    **selection: Any,
) -> int:
    """Do the run of the options; return the exit status.

    Raises FolderError, ClusterError, and KeyboardInterrupt if nothing has begun.
    """
    if out is None and (resume or overwrite or shard):
        raise click.UsageError("--resume, --overwrite and --shard need --out")
    if overwrite and (resume or shard):
        raise click.UsageError("--resume and --shard go on with a run that --overwrite deletes")
    store = _store(out)
    if cluster_name is not None:
        selection["device"] = "cpu"
    chosen = select(console, **selection, memory=memory, out=store, outputs=outputs)
    settings, data = chosen.settings, selection["data"]
    if cluster_name is not None:  # cluster processes have memory of their own
        settings = replace(settings, workers=selection["workers"], memory=memory)
        chosen = replace(chosen, settings=settings)
    finish = partial(_finish, console, stop, data, cluster_name)
    if store is None:
        return finish(chosen, None)
    manifest = manifest_of(settings, chosen.data, data, chosen.batches)
    with open_folder(store, manifest, resume, overwrite, shard) as folder:
        if folder.manifest.batches != manifest.batches:
            try:
                again = batches_of_sizes(settings, chosen.data, folder.manifest.batches)
            except ValueError as error:
                raise FolderError(f"{store}: its manifest.json is damaged: {error}") from error
            chosen = replace(chosen, batches=again)
            if selection["batch_size"] is not None:
                print_line(console, "--batch-size is ignored: the run keeps its batches")
        return finish(chosen, folder)


def _store(out: str | None) -> Store | None:
    if out is None:
        return None
    try:
        return Store.at(out)
    except ValueError as error:
        raise click.UsageError(f"--out {error}") from error


def _finish(
    console: Console,
    stop: Stop,
    data: Options,
    cluster_name: str | None,
    chosen: Selection,
    folder: RunFolder | None,
) -> int:
    """Run the missing samples, and sum up the whole run; return the exit status.

    Raises ClusterError.
    """
    job = Job(chosen.settings, chosen.batches, folder)
    if job.before:
        batches = counted(len(job.batches), "batch")
        print_line(console, f"there already: {len(job.before):,} of {batches}")
    report.print_first(Terminal(), "damaged", job.damaged)
    computing: AbstractContextManager[ClusterEngine | None] = nullcontext()
    if cluster_name is not None and job.missing:
        plan = Plan.of(job.settings, data, chosen.batches)
        computing = cluster(cluster_name, plan, chosen.settings.workers)
    with (
        computing as engine,
        Monitor(gpus_of(chosen.settings.devices)) as use,
        report.progress_bar(console, "running", job.samples_missing, use, lines=False) as bar,
    ):
        tell = None if console.is_terminal else partial(_log_progress, chosen, job)
        if tell is not None and job.missing:
            samples = counted(job.samples_missing, "sample")
            log.info("running %s, %s", samples, counted(len(job.missing), "batch"))
        progress = partial(_advance, bar)
        job.run(stop, progress, bar.compiled, tell, _SECONDS_BETWEEN_LINES, engine)
    summed_up = partial(_summary, chosen, job, use.summary())
    if folder is None:
        summary, of_workload = summed_up()
    else:
        summary, of_workload = folder.summed_up(summed_up)
    if not job.ended or job.before or job.outcome.batches:  # else there is nothing to tell
        report.print_summary(console, summary, of_workload, summary_written=folder is not None)
    if console.quiet:
        report.print_problems(Terminal(), summary["problems"], folder is not None)
        print_line(Terminal(), of_workload.last_line)
    if job.ended:
        print_line(Terminal(), _how_to_go_on(job, summary))
        return stop.exit_status if stop.asked else 1
    if folder is not None and folder.shard is not None:
        print_line(console, _of_shard(job, summary))
    return 1 if summary["not_computed"] else 0


_LOGGED = "%(asctime)s %(name)s: %(message)s"
_SECONDS_BETWEEN_LINES = 5.0
"""Seconds between lines of the log on the run's progress."""


def _advance(bar: report.Bar, batch: BatchOutcome) -> None:
    bar.advance(len(batch.samples))
    if batch.rescued:
        log.debug("batch %d rescued: %s", batch.batch.number, batch.rescued)


def _log_progress(chosen: Selection, job: Job, progress: Progress) -> None:
    """Log a line on the run's progress and its results so far."""
    if progress.seconds < _SECONDS_BETWEEN_LINES or not log.isEnabledFor(logging.INFO):
        return
    outcome, left = job.found(by_others=False)
    every = [*outcome.batches, *left]
    so_far = chosen.settings.workload.report(chosen.data, every, chosen.solvers).last_line
    where = f"{', '.join(chosen.settings.devices)}, batches of {chosen.largest_batch}"
    log.info("%s; %s; %s", progress, so_far, where)


def _summary(chosen: Selection, job: Job, usage: Usage) -> tuple[dict[str, Any], Report]:
    """Return the content of summary.json, and the workload's report."""
    outcome, left = job.found()
    every = [*outcome.batches, *left]
    of_workload = chosen.settings.workload.report(chosen.data, every, chosen.solvers)
    processes = len(chosen.settings.devices)
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
    about = {
        "complete": not left,
        "ended": job.ended,
        "batches_in_all": len(job.batches),
    }
    if job.folder is not None:
        about |= job.folder.manifest.described()
    return {**about, **summary}, of_workload


def _how_to_go_on(job: Job, summary: dict[str, Any]) -> str:
    """Say why a run ended, what was kept, and which command goes on."""
    done = f"{summary['batches']:,} of {counted(summary['batches_in_all'], 'batch')}"
    if job.folder is None:
        return f"{job.ended} after {done}; nothing is kept without --out"
    arguments = [word for word in sys.argv[1:] if word != "--overwrite"]
    if "--resume" not in arguments:
        arguments.append("--resume")
    again = shlex.join(["megabatt", *arguments])
    return f"{job.ended}: kept {done} in {job.folder.store}; go on with: {again}"


def _of_shard(job: Job, summary: dict[str, Any]) -> str:
    assert job.folder is not None and job.folder.shard is not None
    number, count = job.folder.shard
    done = f"{summary['batches']:,} of {counted(summary['batches_in_all'], 'batch')} of the run"
    return f"shard {number + 1} of {count} is done; the folder has {done}"


_OF_CONFIGURED = (
    "workload", "config", "out", "resume", "overwrite", "folder", "batch_size", "device", "gpus",
    "workers", "quiet", "log_level",
)  # fmt: skip


def _refuse_what_it_ignores(context: click.Context) -> None:
    """Raise UsageError for options that a configured run does not use."""
    refused = [
        option.opts[0]
        for option in context.command.get_params(context)
        if option.name not in _OF_CONFIGURED
        and context.get_parameter_source(option.name or "") == ParameterSource.COMMANDLINE
    ]
    if refused:
        are = "are" if len(refused) > 1 else "is"
        raise click.UsageError(f"{', '.join(refused)} {are} not for --config")


def _run_configured(
    console: Console,
    config: Path,
    out: str | None,
    resume: bool,
    workload: Workload[Any],
    **options: Any,
) -> int:
    """Make the workload run a configuration file; return the exit status."""
    if out is None:
        raise click.UsageError("--config needs --out, the folder to write to")
    if type(workload).run_configured is Workload.run_configured:
        line = f"the workload {workload.name} takes no --config; --workload signals does"
        raise click.UsageError(line)
    asked = Configured(
        config,
        Path(out),
        options["folder"],
        options["batch_size"],
        options["device"],
        options["gpus"],
        options["workers"],
        resume,
        options["overwrite"],
    )
    try:
        return workload.run_configured(asked, console)
    except DataError as error:
        report.print_problems(console, error.problems)
        raise click.UsageError(str(error)) from error
