"""Columns of tuples of numbers."""

from __future__ import annotations

from itertools import accumulate, chain
from typing import Any

import numpy as np

from megabatt.runtime.engine.columns.base import Column
from megabatt.runtime.engine.columns.flat import LAYOUTS, Floats
from megabatt.runtime.engine.columns.runs import Runs
from megabatt.runtime.engine.device.arrays import Array, xp


class Lists(Runs):
    """Tuples of numbers of one type. If all tuples are empty, the content has any layout.

    (5, 6), (), (7,)   ->   starts 0 2 2, counts 2 0 1, content 5 6 7
    """

    __slots__ = ()

    @classmethod
    def all_empty(cls, lanes: int) -> Lists:
        zeros = xp.zeros(lanes, dtype=xp.int64)
        return cls(zeros, zeros, Floats(xp.empty(0, dtype=xp.float64)), True)

    @property
    def key(self) -> Any:
        return (Lists, self.content.key) if len(self.content) else NOTHING

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
        return list(map(tuple, packed.runs_of(packed.content.decode())))

    def defaulted(self, failed: Array, default: Any) -> Column | None:
        if default != ():
            return None
        return Lists(self.starts, xp.where(failed, 0, self.counts), self.content)

    def weights(self) -> Array:
        return xp.maximum(self.counts, 1)


NOTHING = (Lists, None)
"""The layout of `()`, which lists of any numbers hold."""
