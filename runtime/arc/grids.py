"""Grids turned, mirrored (patches too), compared and recolored."""

from megabatt.runtime.arc.charges import area, cell_count, room
from megabatt.runtime.arc.language import compiled, compiled_as, integer, m, primitive
from megabatt.runtime.arc.measures import lower_right, upper_left
from megabatt.runtime.arc.types import Grid, Integer, IntegerTuple, Piece
from megabatt.runtime.arc.values import bounds_of, columns_of, is_object, rows_of, size_of_grid
from megabatt.runtime.arc.words import run_end
from megabatt.runtime.engine.language.charges import Measure


@primitive(charge=area)
def rot90(grid: Grid) -> Grid:
    """Turn the grid clockwise by a quarter."""
    return tuple(zip(*grid[::-1]))  # noqa: B905  (rows are equally long; `strict` costs)


@m.routine
def turned(heap, grid, upside_down, sideways, diagonal):
    """Mirror a grid upside down, then sideways, then in its diagonal, each if its flag is 1."""
    height, width = m.height_of(heap, grid), m.width_of(heap, grid)
    origin = upside_down * (height - 1) * width + sideways * (width - 1)
    down, across = (1 - 2 * upside_down) * width, 1 - 2 * sideways
    if diagonal == 1:
        height, width, down, across = width, height, across, down
    return picked(heap, grid, height, width, origin, down, across)


compiled_as(rot90, turned, 1, 0, 1)


@m.machine_function
def picked(heap, grid, height, width, origin, row_step, column_step):
    """Make a grid of another grid's cells, which are numbered row by row.

    Its cell (i, j) is the other grid's cell number origin + i * row_step + j * column_step.
    """
    made = m.required(m.new_table(heap, height, width))
    to = m.numbers_at(made)
    for i in range(height):
        source = m.numbers_at(grid) + origin + i * row_step
        for _j in range(width):
            heap[to] = heap[source]
            source += column_step
            to += 1
    return made


@primitive(charge=area)
def rot180(grid: Grid) -> Grid:
    """Turn the grid by a half."""
    return tuple([row[::-1] for row in grid[::-1]])


compiled_as(rot180, turned, 1, 1, 0)


@primitive(charge=area)
def rot270(grid: Grid) -> Grid:
    """Turn the grid counterclockwise by a quarter."""
    return tuple(zip(*grid))[::-1]  # noqa: B905


compiled_as(rot270, turned, 0, 1, 1)


@primitive(charge=cell_count)
def hmirror(piece: Piece) -> Piece:
    """Turn a grid upside down, or a patch within the box around it."""
    if piece.__class__ is tuple:
        return piece[::-1]
    rows = rows_of(piece)
    turn = min(rows) + max(rows)
    if is_object(piece):
        return frozenset([(color, (turn - i, j)) for color, (i, j) in piece])
    return frozenset([(turn - i, j) for i, j in piece])


@m.machine_function
def mirrored(heap, patch, upside_down, part, bits, write_reversed):
    """Mirror a grid, or a patch in one part of its places, `row_of` or `column_of`.

    upside_down: 1 for rows, 0 for columns. write_reversed: Writes, in reverse order, elements of
    a patch that agree above `bits` bits.
    """
    if not m.is_set(heap, patch):
        return turned(heap, patch, upside_down, 1 - upside_down, 0)
    if patch == m.EMPTY_SET:
        return m.NO_VALUE
    count = m.count_of(heap, patch)
    at = m.required(m.begin_node(heap, count))
    turn = part(upper_left(heap, patch)) + part(lower_right(heap, patch))
    begin, to = m.first_word(patch), at + m.CONTENT
    stop = begin + count
    while begin < stop:
        end = run_end(heap, begin, stop, bits)
        write_reversed(heap, begin, end, turn, to)
        to += end - begin
        begin = end
    return m.finish_tagged(heap, at, m.SET, count, m.tag_of(heap[at + m.CONTENT]))


@m.machine_function
def reverse_rows(heap, begin, end, turn, to):
    """Write elements of one color, their rows in reverse order."""
    while end > begin:
        first = end - 1
        while first > begin and heap[first - 1] >> m.ROW == heap[first] >> m.ROW:
            first -= 1
        for k in range(first, end):
            heap[to] = moved(heap[k], turn - 2 * m.row_of(heap[k]), 0)
            to += 1
        end = first


compiled_as(hmirror, mirrored, 1, m.row_of, m.LABEL, reverse_rows)


@m.machine_function
def moved(word, down, across):
    """Move a pair or a cell by `down` rows and `across` columns; the result must fit."""
    return word + (down << m.ROW) + across


@primitive(charge=cell_count)
def vmirror(piece: Piece) -> Piece:
    """Swap left and right in a grid, or in a patch within the box around it."""
    if piece.__class__ is tuple:
        return tuple([row[::-1] for row in piece])
    columns = columns_of(piece)
    turn = min(columns) + max(columns)
    if is_object(piece):
        return frozenset([(color, (i, turn - j)) for color, (i, j) in piece])
    return frozenset([(i, turn - j) for i, j in piece])


@m.machine_function
def reverse_columns(heap, begin, end, turn, to):
    """Write elements of one color and row in reverse order."""
    for k in range(end - 1, begin - 1, -1):
        heap[to] = moved(heap[k], 0, turn - 2 * m.column_of(heap[k]))
        to += 1


compiled_as(vmirror, mirrored, 0, m.column_of, m.ROW, reverse_columns)


