"""Programs loaded, to be run on some samples."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import repeat
from typing import Generic, TypeVar

from megabatt.runtime.engine.memory import collector_paused
from megabatt.runtime.engine.plan.graph import Graph
from megabatt.runtime.engine.plan.loading import loader_for
from megabatt.runtime.engine.plan.operations import Operations
from megabatt.runtime.program import Program

_Values = TypeVar("_Values", Graph, Operations)


class Loaded(Generic[_Values]):
    """Programs as operations on values by number, equal ones once.

    numbers: int64 (programs,), of the programs' outputs, -1 for a program that is wrong in itself.
    inputs: the names of the inputs, by number.
    """

    def __init__(self, graph: _Values, programs: Sequence[Program]) -> None:
        """Load programs. graph: has no program in it yet."""
        self.graph: _Values = graph
        loader = loader_for(graph)
        with collector_paused():
            self.numbers = loader.load(programs, repeat(0)).outputs
        names = graph.language.inputs
        self.inputs = {number: name for name in names for number in loader.inputs(name, [0])}
