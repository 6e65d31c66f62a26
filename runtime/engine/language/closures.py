"""Functions of a program's own as values: a code, and captured values.

A code is a plain tuple, a value like any other:

    (text, captured, numbers, *constants)

text        the text of the function's operations as numbers, see `numbers_of`; it orders codes
captured    the number of captured values
numbers     the numbers of parameters, of operations and of steps; the operand that is returned;
            `STEP` numbers for each step
constants   the constants that the operations read

A step is its kind, the function, and room for four operands:

- a call: the number of arguments, the function, the arguments;
- a call of a primitive that takes as many arguments as it gets: `DIRECT` less their number;
- a choice, as by `if_else`: `CHOICE`, 0, the condition, and the two values;
- a jump at the beginning of one side of a choice: `JUMP`, the number of steps to leave out if the
  other side is taken, the condition, and whether it must be true (1) or false (0).

Operands are slots: those of captured values, of parameters, and of steps' values, from 0 up; those
of constants from -1 down, the last one first. An operation that several branches need has a step in
each; None stands for the value of a step that is left out.
"""

import sys
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from megabatt.runtime.engine.language.limits import ArityError, LimitError, budget, charge
from megabatt.runtime.engine.language.policy import policy
from megabatt.runtime.engine.language.values import Function, call_cost, size_within, truth
from megabatt.runtime.vocabulary import counted

HEAD, STEP, ARGUMENTS = 4, 6, 4
JUMP, CHOICE, DIRECT = -1, -2, -3
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
        self.steps = [(kind, called, words[: _count(kind)]) for kind, called, *words in steps]
        self.constants = code[CONSTANTS:]

    def value(self, given: tuple[Any, ...]) -> Any:
        """Make a call. given: The captured values and the arguments."""
        slots = [*given, *[None] * len(self.steps), *self.constants]
        resumed = 0
        for place, (kind, called, arguments) in enumerate(self.steps):
            if place < resumed:
                continue
            if kind == JUMP:
                condition, wanted = arguments
                if truth(slots[condition]) != wanted:
                    resumed = place + 1 + called
                continue
            values = [slots[argument] for argument in arguments]
            if kind == CHOICE:
                result = values[1 if truth(values[0]) else 2]
            else:
                function = slots[called]
                if isinstance(function, Function):
                    charge(call_cost(function))
                result = function(*values)
            slots[len(given) + place] = result
        return slots[self.returns]


def _count(kind: int) -> int:
    """Return the number of a step's operands."""
    if kind >= 0:
        return kind
    return {JUMP: 2, CHOICE: 3}.get(kind, DIRECT - kind)
