"""Array functions for columns, which cover gaps of CuPy and its differences from NumPy."""

from typing import Any

import numpy as np

from megabatt.runtime.engine.device.device import LAST, current, require_room, xp
from megabatt.runtime.engine.device.kernels import lane_kernel, team_kernel
from megabatt.runtime.engine.device.scheduling import ask

Array = Any
"""An array of the device in use: one-dimensional, int64 unless a docstring says otherwise."""


def total_of(offsets: Array) -> int:
    """Count the elements of all runs with these offsets."""
    return ask(offsets, LAST)


def where_set(flags: Array) -> Array:
    """Return the positions of set flags, ascending."""
    if current().asks_together:
        running = offsets_of(flags)
        positions = xp.empty(total_of(running), dtype=xp.int64)
        if len(positions):
            place_set(len(flags), flags, running, positions)
        return positions
    return xp.flatnonzero(flags)


@lane_kernel
def place_set(lane, flags, running, positions):
    if flags[lane]:
        positions[running[lane]] = lane


class Growing:
    """An array on the host that grows at its end. count: The number of elements."""

    __slots__ = ("count", "_room")

    def __init__(self, dtype: Any = np.int64) -> None:
        self.count = 0
        self._room: np.ndarray[Any, Any] = np.empty(1024, dtype=dtype)

    @property
    def data(self) -> Array:
        """The elements so far, shape (count,)."""
        return self._room[: self.count]

    @property
    def nbytes(self) -> int:
        return self._room.nbytes

    def add(self, elements: Array) -> int:
        """Add elements at the end. Returns the position of the first added element."""
        at = self.count
        end = at + len(elements)
        self.room_for(len(elements))[at:end] = elements
        self.count = end
        return at

    def append(self, element: Any) -> int:
        """Add an element at the end. Returns its position."""
        at = self.count
        self.room_for(1)[at] = element
        self.count = at + 1
        return at

    def room_for(self, more: int) -> Array:
        """Make room for more elements. Returns the array: the elements, then the room."""
        end = self.count + more
        if end > len(self._room):
            larger = np.empty(max(end, 2 * len(self._room)), dtype=self._room.dtype)
            larger[: self.count] = self.data
            self._room = larger
        return self._room


def offsets_of(counts: Array) -> Array:
    """Return the offsets of consecutive runs, one for each lane; shape (n + 1,)."""
    offsets = xp.empty(len(counts) + 1, dtype=xp.int64)
    current().sum_up(counts, offsets)
    return offsets


def elements_of(counts: Array) -> tuple[Array, Array, Array]:
    """Return the offsets of runs, and each element's lane and number within its run.

    Raises TooMuchAtOnce.
    """
    offsets = offsets_of(counts)
    lanes = xp.empty(require_room(total_of(offsets)), dtype=xp.int64)
    numbers = xp.empty_like(lanes)
    number_element(len(counts), offsets, lanes, numbers)
    return offsets, lanes, numbers


@team_kernel
def number_element(lane, place, team, offsets, lanes, numbers):
    for k in range(offsets[lane] + place, offsets[lane + 1], team):
        lanes[k] = lane
        numbers[k] = k - offsets[lane]


def ranges_at(starts: Array, offsets: Array, total: int) -> Array:
    """Concatenate `starts[k], starts[k] + 1, ...` over all k, a number for each element of run k.

    offsets: The offsets of the runs. total: The number of elements. Raises TooMuchAtOnce.
    """
    positions = xp.empty(require_room(total), dtype=xp.int64)
    fill_range(len(starts), offsets, starts, positions)
    return positions


@team_kernel
def fill_range(lane, place, team, offsets, starts, positions):
    for k in range(offsets[lane] + place, offsets[lane + 1], team):
        positions[k] = starts[lane] + (k - offsets[lane])


@lane_kernel
def flag_owner(lane, flags, owners, hit):
    """Flag the lane of a flagged element."""
    if flags[lane] and not hit[owners[lane]]:
        hit[owners[lane]] = flags[lane]


def taken(index: Array, *arrays: Array) -> list[Array]:
    """Take `array[index]` of one array or two, in one launch."""
    n = len(index)
    out = [xp.empty(n, dtype=array.dtype) for array in arrays]
    (take_one if len(arrays) == 1 else take_two)(n, index, *arrays, *out)
    return out


@lane_kernel
def take_one(lane, index, a, out):
    out[lane] = a[index[lane]]


@lane_kernel
def take_two(lane, index, a, b, out_a, out_b):
    out_a[lane] = a[index[lane]]
    out_b[lane] = b[index[lane]]
