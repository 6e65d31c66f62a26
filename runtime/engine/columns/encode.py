"""Turns plain values into columns, joins columns, compares two, and shows values as text."""

from collections.abc import Callable
from typing import Any

import numpy as np

from megabatt.runtime.engine.columns.base import Column
from megabatt.runtime.engine.columns.numbers import LAYOUTS, NOTHING, Arrays, Bools, Ints, Lists
from megabatt.runtime.engine.columns.objects import Hosts, Uniform
from megabatt.runtime.engine.device.arrays import Array, xp
from megabatt.runtime.engine.language.policy import policy
from megabatt.runtime.engine.language.values import identical, show_cut

Part = tuple[Array, Column]
"""Lanes, int64, and the column with a value for each lane."""

_WIDE = 1 << 63
"""int64 holds Integers from -_WIDE to below _WIDE."""


def encode(values: list[Any]) -> Column:
    """Put values into a column, a lane each; into `Hosts` if their layouts differ.

    `()` joins any layout that holds it.
    """
    groups = lanes_by(list(map(layout_of, values)))
    if len(groups) == 1:
        return _class_of(*groups).encode(values)
    if len(groups) != 2 or NOTHING not in groups:
        return Hosts.encode(values)
    parts = [
        (xp.asarray(lanes), _class_of(layout).encode([values[lane] for lane in lanes]))
        for layout, lanes in groups.items()
    ]
    return scatter(parts, len(values))


def encode_uniform(value: Any, lanes: int) -> Column:
    """Put one value into each of `lanes` lanes; numbers are filled in on the device."""
    return _class_of(layout_of(value)).filled(value, lanes)


def laid_out(column: Column) -> Column:
    """Return the column with a stored value for each lane, in place of one value for all."""
    return encode_uniform(column.value, column.lanes) if isinstance(column, Uniform) else column


def layout_of(value: Any) -> Any:
    """Return the key of a value's layout: values with one key fit into one column."""
    kind = value.__class__
    if kind is tuple:
        own = policy().layout_of(value)
        return _layout_of_tuple(value) if own is None else own
    if isinstance(value, np.ndarray):
        return (Arrays, value.dtype.char, value.shape[1:]) if Arrays.holds(value) else Hosts
    if kind is int and not -_WIDE <= value < _WIDE:
        return Hosts
    return LAYOUTS.get(kind, Hosts)


def _layout_of_tuple(value: tuple[Any, ...]) -> Any:
    if not value:
        return NOTHING
    kinds = set(map(type, value))
    if len(kinds) > 1 or not kinds <= LAYOUTS.keys():
        return Hosts
    (kind,) = kinds
    if kind is int and not -_WIDE <= min(value) <= max(value) < _WIDE:
        return Hosts
    return Lists, kind


def _class_of(layout: Any) -> type[Column]:
    return layout[0] if layout.__class__ is tuple else layout  # type: ignore[no-any-return]


def lanes_by(layouts: list[Any]) -> dict[Any, np.ndarray[Any, Any]]:
    """Return each layout's lanes, ascending int64 on the host. layouts: The layout of each lane."""
    groups: dict[Any, list[int]] = {}
    for lane, layout in enumerate(layouts):
        groups.setdefault(layout, []).append(lane)
    return {layout: np.array(lanes, dtype=np.int64) for layout, lanes in groups.items()}


def concat(columns: list[Column]) -> Column:
    """Join columns in order; into `Hosts` if their layouts differ, as in `encode`."""
    some = [column for column in columns if len(column)]
    if len(some) < 2:
        return some[0] if some else Hosts.encode([])
    uniform = [column.value for column in some if isinstance(column, Uniform)]
    if len(uniform) == len(some) and all(identical(value, uniform[0]) for value in uniform):
        return Uniform(uniform[0], sum(map(len, some)))
    joined = [laid_out(column) for column in some]
    like = next((column for column in joined if column.key != NOTHING), joined[0])
    alike = [_empty_in(like, len(c)) if c.key == NOTHING else c for c in joined]
    if all(c is not None and c.key in (like.key, NOTHING) for c in alike):
        return type(like).concat(alike)
    return Hosts.encode([value for column in joined for value in column.decode()])


def _empty_in(like: Column, lanes: int) -> Column | None:
    """Return `()` in `lanes` lanes in a column's layout; None if the layout cannot hold `()`."""
    return like.take(xp.zeros(lanes, dtype=xp.int64)).defaulted(xp.ones(lanes, dtype=xp.bool_), ())


def scatter(parts: list[Part], lanes: int) -> Column:
    """Join parts that have each of `lanes` lanes exactly once."""
    index = xp.empty(lanes, dtype=xp.int64)
    index[xp.concatenate([members for members, _ in parts])] = xp.arange(lanes, dtype=xp.int64)
    return concat([column for _, column in parts]).take(index)


def same(a: Column, b: Column, judge: Callable[[Any, Any], bool] = identical) -> Array:
    """Flag the lanes whose two values are the same by `judge`; bool (n,).

    By default, values and types must be equal; Integers and Booleans are compared as arrays.
    """
    if isinstance(a, Uniform) and isinstance(b, Uniform):
        return xp.full(len(a), judge(a.value, b.value), dtype=xp.bool_)
    a, b = laid_out(a), laid_out(b)
    if judge is identical and isinstance(a, Ints | Bools) and type(a) is type(b):
        return a.data == b.data
    return xp.asarray(np.array(list(map(judge, a.decode(), b.decode())), dtype=np.bool_))


def shown_cut(column: Column, most: int) -> list[str]:
    """Return `values.show_cut` of every value: its text, cut after `most` characters."""
    if isinstance(column, Uniform):
        return [show_cut(column.value, most)] * len(column)
    return [show_cut(value, most) for value in column.decode()]
