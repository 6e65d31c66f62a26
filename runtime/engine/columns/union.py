"""Columns whose lanes hold values of different kinds; putting columns together."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy import int32

from megabatt.runtime.engine.columns.base import (
    CHECKED,
    RANK_BITS,
    Column,
    Empty,
    Part,
    as_array,
    flags_of,
)
from megabatt.runtime.engine.columns.hosts import host_column
from megabatt.runtime.engine.device.arrays import (
    Array,
    any_set,
    offsets_of,
    taken,
    where_set,
    where_unset,
    xp,
)
from megabatt.runtime.engine.device.kernels import lane_kernel
from megabatt.runtime.engine.policy import KINDS

_MANY = 8
"""With more parts the CPU finds the lanes of each by sorting."""


class Union(Column):
    """Lanes of several layouts: lane k is parts[tags[k]][index[k]].

    tags: int32, index: int64, both shape (n,). No part is a union. A part may have values that
    belong to no lane, or no values at all.

        5, (1, 2), 6   ->   tags 0 1 0, index 0 0 1, parts: Ints 5 6, Lists (1, 2)
    """

    __slots__ = ("tags", "index", "parts", "_split")
    key = "union"
    mixed = True

    def __init__(self, tags: Array, index: Array, parts: list[Column]) -> None:
        self.tags = tags
        self.index = index
        self.parts = parts
        self._split: list[Part] | None = None
        if CHECKED:
            self.check()

    def check(self) -> None:
        assert self.tags.dtype == "int32" and self.index.dtype == "int64"
        assert self.tags.shape == self.index.shape and self.tags.ndim == 1
        assert not any(isinstance(part, Union) for part in self.parts)

    @classmethod
    def of_parts(cls, parts: list[Part]) -> Union:
        """Make the union of parts with one layout each, all different. Each lane is in one part."""
        n = sum(len(lanes) for lanes, _ in parts)
        tags, index = xp.empty(n, dtype=xp.int32), xp.empty(n, dtype=xp.int64)
        for tag, (lanes, _) in enumerate(parts):
            place_group(len(lanes), lanes, tag, tags, index)
        union = cls(tags, index, [column for _, column in parts])
        union.note_split(parts)
        return union

    @property
    def integral(self) -> bool:  # type: ignore[override]
        return all(part.integral for part in self.parts)

    @property
    def nodes(self) -> int:  # type: ignore[override]
        return 1 + sum([part.nodes for part in self.parts])

    def __len__(self) -> int:
        return len(self.tags)

    def take(self, index: Array) -> Column:
        if not len(index):
            return self.parts[0].take(index)
        tags, within = taken(index, self.tags, self.index)
        return Union(tags, within, self.parts)

    def selected(self, index: Array) -> Column:
        taken = self.take(index)
        return taken.simplified() if isinstance(taken, Union) else taken

    def parts_in(self, lanes: Array) -> list[Part]:
        return [(lanes[members], part) for members, part in self.split()]

    def split(self) -> list[Part]:
        if self._split is None:
            members = zip(self._members(), self.parts, strict=True)
            self._split = [(at, part.take(self.index[at])) for at, part in members if len(at)]
        return self._split

    def _members(self) -> list[Array]:
        """List the lanes of each part."""
        if len(self.parts) > _MANY and isinstance(self.tags, np.ndarray):
            return self._sorted_members()
        if len(self.parts) != 2:
            return [where_set(self.tags == tag) for tag in range(len(self.parts))]
        of_first = self.tags == 0
        first = where_set(of_first)
        return [first, where_unset(of_first, first)]

    def _sorted_members(self) -> list[Array]:
        """Find the `_members` on the CPU, by one sort of the tags."""
        order = np.argsort(self.tags, kind="stable")
        ends = np.cumsum(np.bincount(self.tags, minlength=len(self.parts)))
        return np.split(order, ends[:-1])

    def note_split(self, parts: list[Part]) -> None:
        """Keep known parts for `split` to return."""
        self._split = parts

    def simplified(self) -> Column:
        """Return the one part if all lanes are of it, else this union."""
        parts = self.split()
        return parts[0][1] if len(parts) == 1 else self

    def measured(self, measure: Callable[[Column], Array]) -> Array:
        """Return what `measure` gives for each lane's value: int64 or bool (n,)."""
        result = None
        for tag, part in enumerate(self.parts):
            values = measure(part)
            if result is None:
                result = xp.empty(len(self), dtype=values.dtype)
            place_part(len(self), self.tags, tag, self.index, values, result)
        return result

    def compact(self) -> Column:
        return scatter([(lanes, part.compact()) for lanes, part in self.split()], len(self))

    def canonical(self) -> Column:
        return scatter([(lanes, part.canonical()) for lanes, part in self.split()], len(self))

    def decode(self) -> list[Any]:
        if len(self) < sum(map(len, self.parts)):
            values: list[Any] = [None] * len(self)
            for members, part in self.split():
                for lane, value in zip(members.tolist(), part.decode(), strict=True):
                    values[lane] = value
            return values
        parts = [part.decode() for part in self.parts]
        lanes = zip(self.tags.tolist(), self.index.tolist(), strict=True)
        return [parts[tag][at] for tag, at in lanes]

    @property
    def spells(self) -> bool:  # type: ignore[override]
        return all(part.spells for part in self.parts)

    def texts(self) -> list[str]:
        parts = [part.texts() for part in self.parts]
        lanes = zip(self.tags.tolist(), self.index.tolist(), strict=True)
        return [parts[tag][at] for tag, at in lanes]

    def equals(self, other: Column) -> Array:
        raise AssertionError("`equality.equal` compares the parts")

    def truth(self) -> Array:
        return self.measured(lambda part: part.truth())

    def truthless(self) -> Array | None:
        if all(part.truthless() is None for part in self.parts):
            return None
        return self.measured(lambda part: flags_of(part.truthless(), len(part)))

    def ordinals(self, offsets: Array) -> Array:
        """Rank the values within their kind, the kinds one above another; int64 (n,)."""
        kinds = self.kind_ranks()
        result = kinds << RANK_BITS
        for place in range(len(KINDS)):
            members = kinds == 2 * place + 1  # empty containers of a kind are all alike
            if any_set(members):
                index = where_set(members)
                inner = offsets_of(members)[offsets]
                result[index] += _in_one_layout(self.selected(index)).ranks(inner)
        return result

    def kind_ranks(self) -> Array:
        return self.measured(lambda part: part.kind_ranks())

    def weights(self, levels: int | None = None) -> Array:
        return self.measured(lambda part: part.weights(levels))

    def beyond(self, least: int, most: int) -> Array:
        return self.measured(lambda part: part.beyond(least, most))

    def lengths(self) -> Array:
        return self.measured(lambda part: part.lengths())

    @property
    def sizes(self) -> Array | int:
        return self.measured(lambda part: as_array(part.sizes, len(part)))

    def depths(self) -> Array:
        return self.measured(lambda part: part.depths())

    def deepest(self) -> int:
        return max(part.deepest() for part in self.parts)


