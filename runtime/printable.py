"""Makes text safe to show: text from a file cannot control the terminal that shows it."""

from __future__ import annotations

import logging
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click


def printable(text: str) -> str:
    """Return the text with an escape for every character that a terminal must not show.

    These are the characters that are not `str.isprintable`: controls, including line ends, marks
    that change the direction of writing, lone surrogates, and all space except the blank.
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def printable_lines(text: str) -> str:
    """Return `printable` of each line of the text."""
    return "\n".join(map(printable, text.split("\n")))


_SHOWN = 80
_QUOTES = "'\""


def short(value: object) -> str:
    """Return a value's `repr` as one printable line for a message, cut if it is long."""
    try:
        text = " ".join(repr(value).split())
    except Exception:  # for a number of thousands of digits, or in a class of the caller's own
        text = f"a value of type {type(value).__name__}"
    if len(text) <= _SHOWN:
        return printable(text)
    return printable(f"{text[:_SHOWN]}...{text[0] if text[0] in _QUOTES else ''}")


_BEGINNING, _END = 300, 200


def brief(line: str) -> str:
    """Return a line of a message as printable text, without the middle of a very long line."""
    if len(line) <= _BEGINNING + _END:
        return printable(line)
    return printable(f"{line[:_BEGINNING]}...{line[-_END:]}")


def why_not_imported(module: str, error: BaseException) -> str:
    """Say why a module cannot be imported, with the line of its file, or what to write instead."""
    if module.endswith(".py"):
        if not Path(module).exists():
            return "there is no such file"
        return f"it is a file: write {Path(module).stem}, the module's name"
    if "/" in module:
        return "name a module, or a file that ends in .py"
    lines = [at for at in traceback.extract_tb(error.__traceback__) if at.name == "<module>"]
    files = [f"{at.filename.removeprefix(f'{Path.cwd()}/')}:{at.lineno}: " for at in lines[-1:]]
    return f"{''.join(files)}{type(error).__name__}: {error}"


def echo(lines: object, err: bool = False) -> None:
    """Print lines on standard output or, with `err`, on standard error."""
    click.echo(printable_lines(str(lines)), err=err)


@contextmanager
def printable_errors() -> Iterator[None]:
    """Make the messages of Click's errors printable: they quote arguments and files."""
    try:
        yield
    except click.ClickException as error:
        error.message = printable_lines(error.message)  # type: ignore[misc]
        raise


class _Formatter(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        """Return the printable text of a record."""
        return printable_lines(super().format(record))


def log_to_terminal(level: str, form: str, time_form: str | None = None) -> None:
    """Print log records on standard error. form, time_form: As in `logging.Formatter`."""
    handler = logging.StreamHandler()
    handler.setFormatter(_Formatter(form, time_form))
    logging.basicConfig(level=level, handlers=[handler])
