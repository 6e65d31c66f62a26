"""`megabatt report`: a run as a page."""

from __future__ import annotations

from pathlib import Path

import click

from megabatt.codegen.language import look_in_working_folder
from megabatt.command_line.options import DataCommand, LocalPath
from megabatt.command_line.pages import write_page
from megabatt.runtime import WORKLOADS
from megabatt.runtime.completing import workloads_beginning
from megabatt.runtime.megabatch.data import DataError
from megabatt.runtime.megabatch.page.folder import read_summary, what_is_missing
from megabatt.runtime.megabatch.page.page import page_of
from megabatt.runtime.megabatch.run.report import print_line, print_problems, progress_bar
from megabatt.runtime.megabatch.workload import WorkloadError, named
from megabatt.runtime.terminal import Terminal


@click.command(cls=DataCommand)
@click.argument("folder", type=LocalPath(path_type=Path), metavar="DIR")
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
              show_default="report.html in DIR", help="File to write.")  # fmt: skip
@click.option("--workload", metavar="MODULE", show_default="the workload of the run",
              shell_complete=workloads_beginning,
              help="Module of the workload, if it is not one of megabatt's.")  # fmt: skip
def report(folder: Path, out: Path | None, workload: str | None) -> None:
    """Write a run as an HTML page: tasks, programs, failures and times, for any browser.

    DIR is a folder that `megabatt run --out` wrote. The page is one file, and needs no network.
    """
    console = Terminal()
    path = folder / "report.html" if out is None else out
    if workload is not None:
        look_in_working_folder()
    try:
        known = named(workload or _workload_of(folder))
        with progress_bar(console, "making the page", 1, unit="page"):
            page = page_of(folder, known)
        missing = what_is_missing(folder)
    except DataError as error:
        print_problems(console, error.problems)
        raise click.UsageError(str(error)) from error
    except WorkloadError as error:
        raise click.UsageError(str(error)) from error
    except OSError as error:
        raise click.UsageError(f"{folder}: {error.strerror or error}") from error
    if missing:
        print_line(console, missing)
    write_page(console, path, page)


def _workload_of(folder: Path) -> str:
    """Read the name of the workload of a run. Raises DataError."""
    name = str(read_summary(folder)["workload"])
    if name not in WORKLOADS:
        raise DataError(f"{folder}: a run of workload {name}: name its module with --workload")
    return name
