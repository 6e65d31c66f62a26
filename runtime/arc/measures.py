"""Measures of grids and patches: extent and colors, and whether they are a line or a square."""

from collections.abc import Callable
from typing import Any

from megabatt.runtime.arc.charges import OfResult, cell_count, count
from megabatt.runtime.arc.language import compiled, compiled_as, integer, m, primitive
from megabatt.runtime.arc.types import Element, IntegerTuple, Object, Patch, Piece, TupleOrPatch
from megabatt.runtime.arc.values import colors_in, columns_of, extent_of, most_common_color, rows_of
from megabatt.runtime.arc.words import color_of, is_cell, location_of
from megabatt.runtime.core.ranking import extreme_run
from megabatt.runtime.core.types import Boolean, Integer, IntegerSet


@primitive
def mostcolor(element: Element) -> Integer:
    """Return the color of most cells, the smallest of ties. Fails without cells."""
    return most_common_color(element)


cells_in = m.machine_function(cell_count.of_words)


@m.routine
def common_color(heap, element, sign):
    """Return the most (1) or least (-1) common color, the least of ties; `NO_VALUE` without any."""
    if not m.is_table(heap, element):
        return color_by_runs(heap, element, sign)
    tally = m.required(m.room_for(heap, 64))  # colors below 16, each in four places by turns
    m.fill_words(heap, tally, 64, 0)
    first = m.numbers_at(element)
    bits = 0
    for k in range(m.area_of(heap, element)):
        number = heap[first + k]
        bits |= number
        heap[tally + ((number & 15) << 2) + (k & 3)] += 1
    heap[m.TOP] = tally
    if bits >> 4 != 0:
        return color_by_runs(heap, element, sign)
    best, found = 0, m.NO_VALUE
    for k in range(16):
        at = tally + 4 * k
        total = heap[at] + heap[at + 1] + heap[at + 2] + heap[at + 3]
        if total > 0 and (best == 0 or total * sign > best * sign):
            best, found = total, k
    return found


compiled_as(mostcolor, common_color, 1)


@m.routine
def color_by_runs(heap, element, sign):
    """Do `common_color` for any colors: put the colors in order, and compare runs."""
    count = cells_in(heap, element)
    colors = m.required(m.room_for(heap, count))
    first = m.first_word(element)
    if m.is_table(heap, element):
        m.copy_words(heap, first, colors, count)
        m.required(m.sort(heap, colors, count, m.INTEGERS))
    else:
        for k in range(count):
            heap[colors + k] = color_of(heap[first + k])
    heap[m.TOP] = colors
    return extreme_run(heap, colors, count, sign)


@primitive
def leastcolor(element: Element) -> Integer:
    """Return the color of fewest cells, the smallest of ties. Fails without cells."""
    colors = colors_in(element)
    return min(sorted(set(colors)), key=colors.count)


compiled_as(leastcolor, common_color, -1)


@primitive
def height(piece: TupleOrPatch) -> Integer:
    """Count the rows of a grid (the elements of any tuple), or the rows that a patch spans."""
    return len(piece) if piece.__class__ is tuple else integer(_spanned(piece, rows_of))


def _spanned(patch: Patch, parts_of: Callable[[Any], list[int]]) -> int:
    """Count the rows or the columns that a patch spans."""
    if not patch:
        return 0
    parts = parts_of(patch)
    return max(parts) - min(parts) + 1


@compiled(height)
def height(heap, piece):
    return m.count_of(heap, piece) if m.is_tuple(heap, piece) else spanned(heap, piece, m.ROW)


@m.machine_function
def corner(heap, patch, sign):
    """Return the first (sign: 1) or the last (-1) row and column of a patch, not empty: a pair."""
    at = m.first_word(patch)
    place, column = sign * location_of(heap[at]), sign * m.column_of(heap[at])
    for k in range(at + 1, at + m.count_of(heap, patch)):
        place = min(place, sign * location_of(heap[k]))
        column = min(column, sign * m.column_of(heap[k]))
    return m.pair(m.row_of(sign * place), sign * column)


@m.routine
def upper_left(heap, patch):
    return corner(heap, patch, 1)


@m.routine
def lower_right(heap, patch):
    return corner(heap, patch, -1)


@primitive
def width(piece: Piece) -> Integer:
    """Count the columns of a grid, or the columns that a patch spans."""
    if piece.__class__ is tuple:
        return len(piece[0]) if piece else 0
    return integer(_spanned(piece, columns_of))


@m.machine_function
def spanned(heap, piece, bits):
    """Count the rows (bits: `ROW`) or columns (`COLUMN`) that a grid has or a patch spans."""
    if not m.is_set(heap, piece):
        return m.height_of(heap, piece) if bits == m.ROW else m.width_of(heap, piece)
    if piece == m.EMPTY_SET:
        return 0
    return m.part_of(lower_right(heap, piece), bits) - m.part_of(upper_left(heap, piece), bits) + 1


compiled_as(width, spanned, m.COLUMN)


@primitive
def shape(piece: Piece) -> IntegerTuple:
    """Return the height and width of a grid or patch."""
    h, w = _extent(piece)
    return integer(h), integer(w)


