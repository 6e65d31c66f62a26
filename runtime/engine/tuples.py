"""Tuples put together out of columns, in the layouts that hold them best."""

from __future__ import annotations

from runtime.engine.arrays import Array, where_set, xp
from runtime.engine.columns import (
    Cells,
    Column,
    Flat,
    Indexed,
    Ints,
    Pairs,
    Records,
    Uniform,
    Union,
    scatter,
    selected,
)
from runtime.engine.encode import materialize
from runtime.engine.packing import column_part, fits, pack_cell, pack_pair, row_part


def tuple_of_two(a: Column, b: Column) -> Column:
    """The tuples (a, b): `Pairs` and `Cells` where those hold them, else `Records`.

    Lanes of unions count by what they hold themselves, so that one of another kind, most often
    one that failed before, leaves the others packed. Records of indexed columns stay so.
    """
    if not (_may_hold(a, (Ints,)) and _may_hold(b, (Ints, Pairs))):
        return Records(*(c if isinstance(c, Indexed) else materialize(c) for c in (a, b)))
    a, b = materialize(a), materialize(b)
    number, left = _data(a, Ints)
    number = number & fits(left)
    second, right = _data(b, Ints)
    is_pair = number & second & fits(right)
    place, codes = _data(b, Pairs)
    is_cell = number & place
    parts: list[tuple[Array, Column]] = []
    lanes = where_set(is_pair)
    if len(lanes):
        parts.append((lanes, Pairs(pack_pair(left[lanes], right[lanes]))))
    lanes = where_set(is_cell)
    if len(lanes):
        places = codes[lanes]
        cells = pack_cell(left[lanes], row_part(places), column_part(places))
        parts.append((lanes, Cells(cells)))
    lanes = where_set(~(is_pair | is_cell))
    if len(lanes):
        parts.append((lanes, Records(selected(a, lanes), selected(b, lanes))))
    return scatter(parts, len(a))


def _may_hold(column: Column, layouts: tuple[type[Flat], ...]) -> bool:
    """Whether a lane may be of one of these layouts."""
    if isinstance(column, Indexed):
        return _may_hold(column.content, layouts)
    parts = column.parts if isinstance(column, Union) else [column]
    return any(isinstance(part, (Uniform, *layouts)) for part in parts)


def _data(column: Column, layout: type[Flat]) -> tuple[Array, Array]:
    """Which lanes are of a flat layout, and what is in them (0 in the others)."""
    if isinstance(column, Union):
        mask = column.measured(lambda part: _data(part, layout)[0])
        return mask, column.measured(lambda part: _data(part, layout)[1])
    n = len(column)
    if isinstance(column, layout):
        return xp.ones(n, dtype=xp.bool_), column.data
    return xp.zeros(n, dtype=xp.bool_), xp.zeros(n, dtype=xp.int64)
