"""Columns laid out anew, so that their layout tells for certain what their values are.

A tuple of two Integers may lie in a `Lists`, a `Records` or a union of their elements, as the
operations before have left it. In the plain layout of a column, as in that of an encoded one, such
tuples are `Pairs`, cells are `Cells`, and the lanes whose elements are of different layouts are
parts of a union. Integers that no code holds stay out of that, see `holds_large`.
"""

from __future__ import annotations

from runtime.engine.arrays import Array, lane_any, where_set, xp
from runtime.engine.columns import (
    Bools,
    Cells,
    Column,
    Grids,
    Hosts,
    Ints,
    Lists,
    Pairs,
    Records,
    Sequences,
    Union,
    gathered,
    scatter,
)
from runtime.engine.columns.views import interleave
from runtime.engine.encode import materialize
from runtime.engine.packing import color_part, column_part, row_part
from runtime.engine.tuples import tuple_of_two


def plain(column: Column) -> Column:
    """The same values in plain layouts, Booleans as Integers."""
    column = materialize(column)
    if isinstance(column, Bools):
        return Ints(column.data.astype(xp.int64))
    if isinstance(column, Union):
        parts = [(lanes, plain(part)) for lanes, part in _parts_of(column)]
        return scatter(parts, len(column))
    if isinstance(column, Records):
        column = interleave(list(column.fields))
    if isinstance(column, Sequences):
        packed = column.packed()
        sequences = type(column)(packed.starts, packed.counts, plain(packed.content), True)
        return _plain_lists(sequences) if isinstance(sequences, Lists) else _sorted_out(sequences)
    return column


def _plain_lists(lists: Lists) -> Column:
    """Lists of plain content, those of two that are pairs or cells as such."""
    n = len(lists)
    two = where_set(lists.counts == 2)
    if not len(two):
        return _sorted_out(lists)
    starts = lists.starts[two]
    made = tuple_of_two(lists.content.take(starts), lists.content.take(starts + 1))
    rest = xp.ones(n, dtype=xp.bool_)
    parts: list[tuple[Array, Column]] = []
    for lanes, part in _parts_of(made):
        if isinstance(part, (Pairs, Cells)):
            parts.append((two[lanes], part))
            rest[two[lanes]] = False
    others = where_set(rest)
    if len(others):
        parts.append((others, _sorted_out(lists.take(others))))  # type: ignore[arg-type]
    return scatter(parts, n)


def _parts_of(column: Column) -> list[tuple[Array, Column]]:
    if isinstance(column, Union):
        return column.split()
    return [(xp.arange(len(column), dtype=xp.int64), column)]


def _sorted_out(sequences: Sequences) -> Column:
    """The lanes whose elements are all of one layout apart from those of another."""
    sequences = _simplified(sequences)
    content = sequences.content
    if not isinstance(content, Union):
        return sequences
    n = len(sequences)
    parts: list[tuple[Array, Column]] = []
    tags = xp.append(content.tags.astype(xp.int64), 0)
    first = tags[sequences.starts]
    lanes = sequences.lanes
    mixed = lane_any(content.tags != first[lanes], lanes, n)
    kind = xp.where(mixed, len(content.parts), first)
    for tag in range(len(content.parts) + 1):
        members = where_set(kind == tag)
        if len(members):
            parts.append((members, _simplified(sequences.take(members))))  # type: ignore[arg-type]
    return scatter(parts, n)


def _simplified(sequences: Sequences) -> Sequences:
    """Packed, and the content no union if its elements are all of one layout."""
    packed = sequences.packed()
    if not isinstance(packed.content, Union):
        return packed
    return type(packed).of_counts(packed.counts, packed.content.simplified(), packed.offsets)


def holds_large(column: Column, least: int, most: int) -> Array:
    """The lanes that hold an Integer outside least..most at any depth; bool (n,).

    Those too of which it is not known: values on the host, and empty tuples, which may lie in any
    layout of tuples.
    """
    column = gathered(column)
    n = len(column)
    if isinstance(column, Ints):
        return (column.data < least) | (column.data > most)
    if isinstance(column, (Pairs, Cells)):
        parts = [row_part(column.data), column_part(column.data)]
        if isinstance(column, Cells):
            parts.append(color_part(column.data))
        large = xp.zeros(n, dtype=xp.bool_)
        for part in parts:
            large |= (part < least) | (part > most)
        return large
    if isinstance(column, Grids):
        return column.heights == 0
    if isinstance(column, Sequences):
        packed = column.packed()
        large = holds_large(packed.content, least, most)
        large = lane_any(large, packed.lanes, n)
        return large | (packed.counts == 0) if isinstance(column, Lists) else large
    result = xp.zeros(n, dtype=xp.bool_)
    if isinstance(column, Records):
        for field in column.fields:
            result |= holds_large(field, least, most)
    elif isinstance(column, Union):
        result |= column.measured(lambda part: holds_large(part, least, most))
    elif isinstance(column, Hosts):
        result |= True
    return result
