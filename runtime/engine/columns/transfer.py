"""Moves columns between devices in a single transfer."""

from collections.abc import Iterator
from copy import copy
from typing import Any

from megabatt.runtime.engine.columns.base import Column
from megabatt.runtime.engine.columns.objects import Hosts
from megabatt.runtime.engine.device.arrays import Array
from megabatt.runtime.engine.device.device import current, to_host, xp
from megabatt.runtime.engine.device.scheduling import side_by_side

_ALIGNED = 8
"""Every array begins at a multiple of this many bytes."""


_BYTES_A_VALUE = 256
"""The estimated memory of a value that is a Python object."""


class Parcel:
    """Columns, and the `bytes` (uint8) of all their arrays, each once, on the device in use."""

    def __init__(self, columns: list[Column]) -> None:
        self._columns = columns
        arrays = {id(array): array for column in columns for array in _arrays(column)}
        self._places: dict[int, tuple[int, int, Any]] = {}
        at = 0
        for key, array in arrays.items():
            self._places[key] = (at, at + array.nbytes, array.dtype)
            at += array.nbytes + -array.nbytes % _ALIGNED
        self.bytes: Array = xp.empty(at, dtype=xp.uint8)
        whole = [array.ravel() for array in arrays.values()]
        current().collect(whole, [begin for begin, _, _ in self._places.values()], self.bytes)

    def unpacked(self, bytes_there: Array) -> list[Column]:
        """Return the columns with their arrays in `bytes_there`, a copy of `bytes` anywhere."""

        def rebuilt(column: Column) -> Column:
            made = copy(column)
            for name, part in _parts(column):
                if isinstance(part, Column):
                    setattr(made, name, rebuilt(part))
                elif id(part) in self._places:
                    begin, end, dtype = self._places[id(part)]
                    setattr(made, name, bytes_there[begin:end].view(dtype).reshape(part.shape))
            return made

        return list(map(rebuilt, self._columns))


def nbytes_of(column: Column) -> int:
    """Return the approximate bytes of a column, which may share memory with others."""
    of_objects = _BYTES_A_VALUE * len(column) if isinstance(column, Hosts) else 0
    return sum(array.nbytes for array in _arrays(column)) + of_objects


def columns_to_host(columns: list[Column]) -> list[Column]:
    """Return the columns with NumPy arrays."""
    parcel = Parcel(side_by_side([column.packed for column in columns]))
    return parcel.unpacked(to_host(parcel.bytes))


def _parts(column: Column) -> Iterator[tuple[str, Any]]:
    """Yield the names and contents of the slots of a column."""
    for layout in type(column).__mro__:
        for name in getattr(layout, "__slots__", ()):
            yield name, getattr(column, name)


def _arrays(column: Column) -> Iterator[Array]:
    """Yield all arrays of a column on the device, so not the object array of `Hosts`."""
    for _, part in _parts(column):
        if isinstance(part, Column):
            yield from _arrays(part)
        elif getattr(part, "ndim", 0) and part.dtype != object:
            yield part
