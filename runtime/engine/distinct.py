"""The distinct codes of every lane, ascending: how sets of Integers, pairs and cells are made.

Most such sets lie close together (the cells of a grid), and a lane's codes are then marked in a
table of the box that they span and read off in order, which takes no sorting. Codes that are far
apart are sorted by merging.
"""

from __future__ import annotations

from numpy import int64, uint8

from runtime.engine.arrays import Array, offsets_of, room_for, xp
from runtime.engine.kernels import device_function, lane_kernel


def distinct_codes(codes: Array, offsets: Array) -> tuple[Array, Array]:
    """Each lane's distinct codes in ascending order, and how many it has.

    codes: int64, a run for every lane; offsets: int64 (lanes + 1,), where the runs begin.
    """
    n = len(offsets) - 1
    box = xp.zeros(6 * n, dtype=xp.int64)
    rooms = xp.zeros(n, dtype=xp.int64)
    span_codes(n, offsets, codes, box, rooms)
    tables = offsets_of(rooms)
    marks = xp.zeros(int(tables[-1]), dtype=xp.uint8)
    codes = codes.copy()
    counts = xp.zeros(n, dtype=xp.int64)
    mark_codes(n, offsets, codes, box, rooms, tables, marks, xp.empty_like(codes), counts)
    starts, out = room_for(counts)
    emit_codes(n, offsets, codes, box, rooms, tables, marks, starts, out)
    return out, counts


@device_function
def high_part(code):  # type: ignore[no-untyped-def]
    return code >> 42


@device_function
def middle_part(code):  # type: ignore[no-untyped-def]
    return (code >> 21) & int64(2097151)


@device_function
def low_part(code):  # type: ignore[no-untyped-def]
    return code & int64(2097151)


@lane_kernel
def span_codes(lane, offsets, codes, box, rooms):  # type: ignore[no-untyped-def]
    """The box that a lane's codes span (lows, extents), and its volume: 0 if it is too sparse."""
    begin = offsets[lane]
    end = offsets[lane + 1]
    if begin < end:
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
        at = 6 * lane
        box[at] = a_low
        box[at + 1] = b_low
        box[at + 2] = c_low
        box[at + 3] = a_high - a_low + 1
        box[at + 4] = b_high - b_low + 1
        box[at + 5] = c_high - c_low + 1
        most = 4 * (end - begin) + 64
        if box[at + 3] * box[at + 4] <= most:
            room = box[at + 3] * box[at + 4] * box[at + 5]
            if room <= most:
                rooms[lane] = room


@lane_kernel
def mark_codes(  # type: ignore[no-untyped-def]
    lane, offsets, codes, box, rooms, tables, marks, spare, counts
):
    """Mark a dense lane's codes in its table, sort a sparse one's; count the distinct ones."""
    begin = offsets[lane]
    end = offsets[lane + 1]
    count = int64(0)
    if rooms[lane] > 0:
        box_at = 6 * lane
        for k in range(begin, end):
            a = high_part(codes[k]) - box[box_at]
            b = middle_part(codes[k]) - box[box_at + 1]
            c = low_part(codes[k]) - box[box_at + 2]
            place = tables[lane] + (a * box[box_at + 4] + b) * box[box_at + 5] + c
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
def emit_codes(lane, offsets, codes, box, rooms, tables, marks, starts, out):  # type: ignore[no-untyped-def]
    """Read a dense lane's codes off its table; drop the repetitions of a sparse one's."""
    at = starts[lane]
    if rooms[lane] > 0:
        place = tables[lane]
        low = 6 * lane
        for a in range(box[low], box[low] + box[low + 3]):
            for b in range(box[low + 1], box[low + 1] + box[low + 4]):
                for c in range(box[low + 2], box[low + 2] + box[low + 5]):
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
