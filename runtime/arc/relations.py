"""How two patches lie to each other, or a patch to a grid."""

from __future__ import annotations

from bisect import bisect_left
from typing import Any

from numpy import int64

from megabatt.runtime.arc.columns import arrays_of, bounds, location_sets
from megabatt.runtime.arc.integers import integer
from megabatt.runtime.arc.language import primitive
from megabatt.runtime.arc.layouts import Grids, Pairs
from megabatt.runtime.arc.layouts.packing import PART, column_of, pack_pair, pair_code, row_of
from megabatt.runtime.arc.measures import lower_right, upper_left
from megabatt.runtime.arc.patches import indices_of, middle
from megabatt.runtime.arc.types import Boolean, Grid, Integer, IntegerTuple, Patch
from megabatt.runtime.arc.values import bounds_of, locations, size_of_grid
from megabatt.runtime.engine.calls.frames import Frame
from megabatt.runtime.engine.calls.registry import rule
from megabatt.runtime.engine.columns import Bools, Column, Ints, Sets
from megabatt.runtime.engine.device.arrays import Array, is_among, xp
from megabatt.runtime.engine.device.kernels import device_function, lane_kernel, team_kernel
from megabatt.runtime.engine.device.teams import least_of_team
from megabatt.runtime.engine.limits import charge
from megabatt.runtime.engine.machine import prelude as m
from megabatt.runtime.engine.machine.forms import compiled
from megabatt.runtime.engine.machine.functions import routine


@primitive
def hmatching(a: Patch, b: Patch) -> Boolean:
    """Tell whether some row has cells of both patches."""
    return not _rows(a).isdisjoint(_rows(b))


def _rows(patch: Any) -> set[int]:
    return {i for i, _ in locations(patch)}


@rule(hmatching)
def hmatching(frame: Frame, a: Sets, b: Sets) -> Column:
    return Bools(_share(a, b, 21))


def _share(a: Sets, b: Sets, bits: int) -> Array:
    """Flag the lanes whose patches share a row or a column; bool (n,).

    bits: how many bits of a code are below the row (21) or the column (0).
    """
    flags = xp.zeros(len(a), dtype=xp.bool_)
    find_shared(len(a), *arrays_of(a), *arrays_of(b), bits, flags)
    return flags


@lane_kernel
def find_shared(lane, a_starts, a_counts, a_codes, b_starts, b_counts, b_codes, bits, flags):
    """Flag the lane if a and b share a row or a column."""
    a = a_starts[lane]
    b = b_starts[lane]
    a_end = a + a_counts[lane]
    b_end = b + b_counts[lane]
    flags[lane] = runs_share(a_codes, a, a_end, b_codes, b, b_end, bits)


@device_function
def runs_share(a_codes, a, a_end, b_codes, b, b_end, bits):
    """Tell whether two runs of codes share a row or a column.

    Compares 63 rows or columns at a time. Each time the first is one that a has and b may have.
    """
    least = next_part(a_codes, a, a_end, bits, int64(0))
    while least <= PART:
        marks = mark_parts(a_codes, a, a_end, bits, least)
        if marks & mark_parts(b_codes, b, b_end, bits, least) != 0:
            return True
        least = next_part(b_codes, b, b_end, bits, least + 63)
        least = next_part(a_codes, a, a_end, bits, least)
    return False


@device_function
def next_part(codes, begin, end, bits, least):
    """Find the least part of a run of codes from `least` on; PART + 1 if there is none."""
    found = int64(PART + 1)
    for k in range(begin, end):
        part = (codes[k] >> bits) & PART
        if part >= least:
            found = min(found, part)
    return found


@device_function
def mark_parts(codes, begin, end, bits, least):
    """Set a bit for each of the 63 parts from `least` on that a run of codes has."""
    marks = int64(0)
    for k in range(begin, end):
        place = ((codes[k] >> bits) & PART) - least
        if place >= 0 and place < 63:
            marks |= int64(1) << place
    return marks


@compiled(hmatching)
def hmatching(heap, a, b):
    return m.boolean(words_share(heap, a, b, 21))


@routine
def words_share(heap, a, b, bits):
    """Tell, as 1 or 0, whether two patches share a row (21 bits) or a column (0)."""
    first = m.first_word(a)
    second = m.first_word(b)
    end = first + m.count_of(heap, a)
    stop = second + m.count_of(heap, b)
    return int64(runs_share(heap, first, end, heap, second, stop, bits))


