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

import numba
from llvmlite import ir
from numba import types
from numba.core.registry import CPUDispatcher
from numba.extending import intrinsic

from megabatt.runtime.engine.device.kernels import (
    closed_over_digest,
    functions_called,
    kept_on_disk,
)

_OPTIONS: Any = {"nogil": True, "_nrt": False, "error_model": "numpy"}
_INTERNAL: Any = {
    **_OPTIONS, "nopython": True, "no_cpython_wrapper": True, "no_cfunc_wrapper": True
}  # fmt: skip
"""The options of functions that only compiled functions call."""

HEAP = types.CPointer(types.int64)
NUMBERS = 5
"""How many numbers a routine takes."""

ADDRESSES, MOST_ROUTINES = 64, 1024
"""Where in the heap the addresses of routines begin, and how many there may be."""


class _MachineFunction(CPUDispatcher):  # type: ignore[misc]
    """A function that only compiled functions call; it is compiled once for all constants."""

    def get_call_template(self, args: Any, kws: Any) -> Any:
        return super().get_call_template([types.unliteral(kind) for kind in args], kws)


def machine_function(function: Callable[..., Any]) -> Any:
    """Make a plain function one that machine functions may call. Python cannot call it."""
    return _MachineFunction(function, targetoptions=_INTERNAL)


def part_of_one(function: Callable[..., Any]) -> Any:
    """Make a plain function one that a single function calls. It is compiled as a part of that."""
    return _MachineFunction(function, targetoptions={**_INTERNAL, "inline": "always"})


@intrinsic
def call_at(typing: Any, address: Any, heap: Any, a: Any, b: Any, c: Any, d: Any, e: Any) -> Any:
    """Call the function at an address."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        number = ir.IntType(64)
        kind = ir.FunctionType(number, [number.as_pointer(), *[number] * NUMBERS])
        return builder.call(builder.inttoptr(args[0], kind.as_pointer()), list(args[1:]))

    return types.int64(types.int64, HEAP, *[types.int64] * NUMBERS), code


@intrinsic
def heap_at(typing: Any, address: Any) -> Any:
    """Return the heap that begins at an address."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.inttoptr(args[0], ir.IntType(64).as_pointer())

    return HEAP(types.int64), code


@machine_function
def call_routine(heap, number, a, b, c, d, e):
    """Call the routine of a number."""
    return call_at(heap[ADDRESSES + number], heap, a, b, c, d, e)


class Routine:
    """A function with an address of its own. Its number says where the heap keeps the address."""

    every: list[Routine] = []

    def __init__(self, function: Callable[..., int]) -> None:
        if len(self.every) == MOST_ROUTINES:
            raise ValueError(f"there are {MOST_ROUTINES} routines already")
        self.function = function
        self.number = len(self.every)
        self.every.append(self)
        self.stub = self._stub()

    def _stub(self) -> Any:
        """Return a machine function that calls the routine, with the parameters of its function."""
        code = self.function.__code__
        names = code.co_varnames[: code.co_argcount]
        numbers = [*names[1:], *["0"] * (NUMBERS + 1 - len(names))]
        source = (
            f"def {self.function.__name__}({', '.join(names)}):\n"
            f"    return call_routine({names[0]}, {self.number}, {', '.join(numbers)})\n"
        )
        scope: dict[str, Any] = {"call_routine": call_routine, "__name__": self.function.__module__}
        exec(compile(source, code.co_filename, "exec"), scope)
        stub = scope[self.function.__name__]
        stub.__doc__ = self.function.__doc__
        _BY_STUB[stub] = self
        return machine_function(stub)

    @cached_property
    def needed(self) -> list[Routine]:
        """All routines that its calls may come to, itself among them."""
        return [self, *routines_needed(self.function)]


def routines_needed(function: Callable[..., Any]) -> list[Routine]:
    """List the routines that calls of a function may come to."""
    found: dict[Routine, None] = {}
    to_visit = [function]
    while to_visit:
        for called in functions_called(to_visit.pop()):
            other = _BY_STUB.get(called)
            if other is not None and other not in found:
                found[other] = None
                to_visit.append(other.function)
    return list(found)


def routine_of(function: Callable[..., Any]) -> Routine | None:
    """Return the routine that a function is the stub of, if it is one."""
    return _BY_STUB.get(function)


_BY_STUB: dict[Callable[..., int], Routine] = {}


def routine(function: Callable[..., int]) -> Any:
    """Make a plain function (heap, numbers) a routine. Returns what calls it."""
    return Routine(function).stub


class Loop:
    """A function of numbers and arrays that calls machine functions; Python calls it.

    It is compiled, or loaded, when first called.
    """

    every: list[Loop] = []

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        self.every.append(self)

    def __call__(self, *args: Any) -> Any:
        return self._compiled(*args)

    @cached_property
    def _compiled(self) -> Any:
        code = self.function.__code__
        names = ", ".join(code.co_varnames[: code.co_argcount])
        name = f"{self.function.__name__}_loop"
        source = f"def {name}({names}):\n    return _body({names})\n"
        scope = {"_body": part_of_one(self.function)}
        loop = closed_over_digest(name, source, scope, self.function, code)
        return kept_on_disk(numba.njit(**_OPTIONS)(loop), loop)
