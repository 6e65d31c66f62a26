"""Whether the values of two columns are equal, whatever their layouts."""

from __future__ import annotations

import numpy as np

from megabatt.runtime.engine.columns.base import Column
from megabatt.runtime.engine.columns.indexed import contents
from megabatt.runtime.engine.columns.union import Union
from megabatt.runtime.engine.device.arrays import Array, xp
from megabatt.runtime.engine.values import equal as equal_values


def equal(a: Column, b: Column) -> Array:
    """Whether each lane's two values are equal; bool (n,)."""
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
        return _equal_on_host(a, b)
    if a.kind != b.kind:
        return xp.zeros(len(a), dtype=xp.bool_)
    return a.equals(b)


def _equal_union(union: Union, other: Column) -> Array:
    result = xp.zeros(len(union), dtype=xp.bool_)
    for lanes, part in union.split():
        result[lanes] = equal(part, other.take(lanes))
    return result


def _equal_on_host(a: Column, b: Column) -> Array:
    pairs = zip(a.decode(), b.decode(), strict=True)
    return xp.asarray(np.array([equal_values(x, y) for x, y in pairs], dtype=np.bool_))