@primitive
def vmatching(a: Patch, b: Patch) -> Boolean:
    """Tell whether some column has cells of both patches."""
    return _share_column(a, b)


def _share_column(a: Any, b: Any) -> bool:
    return not _columns(a).isdisjoint(_columns(b))


def _columns(patch: Any) -> set[int]:
    return {j for _, j in locations(patch)}


@rule(vmatching)
def vmatching(frame: Frame, a: Sets, b: Sets) -> Column:
    return Bools(_share(a, b, 0))


@compiled(vmatching)
def vmatching(heap, a, b):
    return m.boolean(words_share(heap, a, b, 0))


def row_pairs(of_a: int, of_b: int) -> int:
    """Count the pairs of a row of one patch and a row of another."""
    return of_a * of_b


pairs_of_rows = device_function(row_pairs)


@primitive
def manhattan(a: Patch, b: Patch) -> Integer:
    """Count the steps, none diagonal, between the nearest cells of two patches.

    Charges the rows of one times the rows of the other.
    """
    rows_of_a, rows_of_b = _columns_by_row(a), _columns_by_row(b)
    charge(row_pairs(len(rows_of_a), len(rows_of_b)))
    nearest: int | None = None
    for i, of_a in rows_of_a.items():
        for other, of_b in rows_of_b.items():
            apart = abs(i - other)
            if nearest is None or apart < nearest:
                steps = apart + _gap(of_a, of_b)
                nearest = steps if nearest is None else min(nearest, steps)
    if nearest is None:
        raise ValueError("manhattan: an empty patch")
    return integer(nearest)


def _columns_by_row(patch: Any) -> dict[int, list[int]]:
    """List the columns that a patch has cells in, ascending, row by row."""
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
    least = abs(a[0] - b[0])
    for value in a:
        at = bisect_left(b, value)
        for near in b[max(at - 1, 0) : at + 1]:
            least = min(least, abs(near - value))
    return least


@rule(manhattan)
def manhattan(frame: Frame, a: Sets, b: Sets) -> Column:
    runs = (*arrays_of(location_sets(a)), *arrays_of(location_sets(b)))
    rows = xp.empty(frame.n, dtype=xp.int64)
    multiply_rows(frame.n, *runs, rows)
    frame.fail(rows == 0)
    nearest = xp.empty(frame.n, dtype=xp.int64)
    measure_distance(frame.n, *runs, frame.charge(rows), nearest)
    return Ints(nearest)


@lane_kernel
def multiply_rows(lane, a_starts, a_counts, a_codes, b_starts, b_counts, b_codes, rows):
    a = a_starts[lane]
    b = b_starts[lane]
    of_a = count_rows(a_codes, a, a + a_counts[lane])
    of_b = count_rows(b_codes, b, b + b_counts[lane])
    rows[lane] = pairs_of_rows(of_a, of_b)


@device_function
def count_rows(codes, begin, end):
    """Count the rows of an ascending run of locations."""
    rows = int64(0)
    row = int64(-1)
    for k in range(begin, end):
        rows += int64(codes[k] >> 21 != row)
        row = codes[k] >> 21
    return rows


@device_function
def row_end(codes, at, end):
    """Find the end of the row that begins at `at` in an ascending run of locations."""
    row = codes[at] >> 21
    for k in range(at + 1, end):
        if codes[k] >> 21 != row:
            return k
    return end


@lane_kernel
def measure_distance(
    lane, a_starts, a_counts, a_codes, b_starts, b_counts, b_codes, allowed, nearest
):
    """Store the number of steps between the nearest cells of a and b."""
    a = a_starts[lane]
    b = b_starts[lane]
    a_stop = a + a_counts[lane]
    if not allowed[lane]:
        a_stop = a
    nearest[lane] = least_steps(a_codes, a, a_stop, b_codes, b, b + b_counts[lane])


