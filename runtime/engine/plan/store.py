"""The values that the operations of many programs have made, to be gathered in any order."""

from __future__ import annotations

from collections.abc import Hashable
from itertools import pairwise
from typing import Any

import numpy as np

from megabatt.runtime.engine.columns import Column, Empty, Uniform, Union, concat, scatter
from megabatt.runtime.engine.columns.base import Pool
from megabatt.runtime.engine.device.arrays import Array, Growing, xp
from megabatt.runtime.engine.device.device import to_host

MIXED = -1
"""Stands for the layout of rows with different layouts."""


_BYTES_A_VALUE = 256
"""The estimated memory of a value that lies in no array."""


class Chunks:
    """A pool that keeps columns as they come, for layouts that arrays do not make up."""

    def __init__(self) -> None:
        self._columns: list[Column] = []
        self._begins = [0]

    def add(self, column: Column) -> int:
        at = self._begins[-1]
        self._columns.append(column)
        self._begins.append(at + len(column))
        return at

    def take(self, index: Array) -> Column:
        if not len(index):
            return Empty()
        begins = np.array(self._begins)
        first, last = np.searchsorted(begins, [int(index.min()), int(index.max())], "right") - 1
        return concat(self._columns[first : last + 1]).take(index - self._begins[first])

    @property
    def nbytes(self) -> int:
        return _BYTES_A_VALUE * self._begins[-1]


class Store:
    """Rows of values.

    A row is the number of a layout (`tags`) and a position in that layout's pool (`index`).
    Several rows may be the same value.
    """

    def __init__(self) -> None:
        self._pools: list[Pool] = []
        self._keys: list[Hashable] = []
        self._loose: list[bool] = []
        self._numbers: dict[Hashable, int] = {}
        self._tags = Growing(np.int32)
        self._index = Growing(xp.int64)

    @property
    def nbytes(self) -> int:
        """About how much memory the values take."""
        return sum(pool.nbytes for pool in self._pools) + self._index.nbytes + self._tags.nbytes

    def put(self, column: Column) -> tuple[int, int]:
        """Add a row for every lane. Returns the first row, and the layout or `MIXED`."""
        column = column.gathered()
        n = len(column)
        if column.constant:
            return self._put_constant(column)
        if not isinstance(column, Union):
            tag, at = self._add(column)
            self._tags.add(xp.full(n, tag, dtype=np.int32))
            return self._index.add(xp.arange(at, at + n, dtype=xp.int64)), tag
        tags, index = xp.empty(n, dtype=np.int32), xp.empty(n, dtype=xp.int64)
        for lanes, part in column.split():
            tag, at = self._add(part)
            tags[lanes] = tag
            index[lanes] = xp.arange(at, at + len(part), dtype=xp.int64)
        self._tags.add(tags)
        return self._index.add(index), MIXED

    def _put_constant(self, column: Column) -> tuple[int, int]:
        """Add a row for every lane, all of one value. Returns as `put` does."""
        n = len(column)
        assert isinstance(column, Uniform)
        tag, at = self._add(Uniform(column.value, 1).materialized())
        self._tags.add(xp.full(n, tag, dtype=np.int32))
        return self._index.add(xp.full(n, at, dtype=xp.int64)), tag

    def _add(self, column: Column) -> tuple[int, int]:
        """Add values of one layout to its pool. Returns the layout, and where the first stands."""
        key = column.key
        tag = self._numbers.get(key)
        if tag is None:
            tag = self._numbers[key] = len(self._pools)
            pool = column.pool()
            self._pools.append(Chunks() if pool is None else pool)
            self._keys.append(key)
            self._loose.append(pool is None or column.are_empty())
        return tag, self._pools[tag].add(column)

    def get(self, rows: Array, tag: int = MIXED) -> Column:
        """Return the column whose lane k has the value of row rows[k].

        tag: the layout of all rows, if they are known to have one.
        """
        index = self._index.data[rows]
        if tag != MIXED:
            return self._pools[tag].take(index)
        if not len(rows):
            return Empty()
        tags = to_host(self._tags.data[rows])
        if (tags == tags[0]).all():
            return self._pools[tags[0]].take(index)
        order = np.argsort(tags, kind="stable")
        found = tags[order]
        begins = [0, *(np.flatnonzero(found[1:] != found[:-1]) + 1).tolist(), len(found)]
        parts = []
        for begin, end in pairwise(begins):
            lanes = xp.asarray(order[begin:end])
            parts.append((lanes, self._pools[found[begin]].take(index[lanes])))
        return scatter(parts, len(rows)) if self._may_merge(found) else Union.of_parts(parts)

    def _may_merge(self, tags: Any) -> bool:
        """Tell whether values may lie in the layout of others, or are unions already."""
        return any(self._loose[tag] for tag in set(tags.tolist()))

    def one_of(self, tag: int) -> Column | None:
        """Return a column of one value in just this layout; None if the first value has another."""
        column = self._pools[tag].take(xp.zeros(1, dtype=xp.int64))
        same = column.key == self._keys[tag] and not _holds_unions(column.key)
        return column if same else None

    def tags_of(self, first: int, counts: np.ndarray) -> np.ndarray:
        """Return the layout, or `MIXED`, of each run of rows. counts: the rows of each run.

        The runs follow each other from row `first` on.
        """
        tags = to_host(self._tags.data[first : first + int(counts.sum())])
        found = np.full(len(counts), MIXED)
        filled = counts > 0
        begins = (np.cumsum(counts) - counts)[filled]
        if len(begins):
            least, most = np.minimum.reduceat(tags, begins), np.maximum.reduceat(tags, begins)
            found[filled] = np.where(least == most, least, MIXED)
        return found


def _holds_unions(key: Hashable) -> bool:
    return key == Union.key or (isinstance(key, tuple) and any(map(_holds_unions, key)))
