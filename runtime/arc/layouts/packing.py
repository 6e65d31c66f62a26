"""Pairs and cells packed into one integer each, in an order that is the language's own.

    pair  (i, j)       ->            (i + BIAS) << 21 | (j + BIAS)
    cell  (c, (i, j))  ->  (c + BIAS) << 42 | the pair

with each part in [-BIAS, BIAS). Codes compare as the values do, and a cell's location is its
lower 42 bits. Tuples with a part outside that range have no code: they are `Lists` or `Records`.
"""

from __future__ import annotations

from numpy import int64

from megabatt.runtime.engine.device.arrays import elementwise
from megabatt.runtime.engine.device.kernels import device_function

BIAS = 1 << 20
PART = (1 << 21) - 1
LOCATION = (1 << 42) - 1


@device_function
def pair_code(i, j):
    """Return the code of the pair (i, j), both parts within range."""
    return ((i + int64(1048576)) << 21) | (j + int64(1048576))


@device_function
def cell_code(color, i, j):
    """Return the code of the cell (color, (i, j)), all parts within range."""
    return ((color + int64(1048576)) << 42) | ((i + int64(1048576)) << 21) | (j + int64(1048576))


@device_function
def color_of(code):
    """Return the color of a cell's code."""
    return (code >> 42) - int64(1048576)


@device_function
def row_of(code):
    """Return the row of a pair's or a cell's code."""
    return ((code >> 21) & int64(2097151)) - int64(1048576)


@device_function
def column_of(code):
    """Return the column of a pair's or a cell's code."""
    return (code & int64(2097151)) - int64(1048576)


@device_function
def is_part(value):
    """Tell whether an integer can be a part of a code."""
    return -1048576 <= value and value < 1048576


@device_function
def are_parts(a, b):
    """Tell whether both integers can be parts of a code."""
    return is_part(a) and is_part(b)


# the same for int64 arrays
pack_pair = elementwise(pair_code)
pack_cell = elementwise(cell_code)
color_part = elementwise(color_of)
row_part = elementwise(row_of)
column_part = elementwise(column_of)
fits = elementwise(is_part, "bool")
both_fit = elementwise(are_parts, "bool")
