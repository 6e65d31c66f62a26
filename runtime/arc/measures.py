"""Measures of grids and patches: extent and colors, and whether they are a line or a square."""

from __future__ import annotations

from numpy import int64

from megabatt.runtime.arc.columns import bounds, codes_of, color_range, colors_by_count
from megabatt.runtime.arc.integers import integer
from megabatt.runtime.arc.language import primitive
from megabatt.runtime.arc.layouts import Grids, Pairs
from megabatt.runtime.arc.layouts.packing import both_fit, color_of, color_part, pack_pair
from megabatt.runtime.arc.types import (
    Boolean,
    Element,
    Integer,
    IntegerSet,
    IntegerTuple,
    Object,
    Patch,
    Piece,
    TupleOrPatch,
)
from megabatt.runtime.arc.values import colors_in, columns_of, most_common_color, rows_of
from megabatt.runtime.core.charges import count
from megabatt.runtime.engine.calls.charges import OfResult
from megabatt.runtime.engine.calls.frames import Frame
from megabatt.runtime.engine.calls.registry import rule
from megabatt.runtime.engine.columns import Bools, Column, Ints, Lists, Records, Sequences, Sets
from megabatt.runtime.engine.device.arrays import Array, elementwise, where_set, xp
from megabatt.runtime.engine.device.kernels import device_function, lane_kernel
from megabatt.runtime.engine.sets.ordering import distinct


@primitive
def mostcolor(element: Element) -> Integer:
    """Return the color of most cells, the smallest of ties. Fails without cells."""
    return most_common_color(element)


@rule(mostcolor)
def mostcolor(frame: Frame, element: Grids | Sets) -> Column:
    return _common_color(frame, element, 1)


def _common_color(frame: Frame, element: Grids | Sets, sign: int) -> Ints:
    """Return the most (sign 1) or least (-1) common color; lanes without cells fail."""
    if isinstance(element, Grids):
        frame.fail(element.areas == 0)
        return Ints(colors_by_count(element, sign))
    frame.fail(element.counts == 0)
    colors = xp.zeros(frame.n, dtype=xp.int64)
    pick_run(frame.n, element.starts, element.counts, codes_of(element.content), sign, colors)
    return Ints(colors)


@lane_kernel
def pick_run(lane, starts, counts, codes, sign, colors):
    """Store the color of an object's longest (or shortest) run. Its cells ascend by color."""
    end = starts[lane] + counts[lane]
    best = int64(0)
    run = int64(0)
    for k in range(starts[lane], end):
        run += 1
        last = True
        if k + 1 < end:
            last = color_of(codes[k + 1]) != color_of(codes[k])
        if last:
            if best == 0 or run * sign > best * sign:
                best = run
                colors[lane] = color_of(codes[k])
            run = int64(0)


@primitive
def leastcolor(element: Element) -> Integer:
    """Return the color of fewest cells, the smallest of ties. Fails without cells."""
    colors = colors_in(element)
    return min(sorted(set(colors)), key=colors.count)


@rule(leastcolor)
def leastcolor(frame: Frame, element: Grids | Sets) -> Column:
    return _common_color(frame, element, -1)


@primitive
def height(piece: TupleOrPatch) -> Integer:
    """Count the rows of a grid (the elements of any tuple), or those that a patch spans."""
    if piece.__class__ is tuple:
        return len(piece)
    return integer(_rows_spanned(piece))


def _rows_spanned(patch: Patch) -> int:
    if not patch:
        return 0
    rows = rows_of(patch)
    return max(rows) - min(rows) + 1


@rule(height)
def height(frame: Frame, piece: Column) -> Column:
    if isinstance(piece, (Grids, Sets)):
        return Ints(spans(piece)[0])
    if isinstance(piece, Sequences):
        return Ints(piece.counts)
    length = len(piece.fields) if isinstance(piece, Records) else 2
    return Ints(xp.full(frame.n, length, dtype=xp.int64))


def spans(piece: Grids | Sets) -> tuple[Array, Array]:
    """Return the height and width of every grid or patch."""
    if isinstance(piece, Grids):
        return piece.heights, xp.where(piece.heights > 0, piece.widths, 0)
    top, left, bottom, right = bounds(piece)
    return extent(top, bottom), extent(left, right)


@device_function
def extent_of(first, last):
    return last - first + 1


extent = elementwise(extent_of)


@primitive
def width(piece: Piece) -> Integer:
    """Count the columns of a grid, or those that a patch spans."""
    if piece.__class__ is tuple:
        return len(piece[0]) if piece else 0
    return integer(_columns_spanned(piece))


def _columns_spanned(patch: Patch) -> int:
    if not patch:
        return 0
    columns = columns_of(patch)
    return max(columns) - min(columns) + 1


@rule(width)
def width(frame: Frame, piece: Grids | Sets) -> Column:
    return Ints(spans(piece)[1])


@primitive
def shape(piece: Piece) -> IntegerTuple:
    """Return the height and width of a grid or patch."""
    h, w = _extent(piece)
    return integer(h), integer(w)


def _extent(piece: Piece) -> tuple[int, int]:
    """Return the height and width of a piece; (0, 0) of an empty one."""
    if piece.__class__ is tuple:
        return len(piece), len(piece[0]) if piece else 0
    return _rows_spanned(piece), _columns_spanned(piece)


