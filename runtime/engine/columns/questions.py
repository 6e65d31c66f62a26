"""Questions about the values of columns: the lanes in which two are the same, and their texts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from megabatt.runtime.engine.columns.base import Column
from megabatt.runtime.engine.columns.encode import laid_out
from megabatt.runtime.engine.columns.flat import Bools, Ints
from megabatt.runtime.engine.columns.objects import Uniform
from megabatt.runtime.engine.device.arrays import Array, xp
from megabatt.runtime.engine.language.values import identical, show_cut


def same(a: Column, b: Column, judge: Callable[[Any, Any], bool] = identical) -> Array:
    """Flag the lanes whose two values are the same by `judge`; bool (n,).

    By default, values and types must be equal; Integers and Booleans are compared as arrays.
    """
    if isinstance(a, Uniform) and isinstance(b, Uniform):
        return xp.full(len(a), judge(a.value, b.value), dtype=xp.bool_)
    a, b = laid_out(a), laid_out(b)
    if judge is identical and isinstance(a, Ints | Bools) and type(a) is type(b):
        return a.data == b.data
    found = list(map(judge, a.decode(), b.decode()))
    return xp.asarray(np.array(found, dtype=np.bool_))


def shown_cut(column: Column, most: int) -> list[str]:
    """Return `values.show_cut` of every value: its text, cut after `most` characters."""
    if isinstance(column, Uniform):
        return [show_cut(column.value, most)] * len(column)
    return [show_cut(value, most) for value in column.decode()]
