"""Columns of Python objects."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from megabatt.runtime.engine.columns.base import CHECKED, Column, Encoder
from megabatt.runtime.engine.device.arrays import Array, xp
from megabatt.runtime.engine.device.device import to_host
from megabatt.runtime.engine.values import (
    depth_of,
    order_key,
    rank_key,
    size_of,
    total_weight,
    truth,
)


class Hosts(Column):
    """Values that no other column holds, as Python objects on the host.

    Exact and slow: an operation on such a lane is computed by its scalar form. `values` is a
    NumPy array of objects on every device.
    """

    __slots__ = ("values",)
    key = "host"
    on_host = True

    def __init__(self, values: Any) -> None:
        self.values = values
        if CHECKED:
            self.check()

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
    def encode(cls, values: list[Any], encoder: Encoder) -> Column:
        return host_column(values)

    def decode(self) -> list[Any]:
        return self.values.tolist()  # type: ignore[no-any-return]

    def truth(self) -> Array:
        return self._measured(lambda v: not isinstance(v, np.ndarray) and truth(v), np.bool_)

    def truthless(self) -> Array | None:
        return self._measured(lambda value: isinstance(value, np.ndarray), np.bool_)

    def ordinals(self, offsets: Array) -> Array:
        keys = [order_key(value) for value in self.decode()]
        rank = {key: k for k, key in enumerate(sorted(set(keys)))}
        return xp.asarray(np.array([rank[key] for key in keys], dtype=np.int64))

    def kind_ranks(self) -> Array:
        return self._measured(rank_key, np.int64)

    def weights(self, levels: int | None = None) -> Array:
        return self._measured(lambda value: total_weight([value], levels), np.int64)

    def beyond(self, least: int, most: int) -> Array:
        return xp.ones(len(self), dtype=xp.bool_)

    def lengths(self) -> Array:
        return self._measured(_length, np.int64)

    @property
    def sizes(self) -> Array | int:
        return self._measured(lambda value: size_of(value) if callable(value) else 0, np.int64)

    def depths(self) -> Array:
        return self._measured(depth_of, np.int64)

    def deepest(self) -> int:
        return max(map(depth_of, self.values), default=0)

    def _measured(self, measure: Callable[[Any], Any], dtype: Any) -> Array:
        """Return what `measure` gives for every plain value, as an array of `dtype`."""
        return xp.asarray(np.array([measure(value) for value in self.values], dtype=dtype))


def _length(value: Any) -> int:
    return len(value) if value.__class__ in (tuple, frozenset) else -1


def host_column(values: list[Any]) -> Hosts:
    """Put `values` into a `Hosts` column. NumPy must not look inside them."""
    array = np.empty(len(values), dtype=object)
    for k, value in enumerate(values):
        array[k] = value
    return Hosts(array)
