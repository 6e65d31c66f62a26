"""Functions of a program's own as values: a code, and captured values.

A code is a plain tuple, a value like any other:

    (text, captured, numbers, *constants)

text        the text of the function's operations as numbers, see `numbers_of`; it orders codes
captured    the number of captured values
numbers     the numbers of parameters, of operations and of steps; the operand that is returned;
            `STEP` numbers for each step; `BRANCH` numbers for each branch
constants   the constants that the operations read

A step runs an operation in a branch: the branch, the number of arguments, the function, and room
for four arguments. Operands are numbers: constants from -1 down, slots from 0 up. The slots are
those of captured values, of parameters, and of steps' values, in this order.

A branch is a side of a choice. It is written as the enclosing branch (0 for none), the condition,
and whether the condition must be true (1) or false (0). Branches count from 1. A step runs only if
its branch is taken. An operation that several branches need has a step in each.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from megabatt.runtime.engine.language.limits import ArityError, LimitError, budget, charge
from megabatt.runtime.engine.language.policy import policy
from megabatt.runtime.engine.language.values import Function, call_cost, size_within, truth
from megabatt.runtime.vocabulary import counted

HEAD, STEP, BRANCH, ARGUMENTS = 4, 7, 3, 4
TEXT, CAPTURED, NUMBERS, CONSTANTS = range(4)
"""The places of a code's parts."""


def numbers_of(text: str) -> tuple[int, ...]:
    """Return a text as Integers in the same order, three bytes of UTF-8 to an Integer."""
    encoded = text.encode()
    padded = encoded + bytes(-len(encoded) % 3)
    return tuple((np.frombuffer(padded, np.uint8).reshape(-1, 3) @ (1 << 16, 1 << 8, 1)).tolist())


def _text_of(numbers: Sequence[int]) -> str:
    fours = np.array(numbers, dtype=">u4").view(np.uint8).reshape(-1, 4)
    return fours[:, 1:].tobytes().rstrip(b"\0").decode()


class Closure(Function):
    """A function of a program's own: `args` are its code and the captured values.

    Without the captured values, it is a function of these values that returns the function.
    """

    __slots__ = ()
    name = chr(sys.maxunicode)  # comes after all names in the order

    def measure(self) -> int:
        """Return the size: the number of operations, plus the sizes of captured functions."""
        code, *captured = self.args
        if len(captured) < code[CAPTURED]:
            return 1
        return int(code[NUMBERS][1]) + sum(map(size_within, captured))

    def spelled(self) -> tuple[str, Sequence[Any]]:
        code, *captured = self.args
        return f"({_text_of(code[TEXT])})", captured

    def __call__(self, *args: Any) -> Any:
        """Run the operations, except in branches not taken. Raises a failed operation's error."""
        code, *captured = self.args
        if len(args) != self.arity:
            takes = "takes" if len(captured) == code[CAPTURED] else "captures"
            values = f"{counted(self.arity, 'value')}, got {len(args)}"
            raise ArityError(f"a function of the program {takes} {values}")
        if len(captured) < code[CAPTURED]:
            made = Closure(code[NUMBERS][0], code, *args)
            charge(made.size)
            return made
        budget.nested += 1
        try:
            if budget.nested > policy().max_depth:
                raise LimitError("calls of functions of the program lie too deep in one another")
            return _Body(code).value((*captured, *args))
        finally:
            budget.nested -= 1


@lru_cache(maxsize=4096)
class _Body:
    """A code in the form for calls. Slots and constants are numbered as in `numbers`."""

    def __init__(self, code: tuple[Any, ...]) -> None:
        _, _, count, self.returns, *rest = code[NUMBERS]
        steps = [rest[at : at + STEP] for at in range(0, STEP * count, STEP)]
        self.steps = [(branch, called, args[:n]) for branch, n, called, *args in steps]
        at_branches = range(STEP * count, len(rest), BRANCH)
        self.branches = [tuple(rest[at : at + BRANCH]) for at in at_branches]
        self.constants = code[:NUMBERS:-1]  # in reverse order: numbers are places from the end

    def value(self, given: tuple[Any, ...]) -> Any:
        """Make a call. given: The captured values and the arguments."""
        slots = [*given, *[None] * len(self.steps), *self.constants]
        for slot, (branch, called, arguments) in enumerate(self.steps, len(given)):
            if branch and not self._is_taken(branch, slots):
                continue
            function = slots[called]
            if isinstance(function, Function):
                charge(call_cost(function))
            slots[slot] = function(*[slots[place] for place in arguments])
        return slots[self.returns]

    def _is_taken(self, branch: int, slots: list[Any]) -> bool:
        while branch:
            branch, condition, wanted = self.branches[branch - 1]
            if truth(slots[condition]) != wanted:
                return False
        return True
