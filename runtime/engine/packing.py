"""Pairs and cells packed into one integer each, in an order that is the language's own.

    pair  (i, j)       ->            (i + BIAS) << 21 | (j + BIAS)
    cell  (c, (i, j))  ->  (c + BIAS) << 42 | the pair

with each part in [-BIAS, BIAS). Codes compare as the values do, and a cell's location is its
lower 42 bits. Values outside that range stay Python values, in a `Hosts` column.
"""

from __future__ import annotations

from numpy import int64

from runtime.engine.kernels import device_function

BIAS = 1 << 20
PART = (1 << 21) - 1
LOCATION = (1 << 42) - 1


def pack_pair(i, j):  # type: ignore[no-untyped-def]
    """Codes of the pairs (i, j): integers or int64 arrays within range."""
    return (i + BIAS) << 21 | (j + BIAS)


def pack_cell(color, i, j):  # type: ignore[no-untyped-def]
    """Codes of the cells (color, (i, j)): integers or int64 arrays within range."""
    return (color + BIAS) << 42 | (i + BIAS) << 21 | (j + BIAS)


def color_part(code):  # type: ignore[no-untyped-def]
    """The color of a cell's code."""
    return (code >> 42) - BIAS


def row_part(code):  # type: ignore[no-untyped-def]
    """The row of a pair's or a cell's code."""
    return ((code >> 21) & PART) - BIAS


def column_part(code):  # type: ignore[no-untyped-def]
    """The column of a pair's or a cell's code."""
    return (code & PART) - BIAS


def fits(value):  # type: ignore[no-untyped-def]
    """Whether an integer (or each of an array) can be a part of a code."""
    return (value >= -BIAS) & (value < BIAS)


@device_function
def color_of(code):  # type: ignore[no-untyped-def]
    return (code >> 42) - int64(1048576)


@device_function
def row_of(code):  # type: ignore[no-untyped-def]
    return ((code >> 21) & int64(2097151)) - int64(1048576)


@device_function
def column_of(code):  # type: ignore[no-untyped-def]
    return (code & int64(2097151)) - int64(1048576)


@device_function
def pair_code(i, j):  # type: ignore[no-untyped-def]
    return ((i + int64(1048576)) << 21) | (j + int64(1048576))


@device_function
def cell_code(color, i, j):  # type: ignore[no-untyped-def]
    return ((color + int64(1048576)) << 42) | ((i + int64(1048576)) << 21) | (j + int64(1048576))
