"""Casts columns to the declared types.

A cast looks at a column's layout. Every lane fails if the layout holds no value of the type.
"""

from __future__ import annotations

from megabatt.runtime.engine.columns import Bools, Column, Ints
from megabatt.runtime.engine.columns.rules import Cast
from megabatt.runtime.engine.device.arrays import xp


def all_failed(column: Column) -> Cast:
    """Make the cast of a column that holds no value of the type."""
    return Cast(column, never=True)


def to_ints(column: Column) -> Cast:
    if isinstance(column, Ints):
        return Cast(column)
    if isinstance(column, Bools):
        return Cast(Ints(column.data.astype(xp.int64)))
    return all_failed(column)


def to_bools(column: Column) -> Cast:
    return Cast(column) if isinstance(column, Bools) else all_failed(column)
