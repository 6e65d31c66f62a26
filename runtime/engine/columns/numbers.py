"""Columns of numbers: a number in a lane, or a run of them, which is a tuple or a NumPy array."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate, chain
from math import prod
from typing import Any, ClassVar, Self

import numpy as np

from megabatt.runtime.engine.columns.base import Column
from megabatt.runtime.engine.device.arrays import Array, offsets_of, ranges_at, taken, total_of, xp
from megabatt.runtime.engine.device.device import to_host
from megabatt.runtime.engine.language.values import frozen


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
        return type(self)(*taken(index, self.data))

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


@dataclass(slots=True, eq=False)
class Runs(Column):
    """A column with a run in every lane: content[starts[k] : starts[k] + counts[k]] in lane k.

    starts, counts: int64, shape (n,). Lanes may share elements, and content may have elements of no
    lane: `take` copies none. is_packed: Whether `content` is known to be the elements in order.
    """

    starts: Array
    counts: Array
    content: Flat
    is_packed: bool = False

    def check(self) -> None:
        assert self.starts.dtype == "int64" and self.counts.dtype == "int64"
        assert self.starts.shape == self.counts.shape and self.counts.ndim == 1
        if len(self) and isinstance(self.counts, np.ndarray):
            ends = (self.starts + self.counts)[self.counts > 0]
            assert self.counts.min() >= 0 and not (ends > len(self.content)).any()

    @classmethod
    def of_counts(cls, counts: Array, content: Flat, offsets: Array | None = None) -> Self:
        """Make a column whose runs are consecutive in `content`, counts[k] elements in lane k.

        offsets: The offsets of the counts, if known.
        """
        offsets = offsets_of(counts) if offsets is None else offsets
        return cls(offsets[:-1], counts, content, True)

    def __len__(self) -> int:
        return len(self.counts)

    def take(self, index: Array) -> Column:
        starts, counts = taken(index, self.starts, self.counts)
        return type(self)(starts, counts, self.content)

    @classmethod
    def concat(cls, columns: list[Any]) -> Column:
        columns = [column.packed() for column in columns]
        bases = accumulate((len(column.content) for column in columns), initial=0)
        starts = [c.starts + base for c, base in zip(columns, bases, strict=False)]
        counts = xp.concatenate([column.counts for column in columns])
        content = type(columns[0].content).concat([column.content for column in columns])
        return cls(xp.concatenate(starts), counts, content, True)  # type: ignore[arg-type]

    def packed(self) -> Self:
        """Return the column with content that is exactly the lanes' elements in order."""
        if self.is_packed:
            return self
        offsets = offsets_of(self.counts)
        content = self.content.take(ranges_at(self.starts, offsets, total_of(offsets)))
        return self.of_counts(self.counts, content, offsets)  # type: ignore[arg-type]

    def runs_of(self, elements: Any) -> Iterator[Any]:
        """Yield each lane's run of the elements of a packed column."""
        counts = self.counts.tolist()
        for count, end in zip(counts, accumulate(counts), strict=True):
            yield elements[end - count : end]


class Lists(Runs):
    """Tuples of numbers of one type. If all tuples are empty, the content has any layout.

    (5, 6), (), (7,)   ->   starts 0 2 2, counts 2 0 1, content 5 6 7
    """

    __slots__ = ()

    @classmethod
    def all_empty(cls, lanes: int) -> Lists:
        zeros = xp.zeros(lanes, dtype=xp.int64)
        return cls(zeros, zeros, Floats(xp.empty(0, dtype=xp.float64)), True)

    @property
    def key(self) -> Any:
        return (Lists, self.content.key) if len(self.content) else NOTHING

    @classmethod
    def encode(cls, values: list[Any]) -> Column:
        numbers = list(chain.from_iterable(values))
        if not numbers:
            return cls.all_empty(len(values))
        counts = xp.asarray(np.array(list(map(len, values)), dtype=np.int64))
        return cls.of_counts(counts, LAYOUTS[type(numbers[0])].encode(numbers))  # type: ignore[arg-type]

    def decode(self) -> list[Any]:
        packed = self.packed()
        return list(map(tuple, packed.runs_of(packed.content.decode())))

    def defaulted(self, failed: Array, default: Any) -> Column | None:
        if default != ():
            return None
        return Lists(self.starts, xp.where(failed, 0, self.counts), self.content)

    def weights(self) -> Array:
        return xp.maximum(self.counts, 1)


NOTHING = (Lists, None)
"""The layout of `()`, which lists of any numbers hold."""


class Items(Flat):
    """The items of arrays: numbers, or arrays of one shape; `data` has shape (n, *shape)."""

    __slots__ = ()

    def check(self) -> None:
        assert self.data.ndim and self.data.dtype.kind in "bifc"

    @property
    def key(self) -> Any:
        return self.data.dtype.char, self.data.shape[1:]

    def take(self, index: Array) -> Column:
        return Items(self.data[index])


class Arrays(Runs):
    """Numeric arrays with items of one shape and dtype, and any number of items in a lane.

    array([1., 2.]), array([3.])   ->   starts 0 2, counts 2 1, content 1. 2. 3.
    """

    __slots__ = ()

    @staticmethod
    def holds(value: np.ndarray[Any, Any]) -> bool:
        """Tell whether a column of this class can hold arrays like `value`."""
        known = value.dtype.kind in "bifc" and value.dtype.itemsize <= 16
        return known and value.ndim > 0 and 0 not in value.shape[1:]

    @property
    def key(self) -> Any:
        return "array", self.content.key

    @classmethod
    def encode(cls, values: list[Any]) -> Column:
        counts = xp.asarray(np.array(list(map(len, values)), dtype=np.int64))
        return cls.of_counts(counts, Items(xp.asarray(np.concatenate(values))))

    def decode(self) -> list[Any]:
        packed = self.packed()
        return [frozen(run.copy()) for run in packed.runs_of(to_host(packed.content.data))]

    def weights(self) -> Array:
        return xp.maximum(self.counts * prod(self.content.data.shape[1:]), 1)
