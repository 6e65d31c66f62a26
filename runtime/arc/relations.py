"""How two patches lie to each other, or a patch to a grid."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from typing import Any

from numpy import int64

from runtime.arc.columns import bounds, codes_of, has_code, location_sets
from runtime.arc.language import primitive
from runtime.arc.types import Boolean, Grid, Integer, IntegerTuple, Patch
from runtime.arc.values import bounds_of, locations, size_of_grid
from runtime.engine.arrays import Array, xp
from runtime.engine.columns import Bools, Column, Empty, Grids, Ints, Pairs, Sets
from runtime.engine.frames import Frame
from runtime.engine.kernels import device_function, lane_kernel
from runtime.engine.limits import charge, integer
from runtime.engine.ordering import make_sets
from runtime.engine.packing import column_of, column_part, pack_pair, pair_code, row_of, row_part
from runtime.engine.registry import rule


@primitive
def hmatching(a: Patch, b: Patch) -> Boolean:
    """Whether some row has cells of both patches."""
    return not _rows(a).isdisjoint(_rows(b))


def _rows(patch: Any) -> set[int]:
    return {i for i, _ in locations(patch)}


@rule(hmatching)
def _(frame: Frame, a: Sets, b: Sets) -> Column:
    return Bools(_share(_parts(a, row_part), _parts(b, row_part)))


def _parts(patch: Sets, part: Callable[[Array], Array]) -> Sets:
    """The sets of the rows, or of the columns, that the patches have cells in."""
    patch = patch.packed()
    if isinstance(patch.content, Empty):
        return patch
    return make_sets(patch.counts, Ints(part(codes_of(patch.content))))


def _share(a: Sets, b: Sets) -> Array:
    """Whether two sets of Integers have an element in common; bool (n,)."""
    flags = xp.zeros(len(a), dtype=xp.bool_)
    if isinstance(a.content, Ints) and isinstance(b.content, Ints):
        find_common(
            len(a), a.starts, a.counts, a.content.data, b.starts, b.counts, b.content.data, flags
        )
    return flags


@lane_kernel
def find_common(lane, a_starts, a_counts, a_values, b_starts, b_counts, b_values, flags):  # type: ignore[no-untyped-def]
    a = a_starts[lane]
    b = b_starts[lane]
    a_end = a + a_counts[lane]
    b_end = b + b_counts[lane]
    while a < a_end and b < b_end:
        if a_values[a] == b_values[b]:
            flags[lane] = True
            break
        if a_values[a] < b_values[b]:
            a += 1
        else:
            b += 1


@primitive
def vmatching(a: Patch, b: Patch) -> Boolean:
    """Whether some column has cells of both patches."""
    return _share_column(a, b)


def _share_column(a: Any, b: Any) -> bool:
    return not _columns(a).isdisjoint(_columns(b))


def _columns(patch: Any) -> set[int]:
    return {j for _, j in locations(patch)}


@rule(vmatching)
def _(frame: Frame, a: Sets, b: Sets) -> Column:
    return Bools(_share(_parts(a, column_part), _parts(b, column_part)))


@primitive
def manhattan(a: Patch, b: Patch) -> Integer:
    """The least number of steps, none diagonal, from a cell of one patch to a cell of the other.

    Charges the rows of one times the rows of the other.
    """
    rows_of_a, rows_of_b = _columns_by_row(a), _columns_by_row(b)
    charge(len(rows_of_a) * len(rows_of_b))
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
    """The columns that a patch has cells in, ascending, row by row."""
    rows: dict[int, list[int]] = {}
    for i, j in locations(patch):
        rows.setdefault(i, []).append(j)
    for columns in rows.values():
        columns.sort()
    return rows


def _gap(a: list[int], b: list[int]) -> int:
    """The least difference between elements of two ascending lists."""
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
def _(frame: Frame, a: Sets, b: Sets) -> Column:
    n = frame.n
    frame.fail((a.counts == 0) | (b.counts == 0))
    a, b = location_sets(a), location_sets(b)
    a_codes, b_codes = codes_of(a.content), codes_of(b.content)
    a_ends, a_rows = _row_ends(a, a_codes)
    b_ends, b_rows = _row_ends(b, b_codes)
    allowed = frame.charge(a_rows * b_rows)
    nearest = xp.zeros(n, dtype=xp.int64)
    measure_distance(
        n,
        allowed,
        a.starts,
        a.counts,
        a_codes,
        a_ends,
        b.starts,
        b.counts,
        b_codes,
        b_ends,
        nearest,
    )
    return Ints(nearest)


def _row_ends(places: Sets, codes: Array) -> tuple[Array, Array]:
    """For each location, where its lane's next row begins; and how many rows each lane has."""
    ends = xp.empty(len(codes), dtype=xp.int64)
    rows = xp.zeros(len(places), dtype=xp.int64)
    find_rows(len(places), places.starts, places.counts, codes, ends, rows)
    return ends, rows


