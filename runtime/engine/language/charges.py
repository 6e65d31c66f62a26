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


class Measure:
    """A number that values have: an int of a plain value, int64 (n,) of a column, lane by lane.

    The definitions stand side by side; that for words becomes a machine function:

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
        self.of_columns: Callable[..., Any] | None = None
        self.of_words: Callable[..., int] | None = None

    def for_columns(self, of_columns: Callable[..., Any]) -> Measure:
        """Declare the function that measures columns. Returns the measure."""
        self.of_columns = of_columns
        return self

    def for_words(self, of_words: Callable[..., int]) -> Measure:
        """Declare the function that measures words: (heap, words) -> int. Returns the measure."""
        self.of_words = of_words
        return self

    def __call__(self, measured: Any, *others: Any) -> Any:
        """Measure a value; a column, or an expression on words, says how it is measured.

        Further arguments go to the definition.
        """
        by_itself = getattr(measured, "measured_by", None)
        if by_itself is None:
            return self.of_value(measured, *others)
        return by_itself(self, *others)


class Formula:
    """Arithmetic on integers, written once: for ints, and for words.

    of_ints: plain Python that is a device function too, and calls no other.
    """

    __slots__ = ("of_ints",)

    def __init__(self, of_ints: Callable[..., int]) -> None:
        self.of_ints = of_ints

    def __call__(self, *numbers: Any) -> Any:
        """Compute it; an expression on words among the numbers says how."""
        for number in numbers:
            by_itself = getattr(number, "computed_by", None)
            if by_itself is not None:
                return by_itself(self, numbers)
        return self.of_ints(*numbers)


class OfResult(NamedTuple):
    """Charges what the result measures, for results not much larger than the arguments.

    The scalar form measures the result that it has built. A rule that has to know first which lanes
    may go on pays for the size that the result will have.
    """

    measure: Measure


Charge = int | Measure | OfResult | Callable[..., Any]