@device_function
def least_steps(a_codes, a, a_stop, b_codes, b_first, b_stop):
    """Return the number of steps between the nearest places of two ascending runs.

    Compares row with row, walking along both, where the rows are near enough.
    """
    best = int64(1) << 40
    while a < a_stop:
        a_end = row_end(a_codes, a, a_stop)
        b = b_first
        while b < b_stop:
            b_end = row_end(b_codes, b, b_stop)
            below = row_of(b_codes[b]) - row_of(a_codes[a])
            if below >= best:
                break
            if -below >= best:  # and farther still from the rows of a to come
                b_first = b_end
            else:
                gap = least_gap(a_codes, a, a_end, b_codes, b, b_end)
                best = min(best, max(below, -below) + gap)
            b = b_end
        a = a_end
    return best


@device_function
def least_gap(a_codes, a, a_end, b_codes, b, b_end):
    """Return the least difference between the columns of two rows."""
    least = int64(1) << 40
    while a < a_end and b < b_end:
        gap = column_of(b_codes[b]) - column_of(a_codes[a])
        least = min(least, max(gap, -gap))
        if gap > 0:
            a += 1
        else:
            b += 1
    return least


@compiled(manhattan)
def manhattan(heap, a, b):
    one = indices_of(heap, a)
    other = indices_of(heap, b)
    if one <= m.WRONG or other <= m.WRONG:
        return int64(m.FULL)
    first = m.first_word(one)
    second = m.first_word(other)
    end = first + m.count_of(heap, one)
    stop = second + m.count_of(heap, other)
    if first == end or second == stop:
        return int64(m.FAILED)
    rows = pairs_of_rows(count_rows(heap, first, end), count_rows(heap, second, stop))
    if not m.pay(heap, rows):
        return int64(m.FAILED)
    return m.integer(heap, least_steps(heap, first, end, heap, second, stop))


@primitive
def adjacent(a: Patch, b: Patch) -> Boolean:
    """Tell whether the patches are one step apart."""
    if not a or not b:
        raise ValueError("adjacent: an empty patch")
    if len(a) > len(b):
        a, b = b, a
    taken = locations(b)
    return _one_step_apart(locations(a), taken)


def _one_step_apart(a: Any, b: Any) -> bool:
    if not b.isdisjoint(a):
        return False
    for i, j in a:
        if (i - 1, j) in b or (i + 1, j) in b or (i, j - 1) in b or (i, j + 1) in b:
            return True
    return False


@rule(adjacent)
def adjacent(frame: Frame, a: Sets, b: Sets) -> Column:
    frame.fail((a.counts == 0) | (b.counts == 0))
    flags = xp.zeros(frame.n, dtype=xp.bool_)
    find_adjacent(frame.n, *arrays_of(location_sets(a)), *arrays_of(location_sets(b)), flags)
    return Bools(flags)


@device_function
def has_place(codes, begin, end, i, j):
    """Tell whether (i, j) is in an ascending run of codes."""
    code = pair_code(i, j)
    if column_of(code) != j:  # out of range: it has spilled over into the row
        return False
    return is_among(codes, begin, end, code)


@device_function
def one_step_apart(a_codes, a, a_end, b_codes, b, b_end, di, dj):
    """Tell whether two ascending runs are a step apart when a's moves by (di, dj).

    Neither run may be empty.
    """
    if row_of(a_codes[a_end - 1]) + di + 1 < row_of(b_codes[b]):
        return False
    if row_of(a_codes[a]) + di - 1 > row_of(b_codes[b_end - 1]):
        return False
    touches = False
    for k in range(a, a_end):
        i = row_of(a_codes[k]) + di
        j = column_of(a_codes[k]) + dj
        if has_place(b_codes, b, b_end, i, j):
            return False
        if not touches:
            touches = (
                has_place(b_codes, b, b_end, i - 1, j)
                or has_place(b_codes, b, b_end, i + 1, j)
                or has_place(b_codes, b, b_end, i, j - 1)
                or has_place(b_codes, b, b_end, i, j + 1)
            )
    return touches


@lane_kernel
def find_adjacent(lane, a_starts, a_counts, a_codes, b_starts, b_counts, b_codes, flags):
    a = a_starts[lane]
    b = b_starts[lane]
    a_end = a + a_counts[lane]
    b_end = b + b_counts[lane]
    still = int64(0)
    if a < a_end and b < b_end:
        if a_counts[lane] < b_counts[lane]:
            flags[lane] = one_step_apart(a_codes, a, a_end, b_codes, b, b_end, still, still)
        else:
            flags[lane] = one_step_apart(b_codes, b, b_end, a_codes, a, a_end, still, still)


