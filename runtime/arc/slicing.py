"""Parts of a grid: windows, halves and pieces, what `compress` leaves, and its cells as patches."""

from __future__ import annotations

import itertools
from typing import NamedTuple

from numpy import int64

from megabatt.runtime.arc.cells import locations_fit
from megabatt.runtime.arc.charges import area, height, width
from megabatt.runtime.arc.columns import affordable, bounds
from megabatt.runtime.arc.grids import copy_block, seen
from megabatt.runtime.arc.language import primitive
from megabatt.runtime.arc.layouts import Cells, Grids, Pairs
from megabatt.runtime.arc.layouts.packing import cell_code
from megabatt.runtime.arc.measures import lower_right, upper_left
from megabatt.runtime.arc.types import Grid, Integer, IntegerTuple, Objects, Patch, Tuple
from megabatt.runtime.arc.values import bounds_of, size_of_grid
from megabatt.runtime.core.charges import times
from megabatt.runtime.engine.calls.charges import Formula, OfResult
from megabatt.runtime.engine.calls.frames import Frame
from megabatt.runtime.engine.calls.registry import rule
from megabatt.runtime.engine.columns import Column, Ints, Lists, Nones, Sets, make_sets, scatter
from megabatt.runtime.engine.device.arrays import (
    Array,
    elements_of,
    offsets_of,
    total_of,
    where_set,
    xp,
)
from megabatt.runtime.engine.device.kernels import device_function, lane_kernel
from megabatt.runtime.engine.device.room import require_room
from megabatt.runtime.engine.limits import charge
from megabatt.runtime.engine.machine import prelude as m
from megabatt.runtime.engine.machine.forms import compiled
from megabatt.runtime.engine.machine.functions import machine_function, routine


@primitive(charge=OfResult(area))
def crop(grid: Grid, start: IntegerTuple, dims: IntegerTuple) -> Grid:
    """Return the window of `dims` rows and columns at `start`, counted as Python slices count."""
    (i, j), (h, w) = start, dims
    return tuple([row[j : j + w] for row in grid[i : i + h]])


@rule(crop)
def crop(frame: Frame, grid: Grids, start: Pairs, dims: Pairs) -> Column:
    rows, columns = start.first.data, start.second.data
    return window(frame, grid, rows, rows + dims.first.data, columns, columns + dims.second.data)


def window(
    frame: Frame, grid: Grids, top: Array, bottom: Array, left: Array, right: Array
) -> Grids:
    """Return the grids' rows top:bottom and columns left:right, sliced as Python does.

    Pays what is due.
    """
    row, heights = sliced(top, bottom, grid.heights)
    column, widths = sliced(left, right, grid.widths)
    origin = row * grid.widths + column
    return seen(frame, grid, heights, widths, origin, grid.widths, xp.ones_like(widths))


def sliced(start: Array, stop: Array, lengths: Array) -> tuple[Array, Array]:
    """Find where the slice start:stop of a sequence of each length begins, and its length."""
    n = len(lengths)
    begins, counts = xp.empty(n, dtype=xp.int64), xp.empty(n, dtype=xp.int64)
    measure_slice(n, start, stop, lengths, begins, counts)
    return begins, counts


@device_function
def slice_end(position, length):
    """Return the place of a slice's end in a sequence. A negative end is counted from behind."""
    if position < 0:
        return max(position + length, int64(0))
    return min(position, length)


@lane_kernel
def measure_slice(lane, starts, stops, lengths, begins, counts):
    begin = slice_end(starts[lane], lengths[lane])
    begins[lane] = begin
    counts[lane] = max(slice_end(stops[lane], lengths[lane]) - begin, int64(0))


@compiled(crop)
def crop(heap, grid, start, dims):
    row = m.row_of(start)
    column = m.column_of(start)
    return window_of(heap, grid, row, row + m.row_of(dims), column, column + m.column_of(dims))


@routine
def window_of(heap, grid, top, bottom, left, right):
    """Return a grid's rows top:bottom and columns left:right, sliced as Python does."""
    w = m.width_of(heap, grid)
    row = slice_end(top, m.height_of(heap, grid))
    column = slice_end(left, w)
    height = max(slice_end(bottom, m.height_of(heap, grid)) - row, 0)
    width = max(slice_end(right, w) - column, 0)
    made = m.new_table(heap, height, width)
    if made <= m.WRONG:
        return made
    source = m.cells_of(grid) + row * w + column
    to = m.cells_of(made)
    for i in range(height):
        m.copy_words(heap, source + i * w, to + i * width, width)
    return made


