"""Parts of a grid: windows, halves, pieces, the rest after `compress`, and frontiers."""

import itertools

from megabatt.runtime.arc.charges import OfResult, area, height, times, width
from megabatt.runtime.arc.language import charge, compiled, compiled_as, m, primitive
from megabatt.runtime.arc.lines import evenly_apart
from megabatt.runtime.arc.measures import lower_right, upper_left
from megabatt.runtime.arc.painting import place_in
from megabatt.runtime.arc.types import Grid, Integer, IntegerTuple, Objects, Patch, Tuple
from megabatt.runtime.arc.values import bounds_of, size_of_grid
from megabatt.runtime.arc.words import cell, locations_fit
from megabatt.runtime.engine.language.charges import Formula


@primitive(charge=OfResult(area))
def crop(grid: Grid, start: IntegerTuple, dims: IntegerTuple) -> Grid:
    """Return the window of `dims` rows and columns at `start`, counted as Python slices count."""
    (i, j), (h, w) = start, dims
    return tuple([row[j : j + w] for row in grid[i : i + h]])


@compiled(crop)
def crop(heap, grid, start, dims):
    row, column = m.row_of(start), m.column_of(start)
    return window_of(heap, grid, row, row + m.row_of(dims), column, column + m.column_of(dims))


@m.routine
def window_of(heap, grid, top, bottom, left, right):
    """Return a grid's rows top:bottom and columns left:right, sliced as Python does."""
    w = m.width_of(heap, grid)
    row = slice_end(top, m.height_of(heap, grid))
    column = slice_end(left, w)
    height = max(slice_end(bottom, m.height_of(heap, grid)) - row, 0)
    width = max(slice_end(right, w) - column, 0)
    made = m.required(m.new_table(heap, height, width))
    source = m.numbers_at(grid) + row * w + column
    to = m.numbers_at(made)
    for i in range(height):
        m.copy_words(heap, source + i * w, to + i * width, width)
    return made


@m.machine_function
def slice_end(position, length):
    """Return the place of a slice's end in a sequence. A negative end is counted from behind."""
    return max(position + length, 0) if position < 0 else min(position, length)


@primitive(charge=OfResult(area))
def subgrid(patch: Patch, grid: Grid) -> Grid:
    """Return the grid's window in the box around a patch, as `crop` gives it."""
    top, left, bottom, right = bounds_of(patch)
    return tuple([row[left : right + 1] for row in grid[top : bottom + 1]])


@compiled(subgrid)
def subgrid(heap, patch, grid):
    if patch == m.EMPTY_SET:
        return m.NO_VALUE
    first, last = upper_left(heap, patch), lower_right(heap, patch)
    bottom, right = m.row_of(last) + 1, m.column_of(last) + 1
    return window_of(heap, grid, m.row_of(first), bottom, m.column_of(first), right)


@primitive
def index(grid: Grid, loc: IntegerTuple) -> Integer:
    """Return the color at a location; None outside the grid."""
    h, w = size_of_grid(grid)
    i, j = loc
    if i < 0 or i >= h or j < 0 or j >= w:
        return None  # type: ignore[return-value]
    return grid[i][j]


@compiled(index)
def index(heap, grid, loc):
    if grid == m.EMPTY_TUPLE:
        return m.NO_VALUE
    height, width = m.height_of(heap, grid), m.width_of(heap, grid)
    place = place_in(height, width, m.row_of(loc), m.column_of(loc))
    return m.NONE if place < 0 else heap[m.numbers_at(grid) + place]


@primitive(charge=OfResult(area))
def trim(grid: Grid) -> Grid:
    """Return the grid without its outermost rows and columns."""
    return tuple([row[1:-1] for row in grid[1:-1]])


@compiled(trim)
def trim(heap, grid):
    return window_of(heap, grid, 1, m.height_of(heap, grid) - 1, 1, m.width_of(heap, grid) - 1)


