"""Programs in one graph, and a run of it on samples."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import chain
from typing import Any

import numpy as np

from megabatt.runtime.engine.columns import Column, Uniform
from megabatt.runtime.engine.device.device import current
from megabatt.runtime.engine.memory import collector_paused
from megabatt.runtime.engine.plan.loading import EXPECTED, BulkLoader
from megabatt.runtime.engine.plan.on_columns import ColumnRun
from megabatt.runtime.engine.plan.on_device import DeviceRun
from megabatt.runtime.engine.plan.on_machine import MachineRun
from megabatt.runtime.engine.plan.operands import Numbers
from megabatt.runtime.engine.plan.operations import Operations
from megabatt.runtime.megabatch.evaluation.cones import cones
from megabatt.runtime.megabatch.evaluation.judging import AnyRun
from megabatt.runtime.megabatch.workload import Workload
from megabatt.runtime.program import Program
from megabatt.runtime.program import program as written
from megabatt.runtime.vocabulary import mistakes

WAYS = MACHINE, COLUMNS = "machine", "columns"
"""What runs programs. Where the machine raises `NoWord`, columns do."""


class Merged:
    """Programs of a workload's language in one graph, equal operations once."""

    def __init__(
        self, workload: Workload[Any], max_elements: int, blind: bool, by: str = COLUMNS
    ) -> None:
        """Begin with an empty graph.

        blind: programs that read the expected output read None. by: what they are run by, one of
        `WAYS`.
        """
        self._workload = workload
        self._blind = blind
        self._by = by
        self.graph = Operations(workload.language, max_elements)
        with workload.language.in_use():
            self._loader = BulkLoader(self.graph)

    def add(
        self, programs: Sequence[Program], domains: Iterable[int]
    ) -> tuple[Numbers, dict[int, str]]:
        """Add programs, each for the samples of a domain.

        Returns the number of each program's output, -1 where the program is wrong; and a dictionary
        from a wrong program's place to what is wrong with it.
        """
        with collector_paused():
            loaded = self._loader.load(programs, domains)
        wrong = sorted(loaded.wrong.items())
        return loaded.outputs, {k: self._explained(programs[k], why) for k, why in wrong}

    def _explained(self, program: Program, why: str) -> str:
        """Say in a line what is wrong with a program. why: what its loading says."""
        try:
            written(*program)
        except TypeError as malformed:
            return str(malformed)
        return "; ".join(mistakes(program, self.graph.language)) or why

    def expected(self, domains: Iterable[int]) -> Numbers:
        """Return the numbers of the outputs that are expected of domains' samples."""
        return np.array(self._loader.inputs(EXPECTED, domains), dtype=np.int64)

    def run_on(self, domains: Sequence[list[Any]]) -> AnyRun:
        """Begin a run on the samples of each domain, with no operation made yet."""
        run = self._kind_of_run()(self.graph, list(map(len, domains)))
        every = range(len(domains))
        language = self._workload.language
        for name in language.inputs:
            column = partial(self._column, name, domains)
            if self._blind and name == language.expected:
                column = partial(_nothing, domains)
            run.set_inputs(self._loader.inputs(name, every), column)
        expected = partial(self._column, self._workload.expected_column, domains)
        run.set_inputs(self._loader.inputs(EXPECTED, every), expected)
        return run

    def _kind_of_run(self) -> Callable[[Any, list[int]], AnyRun]:
        """Return the class of runs that there is for the device in use."""
        if self._by != MACHINE:
            return ColumnRun
        return DeviceRun if current().asks_together else MachineRun

    def _column(self, name: str, domains: Sequence[list[Any]], chosen: Sequence[int]) -> Column:
        """Return an input of the samples of some domains, one domain's after the other's."""
        return self._workload.column(name, _samples_of(domains, chosen))

    def make(self, run: AnyRun, wanted: Numbers) -> tuple[Numbers, Numbers]:
        """Make values, and all operations of their cones. Returns these, as of `cones`."""
        members, begins = cones(self.graph, wanted)
        run.make(np.unique(wanted).tolist())
        return members, begins


def _samples_of(domains: Sequence[list[Any]], chosen: Sequence[int]) -> list[Any]:
    return list(chain.from_iterable([domains[domain] for domain in chosen]))


def _nothing(domains: Sequence[list[Any]], chosen: Sequence[int]) -> Column:
    """Return None for each sample of some domains."""
    return Uniform(None, len(_samples_of(domains, chosen)))


def lost_outputs(run: AnyRun, members: Numbers, begins: Numbers) -> dict[int, str]:
    """Return the outputs that need an operation that was not computed: their places, and why not.

    members, begins: the cones of the outputs, as of `cones`.
    """
    if not run.lost:
        return {}
    places = np.flatnonzero(np.isin(members, list(run.lost)))
    outputs = np.searchsorted(begins, places, "right") - 1
    reasons = [run.lost[number] for number in members[places].tolist()]
    return {k: f"not computed: {why}" for k, why in zip(outputs.tolist(), reasons, strict=True)}


def way_for(workload: Workload[Any]) -> str:
    """Return how programs are best run: on the machine where it can run them."""
    return MACHINE if workload.language.of_words else COLUMNS


def next_way(by: str) -> str:
    """Return how to run programs where a way has turned out not to do."""
    return WAYS[WAYS.index(by) + 1]
