"""Columns of values that are one array element each."""

from __future__ import annotations

from typing import Any

import numpy as np

from runtime.engine.arrays import Array, taken, xp
from runtime.engine.columns.base import Column
from runtime.engine.devices import to_host
from runtime.engine.packing import (
    LOCATION,
    color_of,
    color_part,
    column_of,
    column_part,
    row_of,
    row_part,
)


class Flat(Column):
    """A column that is one flat array, `data`, with an element for every lane."""

    __slots__ = ("data",)

    def __init__(self, data: Array) -> None:
        self.data = data

    def __len__(self) -> int:
        return len(self.data)

    def take(self, index: Array) -> Column:
        (data,) = taken(index, self.data)
        return type(self)(data)

    @classmethod
    def concat(cls, columns: list[Any]) -> Column:  # type: ignore[override]
        return cls(xp.concatenate([column.data for column in columns]))

    def decode(self) -> list[Any]:
        return self.data.tolist()


class Ints(Flat):
    """Integers, int64.    7, -1, 0   ->   data 7 -1 0"""

    __slots__ = ()
    key = "int"


class Bools(Flat):
    """Booleans, bool.    True, False   ->   data 1 0"""

    __slots__ = ()
    key = "bool"


class Pairs(Flat):
    """Integer pairs (i, j), packed into int64 codes that compare alike (`packing.pack_pair`)."""

    __slots__ = ()
    key = "pair"

    @property
    def first(self) -> Ints:
        return Ints(row_part(self.data))

    @property
    def second(self) -> Ints:
        return Ints(column_part(self.data))

    def decode(self) -> list[Any]:
        return _pairs(to_host(self.data))


class Cells(Flat):
    """Cells (color, (i, j)), packed into int64 codes that compare alike (`packing.pack_cell`)."""

    __slots__ = ()
    key = "cell"

    @property
    def first(self) -> Ints:
        return Ints(color_part(self.data))

    @property
    def second(self) -> Pairs:
        return Pairs(self.data & LOCATION)

    def decode(self) -> list[Any]:
        codes = to_host(self.data)
        return list(zip(color_of.py_func(codes).tolist(), _pairs(codes), strict=True))


def _pairs(codes: np.ndarray[Any, Any]) -> list[tuple[int, int]]:
    """The pairs, or the cells' locations, with these codes."""
    rows, columns = row_of.py_func(codes), column_of.py_func(codes)
    return list(zip(rows.tolist(), columns.tolist(), strict=True))


class Nones(Column):
    """None in every lane."""

    __slots__ = ("lanes",)
    key = "none"

    def __init__(self, lanes: int) -> None:
        self.lanes = lanes

    def __len__(self) -> int:
        return self.lanes

    def take(self, index: Array) -> Column:
        return Nones(len(index))

    @staticmethod
    def concat(columns: list[Any]) -> Column:
        return Nones(sum(map(len, columns)))

    def decode(self) -> list[Any]:
        return [None] * self.lanes


class Hosts(Column):
    """Values that no other column holds, as Python objects on the host.

    Exact and slow: an operation on such a lane is computed by its scalar form. `values` is a
    NumPy array of objects on every device.
    """

    __slots__ = ("values",)
    key = "host"

    def __init__(self, values: Any) -> None:
        self.values = values

    def __len__(self) -> int:
        return len(self.values)

    def take(self, index: Array) -> Column:
        return Hosts(self.values[to_host(index)])

    @staticmethod
    def concat(columns: list[Any]) -> Column:
        return Hosts(np.concatenate([column.values for column in columns]))

    def decode(self) -> list[Any]:
        return self.values.tolist()


def host_column(values: list[Any]) -> Hosts:
    """`values` as a `Hosts` column (NumPy must not look inside them)."""
    array = np.empty(len(values), dtype=object)
    for k, value in enumerate(values):
        array[k] = value
    return Hosts(array)
