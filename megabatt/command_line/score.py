"""`megabatt score`: a submission against the solutions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from megabatt.command_line.options import DataCommand
from megabatt.runtime.arc.workload.completing import (
    data_beginning,
    splits_beginning,
    tasks_beginning,
)
from megabatt.runtime.arc.workload.data import ALL, ids_in, load, of_split
from megabatt.runtime.arc.workload.sources import Unreadable, read_by_id
from megabatt.runtime.arc.workload.submission import read_submission
from megabatt.runtime.arc.workload.submission import score as score_of
from megabatt.runtime.megabatch.data import DataError
from megabatt.runtime.megabatch.run.report import print_first, print_line
from megabatt.runtime.terminal import Terminal
from megabatt.runtime.vocabulary import counted, did_you_mean


@click.command(cls=DataCommand)
@click.argument("submission", metavar="SUBMISSION.JSON",
                type=click.Path(exists=True, path_type=Path))  # fmt: skip
@click.option("--solutions", type=click.Path(exists=True, path_type=Path), metavar="FILE",
              help="Test outputs by task id: Kaggle's *_solutions.json. Either this or --data "
              "is needed.")  # fmt: skip
@click.option("--data", metavar="NAME|FILE|DIR", shell_complete=data_beginning,
              help="Tasks with test outputs, instead of --solutions.")  # fmt: skip
@click.option("--split", default=ALL, show_default=True, metavar="NAME",
              shell_complete=splits_beginning,
              help="Part of --data: training, evaluation or test.")  # fmt: skip
@click.option("--tasks", multiple=True, metavar="ID...", show_default="all",
              shell_complete=tasks_beginning,
              help="Score only these tasks: ids, separated by spaces or commas.")  # fmt: skip
@click.argument("more_tasks", nargs=-1, metavar="", shell_complete=tasks_beginning)
def score(
    submission: Path, solutions: Path | None, data: str | None, split: str,
    tasks: tuple[str, ...], more_tasks: tuple[str, ...],
) -> None:  # fmt: skip
    """Score a submission: one of two attempts must be right for each test output.

    Tasks that are not in the submission count as wrong; --tasks or --split leaves them out.
    """
    console = Terminal()
    if submission.suffix in (".py", ".md", ".jsonl"):
        kind = "score takes a submission.json, and `megabatt try` takes programs"
        raise click.UsageError(f"{submission} is a file of programs: {kind}")
    if (solutions is None) == (data is None):
        raise click.UsageError(
            "say where the right outputs are: --data arcagi (or your tasks), or --solutions FILE"
        )
    if solutions is not None and split != ALL:
        raise click.UsageError("--split is for --data; --tasks chooses among --solutions")
    problems: list[str] = []
    try:
        right = _outputs_of(data, split) if solutions is None else _solutions(solutions, problems)
        given = read_submission(submission, problems)
        where = str(solutions or f"the known outputs of {of_split(data or '', split)}")
        if given.keys().isdisjoint(right):
            of = f", such as {next(iter(given))}," if given else ""
            raise DataError(f"no task of {submission}{of} is in {where}")
        chosen = ids_in(tasks, more_tasks)
        if chosen:
            right = _only(chosen, right)
            given = {task: attempts for task, attempts in given.items() if task in right}
        found = score_of(given, right, where)
        if not found.outputs:
            raise DataError(f"no test output is in {where}: {'; '.join(found.problems[:2])}")
    except DataError as error:
        raise click.UsageError(str(error)) from error
    print_first(console, "problem", [*problems, *found.problems])
    print_line(console, f"tasks right: {', '.join(found.tasks_right) or 'none'}")
    print_line(console, f"mean over tasks: {found.share_by_task:.4f}")
    print_line(
        console,
        f"{found.outputs_right:,} of {counted(found.outputs, 'test output')} right: "
        f"score {found.share:.4f}; "
        f"{len(found.tasks_right):,} of {counted(len(found.by_task), 'task')}",
    )


def _only(tasks: tuple[str, ...], outputs: dict[str, Any]) -> dict[str, Any]:
    """Return the outputs of some tasks. Raises DataError if a task's outputs are not known."""
    for task in tasks:
        if task not in outputs:
            meant = did_you_mean(task, outputs, 0.8)
            raise DataError(f"--tasks: no test outputs are known of {task}{meant}")
    return {task: outputs[task] for task in tasks}


def _solutions(path: Path, problems: list[str]) -> dict[str, Any]:
    try:
        return read_by_id(path, str(path), problems)
    except Unreadable as error:
        raise DataError(str(error)) from error


def _outputs_of(data: str | None, split: str) -> dict[str, Any]:
    """Return the test outputs of the tasks of a data set whose test outputs are all known."""
    found: dict[str, Any] = {}
    for task in load(data or "", split).tasks:
        outputs = [pair.output for pair in task.pairs if pair.is_test]
        if task.id in found:
            raise DataError(f"two tasks are called {task.id}: --split chooses one split")
        if outputs and None not in outputs and not task.unread_tests:
            found[task.id] = outputs
    if not found:
        raise DataError(f"{data}: no test outputs are known")
    return found
