"""Values of ARC's options, for a shell to complete."""

import click
from click.shell_completion import CompletionItem

from megabatt.runtime.arc.workload.data import ALL, load
from megabatt.runtime.arc.workload.sources import SPLITS
from megabatt.runtime.completing import files_beginning
from megabatt.runtime.megabatch.data import DataError

_DATA = ("arcagi", "arcagi2", "kaggle2024", "kaggle2025")


def data_beginning(
    context: click.Context, option: click.Parameter, begun: str
) -> list[CompletionItem]:
    """List the data sets whose names begin with `begun`; without any, ask the shell for files."""
    names = [CompletionItem(name) for name in _DATA if name.startswith(begun)]
    return names or files_beginning(context, option, begun)


def splits_beginning(context: click.Context, option: click.Parameter, begun: str) -> list[str]:
    """List the splits whose names begin with `begun`."""
    return [name for name in (*SPLITS, ALL) if name.startswith(begun)]


def tasks_beginning(context: click.Context, option: click.Parameter, begun: str) -> list[str]:
    """List the chosen data's tasks that begin with the part of `begun` after the last comma."""
    others, comma, last = begun.rpartition(",")
    data, split = (context.params.get(name) for name in ("data", "split"))
    try:
        tasks = load(data or _DATA[0], split or ALL).tasks
    except (DataError, OSError):
        return []
    return [others + comma + task.name for task in tasks if task.name.startswith(last)]
