"""Columns of NumPy arrays."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from megabatt.runtime.engine.columns.base import Column
from megabatt.runtime.engine.columns.flat import Flat
from megabatt.runtime.engine.columns.runs import Runs
from megabatt.runtime.engine.device.arrays import Array, xp
from megabatt.runtime.engine.device.device import to_host
from megabatt.runtime.engine.language.values import frozen


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
