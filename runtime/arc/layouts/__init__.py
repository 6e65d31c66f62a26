"""The grid language's own layouts: grids, and places packed into one integer each.

grids      rectangles of small integers
places     pairs (i, j) and cells (color, (i, j)); packing: their codes
"""

from megabatt.runtime.arc.layouts.grids import Grids
from megabatt.runtime.arc.layouts.places import Cells, Pairs

__all__ = ["Cells", "Grids", "Pairs"]
