"""The distinct codes of every lane, ascending: how sets are made of Integers and packed values.

A code is taken as three parts of 22, 21 and 21 bits. Most sets lie close together in each part:
their codes are marked in a table of the box that they span, and read off in order, without sorting.
Codes that are far apart are sorted, as `runs` does it.
"""

from __future__ import annotations

from numpy import int64, uint8

from megabatt.runtime.engine.device.arrays import Array, room_for, xp
from megabatt.runtime.engine.device.kernels import device_function, team_kernel
from megabatt.runtime.engine.device.teams import (
    least_of_team,
    most_of_team,
    sum_before,
    sum_of_team,
    wait_for_team,
)
from megabatt.runtime.engine.sets.runs import sort_runs


def distinct_codes(codes: Array, offsets: Array) -> tuple[Array, Array, Array]:
    """Return each lane's distinct codes in ascending order, their number and their offsets.

    codes: int64, a run for every lane; offsets: int64 (lanes + 1,), where the runs begin.
    """
    n = len(offsets) - 1
    boxes, counts = xp.empty(_BOX * n, dtype=xp.int64), xp.empty(n, dtype=xp.int64)
    marks = xp.empty(_PLACES * len(codes) + _ROOM * n, dtype=xp.uint8)
    order, spare = (xp.empty(len(codes), dtype=xp.int64) for _ in range(2))
    no_runs = xp.zeros(len(codes) + 1, dtype=xp.int64)
    mark_codes(n, offsets, codes, boxes, marks, no_runs, order, spare, counts)
    starts, out = room_for(counts)
    emit_codes(n, offsets, codes, boxes, marks, order, starts, out)
    return out, counts, starts


_BOX = 6
"""Numbers that describe a lane's table (see `span_codes`)."""

_PLACES = 16
_ROOM = 64
"""A lane's table has 16 places for each of its codes, and 64 besides. A lane whose box has more is
sparse, and is sorted."""


@device_function
def high_part(code):
    return code >> 42


@device_function
def middle_part(code):
    return (code >> 21) & int64(2097151)


@device_function
def low_part(code):
    return code & int64(2097151)


@device_function
def span_codes(codes, begin, end, place, team, box, at):
    """Store the box that a lane's codes span. Returns its volume, 0 if the lane is sparse.

    Six numbers are stored: the lows of the parts, the extents of the second and the third part, and
    the volume.
    """
    a_low = high_part(codes[begin])
    b_low = middle_part(codes[begin])
    c_low = low_part(codes[begin])
    a_high = a_low
    b_high = b_low
    c_high = c_low
    for k in range(begin + place, end, team):
        a = high_part(codes[k])
        b = middle_part(codes[k])
        c = low_part(codes[k])
        a_low = min(a_low, a)
        b_low = min(b_low, b)
        c_low = min(c_low, c)
        a_high = max(a_high, a)
        b_high = max(b_high, b)
        c_high = max(c_high, c)
    a_low = least_of_team(a_low)
    b_low = least_of_team(b_low)
    c_low = least_of_team(c_low)
    a_extent = most_of_team(a_high) - a_low + 1
    b_extent = most_of_team(b_high) - b_low + 1
    c_extent = most_of_team(c_high) - c_low + 1
    most = int64(_PLACES) * (end - begin) + int64(_ROOM)
    room = int64(0)
    if a_extent * b_extent <= most:
        room = a_extent * b_extent * c_extent
    if room > most:
        room = int64(0)
    if place == 0:
        box[at] = a_low
        box[at + 1] = b_low
        box[at + 2] = c_low
        box[at + 3] = b_extent
        box[at + 4] = c_extent
        box[at + 5] = room
    return room


@team_kernel
def mark_codes(lane, place, team, offsets, codes, boxes, marks, no_runs, order, spare, counts):
    """Mark a dense lane's codes in its table, order a sparse one's; count the distinct ones."""
    begin = offsets[lane]
    end = offsets[lane + 1]
    count = int64(0)
    box = _BOX * lane
    room = int64(0)
    if begin < end:
        room = span_codes(codes, begin, end, place, team, boxes, box)
    if room > 0:
        table = int64(_PLACES) * begin + int64(_ROOM) * lane
        for at in range(table + place, table + room, team):
            marks[at] = uint8(0)
        wait_for_team()
        for k in range(begin + place, end, team):
            a = high_part(codes[k]) - boxes[box]
            b = middle_part(codes[k]) - boxes[box + 1]
            c = low_part(codes[k]) - boxes[box + 2]
            marks[table + (a * boxes[box + 3] + b) * boxes[box + 4] + c] = uint8(1)
        wait_for_team()
        for at in range(table + place, table + room, team):
            count += int64(marks[at])
    else:
        for k in range(begin + place, end, team):
            order[k] = k
        wait_for_team()
        sort_runs(no_runs, codes, codes, order, spare, begin, end, place, team)
        for k in range(begin + place, end, team):
            count += is_first(codes, order, begin, k)
    count = sum_of_team(count)
    if place == 0:
        counts[lane] = count


@device_function
def is_first(codes, order, begin, k):
    """Return 1 if order[k] names the first of equal codes, in the order from `begin` on; else 0."""
    if k == begin:
        return int64(1)
    return int64(codes[order[k]] != codes[order[k - 1]])


@device_function
def split_codes(a, a_start, size_a, b, b_start, size_b, count):
    """Count the codes of a among the first `count` codes of the merged runs.

    Of equal codes, those of a come first.
    """
    low = max(count - size_b, int64(0))
    high = min(count, size_a)
    while low < high:
        half = (low + high) // 2
        if a[a_start + half] <= b[b_start + count - 1 - half]:
            low = half + 1
        else:
            high = half
    return low


@team_kernel
def emit_codes(lane, place, team, offsets, codes, boxes, marks, order, starts, out):
    """Read a dense lane's codes off its table; drop the repetitions of a sparse one's.

    Every thread does a part.
    """
    begin = offsets[lane]
    size = offsets[lane + 1] - begin
    room = int64(0)
    if size > 0:
        room = boxes[_BOX * lane + 5]
    if room > 0:
        table = int64(_PLACES) * begin + int64(_ROOM) * lane
        first = room * place // team
        stop = room * (place + 1) // team
        count = int64(0)
        for at in range(table + first, table + stop):
            count += int64(marks[at])
        into = starts[lane] + sum_before(count, place)
        read_table(marks, table, first, stop, boxes, _BOX * lane, out, into)
    else:
        first = begin + size * place // team
        stop = begin + size * (place + 1) // team
        count = int64(0)
        for k in range(first, stop):
            count += is_first(codes, order, begin, k)
        into = starts[lane] + sum_before(count, place)
        for k in range(first, stop):
            if is_first(codes, order, begin, k) == 1:
                out[into] = codes[order[k]]
                into += 1


@device_function
def read_table(marks, table, at, stop, boxes, box, out, into):
    """Write the codes marked in the places `at` to `stop` of a table to `out`."""
    width = boxes[box + 4]
    row = at // width
    a = row // boxes[box + 3]
    b = row - a * boxes[box + 3]
    before = row * width
    while at < stop:
        code = ((boxes[box] + a) << 42) | ((boxes[box + 1] + b) << 21) | boxes[box + 2]
        for k in range(at, min(before + width, stop)):
            if marks[table + k] == 1:
                out[into] = code + (k - before)
                into += 1
        before += width
        at = before
        b += 1
        if b == boxes[box + 3]:
            b = int64(0)
            a += 1
    return int64(0)
