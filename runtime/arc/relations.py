"""Relations in space of two patches, or of a patch and a grid."""

from bisect import bisect_left
from typing import Any

from megabatt.runtime.arc.language import charge, compiled, compiled_as, integer, m, primitive
from megabatt.runtime.arc.measures import lower_right, upper_left
from megabatt.runtime.arc.patches import indices_of, middle
from megabatt.runtime.arc.types import Boolean, Grid, Integer, IntegerTuple, Patch
from megabatt.runtime.arc.values import bounds_of, locations, middle_of, size_of_grid
from megabatt.runtime.arc.words import run_end


@primitive
def hmatching(a: Patch, b: Patch) -> Boolean:
    """Tell whether some row has cells of both patches."""
    return _share_line(a, b, 0)


def _share_line(a: Any, b: Any, part: int) -> bool:
    """Tell whether two patches share a row (part 0 of locations) or a column (1)."""
    lines = {place[part] for place in locations(a)}
    return not lines.isdisjoint(place[part] for place in locations(b))


@m.routine
def share_line(heap, a, b, bits):
    """Tell whether two patches share a row (bits: `ROW`) or a column (`COLUMN`).

    Compares 63 rows or columns at a time, from the next row or column of `a` that `b` may share.
    """
    least = next_part(heap, a, bits, 0)
    while least <= m.PART:
        if mark_parts(heap, a, bits, least) & mark_parts(heap, b, bits, least) != 0:
            return m.TRUE
        least = next_part(heap, b, bits, least + 63)
        least = next_part(heap, a, bits, least)
    return m.FALSE


compiled_as(hmatching, share_line, m.ROW)


@m.machine_function
def next_part(heap, patch, bits, least):
    """Find a patch's least part above `bits` from `least` on; PART + 1 if there is none."""
    found = m.PART + 1
    begin = m.first_word(patch)
    for k in range(begin, begin + m.count_of(heap, patch)):
        part = m.part_of(heap[k], bits)
        if part >= least:
            found = min(found, part)
    return found


@m.machine_function
def mark_parts(heap, patch, bits, least):
    """Set a bit for each of the 63 parts from `least` on that a patch has above `bits`."""
    marks = 0
    begin = m.first_word(patch)
    for k in range(begin, begin + m.count_of(heap, patch)):
        place = m.part_of(heap[k], bits) - least
        if place >= 0 and place < 63:
            marks |= 1 << place
    return marks


@primitive
def vmatching(a: Patch, b: Patch) -> Boolean:
    """Tell whether some column has cells of both patches."""
    return _share_line(a, b, 1)


compiled_as(vmatching, share_line, m.COLUMN)


@primitive
def manhattan(a: Patch, b: Patch) -> Integer:
    """Count the steps, none diagonal, between the nearest cells of two patches.

    Charges a's number of rows times b's number of rows.
    """
    rows_of_a, rows_of_b = _columns_by_row(a), _columns_by_row(b)
    charge(len(rows_of_a) * len(rows_of_b))
    if not rows_of_a or not rows_of_b:
        raise ValueError("manhattan: an empty patch")
    nearest = 1 << 40  # more than all Integers are apart
    for i, of_a in rows_of_a.items():
        for other, of_b in rows_of_b.items():
            if abs(i - other) < nearest:
                nearest = min(nearest, abs(i - other) + _gap(of_a, of_b))
    return integer(nearest)


def _columns_by_row(patch: Any) -> dict[int, list[int]]:
    """List the columns of a patch's cells, ascending, by row."""
    rows: dict[int, list[int]] = {}
    for i, j in locations(patch):
        rows.setdefault(i, []).append(j)
    for columns in rows.values():
        columns.sort()
    return rows


def _gap(a: list[int], b: list[int]) -> int:
    """Return the least difference between elements of two ascending lists."""
    if a[-1] <= b[0]:
        return b[0] - a[-1]
    if b[-1] <= a[0]:
        return a[0] - b[-1]
    if len(a) > len(b):
        a, b = b, a
    places = [(value, bisect_left(b, value)) for value in a]
    return min([abs(near - value) for value, at in places for near in b[max(at - 1, 0) : at + 1]])


