"""Columns whose values are runs of elements."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, Self

import numpy as np

from megabatt.runtime.engine.columns.base import Column
from megabatt.runtime.engine.columns.flat import Flat
from megabatt.runtime.engine.device.arrays import Array, offsets_of, ranges_at, taken, total_of, xp


@dataclass(slots=True, eq=False)
class Runs(Column):
    """A column with a run in every lane: content[starts[k] : starts[k] + counts[k]] in lane k.

    starts, counts: int64, shape (n,). Lanes may share elements, and content may have elements of no
    lane, so that `take` copies no content. is_packed: Whether `content` is known to be exactly the
    lanes' elements in order.
    """

    starts: Array
    counts: Array
    content: Flat
    is_packed: bool = False

    def check(self) -> None:
        assert self.starts.dtype == "int64" and self.counts.dtype == "int64"
        assert self.starts.shape == self.counts.shape and self.counts.ndim == 1
        if len(self) and isinstance(self.counts, np.ndarray):
            ends = (self.starts + self.counts)[self.counts > 0]
            assert self.counts.min() >= 0 and not (ends > len(self.content)).any()

    @classmethod
    def of_counts(cls, counts: Array, content: Flat, offsets: Array | None = None) -> Self:
        """Make a column whose runs are consecutive in `content`, counts[k] elements in lane k.

        offsets: The offsets of the counts, if known.
        """
        offsets = offsets_of(counts) if offsets is None else offsets
        return cls(offsets[:-1], counts, content, True)

    def __len__(self) -> int:
        return len(self.counts)

    def take(self, index: Array) -> Column:
        starts, counts = taken(index, self.starts, self.counts)
        return type(self)(starts, counts, self.content)

    @classmethod
    def concat(cls, columns: list[Any]) -> Column:
        columns = [column.packed() for column in columns]
        bases = accumulate((len(column.content) for column in columns), initial=0)
        starts = [c.starts + base for c, base in zip(columns, bases, strict=False)]
        counts = xp.concatenate([column.counts for column in columns])
        content = type(columns[0].content).concat([column.content for column in columns])
        return cls(xp.concatenate(starts), counts, content, True)  # type: ignore[arg-type]

    def packed(self) -> Self:
        """Return the column with content that is exactly the lanes' elements in order."""
        if self.is_packed:
            return self
        offsets = offsets_of(self.counts)
        content = self.content.take(ranges_at(self.starts, offsets, total_of(offsets)))
        return self.of_counts(self.counts, content, offsets)  # type: ignore[arg-type]

    def compact(self) -> Column:
        return self.packed()

    def runs_of(self, elements: Any) -> Iterator[Any]:
        """Yield each lane's run of the elements of a packed column."""
        counts = self.counts.tolist()
        for count, end in zip(counts, accumulate(counts), strict=True):
            yield elements[end - count : end]
