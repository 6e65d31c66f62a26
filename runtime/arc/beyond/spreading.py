"""Colors that flow over black cells or are smeared over them, and pieces that fall."""

from megabatt.runtime.arc.beyond import charge, compiled, m, primitive
from megabatt.runtime.arc.charges import area
from megabatt.runtime.arc.objects import components
from megabatt.runtime.arc.painting import copy_of_grid
from megabatt.runtime.arc.types import Grid, Integer, IntegerTuple
from megabatt.runtime.arc.values import size_of_grid


@primitive(charge=area)
def flooded(grid: Grid, wall: Integer) -> Grid:
    """Return the grid with each black cell in the color that reaches it in the fewest steps.

    Colors spread by sides over black cells; the color `wall` stays in its place. Of colors that
    arrive at once, the color wins that starts further up, then further left.
    """
    h, w = size_of_grid(grid)
    cells = [value for row in grid for value in row]
    queue = [at for at, value in enumerate(cells) if value not in (0, wall)]
    for at in queue:
        i, j = divmod(at, w)
        for inside, to in (
            (i > 0, at - w), (j > 0, at - 1), (j < w - 1, at + 1), (i < h - 1, at + w),
        ):  # fmt: skip
            if inside and cells[to] == 0:
                cells[to] = cells[at]
                queue.append(to)
    return tuple([tuple(cells[at : at + w]) for at in range(0, h * w, w)]) if w else grid


@compiled(flooded)
def flooded(heap, grid, wall):
    out = m.required(copy_of_grid(heap, grid))
    cells = m.numbers_at(out)
    width, area = m.width_of(heap, out), m.area_of(heap, out)
    queue = m.required(m.room_for(heap, area))
    end = queue
    for at in range(area):
        if heap[cells + at] != 0 and heap[cells + at] != wall:
            heap[end] = at
            end += 1
    begin = queue
    while begin < end:
        at = heap[begin]
        end = reached_from(heap, cells, width, area, at, 0, heap[cells + at], end)
        begin += 1
    heap[m.TOP] = queue
    return out


@m.machine_function
def reached_from(heap, cells, width, area, at, old, new, end):
    """Do `reached` for the cells above, left of, right of and below a cell."""
    column = at % width
    if at >= width:
        end = reached(heap, cells, at - width, old, new, end)
    if column > 0:
        end = reached(heap, cells, at - 1, old, new, end)
    if column < width - 1:
        end = reached(heap, cells, at + 1, old, new, end)
    if at + width < area:
        end = reached(heap, cells, at + width, old, new, end)
    return end


@m.machine_function
def reached(heap, cells, at, old, new, end):
    """Change a cell of color `old` to `new`, and list the cell. Returns the end of the list."""
    if heap[cells + at] == old:
        heap[cells + at] = new
        heap[end] = at
        return end + 1
    return end


@primitive(charge=area)
def smeared(grid: Grid, direction: IntegerTuple) -> Grid:
    """Return the grid with each black cell in the color of the nearest colored cell behind it.

    Behind a cell lie the cells that steps against `direction` reach.
    """
    h, w = size_of_grid(grid)
    di, dj = direction
    out = list(map(list, grid))
    for i in range(h) if di > 0 else range(h - 1, -1, -1):
        for j in range(w) if dj > 0 else range(w - 1, -1, -1):
            if not out[i][j] and 0 <= i - di < h and 0 <= j - dj < w:
                out[i][j] = out[i - di][j - dj]
    return tuple(map(tuple, out))


@compiled(smeared)
def smeared(heap, grid, direction):
    out = m.required(copy_of_grid(heap, grid))
    di, dj = m.row_of(direction), m.column_of(direction)
    cells = m.numbers_at(out)
    height, width = m.height_of(heap, out), m.width_of(heap, out)
    for row in range(height):
        i = row if di > 0 else height - 1 - row
        for column in range(width):
            j = column if dj > 0 else width - 1 - column
            inside = i - di >= 0 and i - di < height and j - dj >= 0 and j - dj < width
            if heap[cells + i * width + j] == 0 and inside:
                heap[cells + i * width + j] = heap[cells + (i - di) * width + j - dj]
    return out


