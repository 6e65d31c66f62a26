"""Grids completed by the patterns that they show."""

from collections import Counter
from collections.abc import Iterator

from megabatt.runtime.arc.beyond import charge, compiled, m, primitive
from megabatt.runtime.arc.painting import copy_of_grid
from megabatt.runtime.arc.types import Grid
from megabatt.runtime.arc.values import size_of_grid

_SIDE = 3
_CELLS = _SIDE * _SIDE
_BITS = 4
"""The bits of a color in a square's code, which holds the square's colors row by row."""
_MOST_COLOR = (1 << _BITS) - 1
_CODE_BITS = _BITS * _CELLS
_MANY = 1 << 25
_A_CHARGE = 64
"""The number of compared patterns, or of cells of the grid, that is charged as one element."""


@primitive
def completed(grid: Grid) -> Grid:
    """Return the grid with its black cells filled in from the grid's own patterns.

    A pattern is a square of 3 by 3 cells without black cells, also turned and mirrored. Each round
    takes the first square, row by row, with fewest black cells (at least one), and makes it the
    most common pattern that agrees with its colored cells, until no square has black cells. Charges
    the grid's cells; then, each round, 1 per 64 cells of the grid and 1 per 64 compared patterns.

    Fails where no pattern agrees with a square, and where the grid has numbers outside 0 to 15.
    """
    h, w = size_of_grid(grid)
    if any(not 0 <= value <= _MOST_COLOR for row in grid for value in row):
        raise ValueError("colors from 0 to 15 make patterns")
    charge(h * w + h * w // _A_CHARGE)
    cells = list(map(list, grid))
    patterns = _patterns(cells, w)
    codes = {(i, j): _code(cells, i, j) for i, j in _squares(h, w)}
    while codes := {square: code for square, code in codes.items() if code[2] < _CELLS}:
        i, j = max(codes, key=lambda square: codes[square][2])
        pattern = _agreeing(patterns, *codes[i, j][:2])
        for k in range(_CELLS):
            cells[i + k // _SIDE][j + k % _SIDE] = pattern >> _BITS * k & _MOST_COLOR
        near = (square for square in codes if abs(square[0] - i) < _SIDE > abs(square[1] - j))
        codes |= {square: _code(cells, *square) for square in near}
        charge(h * w // _A_CHARGE)
    return tuple(map(tuple, cells))


def _squares(h: int, w: int) -> Iterator[tuple[int, int]]:
    return ((i, j) for i in range(h - _SIDE + 1) for j in range(w - _SIDE + 1))


def _code(cells: list[list[int]], i: int, j: int) -> tuple[int, int, int]:
    """Return a square's code, the mask of its colored cells, and the number of colored cells."""
    code = mask = count = 0
    for k in range(_CELLS):
        color = cells[i + k // _SIDE][j + k % _SIDE]
        code |= color << _BITS * k
        if color:
            mask |= _MOST_COLOR << _BITS * k
            count += 1
    return code, mask, count


def _patterns(cells: list[list[int]], w: int) -> list[int]:
    """Return the patterns' codes, the most common first; equally common codes ascend."""
    counts: Counter[int] = Counter()
    turned = cells
    for _ in range(4):
        for view in (turned, turned[::-1]):
            for i, j in _squares(len(view), len(view[0])):
                code, _, count = _code(view, i, j)
                counts[code] += count == _CELLS
        turned = list(map(list, zip(*turned[::-1], strict=True))) if w else turned
    return sorted((code for code in counts if counts[code]), key=lambda code: (-counts[code], code))


def _agreeing(patterns: list[int], code: int, mask: int) -> int:
    """Return the first pattern that agrees with a code under a mask; charge for the search."""
    for number, pattern in enumerate(patterns, 1):
        if pattern & mask == code:
            charge(number // _A_CHARGE)
            return pattern
    charge(len(patterns) // _A_CHARGE)
    raise ValueError("no pattern agrees")


@compiled(completed)
def completed(heap, grid):
    out = m.required(copy_of_grid(heap, grid))
    area = m.area_of(heap, out)
    for k in range(area):
        color = heap[m.numbers_at(out) + k]
        if color < 0 or color > _MOST_COLOR:
            return m.NO_VALUE
    m.required(m.charge(heap, area))
    patterns = m.required(m.room_for(heap, 8 * area))
    count = m.required(list_patterns(heap, out, patterns))
    width = m.width_of(heap, out)
    at = 0
    while at >= 0:
        m.required(m.charge(heap, area // _A_CHARGE))
        at = next_square(heap, out)
        if at >= 0:
            pattern = m.required(agreeing(heap, patterns, count, code_of(heap, at, width, 0)))
            for k in range(_CELLS):
                color = (pattern >> (_BITS * k)) & _MOST_COLOR
                heap[at + k // _SIDE * width + k % _SIDE] = color
    heap[m.TOP] = patterns
    return out


@m.routine
def list_patterns(heap, out, patterns):
    """Write the codes of a grid's patterns in order. Returns their number; `FULL` without room."""
    height, width = m.height_of(heap, out), m.width_of(heap, out)
    end = patterns
    for i in range(height - _SIDE + 1):
        for j in range(width - _SIDE + 1):
            at = m.numbers_at(out) + i * width + j
            if colored_in(heap, at, width) == _CELLS:
                for turn in range(8):
                    heap[end] = code_of(heap, at, width, turn)
                    end += 1
    m.required(m.sort(heap, patterns, end - patterns, m.INTEGERS))
    count = 0
    begin = patterns
    while begin < end:
        after = begin + 1
        while after < end and heap[after] == heap[begin]:
            after += 1
        heap[patterns + count] = ((_MANY - (after - begin)) << _CODE_BITS) | heap[begin]
        count += 1
        begin = after
    m.required(m.sort(heap, patterns, count, m.INTEGERS))
    for k in range(patterns, patterns + count):
        heap[k] &= (1 << _CODE_BITS) - 1
    return count


@m.machine_function
def colored_in(heap, at, width):
    """Count the colored cells of the square at an address, in a grid of the given width."""
    count = 0
    for row in range(_SIDE):
        for column in range(_SIDE):
            count += heap[at + row * width + column] != 0
    return count


@m.machine_function
def code_of(heap, at, width, turn):
    """Return the code of a square that is turned or mirrored in one of eight ways."""
    code = 0
    for row in range(_SIDE):
        for column in range(_SIDE):
            a = _SIDE - 1 - row if turn & 1 else row
            b = _SIDE - 1 - column if turn & 2 else column
            k = b * _SIDE + a if turn & 4 else a * _SIDE + b
            code |= heap[at + row * width + column] << (_BITS * k)
    return code


@m.routine
def next_square(heap, out):
    """Return the address of the first square with fewest black cells; -1 if no square has any."""
    width = m.width_of(heap, out)
    most, best = -1, -1
    for i in range(m.height_of(heap, out) - _SIDE + 1):
        for j in range(width - _SIDE + 1):
            at = m.numbers_at(out) + i * width + j
            count = colored_in(heap, at, width)
            if count > most and count < _CELLS:
                most, best = count, at
    return best


@m.machine_function
def agreeing(heap, patterns, count, code):
    """Return the first pattern that agrees with a code's colored cells; pay for the search."""
    mask = 0
    for k in range(_CELLS):
        color = _MOST_COLOR << (_BITS * k)
        if code & color:
            mask |= color
    k = 0
    while k < count and heap[patterns + k] & mask != code:
        k += 1
    m.required(m.charge(heap, min(k + 1, count) // _A_CHARGE))
    return heap[patterns + k] if k < count else m.NO_VALUE
