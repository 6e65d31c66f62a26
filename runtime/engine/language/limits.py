"""The element budget: how much one operation may build before it fails."""

import threading

MAX_ELEMENTS = 1_048_576
"""The default number of container elements that one operation may build."""

UNLIMITED = 1 << 62
"""The budget outside an operation, where primitives are called directly from Python."""

TOO_DEEP = 1 << 40
"""The weight of a value that is nested too deeply: more than any budget."""


SHORTAGES = (MemoryError, RecursionError, SystemError)
"""The errors that Python raises if memory or its stack runs out; SystemError can come from the
interpreter itself. The operation is then not computed, but it has not failed."""


class LimitError(Exception):
    """Raised if an operation would build more than `max_elements`, or an Integer out of range."""


class ArityError(TypeError):
    """Raised if a function is called with a wrong number of arguments."""


class Budget(threading.local):
    """The elements that the current operation may still build.

    Each thread has its own budget, since a thread runs one operation at a time. Primitives that an
    operation calls draw on the same budget.

    nested: The depth of nested calls of functions of a program's own.
    """

    left = limit = UNLIMITED
    nested = 0

    def begin(self, limit: int = UNLIMITED) -> None:
        """Set the budget of the next operation; by default, no limit."""
        self.left = self.limit = limit


budget = Budget()


def charge(elements: int) -> None:
    """Take `elements` off the budget; below 0, nothing. Raises LimitError once it is overdrawn."""
    if elements > 0:
        budget.left = left = budget.left - elements
        if left < 0:
            raise LimitError(overdrawn(budget.limit - left, budget.limit))


def overdrawn(asked: int, allowed: int) -> str:
    """Say that an operation would be charged for `asked` elements and calls."""
    if asked >= TOO_DEEP:
        return f"builds {TOO_DEEP:,} elements or more, or a value nested too deeply"
    return f"takes {asked:,} elements and calls; max_elements allows {allowed:,}"
