"""`megabatt show`: a group's samples as pictures, with a solver's outputs."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource
from rich.console import Console

from megabatt.command_line.options import (
    BATT,
    ELEMENTS,
    GroupCommand,
    Options,
    groups_beginning,
    is_dataset,
)
from megabatt.command_line.pages import write_page
from megabatt.runtime.megabatch.batches import Settings
from megabatt.runtime.megabatch.data import Data, DataError
from megabatt.runtime.megabatch.panels import output_panel, sample_row, step_rows
from megabatt.runtime.megabatch.pictures import Panel, Row, html_of, svg_of
from megabatt.runtime.megabatch.programs import Forms, PackageError, own_programs
from megabatt.runtime.megabatch.run import report
from megabatt.runtime.megabatch.trace import trace
from megabatt.runtime.megabatch.workload import Workload
from megabatt.runtime.terminal import Terminal
from megabatt.runtime.vocabulary import counted, did_you_mean, first_of, name_of, parts_of

_FILE = click.Path(dir_okay=False, path_type=Path)
_OTHER_KINDS = {".html", ".svg", ".png", ".jpg", ".jpeg", ".gif", ".webp", ".pdf"}
"""The suffixes of file names that promise another kind of file than an option writes."""


@click.command(cls=GroupCommand)
@click.argument("group", metavar="TASK", shell_complete=groups_beginning)
@click.option("--solver", metavar="NAME", show_default="the one whose name ends in the task's id",
              help="Solver whose outputs to show: its name, or the end of it.")  # fmt: skip
@BATT
@click.option("--operation", type=click.IntRange(min=1), metavar="N",
              help="Show the value of operation xN too, and its arguments.")  # fmt: skip
@click.option("--trace", "traced", is_flag=True,
              help="Show the value of every operation.")  # fmt: skip
@click.option("--sample", "places", type=click.IntRange(min=0), multiple=True, metavar="N",
              show_default="all; with --trace the first",
              help="Show only this sample, counted from 0. May be repeated.")  # fmt: skip
@click.option("--max-elements", type=ELEMENTS, show_default="the language's",
              help="Container elements that one operation may build.")  # fmt: skip
@click.option("--html", type=_FILE, metavar="FILE", help="Write an HTML page instead of printing.")
@click.option("--svg", type=_FILE, metavar="FILE", help="Write an SVG picture instead of printing.")
def show(
    workload: Workload[Any], data: Options, group: str, solver: str | None, folder: str,
    operation: int | None, traced: bool, places: tuple[int, ...], max_elements: int | None,
    html: Path | None, svg: Path | None,
) -> None:  # fmt: skip
    """Show a task's samples as pictures, with a solver's outputs and their wrong cells.

    TASK is a task's id. With --workload signals it is a transmitter, such as "transmitter 0", or
    the folder of a dataset.
    """
    for option, path in (("--html", html), ("--svg", svg)):
        kind = option[2:]
        if path is not None and path.suffix.lower() in _OTHER_KINDS - {f".{kind}"}:
            raise click.UsageError(f"{option} writes {kind.upper()}: give {path.stem}.{kind}")
    console = Terminal()
    loaded = _group(console, workload, group, data)
    settings = Settings(workload, folder, max_elements)
    given = click.get_current_context().get_parameter_source("folder") != ParameterSource.DEFAULT
    forms = _forms(settings, loaded, group, solver, bool(operation or traced), given)
    chosen = _chosen(workload, loaded, group, places) if places else loaded.samples
    if traced and not places:
        chosen = chosen[:1]
    overview = workload.shown.overview(loaded)
    rows = [Row("", overview)] if overview else []
    for sample in chosen:
        predicted = [] if forms is None else [_predicted(settings, forms, sample)]
        rows.append(sample_row(workload, sample, *predicted))
        if forms is not None and (traced or operation):
            rows += _step_rows(settings, forms, sample, operation)
    title = f"{group}, {forms.solvers[0]}" if forms is not None else group
    for path, text in ((html, html_of(title, rows)), (svg, svg_of(rows))):
        if path is not None:
            write_page(console, path, text)
    if html is None and svg is None:
        for row in rows:
            console.print(row)
    if forms is None and given:
        report.print_line(console, _no_solver(folder, group))
    report.print_problems(console, loaded.problems)


def _group(console: Console, workload: Workload[Any], group: str, options: Options) -> Data[Any]:
    try:
        return workload.load_group(group, **options)
    except DataError as error:
        report.print_problems(console, error.problems)
        known = workload.name == "arc" and is_dataset(Path(group))
        line = f"{group} is a dataset: --workload signals shows it" if known else str(error)
        raise click.UsageError(line) from error


def _chosen(
    workload: Workload[Any], data: Data[Any], group: str, numbers: tuple[int, ...]
) -> list[Any]:
    """Return the samples of these numbers. Exits with 2 if there is no such sample."""
    known = [workload.shown.number(sample, place) for place, sample in enumerate(data.samples)]
    for number in numbers:
        if number > max(known):
            raise click.UsageError(f"{group} has samples 0 to {max(known)}")
        if number not in known:
            raise click.UsageError(f"sample {number} of {group} could not be read")
    return [sample for number, sample in zip(known, data.samples, strict=True) if number in numbers]


def _forms(
    settings: Settings, data: Data[Any], group: str, solver: str | None, wanted: bool, given: bool
) -> Forms | None:
    """Find the solver's program, if there is one.

    wanted: Exit with 2 if there is none. given: Exit with 2 if there is no folder of programs.
    """
    try:
        programs = own_programs(settings.folder)
    except PackageError as error:
        if solver is None and not wanted and not given:
            return None
        raise click.UsageError(str(error)) from error
    where = settings.folder if given else "the bundled programs"
    if solver is not None:
        return programs[_named(solver, programs, where)]
    meant = (data.solver_for or _named_after)(group, programs)
    if meant is None and wanted:
        raise click.UsageError(_no_solver(where, group))
    return None if meant is None else programs[meant]


def _named_after(group: str, programs: Collection[str]) -> str | None:
    """Return the first program that is named after a group; None if there is none."""
    return next((name for name in programs if name_of(group) in parts_of(name)), None)


def _no_solver(where: str, group: str) -> str:
    return f"no solver in {where} is for {group}: name one by --solver"


def _named(solver: str, programs: Collection[str], where: str) -> str:
    if solver in programs:
        return solver
    ending = [name for name in programs if name.endswith(solver)]
    if len(ending) == 1:
        return ending[0]
    several = f": it may be {', '.join(ending[:5])}" if ending else ""
    meant = several or did_you_mean(solver, programs) or f"; known: {first_of(list(programs), 5)}"
    raise click.UsageError(f"no solver {solver!r} in {where}{meant}")


def _predicted(settings: Settings, forms: Forms, sample: Any) -> Panel:
    """Draw a solver's output, and say whether it is right."""
    outputs, failed = settings.scalar(forms, sample)
    (name, value), *_ = outputs.items()
    why = ", ".join(f"x{number} ({reason})" for number, reason in failed.items())
    return output_panel(settings.workload, name, value, sample.expected, why)


def _step_rows(settings: Settings, forms: Forms, sample: Any, number: int | None) -> Iterator[Row]:
    """Yield a row for every operation, or for operation `number` alone with its arguments."""
    if number is not None and number > forms.operations:
        raise click.UsageError(f"{forms.solvers[0]} has {counted(forms.operations, 'operation')}")
    return step_rows(settings.workload, trace(settings, forms, sample), sample, number)