@primitive
def fallen(grid: Grid) -> Grid:
    """Return the grid with its pieces fallen onto one another, and onto its lower edge.

    A piece has one color, not black, and hangs together by sides. In each round the pieces fall in
    turn, each as far as the others let it; the piece whose first cell comes last falls first.
    Rounds repeat until no piece moves. Each round charges the grid's cells, and a piece's cells for
    each row that the piece falls.
    """
    h, w = size_of_grid(grid)
    out = list(map(list, grid))
    found = components(grid, 0, univalued=True, diagonal=False)
    pieces = [[place for _, place in piece] for piece in found][::-1]
    moving = True
    while moving:
        charge(h * w)
        falls = [_drop(out, piece) for piece in pieces]
        moving = any(falls)
        pieces = [[(i + rows, j) for i, j in piece]
                  for piece, rows in zip(pieces, falls, strict=True)]  # fmt: skip
    return tuple(map(tuple, out))


def _drop(out: list[list[int]], piece: list[tuple[int, int]]) -> int:
    """Let a piece fall, and charge for the fall. Returns the number of rows."""
    color = out[piece[0][0]][piece[0][1]]
    for i, j in piece:
        out[i][j] = 0
    rows = 0
    while all(i + rows + 1 < len(out) and not out[i + rows + 1][j] for i, j in piece):
        rows += 1
        charge(len(piece))
    for i, j in piece:
        out[i + rows][j] = color
    return rows


@compiled(fallen)
def fallen(heap, grid):
    out = m.required(copy_of_grid(heap, grid))
    area = m.area_of(heap, out)
    cells = m.required(m.room_for(heap, 3 * area + 1))
    pieces = list_pieces(heap, out, cells)
    m.copy_words(heap, m.numbers_at(grid), m.numbers_at(out), area)
    moving = True
    while moving:
        m.required(m.charge(heap, area))
        moving = False
        for back in range(pieces):
            rows = m.required(drop(heap, out, cells, pieces - 1 - back))
            moving |= rows > 0
    heap[m.TOP] = cells
    return out


@m.routine
def list_pieces(heap, out, cells):
    """List the cells of each piece of a grid, and make the grid black. Returns the pieces' number.

    cells: The list's address. After room for all cells, the list has each piece's first and end.
    """
    numbers = m.numbers_at(out)
    width, area = m.width_of(heap, out), m.area_of(heap, out)
    begins = cells + area
    end = cells
    pieces = 0
    for first in range(area):
        color = heap[numbers + first]
        if color != 0:
            heap[begins + pieces] = end - cells
            pieces += 1
            begin = end
            end = reached(heap, numbers, first, color, 0, end)
            while begin < end:
                end = reached_from(heap, numbers, width, area, heap[begin], color, 0, end)
                begin += 1
    heap[begins + pieces] = end - cells
    return pieces


@m.routine
def drop(heap, out, cells, piece):
    """Let a piece of `list_pieces` fall, and pay. Returns the number of rows, or `OVER_LIMIT`."""
    width, area = m.width_of(heap, out), m.area_of(heap, out)
    begin = cells + heap[cells + area + piece]
    end = cells + heap[cells + area + piece + 1]
    numbers = m.numbers_at(out)
    color = heap[numbers + heap[begin]]
    for k in range(begin, end):
        heap[numbers + heap[k]] = 0
    rows = 0
    while can_fall(heap, numbers, area, begin, end, (rows + 1) * width):
        rows += 1
        m.required(m.charge(heap, end - begin))
    for k in range(begin, end):
        heap[k] += rows * width
        heap[numbers + heap[k]] = color
    return rows


@m.machine_function
def can_fall(heap, numbers, area, begin, end, down):
    """Tell whether the cells `down` words after the listed cells are all black and in the grid."""
    for k in range(begin, end):
        to = heap[k] + down
        if to >= area or heap[numbers + min(to, area - 1)] != 0:
            return False
    return True
