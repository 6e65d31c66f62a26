"""Casts of columns to the declared types: which lanes are of the type, and in what layout.

A type names the layouts of its values; these functions look at the layout of the column. A layout
that they do not name holds no value of the type: its lanes fail.
"""

from __future__ import annotations

from megabatt.runtime.engine.calls.registry import Cast
from megabatt.runtime.engine.columns import Bools, Column, Empty, Ints, Lists, Sets, Union
from megabatt.runtime.engine.device.arrays import xp
from megabatt.runtime.engine.policy import TUPLE


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


def to_containers(column: Column) -> Cast:
    if isinstance(column, Sets) or column.kind == TUPLE:
        return Cast(column)
    return all_failed(column)


def to_sets(column: Column) -> Cast:
    if isinstance(column, Sets):
        return Cast(column)
    sequences = column.as_sequences()
    if sequences is None:
        return all_failed(column)
    return Cast(Sets.all_empty(len(column)), failed=sequences.counts > 0)


def to_tuples(column: Column) -> Cast:
    if isinstance(column, Sets):
        return Cast(Lists.all_empty(len(column)), failed=column.counts > 0)
    return to_containers(column)


def to_integer_sets(column: Column) -> Cast:
    """Cast to sets or tuples of Integers."""
    sequences = column.as_sequences()
    if sequences is None:
        return all_failed(column)
    content = sequences.content
    if isinstance(content, (Ints, Empty)):
        return Cast(sequences)
    if isinstance(content, Bools):
        ints = Ints(content.data.astype(xp.int64))
        return Cast(type(sequences)(sequences.starts, sequences.counts, ints))
    filled = sequences.counts > 0
    empties = Sets.all_empty(len(column))
    if isinstance(content, Union):
        return Cast(empties, host=filled)
    return Cast(empties, failed=filled)