@compiled(adjacent)
def adjacent(heap, a, b):
    if a == m.EMPTY_SET or b == m.EMPTY_SET:
        return int64(m.FAILED)
    one = spread(heap, a)
    other = spread(heap, b)
    if one < 0 or other < 0:
        return int64(m.FULL)
    return m.boolean(spread_touch(heap, one, other, 0))


_ROW = 1 << 24
"""How far two spread places lie apart where one is below the other."""
_BEYOND = 1 << 62


@routine
def spread(heap, patch):
    """Write a patch's places as numbers that ascend; returns where, or -1 without room.

    Their count lies in front of them, and `_BEYOND` behind. The number of (i, j) is i * _ROW + j
    and a constant: places moved by a few columns have no number of a place in another row.
    """
    places = indices_of(heap, patch)
    if places <= m.WRONG:
        return int64(-1)
    count = m.count_of(heap, places)
    first = m.first_word(places)
    at = m.room_for(heap, count + 2)
    if at < 0:
        return at
    heap[at] = count
    for k in range(count):
        word = heap[first + k]
        heap[at + 1 + k] = ((word >> 21) << 24) | (word & int64(PART))
    heap[at + 1 + count] = _BEYOND
    return at


@routine
def spread_touch(heap, a, b, shift):
    """Tell, as 1 or 0, whether two spread patches are a step apart when a's numbers are moved.

    Neither patch may be empty.
    """
    if heap[a + heap[a]] + shift + _ROW < heap[b + 1]:
        return int64(0)
    if heap[a + 1] + shift - _ROW > heap[b + heap[b]]:
        return int64(0)
    above = b + 1
    beside = b + 1
    below = b + 1
    touches = int64(0)
    for k in range(a + 1, a + 1 + heap[a]):
        place = heap[k] + shift
        while heap[beside] < place - 1:
            beside += 1
        if heap[beside] == place - 1:
            touches = int64(1)
            beside += 1
        if heap[beside] == place:
            return int64(0)
        if heap[beside] == place + 1:
            touches = int64(1)
        if touches == 0:
            while heap[above] < place - _ROW:
                above += 1
            while heap[below] < place + _ROW:
                below += 1
            if heap[above] == place - _ROW or heap[below] == place + _ROW:
                touches = int64(1)
    return touches


@primitive
def bordering(patch: Patch, grid: Grid) -> Boolean:
    """Tell whether the patch's bounding box has a side on an edge of the grid."""
    top, left, bottom, right = bounds_of(patch)
    if top == 0 or left == 0 or bottom == len(grid) - 1:
        return True
    return right == size_of_grid(grid)[1] - 1


@rule(bordering)
def bordering(frame: Frame, patch: Sets, grid: Grids) -> Column:
    top, left, bottom, right = bounds(patch)
    touches = (top == 0) | (left == 0) | (bottom == grid.heights - 1)
    frame.fail((patch.counts == 0) | (~touches & (grid.heights == 0)))
    return Bools(touches | (right == grid.widths - 1))


@compiled(bordering)
def bordering(heap, patch, grid):
    if patch == m.EMPTY_SET:
        return int64(m.FAILED)
    first = upper_left(heap, patch)
    last = lower_right(heap, patch)
    height = m.height_of(heap, grid)
    if m.row_of(first) == 0 or m.column_of(first) == 0 or m.row_of(last) == height - 1:
        return int64(m.TRUE)
    if height == 0:
        return int64(m.FAILED)
    return m.boolean(m.column_of(last) == m.width_of(heap, grid) - 1)


def _middle(patch: Any) -> tuple[int, int]:
    """Return the center of a patch, to compare with. It may be out of the Integers' range."""
    top, left, bottom, right = bounds_of(patch)
    return top + (bottom - top + 1) // 2, left + (right - left + 1) // 2


@primitive
def position(a: Patch, b: Patch) -> IntegerTuple:
    """Return the direction from a's center to b's; (0, -1) where they coincide."""
    i, j = _middle(a)
    of_b, column_of_b = _middle(b)
    sideways = 1 if j < column_of_b else -1
    if i == of_b:
        return (0, sideways)
    return (1 if i < of_b else -1, 0 if j == column_of_b else sideways)


