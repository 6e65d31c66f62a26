"""The grid language's policy: the range of Integers; pairs and cells weigh one."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from megabatt.runtime.arc.integers import INTEGER_MAX, INTEGER_MIN
from megabatt.runtime.arc.values import types_in_places
from megabatt.runtime.core.types import INTEGERS
from megabatt.runtime.engine.language.policy import Policy


@dataclass(frozen=True)
class ArcPolicy(Policy):
    """ARC's policy: a pair of Integers, or a cell, weighs one."""

    integers: tuple[int, int] = (INTEGER_MIN, INTEGER_MAX)
    numbers: tuple[type, ...] = (bool, int)
    places_weigh_one: bool = True

    def weigh_one(self, tuples: Collection[tuple[Any, ...]]) -> bool:
        """Tell whether all tuples are pairs of Integers, or all are cells."""
        return types_in_places(tuples) <= INTEGERS