@lane_kernel
def find_rows(lane, starts, counts, codes, ends, rows):  # type: ignore[no-untyped-def]
    end = starts[lane] + counts[lane]
    next_row = end
    for back in range(counts[lane]):
        k = end - 1 - back
        if k + 1 < end:
            if row_of(codes[k]) != row_of(codes[k + 1]):
                next_row = k + 1
                rows[lane] += 1
        ends[k] = next_row
    if counts[lane] > 0:
        rows[lane] += 1


@lane_kernel
def measure_distance(  # type: ignore[no-untyped-def]
    lane, allowed, a_starts, a_counts, a_codes, a_ends, b_starts, b_counts, b_codes, b_ends, nearest
):
    """Row against row, where the rows alone are not too far apart, side by side along both."""
    best = int64(1) << 40
    a_row = a_starts[lane]
    a_stop = a_row + a_counts[lane]
    if not allowed[lane]:
        a_stop = a_row
    b_stop = b_starts[lane] + b_counts[lane]
    while a_row < a_stop:
        b_row = b_starts[lane]
        while b_row < b_stop:
            below = row_of(a_codes[a_row]) - row_of(b_codes[b_row])
            apart = max(below, -below)
            if apart < best:
                a = a_row
                b = b_row
                while a < a_ends[a_row] and b < b_ends[b_row]:
                    gap = column_of(a_codes[a]) - column_of(b_codes[b])
                    best = min(best, apart + max(gap, -gap))
                    if gap < 0:
                        a += 1
                    else:
                        b += 1
            b_row = b_ends[b_row]
        a_row = a_ends[a_row]
    nearest[lane] = best


@primitive
def adjacent(a: Patch, b: Patch) -> Boolean:
    """Whether the patches are one step apart."""
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
def _(frame: Frame, a: Sets, b: Sets) -> Column:
    frame.fail((a.counts == 0) | (b.counts == 0))
    a, b = location_sets(a), location_sets(b)
    flags = xp.zeros(frame.n, dtype=xp.bool_)
    find_adjacent(
        frame.n,
        a.starts,
        a.counts,
        codes_of(a.content),
        b.starts,
        b.counts,
        codes_of(b.content),
        flags,
    )
    return Bools(flags)


@device_function
def has_place(codes, begin, end, i, j):  # type: ignore[no-untyped-def]
    """Whether (i, j) is in an ascending run of codes."""
    code = pair_code(i, j)
    if column_of(code) != j:  # out of range: it has spilled over into the row
        return False
    return has_code(codes, begin, end, code)


