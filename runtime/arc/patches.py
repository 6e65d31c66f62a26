"""Patches: corners, extent and center, moving and recoloring; and the neighbors of an index."""

from megabatt.runtime.arc.charges import count
from megabatt.runtime.arc.language import POLICY, compiled, compiled_as, m, primitive
from megabatt.runtime.arc.measures import lower_right, upper_left
from megabatt.runtime.arc.types import Indices, Integer, IntegerTuple, Object, Patch
from megabatt.runtime.arc.values import columns_of, is_object, locations, middle_of, rows_of
from megabatt.runtime.arc.words import CELLS, colored, location_of
from megabatt.runtime.engine.language.limits import LimitError

_LEAST, _MOST = POLICY.integers


@primitive(charge=count)
def toindices(patch: Patch) -> Indices:
    """Return the locations of an object's cells; return indices unchanged."""
    return locations(patch)  # type: ignore[no-any-return]


@m.routine
def indices_of(heap, patch):
    """Return the locations of an object's cells, or indices unchanged. `FULL` without room."""
    first = m.first_word(patch)
    count = m.count_of(heap, patch)
    if count == 0 or m.is_pair(heap[first]):
        return patch
    at = m.required(m.begin_node(heap, count))
    for k in range(count):
        heap[at + m.CONTENT + k] = location_of(heap[first + k])
    kept = m.required(distinct_pairs(heap, at + m.CONTENT, count))
    return m.finish_tagged(heap, at, m.SET, kept, m.PAIRS)


compiled_as(toindices, indices_of)


@m.machine_function
def distinct_pairs(heap, at, count):
    """Sort pairs and drop equal ones, by a table if they are close. Returns how many, or `FULL`."""
    if m.descents_in(heap, at, count) == 0:
        return count
    table = heap[m.TOP]
    room = min(8 * count + 64, heap[m.END] - table)
    kept = m.distinct_by_place(heap, at, count, table, room)
    return kept if kept >= 0 else m.distinct_in_order(heap, at, count, m.PAIRS)


@primitive(charge=lambda value, patch: count(patch))
def recolor(value: Integer, patch: Patch) -> Object:
    """Make a cell of color `value` at every location of the patch."""
    return frozenset([(value, location) for location in locations(patch)])


@compiled(recolor)
def recolor(heap, value, patch):
    if patch == m.EMPTY_SET:
        return patch
    indices = m.required(indices_of(heap, patch))
    count = m.count_of(heap, indices)
    at = m.required(m.begin_node(heap, count))
    first = m.first_word(indices)
    m.required(colored(value, heap[first]))
    for k in range(count):
        heap[at + m.CONTENT + k] = colored(value, heap[first + k])
    return m.finish_tagged(heap, at, m.SET, count, CELLS)


@primitive(charge=count)
def shift(patch: Patch, directions: IntegerTuple) -> Patch:
    """Move the patch by `directions`, a number of rows and a number of columns."""
    return _moved(patch, *directions) if patch else patch


def _moved(patch: Patch, di: int, dj: int) -> Patch:
    """Move a patch, which must not be empty. Fails where an index leaves the Integers."""
    i_low, i_high = _LEAST - di, _MOST - di
    j_low, j_high = _LEAST - dj, _MOST - dj
    if is_object(patch):
        moved = [
            (color, (i + di, j + dj)) for color, (i, j) in patch
            if i_low <= i <= i_high and j_low <= j <= j_high
        ]  # fmt: skip
    else:
        moved = [
            (i + di, j + dj) for i, j in patch if i_low <= i <= i_high and j_low <= j <= j_high
        ]
    if len(moved) < len(patch):
        raise LimitError("an index out of the range of Integers")
    return frozenset(moved)


@compiled(shift)
def shift(heap, patch, directions):
    return moved_patch(heap, patch, m.row_of(directions), m.column_of(directions))


