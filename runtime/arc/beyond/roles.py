"""Colors by their roles: how common each is in a grid."""

from megabatt.runtime.arc.beyond import compiled_as, m, primitive
from megabatt.runtime.arc.charges import area
from megabatt.runtime.arc.types import Grid

_COLORS = 10


def _by_rank(by: Grid) -> list[int]:
    """Return the colors by rank: black, then the others, the most common in `by` first."""
    cells = [value for row in by for value in row]
    return [0, *sorted(range(1, _COLORS), key=lambda color: -cells.count(color))]


def _recolored(grid: Grid, colors: list[int]) -> Grid:
    if any(not 0 <= value < _COLORS for row in grid for value in row):
        raise ValueError("the colors from 0 to 9 have roles")
    return tuple([tuple([colors[value] for value in row]) for row in grid])


@primitive(charge=lambda grid, by: area(grid) + area(by))
def ranked(grid: Grid, by: Grid) -> Grid:
    """Return the grid in roles: 1 for the color that is most common in `by`, 2 for the next.

    Black stays black. The lesser of equally common colors comes first; colors that `by` lacks come
    last. Fails where the grid has numbers outside 0 to 9.
    """
    colors = _by_rank(by)
    return _recolored(grid, [colors.index(color) for color in range(_COLORS)])


@primitive(charge=lambda grid, by: area(grid) + area(by))
def unranked(grid: Grid, by: Grid) -> Grid:
    """Return the grid with each role replaced by its color in `by`: the inverse of `ranked`."""
    return _recolored(grid, _by_rank(by))


@m.routine
def by_role(heap, grid, by, there):
    """Return a grid with its colors as roles (there: 1), or its roles as colors (there: 0)."""
    out = m.required(m.new_table(heap, m.height_of(heap, grid), m.width_of(heap, grid)))
    counts = m.required(m.room_for(heap, 3 * _COLORS))
    colors = counts + _COLORS
    rank(heap, by, counts, colors)
    if there == 1:
        roles = colors + _COLORS
        for role in range(_COLORS):
            heap[roles + heap[colors + role]] = role
        colors = roles
    source, target = m.numbers_at(grid), m.numbers_at(out)
    for k in range(m.area_of(heap, grid)):
        value = heap[source + k]
        if value < 0 or value >= _COLORS:
            return m.NO_VALUE
        heap[target + k] = heap[colors + value]
    heap[m.TOP] = counts
    return out


compiled_as(ranked, by_role, 1)
compiled_as(unranked, by_role, 0)


@m.machine_function
def rank(heap, by, counts, colors):
    """Write the color of each role of a grid, from `colors` on. counts: Room for the counts."""
    for color in range(_COLORS):
        heap[counts + color] = 0
        heap[colors + color] = color
    for k in range(m.area_of(heap, by)):
        value = heap[m.numbers_at(by) + k]
        if value > 0 and value < _COLORS:
            heap[counts + value] += 1
    for color in range(2, _COLORS):
        to = color
        while to > 1 and heap[counts + heap[colors + to - 1]] < heap[counts + color]:
            heap[colors + to] = heap[colors + to - 1]
            to -= 1
        heap[colors + to] = color
