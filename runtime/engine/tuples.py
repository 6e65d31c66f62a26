"""Tuples put together out of columns, in the layouts that hold them best."""

from __future__ import annotations

from runtime.engine.arrays import Array, unset_flag, where_set, xp
from runtime.engine.asking import ask
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
from runtime.engine.kernels import lane_kernel
from runtime.engine.packing import (
    are_parts,
    cell_code,
    column_of,
    column_part,
    fits,
    is_part,
    pack_cell,
    pack_pair,
    pair_code,
    row_of,
    row_part,
)


def tuple_of_two(a: Column, b: Column) -> Column:
    """The tuples (a, b): `Pairs` and `Cells` where those hold them, else `Records`.

    Lanes of unions count by what they hold themselves, so that one of another kind, most often
    one that failed before, leaves the others packed. Records of indexed columns stay so.
    """
    if not (_may_hold(a, (Ints,)) and _may_hold(b, (Ints, Pairs))):
        return Records(*(c if isinstance(c, Indexed) else materialize(c) for c in (a, b)))
    a, b = materialize(a), materialize(b)
    packed = _packed(a, b)
    if packed is not None:
        return packed
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


def _packed(a: Column, b: Column) -> Column | None:
    """The tuples (a, b), if all are pairs, or all cells, that codes hold."""
    if not isinstance(a, Ints) or not isinstance(b, (Ints, Pairs)):
        return None
    codes, beyond = xp.empty(len(a), dtype=xp.int64), unset_flag()
    pack_two(len(a), a.data, b.data, int(isinstance(b, Pairs)), codes, beyond)
    if ask(beyond):
        return None
    return Cells(codes) if isinstance(b, Pairs) else Pairs(codes)


@lane_kernel
def pack_two(lane, left, right, of_pairs, codes, beyond):  # type: ignore[no-untyped-def]
    """The code of a pair of Integers, or of a cell; set the flag if there is none."""
    codes[lane] = 0
    if of_pairs == 1:
        if is_part(left[lane]):
            codes[lane] = cell_code(left[lane], row_of(right[lane]), column_of(right[lane]))
        else:
            beyond[0] = True
    elif are_parts(left[lane], right[lane]):
        codes[lane] = pair_code(left[lane], right[lane])
    else:
        beyond[0] = True


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
