"""What a primitive charges, declared once for all of its forms.

A declared charge is one of
    a number               the same for every call
    a measure              of the first argument
    `OfResult(measure)`    of the result
    any other function     of all arguments, made of measures and formulas
The scalar form pays it around its body; while a rule runs it is due, see `Frame.pay`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from megabatt.runtime.engine.columns import Column, Lists
from megabatt.runtime.engine.device.arrays import Array
from megabatt.runtime.engine.device.kernels import device_function
from megabatt.runtime.engine.machine.functions import machine_function
from megabatt.runtime.engine.machine.heap import count_of


class Traced:
    """An expression on words, as source. Arithmetic on it and measures of it give another one.

    So a charge that is computed of words' names gives the charge's own source. scope: what the
    expression calls, by name.
    """

    __slots__ = ("source", "scope")

    def __init__(self, source: str, scope: dict[str, Any]) -> None:
        self.source = source
        self.scope = scope

    def called(self, function: Any, others: tuple[Any, ...], heap: str = "") -> Traced:
        """Write down a call of a function on this and others."""
        name = f"{function.py_func.__name__}_{len(self.scope)}"
        self.scope[name] = function
        return Traced(f"{name}({heap}{', '.join(map(str, (self, *others)))})", self.scope)

    def __str__(self) -> str:
        return self.source

    def __add__(self, other: Any) -> Traced:
        return Traced(f"({self} + {other})", self.scope)

    def __mul__(self, other: Any) -> Traced:
        return Traced(f"({self} * {other})", self.scope)

    __radd__ = __add__
    __rmul__ = __mul__


class Measure:
    """A number that values have: an int of a plain value, int64 (n,) of a column, lane by lane.

    The definitions stand side by side; that for words is a machine function (`engine.machine`):

        @Measure
        def count(container): ...

        @count.for_columns
        def count(containers): ...

        @count.for_words
        def count(heap, container): ...
    """

    __slots__ = ("of_value", "of_columns", "of_words")

    def __init__(self, of_value: Callable[..., int]) -> None:
        self.of_value = of_value
        self.of_columns: Callable[..., Array]
        self.of_words: Any = None

    def for_columns(self, of_columns: Callable[..., Array]) -> Measure:
        """Declare the function that measures columns. Returns the measure."""
        self.of_columns = of_columns
        return self

    def for_words(self, of_words: Callable[..., int]) -> Measure:
        """Declare the function that measures words: (heap, words) -> int. Returns the measure."""
        self.of_words = machine_function(of_words)
        return self

    def __call__(self, measured: Any, *others: Any) -> Any:
        """Measure a value, or a column. Further arguments go to the definition."""
        if isinstance(measured, Column):
            return self.of_columns(measured, *others)
        if isinstance(measured, Traced):
            if self.of_words is None:
                raise TypeError(f"{self.of_value.__name__} is no measure of words")
            return measured.called(self.of_words, others, "heap, ")
        return self.of_value(measured, *others)


class Formula:
    """Arithmetic on integers, written once: for ints, and for words.

    function: plain Python that is a device function too, and calls no other. in_kernels: what
    kernels call.
    """

    __slots__ = ("of_ints", "in_kernels")

    def __init__(self, function: Callable[..., int]) -> None:
        self.of_ints = function
        self.in_kernels = device_function(function)

    def __call__(self, *numbers: Any) -> Any:
        for number in numbers:
            if isinstance(number, Traced):
                return number.called(self.in_kernels, numbers[1:])
        return self.of_ints(*numbers)


class OfResult(NamedTuple):
    """Charges what the result measures, for results not much larger than the arguments.

    The scalar form measures the result that it has built. A rule that has to know first which lanes
    may go on pays for the size that the result will have.
    """

    measure: Measure


Charge = int | Measure | OfResult | Callable[..., Any]


@Measure
def count(container: Any) -> int:
    """Count the elements of a tuple or a set."""
    return len(container)


@count.for_columns
def count(lists: Lists) -> Array:
    return lists.counts


@count.for_words
def count(heap: Any, container: int) -> int:
    return count_of(heap, container)
