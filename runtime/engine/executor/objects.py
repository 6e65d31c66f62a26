"""Reads tuples in compiled loops, by the addresses of their objects."""

from __future__ import annotations

import ctypes
from typing import Any, NamedTuple

import numpy as np

from megabatt.runtime.engine.machine.loops import Loop, Numbers

_LENGTH, _ITEMS = object.__basicsize__ // 8, tuple.__basicsize__ // 8
_TYPE = _LENGTH - 1
"""The places in CPython's tuples, in words of eight bytes."""
_LEAST_SLOTS = 1 << 12
_FREE = -1


class ObjectRows(NamedTuple):
    """Tables of objects, table by table and row by row. All arrays are int64.

    counts    (tables,): the number of rows of each table
    lengths   (rows,): the number of objects of each row
    which     (objects,): the number of each object
    distinct  the object of each number
    """

    counts: Numbers
    lengths: Numbers
    which: Numbers
    distinct: list[Any]


def rows_in(tables: list[Any]) -> ObjectRows:
    """Number the distinct objects of tables, which are sequences of sequences.

    Tuples of tuples are read fast. Raises TypeError or LookupError for other than sequences.
    """
    addresses = np.fromiter(map(id, tables), np.int64, len(tables))
    counts = np.empty_like(addresses)
    rows, objects = _count(addresses, addresses.ctypes.data >> 3, id(tuple), counts)
    if rows < 0:
        return rows_in([tuple(map(_tuple_of, _tuple_of(table))) for table in tables])
    lengths, found = np.empty(rows, dtype=np.int64), np.empty(objects, dtype=np.int64)
    _copy(addresses, addresses.ctypes.data >> 3, lengths, found)
    which, firsts = _told_apart(found)
    distinct = found[firsts]
    values = (ctypes.py_object * len(distinct)).from_address(distinct.ctypes.data)
    return ObjectRows(counts, lengths, which, values[:])


def _tuple_of(sequence: Any) -> tuple[Any, ...]:
    return tuple([sequence[k] for k in range(len(sequence))])


def _told_apart(addresses: Numbers) -> tuple[Numbers, Numbers]:
    """Return the number of each address, and the place where each number first occurs."""
    which, firsts = np.empty_like(addresses), np.empty_like(addresses)
    slots = _LEAST_SLOTS
    while True:
        count = _tell_apart(addresses, np.full(slots, _FREE, dtype=np.int64), which, firsts)
        if count >= 0:
            return which, firsts[:count]
        slots *= 8


@Loop
def _count(tables, origin, tuple_type, counts):
    """Store the number of rows of each table. Returns the numbers of all rows and all objects.

    tables: The addresses. Indices outside of `tables` read the tuples: the word at an address is
    `tables[(address >> 3) - origin]`. Both results are -1 if a table or row is no tuple.
    """
    rows = objects = 0
    for k in range(len(tables)):
        table = (tables[k] >> 3) - origin
        if tables[table + _TYPE] != tuple_type:
            return -1, -1
        counts[k] = tables[table + _LENGTH]
        rows += counts[k]
        for n in range(counts[k]):
            row = (tables[table + _ITEMS + n] >> 3) - origin
            if tables[row + _TYPE] != tuple_type:
                return -1, -1
            objects += tables[row + _LENGTH]
    return rows, objects


@Loop
def _copy(tables, origin, lengths, found):
    """Store the length of each row, and the addresses of the objects; see `_count`."""
    rows = objects = 0
    for k in range(len(tables)):
        table = (tables[k] >> 3) - origin
        for n in range(tables[table + _LENGTH]):
            row = (tables[table + _ITEMS + n] >> 3) - origin
            lengths[rows] = tables[row + _LENGTH]
            for m in range(lengths[rows]):
                found[objects + m] = tables[row + _ITEMS + m]
            objects += lengths[rows]
            rows += 1


@Loop
def _tell_apart(addresses, slots, which, firsts):
    """Do `_told_apart`. Returns the number of distinct addresses; -1 if the slots are too few."""
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
