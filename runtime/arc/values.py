"""Short questions about grids and patches as plain values, which the scalar forms share."""

from collections.abc import Collection, Iterable
from itertools import chain
from typing import Any


def size_of_grid(grid: Any) -> tuple[int, int]:
    """Return the height and width of a grid. Raises IndexError for the 0x0 grid."""
    return len(grid), len(grid[0])


def extent_of(grid: Any) -> tuple[int, int]:
    """Return the height and width of a grid; (0, 0) for the 0x0 grid."""
    return len(grid), len(grid[0]) if grid else 0


def is_grid(value: Any, kinds: Collection[type] = (tuple,)) -> bool:
    """Tell whether a value is a grid: rows of Integers, all of one length.

    kinds: The types that the rows, and the value itself, may have.
    """
    cells = ints_of_rows(value, kinds)
    if cells is None:
        return False
    numbers = {0, *cells}
    return min(numbers) >= -(2**31) and max(numbers) < 2**31


def ints_of_rows(value: Any, kinds: Collection[type] = (tuple,)) -> list[int] | None:
    """List the ints of rows, all of one length; None for any other value. kinds: As `is_grid`'s."""
    if value.__class__ not in kinds or not set(map(type, value)).issubset(kinds):
        return None
    ints = list(chain.from_iterable(value))
    if len(set(map(len, value))) > 1 or not set(map(type, ints)) <= {int}:
        return None
    return ints


def is_object(patch: Any) -> bool:
    """Tell whether a patch holds cells, not pairs. Raises ValueError for an empty patch."""
    for element in patch:
        return element[1].__class__ is tuple
    raise ValueError("an empty patch holds neither cells nor pairs")


def locations(patch: Any) -> Any:
    """Return the pairs of a patch, or the locations of an object's cells as a frozenset."""
    if not patch or not is_object(patch):
        return patch
    return frozenset([location for _, location in patch])


def cells_of(grid: Any) -> list[tuple[Any, tuple[int, int]]]:
    """List the cells of a grid, row by row."""
    return [(color, (i, j)) for i, row in enumerate(grid) for j, color in enumerate(row)]


def cells_with_gaps(grid: Any) -> list[int | None]:
    """List a grid's colors, row by row, with None behind each row."""
    return list(chain.from_iterable((*row, None) for row in grid))


def colors_in(element: Any) -> list[int]:
    """List the color of every cell of a grid or an object."""
    if element.__class__ is tuple:
        return list(chain.from_iterable(element))
    return [color for color, _ in element]


def colors_of(grids: Iterable[Any]) -> set[int]:
    return {color for grid in grids for row in grid for color in row}


def most_common_color(grid: Any) -> int:
    """Return a grid's or object's most common color, the smallest of ties. Fails without cells."""
    colors = colors_in(grid)
    return max(sorted(set(colors)), key=colors.count)


def rows_of(patch: Any) -> list[int]:
    """List the row of every element of a patch, which must not be empty."""
    return _parts_of(patch, 0)


def _parts_of(patch: Any, part: int) -> list[int]:
    if not patch:
        raise ValueError("an empty patch has no extent")
    if is_object(patch):
        return [location[part] for _, location in patch]
    return [location[part] for location in patch]


def columns_of(patch: Any) -> list[int]:
    """List the column of every element of a patch, which must not be empty."""
    return _parts_of(patch, 1)


def bounds_of(patch: Any) -> tuple[int, int, int, int]:
    """Return top, left, bottom and right of a patch, which must not be empty."""
    rows, columns = rows_of(patch), columns_of(patch)
    return min(rows), min(columns), max(rows), max(columns)


def middle_of(patch: Any) -> tuple[int, int]:
    """Return the center of a patch, the later of two middle rows or columns."""
    top, left, bottom, right = bounds_of(patch)
    return top + (bottom - top + 1) // 2, left + (right - left + 1) // 2
