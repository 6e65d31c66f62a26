"""Plain Python values into columns. (The way back is each column's `decode`.)"""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from itertools import accumulate, chain
from operator import mul
from typing import Any

import numpy as np

from runtime.engine.arrays import xp
from runtime.engine.columns.atoms import Bools, Cells, Ints, Nones, Pairs, host_column
from runtime.engine.columns.base import Column, Empty, Uniform
from runtime.engine.columns.functions import Functions
from runtime.engine.columns.grids import LEAST_CELL, MOST_CELL, Grids
from runtime.engine.columns.indexed import gathered
from runtime.engine.columns.merge import scatter
from runtime.engine.columns.sequences import Lists, Sequences, Sets, empty_sequences
from runtime.engine.packing import BIAS, cell_code, pair_code
from runtime.engine.values import Function, ascending


def encode(values: list[Any]) -> Column:
    """The column of `values`, a lane each; a union where they are of several layouts."""
    if not values:
        return Empty()
    groups: dict[Any, list[int]] = {}
    for lane, value in enumerate(values):
        groups.setdefault(_layout(value), []).append(lane)
    if len(groups) == 1:
        return _encode_group(next(iter(groups))[0], values)
    parts = []
    for layout, lanes in groups.items():
        members = [values[lane] for lane in lanes]
        parts.append((_int64(lanes), _encode_group(layout[0], members)))
    return scatter(parts, len(values))


def encode_uniform(value: Any, lanes: int) -> Column:
    """A column of `lanes` lanes that all hold `value`, as arrays.

    What is one number a lane is filled in where the column is; nothing is sent there.
    """
    layout = _layout(value)[0]
    if layout == "int":
        return Ints(xp.full(lanes, value, dtype=xp.int64))
    if layout == "bool":
        return Bools(xp.full(lanes, value, dtype=xp.bool_))
    if layout == "pair":
        return Pairs(xp.full(lanes, pair_code.py_func(*value), dtype=xp.int64))
    if layout == "cell":
        color, (i, j) = value
        return Cells(xp.full(lanes, cell_code.py_func(color, i, j), dtype=xp.int64))
    if layout in ("list", "set") and not value:
        return empty_sequences(Lists if layout == "list" else Sets, lanes)
    return encode([value]).take(xp.zeros(lanes, dtype=xp.int64))


def materialize(column: Column) -> Column:
    """`column` with arrays below it, but for a uniform function, which has no other layout."""
    column = gathered(column)
    if isinstance(column, Uniform) and not callable(column.value):
        return column.laid_out(encode_uniform)
    return column


def _int64(values: list[int]) -> Any:
    return xp.asarray(np.array(values, dtype=np.int64))


def _is_part(value: Any) -> bool:
    return value.__class__ is int and -BIAS <= value < BIAS


def _is_pair(value: Any) -> bool:
    return (
        value.__class__ is tuple and len(value) == 2 and _is_part(value[0]) and _is_part(value[1])
    )


def _is_grid(value: Any) -> bool:
    first = value[0]
    if first.__class__ is not tuple:
        return False
    width = len(first)
    for row in value:
        if row.__class__ is not tuple or len(row) != width:
            return False
    cells = list(chain.from_iterable(value))
    if not cells:
        return True
    return set(map(type, cells)) == {int} and min(cells) >= LEAST_CELL and max(cells) <= MOST_CELL


def _layout(value: Any) -> tuple[Any, ...]:
    """What column `value` goes into; containers of unlike first elements go into different ones."""
    kind = value.__class__
    if kind is int:
        return ("int",)
    if kind is tuple:
        if _is_pair(value):
            return ("pair",)
        if len(value) == 2 and _is_part(value[0]) and _is_pair(value[1]):
            return ("cell",)
        if value and _is_grid(value):
            return ("grid",)
        return ("list", _layout(value[0]) if value else None)
    if kind is frozenset:
        return ("set", _layout(next(iter(value))) if value else None)
    if kind is bool:
        return ("bool",)
    if value is None:
        return ("none",)
    if isinstance(value, Function):
        return ("function", kind, value.arity)
    return ("callable", value) if callable(value) else ("host",)


def _encode_group(layout: str, values: list[Any]) -> Column:
    return _ENCODERS[layout](values)


def _pairs(values: list[Any]) -> Column:
    parts = np.array(values, dtype=np.int64)
    return Pairs(xp.asarray(pair_code.py_func(parts[:, 0], parts[:, 1])))


def _cells(values: list[Any]) -> Column:
    parts = np.array([(color, i, j) for color, (i, j) in values], dtype=np.int64)
    return Cells(xp.asarray(cell_code.py_func(parts[:, 0], parts[:, 1], parts[:, 2])))


def _grids(values: list[Any]) -> Column:
    heights = [len(value) for value in values]
    widths = [len(value[0]) for value in values]
    starts = list(accumulate(map(mul, heights, widths), initial=0))[:-1]
    cells = array("b", chain.from_iterable(chain.from_iterable(values)))
    cells_there = xp.asarray(np.array(cells, dtype=np.int8))
    return Grids(_int64(heights), _int64(widths), _int64(starts), cells_there, True)


def _lists(values: list[Any]) -> Column:
    return _sequences(Lists, values, chain.from_iterable(values))


def _sets(values: list[Any]) -> Column:
    return _sequences(Sets, values, chain.from_iterable(map(ascending, values)))


def _sequences(kind: type[Sequences], values: list[Any], elements: Iterable[Any]) -> Sequences:
    offsets = _int64(list(accumulate(map(len, values), initial=0)))
    return kind.of_counts(offsets[1:] - offsets[:-1], encode(list(elements)), offsets)


def _functions(values: list[Any]) -> Column:
    first = values[0]
    bound = [encode(list(leaves)) for leaves in zip(*(v.args for v in values), strict=True)]
    return Functions(type(first), first.arity, bound, _int64([value.size for value in values]))


_ENCODERS = {
    "int": lambda values: Ints(_int64(values)),
    "bool": lambda values: Bools(xp.asarray(np.array(values, dtype=np.bool_))),
    "none": lambda values: Nones(len(values)),
    "pair": _pairs,
    "cell": _cells,
    "grid": _grids,
    "list": _lists,
    "set": _sets,
    "function": _functions,
    "callable": lambda values: Uniform(values[0], len(values)),
    "host": host_column,
}
