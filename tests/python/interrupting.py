"""Exceptions raised at any line of what an evaluation runs through."""

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
"""Where lines are counted: in all that outlives a call, and in what it calls."""


class Interrupted(BaseException):
    """Stands for Ctrl-C, or for any other exception."""


class _Lines:
    """Counts lines as they are reached, and raises at one of them.

    Where a `with` block ends Python reaches the line of `with` once more, before it closes what
    it has opened. Nothing but a tracer can raise there, so this does not.
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
    """Raise `Interrupted` at the line of that number, counted as they are reached."""
    lines = _Lines(line)
    before = sys.gettrace()
    sys.settrace(lines.called)
    try:
        yield lines
    finally:
        sys.settrace(before)
        gc.enable()  # where it was off, an exception just before it is on again leaves it so


def lines_of(work: Callable[[], Any]) -> int:
    """Count the lines that work reaches."""
    with interrupted_at(None) as lines:
        work()
    return lines.reached


def interrupt(work: Callable[[], Any], line: int) -> str:
    """Do work, interrupted at a line. Returns where that was; "" where the work was done before."""
    try:
        with interrupted_at(line):
            work()
    except Interrupted as error:
        return str(error)
    return ""
