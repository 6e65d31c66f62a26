"""Other names of a language's words, from a file."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import click

from megabatt.runtime.printable import short


def read_aliases(path: Path) -> dict[str, str]:
    """Read a JSON or TOML file that maps other names to the language's words.

    Raises OSError if the file cannot be read, ValueError if its content is not such a table.
    """
    kind, loads = ("TOML", tomllib.loads) if path.suffix == ".toml" else ("JSON", json.loads)
    try:
        table: Any = loads(path.read_text(encoding="utf-8-sig"))
    except ValueError as error:
        raise ValueError(f"{path}: not {kind}: {error}") from error
    if not isinstance(table, dict):
        raise ValueError(f'{path}: write a table such as {{"vertical_mirror": "vmirror"}}')
    for name, word in table.items():
        if not name.isidentifier() or not isinstance(word, str):
            raise ValueError(f"{path}: {name!r} = {short(word)} is no alias, a name for a name")
    return table


def _read(context: click.Context, option: click.Parameter, path: Path | None) -> dict[str, str]:
    if path is None:
        return {}
    try:
        return read_aliases(path)
    except OSError as error:
        raise click.BadParameter(f"{path}: {error.strerror}") from error
    except ValueError as error:
        raise click.BadParameter(str(error)) from error


ALIASES = click.option(
    "--aliases", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE", callback=_read,
    help="A JSON or TOML file of other names for primitives and constants: "
    '{"vertical_mirror": "vmirror"}.',
)  # fmt: skip
