"""The operations that values of a graph are computed by."""

from __future__ import annotations

from itertools import chain

import numpy as np

from megabatt.runtime.engine.plan.graph import Graph
from megabatt.runtime.engine.plan.plan import Numbers


class Cones:
    """The operations that values of a graph are made by."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._begins = np.zeros(1, dtype=np.int64)
        self._operands = np.zeros(0, dtype=np.int64)

    def of(self, numbers: Numbers) -> tuple[Numbers, Numbers]:
        """Return the operations of each value, value after value, and where those of each begin."""
        self._follow()
        size = max(len(self._begins) - 1, 1)
        counts = np.diff(self._begins)
        which, found = np.arange(len(numbers)), np.asarray(numbers, dtype=np.int64)
        levels = []
        while True:
            operations = counts[found] > 0
            which, found = which[operations], found[operations]
            if not len(found):
                break
            levels.append(which * size + found)
            many = counts[found]
            ends = np.cumsum(many)
            index = np.repeat(self._begins[found] - ends + many, many) + np.arange(ends[-1])
            which, found = np.divmod(
                np.unique(np.repeat(which, many) * size + self._operands[index]), size
            )
        members = np.unique(np.concatenate(levels)) if levels else np.zeros(0, dtype=np.int64)
        which, found = np.divmod(members, size)
        return found, np.searchsorted(which, np.arange(len(numbers) + 1))

    def _follow(self) -> None:
        """Take in the operations that are new in the graph."""
        new = self._graph.operands[len(self._begins) - 1 :]
        if new:
            given = [operands or () for operands in new]
            ends = self._begins[-1] + np.cumsum(np.array(list(map(len, given)), dtype=np.int64))
            operands = np.fromiter(chain.from_iterable(given), np.int64)
            self._begins = np.concatenate([self._begins, ends])
            self._operands = np.concatenate([self._operands, operands])
