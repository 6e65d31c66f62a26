"""Columns whose values are single array elements."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from megabatt.runtime.engine.columns.base import Column
from megabatt.runtime.engine.device.arrays import Array, taken, xp


@dataclass(slots=True, eq=False)
class Flat(Column):
    """A column with an array element for every lane, in `data`.

    kind: The Python type of the values; `data` has NumPy's type of the same name.
    """

    data: Array
    kind: ClassVar[type]

    def check(self) -> None:
        assert self.data.ndim == 1
        assert self.data.dtype == self.kind, f"{type(self).__name__} of {self.data.dtype}"

    @property
    def key(self) -> Any:
        return type(self)

    def __len__(self) -> int:
        return len(self.data)

    def take(self, index: Array) -> Column:
        (data,) = taken(index, self.data)
        return type(self)(data)

    @classmethod
    def concat(cls, columns: list[Any]) -> Column:
        return cls(xp.concatenate([column.data for column in columns]))

    @classmethod
    def encode(cls, values: list[Any]) -> Column:
        return cls(xp.asarray(np.array(values, dtype=cls.kind)))

    @classmethod
    def filled(cls, value: Any, lanes: int) -> Column:
        return cls(xp.full(lanes, value, dtype=np.dtype(cls.kind)))

    def decode(self) -> list[Any]:
        return self.data.tolist()  # type: ignore[no-any-return]

    def defaulted(self, failed: Array, default: Any) -> Column | None:
        if default.__class__ is not self.kind or default:
            return None
        return type(self)(xp.where(failed, self.kind(), self.data))

    def weights(self) -> Array:
        return xp.ones(len(self), dtype=xp.int64)


class Ints(Flat):
    """Integers, int64.    7, -1, 0   ->   data 7 -1 0"""

    __slots__ = ()
    kind = int


class Bools(Flat):
    """Booleans, bool.    True, False   ->   data 1 0"""

    __slots__ = ()
    kind = bool


class Floats(Flat):
    """Reals, float64.    0.5, -1.0   ->   data 0.5 -1.0"""

    __slots__ = ()
    kind = float


LAYOUTS: dict[type, type[Flat]] = {layout.kind: layout for layout in (Bools, Ints, Floats)}
"""The layouts of numbers, by their Python type."""
