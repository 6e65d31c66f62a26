"""Candidates called on one sample, which wait until other candidates are built on their values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

Array = np.ndarray[Any, Any]


class CandidateCalls(NamedTuple):
    """Calls of a primitive.

    operands: For each place, the number of each call's operand, int32 (n,). costs: float64 (n,).
    layouts: The layouts of the values on the one sample, int16 (n,).
    """

    operands: tuple[Array, ...]
    costs: Array
    layouts: Array

    def taken(self, index: Array) -> CandidateCalls:
        """Return some of the calls."""
        operands = tuple([of[index] for of in self.operands])
        return CandidateCalls(operands, self.costs[index], self.layouts[index])

    @property
    def nbytes(self) -> int:
        """The bytes in use."""
        return sum(of.nbytes for of in (*self.operands, self.costs, self.layouts))


class Waiting:
    """Calls by the head of their values: a number for the primitive called."""

    def __init__(self) -> None:
        self.nbytes = 0
        self._calls: dict[int, list[CandidateCalls]] = {}

    def add(self, head: int, operands: Sequence[Array], costs: Array, layouts: Array) -> None:
        """Add calls of the primitive with this head."""
        narrow = tuple([numbers.astype(np.int32) for numbers in operands])
        calls = CandidateCalls(narrow, costs, layouts.astype(np.int16))
        self._calls.setdefault(head, []).append(calls)
        self.nbytes += calls.nbytes

    def least(self) -> tuple[Array, Array, Array]:
        """Return the least cost of each head's values in each layout: heads, layouts, costs."""
        heads, layouts, costs = [np.zeros(0, int)], [np.zeros(0, int)], [np.zeros(0)]
        for head, listed in self._calls.items():
            for calls in listed:
                found, which = np.unique(calls.layouts, return_inverse=True)
                least = np.full(len(found), np.inf)
                np.minimum.at(least, which, calls.costs)
                heads.append(np.full(len(found), head))
                layouts.append(found.astype(np.int64))
                costs.append(least)
        return np.concatenate(heads), np.concatenate(layouts), np.concatenate(costs)

    def taken(self, limits: Array) -> Iterator[tuple[int, CandidateCalls]]:
        """Take out the calls within the limits; yield them head by head, cheapest first.

        limits: The highest cost of values of a head and a layout; float64 (heads, layouts).
        """
        for head, listed in sorted(self._calls.items()):
            calls = _joined(listed)
            cheap = calls.costs <= limits[head, calls.layouts]
            listed[:] = [calls.taken(~cheap)]
            taken = calls.taken(cheap)
            self.nbytes -= taken.nbytes
            if len(taken.costs):
                yield head, taken.taken(np.argsort(taken.costs, kind="stable"))


def _joined(listed: Sequence[CandidateCalls]) -> CandidateCalls:
    operands = zip(*[calls.operands for calls in listed], strict=True)
    return CandidateCalls(
        tuple([np.concatenate(of) for of in operands]),
        np.concatenate([calls.costs for calls in listed]),
        np.concatenate([calls.layouts for calls in listed]),
    )