@primitive(charge=OfResult(area))
def subgrid(patch: Patch, grid: Grid) -> Grid:
    """Return the grid's window in the box around a patch, as `crop` gives it."""
    top, left, bottom, right = bounds_of(patch)
    return tuple([row[left : right + 1] for row in grid[top : bottom + 1]])


@rule(subgrid)
def subgrid(frame: Frame, patch: Sets, grid: Grids) -> Column:
    frame.fail(patch.counts == 0)
    top, left, bottom, right = bounds(patch)
    return window(frame, grid, top, bottom + 1, left, right + 1)


@compiled(subgrid)
def subgrid(heap, patch, grid):
    if patch == m.EMPTY_SET:
        return int64(m.FAILED)
    first = upper_left(heap, patch)
    last = lower_right(heap, patch)
    bottom = m.row_of(last) + 1
    right = m.column_of(last) + 1
    return window_of(heap, grid, m.row_of(first), bottom, m.column_of(first), right)


@primitive
def index(grid: Grid, loc: IntegerTuple) -> Integer:
    """Return the color at a location; None outside the grid."""
    h, w = size_of_grid(grid)
    i, j = loc
    if i < 0 or i >= h or j < 0 or j >= w:
        return None  # type: ignore[return-value]
    return grid[i][j]


@rule(index)
def index(frame: Frame, grid: Grids, loc: Pairs) -> Column:
    i, j = loc.first.data, loc.second.data
    frame.fail(grid.heights == 0)
    inside = (i >= 0) & (i < grid.heights) & (j >= 0) & (j < grid.widths)
    hits = where_set(inside)
    values = xp.zeros(frame.n, dtype=xp.int64)
    values[hits] = grid.cells[(grid.starts + i * grid.widths + j)[hits]]
    outside = where_set(~inside & (grid.heights > 0))
    if not len(outside):
        return Ints(values)
    others = where_set(inside | (grid.heights == 0))
    return scatter([(others, Ints(values[others])), (outside, Nones(len(outside)))], frame.n)


@compiled(index)
def index(heap, grid, loc):
    i = m.row_of(loc)
    j = m.column_of(loc)
    w = m.width_of(heap, grid)
    if grid == m.EMPTY_TUPLE:
        return int64(m.FAILED)
    if i < 0 or i >= m.height_of(heap, grid) or j < 0 or j >= w:
        return int64(m.NONE)
    return heap[m.cells_of(grid) + i * w + j]


@primitive(charge=OfResult(area))
def trim(grid: Grid) -> Grid:
    """Return the grid without its outermost rows and columns."""
    return tuple([row[1:-1] for row in grid[1:-1]])


@rule(trim)
def trim(frame: Frame, grid: Grids) -> Column:
    h, w = grid.heights, grid.widths
    ones = xp.ones_like(h)
    return seen(frame, grid, xp.maximum(h - 2, 0), xp.maximum(w - 2, 0), w + 1, w, ones)


@compiled(trim)
def trim(heap, grid):
    return window_of(heap, grid, 1, m.height_of(heap, grid) - 1, 1, m.width_of(heap, grid) - 1)


