"""What the grid language says of columns: grids have a layout; pairs and cells weigh one."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np

from megabatt.runtime.arc.integers import INTEGER_MAX, INTEGER_MIN
from megabatt.runtime.arc.layouts import LEAST_CELL, MOST_CELL, Grids, is_small_grid
from megabatt.runtime.engine.device.arrays import xp
from megabatt.runtime.engine.policy import Policy

_INTEGERS = {int, bool}


@dataclass(frozen=True)
class ArcPolicy(Policy):
    """Pairs of Integers and cells count as one; grids of small Integers are `Grids`."""

    integers: tuple[int, int] = (INTEGER_MIN, INTEGER_MAX)
    numbers: tuple[type, ...] = (bool, int)
    places_weigh_one: bool = True

    def layout_of(self, value: tuple[Any, ...]) -> Any:
        return Grids if value and is_small_grid(value) else None

    def of_tables(self, heights: Any, widths: Any, numbers: Any) -> Any:
        if len(numbers) and (numbers.min() < LEAST_CELL or numbers.max() > MOST_CELL):
            return None
        areas = heights * widths
        starts = xp.asarray(np.cumsum(areas) - areas)
        cells = xp.asarray(numbers.astype(np.int8))
        return Grids(xp.asarray(heights), xp.asarray(widths), starts, cells, True)

    def weigh_one(self, tuples: Collection[tuple[Any, ...]]) -> bool:
        """Tell whether all tuples are pairs of Integers, or all are cells."""
        if set(map(len, tuples)) != {2}:
            return False
        first, second = zip(*tuples, strict=True)
        if not set(map(type, first)) <= _INTEGERS:
            return False
        kinds = set(map(type, second))
        if kinds == {tuple} and set(map(len, second)) == {2}:
            kinds = set(map(type, chain.from_iterable(second)))
        return kinds <= _INTEGERS
