"""Searches for objects: their occurrences in a grid, and their periods."""

from megabatt.runtime.arc.language import charge, compiled, compiled_as, integer, m, primitive
from megabatt.runtime.arc.measures import lower_right, upper_left
from megabatt.runtime.arc.types import Grid, Indices, Integer, Object
from megabatt.runtime.arc.values import bounds_of, cells_with_gaps, size_of_grid
from megabatt.runtime.arc.words import CELLS, color_of, to_patch


@primitive
def occurrences(grid: Grid, obj: Object) -> Indices:
    """Find the upper left corners of the places within the grid that look like the object.

    Charges every place, and every cell of the object that is found at the place.
    """
    h, w = size_of_grid(grid)
    cells = sorted(set(obj))
    top, left, bottom, right = bounds_of(cells) if cells else (0, 0, -1, -1)
    rows, columns = h - (bottom - top), w - (right - left)
    charge(max(rows, 0) * max(columns, 0))
    stride = w + 1
    flat = cells_with_gaps(grid)
    places = [i * stride + j for i in range(rows) for j in range(columns)]
    for color, (i, j) in cells:
        at = (i - top) * stride + j - left
        places = [place for place in places if flat[place + at] == color]
        charge(len(places))
    return frozenset([divmod(place, stride) for place in places])


@compiled(occurrences)
def occurrences(heap, grid, obj):
    if m.height_of(heap, grid) == 0:
        return m.NO_VALUE
    cells = m.required(to_patch(heap, obj))
    first, last = m.pair(0, 0), m.pair(-1, -1)
    if cells != m.EMPTY_SET:
        first, last = upper_left(heap, cells), lower_right(heap, cells)
    rows = m.height_of(heap, grid) - (m.row_of(last) - m.row_of(first))
    columns = m.width_of(heap, grid) - (m.column_of(last) - m.column_of(first))
    m.required(m.charge(heap, max(rows, 0) * max(columns, 0)))
    if rows <= 0 or columns <= 0:
        return m.EMPTY_SET
    return sifted_places(heap, grid, cells, first, rows, columns)


@m.routine
def sifted_places(heap, grid, cells, first, rows, columns):
    """Return the places, among `rows` by `columns`, where a grid has the given cells.

    first: The upper left corner of the cells. Pays for each cell found at each place.
    """
    m.required(m.pair(rows - 1, columns - 1))
    width = max(m.width_of(heap, grid), columns)  # more columns for no cells
    at = m.required(m.begin_node(heap, rows * columns))
    begin = at + m.CONTENT
    end = begin
    for i in range(rows):
        for j in range(columns):
            heap[end] = i * width + j
            end += 1
    for k in range(m.count_of(heap, cells)):
        cell = heap[m.first_word(cells) + k]
        color = color_of(cell)
        origin = m.numbers_at(grid) + (m.row_of(cell) - m.row_of(first)) * width
        origin += m.column_of(cell) - m.column_of(first)
        to = begin
        for place in range(begin, end):
            number = heap[place]
            heap[to] = number
            to += heap[origin + number] == color
        end = to
        m.required(m.charge(heap, end - begin))
        if end == begin:
            break
    for place in range(begin, end):
        i = heap[place] // width
        heap[place] = m.pair(i, heap[place] - i * width)
    return m.finish_tagged(heap, at, m.SET, end - begin, m.PAIRS)


@primitive
def hperiod(obj: Object) -> Integer:
    """Return the fewest columns by which the object moves left onto itself, or else its width.

    Cells that move out on the left do not count. Charges the width for every cell.
    """
    return _period([(color, i, j) for color, (i, j) in set(obj)])


def _period(cells: list[tuple[int, int, int]]) -> int:
    """Return the period of cells (color, across, along), along their last coordinate."""
    if not cells:
        return 0
    along = [k for _, _, k in cells]
    first, last = min(along), max(along)
    extent = integer(last - first + 1)
    charge(extent * len(cells))
    table = set(cells)
    # the last cells stay inside at every period, so they must fall on other cells
    for period in sorted({last - k for k in along} - {0}):
        if all((c, a, k - period) in table for c, a, k in cells if k - period >= first):
            return period
    return extent


@m.routine
def period_of(heap, obj, bits):
    """Return `_period` of an object along its `ROW`s or its `COLUMN`s, and pay for it."""
    cells = m.required(to_patch(heap, obj))
    if cells == m.EMPTY_SET:
        return 0
    count = m.count_of(heap, cells)
    first = m.part_of(upper_left(heap, cells), bits)
    last = m.part_of(lower_right(heap, cells), bits)
    extent = last - first + 1
    m.required(m.charge(heap, extent * count))
    begin = m.first_word(cells)
    outermost = begin
    while m.part_of(heap[outermost], bits) != last:
        outermost += 1
    for period in range(1, extent):
        # the outermost cell stays inside at every period: most periods fail here
        shift = period << bits
        if m.position_in_set(heap, begin, outermost - begin, CELLS, heap[outermost] - shift) >= 0:
            if falls_on_itself(heap, begin, count, first + period, shift, bits) == 1:
                return period
    return extent


compiled_as(hperiod, period_of, m.COLUMN)


@m.routine
def falls_on_itself(heap, begin, count, inside, shift, bits):
    """Tell, as 1 or 0, whether ascending cells that stay inside fall on others when moved.

    inside: The least part, above `bits`, of cells that stay inside. shift: Subtracted from words.
    """
    other = begin
    for k in range(begin, begin + count):
        if m.part_of(heap[k], bits) >= inside:
            word = heap[k] - shift
            while heap[other] < word:
                other += 1
            if heap[other] != word:
                return 0
    return 1


@primitive
def vperiod(obj: Object) -> Integer:
    """Return the fewest rows by which the object moves up onto itself, or else its height.

    Cells that move out at the top do not count. Charges the height for every cell.
    """
    return _period([(color, j, i) for color, (i, j) in set(obj)])


compiled_as(vperiod, period_of, m.ROW)