@primitive(charge=OfResult(area))
def tophalf(grid: Grid) -> Grid:
    """Return the upper half of the rows, a middle one left out."""
    return grid[: len(grid) // 2]


@rule(tophalf)
def tophalf(frame: Frame, grid: Grids) -> Column:
    return some_rows(grid, xp.zeros_like(grid.heights), grid.heights // 2)


def some_rows(grid: Grids, top: Array, heights: Array) -> Grids:
    """Return `heights` rows of the grids from `top` on. They share the grids' cells."""
    widths = xp.where(heights > 0, grid.widths, 0)
    return Grids(heights, widths, grid.starts + top * grid.widths, grid.cells)


@compiled(tophalf)
def tophalf(heap, grid):
    return window_of(heap, grid, 0, m.height_of(heap, grid) // 2, 0, m.width_of(heap, grid))


@primitive(charge=OfResult(area))
def bottomhalf(grid: Grid) -> Grid:
    """Return the lower half of the rows, a middle one left out."""
    return grid[(len(grid) + 1) // 2 :]


@rule(bottomhalf)
def bottomhalf(frame: Frame, grid: Grids) -> Column:
    return some_rows(grid, (grid.heights + 1) // 2, grid.heights // 2)


@compiled(bottomhalf)
def bottomhalf(heap, grid):
    h = m.height_of(heap, grid)
    return window_of(heap, grid, (h + 1) // 2, h, 0, m.width_of(heap, grid))


@primitive(charge=OfResult(area))
def lefthalf(grid: Grid) -> Grid:
    """Return the left half of the columns, a middle one left out; 0x0 where there are none."""
    half = len(grid[0]) // 2 if grid else 0
    if not half:
        return ()
    return tuple([row[:half] for row in grid])


@rule(lefthalf)
def lefthalf(frame: Frame, grid: Grids) -> Column:
    half = grid.widths // 2
    heights = xp.where(half > 0, grid.heights, 0)
    return seen(frame, grid, heights, half, xp.zeros_like(half), grid.widths, xp.ones_like(half))


@compiled(lefthalf)
def lefthalf(heap, grid):
    half = m.width_of(heap, grid) // 2
    if half == 0:
        return int64(m.EMPTY_TUPLE)
    return window_of(heap, grid, 0, m.height_of(heap, grid), 0, half)


@primitive(charge=OfResult(area))
def righthalf(grid: Grid) -> Grid:
    """Return the right half of the columns, a middle one left out; 0x0 where there are none."""
    half = len(grid[0]) // 2 if grid else 0
    if not half:
        return ()
    return tuple([row[-half:] for row in grid])


@rule(righthalf)
def righthalf(frame: Frame, grid: Grids) -> Column:
    half = grid.widths // 2
    heights = xp.where(half > 0, grid.heights, 0)
    return seen(frame, grid, heights, half, grid.widths - half, grid.widths, xp.ones_like(half))


@compiled(righthalf)
def righthalf(heap, grid):
    w = m.width_of(heap, grid)
    if w < 2:
        return int64(m.EMPTY_TUPLE)
    return window_of(heap, grid, 0, m.height_of(heap, grid), w - w // 2, w)


@Formula
def share(length: int, number: int) -> int:
    """Return the length of each of `number` pieces of something."""
    return length // max(number, 1)


share_in_kernels = share.in_kernels


@Formula
def pieces_room(number: int, h: int, w: int) -> int:
    """Return the `room` of `number` pieces of a grid, at least one each."""
    return number * max(h * max(w, 1), 1)


@primitive(charge=lambda grid, n: pieces_room(times(n), height(grid), share(width(grid), times(n))))
def hsplit(grid: Grid, n: Integer) -> Tuple:
    """Cut the grid into n pieces side by side.

    If n does not divide the width, a column is left out between pieces. The last pieces are
    narrower where the columns do not suffice.
    """
    _, w = size_of_grid(grid)
    length, rest = divmod(w, n)
    step = length + (rest != 0)
    starts = [k * step for k in range(n)]
    return tuple([tuple([row[at : at + length] for row in grid]) for at in starts])


@rule(hsplit)
def hsplit(frame: Frame, grid: Grids, n: Ints) -> Column:
    frame.fail((grid.heights == 0) | (n.data == 0))
    counts = _pieces(frame, grid, n)
    length, step = shares(grid.widths, counts)
    offsets, lanes, number = elements_of(counts)
    start = xp.minimum(number * step[lanes], grid.widths[lanes])
    widths = xp.minimum(length[lanes], grid.widths[lanes] - start)
    out = Grids.allocate(grid.heights[lanes], widths)
    copy_block(
        len(lanes),
        out.heights,
        out.widths,
        grid.starts[lanes] + start,
        grid.widths[lanes],
        xp.ones_like(lanes),
        grid.cells,
        out.starts,
        out.widths,
        out.cells,
    )
    return Lists.of_counts(counts, out, offsets)


def _pieces(frame: Frame, grid: Grids, n: Ints) -> Array:
    """Pay what is due; return how many pieces to cut each grid into."""
    return xp.where(frame.pay() & (grid.heights > 0), times(n), 0)


def shares(lengths: Array, counts: Array) -> tuple[Array, Array]:
    """Return the length of each of `counts` pieces, and the distance between their starts."""
    length = share(lengths, counts)
    return length, length + (length * xp.maximum(counts, 1) != lengths)


@compiled(hsplit)
def hsplit(heap, grid, n):
    return pieces_of(heap, grid, n, 1)


@routine
def pieces_of(heap, grid, n, across):
    """Cut a grid into n pieces, side by side if `across` is 1, else from top to bottom."""
    h = m.height_of(heap, grid)
    w = m.width_of(heap, grid)
    if grid == m.EMPTY_TUPLE or n == 0:
        return int64(m.FAILED)
    whole = w if across == 1 else h
    count = max(n, 0)
    length = share_in_kernels(whole, count)
    step = length + int64(length * count != whole)
    at = m.begin_node(heap, count)
    if at < 0:
        return int64(m.FULL)
    for k in range(count):
        start = min(k * step, whole)
        stop = min(start + length, whole)
        if across == 1:
            piece = window_of(heap, grid, 0, h, start, stop)
        else:
            piece = window_of(heap, grid, start, stop, 0, w)
        if piece <= m.WRONG:
            return piece
        heap[at + m.CONTENT + k] = piece
    return m.finish_tuple(heap, at, count)


@primitive(charge=lambda grid, n: pieces_room(times(n), share(height(grid), times(n)), width(grid)))
def vsplit(grid: Grid, n: Integer) -> Tuple:
    """Cut the grid into n pieces from top to bottom.

    If n does not divide the height, a row is left out between pieces. The last pieces are lower
    where the rows do not suffice.
    """
    h, _ = size_of_grid(grid)
    length, rest = divmod(h, n)
    step = length + (rest != 0)
    starts = [k * step for k in range(n)]
    return tuple([grid[at : at + length] for at in starts])


@rule(vsplit)
def vsplit(frame: Frame, grid: Grids, n: Ints) -> Column:
    frame.fail((grid.heights == 0) | (n.data == 0))
    counts = _pieces(frame, grid, n)
    length, step = shares(grid.heights, counts)
    offsets, lanes, number = elements_of(counts)
    start = xp.minimum(number * step[lanes], grid.heights[lanes])
    heights = xp.minimum(length[lanes], grid.heights[lanes] - start)
    widths = xp.where(heights > 0, grid.widths[lanes], 0)
    starts = grid.starts[lanes] + start * grid.widths[lanes]
    content = Grids(heights, widths, starts, grid.cells)
    return Lists.of_counts(counts, content, offsets)


@compiled(vsplit)
def vsplit(heap, grid, n):
    return pieces_of(heap, grid, n, 0)


@primitive(charge=area)
def compress(grid: Grid) -> Grid:
    """Return the grid without its rows and columns of one color."""
    kept = [len(set(column)) != 1 for column in zip(*grid)]  # noqa: B905
    return tuple([tuple(itertools.compress(row, kept)) for row in grid if len(set(row)) != 1])


@rule(compress)
def compress(frame: Frame, grid: Grids) -> Column:
    heights = xp.where(frame.pay(), grid.heights, 0)
    lines = plain_lines(grid, heights)
    out = Grids.allocate(heights - lines.row_counts, grid.widths - lines.column_counts)
    copy_mixed(
        frame.n,
        xp.where(out.areas > 0, heights, 0),
        grid.widths,
        grid.starts,
        grid.cells,
        lines.row_offsets,
        lines.rows,
        lines.column_offsets,
        lines.columns,
        out.starts,
        out.cells,
    )
    return out


class PlainLines(NamedTuple):
    """Which rows and columns of grids are of one color.

    rows, columns: bool, a flag for each; a lane's begin at its offset. counts: int64 (n,).
    """

    row_offsets: Array
    rows: Array
    row_counts: Array
    column_offsets: Array
    columns: Array
    column_counts: Array


def plain_lines(grid: Grids, heights: Array) -> PlainLines:
    """Find the rows and columns of one color. A lane with 0 in `heights` is not looked at."""
    n = len(grid)
    widths = xp.where(heights > 0, grid.widths, 0)
    row_offsets, column_offsets = offsets_of(heights), offsets_of(widths)
    rows = xp.zeros(total_of(row_offsets), dtype=xp.bool_)
    columns = xp.zeros(total_of(column_offsets), dtype=xp.bool_)
    row_counts, column_counts = xp.zeros(n, dtype=xp.int64), xp.zeros(n, dtype=xp.int64)
    find_plain_lines(
        n,
        heights,
        widths,
        grid.starts,
        grid.cells,
        row_offsets,
        rows,
        row_counts,
        column_offsets,
        columns,
        column_counts,
    )
    return PlainLines(row_offsets, rows, row_counts, column_offsets, columns, column_counts)


@lane_kernel
def find_plain_lines(
    lane,
    heights,
    widths,
    starts,
    cells,
    row_offsets,
    rows,
    row_counts,
    column_offsets,
    columns,
    column_counts,
):
    height = heights[lane]
    width = widths[lane]
    start = starts[lane]
    count = int64(0)
    if width > 0:
        for i in range(height):
            row = start + i * width
            j = int64(1)
            while j < width and cells[row + min(j, width - 1)] == cells[row]:
                j += 1
            if j == width:
                rows[row_offsets[lane] + i] = True
                count += 1
    row_counts[lane] = count
    count = int64(0)
    for column in range(width):
        top = start + column
        k = int64(1)
        while k < height and cells[top + min(k, height - 1) * width] == cells[top]:
            k += 1
        if k == height:
            columns[column_offsets[lane] + column] = True
            count += 1
    column_counts[lane] = count


@lane_kernel
def copy_mixed(
    lane,
    heights,
    widths,
    starts,
    cells,
    row_offsets,
    rows,
    column_offsets,
    columns,
    out_starts,
    out,
):
    at = out_starts[lane]
    for i in range(heights[lane]):
        if not rows[row_offsets[lane] + i]:
            source = starts[lane] + i * widths[lane]
            for j in range(widths[lane]):
                if not columns[column_offsets[lane] + j]:
                    out[at] = cells[source + j]
                    at += 1


@compiled(compress)
def compress(heap, grid):
    h = m.height_of(heap, grid)
    w = m.width_of(heap, grid)
    rows = plain_lines_at(heap, grid)
    if rows < 0:
        return int64(m.FULL)
    columns = rows + h
    height = h - sum_of_words(heap, rows, h)
    made = m.new_table(heap, height, w - sum_of_words(heap, columns, w))
    if made <= m.WRONG:
        return made
    source = m.cells_of(grid)
    to = m.cells_of(made)
    for i in range(h):
        if heap[rows + i] == 0:
            for j in range(w):
                if heap[columns + j] == 0:
                    heap[to] = heap[source + j]
                    to += 1
        source += w
    return made


@routine
def plain_lines_at(heap, grid):
    """Flag the rows, then the columns of one color, by 1 or 0.

    Returns where the flags lie; -1 without room.
    """
    h = m.height_of(heap, grid)
    w = m.width_of(heap, grid)
    at = m.room_for(heap, h + w)
    if at < 0:
        return int64(-1)
    cells = m.cells_of(grid)
    for i in range(h):
        heap[at + i] = is_plain(heap, cells + i * w, w, 1)
    for j in range(w):
        heap[at + h + j] = is_plain(heap, cells + j, h, w)
    return at


@machine_function
def is_plain(heap, at, count, step):
    """Tell whether words, at least one, are all the same, as 1 or 0; step: to the next."""
    k = int64(1)
    while k < count and heap[at + k * step] == heap[at]:
        k += 1
    return int64(k == count)


@machine_function
def sum_of_words(heap, at, count):
    total = int64(0)
    for k in range(count):
        total += heap[at + k]
    return total


@Formula
def cells_in_lines(rows: int, columns: int, h: int, w: int) -> int:
    """Count the cells in so many rows and columns of a grid."""
    return rows * w + columns * h


cells_in_lines_in_kernels = cells_in_lines.in_kernels


@primitive
def frontiers(grid: Grid) -> Objects:
    """Make an object of each row and each column that is of one color."""
    h, w = size_of_grid(grid)
    rows = [i for i, row in enumerate(grid) if len(set(row)) == 1]
    columns = [j for j, column in enumerate(zip(*grid)) if len(set(column)) == 1]  # noqa: B905
    charge(cells_in_lines(len(rows), len(columns), h, w))
    return frozenset(
        [
            *[frozenset([(grid[i][0], (i, j)) for j in range(w)]) for i in rows],
            *[frozenset([(grid[0][j], (i, j)) for i in range(h)]) for j in columns],
        ]
    )


@rule(frontiers)
def frontiers(frame: Frame, grid: Grids) -> Column:
    frame.fail(grid.heights == 0)
    lines = plain_lines(grid, grid.heights)
    cells = affordable(
        frame, cells_in_lines(lines.row_counts, lines.column_counts, grid.heights, grid.widths)
    )
    counts = xp.where(cells > 0, lines.row_counts + lines.column_counts, 0)
    object_offsets, offsets = offsets_of(counts), offsets_of(cells)
    lengths = xp.empty(require_room(total_of(object_offsets)), dtype=xp.int64)
    codes = xp.empty(require_room(total_of(offsets)), dtype=xp.int64)
    list_frontiers(
        frame.n,
        counts,
        *grid.arrays,
        lines.row_offsets,
        lines.rows,
        lines.column_offsets,
        lines.columns,
        object_offsets,
        lengths,
        offsets,
        codes,
    )
    return make_sets(counts, Sets.of_counts(lengths, Cells(codes)))


@lane_kernel
def list_frontiers(
    lane,
    counts,
    heights,
    widths,
    starts,
    cells,
    row_offsets,
    rows,
    column_offsets,
    columns,
    object_offsets,
    lengths,
    offsets,
    codes,
):
    height = heights[lane]
    width = widths[lane]
    begun = object_offsets[lane]
    at = offsets[lane]
    if counts[lane] > 0:
        for i in range(height):
            if rows[row_offsets[lane] + i]:
                lengths[begun] = width
                begun += 1
                for j in range(width):
                    codes[at] = cell_code(int64(cells[starts[lane] + i * width]), i, j)
                    at += 1
        for j in range(width):
            if columns[column_offsets[lane] + j]:
                lengths[begun] = height
                begun += 1
                for i in range(height):
                    codes[at] = cell_code(int64(cells[starts[lane] + j]), i, j)
                    at += 1


@compiled(frontiers)
def frontiers(heap, grid):
    h = m.height_of(heap, grid)
    w = m.width_of(heap, grid)
    if grid == m.EMPTY_TUPLE:
        return int64(m.FAILED)
    rows = plain_lines_at(heap, grid)
    if rows < 0:
        return int64(m.FULL)
    columns = rows + h
    plain_rows = sum_of_words(heap, rows, h)
    plain_columns = sum_of_words(heap, columns, w)
    if not m.pay(heap, cells_in_lines_in_kernels(plain_rows, plain_columns, h, w)):
        return int64(m.FAILED)
    if not locations_fit(h, w):
        return int64(m.HOST)
    at = m.begin_node(heap, plain_rows + plain_columns)
    if at < 0:
        return int64(m.FULL)
    lines = at + m.CONTENT
    count = int64(0)
    cells = m.cells_of(grid)
    for i in range(h):
        if heap[rows + i] == 1:
            word = m.cell(heap[cells + i * w], i, 0)
            if word <= m.WRONG:
                return word
            heap[lines + count] = _line_key(word, h == 1)
            count += 1
    for j in range(w):
        if heap[columns + j] == 1 and (h > 1 or w > 1):
            word = m.cell(heap[cells + j], 0, j)
            if word <= m.WRONG:
                return word
            heap[lines + count] = _line_key(word, h > 1)
            count += 1
    if m.sort(heap, lines, count, m.INTEGERS) < 0:
        return int64(m.FULL)
    for k in range(count):
        key = heap[lines + k]
        is_column = (key & 1 == 1) == (h > 1)
        line = _line_of(heap, key, h if is_column else w, 1 << 21 if is_column else 1)
        if line <= m.WRONG:
            return line
        heap[lines + k] = line
    return m.finish_tagged(heap, at, m.SET, count, m.MIXED)


@machine_function
def _line_key(first, is_later):
    """Return a number by which objects of a line come in order.

    first: the line's first cell; is_later: whether it comes behind another that begins with it.
    """
    return (first << 1) | int64(is_later)


@machine_function
def _line_of(heap, key, count, step):
    """Return the object of so many cells with a key. step: from a cell to the next."""
    at = m.begin_node(heap, count)
    if at < 0:
        return int64(m.FULL)
    word = (key >> 1) & int64(2**63 - 1)
    for k in range(count):
        heap[at + m.CONTENT + k] = word + k * step
    return m.finish_tagged(heap, at, m.SET, count, m.CELLS)
