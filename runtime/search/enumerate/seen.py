"""A hash set of fingerprints, of 128 bits each, in flat arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from megabatt.runtime.search.compiled import host_function

Bits = np.ndarray[Any, Any]

_LEAST = 1 << 16


class Seen:
    """A set of fingerprints, open addressing with linear probing, at most half full."""

    def __init__(self) -> None:
        self.count = 0
        self._slots = np.zeros((_LEAST, 2), dtype=np.int64)

    def __len__(self) -> int:
        return self.count

    @property
    def nbytes(self) -> int:
        """The bytes in use."""
        return self._slots.nbytes

    def add(self, low: Bits, high: Bits, wanted: Bits) -> Bits:
        """Add fingerprints, two int64 (n,), where `wanted`, bool (n,), is set.

        Returns flags, bool (n,), set for new fingerprints; of equal ones, only for the first.
        """
        while 2 * (self.count + len(low)) > len(self._slots):
            self._slots = _moved(self._slots, np.zeros((2 * len(self._slots), 2), dtype=np.int64))
        new = np.zeros(len(low), dtype=np.bool_)
        self.count += _add(self._slots, low, high, wanted, new)
        return new


@host_function
def _place(slots: Bits, low: int, high: int) -> int:
    """Find the slot of a fingerprint, or the free slot for it."""
    at = low & (len(slots) - 1)
    while (slots[at, 0] != 0 or slots[at, 1] != 0) and (
        slots[at, 0] != low or slots[at, 1] != high
    ):
        at = (at + 1) & (len(slots) - 1)
    return at


@host_function
def _add(slots: Bits, low: Bits, high: Bits, wanted: Bits, new: Bits) -> int:
    added = 0
    for k in range(len(low)):
        if not wanted[k]:
            continue
        at = _place(slots, low[k], high[k])
        if slots[at, 0] == 0 and slots[at, 1] == 0:
            slots[at, 0], slots[at, 1] = low[k], high[k]
            new[k] = True
            added += 1
    return added


@host_function
def _moved(slots: Bits, larger: Bits) -> Bits:
    for k in range(len(slots)):
        if slots[k, 0] != 0 or slots[k, 1] != 0:
            at = _place(larger, slots[k, 0], slots[k, 1])
            larger[at, 0], larger[at, 1] = slots[k, 0], slots[k, 1]
    return larger
