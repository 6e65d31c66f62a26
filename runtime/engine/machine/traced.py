"""Charges on words: expressions of measures and formulas, as source for compiled forms."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from megabatt.runtime.engine.language.charges import Formula, Measure
from megabatt.runtime.engine.machine.functions import machine_function


class Traced:
    """An expression on words, as source. Arithmetic and measures give expressions again.

    So a charge computed of words' names is the charge's source. scope: The functions that the
    expression calls, by name.
    """

    __slots__ = ("source", "scope")

    def __init__(self, source: str, scope: dict[str, Any]) -> None:
        self.source = source
        self.scope = scope

    def measured_by(self, measure: Measure, *others: Any) -> Traced:
        """Return the expression of a measure of this expression, with further arguments.

        Raises TypeError if the measure has no definition for words.
        """
        if measure.of_words is None:
            raise TypeError(f"{measure.of_value.__name__} is no measure of words")
        return self._called(measure.of_words, ("heap", self, *others))

    def computed_by(self, formula: Formula, numbers: tuple[Any, ...]) -> Traced:
        """Return the expression of a formula of numbers, this expression among them."""
        return self._called(formula.of_ints, numbers)

    def _called(self, function: Callable[..., int], arguments: tuple[Any, ...]) -> Traced:
        name = f"{function.__name__}_{len(self.scope)}"
        self.scope[name] = machine_function(function)
        return Traced(f"{name}({', '.join(map(str, arguments))})", self.scope)

    def __str__(self) -> str:
        return self.source

    def __add__(self, other: Any) -> Traced:
        return Traced(f"({self} + {other})", self.scope)

    def __mul__(self, other: Any) -> Traced:
        return Traced(f"({self} * {other})", self.scope)

    __radd__ = __add__
    __rmul__ = __mul__
