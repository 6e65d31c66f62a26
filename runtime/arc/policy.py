"""What the grid language says of columns: grids have a layout; pairs and cells weigh one."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np

from megabatt.runtime.arc.integers import INTEGER_MAX, INTEGER_MIN
from megabatt.runtime.arc.layouts import LEAST_CELL, MOST_CELL, Grids
from megabatt.runtime.engine.columns import Bools, Column, Hosts, Ints, Lists, Records, Union
from megabatt.runtime.engine.device.arrays import Array, xp
from megabatt.runtime.engine.policy import Policy

_INTEGERS = {int, bool}


@dataclass(frozen=True)
class ArcPolicy(Policy):
    """Pairs of Integers and cells count as one; grids of small Integers are `Grids`."""

    integers: tuple[int, int] = (INTEGER_MIN, INTEGER_MAX)
    numbers: tuple[type, ...] = (bool, int)
    places_weigh_one: bool = True

    def layout_of(self, value: tuple[Any, ...]) -> Any:
        return Grids if value and _is_grid(value) else None

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

    def lanes_weigh_one(self, lists: Lists) -> Array | None:
        if isinstance(lists.content, (Ints, Bools)):
            return lists.counts == 2
        content = lists.content
        if not (content.constant or isinstance(content, (Union, Hosts))):  # none is an Integer
            return None
        first, second = _classes_of_two(lists, 1)
        return (first == _INTEGER) & ((second == _INTEGER) | (second == _PAIR))


def _is_grid(value: Any) -> bool:
    first = value[0]
    if first.__class__ is not tuple:
        return False
    width = len(first)
    for row in value:
        if row.__class__ is not tuple or len(row) != width:
            return False
    cells = list(chain.from_iterable(value))
    if not cells:
        return True
    return set(map(type, cells)) == {int} and min(cells) >= LEAST_CELL and max(cells) <= MOST_CELL


_OTHER, _INTEGER, _PAIR = 0, 1, 2


def _classes_of_two(lists: Lists, levels: int) -> tuple[Array, Array]:
    """Classify both elements of tuples of two; `_OTHER` for tuples of other lengths."""
    classes = xp.append(_classes(lists.content, levels), xp.zeros(2, dtype=xp.int64))
    at = xp.where(lists.counts == 2, lists.starts, len(lists.content))
    return classes[at], classes[at + 1]


def _classes(column: Column, levels: int) -> Array:
    """Classify each value as `_INTEGER`, `_PAIR` (of Integers) or `_OTHER`; int64 (n,).

    levels: at 0 `Lists` and `Records` are not searched for pairs.
    """
    n = len(column)
    if isinstance(column, (Ints, Bools)):
        return xp.full(n, _INTEGER, dtype=xp.int64)
    if isinstance(column, Records) and levels:
        return _classes(column.as_sequences(), levels)
    if isinstance(column, Lists) and levels:
        first, second = _classes_of_two(column, levels - 1)
        return xp.where((first == _INTEGER) & (second == _INTEGER), _PAIR, _OTHER)
    if isinstance(column, Union):
        return column.measured(lambda part: _classes(part, levels))
    result = xp.zeros(n, dtype=xp.int64)
    if column.on_host or column.constant:
        for lane, value in enumerate(column.decode()):
            result[lane] = _class_of(value)
    return result


def _class_of(value: object) -> int:
    if isinstance(value, int):
        return _INTEGER
    return _PAIR if _is_pair_of_integers(value) else _OTHER


def _is_pair_of_integers(value: object) -> bool:
    return isinstance(value, tuple) and len(value) == 2 and all(isinstance(e, int) for e in value)
