"""What a primitive charges, declared once for both of its forms.

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

from megabatt.runtime.engine.columns import Column, Sequences
from megabatt.runtime.engine.device.arrays import Array, elementwise
from megabatt.runtime.engine.device.kernels import device_function


class Measure:
    """A number that values have: an int of a plain value, int64 (n,) of a column, lane by lane.

    The definitions stand side by side:

        @Measure
        def count(container): ...

        @count.for_columns
        def count(containers): ...
    """

    __slots__ = ("of_value", "of_columns")

    def __init__(self, of_value: Callable[..., int]) -> None:
        self.of_value = of_value
        self.of_columns: Callable[..., Array]

    def for_columns(self, of_columns: Callable[..., Array]) -> Measure:
        """Declare the function that measures columns. Returns the measure."""
        self.of_columns = of_columns
        return self

    def __call__(self, measured: Any, *others: Any) -> Any:
        """Measure a value, or a column. Further arguments go to the definition."""
        if isinstance(measured, Column):
            return self.of_columns(measured, *others)
        return self.of_value(measured, *others)


class Formula:
    """Arithmetic on integers, written once: for ints, and for int64 arrays element by element.

    function: plain Python that is a device function too, and calls no other. in_kernels: what
    kernels call.
    """

    __slots__ = ("of_ints", "of_arrays", "in_kernels")

    def __init__(self, function: Callable[..., int]) -> None:
        self.of_ints = function
        self.in_kernels = device_function(function)
        self.of_arrays = elementwise(self.in_kernels)

    def __call__(self, *numbers: Any) -> Any:
        return self.of_ints(*numbers) if isinstance(numbers[0], int) else self.of_arrays(*numbers)


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
def count(sequences: Sequences) -> Array:
    return sequences.counts
