"""What every column has, and the two layouts that hold no array: `Empty` and `Uniform`."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any

from runtime.engine.arrays import Array


class Column:
    """One value for every lane.

    A column is never changed once made; `take` shares what it can (a column of sets that is
    taken from shares the sets' content). `key` names the layout: columns of one key can be
    concatenated into one of that key.
    """

    __slots__ = ()
    mixed = False
    """Whether there is a union in it, at any depth."""

    def __len__(self) -> int:
        """The number of lanes."""
        raise NotImplementedError

    @property
    def key(self) -> Hashable:
        raise NotImplementedError

    def take(self, index: Array) -> Column:
        """The column whose lane k is this one's lane index[k]."""
        raise NotImplementedError

    def decode(self) -> list[Any]:
        """The plain Python value of every lane."""
        raise NotImplementedError

    @staticmethod
    def concat(columns: list[Any]) -> Column:
        """Columns of this class and of one key, one after the other."""
        raise NotImplementedError


class Empty(Column):
    """No lanes, and so no kind: the content of a column of containers that are all empty."""

    __slots__ = ()
    key = "empty"

    def __len__(self) -> int:
        return 0

    def take(self, index: Array) -> Column:
        return self

    def decode(self) -> list[Any]:
        return []

    @staticmethod
    def concat(columns: list[Any]) -> Column:
        return columns[0]


class Uniform(Column):
    """The same Python value in every lane.

    An operation on uniform columns alone is computed once, by its scalar form.

        Uniform(7, 3)   ->   7, 7, 7
    """

    __slots__ = ("value", "lanes", "_laid_out")
    key = "uniform"

    def __init__(self, value: Any, lanes: int) -> None:
        self.value = value
        self.lanes = lanes
        self._laid_out: Column | None = None

    def laid_out(self, lay_out: Callable[[Any, int], Column]) -> Column:
        """The column that `lay_out` makes of the value, which is kept."""
        if self._laid_out is None:
            self._laid_out = lay_out(self.value, self.lanes)
        return self._laid_out

    def __len__(self) -> int:
        return self.lanes

    def take(self, index: Array) -> Column:
        return Uniform(self.value, len(index))

    def decode(self) -> list[Any]:
        return [self.value] * self.lanes