@primitive(charge=OfResult(area))
def tophalf(grid: Grid) -> Grid:
    """Return the upper half of the rows, a middle one left out."""
    return grid[: len(grid) // 2]


@m.machine_function
def half_of(heap, grid, across, second):
    """Return the first or second half (second: 0, 1) of a grid's rows, or columns (across: 1)."""
    h, w = m.height_of(heap, grid), m.width_of(heap, grid)
    whole = w if across == 1 else h
    start = second * (whole - whole // 2)
    return m.EMPTY_TUPLE if whole < 2 else strip_of(heap, grid, across, start, whole // 2)


@m.machine_function
def strip_of(heap, grid, across, start, length):
    """Return `length` rows of a grid, or columns (across: 1), from `start` on; fewer at the end."""
    if across == 1:
        return window_of(heap, grid, 0, m.height_of(heap, grid), start, start + length)
    return window_of(heap, grid, start, start + length, 0, m.width_of(heap, grid))


compiled_as(tophalf, half_of, 0, 0)


@primitive(charge=OfResult(area))
def bottomhalf(grid: Grid) -> Grid:
    """Return the lower half of the rows, a middle one left out."""
    return grid[(len(grid) + 1) // 2 :]


compiled_as(bottomhalf, half_of, 0, 1)


@primitive(charge=OfResult(area))
def lefthalf(grid: Grid) -> Grid:
    """Return the left half of the columns, a middle one left out; 0x0 below two columns."""
    half = len(grid[0]) // 2 if grid else 0
    return tuple([row[:half] for row in grid]) if half else ()


compiled_as(lefthalf, half_of, 1, 0)


@primitive(charge=OfResult(area))
def righthalf(grid: Grid) -> Grid:
    """Return the right half of the columns, a middle one left out; 0x0 below two columns."""
    half = len(grid[0]) // 2 if grid else 0
    return tuple([row[-half:] for row in grid]) if half else ()


compiled_as(righthalf, half_of, 1, 1)


@Formula
def share(length: int, number: int) -> int:
    """Return the length of each of `number` pieces of a whole length."""
    return length // max(number, 1)


share_in_kernels = m.machine_function(share.of_ints)


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
    return tuple([tuple([row[start:stop] for row in grid]) for start, stop in _pieces(w, n)])


def _pieces(whole: int, n: int) -> list[tuple[int, int]]:
    """List where each of n pieces of a whole begins and ends."""
    length, rest = divmod(whole, n)
    step = length + (rest != 0)
    return [(k * step, k * step + length) for k in range(n)]


@m.routine
def pieces_of(heap, grid, n, across):
    """Cut a grid into n pieces, side by side if `across` is 1, else from top to bottom."""
    if grid == m.EMPTY_TUPLE or n == 0:
        return m.NO_VALUE
    whole = m.width_of(heap, grid) if across == 1 else m.height_of(heap, grid)
    count = max(n, 0)
    length = share_in_kernels(whole, count)
    step = length + (length * count != whole)
    at = m.required(m.begin_node(heap, count))
    for k in range(count):
        heap[at + m.CONTENT + k] = m.required(strip_of(heap, grid, across, k * step, length))
    return m.finish_tuple(heap, at, count)


compiled_as(hsplit, pieces_of, 1)


@primitive(charge=lambda grid, n: pieces_room(times(n), share(height(grid), times(n)), width(grid)))
def vsplit(grid: Grid, n: Integer) -> Tuple:
    """Cut the grid into n pieces from top to bottom.

    If n does not divide the height, a row is left out between pieces. The last pieces are lower
    where the rows do not suffice.
    """
    h, _ = size_of_grid(grid)
    return tuple([grid[start:stop] for start, stop in _pieces(h, n)])


compiled_as(vsplit, pieces_of, 0)


@primitive(charge=area)
def compress(grid: Grid) -> Grid:
    """Return the grid without its rows and columns of one color."""
    kept = [len(set(column)) != 1 for column in zip(*grid)]  # noqa: B905
    return tuple([tuple(itertools.compress(row, kept)) for row in grid if len(set(row)) != 1])


@compiled(compress)
def compress(heap, grid):
    h, w = m.height_of(heap, grid), m.width_of(heap, grid)
    rows = m.required(flag_plain_lines(heap, grid))
    columns = rows + h
    height = h - sum_of_words(heap, rows, h)
    made = m.required(m.new_table(heap, height, w - sum_of_words(heap, columns, w)))
    source, to = m.numbers_at(grid), m.numbers_at(made)
    for i in range(h):
        if heap[rows + i] == 0:
            for j in range(w):
                if heap[columns + j] == 0:
                    heap[to] = heap[source + j]
                    to += 1
        source += w
    return made


@m.routine
def flag_plain_lines(heap, grid):
    """Flag rows, then columns, of one color by 1, others by 0. Returns the address, or `FULL`."""
    h, w = m.height_of(heap, grid), m.width_of(heap, grid)
    at = m.required(m.room_for(heap, h + w))
    cells = m.numbers_at(grid)
    for i in range(h):
        heap[at + i] = is_plain(heap, cells + i * w, w, 1)
    for j in range(w):
        heap[at + h + j] = is_plain(heap, cells + j, h, w)
    return at


@m.machine_function
def is_plain(heap, at, count, step):
    """Tell, as 1 or 0, whether `count` words (at least one), `step` apart, are all equal."""
    k = 1
    while k < count and heap[at + k * step] == heap[at]:
        k += 1
    return k == count


@m.machine_function
def sum_of_words(heap, at, count):
    total = 0
    for k in range(count):
        total += heap[at + k]
    return total


@primitive
def frontiers(grid: Grid) -> Objects:
    """Make an object of each row and each column that is of one color."""
    h, w = size_of_grid(grid)
    rows = [i for i, row in enumerate(grid) if len(set(row)) == 1]
    columns = [j for j, column in enumerate(zip(*grid)) if len(set(column)) == 1]  # noqa: B905
    charge(len(rows) * w + len(columns) * h)
    lines = [frozenset([(grid[i][0], (i, j)) for j in range(w)]) for i in rows]
    lines += [frozenset([(grid[0][j], (i, j)) for i in range(h)]) for j in columns]
    return frozenset(lines)


@compiled(frontiers)
def frontiers(heap, grid):
    h, w = m.height_of(heap, grid), m.width_of(heap, grid)
    if grid == m.EMPTY_TUPLE:
        return m.NO_VALUE
    rows = m.required(flag_plain_lines(heap, grid))
    columns = rows + h
    plain_rows, plain_columns = sum_of_words(heap, rows, h), sum_of_words(heap, columns, w)
    m.required(m.charge(heap, plain_rows * w + plain_columns * h))
    if not locations_fit(h, w):
        return m.HOST
    at = m.required(m.begin_node(heap, plain_rows + plain_columns))
    to = at + m.CONTENT
    cells = m.numbers_at(grid)
    for i in range(h):
        if heap[rows + i] == 1:
            first = m.required(cell(heap[cells + i * w], i, 0))
            heap[to] = m.required(evenly_apart(heap, first, 1 << m.COLUMN, w))
            to += 1
    for j in range(w):
        if heap[columns + j] == 1:
            first = m.required(cell(heap[cells + j], 0, j))
            heap[to] = m.required(evenly_apart(heap, first, 1 << m.ROW, h))
            to += 1
    return m.finish_set(heap, at, plain_rows + plain_columns)
