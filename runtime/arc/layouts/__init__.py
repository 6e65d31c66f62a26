"""The grid language's own layout: grids, rectangles of small integers."""

from megabatt.runtime.arc.layouts.grids import LEAST_CELL, MOST_CELL, Grids

__all__ = ["LEAST_CELL", "MOST_CELL", "Grids"]