@m.routine
def moved_patch(heap, patch, di, dj):
    """Move a patch by `di` rows and `dj` columns. `HOST` where an index does not fit."""
    if patch == m.EMPTY_SET:
        return patch
    count = m.count_of(heap, patch)
    at = m.required(m.begin_node(heap, count))
    first = m.first_word(patch)
    step = di * (1 << m.ROW) + dj
    near = 0
    for k in range(count):
        word = heap[first + k]
        near += m.fits(m.row_of(word) + di) and m.fits(m.column_of(word) + dj)
        heap[at + m.CONTENT + k] = word + step
    if near < count:
        return m.HOST
    return m.finish_tagged(heap, at, m.SET, count, m.tag_of(heap[first]))


@primitive(charge=count)
def normalize(patch: Patch) -> Patch:
    """Move the patch so that its first row and column are 0."""
    return _moved(patch, -min(rows_of(patch)), -min(columns_of(patch))) if patch else patch


@compiled(normalize)
def normalize(heap, patch):
    if patch == m.EMPTY_SET:
        return patch
    corner = upper_left(heap, patch)
    return moved_patch(heap, patch, -m.row_of(corner), -m.column_of(corner))


@primitive(charge=4)
def dneighbors(loc: IntegerTuple) -> Indices:
    """Return the four indices left of, right of, above and below a location."""
    i, j = loc
    up, down, left, right = _around(i, j)
    return frozenset(((up, j), (down, j), (i, left), (i, right)))


def _around(i: int, j: int) -> tuple[int, int, int, int]:
    """Return rows above and below, columns left and right. Raises LimitError out of range."""
    if _LEAST < i < _MOST and _LEAST < j < _MOST:
        return i - 1, i + 1, j - 1, j + 1
    raise LimitError("an index out of the range of Integers")


@m.routine
def indices_around(heap, location, straight, diagonal):
    """Return the indices around a location: four `straight` if 1, and four `diagonal` if 1."""
    i, j = m.row_of(location), m.column_of(location)
    if m.pair(i - 1, j - 1) <= m.WRONG or m.pair(i + 1, j + 1) <= m.WRONG:
        return m.HOST
    at = m.required(m.begin_node(heap, 8))
    to = at + m.CONTENT
    for di in range(-1, 2):
        for dj in range(-1, 2):
            apart = di * di + dj * dj
            if (apart == 1 and straight == 1) or (apart == 2 and diagonal == 1):
                heap[to] = m.pair(i + di, j + dj)
                to += 1
    return m.finish_tagged(heap, at, m.SET, to - at - m.CONTENT, m.PAIRS)


compiled_as(dneighbors, indices_around, 1, 0)


@primitive(charge=4)
def ineighbors(loc: IntegerTuple) -> Indices:
    """Return the four indices diagonally beside a location."""
    up, down, left, right = _around(*loc)
    return frozenset(((up, left), (up, right), (down, left), (down, right)))


compiled_as(ineighbors, indices_around, 0, 1)


@primitive(charge=8)
def neighbors(loc: IntegerTuple) -> Indices:
    """Return the eight indices around a location."""
    i, j = loc
    up, down, left, right = _around(i, j)
    above = ((up, left), (up, j), (up, right))
    below = ((down, left), (down, j), (down, right))
    return frozenset((*above, (i, left), (i, right), *below))


compiled_as(neighbors, indices_around, 1, 1)


@primitive
def ulcorner(patch: Patch) -> IntegerTuple:
    """Return the upper left corner of the bounding box; `()` for an empty patch."""
    return (min(rows_of(patch)), min(columns_of(patch))) if patch else ()  # type: ignore[return-value]


@m.machine_function
def unless_empty(heap, patch, function, otherwise):
    """Return what a function gives for a patch; `otherwise` for an empty one."""
    return otherwise if patch == m.EMPTY_SET else function(heap, patch)


