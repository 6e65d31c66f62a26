"""Charges of primitives, declared once for all forms.

A declared charge is a number; a measure of the first argument; an `OfResult`; or a function of all
arguments, made of measures and formulas. In all forms a charge below 0 counts as 0.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple


@dataclass(slots=True, eq=False)
class Measure:
    """A measure of values: an int of a plain value, int64 (n,) of a column.

    The definitions stand side by side; the definition for words becomes a machine function:

        @Measure
        def count(container): ...

        @count.for_columns
        def count(containers): ...

        @count.for_words
        def count(heap, container): ...
    """

    of_value: Callable[..., int]
    of_columns: Callable[..., Any] | None = None
    of_words: Callable[..., int] | None = None

    def for_columns(self, of_columns: Callable[..., Any]) -> Measure:
        """Declare the function that measures columns. Returns the measure."""
        self.of_columns = of_columns
        return self

    def for_words(self, of_words: Callable[..., int]) -> Measure:
        """Declare the function that measures words: (heap, words) -> int. Returns the measure."""
        self.of_words = of_words
        return self

    def __call__(self, measured: Any, *others: Any) -> Any:
        """Measure a value, a column, or an expression on words. others: Further arguments."""
        by_itself = getattr(measured, "measured_by", None)
        return self.of_value(measured, *others) if by_itself is None else by_itself(self, *others)


@dataclass(slots=True, eq=False)
class Formula:
    """Integer arithmetic of ints or words. of_ints: Plain Python without calls, also compiled."""

    of_ints: Callable[..., int]

    def __call__(self, *numbers: Any) -> Any:
        """Compute the formula of ints, or of expressions on words."""
        for number in numbers:
            by_itself = getattr(number, "computed_by", None)
            if by_itself is not None:
                return by_itself(self, numbers)
        return self.of_ints(*numbers)


class OfResult(NamedTuple):
    """A charge that is a measure of the result, for results not much larger than the arguments.

    The scalar form measures its result. A rule that must first know the lanes that may go on pays
    for the expected size.
    """

    measure: Measure


Charge = int | Measure | OfResult | Callable[..., Any]


def charge_name(charge: Any) -> str:
    """Name a declared charge, for messages: area, <lambda>."""
    measure = charge.measure if isinstance(charge, OfResult) else charge
    of_value = measure.of_value if isinstance(measure, Measure) else measure
    return getattr(of_value, "__name__", repr(of_value))