@compiled(manhattan)
def manhattan(heap, a, b):
    if m.count_of(heap, a) == 1 and m.count_of(heap, b) == 1:
        m.required(m.charge(heap, 1))
        here, there = heap[m.first_word(a)], heap[m.first_word(b)]
        steps = abs(m.row_of(here) - m.row_of(there)) + abs(m.column_of(here) - m.column_of(there))
        return m.integer(heap, steps)
    one = m.required(indices_of(heap, a))
    other = m.required(indices_of(heap, b))
    first, second = m.first_word(one), m.first_word(other)
    end, stop = first + m.count_of(heap, one), second + m.count_of(heap, other)
    if first == end or second == stop:
        return m.NO_VALUE
    m.required(m.charge(heap, count_rows(heap, first, end) * count_rows(heap, second, stop)))
    return m.integer(heap, least_steps(heap, first, end, second, stop))


@m.machine_function
def count_rows(heap, begin, end):
    """Count the rows of an ascending run of locations."""
    rows = 0
    while begin < end:
        begin = run_end(heap, begin, end, m.ROW)
        rows += 1
    return rows


@m.machine_function
def least_steps(heap, a, a_stop, b_first, b_stop):
    """Return the number of steps between the nearest places of two ascending runs.

    Compares row with row, walking along both, where the rows are near enough.
    """
    best = 1 << 40
    while a < a_stop:
        a_end = run_end(heap, a, a_stop, m.ROW)
        b = b_first
        while b < b_stop:
            b_end = run_end(heap, b, b_stop, m.ROW)
            below = m.row_of(heap[b]) - m.row_of(heap[a])
            if below >= best:
                break
            if -below >= best:  # and a's later rows are farther still
                b_first = b_end
            else:
                best = min(best, max(below, -below) + least_gap(heap, a, a_end, b, b_end))
            b = b_end
        a = a_end
    return best


@m.machine_function
def least_gap(heap, a, a_end, b, b_end):
    """Return the least difference between the columns of two rows."""
    least = 1 << 40
    while a < a_end and b < b_end:
        gap = m.column_of(heap[b]) - m.column_of(heap[a])
        least = min(least, max(gap, -gap))
        if gap > 0:
            a += 1
        else:
            b += 1
    return least


@primitive
def adjacent(a: Patch, b: Patch) -> Boolean:
    """Tell whether the patches are one step apart."""
    if not a or not b:
        raise ValueError("adjacent: an empty patch")
    if len(a) > len(b):
        a, b = b, a
    return _one_step_apart(locations(a), locations(b))


def _one_step_apart(a: Any, b: Any) -> bool:
    return b.isdisjoint(a) and any(
        (i - 1, j) in b or (i + 1, j) in b or (i, j - 1) in b or (i, j + 1) in b for i, j in a
    )


@compiled(adjacent)
def adjacent(heap, a, b):
    if a == m.EMPTY_SET or b == m.EMPTY_SET:
        return m.NO_VALUE
    one = m.required(spread(heap, a))
    other = m.required(spread(heap, b))
    return m.boolean(spread_touch(heap, one, other, 0))


_NEXT_ROW = 1 << 24
"""The difference of two spread places, one right below the other."""
_BEYOND = 1 << 62


@m.routine
def spread(heap, patch):
    """Write a patch's places as ascending numbers. Returns the address of their count, or `FULL`.

    The numbers follow their count, then `_BEYOND`. The number of (i, j) is i * _NEXT_ROW + j plus a
    constant: a place moved by a few columns never gets the number of a place in another row.
    """
    places = m.required(indices_of(heap, patch))
    count = m.count_of(heap, places)
    first = m.first_word(places)
    at = m.required(m.room_for(heap, count + 2))
    heap[at] = count
    for k in range(count):
        word = heap[first + k]
        heap[at + 1 + k] = ((word >> m.ROW) << 24) | (word & m.PART)
    heap[at + 1 + count] = _BEYOND
    return at


