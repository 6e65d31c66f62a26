"""Objects searched for: where they occur in a grid, and what period they repeat with."""

from __future__ import annotations

from numpy import int64

from megabatt.runtime.arc.columns import affordable, arrays_of, bounds, codes_of, object_sets
from megabatt.runtime.arc.integers import integer
from megabatt.runtime.arc.language import primitive
from megabatt.runtime.arc.layouts import Grids, Pairs
from megabatt.runtime.arc.layouts.packing import PART, color_of, column_of, pair_code, row_of
from megabatt.runtime.arc.measures import lower_right, upper_left
from megabatt.runtime.arc.types import Grid, Indices, Integer, Object
from megabatt.runtime.arc.values import bounds_of, size_of_grid
from megabatt.runtime.arc.words import to_patch
from megabatt.runtime.engine.calls.charges import Formula
from megabatt.runtime.engine.calls.frames import Frame
from megabatt.runtime.engine.calls.registry import rule
from megabatt.runtime.engine.columns import Column, Ints, Sequences, Sets
from megabatt.runtime.engine.device.arrays import Array, is_among, room_for, xp
from megabatt.runtime.engine.device.kernels import device_function, lane_kernel, team_kernel
from megabatt.runtime.engine.device.teams import least_of_team, most_of_team
from megabatt.runtime.engine.limits import charge
from megabatt.runtime.engine.machine import prelude as m
from megabatt.runtime.engine.machine.forms import compiled
from megabatt.runtime.engine.machine.functions import routine


@Formula
def place_count(rows: int, columns: int) -> int:
    """Count the places in that many rows and columns; 0 where either is negative."""
    return max(rows, 0) * max(columns, 0)


places_in = place_count.in_kernels


@primitive
def occurrences(grid: Grid, obj: Object) -> Indices:
    """Find the upper left corners of the places within the grid that look like the object.

    Every place is charged, and every cell of the object that is found there. The scalar form
    charges as it goes, so that it stops in time; the rule charges at the end.
    """
    h, w = size_of_grid(grid)
    cells = sorted(set(obj))
    top, left, bottom, right = bounds_of(cells) if cells else (0, 0, -1, -1)
    rows, columns = h - (bottom - top), w - (right - left)
    charge(place_count(rows, columns))
    stride = w + 1
    flat: list[int | None] = []
    for row in grid:
        flat += row
        flat.append(None)
    places = [i * stride + j for i in range(rows) for j in range(columns)]
    for color, (i, j) in cells:
        at = (i - top) * stride + j - left
        places = [place for place in places if flat[place + at] == color]
        charge(len(places))
    return frozenset([divmod(place, stride) for place in places])


@rule(occurrences)
def occurrences(frame: Frame, grid: Grids, obj: Sequences) -> Column:
    n = frame.n
    frame.fail(grid.heights == 0)
    cells = object_sets(obj)
    top, left, bottom, right = bounds(cells)
    rows, columns = grid.heights - (bottom - top), grid.widths - (right - left)
    offsets, places = room_for(affordable(frame, place_count(rows, columns)))
    counts, agreeing = xp.zeros(n, dtype=xp.int64), xp.zeros(n, dtype=xp.int64)
    sift_places(
        n,
        grid.widths,
        grid.starts,
        grid.cells,
        *arrays_of(cells),
        top,
        left,
        columns,
        offsets,
        frame.operation.max_elements,
        places,
        counts,
        agreeing,
    )
    frame.charge(agreeing)
    return Sets(offsets[:-1], counts, Pairs(places)).packed()  # type: ignore[no-any-return]


