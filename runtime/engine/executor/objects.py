"""Finds the distinct objects of an array in a compiled loop, by their addresses."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from megabatt.runtime.engine.executor.operands import Numbers
from megabatt.runtime.engine.machine.loops import Loop

_LEAST_SLOTS = 1 << 12
_FREE = -1


def tell_apart(objects: np.ndarray[Any, Any]) -> tuple[Numbers, Numbers]:
    """Number the distinct objects of an array, in the order in which they first occur.

    objects: object (n,). Returns the number of each object, int64 (n,), and the place of the first
    occurrence of each number, int64 (distinct,).
    """
    memory = (ctypes.c_int64 * len(objects)).from_address(objects.ctypes.data)
    addresses = np.array(memory, dtype=np.int64)  # which the array's memory holds
    which, firsts = np.empty_like(addresses), np.empty_like(addresses)
    slots = _LEAST_SLOTS
    while True:
        count = _tell_apart(addresses, np.full(slots, _FREE, dtype=np.int64), which, firsts)
        if count >= 0:
            return which, firsts[:count]
        slots *= 8


@Loop
def _tell_apart(addresses, slots, which, firsts):
    """Do what `tell_apart` does. Returns how many are distinct; -1 where slots are too few."""
    mask = len(slots) - 1
    count = 0
    for k in range(len(addresses)):
        slot = ((addresses[k] >> 4) * 0x2545F4914F6CDD1D >> 32) & mask
        while slots[slot] >= 0 and addresses[firsts[slots[slot]]] != addresses[k]:
            slot = (slot + 1) & mask
        if slots[slot] < 0:
            if 2 * count >= len(slots):
                return -1
            slots[slot] = count
            firsts[count] = k
            count += 1
        which[k] = slots[slot]
    return count
