"""Columns of NumPy arrays."""

from __future__ import annotations

from itertools import accumulate
from math import prod
from typing import Any

import numpy as np

from megabatt.runtime.engine.columns.base import CHECKED, Column
from megabatt.runtime.engine.device.arrays import Array, offsets_of, ranges_at, total_of, xp
from megabatt.runtime.engine.device.device import to_host
from megabatt.runtime.engine.language.values import frozen


class Arrays(Column):
    """Numeric arrays with items of one shape and dtype, and any number of items in a lane.

    data: Flat. starts, counts: int64 (n,), in items. item: The shape of an item, () for a number.
    Lane k is data[starts[k] * size : (starts[k] + counts[k]) * size] of shape (counts[k], *item),
    where size is the count of numbers in an item. Lanes may share data.

        array([1., 2.]), array([3.])   ->   data 1. 2. 3., starts 0 2, counts 2 1, item ()
    """

    __slots__ = ("data", "starts", "counts", "item", "is_packed")

    def __init__(
        self,
        data: Array,
        starts: Array,
        counts: Array,
        item: tuple[int, ...] = (),
        is_packed: bool = False,
    ) -> None:
        """Make the column. is_packed: Whether `data` has exactly the lanes' items in order."""
        self.data = data
        self.starts = starts
        self.counts = counts
        self.item = item
        self.is_packed = is_packed
        if CHECKED:
            self.check()

    def check(self) -> None:
        assert self.data.ndim == 1 and self.data.dtype.kind in "bifc"
        assert self.starts.dtype == "int64" and self.counts.dtype == "int64"
        assert self.starts.shape == self.counts.shape
        if len(self) and isinstance(self.counts, np.ndarray):
            ends = (self.starts + self.counts)[self.counts > 0] * self.item_size
            assert self.counts.min() >= 0 and not (ends > len(self.data)).any()

    @staticmethod
    def holds(value: np.ndarray[Any, Any]) -> bool:
        """Tell whether a column of this class can hold such an array."""
        known = value.dtype.kind in "bifc" and value.dtype.itemsize <= 16
        return known and value.ndim > 0 and 0 not in value.shape[1:]

    @classmethod
    def of_counts(cls, counts: Array, data: Array, item: tuple[int, ...] = ()) -> Arrays:
        """Make arrays whose items are consecutive in `data`, counts[k] in lane k."""
        return cls(data, offsets_of(counts)[:-1], counts, item, True)

    @property
    def item_size(self) -> int:
        """The count of numbers in an item."""
        return prod(self.item)

    @property
    def key(self) -> Any:
        return ("array", self.data.dtype.char, self.item)

    def __len__(self) -> int:
        return len(self.counts)

    def take(self, index: Array) -> Column:
        return Arrays(self.data, self.starts[index], self.counts[index], self.item)

    def packed(self) -> Arrays:
        """Return the same arrays with `data` packed: exactly the lanes' items in order."""
        if self.is_packed:
            return self
        size = self.item_size
        offsets = offsets_of(self.counts * size)
        data = self.data[ranges_at(self.starts * size, offsets, total_of(offsets))]
        return Arrays.of_counts(self.counts, data, self.item)

    def compact(self) -> Column:
        return self.packed()

    @classmethod
    def concat(cls, columns: list[Any]) -> Column:
        columns = [column.packed() for column in columns]
        data = xp.concatenate([column.data for column in columns])
        counts = xp.concatenate([column.counts for column in columns])
        return cls.of_counts(counts, data, columns[0].item)

    @classmethod
    def encode(cls, values: list[Any]) -> Column:
        counts = np.array([len(value) for value in values], dtype=np.int64)
        data = np.concatenate([value.reshape(-1) for value in values])
        return cls.of_counts(xp.asarray(counts), xp.asarray(data), values[0].shape[1:])

    def decode(self) -> list[Any]:
        packed = self.packed()
        data = to_host(packed.data).reshape(-1, *self.item)
        counts = packed.counts.tolist()
        ends = accumulate(counts)
        return [
            frozen(data[end - count : end].copy()) for count, end in zip(counts, ends, strict=True)
        ]

    def weights(self) -> Array:
        return xp.maximum(self.counts * self.item_size, 1)
