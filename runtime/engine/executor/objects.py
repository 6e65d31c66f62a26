"""Reads programs in a compiled loop, by the addresses of their objects."""

import ctypes
from collections.abc import Sequence
from typing import Any

import numpy as np

from megabatt.runtime.engine.executor.operations import FREE, LEAST_SLOTS, Written
from megabatt.runtime.engine.machine.loops import Loop, Numbers
from megabatt.runtime.program import Program

_LENGTH, _ITEMS = object.__basicsize__ // 8, tuple.__basicsize__ // 8
_TYPE = _LENGTH - 1
"""The places in CPython's tuples, in words of eight bytes."""
_OPERATIONS, _RETURNS = map(Program._fields.index, ("operations", "returns"))
_ROWS, _WORDS = 16, 64
"""The operations and the words of a program for which there is room at first."""


def words_in(programs: Sequence[Program], domains: Numbers) -> tuple[Written, list[Any]]:
    """Number the words of programs. Operations that are tuples of tuples are read fast.

    Returns the programs, and the word of each number; equal words may have several numbers. Raises
    TypeError or LookupError if operations are no sequences.
    """
    given = tuple(programs)
    count = len(given)
    address = np.array([id(given)], dtype=np.int64)
    types, counts = np.array([id(Program), id(tuple)], dtype=np.int64), np.empty(count, np.int64)
    rows, objects = _ROWS * count, _WORDS * count
    while True:
        lengths, found = np.empty(rows, dtype=np.int64), np.empty(objects, dtype=np.int64)
        rows, objects = _read(address, address.ctypes.data >> 3, types, counts, lengths, found)
        if rows < 0:
            return words_in([_of_tuples(program) for program in programs], domains)
        if rows <= len(lengths) and objects <= len(found):
            break
    which, firsts = _told_apart(found[:objects])
    distinct = found[firsts]
    values = (ctypes.py_object * len(distinct)).from_address(distinct.ctypes.data)
    return Written(which[count:], lengths[:rows], counts, which[:count], domains), values[:]


def _of_tuples(program: Program) -> Program:
    operations = tuple(map(_tuple_of, _tuple_of(program.operations)))
    return Program(program.name, operations, program.returns)


def _tuple_of(sequence: Any) -> tuple[Any, ...]:
    return tuple([sequence[k] for k in range(len(sequence))])


def _told_apart(addresses: Numbers) -> tuple[Numbers, Numbers]:
    """Return the number of each address, and the place where each number first occurs."""
    which, firsts = np.empty_like(addresses), np.empty_like(addresses)
    slots = LEAST_SLOTS
    while True:
        count = _tell_apart(addresses, np.full(slots, FREE, dtype=np.int64), which, firsts)
        if count >= 0:
            return which, firsts[:count]
        slots *= 8


@Loop
def _read(given, origin, types, counts, lengths, found):
    """Store the number of operations of each program, and of words of each operation, and addresses
    of words: first those that programs return, then those of the operations.

    given: The address of a tuple of programs. Indices outside of `given` read the objects: the word
    at an address is `given[(address >> 3) - origin]`. types: The addresses of the types of programs
    and tuples. Returns the numbers of operations and of addresses, also beyond the room for them;
    both are -1 if there are objects of other types.
    """
    programs = (given[0] >> 3) - origin + _ITEMS
    rows = 0
    objects = len(counts)
    for k in range(len(counts)):
        program = (given[programs + k] >> 3) - origin
        if given[program + _TYPE] != types[0]:
            return -1, -1
        table = (given[program + _ITEMS + _OPERATIONS] >> 3) - origin
        if given[table + _TYPE] != types[1]:
            return -1, -1
        found[k] = given[program + _ITEMS + _RETURNS]
        counts[k] = given[table + _LENGTH]
        for n in range(counts[k]):
            row = (given[table + _ITEMS + n] >> 3) - origin
            if given[row + _TYPE] != types[1]:
                return -1, -1
            length = given[row + _LENGTH]
            if rows < len(lengths):
                lengths[rows] = length
            if objects + length <= len(found):
                for place in range(length):
                    found[objects + place] = given[row + _ITEMS + place]
            objects += length
            rows += 1
    return rows, objects


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
