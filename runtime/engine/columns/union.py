"""Columns whose lanes hold values of different kinds."""

from __future__ import annotations

from typing import Any

from runtime.engine.arrays import Array, xp
from runtime.engine.columns.base import Column


class Union(Column):
    """Lanes of several layouts: lane k is parts[tags[k]][index[k]].

    tags: int8, index: int64, both shape (n,). Parts are no unions themselves.

        5, (1, 2), 6   ->   tags 0 1 0, index 0 0 1, parts: Ints 5 6, Pairs (1, 2)
    """

    __slots__ = ("tags", "index", "parts")
    key = "union"
    mixed = True

    def __init__(self, tags: Array, index: Array, parts: list[Column]) -> None:
        self.tags = tags
        self.index = index
        self.parts = parts

    def __len__(self) -> int:
        return len(self.tags)

    def take(self, index: Array) -> Column:
        return simplify(Union(self.tags[index], self.index[index], self.parts))

    def lanes(self, tag: int) -> Array:
        """The lanes that hold values of part `tag`."""
        return xp.flatnonzero(self.tags == tag)

    @staticmethod
    def concat(columns: list[Any]) -> Column:
        from runtime.engine.columns.merge import concat

        return concat(columns)

    def decode(self) -> list[Any]:
        parts = [part.decode() for part in self.parts]
        lanes = zip(self.tags.tolist(), self.index.tolist(), strict=True)
        return [parts[tag][at] for tag, at in lanes]


def simplify(union: Union) -> Column:
    """The part itself where all lanes are of one part."""
    if not len(union):
        return union.parts[0].take(union.index)
    tag = int(union.tags[0])
    return union.parts[tag].take(union.index) if bool((union.tags == tag).all()) else union
