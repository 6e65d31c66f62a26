"""The declared types: the values and columns that a parameter takes."""

from __future__ import annotations

import math
from typing import Annotated
from typing import Any as PythonAny

from megabatt.language import Cast, Column, Declared, Floats, Ints, Lists, all_failed, xp


class _Real(Declared):
    """A float; an Integer is converted to a float."""

    def guard(self, name: str, scope: dict[str, PythonAny]) -> str:
        return f"{name}.__class__ is not float"

    def check(self, value: PythonAny) -> float:
        if value.__class__ is float:
            return value
        if value.__class__ is int:
            return float(value)
        raise self.expected(value)


class _Reals(Declared):
    """A tuple of floats."""

    def guard(self, name: str, scope: dict[str, PythonAny]) -> str:
        return f"{name}.__class__ is not tuple or any(e.__class__ is not float for e in {name})"

    def check(self, value: PythonAny) -> tuple[float, ...]:
        if value.__class__ is tuple and all(e.__class__ is float for e in value):
            return value
        raise self.expected(value)


def _to_reals(column: Column) -> Cast:
    if isinstance(column, Floats):
        return Cast(column)
    if isinstance(column, Ints):
        return Cast(Floats(column.data.astype(xp.float64)))
    return all_failed(column)


def _to_lists_of_reals(column: Column) -> Cast:
    if not isinstance(column, Lists):
        return all_failed(column)
    if isinstance(column.content, Floats):
        return Cast(column)
    return Cast(Lists.all_empty(len(column)), failed=column.counts > 0)


def real(value: float) -> float:
    """Return `value`. Raises ArithmeticError if it is not finite."""
    if not math.isfinite(value):
        raise ArithmeticError("not finite")
    return value


Real = Annotated[float, _Real("Real", "0.0", _to_reals)]
Reals = Annotated[tuple[float, ...], _Reals("Reals", "()", _to_lists_of_reals)]
