"""`megabatt submit`: a run's outputs as a submission."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from megabatt.command_line.options import DataCommand, LocalPath, is_dataset
from megabatt.runtime.arc.workload import WORKLOAD, ArcData, arc_data
from megabatt.runtime.arc.workload.completing import data_beginning, splits_beginning
from megabatt.runtime.arc.workload.data import Task
from megabatt.runtime.arc.workload.results import RunResults, candidates_for
from megabatt.runtime.arc.workload.submission import (
    beyond_colors,
    submission_of,
    write_submission,
)
from megabatt.runtime.megabatch.data import DataError
from megabatt.runtime.megabatch.page.folder import what_is_missing
from megabatt.runtime.megabatch.run.report import (
    print_first,
    print_line,
    print_problems,
    progress_bar,
)
from megabatt.runtime.terminal import Terminal
from megabatt.runtime.vocabulary import counted, first_of


@click.command(cls=DataCommand)
@click.argument("folder", type=LocalPath(path_type=Path), metavar="DIR")
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
              default="submission.json", show_default=True, help="File to write.")  # fmt: skip
@click.option("--data", metavar="NAME|FILE|DIR", show_default="the data of the run",
              shell_complete=data_beginning, help="Tasks to submit for.")  # fmt: skip
@click.option("--split", metavar="NAME", show_default="the split of the run",
              shell_complete=splits_beginning,
              help="Part of --data: training, evaluation or test.")  # fmt: skip
def submit(folder: Path, out: Path, data: str | None, split: str | None) -> None:
    """Write a run's outputs as a submission: two attempts for each test input.

    DIR is a folder that `megabatt run --out` wrote. The attempts are the outputs of the two
    shortest solvers that fit all demonstrations and differ. If fewer fit, the solvers that are
    right most often follow (`run --outputs all` keeps their outputs), then the input itself, then
    a black cell, [[0]], and a blue one, [[1]].
    """
    console = Terminal()
    if is_dataset(folder):
        raise click.UsageError(f"{folder} is a dataset of signals: a submission is of ARC's tasks")
    try:
        run = RunResults.read(folder, WORKLOAD)
        if run.manifest.outputs == "none":
            raise DataError(f"{folder}: the run kept no outputs; run with --outputs fits, or all")
        options: dict[str, Any] = dict(run.data_options)
        if data is not None:
            options = {"data": data}
        if split is not None:
            options["split"] = split
        tasks = arc_data(**options)
        missing = what_is_missing(folder)
        with progress_bar(console, "reading the run", 1, unit="run"):
            of_run = _tasks_of(console, run, tasks, data)
            candidates = candidates_for(tasks.tasks, run, of_run)
        if not candidates:
            raise DataError(f"{folder}: the run was of none of these tasks", tasks.problems)
        submission = submission_of(tasks.tasks, candidates)
        write_submission(out, submission)
    except DataError as error:
        print_problems(console, error.problems)
        raise click.UsageError(str(error)) from error
    except OSError as error:
        raise click.UsageError(f"{out}: {error.strerror or error}") from error
    print_problems(console, tasks.problems)
    print_first(console, "not submittable", list(filter(None, map(beyond_colors, tasks.tasks))))
    if missing:
        print_line(console, missing)
    others = [task.name for task in tasks.tasks if task.name not in candidates]
    if others:
        print_line(console, f"not in the run: {first_of(others, _NAMED)}")
    fitted = sum(any(c.fits for c in candidates.get(task.name, ())) for task in tasks.tasks)
    tests = sum(map(len, submission.values()))
    print_line(
        console,
        f"{fitted} of {counted(len(submission), 'task')} fitted; "
        f"attempts for {counted(tests, 'test input')} -> {out}",
    )


_NAMED = 3
"""The most tasks that are named as not in the run."""


def _tasks_of(
    console: Terminal, run: RunResults, tasks: ArcData, data: str | None
) -> list[Task]:
    """Return the tasks of a run; `tasks`, if `data` names these and the run's cannot be loaded.

    Raises DataError.
    """
    try:
        return (tasks if run.is_of(tasks, WORKLOAD) else run.load(WORKLOAD)).tasks
    except DataError as error:
        if data is None:
            raise
        print_line(console, f"{error}: the tasks of {data} are taken for the run's")
        return tasks.tasks
