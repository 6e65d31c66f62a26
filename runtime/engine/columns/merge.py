"""Putting columns together: one after the other, or each into lanes of its own."""

from __future__ import annotations

from typing import Any

from runtime.engine.arrays import Array, xp
from runtime.engine.columns.base import Column, Empty, Uniform
from runtime.engine.columns.grids import Grids
from runtime.engine.columns.indexed import gathered
from runtime.engine.columns.sequences import Lists, Sequences, empty_sequences
from runtime.engine.columns.union import Union

Part = tuple[Array, Column]
"""Lanes, and the column with a value for each of them."""


def concat(columns: list[Column]) -> Column:
    """The columns one after the other, as a union where their layouts differ."""
    columns = [column for column in columns if len(column)]
    if not columns:
        return Empty()
    if len(columns) == 1:
        return columns[0]
    parts: list[Part] = []
    at = 0
    for column in columns:
        parts.append((xp.arange(at, at + len(column), dtype=xp.int64), column))
        at += len(column)
    return scatter(parts, at)


def scatter(parts: list[Part], lanes: int) -> Column:
    """The column of `lanes` lanes that has each part's values in the part's lanes.

    Every lane must be in one part. Parts of one layout become one; empty containers join
    whichever layout there is for their kind.
    """
    parts = [(members, gathered(column)) for members, column in parts if len(members)]
    if not parts:
        return Empty()
    if len(parts) == 1:
        return _reorder(parts[0][1], parts[0][0], lanes)
    uniform = _common_value(parts)
    if uniform is not None:
        return Uniform(uniform.value, lanes)
    groups = _by_layout(_elementary(parts))
    columns = [_concat_layout([column for _, column in group]) for group in groups]
    lanes_of_group = [xp.concatenate([lane for lane, _ in group]) for group in groups]
    if len(groups) == 1:
        return _reorder(columns[0], lanes_of_group[0], lanes)
    tags = xp.empty(lanes, dtype=xp.int8)
    index = xp.empty(lanes, dtype=xp.int64)
    for tag, members in enumerate(lanes_of_group):
        tags[members] = tag
        index[members] = xp.arange(len(members), dtype=xp.int64)
    return Union(tags, index, columns)


def _reorder(column: Column, members: Array, lanes: int) -> Column:
    """Lane k of `column` moved to lane members[k]."""
    if isinstance(column, Uniform):
        return column
    order = xp.arange(lanes, dtype=xp.int64)
    if bool((members == order).all()):
        return column
    position = xp.empty(lanes, dtype=xp.int64)
    position[members] = order
    return column.take(position)


def _common_value(parts: list[Part]) -> Uniform | None:
    """A uniform column, if all the parts are uniform and of one value."""
    first = parts[0][1]
    if not isinstance(first, Uniform):
        return None
    for _, column in parts[1:]:
        if not isinstance(column, Uniform):
            return None
        if column.value is not first.value and not _same(column.value, first.value):
            return None
    return first


def _same(a: Any, b: Any) -> bool:
    from runtime.engine.values import identical

    return identical(a, b)


def _elementary(parts: list[Part]) -> list[Part]:
    """The parts without unions, and uniform values, functions apart, as columns."""
    from runtime.engine.encode import encode_uniform

    result: list[Part] = []
    for lanes, column in parts:
        if isinstance(column, Uniform) and not callable(column.value):
            column = encode_uniform(column.value, len(column))
        if isinstance(column, Union):
            for tag, part in enumerate(column.parts):
                members = column.lanes(tag)
                if len(members):
                    result.append((lanes[members], part.take(column.index[members])))
        else:
            result.append((lanes, column))
    return result


def _by_layout(parts: list[Part]) -> list[list[Part]]:
    """The parts in groups that can be concatenated; empty containers join where there is room."""
    groups: dict[Any, list[Part]] = {}
    empties: list[Part] = []
    for lanes, column in parts:
        if isinstance(column, Sequences) and not bool(column.counts.any()):
            empties.append((lanes, column))
        else:
            groups.setdefault(_group_key(column), []).append((lanes, column))
    result = list(groups.values())
    for lanes, column in empties:
        _absorb_empty(result, lanes, type(column))
    return result


def _group_key(column: Column) -> Any:
    if isinstance(column, Uniform):
        return ("uniform", column.value)
    return column.key


def _absorb_empty(groups: list[list[Part]], lanes: Array, kind: type) -> None:
    n = len(lanes)
    for group in groups:
        head = group[0][1]
        if isinstance(head, kind):
            group.append((lanes, empty_sequences(kind, n)))
            return
    for group in groups:
        if kind is Lists and isinstance(group[0][1], Grids):
            zeros = xp.zeros(n, dtype=xp.int64)
            empty = Grids(zeros, zeros, zeros, xp.zeros(0, dtype=xp.uint8))
            group.append((lanes, empty))
            return
    groups.append([(lanes, empty_sequences(kind, n))])


def _concat_layout(columns: list[Column]) -> Column:
    if len(columns) == 1:
        return columns[0]
    if isinstance(columns[0], Uniform):
        return Uniform(columns[0].value, sum(map(len, columns)))
    return type(columns[0]).concat(columns)
