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
from megabatt.runtime.arc.types import Boolean, Grid, Integer, IntegerTuple, Patch
from megabatt.runtime.arc.values import bounds_of, locations, size_of_grid
from megabatt.runtime.engine.calls.frames import Frame
from megabatt.runtime.engine.calls.registry import rule
from megabatt.runtime.engine.columns import Bools, Column, Ints, Sets
from megabatt.runtime.engine.device.arrays import Array, is_among, xp
from megabatt.runtime.engine.device.kernels import device_function, lane_kernel, team_kernel
from megabatt.runtime.engine.device.teams import least_of_team
from megabatt.runtime.engine.limits import charge


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
    """Flag the lane if a and b share a row or a column.

    Compares 63 rows or columns at a time. Each time the first is one that a has and b may have.
    """
    a = a_starts[lane]
    b = b_starts[lane]
    a_end = a + a_counts[lane]
    b_end = b + b_counts[lane]
    least = next_part(a_codes, a, a_end, bits, int64(0))
    while least <= PART:
        marks = mark_parts(a_codes, a, a_end, bits, least)
        if marks & mark_parts(b_codes, b, b_end, bits, least) != 0:
            flags[lane] = True
            break
        least = next_part(b_codes, b, b_end, bits, least + 63)
        least = next_part(a_codes, a, a_end, bits, least)


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
    """Store the number of steps between the nearest cells of a and b.

    Compares row with row, walking along both, where the rows are near enough.
    """
    best = int64(1) << 40
    a = a_starts[lane]
    a_stop = a + a_counts[lane]
    if not allowed[lane]:
        a_stop = a
    b_first = b_starts[lane]
    b_stop = b_first + b_counts[lane]
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
    nearest[lane] = best


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
