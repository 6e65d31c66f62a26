"""The operations that values of a graph are computed by."""

from __future__ import annotations

import numpy as np

from megabatt.runtime.engine.plan.graph import Graph
from megabatt.runtime.engine.plan.plan import Numbers


class Cones:
    """The operations that values of a graph are made by."""

    def __init__(self, graph: Graph) -> None:
        self._operands = graph.table

    def of(self, numbers: Numbers) -> tuple[Numbers, Numbers]:
        """Return the operations of each value, ascending, and where those of each begin."""
        self._operands.follow()
        members, begins = self._operands.cones(numbers)
        firsts = np.repeat(np.arange(len(numbers)), np.diff(begins)) * len(self._operands.begins)
        return np.sort(firsts + members) - firsts, begins
