"""Functions of the machine, and how they call one another.

A machine function takes the heap, a pointer to int64, if it needs it, and numbers, int64. It is
compiled into each of its callers. A `Routine` is compiled on its own, and called through its
address, which the heap keeps: so routines may call one another in circles, and what many functions
need is compiled once. It takes the heap and at most five numbers, and returns an int64.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

from megabatt.runtime.engine.device.spelling import Compilable, called_by

NUMBERS = 5
"""How many numbers a routine takes."""

ADDRESSES, MOST_ROUTINES = 64, 1024
"""Where in the heap the addresses of routines begin, and how many there may be."""


class MachineFunction(Compilable):
    """A function that only machine functions and loops call.

    routine: the routine that calls of it come to; None if it is compiled into its callers.
    """

    def __init__(self, function: Callable[..., Any], routine: Routine | None = None) -> None:
        super().__init__(function)
        self.routine = routine
        if routine is not None:
            self.apart = f"routine {routine.number} of {function.__code__.co_argcount}"


def machine_function(function: Callable[..., Any]) -> Any:
    """Make a plain function one that machine functions may call. Python cannot call it."""
    return MachineFunction(function)


def call_at(address: int, heap: Any, a: int, b: int, c: int, d: int, e: int) -> int:
    """Call the function at an address. What translates machine functions writes this."""
    raise NotImplementedError("only machine functions call it")


def nanoseconds(heap: Any, at: int) -> int:
    """Return a time in ns. at: the address of two words of the heap that may be overwritten.

    What translates loops writes this.
    """
    raise NotImplementedError("only loops call it")


class Routine:
    """A function with an address of its own. Its number says where the heap keeps the address.

    stub: what machine functions call.
    """

    every: list[Routine] = []

    def __init__(self, function: Callable[..., int]) -> None:
        if len(self.every) == MOST_ROUTINES:
            raise ValueError(f"there are {MOST_ROUTINES} routines already")
        self.function = function
        self.number = len(self.every)
        self.every.append(self)
        self.stub = MachineFunction(function, self)

    @cached_property
    def needed(self) -> list[Routine]:
        """All routines that its calls may come to, itself among them."""
        return [self, *routines_needed(self.function)]


def routines_needed(function: Callable[..., Any]) -> list[Routine]:
    """List the routines that calls of a function may come to."""
    found: dict[Routine, None] = {}
    to_visit = [function]
    while to_visit:
        for called in called_by(to_visit.pop()):
            other = getattr(called, "routine", None)
            if other is not None and other not in found:
                found[other] = None
                to_visit.append(other.function)
    return list(found)


def routine(function: Callable[..., int]) -> Any:
    """Make a plain function (heap, numbers) a routine. Returns what calls it."""
    return Routine(function).stub
