"""Calls many programs on very many tables, and keeps the distinct tables among the results.

A search that builds pictures from pictures calls the same few hundred programs on every picture.
Here one merged program with many outputs replaces these programs, so that a picture costs one loop
over the calls in a heap that stays in the caches. Only tables of bytes are kept, packed, and only
the first of tables that are equal in all lanes.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from megabatt.runtime.engine.device.arrays import Growing
from megabatt.runtime.engine.machine import prelude as m
from megabatt.runtime.engine.machine.copying import are_bytes, eight_in, kept, unpacked_from
from megabatt.runtime.engine.machine.functions import machine_function
from megabatt.runtime.engine.machine.heap import Heap
from megabatt.runtime.engine.machine.loops import Loop, Numbers
from megabatt.runtime.search.fingerprints import HIGH_STEP, LOW_STEP, followed, mixed

_FREE = -1
_DONE, _HEAP_FULL = range(2)
_MOST_WORDS = 1 << 24
"""The most words to which the heap grows for the calls on one table."""
_LEAST_LIMIT = 1 << 14
"""The least limit for which the heap has room."""


class TableProgram(NamedTuple):
    """A program with many outputs, as arrays. A value has a slot; slot 0 has the table.

    functions   int64 (calls,): the slots of the functions
    counts      int64 (calls,): the number of arguments
    operands    int64 (calls, MOST_OPERANDS): the slots of the arguments; 0 for none
    given       int64 (slots, lanes): the words of the first slots; call k fills slot
                `len(given) + k`
    outputs     int64 (outputs,): the slots of the outputs
    """

    functions: Numbers
    counts: Numbers
    operands: Numbers
    given: Numbers
    outputs: Numbers


class Tables:
    """Distinct tables of bytes, by number. Each has numbers for every lane, and an origin."""

    def __init__(self, heap: Heap, lanes: int, largest: int) -> None:
        """Make an empty collection.

        heap: The heap for the calls; its values stay. largest: The most numbers of a table; larger
        and empty tables are left out.
        """
        self.heap = heap
        self.lanes = lanes
        self.largest = largest
        self._cells = Growing()
        self._starts = Growing()
        self._shapes = Growing()
        self._made = Growing()
        self._keys = Growing()
        self._slots = np.full(1 << 12, _FREE, dtype=np.int64)

    def __len__(self) -> int:
        return self._starts.count

    @property
    def nbytes(self) -> int:
        """The approximate bytes in use, without the heap."""
        arrays = self._cells, self._starts, self._shapes, self._made, self._keys, self._slots
        return sum(array.nbytes for array in arrays)

    @property
    def shapes(self) -> Numbers:
        """Heights and widths; int64 (tables, lanes, 2)."""
        return self._shapes.data.reshape(-1, self.lanes, 2)  # type: ignore[no-any-return]

    @property
    def starts(self) -> Numbers:
        """The place in `cells` of each table's first number; int64 (n,)."""
        return self._starts.data  # type: ignore[no-any-return]

    @property
    def cells(self) -> Numbers:
        """The numbers, row by row and lane by lane, eight a word; each lane begins a new word."""
        return self._cells.data  # type: ignore[no-any-return]

    @property
    def made(self) -> Numbers:
        """The origin of each table: a table and an output of a program; int64 (tables, 2)."""
        return self._made.data.reshape(-1, 2)  # type: ignore[no-any-return]

    def table(self, number: int, lane: int) -> Numbers:
        """Return a table in a lane; uint8 (height, width)."""
        areas = self.shapes[number].prod(axis=1)
        start = self.starts[number] + int(((areas[:lane] + 7) >> 3).sum())
        words = self.cells[start : start + ((areas[lane] + 7) >> 3)]
        numbers = words.astype("<i8").view(np.uint8)[: areas[lane]]
        return numbers.reshape(tuple(self.shapes[number, lane]))

    def apply(self, program: TableProgram, number: int | None, limit: int) -> int:
        """Run a program on a table. Returns the number of new outputs.

        number: The table's number; None for the table in the first slot. limit: The elements that a
        call may build. An output is left out if a call that it needs fails in a lane, or needs the
        scalar form; all outputs are left out if the values of a lane take more than some 100 MB.
        """
        outputs, slots = len(program.outputs), len(program.given) + len(program.functions)
        most = self.lanes * ((self.largest + 7) >> 3)
        scratch = np.empty(outputs * most, dtype=np.int64)
        shapes = np.empty((outputs, self.lanes, 2), dtype=np.int64)
        keys = np.empty((outputs, 2), dtype=np.int64)
        ends = np.zeros((outputs, self.lanes), dtype=np.int64)
        words = np.empty(slots, dtype=np.int64)
        live = np.ones(len(program.functions), dtype=np.bool_)
        wanted = np.ones(outputs, dtype=np.bool_)
        self._make_slots(len(self) + outputs)
        before, top = len(self), self.heap.top
        self.heap.make_room(max(limit, _LEAST_LIMIT))
        if number is None:
            start, shape = _FREE, np.zeros((self.lanes, 2), dtype=np.int64)
        else:
            start, shape = int(self.starts[number]), self.shapes[number].copy()
        while True:
            count, cells, state = _apply(
                self.heap.array, *program, start, shape, words, live, wanted, limit,
                self.largest, scratch, shapes, keys, ends, self._slots,
                self._keys.room_for(2 * outputs), self._cells.room_for(outputs * most),
                self._starts.room_for(outputs), self._shapes.room_for(2 * outputs * self.lanes),
                self._made.room_for(2 * outputs), before, self._cells.count,
                _FREE if number is None else number,
            )  # fmt: skip
            self.heap.forget_from(top)
            if state == _DONE:
                break
            if len(self.heap.array) >= _MOST_WORDS:
                return 0
            self.heap.grow()
        self._cells.count = cells
        self._keys.count = self._made.count = 2 * count
        self._shapes.count = 2 * self.lanes * count
        self._starts.count = count
        return int(count - before)

    def _make_slots(self, most: int) -> None:
        """Make room in the hash table for `most` tables."""
        if 2 * most > len(self._slots):
            self._slots = np.full(1 << (4 * most).bit_length(), _FREE, dtype=np.int64)
            _place_all(self._slots, self._keys.data, len(self))


