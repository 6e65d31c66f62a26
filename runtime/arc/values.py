"""What the scalar forms share: short questions about grids and patches as plain values."""

from __future__ import annotations

from typing import Any


def size_of_grid(grid: Any) -> tuple[int, int]:
    """Height and width of a grid that must have a row. Raises IndexError for the 0x0 grid."""
    return len(grid), len(grid[0])


def area(grid: Any) -> int:
    """The number of cells of a grid."""
    return len(grid) * len(grid[0]) if grid else 0


def is_object(patch: Any) -> bool:
    """Whether a patch that is not empty holds cells (else it holds pairs)."""
    return next(iter(patch))[1].__class__ is tuple


def locations(patch: Any) -> Any:
    """The pairs of a patch: of an object its cells' locations, as a frozenset."""
    if not patch or not is_object(patch):
        return patch
    return frozenset([location for _, location in patch])
