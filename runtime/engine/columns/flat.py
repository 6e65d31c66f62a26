"""Columns of values that are one array element each, and of None."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from megabatt.runtime.engine.columns.base import CHECKED, RANK_BITS, Column, Encoder, Part
from megabatt.runtime.engine.columns.hosts import host_column
from megabatt.runtime.engine.device.arrays import Array, Growing, any_set, taken, xp
from megabatt.runtime.engine.device.device import to_host
from megabatt.runtime.engine.policy import NONE, NUMBER, policy, ranks
from megabatt.runtime.engine.sets.runs import ranks_of_runs


class Flat(Column):
    """A column that is one flat array, `data`, with an element for every lane.

    dtypes: those that `data` may have, the default first.
    """

    __slots__ = ("data",)
    weighs_one = True
    spells = True
    dtypes: ClassVar[tuple[str, ...]]

    def __init__(self, data: Array) -> None:
        self.data = data
        if CHECKED:
            self.check()

    def check(self) -> None:
        assert self.data.ndim == 1
        assert self.data.dtype in self.dtypes, f"{type(self).__name__} of {self.data.dtype}"

    def __len__(self) -> int:
        return len(self.data)

    def take(self, index: Array) -> Column:
        (data,) = taken(index, self.data)
        return type(self)(data)

    @classmethod
    def concat(cls, columns: list[Any]) -> Column:
        return cls(xp.concatenate([column.data for column in columns]))

    def pool(self) -> FlatPool:
        return FlatPool(self)

    def decode(self) -> list[Any]:
        return self.data.tolist()  # type: ignore[no-any-return]

    def kind_ranks(self) -> Array:
        assert self.kind is not None
        return xp.full(len(self), 2 * ranks()[self.kind] + 1, dtype=xp.int64)


class FlatPool:
    """A pool of flat columns."""

    def __init__(self, like: Flat) -> None:
        self._layout = type(like)
        self._data = Growing(like.data.dtype)

    def add(self, column: Flat) -> int:
        return self._data.add(column.data)

    def take(self, index: Array) -> Column:
        return self._layout(*taken(index, self._data.data))

    @property
    def nbytes(self) -> int:
        return self._data.nbytes


class Numbers(Flat):
    """Numbers of any width. Those of unlike layouts compare as in Python."""

    __slots__ = ()
    kind = NUMBER

    @classmethod
    def encode(cls, values: list[Any], encoder: Encoder) -> Column:
        return cls(xp.asarray(np.array(values, dtype=cls.dtypes[0])))

    @classmethod
    def filled(cls, value: Any, lanes: int, encoder: Encoder) -> Column:
        return cls(xp.full(lanes, value, dtype=np.dtype(cls.dtypes[0])))

    def arrow(self) -> Any:
        return arrow_numbers(to_host(self.data))

    def equals(self, other: Column) -> Array:
        assert isinstance(other, Numbers)
        a, b = self.data, other.data
        if a.dtype.kind == "i" and b.dtype.kind in "fc":
            a, b = b, a
        if a.dtype.kind in "fc" and b.dtype.kind == "i":  # exact where no float64 holds the integer
            alike = a == b.astype(xp.float64)
            real = xp.where(alike, a, 0).real
            return alike & (real.astype(xp.int64) == b)
        return a == b

    def truth(self) -> Array:
        return self.data != 0

    def beyond(self, least: int, most: int) -> Array:
        return xp.zeros(len(self), dtype=xp.bool_)

    def united(self, column: Column) -> Column:
        parts = column.split()
        layouts = {type(part) for _, part in parts}
        if layouts <= {Ints, Bools}:
            return _placed(parts, len(column), Ints)
        exact = [part.beyond(-_EXACT, _EXACT) for _, part in parts]
        if Complexes in layouts or any(any_set(flags) for flags in exact):
            return host_column(column.decode())
        return _placed(parts, len(column), Floats)

    def defaulted(self, failed: Array, default: Any) -> Column | None:
        if default.__class__ not in (int, float) or default != 0:
            return None
        return type(self)(xp.where(failed, self.data.dtype.type(0), self.data))


class Ints(Numbers):
    """Integers, int64.    7, -1, 0   ->   data 7 -1 0"""

    __slots__ = ()
    key = "int"
    integral = True
    coded = True
    dtypes = ("int64",)

    def ordinals(self, offsets: Array) -> Array:
        return self.data

    def ranks(self, offsets: Array) -> Array:
        least, most = policy().integers
        return self.data - least if most - least < 1 << RANK_BITS else super().ranks(offsets)

    def beyond(self, least: int, most: int) -> Array:
        return (self.data < least) | (self.data > most)

    def defaulted(self, failed: Array, default: Any) -> Column | None:
        if default.__class__ is not int or default:
            return None
        return Ints(xp.where(failed, 0, self.data))


class Bools(Numbers):
    """Booleans, bool.    True, False   ->   data 1 0"""

    __slots__ = ()
    key = "bool"
    dtypes = ("bool",)

    def canonical(self) -> Column:
        return Ints(self.data.astype(xp.int64))

    def truth(self) -> Array:
        return self.data

    def ordinals(self, offsets: Array) -> Array:
        return self.data.astype(xp.int64)

    def defaulted(self, failed: Array, default: Any) -> Column | None:
        return Bools(self.data & ~failed) if default is False else None


class Floats(Numbers):
    """Reals, float64 or float32.    0.5, -1.0   ->   data 0.5 -1.0"""

    __slots__ = ()
    dtypes = ("float64", "float32")

    @property
    def key(self) -> Any:
        return ("float", self.data.dtype.char)

    def ordinals(self, offsets: Array) -> Array:
        return float_codes(self.data)

    def defaulted(self, failed: Array, default: Any) -> Column | None:
        return super().defaulted(failed, default) if default.__class__ is float else None


class Complexes(Numbers):
    """Complex numbers, complex64 or complex128; in order by real part, then by imaginary."""

    __slots__ = ()
    dtypes = ("complex128", "complex64")

    @property
    def key(self) -> Any:
        return ("complex", self.data.dtype.char)

    def take(self, index: Array) -> Column:
        return Complexes(self.data[index])  # CUDA's complex numbers are not in our kernels

    def ordinals(self, offsets: Array) -> Array:
        n = len(self)
        codes = xp.empty(2 * n, dtype=xp.int64)
        codes[0::2], codes[1::2] = float_codes(self.data.real), float_codes(self.data.imag)
        return ranks_of_runs(xp.arange(0, 2 * n + 1, 2, dtype=xp.int64), codes, offsets)

    def defaulted(self, failed: Array, default: Any) -> Column | None:
        return None


_EXACT = 1 << 53
"""Integers up to here are float64 exactly."""


def _placed(parts: list[Part], lanes: int, layout: type[Numbers]) -> Numbers:
    """Put numbers of several layouts into the one that holds all of them."""
    data = xp.empty(lanes, dtype=np.dtype(layout.dtypes[0]))
    for members, part in parts:
        data[members] = part.data  # type: ignore[attr-defined]
    return layout(data)


_HIGHEST = (1 << 63) - 1


def arrow_numbers(data: np.ndarray[Any, Any]) -> Any:
    """Return numbers as a `pyarrow.Array`; complex ones by their parts, "re" and "im"."""
    import pyarrow

    if data.dtype.kind != "c":
        return pyarrow.array(data)
    return pyarrow.StructArray.from_arrays([data.real, data.imag], ["re", "im"])


def float_codes(values: Array) -> Array:
    """Return an int64 for every float. They compare as the floats do; NaN comes last."""
    values = values.astype(xp.float64) + 0.0  # -0.0 is 0.0
    bits = xp.ascontiguousarray(values).view(xp.int64)
    codes = xp.where(bits < 0, bits ^ _HIGHEST, bits)
    return xp.where(xp.isnan(values), _HIGHEST - 1, codes)


class Nones(Column):
    """None in every lane."""

    __slots__ = ("lanes",)
    key = "none"
    kind = NONE
    integral = True
    weighs_one = True

    def __init__(self, lanes: int) -> None:
        self.lanes = lanes

    def __len__(self) -> int:
        return self.lanes

    def take(self, index: Array) -> Column:
        return Nones(len(index))

    @classmethod
    def concat(cls, columns: list[Any]) -> Column:
        return Nones(sum(map(len, columns)))

    @classmethod
    def encode(cls, values: list[Any], encoder: Encoder) -> Column:
        return Nones(len(values))

    @classmethod
    def filled(cls, value: Any, lanes: int, encoder: Encoder) -> Column:
        return Nones(lanes)

    def decode(self) -> list[Any]:
        return [None] * self.lanes

    def arrow(self) -> Any:
        import pyarrow

        return pyarrow.nulls(self.lanes)

    def equals(self, other: Column) -> Array:
        return xp.ones(self.lanes, dtype=xp.bool_)

    def truth(self) -> Array:
        return xp.zeros(self.lanes, dtype=xp.bool_)

    def ordinals(self, offsets: Array) -> Array:
        return xp.zeros(self.lanes, dtype=xp.int64)

    def kind_ranks(self) -> Array:
        return xp.full(self.lanes, 2 * ranks()[NONE] + 1, dtype=xp.int64)

    def beyond(self, least: int, most: int) -> Array:
        return xp.zeros(self.lanes, dtype=xp.bool_)
