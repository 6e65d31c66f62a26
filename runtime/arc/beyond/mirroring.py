"""Grids completed by the symmetries that they show."""

from megabatt.runtime.arc.beyond import charge, compiled, m, primitive
from megabatt.runtime.arc.objects import count_others
from megabatt.runtime.arc.painting import copy_of_grid, place_in
from megabatt.runtime.arc.types import Grid
from megabatt.runtime.arc.values import size_of_grid

_KINDS = 4
"""The number of kinds of axes: along rows, along columns, and along the two diagonals."""
_A_CHARGE = 64
"""The number of cells, compared with their mirror images, that is charged as one element."""


@primitive
def symmetrized(grid: Grid) -> Grid:
    """Return the grid with its black cells filled in from their mirror images.

    Axes lie anywhere along rows, columns and both diagonals. A valid axis mirrors no color on
    another color, and at least three quarters of all colored cells on other cells of their color.
    Of each kind, the first valid axis with most such cells is used. The axes fill in black cells
    one after the other, row by row, until no cell changes. Charges the grid's cells, and 1 per 64
    cells that are compared with their mirror images.

    Fails where there is no axis.
    """
    h, w = size_of_grid(grid)
    charge(h * w)
    cells = list(map(list, grid))
    axes = [(kind, at) for kind in range(_KINDS) if (at := _best_axis(cells, kind)) is not None]
    if not axes:
        raise ValueError("no axis of symmetry")
    while any([_mirror(cells, kind, at) for kind, at in axes]):
        charge(h * w // _A_CHARGE)
    return tuple(map(tuple, cells))


def _best_axis(cells: list[list[int]], kind: int) -> int | None:
    """Return the place of the best axis of a kind, or None; charge for the search."""
    h, w = len(cells), len(cells[0]) if cells else 0
    colored = sum(color != 0 for row in cells for color in row)
    best, most = None, max((3 * colored - 1) // 4, 0)
    for at in range(1 - h - w, h + w):
        charge(h * w // _A_CHARGE)
        agreeing = _agreeing(cells, kind, at)
        if agreeing > most:
            best, most = at, agreeing
    return best


def _agreeing(cells: list[list[int]], kind: int, at: int) -> int:
    """Count colored cells that an axis mirrors on others of their color; -1 if colors differ."""
    count = 0
    for i, row in enumerate(cells):
        for j, color in enumerate(row):
            a, b = _partner(kind, at, i, j) if color else (i, j)
            if (a, b) != (i, j) and 0 <= a < len(cells) and 0 <= b < len(row):
                if cells[a][b] not in (0, color):
                    return -1
                count += cells[a][b] == color
    return count


def _partner(kind: int, at: int, i: int, j: int) -> tuple[int, int]:
    """Return the row and column that an axis mirrors a cell on."""
    return ((at - i, j), (i, at - j), (j + at, i - at), (at - j, at - i))[kind]


def _mirror(cells: list[list[int]], kind: int, at: int) -> bool:
    """Fill in black cells from their mirror images; tell whether a cell changed."""
    changed = False
    for i, row in enumerate(cells):
        for j, color in enumerate(row):
            a, b = _partner(kind, at, i, j)
            if not color and 0 <= a < len(cells) and 0 <= b < len(row) and cells[a][b]:
                row[j] = cells[a][b]
                changed = True
    return changed


@compiled(symmetrized)
def symmetrized(heap, grid):
    out = m.required(copy_of_grid(heap, grid))
    area = m.area_of(heap, out)
    m.required(m.charge(heap, area))
    axes = m.required(m.room_for(heap, _KINDS))
    count = 0
    for kind in range(_KINDS):
        at = best_axis(heap, out, kind)
        if at == m.OVER_LIMIT:
            return at
        heap[axes + kind] = at
        count += at != m.NO_VALUE
    if count == 0:
        return m.NO_VALUE
    changed = True
    while changed:
        changed = False
        for kind in range(_KINDS):
            if heap[axes + kind] != m.NO_VALUE:
                changed |= mirror(heap, out, kind, heap[axes + kind]) > 0
        if changed:
            m.required(m.charge(heap, area // _A_CHARGE))
    heap[m.TOP] = axes
    return out


@m.routine
def best_axis(heap, out, kind):
    """Return the place of the best axis of a kind, or `NO_VALUE`; pay for the search."""
    area = m.area_of(heap, out)
    sides = m.height_of(heap, out) + m.width_of(heap, out)
    best = m.NO_VALUE
    most = max((3 * count_others(heap, out, 0) - 1) // 4, 0)
    for at in range(1 - sides, sides):
        m.required(m.charge(heap, area // _A_CHARGE))
        agreeing = agreeing_by(heap, out, kind, at)
        if agreeing > most:
            best, most = at, agreeing
    return best


@m.machine_function
def agreeing_by(heap, out, kind, at):
    width = m.width_of(heap, out)
    cells = m.numbers_at(out)
    count = 0
    for k in range(m.area_of(heap, out)):
        color = heap[cells + k]
        if color != 0:
            to = partner(heap, out, kind, at, k // width, k % width)
            if to >= 0 and to != k:
                other = heap[cells + to]
                if other == color:
                    count += 1
                elif other != 0:
                    return -1
    return count


@m.machine_function
def partner(heap, out, kind, at, i, j):
    """Return the number of a cell's mirror image; -1 outside the grid."""
    row, column = i, j
    if kind == 0:
        row = at - i
    elif kind == 1:
        column = at - j
    elif kind == 2:
        row, column = j + at, i - at
    else:
        row, column = at - j, at - i
    return place_in(m.height_of(heap, out), m.width_of(heap, out), row, column)


@m.routine
def mirror(heap, out, kind, at):
    """Fill in black cells from their mirror images. Returns 1 if a cell changed, else 0."""
    width = m.width_of(heap, out)
    cells = m.numbers_at(out)
    changed = 0
    for k in range(m.area_of(heap, out)):
        if heap[cells + k] == 0:
            to = partner(heap, out, kind, at, k // width, k % width)
            if to >= 0 and heap[cells + to] != 0:
                heap[cells + k] = heap[cells + to]
                changed = 1
    return changed