def values(heap: Heap, program: TableProgram, limit: int) -> Numbers:
    """Make the calls of a program. Returns the words of the outputs, int64 (outputs, lanes).

    The words are wrong words for calls that fail or need the scalar form.
    """
    slots = len(program.given) + len(program.functions)
    found = np.empty((len(program.outputs), program.given.shape[1]), dtype=np.int64)
    heap.make_room(max(limit, _LEAST_LIMIT))
    top = heap.top
    while _values(heap.array, *program, np.empty(slots, np.int64), limit, found) != _DONE:
        heap.forget_from(top)
        heap.grow()
    return found


@Loop
def _values(heap, functions, counts, operands, given, outputs, words, limit, found):
    room_ends = heap[m.END]
    first = len(given)
    for lane in range(found.shape[1]):
        for slot in range(first):
            words[slot] = given[slot, lane]
        for c in range(len(functions)):
            words[first + c] = called(heap, functions, counts, operands, words, c, limit, room_ends)
            if words[first + c] == m.FULL:
                return _HEAP_FULL
        for n in range(len(outputs)):
            found[n, lane] = words[outputs[n]]
    return _DONE


@Loop
def _apply(
    heap, functions, counts, operands, given, outputs, start, shape, words, live, wanted, limit,
    largest, scratch, shapes, keys, ends, slots, known_keys, cells, starts, known_shapes, made,
    count, cells_end, number,
):  # fmt: skip
    """Make all calls in all lanes, and add new tables. Returns the number of tables, the number of
    words in `cells`, and whether everything is done."""
    room_ends = heap[m.END]
    top = heap[m.TOP]
    lanes = len(shape)
    first = len(given)
    filled = 0
    for n in range(len(outputs)):
        wanted[n] = True
        keys[n, 0] = 1
        keys[n, 1] = 2
    for c in range(len(functions)):
        live[c] = True
    for lane in range(lanes):
        heap[m.TOP] = top
        for slot in range(first):
            words[slot] = given[slot, lane]
        if start >= 0:
            words[0] = unpacked_from(heap, cells, start, shape[lane, 0], shape[lane, 1])
            start += (shape[lane, 0] * shape[lane, 1] + 7) >> 3
        any_failed = False
        for c in range(len(functions)):
            if not live[c]:
                words[first + c] = m.WRONG_TYPE
                continue
            result = called(heap, functions, counts, operands, words, c, limit, room_ends)
            if result == m.FULL:
                heap[m.TOP] = top
                return count, cells_end, _HEAP_FULL
            words[first + c] = result
            any_failed = any_failed or result <= m.WRONG
        for n in range(len(outputs)):
            if wanted[n]:
                word = words[outputs[n]]
                end = -1
                if m.is_table(heap, word):
                    end = packed_into(heap, word, largest, scratch, filled, keys, n)
                if end >= 0:
                    at = m.address_of(word)
                    shapes[n, lane, 0] = heap[at + 1]
                    shapes[n, lane, 1] = heap[at + 2]
                    ends[n, lane] = filled
                    filled = end
                else:
                    wanted[n] = False
                    any_failed = True
        if any_failed and lane + 1 < lanes:
            keep_wanted(functions, counts, operands, outputs, wanted, live, first)
    heap[m.TOP] = top
    for n in range(len(outputs)):
        if wanted[n]:
            slot = place_of_key(slots, known_keys, keys[n, 0], keys[n, 1])
            if slots[slot] == _FREE:
                slots[slot] = count
                known_keys[2 * count] = keys[n, 0]
                known_keys[2 * count + 1] = keys[n, 1]
                starts[count] = cells_end
                made[2 * count] = number
                made[2 * count + 1] = n
                for lane in range(lanes):
                    height = shapes[n, lane, 0]
                    width = shapes[n, lane, 1]
                    known_shapes[2 * (count * lanes + lane)] = height
                    known_shapes[2 * (count * lanes + lane) + 1] = width
                    for k in range((height * width + 7) >> 3):
                        cells[cells_end] = scratch[ends[n, lane] + k]
                        cells_end += 1
                count += 1
    return count, cells_end, _DONE