@rule(position)
def position(frame: Frame, a: Sets, b: Sets) -> Column:
    frame.fail((a.counts == 0) | (b.counts == 0))
    (i, j), (of_b, column_of_b) = _middles(a), _middles(b)
    sideways = xp.where(j < column_of_b, 1, -1)
    down = xp.where(i == of_b, 0, xp.where(i < of_b, 1, -1))
    return Pairs(pack_pair(down, xp.where((down != 0) & (j == column_of_b), 0, sideways)))


def _middles(patch: Sets) -> tuple[Array, Array]:
    """Return `_middle` of a column of patches: the rows and the columns."""
    top, left, bottom, right = bounds(patch)
    return (top + bottom + 1) >> 1, (left + right + 1) >> 1


@compiled(position)
def position(heap, a, b):
    if a == m.EMPTY_SET or b == m.EMPTY_SET:
        return int64(m.FAILED)
    of_a = middle(heap, a)
    of_b = middle(heap, b)
    down = m.sign(m.row_of(of_b), m.row_of(of_a))
    sideways = m.sign(m.column_of(of_b), m.column_of(of_a))
    if down == 0 and sideways == 0:
        sideways = int64(-1)
    return m.pair(down, sideways)


@primitive
def gravitate(source: Patch, destination: Patch) -> IntegerTuple:
    """Return how far to move source until it is adjacent to destination.

    It moves up or down if they share a column, else sideways. It takes at most 42 steps. The cells
    of both are charged at the start and at every step. The scalar form charges as it goes, so that
    it stops in time; the rule charges at the end.
    """
    (si, sj), (di, dj) = _middle(source), _middle(destination)
    i = j = 0
    if _share_column(source, destination):
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


@rule(gravitate)
def gravitate(frame: Frame, source: Sets, destination: Sets) -> Column:
    n = frame.n
    frame.fail((source.counts == 0) | (destination.counts == 0))
    (si, sj), (di, dj) = _middles(source), _middles(destination)
    upright = _share(source, destination, 0)
    i = xp.where(upright, xp.where(si < di, 1, -1), 0)
    j = xp.where(upright, 0, xp.where(sj < dj, 1, -1))
    moving, fixed = location_sets(source), location_sets(destination)
    steps = xp.zeros(n, dtype=xp.int64)
    approach(n, *arrays_of(moving), *arrays_of(fixed), i, j, steps)
    frame.charge((steps + 1) * (moving.counts + fixed.counts))
    return Pairs(pack_pair(steps * i, steps * j))


@team_kernel
def approach(
    lane, place, team,
    a_starts, a_counts, a_codes, b_starts, b_counts, b_codes, step_i, step_j, steps,
):  # fmt: skip
    a = a_starts[lane]
    b = b_starts[lane]
    a_end = a + a_counts[lane]
    b_end = b + b_counts[lane]
    step = int64(0)
    if a < a_end and b < b_end:
        step = int64(place)
        while step < 42:
            di = step * step_i[lane]
            dj = step * step_j[lane]
            if one_step_apart(a_codes, a, a_end, b_codes, b, b_end, di, dj):
                break
            step += team
        step = min(least_of_team(step), int64(42))
    if place == 0:
        steps[lane] = step


@compiled(gravitate)
def gravitate(heap, source, destination):
    if source == m.EMPTY_SET or destination == m.EMPTY_SET:
        return int64(m.FAILED)
    of_source = middle(heap, source)
    of_destination = middle(heap, destination)
    i = int64(0)
    j = int64(0)
    if words_share(heap, source, destination, 0) == 1:
        i = int64(1 if m.row_of(of_source) < m.row_of(of_destination) else -1)
    else:
        j = int64(1 if m.column_of(of_source) < m.column_of(of_destination) else -1)
    moving = spread(heap, source)
    fixed = spread(heap, destination)
    if moving < 0 or fixed < 0:
        return int64(m.FULL)
    steps = int64(0)
    while m.pay(heap, heap[moving] + heap[fixed]):
        shift = steps * (i * _ROW + j)
        if steps == 42 or spread_touch(heap, moving, fixed, shift) == 1:
            return m.pair(steps * i, steps * j)
        steps += 1
    return int64(m.FAILED)
