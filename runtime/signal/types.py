"""The declared types: what a parameter takes, as a value and as a column.

As values, and as the columns that a rule gets:
    Real            a float (an Integer becomes one); Floats
    Reals           a tuple of floats; Lists of Floats, or empty ones
    Parameters      the record of a lane, a tuple of Reals, one for each name; Lists of Floats
    Name            the name of a parameter, an Integer; Ints of its place
    Key             (seed, sample, receiver), Integers; Lists of Ints
    Site            the number of a random operation, an Integer that codegen gives; Ints
    Signal          (sample rate in Hz, complex64 array), at least one sample; Signals
    Spectrum        (distance of bins in Hz, float32 array), at least one bin; Spectra
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Annotated
from typing import Any as PythonAny

from megabatt.runtime.core.types import INTEGERS, Declared, all_failed, to_ints
from megabatt.runtime.engine.columns import Bools, Column, Floats, Ints, Lists
from megabatt.runtime.engine.columns.rules import Cast
from megabatt.runtime.engine.device.arrays import xp
from megabatt.runtime.signal.layouts.sampled import Sampled, Signals, Spectra, layout_of
from megabatt.runtime.signal.parameters import COUNT, FIRST_NAME

KEY_LENGTH = 3


class _Real(Declared):
    """A float; an Integer becomes one."""

    def guard(self, name: str, scope: dict[str, PythonAny]) -> str:
        return f"{name}.__class__ is not float"

    def check(self, value: PythonAny) -> float:
        if value.__class__ is float:
            return value  # type: ignore[no-any-return]
        if value.__class__ is int:
            return float(value)
        raise self.expected(value)


class _Tuple(Declared):
    """A tuple of numbers of one layout, of any length or of a given length."""

    def __init__(
        self, name: str, cast: Callable[[Column], Cast], element: type, length: int | None = None
    ) -> None:
        super().__init__(name, "()", cast)
        self.element = element
        self.length = length

    def guard(self, name: str, scope: dict[str, PythonAny]) -> str:
        element, length = self.element.__name__, self.length
        wrong = f"any([e.__class__ is not {element} for e in {name}])"
        if length is not None:
            wrong = f"len({name}) != {length} or {wrong}"
        return f"{name}.__class__ is not tuple or {wrong}"

    def check(self, value: PythonAny) -> tuple[PythonAny, ...]:
        right = (
            value.__class__ is tuple
            and all(e.__class__ is self.element for e in value)
            and self.length in (None, len(value))
        )
        if right:
            return value  # type: ignore[no-any-return]
        raise self.expected(value)


class _Key(Declared):
    """A tuple of three Integers; Booleans become Integers."""

    def guard(self, name: str, scope: dict[str, PythonAny]) -> str:
        wrong = f"any([e.__class__ is not int for e in {name}])"
        return f"{name}.__class__ is not tuple or len({name}) != {KEY_LENGTH} or {wrong}"

    def check(self, value: PythonAny) -> tuple[int, ...]:
        if value.__class__ is tuple and len(value) == KEY_LENGTH:
            if all(e.__class__ in INTEGERS for e in value):
                return tuple(map(int, value))
        raise self.expected(value)


class _Name(Declared):
    """An Integer that stands for the name of a parameter."""

    def guard(self, name: str, scope: dict[str, PythonAny]) -> str:
        return f"{name}.__class__ is not int or not {FIRST_NAME} <= {name} < {FIRST_NAME + COUNT}"

    def check(self, value: PythonAny) -> int:
        if value.__class__ is int and FIRST_NAME <= value < FIRST_NAME + COUNT:
            return value  # type: ignore[no-any-return]
        raise self.expected(value)


class _Site(Declared):
    """A number that no other call of the program has, unless the program repeats it."""

    numbered = True

    def guard(self, name: str, scope: dict[str, PythonAny]) -> str:
        return f"{name}.__class__ is not int"

    def check(self, value: PythonAny) -> int:
        if isinstance(value, bool):
            return int(value)
        if value.__class__ is int:
            return value  # type: ignore[no-any-return]
        raise self.expected(value)


class _Sampled(Declared):
    """A tuple of a step, above 0 and finite, and an array of samples of a layout."""

    def __init__(self, name: str, layout: type[Sampled]) -> None:
        super().__init__(name, "()", self._to_layout)
        self.layout = layout

    def guard(self, name: str, scope: dict[str, PythonAny]) -> str:
        scope["is_of_layout"] = self._holds
        return f"not is_of_layout({name})"

    def _holds(self, value: PythonAny) -> bool:
        right = value.__class__ is tuple and value and layout_of(value) is self.layout
        return bool(right) and 0.0 < value[0] < math.inf

    def check(self, value: PythonAny) -> tuple[float, PythonAny]:
        if self._holds(value):
            return value  # type: ignore[no-any-return]
        raise self.expected(value)

    def _to_layout(self, column: Column) -> Cast:
        if not isinstance(column, self.layout):
            return all_failed(column)
        right = (column.counts > 0) & (column.steps > 0) & (column.steps < math.inf)
        return Cast(column, failed=~right)


def _to_reals(column: Column) -> Cast:
    if isinstance(column, Floats):
        return Cast(column)
    if isinstance(column, Ints):
        return Cast(Floats(column.data.astype(xp.float64)))
    return all_failed(column)


def _to_lists(of: type[Column], length: int | None = None) -> Callable[[Column], Cast]:
    """Make the cast to tuples of numbers of a layout, of any length or of a given length."""

    def cast(column: Column) -> Cast:
        if not isinstance(column, Lists):
            return all_failed(column)
        if not isinstance(column.content, of):
            if length is not None:
                return all_failed(column)
            return Cast(Lists.all_empty(len(column)), failed=column.counts > 0)
        if length is None:
            return Cast(column)
        return Cast(column, failed=column.counts != length)

    return cast


def _to_keys(column: Column) -> Cast:
    if isinstance(column, Lists) and isinstance(column.content, Bools):
        integers = Ints(column.content.data.astype(xp.int64))
        column = Lists(column.starts, column.counts, integers)
    return _to_integers_of_key(column)


def _to_names(column: Column) -> Cast:
    if not isinstance(column, Ints):
        return all_failed(column)
    places = column.data - FIRST_NAME
    wrong = (places < 0) | (places >= COUNT)
    return Cast(Ints(xp.where(wrong, 0, places)), failed=wrong)


def _to_sites(column: Column) -> Cast:
    return to_ints(column) if isinstance(column, (Ints, Bools)) else all_failed(column)


_to_reals_lists = _to_lists(Floats)
_to_integers_of_key = _to_lists(Ints, KEY_LENGTH)

Real = Annotated[float, _Real("Real", "0.0", _to_reals)]
Reals = Annotated[tuple[float, ...], _Tuple("Reals", _to_reals_lists, float)]
Parameters = Annotated[
    tuple[float, ...], _Tuple("Parameters", _to_lists(Floats, COUNT), float, COUNT)
]
Name = Annotated[int, _Name("Name", "0", _to_names)]
Key = Annotated[tuple[int, int, int], _Key("Key", "()", _to_keys)]
Site = Annotated[int, _Site("Site", "0", _to_sites)]
Signal = Annotated[tuple[float, PythonAny], _Sampled("Signal", Signals)]
Spectrum = Annotated[tuple[float, PythonAny], _Sampled("Spectrum", Spectra)]