@machine_function
def called(heap, functions, counts, operands, words, c, limit, room_ends):
    """Make a call on words. Returns the value's word; a wrong word also for a wrong operand."""
    function = words[functions[c]]
    a = words[operands[c, 0]]
    b = words[operands[c, 1]]
    d = words[operands[c, 2]]
    e = words[operands[c, 3]]
    if function <= m.WRONG or a <= m.WRONG or b <= m.WRONG or d <= m.WRONG or e <= m.WRONG:
        return m.WRONG_TYPE
    top = heap[m.TOP]
    m.begin_operation(heap, limit)
    return kept(heap, top, m.call(heap, function, counts[c], a, b, d, e), room_ends)


@machine_function
def keep_wanted(functions, counts, operands, outputs, wanted, live, first):
    """Mark as live the calls that a wanted output needs."""
    for c in range(len(functions)):
        live[c] = False
    for n in range(len(outputs)):
        if wanted[n] and outputs[n] >= first:
            live[outputs[n] - first] = True
    for back in range(len(functions)):
        c = len(functions) - 1 - back
        if live[c]:
            if functions[c] >= first:
                live[functions[c] - first] = True
            for place in range(counts[c]):
                if operands[c, place] >= first:
                    live[operands[c, place] - first] = True


@machine_function
def packed_into(heap, word, largest, scratch, at, keys, n):
    """Pack a table's numbers into an array, and update the fingerprint.

    Returns the end of the packed numbers; -1 for a table that is empty, too large or not of bytes.
    """
    node = m.address_of(word)
    height = heap[node + 1]
    width = heap[node + 2]
    area = height * width
    first = m.numbers_at(word)
    if area == 0 or area > largest or not are_bytes(heap, first, area):
        return -1
    low = followed(keys[n, 0], LOW_STEP, height * 4096 + width)
    high = followed(keys[n, 1], HIGH_STEP, height * 4096 + width)
    for k in range(0, area, 8):
        eight = eight_in(heap, first + k, area - k)
        scratch[at] = eight
        low = followed(low, LOW_STEP, eight)
        high = followed(high, HIGH_STEP, eight)
        at += 1
    keys[n, 0] = low
    keys[n, 1] = high
    return at


@machine_function
def place_of_key(slots, keys, low, high):
    """Return the slot of the table with a fingerprint, or the free slot for this table."""
    mask = len(slots) - 1
    slot = mixed(low) & mask
    while slots[slot] != _FREE:
        known = slots[slot]
        if keys[2 * known] == low and keys[2 * known + 1] == high:
            break
        slot = (slot + 1) & mask
    return slot


@Loop
def _place_all(slots, keys, count):
    for k in range(count):
        slots[place_of_key(slots, keys, keys[2 * k], keys[2 * k + 1])] = k
