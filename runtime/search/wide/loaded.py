"""Programs in a graph, to be run on some samples."""

from __future__ import annotations

from collections.abc import Sequence

from megabatt.runtime.engine.calls.registry import Language
from megabatt.runtime.engine.memory import collector_paused
from megabatt.runtime.engine.plan.graph import Graph
from megabatt.runtime.engine.plan.loading import Loader, WrongProgram
from megabatt.runtime.program import Program


class Loaded:
    """Programs as the operations of a graph, equal ones once.

    numbers: of the programs' outputs, -1 for a program that is wrong in itself. inputs: the names
    of the inputs, by number.
    """

    def __init__(
        self, language: Language, programs: Sequence[Program], max_elements: int, looks_ahead: bool
    ) -> None:
        """Load programs. looks_ahead: as of `Graph`."""
        self.graph = Graph(language, max_elements, trusting=False, looks_ahead=looks_ahead)
        loader = Loader(self.graph)
        with collector_paused():
            self.numbers = [_number(loader, program) for program in programs]
        self.inputs = {number: name for name, number in loader.inputs(0).items()}


def _number(loader: Loader, program: Program) -> int:
    try:
        return loader.add(program)
    except (WrongProgram, IndexError, TypeError):
        return -1
