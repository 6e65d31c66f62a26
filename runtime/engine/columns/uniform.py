"""Columns of one value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from megabatt.runtime.engine.columns.base import Column
from megabatt.runtime.engine.device.arrays import Array, xp
from megabatt.runtime.engine.language.values import show, total_weight


@dataclass(slots=True, eq=False)
class Uniform(Column):
    """The same Python value in every lane.

    An operation on only uniform columns is computed once, by its scalar form.

        Uniform(7, 3)   ->   7, 7, 7
    """

    value: Any
    lanes: int

    @property
    def key(self) -> Any:
        return (Uniform, type(self.value), self.value if callable(self.value) else show(self.value))

    def __len__(self) -> int:
        return self.lanes

    def of_lanes(self, lanes: int) -> Uniform:
        """Return the same value in `lanes` lanes."""
        return Uniform(self.value, lanes)

    def take(self, index: Array) -> Column:
        return Uniform(self.value, len(index))

    @classmethod
    def concat(cls, columns: list[Any]) -> Column:
        return Uniform(columns[0].value, sum(map(len, columns)))

    def decode(self) -> list[Any]:
        return [self.value] * self.lanes

    def weights(self) -> Array:
        return xp.full(self.lanes, total_weight([self.value]), dtype=xp.int64)