def _in_one_layout(column: Column) -> Column:
    """Bring values of one kind, perhaps in several layouts, to one layout."""
    parts = [part for _, part in column.split()]
    if len(parts) == 1:
        return parts[0]
    if any(part.on_host for part in parts):
        return host_column(column.decode())
    return parts[0].united(column)


@lane_kernel
def place_part(lane, tags, tag, index, values, result):
    """Set the result of a lane of the part `tag` to its value."""
    if tags[lane] == tag:
        result[lane] = values[index[lane]]


def concat(columns: list[Column]) -> Column:
    """Concatenate columns; the result is a union where their layouts differ."""
    columns = [column.gathered() for column in columns if len(column)]
    if not columns:
        return Empty()
    of_layouts = not any(column.constant or isinstance(column, Union) for column in columns)
    if of_layouts and len({column.key for column in columns}) == 1:
        return _concat_layout(columns)
    parts: list[Part] = []
    at = 0
    for column in columns:
        parts.append((xp.arange(at, at + len(column), dtype=xp.int64), column))
        at += len(column)
    return scatter(parts, at)


def scatter(parts: list[Part], lanes: int) -> Column:
    """Put parts together: a column of `lanes` lanes with each part's values in its lanes.

    Every lane must be in one part. Parts of one layout become one. Empty containers join any
    layout that there is for their kind.
    """
    parts = [(members, column.gathered()) for members, column in parts if len(members)]
    if not parts:
        return Empty()
    first = parts[0][1]
    if len(parts) == 1:  # of all lanes, and in order
        return first
    if first.constant and all(first.same_value(column) for _, column in parts):  # type: ignore[attr-defined]
        return first.of_lanes(lanes)  # type: ignore[attr-defined, no-any-return]
    elementary = [part for members, column in parts for part in column.parts_in(members)]
    groups = _by_layout(elementary)
    columns = [_concat_layout([column for _, column in group]) for group in groups]
    members = [xp.concatenate([at for at, _ in g]) if len(g) > 1 else g[0][0] for g in groups]
    if len(groups) == 1:
        return _reorder(columns[0], members[0], lanes)
    tags = xp.empty(lanes, dtype=xp.int32)
    index = xp.empty(lanes, dtype=xp.int64)
    for tag, at in enumerate(members):
        place_group(len(at), at, tag, tags, index)
    union = Union(tags, index, columns)
    if all(len(group) == 1 for group in groups):
        union.note_split(list(zip(members, columns, strict=True)))
    return union


@lane_kernel
def place_group(lane, members, tag, tags, index):
    """Give a member of the group its tag and its place in the group."""
    tags[members[lane]] = int32(tag)
    index[members[lane]] = lane


def _reorder(column: Column, members: Array, lanes: int) -> Column:
    """Move lane k of `column` to lane members[k]."""
    if column.constant:
        return column
    position = xp.empty(lanes, dtype=xp.int64)
    place_lane(lanes, members, position)
    return column.take(position)


@lane_kernel
def place_lane(lane, members, position):
    position[members[lane]] = lane


def _by_layout(parts: list[Part]) -> list[list[Part]]:
    """Group the parts that can be concatenated. Empty containers join a group that holds them."""
    keys = [column.key for _, column in parts]
    if len(set(keys)) == 1:
        return [parts]
    groups: dict[Any, list[Part]] = {}
    empties: list[Part] = []
    for key, (lanes, column) in zip(keys, parts, strict=True):
        if column.are_empty():
            empties.append((lanes, column))
        else:
            groups.setdefault(key, []).append((lanes, column))
    result = list(groups.values())
    for part in empties:
        _absorb_empty(result, *part)
    return result


def _absorb_empty(groups: list[list[Part]], lanes: Array, column: Column) -> None:
    """Put empty containers into the first group that holds them, or into one of their own."""
    for of_same_class in (True, False):
        for group in groups:
            head = group[0][1]
            if isinstance(head, type(column)) == of_same_class:
                empty = head.empties(column.kind, len(lanes))
                if empty is not None:
                    group.append((lanes, empty))
                    return
    groups.append([(lanes, column.empties(column.kind, len(lanes)) or column)])


def _concat_layout(columns: list[Column]) -> Column:
    return columns[0] if len(columns) == 1 else type(columns[0]).concat(columns)
