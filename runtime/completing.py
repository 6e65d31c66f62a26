"""Option values for a shell to complete: files, folders, bundled workloads and languages."""

from __future__ import annotations

import click
from click.shell_completion import CompletionItem

from megabatt.runtime import LANGUAGES, WORKLOADS


def files_beginning(
    context: click.Context, option: click.Parameter, begun: str
) -> list[CompletionItem]:
    """Ask the shell for files and folders."""
    return [CompletionItem(begun, type="file")]


def folders_beginning(
    context: click.Context, option: click.Parameter, begun: str
) -> list[CompletionItem]:
    """Ask the shell for folders."""
    return [CompletionItem(begun, type="dir")]


def workloads_beginning(context: click.Context, option: click.Parameter, begun: str) -> list[str]:
    """List the bundled workloads whose names begin with `begun`."""
    return [name for name in WORKLOADS if name.startswith(begun)]


def languages_beginning(context: click.Context, option: click.Parameter, begun: str) -> list[str]:
    """List the bundled languages whose names begin with `begun`."""
    return [name for name in LANGUAGES if name.startswith(begun)]
