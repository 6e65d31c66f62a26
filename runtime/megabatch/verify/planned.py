"""Programs evaluated side by side, by a plan, compared with what their scalar forms gave."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from megabatt.runtime.engine.columns import encode
from megabatt.runtime.engine.plan.graph import Distrusted, Graph
from megabatt.runtime.engine.plan.loading import Loader
from megabatt.runtime.engine.plan.running import Run
from megabatt.runtime.megabatch.verify.compare import Finding, Outcome
from megabatt.runtime.megabatch.workload import Sample, Workload
from megabatt.runtime.program import Program


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

    They are evaluated twice: with operations grouped, and without.
    """
    with workload.language.in_use():
        for grouped in (True, False):
            try:
                graph = Graph(workload.language, max_elements)
                found = _differing(workload, cases, graph, grouped)
            except Distrusted:
                graph = Graph(workload.language, max_elements, trusting=False)
                found = _differing(workload, cases, graph, grouped)
            if found is not None:
                return found
    return None


def _differing(
    workload: Workload[Any], cases: list[Computed], graph: Graph, grouped: bool
) -> tuple[Computed, Finding] | None:
    loader = Loader(graph)
    run = Run(graph, [len(case.samples) for case in cases], grouped)
    numbers = []
    for domain, case in enumerate(cases):
        for name in workload.language.inputs:
            values = [getattr(sample, name) for sample in case.samples]
            run.set_input(loader.names(domain)[name], partial(encode, values))
        names = loader.values(case.program, domain)
        numbers.append([names[target] for target, *_ in case.program.operations])
    run.make(sorted({number for of_case in numbers for number in of_case}))
    for case, of_case in zip(cases, numbers, strict=True):
        finding = _finding(workload, run, case, of_case)
        if finding is not None:
            return case, finding
    return None


def _finding(
    workload: Workload[Any], run: Run, case: Computed, numbers: list[int]
) -> Finding | None:
    lanes = len(case.samples)
    for place, (number, outcomes) in enumerate(zip(numbers, case.outcomes, strict=False)):
        values = run.column(np.array([number]), lanes).decode()
        flags = run.failed(number, lanes).tolist()
        for lane, (value, failed, expected) in enumerate(zip(values, flags, outcomes, strict=True)):
            found = Outcome(value, failed, expected.spent)
            if not expected.same(found, workload.language.same):
                return Finding(place + 1, lane, str(expected), f"side by side: {found}")
    return None