@m.routine
def spread_touch(heap, a, b, shift):
    """Tell, as 1 or 0, whether two spread patches, none empty, touch with `shift` added to a."""
    if heap[a + heap[a]] + shift + _NEXT_ROW < heap[b + 1]:
        return 0
    if heap[a + 1] + shift - _NEXT_ROW > heap[b + heap[b]]:
        return 0
    above, beside, below = b + 1, b + 1, b + 1
    touches = 0
    for k in range(a + 1, a + 1 + heap[a]):
        place = heap[k] + shift
        while heap[beside] < place - 1:
            beside += 1
        if heap[beside] == place - 1:
            touches = 1
            beside += 1
        if heap[beside] == place:
            return 0
        if heap[beside] == place + 1:
            touches = 1
        if touches == 0:
            while heap[above] < place - _NEXT_ROW:
                above += 1
            while heap[below] < place + _NEXT_ROW:
                below += 1
            if heap[above] == place - _NEXT_ROW or heap[below] == place + _NEXT_ROW:
                touches = 1
    return touches


@primitive
def bordering(patch: Patch, grid: Grid) -> Boolean:
    """Tell whether the patch's bounding box has a side on an edge of the grid."""
    top, left, bottom, right = bounds_of(patch)
    if top == 0 or left == 0 or bottom == len(grid) - 1:
        return True
    return right == size_of_grid(grid)[1] - 1


@compiled(bordering)
def bordering(heap, patch, grid):
    if patch == m.EMPTY_SET:
        return m.NO_VALUE
    first, last = upper_left(heap, patch), lower_right(heap, patch)
    height = m.height_of(heap, grid)
    if m.row_of(first) == 0 or m.column_of(first) == 0 or m.row_of(last) == height - 1:
        return m.TRUE
    if height == 0:
        return m.NO_VALUE
    return m.boolean(m.column_of(last) == m.width_of(heap, grid) - 1)


@primitive
def position(a: Patch, b: Patch) -> IntegerTuple:
    """Return the direction from a's center to b's center; (0, -1) where both coincide."""
    i, j = middle_of(a)
    of_b, column_of_b = middle_of(b)
    sideways = 1 if j < column_of_b else -1
    if i == of_b:
        return (0, sideways)
    return (1 if i < of_b else -1, 0 if j == column_of_b else sideways)


@compiled(position)
def position(heap, a, b):
    if a == m.EMPTY_SET or b == m.EMPTY_SET:
        return m.NO_VALUE
    of_a, of_b = middle(heap, a), middle(heap, b)
    down = m.sign(m.row_of(of_b), m.row_of(of_a))
    sideways = m.sign(m.column_of(of_b), m.column_of(of_a))
    if down == 0 and sideways == 0:
        sideways = -1
    return m.pair(down, sideways)


@primitive
def gravitate(source: Patch, destination: Patch) -> IntegerTuple:
    """Return how far to move source until it is adjacent to destination.

    The source moves up or down if both share a column, else sideways, by at most 42 steps. Charges
    the cells of both at the start and at every step.
    """
    (si, sj), (di, dj) = middle_of(source), middle_of(destination)
    i = j = 0
    if _share_line(source, destination, 1):
        i = 1 if si < di else -1
    else:
        j = 1 if sj < dj else -1
    moving, fixed = locations(source), locations(destination)
    cost = len(moving) + len(fixed)
    charge(cost)
    steps = 0
    while steps < 42 and not _one_step_apart(moving, fixed):
        charge(cost)
        steps += 1
        moving = [(a + i, b + j) for a, b in moving]
    return (steps * i, steps * j)


@compiled(gravitate)
def gravitate(heap, source, destination):
    if source == m.EMPTY_SET or destination == m.EMPTY_SET:
        return m.NO_VALUE
    of_source, of_destination = middle(heap, source), middle(heap, destination)
    i, j = 0, 0
    if share_line(heap, source, destination, m.COLUMN) == m.TRUE:
        i = 1 if m.row_of(of_source) < m.row_of(of_destination) else -1
    else:
        j = 1 if m.column_of(of_source) < m.column_of(of_destination) else -1
    moving = m.required(spread(heap, source))
    fixed = m.required(spread(heap, destination))
    steps = 0
    m.required(m.charge(heap, heap[moving] + heap[fixed]))
    while steps < 42 and spread_touch(heap, moving, fixed, steps * (i * _NEXT_ROW + j)) == 0:
        steps += 1
        m.required(m.charge(heap, heap[moving] + heap[fixed]))
    return m.pair(steps * i, steps * j)
