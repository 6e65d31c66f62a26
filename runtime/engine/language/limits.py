"""The element budget of an operation: how much one operation may build before it fails."""

from __future__ import annotations

import threading

MAX_ELEMENTS = 1_048_576
"""Container elements that one operation may build, unless a run says otherwise."""

UNLIMITED = 1 << 62
"""The budget outside an operation, where primitives are called directly from Python."""

TOO_DEEP = 1 << 40
"""What a value nested too deeply counts as: more than any operation may build."""


SHORTAGES = (MemoryError, RecursionError, SystemError)
"""What Python raises where memory or its stack runs out; SystemError can come from the interpreter
itself. The operation has not failed then: it is not computed."""


class LimitError(Exception):
    """An operation would build more than `max_elements`, or an Integer out of range."""


class ArityError(TypeError):
    """A function is called with another number of arguments than it takes."""


class Budget(threading.local):
    """What the operation under way may still build.

    Each thread has its own: in a thread the scalar form runs one operation at a time, and a
    primitive that calls another (through a function value) draws on the same budget.

    nested: how many calls of functions of a program's own are under way within one another.
    """

    def __init__(self) -> None:
        self.left = self.limit = UNLIMITED
        self.nested = 0

    def begin(self, limit: int = UNLIMITED) -> None:
        """Let the next operation build so much; anything, by default."""
        self.left = self.limit = limit


budget = Budget()


def charge(elements: int) -> None:
    """Take `elements` off the budget. Raises LimitError once it is overdrawn."""
    budget.left = left = budget.left - elements
    if left < 0:
        raise LimitError(_overdrawn(budget.limit - left, budget.limit))


def require(elements: int) -> None:
    """Require that the budget suffices for `elements`. Raises LimitError otherwise."""
    if elements > budget.left:
        raise LimitError(_overdrawn(budget.limit - budget.left + elements, budget.limit))


def _overdrawn(asked: int, allowed: int) -> str:
    if asked >= TOO_DEEP:
        return "builds what is nested too deeply"
    return f"builds {asked:,} elements, {allowed:,} allowed"
