"""Programs evaluated side by side, compared with what their scalar forms gave."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from megabatt.runtime.engine.columns import Column, encode
from megabatt.runtime.engine.plan.loading import BulkLoader
from megabatt.runtime.engine.plan.on_columns import ColumnRun
from megabatt.runtime.engine.plan.on_device import DeviceRun
from megabatt.runtime.engine.plan.on_machine import MachineRun
from megabatt.runtime.engine.plan.operands import Numbers
from megabatt.runtime.engine.plan.operations import Operations
from megabatt.runtime.megabatch.verify.compare import Finding, Outcome
from megabatt.runtime.megabatch.workload import Sample, Workload
from megabatt.runtime.program import Program

Way = Callable[[Any, list[int]], ColumnRun | MachineRun]
"""Begins a run of what is loaded on domains of so many samples."""


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

    They are evaluated on columns, and on the machine where there is one, as on a CPU and as on
    devices.
    """
    language = workload.language
    ways: list[Way] = [ColumnRun, MachineRun, DeviceRun] if language.of_words else [ColumnRun]
    with language.in_use():
        for way in ways:
            found = _differing(workload, cases, max_elements, way)
            if found is not None:
                return found
    return None


def _differing(
    workload: Workload[Any], cases: list[Computed], max_elements: int, way: Way
) -> tuple[Computed, Finding] | None:
    graph = Operations(workload.language, max_elements)
    loader = BulkLoader(graph)
    run = way(graph, [len(case.samples) for case in cases])
    every = range(len(cases))
    for name in workload.language.inputs:
        run.set_inputs(loader.inputs(name, every), partial(_column, cases, name))
    loaded = loader.load([case.program for case in cases], every)
    if loaded.wrong:
        raise ValueError(next(iter(loaded.wrong.values())))
    run.make(np.unique(loaded.targets).tolist())
    ends = np.cumsum([len(case.program.operations) for case in cases])
    for case, of_case in zip(cases, np.split(loaded.targets, ends[:-1]), strict=True):
        finding = _finding(workload, run, case, of_case)
        if finding is not None:
            return case, finding
    return None


def _column(cases: list[Computed], name: str, chosen: Sequence[int]) -> Column:
    return encode([getattr(sample, name) for k in chosen for sample in cases[k].samples])


def _finding(
    workload: Workload[Any], run: ColumnRun | MachineRun, case: Computed, numbers: Numbers
) -> Finding | None:
    lanes = len(case.samples)
    for place, (number, outcomes) in enumerate(zip(numbers.tolist(), case.outcomes, strict=False)):
        values = run.picked_on_host(np.full(lanes, number), np.arange(lanes)).decode()
        flags = run.failed(number, lanes).tolist()
        for lane, (value, failed, expected) in enumerate(zip(values, flags, outcomes, strict=True)):
            found = Outcome(value, failed, expected.spent)
            if not expected.same(found, workload.language.same):
                return Finding(place + 1, lane, str(expected), f"side by side: {found}")
    return None