@lane_kernel
def sift_places(
    lane,
    widths,
    starts,
    cells,
    obj_starts,
    obj_counts,
    codes,
    top,
    left,
    columns,
    offsets,
    limit,
    places,
    counts,
    agreeing,
):
    """Keep the places where the object's cells are found, one cell after the other.

    Each place is written, then kept or not: a branch would be mispredicted. Counts the places left,
    and the cells found, up to the limit.
    """
    begin = offsets[lane]
    end = offsets[lane + 1]
    i = int64(0)
    j = int64(0)
    for place in range(begin, end):
        places[place] = pair_code(i, j)
        j += 1
        if j == columns[lane]:
            j = int64(0)
            i += 1
    width = widths[lane]
    found = int64(0)
    for k in range(obj_starts[lane], obj_starts[lane] + obj_counts[lane]):
        color = color_of(codes[k])
        i = row_of(codes[k]) - top[lane]
        cell = starts[lane] + i * width + column_of(codes[k]) - left[lane]
        at = begin
        for place in range(begin, end):
            code = places[place]
            places[at] = code
            at += int64(int64(cells[cell + row_of(code) * width + column_of(code)]) == color)
        end = at
        found += end - begin
        if end == begin or found > limit:
            break
    counts[lane] = end - begin
    agreeing[lane] = found


@compiled(occurrences)
def occurrences(heap, grid, obj):
    if m.height_of(heap, grid) == 0:
        return int64(m.FAILED)
    cells = to_patch(heap, obj)
    if cells <= m.WRONG:
        return cells
    first = m.pair(0, 0)
    last = m.pair(-1, -1)
    if cells != m.EMPTY_SET:
        first = upper_left(heap, cells)
        last = lower_right(heap, cells)
    rows = m.height_of(heap, grid) - (m.row_of(last) - m.row_of(first))
    columns = m.width_of(heap, grid) - (m.column_of(last) - m.column_of(first))
    if not m.pay(heap, places_in(rows, columns)):
        return int64(m.FAILED)
    if rows <= 0 or columns <= 0:
        return int64(m.EMPTY_SET)
    return sifted_places(heap, grid, cells, first, rows, columns)


@routine
def sifted_places(heap, grid, cells, first, rows, columns):
    """Return the places of so many rows and columns where cells are found in a grid.

    first: the upper left corner of the cells. Pays for each that is found.
    """
    least = m.pair(0, 0)
    if m.pair(rows - 1, columns - 1) <= m.WRONG:
        return int64(m.HOST)
    at = m.begin_node(heap, rows * columns)
    if at < 0:
        return int64(m.FULL)
    begin = at + m.CONTENT
    end = begin
    for i in range(rows):
        for j in range(columns):
            heap[end] = least + (i << 21) + j
            end += 1
    width = m.width_of(heap, grid)
    for k in range(m.count_of(heap, cells)):
        cell = heap[m.first_word(cells) + k]
        color = m.color_of(cell)
        origin = m.cells_of(grid) + (m.row_of(cell) - m.row_of(first)) * width
        origin += m.column_of(cell) - m.column_of(first)
        to = begin
        for place in range(begin, end):
            word = heap[place]
            heap[to] = word
            found = heap[origin + m.row_of(word) * width + m.column_of(word)]
            to += int64(found == color)
        end = to
        if not m.pay(heap, end - begin):
            return int64(m.FAILED)
        if end == begin:
            break
    return m.finish_tagged(heap, at, m.SET, end - begin, m.PAIRS)


@primitive
def hperiod(obj: Object) -> Integer:
    """Return the fewest columns by which the object moves left onto itself, or else its width.

    What moves out there does not count. Charges the width for every cell.
    """
    return _period([(color, i, j) for color, (i, j) in set(obj)])


@Formula
def period_cost(extent: int, cells: int) -> int:
    """Return the charge for the period of an object: its extent for each of its cells."""
    return extent * cells


cost_of_period = period_cost.in_kernels


def _period(cells: list[tuple[int, int, int]]) -> int:
    """Return the period of cells (color, across, along), along their last coordinate."""
    if not cells:
        return 0
    along = [k for _, _, k in cells]
    first, last = min(along), max(along)
    extent = integer(last - first + 1)
    charge(period_cost(extent, len(cells)))
    table = set(cells)
    # the last cells stay inside at every period, so they must fall on other cells
    for period in sorted({last - k for k in along} - {0}):
        if all((c, a, k - period) in table for c, a, k in cells if k - period >= first):
            return period
    return extent


@rule(hperiod)
def hperiod(frame: Frame, obj: Sequences) -> Column:
    cells = object_sets(obj)
    _, left, _, right = bounds(cells)
    return _periods(frame, cells, 0, right - left + 1)


