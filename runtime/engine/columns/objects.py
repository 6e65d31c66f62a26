"""Columns of Python objects: one object for each lane, or one for all lanes."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from megabatt.runtime.engine.columns.base import Column
from megabatt.runtime.engine.device.arrays import Array, xp
from megabatt.runtime.engine.device.device import to_host
from megabatt.runtime.engine.language.values import weight


@dataclass(slots=True, eq=False)
class Hosts(Column):
    """Values of several layouts, or without one: a NumPy array of objects, on every device."""

    values: Any
    key = "host"

    def check(self) -> None:
        assert isinstance(self.values, np.ndarray) and self.values.dtype == object
        assert self.values.ndim == 1

    def __len__(self) -> int:
        return len(self.values)

    def take(self, index: Array) -> Column:
        return Hosts(self.values[to_host(index)])

    @classmethod
    def concat(cls, columns: list[Any]) -> Column:
        return Hosts(np.concatenate([column.values for column in columns]))

    @classmethod
    def encode(cls, values: list[Any]) -> Column:
        return cls(np.fromiter(values, object, len(values)))  # which does not look inside

    def decode(self) -> list[Any]:
        return self.values.tolist()  # type: ignore[no-any-return]

    def weights(self) -> Array:
        return xp.asarray(np.array(list(map(weight, self.values)), dtype=np.int64))


@dataclass(slots=True, eq=False)
class Uniform(Column):
    """The same Python value in every lane.

    An operation on only uniform columns is computed once, by its scalar form.

        Uniform(7, 3)   ->   7, 7, 7
    """

    value: Any
    lanes: int

    def __len__(self) -> int:
        return self.lanes

    def take(self, index: Array) -> Column:
        return Uniform(self.value, len(index))

    def decode(self) -> list[Any]:
        return [self.value] * self.lanes

    def weights(self) -> Array:
        return xp.full(self.lanes, weight(self.value), dtype=xp.int64)
