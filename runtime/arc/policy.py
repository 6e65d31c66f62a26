"""The grid language's policy: the range of Integers; pairs and cells weigh one."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from megabatt.runtime.arc.values import types_in_places
from megabatt.runtime.core.types import INTEGERS
from megabatt.runtime.engine.language.limits import LimitError
from megabatt.runtime.engine.language.policy import Policy

INTEGER_MIN, INTEGER_MAX = -(2**31), 2**31 - 1
"""Both ends are included."""


def integer(value: int) -> int:
    """Return `value`, if it is within the language's Integers. Raises LimitError otherwise."""
    if -2147483648 <= value <= 2147483647:
        return value
    raise LimitError("an Integer out of range")


@dataclass(frozen=True)
class ArcPolicy(Policy):
    """ARC's policy: a pair of Integers, or a cell, weighs one."""

    integers: tuple[int, int] = (INTEGER_MIN, INTEGER_MAX)
    has_complex: bool = False
    places_weigh_one: bool = True

    def weigh_one(self, tuples: Collection[tuple[Any, ...]]) -> bool:
        """Tell whether all tuples are pairs of Integers, or all are cells."""
        return types_in_places(tuples) <= INTEGERS
