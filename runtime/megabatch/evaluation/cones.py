"""The operations that values of a graph are computed by."""

from __future__ import annotations

import numpy as np

from megabatt.runtime.engine.plan.graph import Graph
from megabatt.runtime.engine.plan.operands import Operands
from megabatt.runtime.engine.plan.plan import Numbers


class Cones:
    """The operations that values of a graph are made by."""

    def __init__(self, graph: Graph) -> None:
        self._operands = Operands(graph)

    def of(self, numbers: Numbers) -> tuple[Numbers, Numbers]:
        """Return the operations of each value, value after value, and where those of each begin."""
        operands = self._operands
        operands.follow()
        size = max(len(operands.begins) - 1, 1)
        which, found = np.arange(len(numbers)), np.asarray(numbers, dtype=np.int64)
        levels = []
        while True:
            counts = operands.counts(found)
            made = counts > 0
            which, found, counts = which[made], found[made], counts[made]
            if not len(found):
                break
            levels.append(which * size + found)
            below = np.repeat(which, counts) * size + operands.of(found, counts)
            which, found = np.divmod(np.unique(below), size)
        members = np.unique(np.concatenate(levels)) if levels else np.zeros(0, dtype=np.int64)
        which, found = np.divmod(members, size)
        return found, np.searchsorted(which, np.arange(len(numbers) + 1))
