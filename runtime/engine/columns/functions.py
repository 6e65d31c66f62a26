"""Columns of functions built from others."""

from __future__ import annotations

from typing import Any

from runtime.engine.arrays import Array, xp
from runtime.engine.columns.base import Column
from runtime.engine.values import Function


class Functions(Column):
    """Functions of one kind, a column for each argument that they bind.

    A lane's function is a tree of such kinds; the column is the same tree with columns at its
    leaves. Plain primitives are `Uniform`.

        lbind(shift, {(0, 1)}), lbind(shift, {(2, 2)})
            ->   kind lbind, arity 1, bound: Uniform(shift), Sets {(0, 1)} {(2, 2)}, sizes 2 2

    sizes: int64 (n,), each function's `size`; or an int, where all are of one.
    """

    __slots__ = ("kind", "arity", "bound", "sizes")

    def __init__(
        self, kind: type[Function], arity: int, bound: list[Column], sizes: Array | int
    ) -> None:
        self.kind = kind
        self.arity = arity
        self.bound = bound
        self.sizes = sizes

    def __len__(self) -> int:
        return len(self.bound[0])

    @property
    def key(self) -> Any:
        return ("function", self.kind, self.arity, *(_leaf_key(column) for column in self.bound))

    def take(self, index: Array) -> Column:
        bound = [column.take(index) for column in self.bound]
        sizes = self.sizes if isinstance(self.sizes, int) else self.sizes[index]
        return Functions(self.kind, self.arity, bound, sizes)

    def size_array(self) -> Array:
        """`sizes` as int64 (n,)."""
        if isinstance(self.sizes, int):
            return xp.full(len(self), self.sizes, dtype=xp.int64)
        return self.sizes

    @staticmethod
    def concat(columns: list[Any]) -> Column:
        from runtime.engine.columns.merge import concat

        bound = [concat(list(leaves)) for leaves in zip(*(c.bound for c in columns), strict=True)]
        first = columns[0]
        sizes = first.sizes
        if not all(isinstance(c.sizes, int) and c.sizes == sizes for c in columns):
            sizes = xp.concatenate([c.size_array() for c in columns])
        return Functions(first.kind, first.arity, bound, sizes)

    def decode(self) -> list[Any]:
        kind, arity = self.kind, self.arity
        leaves = zip(*(column.decode() for column in self.bound), strict=True)
        return [_build(kind, arity, values) for values in leaves]


def _leaf_key(column: Column) -> Any:
    """Functions bound in every lane alike keep trees of different functions apart."""
    if isinstance(column, Functions):
        return column.key
    if column.key == "uniform" and callable(column.value):  # type: ignore[attr-defined]
        return ("calls", column.value)  # type: ignore[attr-defined]
    return "value"


def _build(kind: type[Function], arity: int, values: tuple[Any, ...]) -> Function:
    function = kind.__new__(kind)
    Function.__init__(function, arity, *values)
    return function
