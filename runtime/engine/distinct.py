"""The distinct codes of every lane, ascending: how sets of Integers, pairs and cells are made.

Most such sets lie close together (the cells of a grid), and a lane's codes are then marked in a
table of the box that they span and read off in order, which takes no sorting. Codes that are far
apart are sorted by merging.
"""

from __future__ import annotations

from numpy import int64, uint8

from runtime.engine.arrays import Array, room_for, xp
from runtime.engine.kernels import device_function, lane_kernel


def distinct_codes(codes: Array, offsets: Array) -> tuple[Array, Array, Array]:
    """Each lane's distinct codes in ascending order, how many it has, and where they begin.

    codes: int64, a run for every lane; offsets: int64 (lanes + 1,), where the runs begin.
    """
    n = len(offsets) - 1
    boxes, counts = xp.empty(7 * n, dtype=xp.int64), xp.empty(n, dtype=xp.int64)
    marks = xp.zeros(4 * len(codes) + _ROOM * n, dtype=xp.uint8)
    codes = codes.copy()
    mark_codes(n, offsets, codes, boxes, marks, xp.empty_like(codes), counts)
    starts, out = room_for(counts)
    emit_codes(n, offsets, codes, boxes, marks, starts, out)
    return out, counts, starts


_ROOM = 64
"""A lane's table has four places for each of its codes, and so many besides."""


@device_function
def high_part(code):  # type: ignore[no-untyped-def]
    return code >> 42


@device_function
def middle_part(code):  # type: ignore[no-untyped-def]
    return (code >> 21) & int64(2097151)


@device_function
def low_part(code):  # type: ignore[no-untyped-def]
    return code & int64(2097151)


@device_function
def span_codes(codes, begin, end, box, at):  # type: ignore[no-untyped-def]
    """Store the box that a lane's codes span: lows, extents, and its volume, 0 if it is sparse.

    Returns that volume.
    """
    a_low = high_part(codes[begin])
    b_low = middle_part(codes[begin])
    c_low = low_part(codes[begin])
    a_high = a_low
    b_high = b_low
    c_high = c_low
    for k in range(begin + 1, end):
        a = high_part(codes[k])
        b = middle_part(codes[k])
        c = low_part(codes[k])
        a_low = min(a_low, a)
        b_low = min(b_low, b)
        c_low = min(c_low, c)
        a_high = max(a_high, a)
        b_high = max(b_high, b)
        c_high = max(c_high, c)
    box[at] = a_low
    box[at + 1] = b_low
    box[at + 2] = c_low
    box[at + 3] = a_high - a_low + 1
    box[at + 4] = b_high - b_low + 1
    box[at + 5] = c_high - c_low + 1
    most = 4 * (end - begin) + int64(_ROOM)
    room = int64(0)
    if box[at + 3] * box[at + 4] <= most:
        room = box[at + 3] * box[at + 4] * box[at + 5]
    if room > most:
        room = int64(0)
    box[at + 6] = room
    return room


@lane_kernel
def mark_codes(lane, offsets, codes, boxes, marks, spare, counts):  # type: ignore[no-untyped-def]
    """Mark a dense lane's codes in its table, sort a sparse one's; count the distinct ones."""
    begin = offsets[lane]
    end = offsets[lane + 1]
    count = int64(0)
    box = 7 * lane
    room = int64(0)
    if begin < end:
        room = span_codes(codes, begin, end, boxes, box)
    if room > 0:
        table = 4 * begin + int64(_ROOM) * lane
        for k in range(begin, end):
            a = high_part(codes[k]) - boxes[box]
            b = middle_part(codes[k]) - boxes[box + 1]
            c = low_part(codes[k]) - boxes[box + 2]
            place = table + (a * boxes[box + 4] + b) * boxes[box + 5] + c
            count += 1 - int64(marks[place])  # without a branch, as that would be mispredicted
            marks[place] = uint8(1)
    else:
        sort_run(codes, spare, begin, end)
        for k in range(begin, end):
            if k == begin:
                count += 1
            elif codes[k] != codes[k - 1]:
                count += 1
    counts[lane] = count


@device_function
def sort_run(codes, spare, begin, end):  # type: ignore[no-untyped-def]
    """Sort codes[begin:end]: insertion sort of short runs, then merging through `spare`."""
    run = int64(16)
    for first in range(begin, end, run):
        last = min(first + run, end)
        for k in range(first + 1, last):
            code = codes[k]
            at = k
            while at > first and codes[max(at - 1, 0)] > code:
                codes[at] = codes[at - 1]
                at -= 1
            codes[at] = code
    while run < end - begin:
        for first in range(begin, end, 2 * run):
            middle = min(first + run, end)
            last = min(first + 2 * run, end)
            left = first
            right = middle
            for at in range(first, last):
                take_left = right >= last
                if left < middle and right < last:
                    take_left = codes[left] <= codes[right]
                if take_left:
                    spare[at] = codes[left]
                    left += 1
                else:
                    spare[at] = codes[right]
                    right += 1
        for at in range(begin, end):
            codes[at] = spare[at]
        run = 2 * run
    return int64(0)


@lane_kernel
def emit_codes(lane, offsets, codes, boxes, marks, starts, out):  # type: ignore[no-untyped-def]
    """Read a dense lane's codes off its table; drop the repetitions of a sparse one's."""
    at = starts[lane]
    box = 7 * lane
    room = int64(0)
    if offsets[lane] < offsets[lane + 1]:
        room = boxes[box + 6]
    if room > 0:
        place = 4 * offsets[lane] + int64(_ROOM) * lane
        for a in range(boxes[box], boxes[box] + boxes[box + 3]):
            for b in range(boxes[box + 1], boxes[box + 1] + boxes[box + 4]):
                for c in range(boxes[box + 2], boxes[box + 2] + boxes[box + 5]):
                    if marks[place] == 1:
                        out[at] = (a << 42) | (b << 21) | c
                        at += 1
                    place += 1
    else:
        for k in range(offsets[lane], offsets[lane + 1]):
            if k == offsets[lane]:
                out[at] = codes[k]
                at += 1
            elif codes[k] != codes[k - 1]:
                out[at] = codes[k]
                at += 1
