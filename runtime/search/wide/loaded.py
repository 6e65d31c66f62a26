"""Programs loaded, to be run on some samples."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import repeat
from typing import Any

import numpy as np

from megabatt.runtime.engine.memory import collector_paused
from megabatt.runtime.engine.plan.loading import BulkLoader
from megabatt.runtime.engine.plan.operations import Operations
from megabatt.runtime.program import Program

Bits = np.ndarray[Any, Any]


class Loaded:
    """Programs as operations on values by number, equal ones once.

    outputs: int64 (programs,), the numbers of the programs' outputs, -1 for a program that is wrong
    in itself. inputs: the names of the inputs, by number. operations: int64, the numbers of the
    operations that the outputs need, ascending.
    """

    def __init__(self, graph: Operations, programs: Sequence[Program]) -> None:
        """Load programs. graph: has no program in it yet."""
        self.graph = graph
        loader = BulkLoader(graph)
        with collector_paused():
            self.outputs = loader.load(programs, repeat(0)).outputs
        names = graph.language.inputs
        self.inputs = {number: name for name in names for number in loader.inputs(name, [0])}
        wanted = self.outputs[self.outputs >= 0]
        self.operations = graph.table.lacking(wanted, np.zeros(len(graph), dtype=np.bool_))

    def with_users(self, ended: Bits) -> Bits:
        """Flag also the operations that need a value that is flagged; bool (values,)."""
        ended, table = ended.copy(), self.graph.table
        for number in self.operations.tolist():
            begin, end = table.begins[number : number + 2]
            ended[number] |= ended[table.flat[begin:end]].any()
        return ended
