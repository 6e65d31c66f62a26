"""Distributions of numbers, read file by file."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

Array = np.ndarray[Any, Any]
Numbers = Iterable[tuple[str, Array]]
"""Names, each with an array of records: float64 (rows, places)."""

BARS = 24
_MOST_PLACES = 256
"""The most numbers of a record; the places of a longer list hardly have separate meanings."""


class Distribution:
    """The distribution of the finite numbers at each place of records.

    The distribution has a count, a mean, a deviation, bounds, and a histogram of `BARS` bars.
    """

    def __init__(self, places: int) -> None:
        self.count = np.zeros(places, dtype=np.int64)
        self.mean, self._squares = np.zeros((2, places))
        self.least, self.most = np.full(places, np.inf), np.full(places, -np.inf)
        self.bars = np.zeros((places, BARS), dtype=np.int64)

    def add(self, numbers: Array) -> None:
        """Add numbers (rows, places). Means and deviations are combined as by Chan et al."""
        known = np.isfinite(numbers)
        count = known.sum(axis=0)
        here = np.maximum(count, 1)
        mean = np.where(known, numbers, 0.0).sum(axis=0) / here
        apart = np.where(known, numbers - mean, 0.0)
        every = np.maximum(self.count + count, 1)
        step = mean - self.mean
        self._squares += (apart**2).sum(axis=0) + step**2 * self.count * count / every
        self.mean += step * count / every
        self.count += count
        self.least = np.minimum(self.least, np.where(known, numbers, np.inf).min(axis=0))
        self.most = np.maximum(self.most, np.where(known, numbers, -np.inf).max(axis=0))

    def sort_in(self, numbers: Array) -> None:
        """Add numbers to the histogram, after `add` was called with all numbers."""
        for place, column in enumerate(numbers.T):
            if self.count[place]:
                # halves, since the whole range may not be finite
                halves, least = column[np.isfinite(column)] / 2, self.least[place] / 2
                width = self.most[place] / 2 - least
                shares = (halves - least) / width if width else np.full(len(halves), 0.5)
                bars = np.minimum(shares * BARS, BARS - 1).astype(np.int64)
                self.bars[place] += np.bincount(bars, minlength=BARS)

    @property
    def deviation(self) -> Array:
        return np.sqrt(self._squares / np.maximum(self.count, 1))

    def described(self, names: Sequence[str]) -> list[list[Any]]:
        """Return a row for each place with finite numbers.

        A row is the place's name, count, mean, deviation, least, most and bars.
        """
        figures = zip(self.mean, self.deviation, self.least, self.most, strict=True)
        return [
            [name, int(count), *(f"{figure:.6g}" for figure in of), bars.tolist()]
            for name, count, of, bars in zip(names, self.count, figures, self.bars, strict=True)
            if count
        ]


def distributions(numbers: Callable[[], Numbers]) -> dict[str, Distribution]:
    """Return the distributions by name, without names whose records have different lengths.

    numbers: Returns the numbers; called twice.
    """
    found: dict[str, Distribution] = {}
    unlike: set[str] = set()
    for name, records in numbers():
        if len(records):
            one = found.setdefault(name, Distribution(records.shape[1]))
            if len(one.count) == records.shape[1]:
                one.add(records)
            else:
                unlike.add(name)
    for name in unlike:
        del found[name]
    for name, records in numbers():
        if name in found and len(records):
            found[name].sort_in(records)
    return found


def records_of(column: pa.ChunkedArray) -> Array:
    """Return a column of numbers or of lists as float64 (rows, places), without missing rows.

    Lists of different lengths, and very long lists, have no places: the shape is (rows, 0).
    """
    known = column.drop_null()
    if not _is_list(known.type):
        return known.to_numpy().astype(np.float64)[:, None]
    lengths = pc.list_value_length(known)
    places = pc.max(lengths).as_py() or 0
    if not places or places > _MOST_PLACES or pc.min(lengths).as_py() != places:
        return np.zeros((len(known), 0))
    return pc.list_flatten(known).to_numpy().astype(np.float64).reshape(-1, places)


def _is_list(kind: pa.DataType) -> bool:
    return bool(pa.types.is_list(kind) or pa.types.is_large_list(kind))


def by_word(table: pa.Table, words: str, column: str) -> Iterator[tuple[str, Array]]:
    """Yield each distinct word in the column `words`, with the word's records in `column`."""
    coded = table[words].cast(pa.string()).combine_chunks().dictionary_encode()
    numbers = coded.indices.to_numpy()
    ends = np.cumsum(np.bincount(numbers, minlength=len(coded.dictionary))).tolist()
    in_order = table[column].take(pa.array(np.argsort(numbers, kind="stable")))
    for word, at, end in zip(coded.dictionary.to_pylist(), [0, *ends], ends, strict=False):
        yield word, records_of(in_order.slice(at, end - at))
