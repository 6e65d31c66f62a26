"""Functions of the machine, and calls between them.

A machine function takes int64 numbers and, where needed, the heap, a pointer to int64. It is
compiled into each of its callers. A `Routine` is compiled on its own, and called through its
address in the heap, so that routines may be mutually recursive, and shared code is compiled once. A
routine takes the heap and at most five numbers, and returns an int64.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

from megabatt.runtime.engine.device.spelling import Compilable, called_by

NUMBERS = 5
"""The most numbers that a routine takes."""

ADDRESSES, MOST_ROUTINES = 64, 1024
"""The place in the heap of the addresses of routines, and the most routines."""


class MachineFunction(Compilable):
    """A function that only machine functions and loops call.

    routine: The routine that calls reach; None for a function compiled into its callers.
    """

    def __init__(self, function: Callable[..., Any], routine: Routine | None = None) -> None:
        super().__init__(function)
        self.routine = routine
        if routine is not None:
            self.apart = f"routine {routine.number} of {function.__code__.co_argcount}"


machine_function: Any = MachineFunction
"""Makes a plain function a machine function, which Python cannot call."""


def taken_by(function: Callable[..., Any]) -> tuple[str, ...]:
    """Return the names of a function's parameters."""
    return function.__code__.co_varnames[: function.__code__.co_argcount]


def written(lines: list[str], scope: dict[str, Any], origin: Callable[..., Any]) -> Any:
    """Return the function of some source lines, as if written at `origin`. scope: Its globals."""
    source = "\n".join(lines) + "\n"
    code = origin.__code__
    scope["__name__"] = origin.__module__
    exec(compile(source, code.co_filename, "exec"), scope)
    function = scope[lines[0].removeprefix("def ").partition("(")[0]]
    function.source = source
    function.__code__ = function.__code__.replace(co_firstlineno=code.co_firstlineno)
    return function


def call_at(address: int, heap: Any, a: int, b: int, c: int, d: int, e: int) -> int:
    """Call the function at an address; translators replace this function."""
    raise NotImplementedError("only machine functions call it")


def nanoseconds(heap: Any, at: int) -> int:
    """Return a time in ns; translators replace this function.

    at: The address of two words of the heap that may be overwritten.
    """
    raise NotImplementedError("only loops call it")


def trailing_zeros(number: int) -> int:
    """Count the zero bits of a number below its lowest one bit. Translators replace this function.

    The number must not be 0.
    """
    return (number & -number).bit_length() - 1


def on_reals(operation: str, a: int, b: int) -> int:
    """Return the bits of an operation's result on two float64, given by their bits.

    Translators replace this function. operation: "+", "-", "*", "/", "root" of `a`, or "**", which
    is C's `pow`, and no number on a GPU.
    """
    raise NotImplementedError("only machine functions call it")


def real_of(number: int) -> int:
    """Return the bits of the float64 for an int64. Translators replace this function."""
    raise NotImplementedError("only machine functions call it")


def whole_of(a: int) -> int:
    """Return a float64, given by its bits, rounded toward zero. It must be within an int64."""
    raise NotImplementedError("only machine functions call it")


class Routine:
    """A function with an address of its own, which the heap holds at the routine's number.

    body: A compiled form as written, without casts and charges; else the function itself. stub: The
    function that machine functions call.
    """

    every: list[Routine] = []

    def __init__(
        self, function: Callable[..., int], body: Callable[..., int] | None = None
    ) -> None:
        if len(self.every) == MOST_ROUTINES:
            raise ValueError(f"there are {MOST_ROUTINES} routines already")
        self.function = function
        self.body = body or function
        self.number = len(self.every)
        self.every.append(self)
        self.stub = MachineFunction(function, self)

    @cached_property
    def needed(self) -> list[Routine]:
        """All routines that calls of this routine may reach, itself included."""
        return [self, *routines_needed(self.function)]


def routines_needed(function: Callable[..., Any]) -> list[Routine]:
    """List the routines that calls of a function may reach."""
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
    """Make a plain function (heap, numbers) a routine. Returns the function that calls it."""
    return Routine(function).stub
