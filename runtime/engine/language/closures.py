"""Functions of a program's own, as values: a code, and the values that it captures.

A code is a plain tuple, so that it goes wherever values go:

    (text, captured, numbers, *constants)

text        the text of the function's operations as characters' numbers, by which codes stand in
            order
captured    how many values it captures
numbers     how many parameters it has; how many operations; what it returns; `STEP` numbers for
            each operation; `BRANCH` numbers for each branch
constants   what its operations read besides

An operation is its branch, how many arguments it has, its function, and room for four arguments.
What it reads is a number: a constant, from -1 down, or a slot, from 0 up: of what is captured, of
the parameters, and of what the operations give, in this order.

A branch is what only one side of a choice needs: the branch that it lies in, 0 for none, the
condition, and whether that must be true (1) or false (0). Branches count from 1. An operation of a
branch is made only where the branch is taken.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from megabatt.runtime.engine.language.limits import ArityError, LimitError, budget, charge
from megabatt.runtime.engine.language.policy import policy
from megabatt.runtime.engine.language.values import Function, call_cost, size_of, truth

HEAD, STEP, BRANCH, ARGUMENTS = 3, 7, 3, 4
TEXT, CAPTURED, NUMBERS, CONSTANTS = range(4)
"""Where in a code its parts are."""

Code = tuple[Any, ...]


class Closure(Function):
    """A function of a program's own: `args` are its code and the values that it captures.

    Without these, though its code captures some, it is the function of them that makes it.
    """

    __slots__ = ()
    name = chr(sys.maxunicode)  # in order it comes after all that have names

    @property
    def built_from(self) -> tuple[Any, ...]:
        code, *captured = self.args
        return (*code[CONSTANTS:], *captured)

    def measure(self) -> int:
        """Return the size: how many operations it has, and the sizes of functions it captures."""
        code, *captured = self.args
        if len(captured) < code[CAPTURED]:
            return 1
        return int(code[NUMBERS][1]) + sum(size_of(value) for value in captured if callable(value))

    def spelled(self) -> tuple[str, Sequence[Any]]:
        code, *captured = self.args
        return f"({''.join(map(chr, code[TEXT]))})", captured

    def __call__(self, *args: Any) -> Any:
        """Make the operations, those of branches not taken left out. Raises what one raises."""
        code, *captured = self.args
        if len(args) != self.arity:
            takes = "takes" if len(captured) == code[CAPTURED] else "captures"
            raise ArityError(f"a function of the program {takes} {self.arity} values: {len(args)}")
        if len(captured) < code[CAPTURED]:
            made = Closure(code[NUMBERS][0], code, *args)
            charge(made.size)
            return made
        budget.nested += 1
        try:
            if budget.nested > policy().max_depth:
                raise LimitError("calls of functions of the program lie too deep in one another")
            return _body_of(code).value((*captured, *args))
        finally:
            budget.nested -= 1


class _Body(NamedTuple):
    """A code as its calls use it. Slots and constants are as in `numbers`."""

    steps: list[tuple[int, int, list[int]]]
    """Of each operation: its branch, its function, its arguments."""
    branches: list[tuple[int, int, int]]
    returns: int
    constants: tuple[Any, ...]
    """The last one first, so that their numbers are their places from the end."""

    def value(self, given: tuple[Any, ...]) -> Any:
        """Make a call. given: what is captured, and the arguments."""
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


@lru_cache(maxsize=4096)
def _body_of(code: Code) -> _Body:
    _, operations, returns, *rest = code[NUMBERS]
    steps = [rest[at : at + STEP] for at in range(0, STEP * operations, STEP)]
    branches = [tuple(rest[at : at + BRANCH]) for at in range(STEP * operations, len(rest), BRANCH)]
    return _Body(
        [(branch, function, arguments[:n]) for branch, n, function, *arguments in steps],
        branches,
        returns,
        code[:NUMBERS:-1],
    )
