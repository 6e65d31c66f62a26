"""The grid language's own layout: grids, rectangles of small integers."""

from megabatt.runtime.arc.layouts.grids import LEAST_CELL, MOST_CELL, Grids, is_small_grid

__all__ = ["LEAST_CELL", "MOST_CELL", "Grids", "is_small_grid"]
