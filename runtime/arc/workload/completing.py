"""Values of ARC's options, for a shell to complete."""

from __future__ import annotations

import click
from click.shell_completion import CompletionItem

from megabatt.runtime.arc.workload.data import ALL, load
from megabatt.runtime.completing import files_beginning
from megabatt.runtime.megabatch.data import DataError

_DATA = ("arcagi", "arcagi2", "kaggle2024", "kaggle2025")
_SPLITS = ("training", "evaluation", "test", ALL)


def data_beginning(
    context: click.Context, option: click.Parameter, begun: str
) -> list[CompletionItem]:
    """List the data sets whose names begin so; where there is none, ask the shell for files."""
    names = [CompletionItem(name) for name in _DATA if name.startswith(begun)]
    return names or files_beginning(context, option, begun)


def splits_beginning(context: click.Context, option: click.Parameter, begun: str) -> list[str]:
    """List the splits whose names begin so."""
    return [name for name in _SPLITS if name.startswith(begun)]


def tasks_beginning(context: click.Context, option: click.Parameter, begun: str) -> list[str]:
    """List the tasks of the data chosen that begin so. Before the last comma stand other tasks."""
    others, comma, last = begun.rpartition(",")
    data, split = (context.params.get(name) for name in ("data", "split"))
    try:
        tasks = load(data or _DATA[0], split or ALL).tasks
    except (DataError, OSError):
        return []
    return [others + comma + task.name for task in tasks if task.name.startswith(last)]
