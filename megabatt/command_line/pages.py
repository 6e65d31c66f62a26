"""Pages and pictures that commands write."""

from __future__ import annotations

from pathlib import Path

import click
from rich.console import Console

from megabatt.runtime.megabatch.run.report import print_line
from megabatt.runtime.megabatch.store import Store


def write_page(console: Console, path: Path, page: str) -> None:
    """Write a page, whole or not at all, and print a line on it. Raises click.UsageError.

    A link at the path is replaced; the file that the link leads to does not change.
    """
    try:
        Store.at(path.parent).write(path.name, page.encode())
    except OSError as error:
        raise click.UsageError(f"{path}: {error.strerror or error}") from error
    print_line(console, f"{path}: {len(page.encode()) / 1e3:,.0f} kB")