@device_function
def one_step_apart(a_codes, a, a_end, b_codes, b, b_end, di, dj):  # type: ignore[no-untyped-def]
    """Whether two ascending runs, neither empty, are a step apart when a's moves by (di, dj)."""
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
def find_adjacent(lane, a_starts, a_counts, a_codes, b_starts, b_counts, b_codes, flags):  # type: ignore[no-untyped-def]
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
    """Whether the patch's outermost cells lie on an edge of the grid."""
    top, left, bottom, right = bounds_of(patch)
    if top == 0 or left == 0 or bottom == len(grid) - 1:
        return True
    return right == size_of_grid(grid)[1] - 1


@rule(bordering)
def _(frame: Frame, patch: Sets, grid: Grids) -> Column:
    top, left, bottom, right = bounds(patch)
    touches = (top == 0) | (left == 0) | (bottom == grid.heights - 1)
    frame.fail((patch.counts == 0) | (~touches & (grid.heights == 0)))
    return Bools(touches | (right == grid.widths - 1))


def _middle(patch: Any) -> tuple[int, int]:
    """The center of a patch, to compare with: it may be out of the Integers' range."""
    top, left, bottom, right = bounds_of(patch)
    return top + (bottom - top + 1) // 2, left + (right - left + 1) // 2


@primitive
def position(a: Patch, b: Patch) -> IntegerTuple:
    """In which direction b's center lies from a's; (0, -1) where they are one."""
    i, j = _middle(a)
    of_b, column_of_b = _middle(b)
    sideways = 1 if j < column_of_b else -1
    if i == of_b:
        return (0, sideways)
    return (1 if i < of_b else -1, 0 if j == column_of_b else sideways)


@rule(position)
def _(frame: Frame, a: Sets, b: Sets) -> Column:
    frame.fail((a.counts == 0) | (b.counts == 0))
    (i, j), (of_b, column_of_b) = _middles(a), _middles(b)
    sideways = xp.where(j < column_of_b, 1, -1)
    down = xp.where(i == of_b, 0, xp.where(i < of_b, 1, -1))
    return Pairs(pack_pair(down, xp.where((down != 0) & (j == column_of_b), 0, sideways)))


def _middles(patch: Sets) -> tuple[Array, Array]:
    """`_middle`, for columns: rows and columns."""
    top, left, bottom, right = bounds(patch)
    return top + (bottom - top + 1) // 2, left + (right - left + 1) // 2


@primitive
def gravitate(source: Patch, destination: Patch) -> IntegerTuple:
    """How far to move source, up or down if they share a column, else sideways, until adjacent.

    At the most 42 steps are taken.
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
def _(frame: Frame, source: Sets, destination: Sets) -> Column:
    n = frame.n
    frame.fail((source.counts == 0) | (destination.counts == 0))
    (si, sj), (di, dj) = _middles(source), _middles(destination)
    upright = _share(_parts(source, column_part), _parts(destination, column_part))
    i = xp.where(upright, xp.where(si < di, 1, -1), 0)
    j = xp.where(upright, 0, xp.where(sj < dj, 1, -1))
    moving, fixed = location_sets(source), location_sets(destination)
    steps = xp.zeros(n, dtype=xp.int64)
    approach(
        n,
        moving.starts,
        moving.counts,
        codes_of(moving.content),
        fixed.starts,
        fixed.counts,
        codes_of(fixed.content),
        i,
        j,
        steps,
    )
    frame.charge((steps + 1) * (moving.counts + fixed.counts))
    return Pairs(pack_pair(steps * i, steps * j))


@lane_kernel
def approach(  # type: ignore[no-untyped-def]
    lane, a_starts, a_counts, a_codes, b_starts, b_counts, b_codes, step_i, step_j, steps
):
    a = a_starts[lane]
    b = b_starts[lane]
    a_end = a + a_counts[lane]
    b_end = b + b_counts[lane]
    step = int64(0)
    if a < a_end and b < b_end:
        while step < 42:
            di = step * step_i[lane]
            dj = step * step_j[lane]
            if one_step_apart(a_codes, a, a_end, b_codes, b, b_end, di, dj):
                break
            step += 1
    steps[lane] = step
