"""The grid language's policy: the range of Integers; pairs and cells weigh one."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from itertools import chain
from typing import Any

from megabatt.runtime.arc.integers import INTEGER_MAX, INTEGER_MIN
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
        if set(map(len, tuples)) != {2}:
            return False
        first, second = zip(*tuples, strict=True)
        if not set(map(type, first)) <= INTEGERS:
            return False
        kinds = set(map(type, second))
        if kinds == {tuple} and set(map(len, second)) == {2}:
            kinds = set(map(type, chain.from_iterable(second)))
        return kinds <= INTEGERS