@primitive(charge=cell_count)
def dmirror(piece: Piece) -> Piece:
    """Swap rows and columns in a grid, or in a patch, whose upper left corner stays."""
    if piece.__class__ is tuple:
        return tuple(zip(*piece))  # noqa: B905
    top, left, bottom, right = bounds_of(piece)
    down, across = top - left, left - top
    integer(right + down), integer(bottom + across)
    if is_object(piece):
        return frozenset([(color, (j + down, i + across)) for color, (i, j) in piece])
    return frozenset([(j + down, i + across) for i, j in piece])


@m.routine
def swapped(heap, patch, other):
    """Swap rows and columns of a grid, or of a patch, whose upper left corner stays.

    other: 1 to mirror in the other diagonal, else 0.
    """
    if not m.is_set(heap, patch):
        return turned(heap, patch, other, other, 1)
    if patch == m.EMPTY_SET:
        return m.NO_VALUE
    first, last = upper_left(heap, patch), lower_right(heap, patch)
    down = m.row_of(first) - m.column_of(first)
    bottom, right = m.column_of(last) + down, m.row_of(last) - down
    if not (m.fits(bottom) and m.fits(right)):
        return m.HOST
    count = m.count_of(heap, patch)
    at = m.required(m.begin_node(heap, count))
    source = m.first_word(patch)
    for k in range(count):
        word = heap[source + k]
        i, j = m.column_of(word) + down, m.row_of(word) - down
        if other == 1:
            i = bottom + m.row_of(first) - i
            j = right + m.column_of(first) - j
        heap[at + m.CONTENT + k] = moved(word, i - m.row_of(word), j - m.column_of(word))
    return m.finish_set(heap, at, count)


compiled_as(dmirror, swapped, 0)


@primitive(charge=cell_count)
def cmirror(piece: Piece) -> Piece:
    """Mirror a grid in the other diagonal, or a patch, whose upper left corner stays."""
    if piece.__class__ is tuple:
        return tuple(zip(*[row[::-1] for row in piece[::-1]]))  # noqa: B905
    top, left, bottom, right = bounds_of(piece)
    down, across = top + right, left + bottom
    integer(down - left), integer(across - top)
    if is_object(piece):
        return frozenset([(color, (down - j, across - i)) for color, (i, j) in piece])
    return frozenset([(down - j, across - i) for i, j in piece])


compiled_as(cmirror, swapped, 1)


@primitive(charge=area)
def cellwise(a: Grid, b: Grid, fallback: Integer) -> Grid:
    """Return the first grid, with `fallback` in the cells where the second grid differs."""
    h, w = size_of_grid(a)
    if not w:
        return a
    if h > len(b) or w > len(b[0]):
        raise IndexError("the second grid does not cover the first")
    return tuple([
        row if row == other
        else tuple([v if v == u else fallback for v, u in zip(row, other)])  # noqa: B905
        for row, other in zip(a, b)  # noqa: B905
    ])  # fmt: skip


@compiled(cellwise)
def cellwise(heap, a, b, fallback):
    h, w = m.height_of(heap, a), m.width_of(heap, a)
    stride = m.width_of(heap, b)
    if h == 0 or (w > 0 and (h > m.height_of(heap, b) or w > stride)):
        return m.NO_VALUE
    made = m.required(m.new_table(heap, h, w))
    for i in range(h):
        source = m.numbers_at(a) + i * w
        other = m.numbers_at(b) + i * stride
        to = m.numbers_at(made) + i * w
        for j in range(w):
            value = heap[source + j]
            heap[to + j] = value if value == heap[other + j] else fallback
    return made


@primitive(charge=area)
def replace(grid: Grid, replacee: Integer, replacer: Integer) -> Grid:
    """Return the grid with one color in place of another."""
    return tuple([
        tuple([replacer if v == replacee else v for v in row]) if replacee in row else row
        for row in grid
    ])  # fmt: skip


@m.routine
def recolored(heap, grid, a, b, both):
    """Return a grid with color `b` in place of `a`, and `a` in place of `b` if `both` is 1."""
    made = m.required(m.new_table(heap, m.height_of(heap, grid), m.width_of(heap, grid)))
    source, to = m.numbers_at(grid), m.numbers_at(made)
    in_place_of_b = a if both == 1 else b
    for k in range(m.area_of(heap, grid)):
        value = heap[source + k]
        other = in_place_of_b if value == b else value
        heap[to + k] = b if value == a else other
    return made


compiled_as(replace, recolored, 0)


@primitive(charge=area)
def switch(grid: Grid, a: Integer, b: Integer) -> Grid:
    """Return the grid with two colors exchanged."""
    other = {a: b, b: a}.get
    return tuple(
        [tuple([other(v, v) for v in row]) if a in row or b in row else row for row in grid]
    )


compiled_as(switch, recolored, 1)


@Measure
def room_within(dimensions: tuple[int, int]) -> int:
    """Return the `room` of a grid of this height and width."""
    h, w = dimensions
    return room(max(h, 0), w)


@room_within.for_words
def room_within(heap, dimensions):
    return room_in_kernels(max(m.row_of(dimensions), 0), m.column_of(dimensions))


room_in_kernels = m.machine_function(room.of_ints)


@primitive(charge=lambda value, dimensions: room_within(dimensions))
def canvas(value: Integer, dimensions: IntegerTuple) -> Grid:
    """Make a grid of one color, of the given height and width."""
    h, w = dimensions
    return ((value,) * w,) * h if h > 0 else ()


@compiled(canvas)
def canvas(heap, value, dimensions):
    h = m.row_of(dimensions)
    w = max(m.column_of(dimensions), 0)
    made = m.required(m.new_table(heap, h, w))
    m.fill_words(heap, m.numbers_at(made), h * w, value)
    return made
