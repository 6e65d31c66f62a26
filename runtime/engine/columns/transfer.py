"""Moves columns between devices in a single transfer."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import copy
from typing import Any

from megabatt.runtime.engine.columns.base import Column
from megabatt.runtime.engine.device.arrays import Array
from megabatt.runtime.engine.device.device import current, to_host, xp
from megabatt.runtime.engine.device.scheduling import side_by_side

_ALIGNED = 8
"""Every array begins at a multiple of this many bytes."""


_BYTES_A_VALUE = 256
"""The estimated memory of a value that is a Python object."""


class Parcel:
    """Columns with the bytes of all their arrays, each array once.

    bytes: uint8, on the device in use when the parcel is made.
    """

    def __init__(self, columns: list[Column]) -> None:
        self._columns = columns
        arrays = {id(array): array for column in columns for array in _arrays(column)}
        self._places: dict[int, tuple[int, int, Any]] = {}
        at = 0
        for key, array in arrays.items():
            self._places[key] = (at, at + array.nbytes, array.dtype)
            at += array.nbytes + -array.nbytes % _ALIGNED
        self.bytes: Array = xp.empty(at, dtype=xp.uint8)
        whole = [array if array.flags.c_contiguous else array.copy() for array in arrays.values()]
        current().collect(whole, [begin for begin, _, _ in self._places.values()], self.bytes)

    def unpacked(self, bytes_there: Array) -> list[Column]:
        """Return the columns with their arrays in `bytes_there`, a copy of `bytes` anywhere."""

        def place(array: Array) -> Array:
            begin, end, dtype = self._places[id(array)]
            return bytes_there[begin:end].view(dtype)

        return [_rebuilt(column, place) for column in self._columns]


def nbytes_of(column: Column) -> int:
    """Return the approximate bytes of a column, which may share memory with others."""
    of_objects = _BYTES_A_VALUE * len(column) if column.on_host else 0
    return sum(array.nbytes for array in _arrays(column)) + of_objects


def columns_to_host(columns: list[Column]) -> list[Column]:
    """Return the columns with NumPy arrays."""
    parcel = Parcel(side_by_side([column.compact for column in columns]))
    return parcel.unpacked(to_host(parcel.bytes))


def _slots(column: Column) -> Iterator[str]:
    """Yield the names of a column's slots, without `_...`, which can be computed again."""
    for layout in type(column).__mro__:
        yield from getattr(layout, "__slots__", ())


def _is_array(value: Any) -> bool:
    """Tell whether a value is an array of the device, which the object array of `Hosts` is not."""
    return getattr(value, "ndim", 0) == 1 and value.dtype != object


def _arrays(value: Any) -> Iterator[Array]:
    """Yield all arrays of a column."""
    if isinstance(value, Column):
        for name in _slots(value):
            if not name.startswith("_"):
                yield from _arrays(getattr(value, name))
    elif isinstance(value, list | tuple):
        for part in value:
            yield from _arrays(part)
    elif _is_array(value):
        yield value


def _rebuilt(value: Any, place: Callable[[Array], Array]) -> Any:
    """Copy a column, with `place(array)` in place of each array."""
    if isinstance(value, Column):
        column = copy(value)
        for name in _slots(value):
            found_anew = name.startswith("_")
            setattr(column, name, None if found_anew else _rebuilt(getattr(value, name), place))
        return column
    if isinstance(value, list | tuple):
        return type(value)(_rebuilt(part, place) for part in value)
    return place(value) if _is_array(value) else value
