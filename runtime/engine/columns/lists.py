"""Columns of tuples of numbers."""

from __future__ import annotations

from itertools import accumulate, chain
from typing import Any

import numpy as np

from megabatt.runtime.engine.columns.base import CHECKED, Column
from megabatt.runtime.engine.columns.flat import Bools, Complexes, Flat, Floats, Ints
from megabatt.runtime.engine.device.arrays import Array, offsets_of, ranges_at, taken, total_of, xp

LAYOUTS: dict[type, type[Flat]] = {bool: Bools, int: Ints, float: Floats, complex: Complexes}
"""The layouts of numbers, by their Python type."""

NOTHING = ("list", None)
"""The layout of `()`, which lists of any numbers hold."""


class Lists(Column):
    """Tuples of numbers of one type: lane k is content[starts[k] : starts[k] + counts[k]].

    starts, counts: int64, shape (n,). Lanes may share numbers, and content may have numbers of no
    lane, so that `take` copies no content; `packed` returns offsets and content. If all lists are
    empty, the content has any layout.

        (5, 6), (), (7,)   ->   starts 0 2 2, counts 2 0 1, content 5 6 7
    """

    __slots__ = ("starts", "counts", "content", "is_packed")

    def __init__(
        self, starts: Array, counts: Array, content: Flat, is_packed: bool = False
    ) -> None:
        """Make the column.

        is_packed: Whether `content` is known to have exactly the lanes' numbers in order.
        """
        self.starts = starts
        self.counts = counts
        self.content = content
        self.is_packed = is_packed
        if CHECKED:
            self.check()

    def check(self) -> None:
        assert self.starts.dtype == "int64" and self.counts.dtype == "int64"
        assert self.starts.shape == self.counts.shape and self.counts.ndim == 1
        if len(self) and isinstance(self.counts, np.ndarray):
            ends = (self.starts + self.counts)[self.counts > 0]
            assert self.counts.min() >= 0 and not (ends > len(self.content)).any()

    @classmethod
    def of_counts(cls, counts: Array, content: Flat, offsets: Array | None = None) -> Lists:
        """Make lists whose numbers are consecutive in `content`, counts[k] in lane k.

        offsets: Of the counts, if they are known.
        """
        offsets = offsets_of(counts) if offsets is None else offsets
        return cls(offsets[:-1], counts, content, True)

    @classmethod
    def all_empty(cls, lanes: int, content: Flat | None = None) -> Lists:
        """Make `lanes` empty lists. content: An empty column; by default of reals."""
        zeros = xp.zeros(lanes, dtype=xp.int64)
        content = Floats(xp.empty(0, dtype=xp.float64)) if content is None else content
        return cls(zeros, zeros, content, True)

    # ---- lanes

    @property
    def key(self) -> Any:
        return ("list", self.content.key) if len(self.content) else NOTHING

    def __len__(self) -> int:
        return len(self.counts)

    def take(self, index: Array) -> Column:
        starts, counts = taken(index, self.starts, self.counts)
        return Lists(starts, counts, self.content)

    @classmethod
    def concat(cls, columns: list[Any]) -> Column:
        columns = [column.packed() for column in columns]
        bases = accumulate((len(column.content) for column in columns), initial=0)
        starts = [c.starts + base for c, base in zip(columns, bases, strict=False)]
        counts = xp.concatenate([column.counts for column in columns])
        content = type(columns[0].content).concat([column.content for column in columns])
        return cls(xp.concatenate(starts), counts, content, True)  # type: ignore[arg-type]

    def packed(self) -> Lists:
        """Pack the content, to exactly the lanes' numbers in order."""
        if self.is_packed:
            return self
        offsets = offsets_of(self.counts)
        content = self.content.take(ranges_at(self.starts, offsets, total_of(offsets)))
        return Lists.of_counts(self.counts, content, offsets)  # type: ignore[arg-type]

    def compact(self) -> Column:
        return self.packed()

    # ---- values

    @classmethod
    def encode(cls, values: list[Any]) -> Column:
        offsets = xp.asarray(np.fromiter(accumulate(map(len, values), initial=0), np.int64))
        numbers = list(chain.from_iterable(values))
        if not numbers:
            return cls.all_empty(len(values))
        content = LAYOUTS[type(numbers[0])].encode(numbers)
        return cls.of_counts(offsets[1:] - offsets[:-1], content, offsets)  # type: ignore[arg-type]

    def decode(self) -> list[Any]:
        packed = self.packed()
        numbers, ends = packed.content.decode(), accumulate(packed.counts.tolist())
        counts = zip(packed.counts.tolist(), ends, strict=True)
        return [tuple(numbers[end - count : end]) for count, end in counts]

    def defaulted(self, failed: Array, default: Any) -> Column | None:
        if default != ():
            return None
        return Lists(self.starts, xp.where(failed, 0, self.counts), self.content)

    def empties(self, lanes: int) -> Column | None:
        return Lists.all_empty(lanes, type(self.content)(self.content.data[:0]))

    def weights(self) -> Array:
        return xp.maximum(self.counts, 1)
