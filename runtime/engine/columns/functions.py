"""Columns of functions built from others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from megabatt.runtime.engine.columns.base import CHECKED, Column, Compound, Encoder, as_array
from megabatt.runtime.engine.columns.equality import equal
from megabatt.runtime.engine.columns.hosts import host_column
from megabatt.runtime.engine.columns.sequences import joined_ordinals
from megabatt.runtime.engine.columns.union import concat
from megabatt.runtime.engine.device.arrays import Array, xp
from megabatt.runtime.engine.policy import FUNCTION, ranks
from megabatt.runtime.engine.values import Function


class Functions(Compound):
    """Functions of one kind, a column for each argument that they bind.

    A lane's function is a tree of such kinds; the column is the same tree with columns at its
    leaves. Plain primitives are `Uniform`.

        lbind(shift, {(0, 1)}), lbind(shift, {(2, 2)})
            ->   made_by lbind, arity 1, bound: Uniform(shift), Sets {(0, 1)} {(2, 2)}, sizes 2 2

    sizes: int64 (n,), each function's `size`; or an int where all have the same.
    """

    __slots__ = ("made_by", "arity", "bound", "sizes")
    kind = FUNCTION
    weighs_one = True

    def __init__(
        self, made_by: type[Function], arity: int, bound: list[Column], sizes: Array | int
    ) -> None:
        self.made_by = made_by
        self.arity = arity
        self.bound = bound
        self.sizes = sizes  # type: ignore[misc]
        if CHECKED:
            self.check()

    def check(self) -> None:
        assert self.bound and len(set(map(len, self.bound))) == 1
        assert isinstance(self.sizes, int) or self.sizes.shape == (len(self),)

    def __len__(self) -> int:
        return len(self.bound[0])

    @property
    def key(self) -> Any:
        return ("function", self.made_by, self.arity, *map(_leaf_key, self.bound))

    def take(self, index: Array) -> Column:
        bound = [column.take(index) for column in self.bound]
        sizes = self.sizes if isinstance(self.sizes, int) else self.sizes[index]
        return Functions(self.made_by, self.arity, bound, sizes)

    @classmethod
    def concat(cls, columns: list[Any]) -> Column:
        bound = [concat(list(leaves)) for leaves in zip(*(c.bound for c in columns), strict=True)]
        first = columns[0]
        sizes = first.sizes
        if not all(isinstance(c.sizes, int) and c.sizes == sizes for c in columns):
            sizes = xp.concatenate([as_array(c.sizes, len(c)) for c in columns])
        return Functions(first.made_by, first.arity, bound, sizes)

    def compact(self) -> Column:
        bound = [argument.compact() for argument in self.bound]
        return Functions(self.made_by, self.arity, bound, self.sizes)

    @classmethod
    def encode(cls, values: list[Any], encoder: Encoder) -> Column:
        first = values[0]
        bound = [encoder(list(leaves)) for leaves in zip(*(v.args for v in values), strict=True)]
        sizes = xp.asarray([value.size for value in values], dtype=xp.int64)
        return Functions(type(first), first.arity, bound, sizes)

    def decode(self) -> list[Any]:
        leaves = zip(*(column.decode() for column in self.bound), strict=True)
        return [_build(self.made_by, self.arity, values) for values in leaves]

    def equals(self, other: Column) -> Array:
        """Flag functions of the same kind that bind equal values; bool (n,)."""
        assert isinstance(other, Functions)
        alike = self.made_by is other.made_by
        same = xp.full(len(self), alike, dtype=xp.bool_)
        if alike:
            for left, right in zip(self.bound, other.bound, strict=True):
                same &= equal(left, right)
        return same

    def truth(self) -> Array:
        return xp.ones(len(self), dtype=xp.bool_)

    def as_runs(self, offsets: Array) -> tuple[Array, Array]:
        return joined_ordinals(self.bound, offsets)

    def kind_ranks(self) -> Array:
        return xp.full(len(self), 2 * ranks()[FUNCTION] + 1, dtype=xp.int64)

    def united(self, column: Column) -> Column:
        return host_column(column.decode())  # by their names, which only values have

    def beyond(self, least: int, most: int) -> Array:
        return xp.zeros(len(self), dtype=xp.bool_)

    def depths(self) -> Array:
        return 1 + most_deep(self.bound, len(self))

    def deepest(self) -> int:
        return 1 + max(argument.deepest() for argument in self.bound)


class Planned(Column):
    """Functions that a plan knows before it runs; a lane's operation gives its function.

    They can be called, and decoded for the scalar form. The plan makes the calls of all lanes
    together.

    calls: makes the calls, (frame, lanes, arguments) -> column; its `lanes` are the plan's lane for
    each of the frame's. values: gives the functions of such lanes. lanes: int64 (n,), the plan's.
    sizes: as in `Functions`. depth: no function exceeds it.
    """

    __slots__ = ("calls", "values", "lanes", "sizes", "depth")
    key = "planned"
    kind = FUNCTION
    weighs_one = True

    def __init__(
        self,
        calls: Callable[..., Column],
        values: Callable[[Array], list[Any]],
        lanes: Array,
        sizes: Array | int,
        depth: int,
    ) -> None:
        self.calls = calls
        self.values = values
        self.lanes = lanes
        self.sizes = sizes  # type: ignore[misc]
        self.depth = depth

    def __len__(self) -> int:
        return len(self.lanes)

    def take(self, index: Array) -> Column:
        sizes = self.sizes if isinstance(self.sizes, int) else self.sizes[index]
        return Planned(self.calls, self.values, self.lanes[index], sizes, self.depth)

    def decode(self) -> list[Any]:
        return self.values(self.lanes)

    def deepest(self) -> int:
        return self.depth


def most_deep(columns: list[Column], lanes: int) -> Array:
    """Find the greatest depth among each lane's values; int64 (n,)."""
    deepest_yet = xp.zeros(lanes, dtype=xp.int64)
    for column in columns:
        deepest_yet = xp.maximum(deepest_yet, column.depths())
    return deepest_yet


def call_costs(function: Column) -> Array | int:
    """Return `values.call_cost` of every lane's function; int64 (n,), or one int for all lanes."""
    return 1 + function.sizes // 16


def _leaf_key(column: Column) -> Any:
    """Return the key of a bound column. Such keys tell trees of different functions apart."""
    if isinstance(column, Functions):
        return column.key
    if column.constant and callable(column.value):  # type: ignore[attr-defined]
        return ("calls", column.value)  # type: ignore[attr-defined]
    return "value"


def _build(kind: type[Function], arity: int, values: tuple[Any, ...]) -> Function:
    function = kind.__new__(kind)
    Function.__init__(function, arity, *values)
    return function