def _periods(frame: Frame, cells: Sets, bits: int, extents: Array) -> Ints:
    """Return `_period` of each lane's cells, along the part of the codes above `bits`."""
    allowed = frame.charge(period_cost(extents, cells.counts))
    counts = xp.where(allowed, cells.counts, 0)
    periods = extents.copy()
    find_period(frame.n, cells.starts, counts, codes_of(cells.content), bits, periods)
    return Ints(periods)


@team_kernel
def find_period(lane, place, team, starts, counts, codes, bits, periods):
    begin = starts[lane]
    end = begin + counts[lane]
    first = int64(PART)
    last = int64(0)
    for k in range(begin + place, end, team):
        first = min(first, (codes[k] >> bits) & PART)
        last = max(last, (codes[k] >> bits) & PART)
    first = least_of_team(first)
    last = most_of_team(last)
    outermost = end
    for k in range(begin + place, end, team):
        if (codes[k] >> bits) & PART == last:
            outermost = min(outermost, int64(k))
    outermost = least_of_team(outermost)
    period = periods[lane]
    if begin < end:
        period = int64(1 + place)
        while period < periods[lane]:
            if has_period(codes, begin, end, outermost, first, bits, period):
                break
            period += team
        period = least_of_team(period)
    if place == 0:
        periods[lane] = min(period, periods[lane])


@device_function
def has_period(codes, begin, end, outermost, first, bits, period):
    """Tell whether each code, moved by a period, falls on another code or leaves beyond `first`."""
    shift = int64(period) << bits
    # the outermost cell stays inside at every period: most periods fail here
    if not is_among(codes, begin, end, codes[outermost] - shift):
        return False
    for k in range(begin, end):
        if ((codes[k] >> bits) & PART) - period >= first:
            if not is_among(codes, begin, end, codes[k] - shift):
                return False
    return True


@compiled(hperiod)
def hperiod(heap, obj):
    return period_of(heap, obj, 0)


@routine
def period_of(heap, obj, bits):
    """Return `_period` of an object along its rows (21 bits) or its columns (0); pay for it."""
    cells = to_patch(heap, obj)
    if cells <= m.WRONG:
        return cells
    if cells == m.EMPTY_SET:
        return int64(0)
    count = m.count_of(heap, cells)
    first = (upper_left(heap, cells) >> bits) & int64(PART)
    last = (lower_right(heap, cells) >> bits) & int64(PART)
    extent = last - first + 1
    if not m.pay(heap, cost_of_period(extent, count)):
        return int64(m.FAILED)
    begin = m.first_word(cells)
    outermost = begin
    while (heap[outermost] >> bits) & int64(PART) != last:
        outermost += 1
    for period in range(1, extent):
        # the outermost cell stays inside at every period: most periods fail here
        shift = period << bits
        if is_among(heap, begin, outermost, heap[outermost] - shift):
            if falls_on_itself(heap, begin, count, first + period, shift, bits) == 1:
                return int64(period)
    return extent


@routine
def falls_on_itself(heap, begin, count, inside, shift, bits):
    """Tell, as 1 or 0, whether ascending cells that stay inside fall on others when moved.

    inside: the least part, above `bits`, of those that stay inside; shift: taken off their words.
    """
    other = begin
    for k in range(begin, begin + count):
        if (heap[k] >> bits) & int64(PART) >= inside:
            word = heap[k] - shift
            while heap[other] < word:
                other += 1
            if heap[other] != word:
                return int64(0)
    return int64(1)


@primitive
def vperiod(obj: Object) -> Integer:
    """Return the fewest rows by which the object moves up onto itself, or else its height.

    What moves out there does not count. Charges the height for every cell.
    """
    return _period([(color, j, i) for color, (i, j) in set(obj)])


@rule(vperiod)
def vperiod(frame: Frame, obj: Sequences) -> Column:
    cells = object_sets(obj)
    top, _, bottom, _ = bounds(cells)
    return _periods(frame, cells, 21, bottom - top + 1)


@compiled(vperiod)
def vperiod(heap, obj):
    return period_of(heap, obj, 21)
