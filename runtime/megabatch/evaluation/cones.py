"""The operations that values of a graph are computed by."""

from __future__ import annotations

import numpy as np

from megabatt.runtime.engine.plan.operands import Numbers
from megabatt.runtime.engine.plan.operations import Operations


def cones(graph: Operations, numbers: Numbers) -> tuple[Numbers, Numbers]:
    """Return the operations of each value, ascending, and where those of each begin."""
    operands = graph.table
    members, begins = operands.cones(numbers)
    firsts = np.repeat(np.arange(len(numbers)), np.diff(begins)) * len(operands.begins)
    return np.sort(firsts + members) - firsts, begins
