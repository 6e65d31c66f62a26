"""Pages and pictures that commands write."""

from __future__ import annotations

from pathlib import Path

import click
from rich.console import Console

from megabatt.runtime.megabatch.run.report import print_line


def write_page(console: Console, path: Path, page: str) -> None:
    """Write a page and say so in a line. Raises click.UsageError where it cannot be written."""
    try:
        path.write_text(page, encoding="utf-8")
    except OSError as error:
        raise click.UsageError(f"{path}: {error.strerror or error}") from error
    print_line(console, f"{path}: {len(page.encode()) / 1e3:,.0f} kB")