def _extent(piece: Piece) -> tuple[int, int]:
    """Return the height and width of a piece; (0, 0) for an empty piece."""
    if piece.__class__ is tuple:
        return extent_of(piece)
    return _spanned(piece, rows_of), _spanned(piece, columns_of)


@compiled(shape)
def shape(heap, piece):
    return m.pair(spanned(heap, piece, m.ROW), spanned(heap, piece, m.COLUMN))


@primitive
def portrait(piece: Piece) -> Boolean:
    """Tell whether the piece is higher than wide."""
    h, w = _extent(piece)
    return h > w


@compiled(portrait)
def portrait(heap, piece):
    return m.boolean(spanned(heap, piece, m.ROW) > spanned(heap, piece, m.COLUMN))


@primitive
def colorcount(element: Element, value: Integer) -> Integer:
    """Count the cells of color `value`."""
    if element.__class__ is tuple:
        return sum([row.count(value) for row in element])
    return [color for color, _ in element].count(value)


@compiled(colorcount)
def colorcount(heap, element, value):
    first = m.first_word(element)
    total = 0
    if m.is_table(heap, element):
        for k in range(m.area_of(heap, element)):
            total += heap[first + k] == value
    else:
        for k in range(m.count_of(heap, element)):
            total += color_of(heap[first + k]) == value
    return total


@primitive(charge=OfResult(count))
def palette(element: Element) -> IntegerSet:
    """Return the set of colors that occur."""
    return frozenset(colors_in(element))


@m.routine
def palette_of(heap, element):
    """Return the set of the colors of a grid or an object. `FULL` without room."""
    count = cells_in(heap, element)
    at = m.required(m.begin_node(heap, max(count, 16)))
    first = m.first_word(element)
    kept = distinct_of_few(heap, first, count, at + m.CONTENT) if m.is_table(heap, element) else -1
    if kept < 0:
        kept = 0
        for k in range(count):
            word = heap[first + k]
            number = color_of(word) if is_cell(word) else word
            if kept == 0 or number != heap[at + m.CONTENT + kept - 1]:
                heap[at + m.CONTENT + kept] = number
                kept += 1
        kept = m.required(m.distinct_in_order(heap, at + m.CONTENT, kept, m.INTEGERS))
    return m.finish_tagged(heap, at, m.SET, kept, m.INTEGERS)


compiled_as(palette, palette_of)


@m.machine_function
def distinct_of_few(heap, first, count, to):
    """Store numbers from 0 to 15 without repeats, ascending. Returns how many; -1 if any is not."""
    bits, seen = 0, 0
    for k in range(count):
        bits |= heap[first + k]
        seen |= 1 << (heap[first + k] & 15)
    if bits >> 4 != 0:
        return -1
    kept = 0
    for k in range(16):
        if (seen >> k) & 1 == 1:
            heap[to + kept] = k
            kept += 1
    return kept


@primitive
def numcolors(element: Element) -> Integer:
    """Count the colors that occur."""
    return len(set(colors_in(element)))


@compiled(numcolors)
def numcolors(heap, element):
    colors = m.required(palette_of(heap, element))
    return m.count_of(heap, colors)


@primitive
def color(obj: Object) -> Integer:
    """Return the color of the first cell. Fails without cells."""
    return obj[0][0] if obj.__class__ is tuple else min(colors_in(obj))  # type: ignore[no-any-return]


@m.machine_function
def first_color(heap, obj):
    """Return the color of an object's first cell; `NO_VALUE` without cells."""
    return m.NO_VALUE if m.count_of(heap, obj) == 0 else color_of(heap[m.first_word(obj)])


compiled_as(color, first_color)


@primitive
def square(piece: Piece) -> Boolean:
    """Tell whether a grid is square, or a patch a filled square. Fails for the 0x0 grid."""
    if piece.__class__ is tuple:
        return len(piece) == len(piece[0])
    h, w = _extent(piece)
    return h == w and h * w == len(piece)


@compiled(square)
def square(heap, piece):
    if piece == m.EMPTY_TUPLE:
        return m.NO_VALUE
    h, w = spanned(heap, piece, m.ROW), spanned(heap, piece, m.COLUMN)
    return m.boolean(h == w and (m.is_table(heap, piece) or h * w == m.count_of(heap, piece)))


@primitive
def vline(patch: Patch) -> Boolean:
    """Tell whether the patch is a vertical line: one wide, and as high as it has elements."""
    h, w = _extent(patch)
    return w == 1 and h == len(patch)


@m.machine_function
def is_line(heap, patch, along, across):
    """Tell whether a patch is one wide across, and as long along as it has elements."""
    length = spanned(heap, patch, along)
    return m.boolean(spanned(heap, patch, across) == 1 and length == m.count_of(heap, patch))


compiled_as(vline, is_line, m.ROW, m.COLUMN)


@primitive
def hline(patch: Patch) -> Boolean:
    """Tell whether the patch is a horizontal line: one high, and as wide as it has elements."""
    h, w = _extent(patch)
    return h == 1 and w == len(patch)


compiled_as(hline, is_line, m.COLUMN, m.ROW)
