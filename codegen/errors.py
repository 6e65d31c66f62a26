"""Mistakes in programs, each with its place."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from megabatt.runtime.printable import printable


class Place(NamedTuple):
    """A place in a source without a syntax tree; lines count from 1, columns from 0."""

    lineno: int
    col_offset: int = 0

    @classmethod
    def of(cls, node: Any) -> Place:
        """Return the place of a syntax node, see `place_of`."""
        line, column = place_of(node)
        return cls(line, column - 1)


def place_of(node: Any) -> tuple[int, int]:
    """Return the line and the column, both from 1, of a syntax node or a `Place`.

    The place of a function is its name.
    """
    column = getattr(node, "col_offset", 0) + 1
    if isinstance(node, ast.FunctionDef):
        column += len("def ")
    return getattr(node, "lineno", 1), column


_EXCERPT = 120
"""The most characters of a source line that are shown."""


class ProgramError(NamedTuple):
    """One mistake in a source. Lines and columns count from 1.

    Attributes:
        file: The file.
        line: The line.
        column: The column.
        message: What is wrong, and what to write instead.
        name: The name of the program; "" if the mistake is outside of every program.
        source: The text of the line.
        begin: The line where the program begins; 0 if it is unknown.
    """

    file: str
    line: int
    column: int
    message: str
    name: str = ""
    source: str = ""
    begin: int = 0

    def __str__(self) -> str:
        program = f"{self.name}: " if self.name else ""
        return f"{self.file}:{self.line}:{self.column}: {program}{self.message}"

    @property
    def shown(self) -> str:
        """The mistake; below it the line, of a long line a part, and a mark below the column."""
        if not self.source.strip():
            return str(self)
        begin = max(min(self.column - _EXCERPT // 2, len(self.source) - _EXCERPT), 0)
        end = begin + _EXCERPT
        line = self.source[begin:end].lstrip()
        column = max(self.column - 1 - min(end, len(self.source)) + len(line), 0)
        before = ("…" if begin else "") + line[:column]
        after = line[column:].rstrip() + ("…" if end < len(self.source) else "")
        mark = " " * len(printable(before)) + "^"
        return f"{self}\n    {before}{after}\n    {mark}"


def advice_on_modules(errors: Iterable[ProgramError], modules: Sequence[str]) -> list[str]:
    """Return a line on options if a primitive is unknown and `modules` is empty."""
    unknown = has_unknown_primitive(errors) and not modules
    own = "if an unknown primitive is your own, name its module: --primitives MODULE"
    advice = [f"{own}; if it is another name of a known one: --aliases FILE"]
    return advice if unknown else []


def has_unknown_primitive(errors: Iterable[ProgramError]) -> bool:
    """Tell whether a mistake is an unknown primitive."""
    return any("unknown primitive" in error.message for error in errors)


NO_PROGRAM = "the text has no program"
NO_FILE = "no .py, .jsonl or .md file lies in the folder itself"


def count_unread(errors: Iterable[ProgramError]) -> int:
    """Count the programs that have mistakes; a mistake outside of every program counts as one.

    A text or a folder without a program counts as none.
    """
    programs = (error for error in errors if error.message not in (NO_PROGRAM, NO_FILE))
    return len({(error.file, error.begin or error.line) for error in programs})


class Wrong(Exception):
    """Raised for source that cannot be read. node: The syntax node, or a `Place`."""

    def __init__(self, node: object, message: str) -> None:
        super().__init__(message)
        self.node = node
        self.message = message


class Endless(Wrong):
    """Raised for a program that is too large; the rest of it is not read."""
