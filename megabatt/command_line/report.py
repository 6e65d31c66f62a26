"""`megabatt report`: a run as a page."""

from __future__ import annotations

from pathlib import Path

import click
from rich.console import Console

from megabatt.runtime.arc.workload import WORKLOAD, arc_data
from megabatt.runtime.arc.workload.page import page_of
from megabatt.runtime.arc.workload.results import RunResults
from megabatt.runtime.megabatch.run.report import print_line, print_problems
from megabatt.runtime.megabatch.workload import DataError


@click.command()
@click.argument("folder", type=click.Path(path_type=Path), metavar="DIR")
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
              show_default="report.html in DIR", help="Where to write it.")  # fmt: skip
def report(folder: Path, out: Path | None) -> None:
    """Write a run's folder as an HTML page: tasks, solvers, failures, for any browser.

    DIR is the folder that `megabatt run --out` wrote. The page is one file that needs no network.
    """
    console = Console()
    path = folder / "report.html" if out is None else out
    try:
        run = RunResults.read(folder)
        page = page_of(run, arc_data(**run.data_options).tasks, WORKLOAD)
        path.write_text(page, encoding="utf-8")
    except DataError as error:
        print_problems(console, error.problems)
        raise click.UsageError(str(error)) from error
    except OSError as error:
        raise click.UsageError(f"{path}: {error.strerror or error}") from error
    print_line(console, f"{path}: {len(page.encode()) / 1e6:.1f} MB")