compiled_as(ulcorner, unless_empty, upper_left, m.EMPTY_TUPLE)


@primitive
def urcorner(patch: Patch) -> IntegerTuple:
    """Return the upper right corner of the bounding box."""
    return (min(rows_of(patch)), max(columns_of(patch))) if patch else ()  # type: ignore[return-value]


@m.machine_function
def corner_of(heap, patch, vertical, horizontal):
    """Return the corner in the row of one corner of a patch, and in the column of another."""
    if patch == m.EMPTY_SET:
        return m.EMPTY_TUPLE
    return m.pair(m.row_of(vertical(heap, patch)), m.column_of(horizontal(heap, patch)))


compiled_as(urcorner, corner_of, upper_left, lower_right)


@primitive
def llcorner(patch: Patch) -> IntegerTuple:
    """Return the lower left corner of the bounding box."""
    return (max(rows_of(patch)), min(columns_of(patch))) if patch else ()  # type: ignore[return-value]


compiled_as(llcorner, corner_of, lower_right, upper_left)


@primitive
def lrcorner(patch: Patch) -> IntegerTuple:
    """Return the lower right corner of the bounding box."""
    return (max(rows_of(patch)), max(columns_of(patch))) if patch else ()  # type: ignore[return-value]


compiled_as(lrcorner, unless_empty, lower_right, m.EMPTY_TUPLE)


@primitive
def uppermost(patch: Patch) -> Integer:
    """Return the first row that the patch has a cell in."""
    return min(rows_of(patch))


@m.machine_function
def side_of(heap, patch, corner, part):
    """Return the row or the column (part: `row_of`, `column_of`) of a corner of a patch."""
    return m.NO_VALUE if patch == m.EMPTY_SET else part(corner(heap, patch))


compiled_as(uppermost, side_of, upper_left, m.row_of)


@primitive
def lowermost(patch: Patch) -> Integer:
    """Return the last row that the patch has a cell in."""
    return max(rows_of(patch))


compiled_as(lowermost, side_of, lower_right, m.row_of)


@primitive
def leftmost(patch: Patch) -> Integer:
    """Return the first column that the patch has a cell in."""
    return min(columns_of(patch))


compiled_as(leftmost, side_of, upper_left, m.column_of)


@primitive
def rightmost(patch: Patch) -> Integer:
    """Return the last column that the patch has a cell in."""
    return max(columns_of(patch))


compiled_as(rightmost, side_of, lower_right, m.column_of)


@primitive
def center(patch: Patch) -> IntegerTuple:
    """Return the middle of the bounding box, the later of two middle rows or columns."""
    return middle_of(patch)


@m.machine_function
def middle(heap, patch):
    """Return the center of a patch, which must not be empty, as a pair."""
    first, last = upper_left(heap, patch), lower_right(heap, patch)
    i = (m.row_of(first) + m.row_of(last) + 1) >> 1
    return m.pair(i, (m.column_of(first) + m.column_of(last) + 1) >> 1)


compiled_as(center, unless_empty, middle, m.NO_VALUE)


@primitive
def centerofmass(patch: Patch) -> IntegerTuple:
    """Return the sums of the locations' rows and columns, divided by the number of cells.

    Rounds down. Returns `()` for an empty patch.
    """
    if not patch:
        return ()  # type: ignore[return-value]
    indices = locations(patch)
    return sum(rows_of(indices)) // len(patch), sum(columns_of(indices)) // len(patch)


@compiled(centerofmass)
def centerofmass(heap, patch):
    if patch == m.EMPTY_SET:
        return m.EMPTY_TUPLE
    indices = m.required(indices_of(heap, patch))
    at = m.first_word(indices)
    i, j = 0, 0
    for k in range(m.count_of(heap, indices)):
        i += m.row_of(heap[at + k])
        j += m.column_of(heap[at + k])
    cells = m.count_of(heap, patch)
    return m.pair(i // cells, j // cells)
