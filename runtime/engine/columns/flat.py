"""Columns whose values are single array elements."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from megabatt.runtime.engine.columns.base import CHECKED, Column
from megabatt.runtime.engine.device.arrays import Array, taken, xp


class Flat(Column):
    """A column with an array element for every lane, in `data`.

    dtypes: The dtypes that `data` may have, the default first.
    """

    __slots__ = ("data",)
    dtypes: ClassVar[tuple[str, ...]]

    def __init__(self, data: Array) -> None:
        self.data = data
        if CHECKED:
            self.check()

    def check(self) -> None:
        assert self.data.ndim == 1
        assert self.data.dtype in self.dtypes, f"{type(self).__name__} of {self.data.dtype}"

    @property
    def key(self) -> Any:
        return (type(self), self.data.dtype.char)

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
        return cls(xp.asarray(np.array(values, dtype=cls.dtypes[0])))

    @classmethod
    def filled(cls, value: Any, lanes: int) -> Column:
        return cls(xp.full(lanes, value, dtype=np.dtype(cls.dtypes[0])))

    def decode(self) -> list[Any]:
        return self.data.tolist()  # type: ignore[no-any-return]

    def equals(self, other: Any) -> Array:
        return self.data == other.data

    def weights(self) -> Array:
        return xp.ones(len(self), dtype=xp.int64)


class Ints(Flat):
    """Integers, int64.    7, -1, 0   ->   data 7 -1 0"""

    __slots__ = ()
    exact = True
    dtypes = ("int64",)

    def defaulted(self, failed: Array, default: Any) -> Column | None:
        if default.__class__ is not int or default:
            return None
        return Ints(xp.where(failed, 0, self.data))


class Bools(Flat):
    """Booleans, bool.    True, False   ->   data 1 0"""

    __slots__ = ()
    exact = True
    dtypes = ("bool",)

    def defaulted(self, failed: Array, default: Any) -> Column | None:
        return Bools(self.data & ~failed) if default is False else None


class Floats(Flat):
    """Reals, float64 or float32.    0.5, -1.0   ->   data 0.5 -1.0"""

    __slots__ = ()
    dtypes = ("float64", "float32")

    def defaulted(self, failed: Array, default: Any) -> Column | None:
        if default.__class__ is not float or default:
            return None
        return Floats(xp.where(failed, self.data.dtype.type(0), self.data))


class Complexes(Flat):
    """Complex numbers, complex64 or complex128."""

    __slots__ = ()
    dtypes = ("complex128", "complex64")

    def take(self, index: Array) -> Column:
        return Complexes(self.data[index])  # kernels have no complex numbers on CUDA
