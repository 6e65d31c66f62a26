"""Programs evaluated side by side, by a plan, compared with what their scalar forms gave."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from megabatt.runtime.engine.columns import Column, encode
from megabatt.runtime.engine.machine.linking import holds
from megabatt.runtime.engine.plan.graph import Distrusted, Graph
from megabatt.runtime.engine.plan.loading import Loader
from megabatt.runtime.engine.plan.on_device import DeviceRun
from megabatt.runtime.engine.plan.on_machine import MachineRun
from megabatt.runtime.engine.plan.running import Run
from megabatt.runtime.megabatch.verify.compare import Finding, Outcome
from megabatt.runtime.megabatch.workload import Sample, Workload
from megabatt.runtime.program import Program

Way = Callable[[Graph, list[int]], Run | MachineRun]
"""Begins a run of a graph on domains of so many samples."""


@dataclass
class Computed:
    """A program on samples, and what its scalar form gave: by operation, the lanes' outcomes."""

    number: int
    program: Program
    samples: list[Sample]
    outcomes: list[list[Outcome]]


def differing(
    workload: Workload[Any], cases: list[Computed], max_elements: int
) -> tuple[Computed, Finding] | None:
    """Find the first program that differs when all are evaluated at once, and where.

    They are evaluated on columns with operations grouped and without, and on the machine, as on a
    CPU and as on devices.
    """
    language = workload.language
    ways: list[Way] = [partial(Run, grouped=True), partial(Run, grouped=False)]
    if holds(language):
        ways += [MachineRun, DeviceRun]
    with language.in_use():
        for way in ways:
            try:
                found = _differing(workload, cases, Graph(language, max_elements), way)
            except Distrusted:
                graph = Graph(language, max_elements, trusting=False)
                found = _differing(workload, cases, graph, way)
            if found is not None:
                return found
    return None


def _differing(
    workload: Workload[Any], cases: list[Computed], graph: Graph, way: Way
) -> tuple[Computed, Finding] | None:
    loader = Loader(graph)
    run = way(graph, [len(case.samples) for case in cases])
    numbers = []
    every = range(len(cases))
    for name in workload.language.inputs:
        column = partial(_column, cases, name)
        run.set_inputs([loader.inputs(domain)[name] for domain in every], column)
    for domain, case in enumerate(cases):
        names = loader.values(case.program, domain)
        numbers.append([names[target] for target, *_ in case.program.operations])
    run.make(sorted({number for of_case in numbers for number in of_case}))
    for case, of_case in zip(cases, numbers, strict=True):
        finding = _finding(workload, run, case, of_case)
        if finding is not None:
            return case, finding
    return None


def _column(cases: list[Computed], name: str, chosen: Sequence[int]) -> Column:
    return encode([getattr(sample, name) for k in chosen for sample in cases[k].samples])


def _finding(
    workload: Workload[Any], run: Run | MachineRun, case: Computed, numbers: list[int]
) -> Finding | None:
    lanes = len(case.samples)
    for place, (number, outcomes) in enumerate(zip(numbers, case.outcomes, strict=False)):
        values = run.picked_on_host(np.full(lanes, number), np.arange(lanes)).decode()
        flags = run.failed(number, lanes).tolist()
        for lane, (value, failed, expected) in enumerate(zip(values, flags, outcomes, strict=True)):
            found = Outcome(value, failed, expected.spent)
            if not expected.same(found, workload.language.same):
                return Finding(place + 1, lane, str(expected), f"side by side: {found}")
    return None
