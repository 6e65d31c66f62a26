"""Columns taken from, but not yet gathered."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from runtime.engine.arrays import Array
from runtime.engine.columns.base import Column, Uniform
from runtime.engine.columns.union import Union


class Indexed(Column):
    """Lane k is content[index[k]]. index: int64, shape (n,).

    What a container's elements are called with is mostly the same for many of them. In an inner
    frame it stays indexed until a primitive needs it lane by lane, and what depends on it alone
    is computed once for each lane of the content (see `dispatch.call`). Rules see one only where
    a declared type takes any layout; but for records, no column that a rule returns holds one.

        (5, 6)[0, 0, 0, 1]   ->   5, 5, 5, 6
    """

    __slots__ = ("content", "index")

    def __init__(self, content: Column, index: Array) -> None:
        self.content = content
        self.index = index

    def __len__(self) -> int:
        return len(self.index)

    @property
    def key(self) -> Any:
        return self.content.key

    @property
    def mixed(self) -> bool:  # type: ignore[override]
        return self.content.mixed

    def take(self, index: Array) -> Column:
        return self.content.take(self.index[index])

    def decode(self) -> list[Any]:
        values = self.content.decode()
        return [values[k] for k in self.index.tolist()]

    def measured(self, measure: Callable[[Column], Array]) -> Array:
        """An array of what `measure` gives for each lane's value, computed on the fewer lanes."""
        if len(self.content) <= len(self.index):
            return measure(self.content)[self.index]
        return measure(gathered(self))


def repeated(column: Column, index: Array) -> Column:
    """`column.take(index)`, not yet gathered."""
    return column.take(index) if isinstance(column, Uniform) else Indexed(column, index)


def gathered(column: Column) -> Column:
    """`column` in a layout that rules know."""
    return selected(column.content, column.index) if isinstance(column, Indexed) else column


def selected(column: Column, index: Array) -> Column:
    """`column.take(index)`, of one layout if the lanes taken are, as elements of containers are
    best kept: rules tell the types of those by their layout."""
    taken = column.take(index)
    return taken.simplified() if isinstance(taken, Union) else taken


def contents(columns: list[Column]) -> tuple[list[Column], Array] | None:
    """What columns hold that are all indexed alike (or uniform), and their index.

    None where they are not, or where that would not be fewer than half the lanes.
    """
    index = None
    for column in columns:
        if isinstance(column, Indexed):
            if index is None:
                index, lanes = column.index, len(column.content)
            elif column.index is not index:
                return None
        elif not isinstance(column, Uniform):
            return None
    if index is None or 2 * lanes > len(index):
        return None
    return [
        column.content if isinstance(column, Indexed) else Uniform(column.value, lanes)  # type: ignore[attr-defined]
        for column in columns
    ], index
