"""The element budget of an operation: how much one operation may build before it fails."""

from __future__ import annotations

MAX_ELEMENTS = 131_072
"""Container elements that one operation may build, unless a run says otherwise."""

UNLIMITED = 1 << 62
"""The budget outside an operation, where primitives are called directly from Python."""

INTEGER_MIN, INTEGER_MAX = -(2**31), 2**31 - 1
"""The range of the language's Integers, both ends included."""


MAX_DEPTH = 32
"""How deep containers may lie one in the other, and how deep functions may be built from others."""

TOO_DEEP = 1 << 40
"""What a value or a function counts for that is deeper: more than any operation may build."""


class LimitError(Exception):
    """An operation would build more than `max_elements`, or an Integer out of range."""


class Budget:
    """What the operation under way may still build.

    There is one for the process: the scalar form runs one operation at a time, and a
    primitive that calls another (through a function value) draws on the same budget.
    """

    __slots__ = ("left",)

    def __init__(self) -> None:
        self.left = UNLIMITED


budget = Budget()


def charge(elements: int) -> None:
    """Take `elements` off the budget. Raises LimitError once it is overdrawn."""
    budget.left = left = budget.left - elements
    if left < 0:
        raise LimitError("the operation would build more than max_elements")


def integer(value: int) -> int:
    """`value`, if it is within the language's Integers. Raises LimitError otherwise."""
    if -2147483648 <= value <= 2147483647:
        return value
    raise LimitError("an Integer out of range")
