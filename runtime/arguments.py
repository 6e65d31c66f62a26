"""Checks of public functions' arguments.

Each function returns an argument in one form, or raises a one-line error that names the argument,
the wanted value and the given value.
"""

from __future__ import annotations

import operator
import os
from collections.abc import Iterator
from contextlib import suppress
from math import isfinite
from numbers import Real
from pathlib import Path
from typing import Any

import numpy as np

from megabatt.runtime.printable import short


def elements(name: str, given: Any, wanted: str) -> Iterator[Any]:
    """Iterate over an argument. wanted: The argument's description, for the error.

    Raises TypeError for text, a dictionary, and a value without elements.
    """
    if not isinstance(given, (str, bytes, dict)):
        try:
            return iter(given)
        except TypeError:
            pass
    raise TypeError(f"{name} must be {wanted}, not {short(given)}")


def plain(given: Any) -> Any:
    """Convert texts, Integers and Booleans of NumPy, or of a subclass such as an enumeration, to
    Python's; return other values unchanged."""
    if isinstance(given, str):
        return str.__str__(given)
    if isinstance(given, (bool, np.bool_)):
        return bool(given)
    return int(given) if isinstance(given, (int, np.integer)) else given


def integer(name: str, given: Any, least: int | None = None, most: int | None = None) -> int:
    """Convert a Python or NumPy integer to an int. Raises TypeError or ValueError."""
    try:
        number = operator.index(given)
    except TypeError:
        raise TypeError(f"{name} must be an integer, not {short(given)}") from None
    if isinstance(given, bool):
        raise TypeError(f"{name} must be an integer, not {given}")
    if least is not None and number < least:
        raise ValueError(f"{name}={short(number)} is less than {least}")
    if most is not None and number > most:
        raise ValueError(f"{name}={short(number)} is more than {most}")
    return number


def amount(name: str, given: Any, may_be_0: bool = False) -> float:
    """Return a finite number above 0, or 0 if `may_be_0`. Raises TypeError or ValueError."""
    is_number = isinstance(given, Real) and not isinstance(given, bool)
    if not is_number:
        raise TypeError(f"{name} must be a number, not {short(given)}")
    if not (given > 0 or (may_be_0 and given == 0)):
        raise ValueError(f"{name}={short(given)} is {'less than' if may_be_0 else 'not above'} 0")
    with suppress(OverflowError):
        if isfinite(given):
            return float(given)
    raise ValueError(f"{name}={short(given)} is too large")


def path_of(name: str, given: str | os.PathLike[str], wanted: str = "a path") -> Path:
    """Return a path, given as text or a path. Raises TypeError, and ValueError for empty text."""
    if not isinstance(given, (str, os.PathLike)):
        raise TypeError(f"{name} must be {wanted}, not {short(given)}")
    if not os.fspath(given):
        raise ValueError(f"{name} must be {wanted}, not an empty text")
    return Path(given)
