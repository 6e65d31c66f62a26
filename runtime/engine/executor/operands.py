"""The operands of operations, as arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from megabatt.runtime.engine.device.arrays import Growing
from megabatt.runtime.engine.machine.functions import machine_function
from megabatt.runtime.engine.machine.loops import Loop, Numbers


class Operands:
    """The operands of values in one array. The operands of an operation are its function and its
    arguments; other values have none.

    begins: int64 (values + 1,), the offsets of each value's operands. flat: int64, the operands.
    """

    def __init__(self) -> None:
        self._ends = Growing()
        self._flat = Growing()
        self._ends.add(np.zeros(1, dtype=np.int64))

    @property
    def begins(self) -> Numbers:
        return self._ends.data

    @property
    def flat(self) -> Numbers:
        return self._flat.data

    def add(self, values: int) -> None:
        """Add values without operands."""
        self._ends.add(np.full(values, self.begins[-1]))

    def room_for(self, values: int, operands: int) -> tuple[Numbers, Numbers]:
        """Make room for more values and operands. Returns `begins` and `flat` with that room."""
        return self._ends.room_for(values), self._flat.room_for(operands)

    def take_in(self, values: int) -> None:
        """Add values that were already written into the room of `room_for`."""
        self._ends.count += values
        self._flat.count = int(self.begins[-1])

    def table(self, numbers: Numbers, most: int) -> Numbers:
        """Return the first `most` operands of each value, padded with 0; int64 (n, most)."""
        table = np.zeros((len(numbers), most), dtype=np.int64)
        _tabulate(self.begins, self.flat, numbers, table)
        return table

    def cones(self, numbers: Numbers) -> tuple[Numbers, Numbers]:
        """Return the cone of each value (the operations it depends on), and the cones' offsets.

        Both are int64, (n,) and (values + 1,). The operations of a cone have no order.
        """
        numbers = np.ascontiguousarray(numbers, dtype=np.int64)
        room = len(self.begins)
        while True:
            members, begins = np.empty(room, np.int64), np.zeros(len(numbers) + 1, np.int64)
            seen = np.zeros(len(self.begins), np.bool_)
            if _walk(self.begins, self.flat, numbers, seen, True, members, begins):
                return members[: begins[-1]], begins
            room *= 2

    def lacking(self, numbers: Numbers, seen: np.ndarray[Any, Any]) -> Numbers:
        """Return the unseen operations that values depend on, ascending.

        seen: Flags values that are not walked through; gets the flags of the operations found.
        """
        before = seen.copy()
        members, begins = np.empty(len(seen), np.int64), np.zeros(len(numbers) + 1, np.int64)
        _walk(self.begins, self.flat, numbers, seen, False, members, begins)
        return np.flatnonzero(seen != before)


@Loop
def _walk(operands_begin, operands, numbers, seen, apart, members, begins):
    """Store the cone of each value, and the cones' offsets; see `Operands.cones`.

    seen: Flags values that are not walked through. Operations found for one value are skipped for
    the next, unless values are `apart`. Returns whether there is room for the members.
    """
    end = 0
    for k in range(len(numbers)):
        first = at = end
        end = _joined(operands_begin, numbers[k], seen, members, end)
        while at < end and end <= len(members):
            for place in range(operands_begin[members[at]], operands_begin[members[at] + 1]):
                end = _joined(operands_begin, operands[place], seen, members, end)
            at += 1
        if end > len(members):
            return False
        if apart:
            for place in range(first, end):
                seen[members[place]] = False
        begins[k + 1] = end
    return True


@machine_function
def _joined(operands_begin, number, seen, members, end):
    """Store an unseen operation behind the members, if there is room; skip other values.

    Returns the new end of the members, which lies beyond `members` if that is full.
    """
    if seen[number] or operands_begin[number] == operands_begin[number + 1]:
        return end
    seen[number] = True
    if end < len(members):
        members[end] = number
    return end + 1


@Loop
def _tabulate(begins, flat, numbers, table):
    """Store the first operands of each value in its row of a table."""
    for k in range(len(numbers)):
        begin = begins[numbers[k]]
        count = begins[numbers[k] + 1] - begin
        for place in range(min(count, table.shape[1])):
            table[k, place] = flat[begin + place]
