"""Columns taken from, but not yet gathered."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from megabatt.runtime.engine.columns.base import CHECKED, Column, Part
from megabatt.runtime.engine.device.arrays import Array


class Indexed(Column):
    """Lane k is content[index[k]]. index: int64, shape (n,).

    The arguments of a call on each element of a container are mostly the same for many elements. In
    an inner frame they stay indexed until a primitive needs them lane by lane. What depends only on
    them is computed once for each lane of the content (see `dispatch.call`). Rules see an indexed
    column only where a declared type takes any layout. Of the columns that rules return, only
    records may hold one.

        (5, 6)[0, 0, 0, 1]   ->   5, 5, 5, 6
    """

    __slots__ = ("content", "index")

    def __init__(self, content: Column, index: Array) -> None:
        self.content = content
        self.index = index
        if CHECKED:
            self.check()

    def check(self) -> None:
        assert self.index.ndim == 1 and self.index.dtype == "int64"

    def __len__(self) -> int:
        return len(self.index)

    @property
    def key(self) -> Any:
        return self.content.key

    @property
    def kind(self) -> Any:  # type: ignore[override]
        return self.content.kind

    @property
    def mixed(self) -> bool:  # type: ignore[override]
        return self.content.mixed

    @property
    def integral(self) -> bool:  # type: ignore[override]
        return self.content.integral

    @property
    def on_host(self) -> bool:  # type: ignore[override]
        return self.content.on_host

    @property
    def weighs_one(self) -> bool:  # type: ignore[override]
        return self.content.weighs_one

    @property
    def nodes(self) -> int:  # type: ignore[override]
        return 1 + self.content.nodes

    def take(self, index: Array) -> Column:
        return self.content.take(self.index[index])

    def selected(self, index: Array) -> Column:
        return self.content.selected(self.index[index])

    def parts_in(self, lanes: Array) -> list[Part]:
        return self.gathered().parts_in(lanes)

    def gathered(self) -> Column:
        return self.content.selected(self.index)

    def materialized(self) -> Column:
        return self.gathered().materialized()

    def canonical(self) -> Column:
        return self.gathered().canonical()

    def compact(self) -> Column:
        return self.gathered().compact()

    def decode(self) -> list[Any]:
        if len(self.index) < len(self.content):
            return self.gathered().decode()
        values = self.content.decode()
        return [values[k] for k in self.index.tolist()]

    @property
    def spells(self) -> bool:  # type: ignore[override]
        return self.content.spells

    def texts(self) -> list[str]:
        return self.gathered().texts()

    def arrow(self) -> Any:
        return self.gathered().arrow()

    def defaulted(self, failed: Array, default: Any) -> Column | None:
        return self.gathered().defaulted(failed, default)

    def _measured(self, measure: Callable[[Column], Array]) -> Array:
        """Measure each lane's value: on the content or gathered, whichever has fewer lanes."""
        if len(self.content) <= len(self.index):
            return measure(self.content)[self.index]
        return measure(self.gathered())

    def truth(self) -> Array:
        return self._measured(lambda column: column.truth())

    def truthless(self) -> Array | None:
        flags = self.content.truthless()
        return None if flags is None else flags[self.index]

    def ordinals(self, offsets: Array) -> Array:
        return self.gathered().ordinals(offsets)

    def kind_ranks(self) -> Array:
        return self._measured(lambda column: column.kind_ranks())

    def weights(self, levels: int | None = None) -> Array:
        return self._measured(lambda column: column.weights(levels))

    def beyond(self, least: int, most: int) -> Array:
        return self._measured(lambda column: column.beyond(least, most))

    def as_sequences(self) -> Any:
        return self.gathered().as_sequences()

    def lengths(self) -> Array:
        return self._measured(lambda column: column.lengths())

    def are_empty(self) -> bool:
        return self.gathered().are_empty()

    def element_weights(self, levels: int | None = None) -> Array:
        return self._measured(lambda column: column.element_weights(levels))

    @property
    def sizes(self) -> Array | int:
        found = self.content.sizes
        return found if isinstance(found, int) else found[self.index]

    def depths(self) -> Array:
        return self._measured(lambda column: column.depths())

    def deepest(self) -> int:
        return self.content.deepest()


def repeated(column: Column, index: Array) -> Column:
    """Return `column.take(index)`, not yet gathered."""
    return column.take(index) if column.constant else Indexed(column, index)


def contents(columns: list[Column]) -> tuple[list[Column], Array] | None:
    """Return the contents of columns that share an index (or are uniform), and that index.

    None where the indices differ, or where the contents have more than half as many lanes.
    """
    index = None
    for column in columns:
        if isinstance(column, Indexed):
            if index is None:
                index, lanes = column.index, len(column.content)
            elif column.index is not index:
                return None
        elif not column.constant:
            return None
    if index is None or 2 * lanes > len(index):
        return None
    within = [
        column.content if isinstance(column, Indexed) else column.take(index[:lanes])
        for column in columns
    ]
    return within, index
