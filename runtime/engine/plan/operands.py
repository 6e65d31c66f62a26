"""The operands of a graph's operations, as arrays."""

from __future__ import annotations

from itertools import chain

import numpy as np

from megabatt.runtime.engine.plan.graph import Graph
from megabatt.runtime.engine.plan.plan import Numbers


class Operands:
    """The operands of every value, one after the other: those of an operation are its function and
    its arguments; other values have none.

    begins: int64 (values + 1,), where those of each value begin; flat: int64, their numbers.
    """

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self.begins = np.zeros(1, dtype=np.int64)
        self.flat = np.zeros(0, dtype=np.int64)

    def follow(self) -> None:
        """Take in the values that are new in the graph."""
        new = self._graph.operands[len(self.begins) - 1 :]
        if new:
            given = [operands or () for operands in new]
            ends = self.begins[-1] + np.cumsum(np.array(list(map(len, given)), dtype=np.int64))
            operands = np.fromiter(chain.from_iterable(given), np.int64)
            self.begins = np.concatenate([self.begins, ends])
            self.flat = np.concatenate([self.flat, operands])

    def counts(self, numbers: Numbers) -> Numbers:
        """Return how many operands values have; int64 (n,)."""
        return self.begins[numbers + 1] - self.begins[numbers]  # type: ignore[no-any-return]

    def of(self, numbers: Numbers, counts: Numbers) -> Numbers:
        """Return the operands of values, value after value. counts: of each."""
        ends = np.cumsum(counts)
        if not len(ends):
            return ends
        index = np.repeat(self.begins[numbers] - ends + counts, counts) + np.arange(ends[-1])
        return self.flat[index]  # type: ignore[no-any-return]

    def table(self, numbers: Numbers, counts: Numbers, most: int) -> Numbers:
        """Return the operands of values in a row each; int64 (n, most), 0 in the places left."""
        table = np.zeros((len(numbers), most), dtype=np.int64)
        table[np.arange(most) < counts[:, None]] = self.of(numbers, counts)
        return table
