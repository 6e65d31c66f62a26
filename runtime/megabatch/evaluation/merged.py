"""Programs in one graph, and a run of it on samples."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

import numpy as np

from megabatt.runtime.engine.calls.registry import Language
from megabatt.runtime.engine.columns import Column, Uniform
from megabatt.runtime.engine.limits import SHORTAGES
from megabatt.runtime.engine.plan.graph import UNKNOWN, Graph
from megabatt.runtime.engine.plan.loading import Loader, WrongProgram
from megabatt.runtime.engine.plan.plan import Numbers
from megabatt.runtime.engine.plan.running import Run
from megabatt.runtime.megabatch.evaluation.cones import Cones
from megabatt.runtime.megabatch.run.compute import reason_of
from megabatt.runtime.megabatch.workload import Workload
from megabatt.runtime.program import Program
from megabatt.runtime.program import program as written
from megabatt.runtime.vocabulary import mistakes


class Merged:
    """Programs of a workload's language in one graph, equal operations once."""

    def __init__(
        self, workload: Workload[Any], max_elements: int, blind: bool, trusting: bool
    ) -> None:
        """Begin with an empty graph.

        blind: programs that read the expected output read None. trusting: as of `Graph`.
        """
        self._workload = workload
        self._blind = blind
        self.graph = Graph(workload.language, max_elements, trusting)
        self.cones = Cones(self.graph)
        with workload.language.in_use():
            self._loader = Loader(self.graph)

    def add(
        self, programs: Sequence[Program], domains: Iterable[int]
    ) -> tuple[Numbers, dict[int, str]]:
        """Add programs, each for the samples of a domain.

        Returns the number of each program's output, -1 where the program is wrong; and a dictionary
        from a wrong program's place to what is wrong with it.
        """
        numbers = np.full(len(programs), -1, dtype=np.int64)
        errors: dict[int, str] = {}
        for k, (program, domain) in enumerate(zip(programs, domains, strict=False)):
            try:
                numbers[k] = self._loader.add(program, domain)
            except (WrongProgram, IndexError, TypeError) as error:
                errors[k] = _explained(program, error, self.graph.language)
            except SHORTAGES as error:
                errors[k] = f"not computed: {reason_of(error)}"
        return numbers, errors

    def run_on(self, domains: Sequence[list[Any]]) -> Run:
        """Begin a run on the samples of each domain, with no operation made yet."""
        run = Run(self.graph, list(map(len, domains)))
        language = self._workload.language
        for domain, samples in enumerate(domains):
            for name in language.inputs:
                column: Callable[[], Column] = partial(self._workload.column, name, samples)
                if self._blind and name == language.expected:
                    column = partial(Uniform, None, len(samples))
                run.set_input(self._loader.names(domain)[name], column)
        return run

    def make(self, run: Run, wanted: Numbers) -> tuple[Numbers, Numbers]:
        """Make values, and all operations of their cones. Returns the cones, as of `Cones.of`.

        An operation that is known to fail needs no arguments, but these may fail too and are made.
        """
        members, begins = self.cones.of(wanted)
        values = self.graph.values
        needed = [number for number in np.unique(members).tolist() if values[number] is UNKNOWN]
        run.make(set(needed).union(wanted.tolist()))
        return members, begins


def _explained(program: Program, error: Exception, language: Language) -> str:
    """Say in a line what is wrong with a program. Raises the error where nothing is."""
    try:
        written(*program)
    except TypeError as malformed:
        return str(malformed)
    if not isinstance(error, WrongProgram):
        raise error
    return "; ".join(mistakes(program, language)) or str(error)
