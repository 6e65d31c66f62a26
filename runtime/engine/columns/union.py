"""Columns whose lanes hold values of different kinds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from runtime.engine.arrays import Array, taken, where_set, where_unset, xp
from runtime.engine.columns.base import Column
from runtime.engine.kernels import lane_kernel

Part = tuple[Array, Column]
"""Lanes, ascending, and the column with a value for each of them."""


class Union(Column):
    """Lanes of several layouts: lane k is parts[tags[k]][index[k]].

    tags: int8, index: int64, both shape (n,). Parts are no unions themselves; a part may have no
    lane, and hold values of none.

        5, (1, 2), 6   ->   tags 0 1 0, index 0 0 1, parts: Ints 5 6, Pairs (1, 2)
    """

    __slots__ = ("tags", "index", "parts", "_split")
    key = "union"
    mixed = True

    def __init__(self, tags: Array, index: Array, parts: list[Column]) -> None:
        self.tags = tags
        self.index = index
        self.parts = parts
        self._split: list[Part] | None = None

    def __len__(self) -> int:
        return len(self.tags)

    def take(self, index: Array) -> Column:
        if not len(index):
            return self.parts[0].take(index)
        tags, within = taken(index, self.tags, self.index)
        return Union(tags, within, self.parts)

    def split(self) -> list[Part]:
        """The lanes of each part that has any, and the values that it has for them."""
        if self._split is None:
            members = zip(self._members(), self.parts, strict=True)
            self._split = [(at, part.take(self.index[at])) for at, part in members if len(at)]
        return self._split

    def _members(self) -> list[Array]:
        """The lanes of each part."""
        if len(self.parts) != 2:
            return [where_set(self.tags == tag) for tag in range(len(self.parts))]
        of_first = self.tags == 0
        first = where_set(of_first)
        return [first, where_unset(of_first, first)]

    def note_split(self, parts: list[Part]) -> None:
        """What `split` gives, where that is known."""
        self._split = parts

    def simplified(self) -> Column:
        """The one part that all lanes are of, if they are."""
        parts = self.split()
        return parts[0][1] if len(parts) == 1 else self

    def measured(self, measure: Callable[[Column], Array]) -> Array:
        """An array of what `measure` gives for each lane's value: int64 or bool (n,)."""
        result = None
        for tag, part in enumerate(self.parts):
            values = measure(part)
            if result is None:
                result = xp.empty(len(self), dtype=values.dtype)
            place_part(len(self), self.tags, tag, self.index, values, result)
        return result

    @staticmethod
    def concat(columns: list[Any]) -> Column:
        from runtime.engine.columns.merge import concat

        return concat(columns)

    def decode(self) -> list[Any]:
        parts = [part.decode() for part in self.parts]
        lanes = zip(self.tags.tolist(), self.index.tolist(), strict=True)
        return [parts[tag][at] for tag, at in lanes]


@lane_kernel
def place_part(lane, tags, tag, index, values, result):  # type: ignore[no-untyped-def]
    """What the part `tag` has for the lanes that are of it."""
    if tags[lane] == tag:
        result[lane] = values[index[lane]]
