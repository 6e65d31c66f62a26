"""Columns of tuples and sets of other columns' values."""

from __future__ import annotations

from itertools import accumulate
from typing import Any, Self

from runtime.engine.arrays import (
    Array,
    all_set,
    any_set,
    lanes_at,
    offsets_of,
    ranges_at,
    taken,
    total_of,
    xp,
)
from runtime.engine.asking import ask
from runtime.engine.columns.base import Column, Empty
from runtime.engine.columns.indexed import gathered, repeated, selected
from runtime.engine.devices import SUM


class Sequences(Column):
    """Runs of a content column: lane k's elements are content[starts[k] : starts[k] + counts[k]].

    starts, counts: int64, shape (n,). Lanes may share elements, and content may hold elements of
    no lane, so that `take` copies no content; `packed` gives offsets + content. Only a content of
    several layouts is not shared by lanes that need less of it: lanes of ever deeper values would
    each drag along the layouts of all the others.
    """

    __slots__ = (
        "starts", "counts", "content", "is_packed", "_offsets", "_lanes", "_opened", "_of_packed",
    )  # fmt: skip
    word: str
    empty: Any

    def __init__(
        self, starts: Array, counts: Array, content: Column, is_packed: bool = False
    ) -> None:
        """is_packed: whether it is known that `content` has the lanes' elements, and no others,
        one lane's behind the lane's before."""
        self.starts = starts
        self.counts = counts
        self.content = content
        self.is_packed = is_packed
        self._offsets: Array | None = None
        self._lanes: Array | None = None
        self._opened: Self | None = None
        self._of_packed = False

    @classmethod
    def of_counts(cls, counts: Array, content: Column, offsets: Array | None = None) -> Self:
        """Lanes whose elements lie in `content` one after the other, counts[k] in lane k.

        offsets: those of the counts, if they are known.
        """
        offsets = offsets_of(counts) if offsets is None else offsets
        column = cls(offsets[:-1], counts, content, True)
        column._offsets = offsets
        return column

    def __len__(self) -> int:
        return len(self.counts)

    @property
    def key(self) -> Any:
        return (self.word, self.content.key)

    @property
    def mixed(self) -> bool:  # type: ignore[override]
        return self.content.mixed

    def take(self, index: Array) -> Column:
        starts, counts = taken(index, self.starts, self.counts)
        column = type(self)(starts, counts, self.content)
        if self.content.mixed and ask(counts, SUM) < len(self.content):
            return column.packed()  # type: ignore[no-any-return]
        return column

    def shortened(self, counts: Array) -> Self:
        """Each lane's first `counts` elements, no more than it has."""
        column = type(self)(self.starts, counts, self.content)
        column._of_packed = self.is_packed
        return column

    def are_empty(self) -> bool:
        """Whether no lane has an element."""
        if self.is_packed or not len(self.content):
            return not len(self.content)
        return not any_set(self.counts)

    def packed(self) -> Self:
        """The same values with each lane's elements behind the lane before's, and no others."""
        opened = self.opened()
        content = gathered(opened.content)
        if content is opened.content:
            return opened
        return type(self).of_counts(opened.counts, content, opened.offsets)

    def opened(self) -> Self:
        """`packed`, the content indexed where it is not packed already."""
        if self.is_packed:
            return self
        if self._opened is None:
            offsets = offsets_of(self.counts)
            total = total_of(offsets)
            # a packed column's lanes that have lost nothing together have lost none
            if total == len(self.content) and (
                self._of_packed or all_set(self.starts == offsets[:-1])
            ):
                self.is_packed, self._offsets = True, offsets
                return self
            index = ranges_at(self.starts, offsets, total)
            content = repeated(self.content, index) if total else Empty()
            self._opened = type(self).of_counts(self.counts, content, offsets)
        return self._opened

    @property
    def offsets(self) -> Array:
        """Shape (n + 1,). Of a packed column alone: where each lane's elements begin."""
        if self._offsets is None:
            self._offsets = xp.append(self.starts, len(self.content))
        return self._offsets

    @property
    def lanes(self) -> Array:
        """Of a packed column alone: the lane that each element belongs to."""
        if self._lanes is None:
            self._lanes = lanes_at(self.offsets, len(self.content))
        return self._lanes

    def element(self, position: Array) -> Column:
        """The element at a position of each lane, which must be within it."""
        return self.content.take(self.starts + position)

    @classmethod
    def concat(cls, columns: list[Any]) -> Column:  # type: ignore[override]
        from runtime.engine.columns.merge import concat

        columns = [_slim(column) for column in columns]
        bases = [0, *accumulate(len(column.content) for column in columns)]
        return cls(
            xp.concatenate([c.starts + base for c, base in zip(columns, bases, strict=False)]),
            xp.concatenate([column.counts for column in columns]),
            concat([column.content for column in columns]),
            all(column.is_packed for column in columns),
        )


class Lists(Sequences):
    """Tuples of any length.    (5, 6), (), (7,)   ->   starts 0 2 2, counts 2 0 1, content 5 6 7"""

    __slots__ = ()
    word = "list"
    empty = ()

    def decode(self) -> list[Any]:
        content = self.content.decode()
        spans = zip(self.starts.tolist(), self.counts.tolist(), strict=True)
        return [tuple(content[start : start + count]) for start, count in spans]


class Sets(Sequences):
    """Sets, elements ascending and distinct.    {6, 5}   ->   starts 0, counts 2, content 5 6"""

    __slots__ = ()
    word = "set"
    empty = frozenset()

    def decode(self) -> list[Any]:
        content = self.content.decode()
        spans = zip(self.starts.tolist(), self.counts.tolist(), strict=True)
        return [frozenset(content[start : start + count]) for start, count in spans]


def _slim(column: Any) -> Any:
    """`column`, packed where most of the content that it holds on to is of no lane."""
    if column.is_packed or len(column.content) <= 1024:
        return column
    wasteful = len(column.content) > 2 * ask(column.counts, SUM) + 1024
    return column.packed() if wasteful else column


def empty_sequences(cls: type[Sequences], lanes: int) -> Any:
    """`lanes` empty tuples or sets."""
    zeros = xp.zeros(lanes, dtype=xp.int64)
    return cls(zeros, zeros, Empty(), True)


class Records(Column):
    """Tuples of one length, a column for each place.

    Pairs of Integers and cells are not records but `Pairs` and `Cells`, where those hold them.

        (8, {1}), (9, {2})   ->   fields: Ints 8 9, Sets {1} {2}
    """

    __slots__ = ("fields",)

    def __init__(self, *fields: Column) -> None:
        self.fields = fields

    def __len__(self) -> int:
        return len(self.fields[0])

    @property
    def key(self) -> Any:
        return ("record", *(field.key for field in self.fields))

    @property
    def mixed(self) -> bool:  # type: ignore[override]
        return any(field.mixed for field in self.fields)

    @property
    def first(self) -> Column:
        return self.fields[0]

    @property
    def second(self) -> Column:
        return self.fields[1]

    def take(self, index: Array) -> Column:
        return Records(*(selected(field, index) for field in self.fields))

    @staticmethod
    def concat(columns: list[Any]) -> Column:
        from runtime.engine.columns.merge import concat

        return Records(
            *(concat(list(fields)) for fields in zip(*(c.fields for c in columns), strict=True))
        )

    def decode(self) -> list[Any]:
        return list(zip(*(field.decode() for field in self.fields), strict=True))
