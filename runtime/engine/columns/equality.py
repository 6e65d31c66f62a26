"""Comparison of two columns, whatever their layouts: which values are equal, or the same."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from megabatt.runtime.engine.columns.base import Column
from megabatt.runtime.engine.columns.indexed import contents
from megabatt.runtime.engine.columns.union import Union
from megabatt.runtime.engine.device.arrays import Array, where_set, xp
from megabatt.runtime.engine.values import equal as equal_values
from megabatt.runtime.engine.values import identical


def equal(a: Column, b: Column) -> Array:
    """Flag the lanes whose two values are equal; bool (n,)."""
    if a.constant and b.constant:
        same = equal_values(a.value, b.value)  # type: ignore[attr-defined]
        return xp.full(len(a), same, dtype=xp.bool_)
    indexed = contents([a, b])
    if indexed is not None:
        (a, b), index = indexed
        return equal(a, b)[index]
    a, b = a.materialized(), b.materialized()
    if isinstance(a, Union):
        return _equal_union(a, b)
    if isinstance(b, Union):
        return _equal_union(b, a)
    if a.on_host or b.on_host:
        return _judged(a, b, equal_values)
    if a.kind != b.kind:
        return xp.zeros(len(a), dtype=xp.bool_)
    return a.equals(b)


def same(a: Column, b: Column, judge: Callable[[Any, Any], bool] = identical) -> Array:
    """Flag the lanes whose two values are the same by `judge`; bool (n,).

    By default they must be the same in value and in type. No value is decoded where the layouts
    tell that, or hold one value for all lanes.
    """
    if a.constant and b.constant:
        found = judge(a.value, b.value)  # type: ignore[attr-defined]
        return xp.full(len(a), found, dtype=xp.bool_)
    indexed = contents([a, b])
    if indexed is not None:
        (a, b), index = indexed
        return same(a, b, judge)[index]
    a, b = a.materialized(), b.materialized()
    for union, other in ((a, b), (b, a)):
        if isinstance(union, Union):
            found = xp.zeros(len(union), dtype=xp.bool_)
            for lanes, part in union.split():
                taken = other.take(lanes)
                found[lanes] = same(part, taken, judge) if union is a else same(taken, part, judge)
            return found
    if judge is not identical or a.on_host or b.on_host:
        return _judged(a, b, judge)
    if a.integral and b.integral:
        return equal(a, b)
    if a.kind != b.kind:
        return xp.zeros(len(a), dtype=xp.bool_)
    found = equal(a, b)
    lanes = where_set(found | ~equal(a, a))  # NaN is the same as NaN, though not equal
    found[lanes] = _judged(a.take(lanes), b.take(lanes), judge)
    return found


def _equal_union(union: Union, other: Column) -> Array:
    result = xp.zeros(len(union), dtype=xp.bool_)
    for lanes, part in union.split():
        result[lanes] = equal(part, other.take(lanes))
    return result


def _judged(a: Column, b: Column, judge: Callable[[Any, Any], bool]) -> Array:
    """Return what `judge` says of each lane's values, decoded; bool (n,)."""
    found = list(map(judge, a.decode(), b.decode()))
    return xp.asarray(np.array(found, dtype=np.bool_))