@rule(shape)
def shape(frame: Frame, piece: Grids | Sets) -> Column:
    heights, widths = spans(piece)
    frame.leave_to_host(~both_fit(heights, widths))
    return Pairs(pack_pair(heights, widths))


@primitive
def portrait(piece: Piece) -> Boolean:
    """Tell whether the piece is higher than wide."""
    h, w = _extent(piece)
    return h > w


@rule(portrait)
def portrait(frame: Frame, piece: Grids | Sets) -> Column:
    heights, widths = spans(piece)
    return Bools(heights > widths)


@primitive
def colorcount(element: Element, value: Integer) -> Integer:
    """Count the cells of color `value`."""
    if element.__class__ is tuple:
        return sum([row.count(value) for row in element])
    return [color for color, _ in element].count(value)


@rule(colorcount)
def colorcount(frame: Frame, element: Grids | Sets, value: Ints) -> Column:
    found = xp.zeros(frame.n, dtype=xp.int64)
    if isinstance(element, Grids):
        count_grid(frame.n, element.starts, element.areas, element.cells, value.data, found)
    else:
        codes = codes_of(element.content)
        count_object(frame.n, element.starts, element.counts, codes, value.data, found)
    return Ints(found)


@lane_kernel
def count_grid(lane, starts, areas, cells, values, found):
    value = values[lane]
    total = int64(0)
    for at in range(starts[lane], starts[lane] + areas[lane]):
        if int64(cells[at]) == value:
            total += 1
    found[lane] = total


@lane_kernel
def count_object(lane, starts, counts, codes, values, found):
    value = values[lane]
    total = int64(0)
    for k in range(starts[lane], starts[lane] + counts[lane]):
        if color_of(codes[k]) == value:
            total += 1
    found[lane] = total


@primitive(charge=OfResult(count))
def palette(element: Element) -> IntegerSet:
    """Return the set of colors that occur."""
    return frozenset(colors_in(element))


@rule(palette)
def palette(frame: Frame, element: Grids | Sets) -> Column:
    return palettes(element)


def palettes(element: Grids | Sets) -> Sets:
    """Return the set of colors of every grid or object."""
    if isinstance(element, Grids):
        return _palettes_of_grids(element)
    packed = element.packed()
    colors = color_part(codes_of(packed.content))
    ascending = Lists.of_counts(packed.counts, Ints(colors), packed.offsets)
    kept = ascending.having(distinct(colors, packed.offsets))
    return Sets.of_counts(kept.counts, kept.content, kept.offsets)


def _palettes_of_grids(grids: Grids) -> Sets:
    n = len(grids)
    least, span = color_range(grids)
    seen = xp.zeros(n * span, dtype=xp.bool_)
    mark_colors(n, grids.starts, grids.areas, grids.cells, least, span, seen)
    colors = where_set(seen) % span + least
    return Sets.of_counts(seen.reshape(n, span).sum(axis=1), Ints(colors))  # type: ignore[no-any-return]


@lane_kernel
def mark_colors(lane, starts, areas, cells, least, span, seen):
    for at in range(starts[lane], starts[lane] + areas[lane]):
        seen[lane * span + int64(cells[at]) - least] = True


@primitive
def numcolors(element: Element) -> Integer:
    """Count the colors that occur."""
    return len(set(colors_in(element)))


@rule(numcolors)
def numcolors(frame: Frame, element: Grids | Sets) -> Column:
    return Ints(palettes(element).counts)


@primitive
def color(obj: Object) -> Integer:
    """Return the color of the first cell. Fails without cells."""
    return obj[0][0] if obj.__class__ is tuple else min(colors_in(obj))  # type: ignore[no-any-return]


@rule(color)
def color(frame: Frame, obj: Sequences) -> Column:
    empty = obj.counts == 0
    frame.fail(empty)
    codes = codes_of(obj.content)
    if not len(codes):
        return Ints(xp.zeros(frame.n, dtype=xp.int64))
    return Ints(color_part(codes[xp.where(empty, 0, obj.starts)]))


@primitive
def square(piece: Piece) -> Boolean:
    """Tell whether a grid is square, or a patch a filled square. Fails for the 0x0 grid."""
    if piece.__class__ is tuple:
        return len(piece) == len(piece[0])
    h, w = _extent(piece)
    return h == w and h * w == len(piece)


@rule(square)
def square(frame: Frame, piece: Grids | Sets) -> Column:
    heights, widths = spans(piece)
    if isinstance(piece, Grids):
        frame.fail(heights == 0)
        return Bools(heights == widths)
    return Bools((heights == widths) & (heights * widths == piece.counts))


@primitive
def vline(patch: Patch) -> Boolean:
    """Tell whether the patch is a vertical line: one wide, and as high as it has elements."""
    h, w = _extent(patch)
    return w == 1 and h == len(patch)


@rule(vline)
def vline(frame: Frame, patch: Sets) -> Column:
    heights, widths = spans(patch)
    return Bools((widths == 1) & (heights == patch.counts))


@primitive
def hline(patch: Patch) -> Boolean:
    """Tell whether the patch is a horizontal line: one high, and as wide as it has elements."""
    h, w = _extent(patch)
    return h == 1 and w == len(patch)


@rule(hline)
def hline(frame: Frame, patch: Sets) -> Column:
    heights, widths = spans(patch)
    return Bools((heights == 1) & (widths == patch.counts))
