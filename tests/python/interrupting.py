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


@cache
def _opening(file: str) -> frozenset[int]:
    """Return the lines of a source on which `with` opens something."""
    nodes = ast.walk(ast.parse(Path(file).read_text()))
    every = [node for node in nodes if isinstance(node, ast.With)]
    items = [item.context_expr for node in every for item in node.items]
    return frozenset(node.lineno for node in [*every, *items])


@contextmanager
def interrupted_at(line: int | None):
    """Raise `Interrupted` at the `line`-th line that Python reaches; never if it is None.

    Yields the list of reached lines. When a `with` block ends, Python reaches the line of `with`
    again, before it closes the context. Only a tracer could raise there, so that line does not
    count again.
    """
    reached: list[int] = []

    def called(frame: Any, event: str, arg: Any) -> Any:
        named = frame.f_code.co_filename
        if not any(folder in named for folder in FOLDERS):
            return None
        opening, is_open = _opening(named), set()

        def at(frame: Any, event: str, arg: Any) -> Any:
            number = frame.f_lineno
            if event == "line" and number in is_open:
                is_open.remove(number)
            elif event == "line":
                is_open.update(opening & {number})
                reached.append(number)
                if len(reached) == line:
                    raise Interrupted(f"{named}:{number}")
            return at

        return at

    before = sys.gettrace()
    sys.settrace(called)
    try:
        yield reached
    finally:
        sys.settrace(before)
        gc.enable()  # an exception just before the work enables the collector leaves it disabled


def lines_of(work: Callable[[], Any]) -> int:
    """Count the lines that work reaches."""
    with interrupted_at(None) as reached:
        work()
    return len(reached)


def interrupt(work: Callable[[], Any], line: int) -> str:
    """Do work, interrupted at a line. Returns the line's place; "" if the work ended before."""
    try:
        with interrupted_at(line):
            work()
    except Interrupted as error:
        return str(error)
    return ""
