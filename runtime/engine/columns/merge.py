"""Putting columns together: one after the other, or each into lanes of its own."""

from __future__ import annotations

from typing import Any

from numpy import int8

from runtime.engine.arrays import Array, xp
from runtime.engine.columns.base import Column, Empty, Uniform
from runtime.engine.columns.grids import Grids
from runtime.engine.columns.indexed import gathered
from runtime.engine.columns.sequences import Lists, Sequences, empty_sequences
from runtime.engine.columns.union import Part, Union
from runtime.engine.kernels import lane_kernel


def concat(columns: list[Column]) -> Column:
    """The columns one after the other, as a union where their layouts differ."""
    columns = [gathered(column) for column in columns if len(column)]
    if not columns:
        return Empty()
    if len({column.key for column in columns}) == 1 and columns[0].key not in _NO_LAYOUT:
        return _concat_layout(columns)
    parts: list[Part] = []
    at = 0
    for column in columns:
        parts.append((xp.arange(at, at + len(column), dtype=xp.int64), column))
        at += len(column)
    return scatter(parts, at)


_NO_LAYOUT = ("union", "uniform")
"""The keys of columns that may be of unlike layouts."""


def scatter(parts: list[Part], lanes: int) -> Column:
    """The column of `lanes` lanes that has each part's values in the part's lanes.

    Every lane must be in one part. Parts of one layout become one; empty containers join
    whichever layout there is for their kind.
    """
    parts = [(members, gathered(column)) for members, column in parts if len(members)]
    if not parts:
        return Empty()
    if len(parts) == 1:  # of all lanes, and in order
        return parts[0][1]
    uniform = _common_value(parts)
    if uniform is not None:
        return Uniform(uniform.value, lanes)
    groups = _by_layout(_elementary(parts))
    columns = [_concat_layout([column for _, column in group]) for group in groups]
    members = [xp.concatenate([at for at, _ in g]) if len(g) > 1 else g[0][0] for g in groups]
    if len(groups) == 1:
        return _reorder(columns[0], members[0], lanes)
    tags = xp.empty(lanes, dtype=xp.int8)
    index = xp.empty(lanes, dtype=xp.int64)
    for tag, at in enumerate(members):
        place_group(len(at), at, tag, tags, index)
    union = Union(tags, index, columns)
    if all(len(group) == 1 for group in groups):
        union.note_split(list(zip(members, columns, strict=True)))
    return union


@lane_kernel
def place_group(lane, members, tag, tags, index):  # type: ignore[no-untyped-def]
    """Make a lane the group's next one."""
    tags[members[lane]] = int8(tag)
    index[members[lane]] = lane


def _reorder(column: Column, members: Array, lanes: int) -> Column:
    """Lane k of `column` moved to lane members[k]."""
    if isinstance(column, Uniform):
        return column
    position = xp.empty(lanes, dtype=xp.int64)
    place_lane(lanes, members, position)
    return column.take(position)


@lane_kernel
def place_lane(lane, members, position):  # type: ignore[no-untyped-def]
    position[members[lane]] = lane


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
            column = column.laid_out(encode_uniform)
        if isinstance(column, Union):
            result += [(lanes[members], part) for members, part in column.split()]
        else:
            result.append((lanes, column))
    return result


def _by_layout(parts: list[Part]) -> list[list[Part]]:
    """The parts in groups that can be concatenated; empty containers join where there is room."""
    keys = [_group_key(column) for _, column in parts]
    if len(set(keys)) == 1:
        return [parts]
    groups: dict[Any, list[Part]] = {}
    empties: list[Part] = []
    for key, (lanes, column) in zip(keys, parts, strict=True):
        if isinstance(column, Sequences) and column.are_empty():
            empties.append((lanes, column))
        else:
            groups.setdefault(key, []).append((lanes, column))
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
            empty = Grids(zeros, zeros, zeros, xp.zeros(0, dtype=xp.int8))
            group.append((lanes, empty))
            return
    groups.append([(lanes, empty_sequences(kind, n))])


def _concat_layout(columns: list[Column]) -> Column:
    if len(columns) == 1:
        return columns[0]
    if isinstance(columns[0], Uniform):
        return Uniform(columns[0].value, sum(map(len, columns)))
    return type(columns[0]).concat(columns)
