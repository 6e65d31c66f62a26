"""Exceptions raised at any line of what an evaluation runs through."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import contextmanager
from typing import Any

FOLDERS = ("/runtime/engine/", "/runtime/megabatch/")
"""Where lines are counted: in all that outlives a call, and in what it calls."""


class Interrupted(BaseException):
    """Stands for Ctrl-C, or for any other exception."""


class _Lines:
    """Counts lines as they are reached, and raises at one of them."""

    def __init__(self, raise_at: int | None) -> None:
        self.reached = 0
        self._raise_at = raise_at

    def called(self, frame: Any, event: str, arg: Any) -> Any:
        named = frame.f_code.co_filename
        return self.line if any(folder in named for folder in FOLDERS) else None

    def line(self, frame: Any, event: str, arg: Any) -> Any:
        if event == "line":
            self.reached += 1
            if self.reached == self._raise_at:
                raise Interrupted(f"{frame.f_code.co_filename}:{frame.f_lineno}")
        return self.line


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
