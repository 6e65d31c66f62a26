"""Exceptions raised at any line that an evaluation reaches."""

from __future__ import annotations

import ast
import gc
import sys
from collections.abc import Callable
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

FOLDERS = ("/runtime/engine/", "/runtime/megabatch/", "/runtime/search/")
"""The folders in which lines are counted: code with state that outlives a call, and its callees."""


class Interrupted(BaseException):
    """Stands for Ctrl-C, or for any other exception."""


class _Lines:
    """Counts the lines that Python reaches, and raises at one line.

    When a `with` block ends, Python reaches the line of `with` again, before it closes the context.
    Only a tracer could raise there, so `_Lines` neither counts that line again nor raises at it.
    """

    def __init__(self, raise_at: int | None) -> None:
        self.reached = 0
        self._raise_at = raise_at

    def called(self, frame: Any, event: str, arg: Any) -> Any:
        named = frame.f_code.co_filename
        traced = any(folder in named for folder in FOLDERS)
        return _Call(self, _opening(named)).line if traced else None

    def reach(self, frame: Any) -> None:
        self.reached += 1
        if self.reached == self._raise_at:
            raise Interrupted(f"{frame.f_code.co_filename}:{frame.f_lineno}")


class _Call:
    """Follows the lines of one call of a function."""

    def __init__(self, lines: _Lines, opening: frozenset[int]) -> None:
        self._lines = lines
        self._opening = opening
        self._open: set[int] = set()

    def line(self, frame: Any, event: str, arg: Any) -> Any:
        if event == "line":
            number = frame.f_lineno
            if number in self._open:
                self._open.remove(number)
            else:
                if number in self._opening:
                    self._open.add(number)
                self._lines.reach(frame)
        return self.line


@cache
def _opening(file: str) -> frozenset[int]:
    """Return the lines of a source on which `with` opens something."""
    nodes = ast.walk(ast.parse(Path(file).read_text()))
    every = [node for node in nodes if isinstance(node, ast.With)]
    items = [item.context_expr for node in every for item in node.items]
    return frozenset(node.lineno for node in [*every, *items])


@contextmanager
def interrupted_at(line: int | None):
    """Raise `Interrupted` at the `line`-th line that Python reaches; never if it is None."""
    lines = _Lines(line)
    before = sys.gettrace()
    sys.settrace(lines.called)
    try:
        yield lines
    finally:
        sys.settrace(before)
        gc.enable()  # an exception just before the work enables the collector leaves it disabled


def lines_of(work: Callable[[], Any]) -> int:
    """Count the lines that work reaches."""
    with interrupted_at(None) as lines:
        work()
    return lines.reached


def interrupt(work: Callable[[], Any], line: int) -> str:
    """Do work, interrupted at a line. Returns the line's place; "" if the work ended before."""
    try:
        with interrupted_at(line):
            work()
    except Interrupted as error:
        return str(error)
    return ""
