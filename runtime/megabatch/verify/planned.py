"""Compares programs evaluated together with the outcomes of their scalar forms."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from megabatt.runtime.engine.columns import Column, encode
from megabatt.runtime.engine.device.device import CPU, computing_on
from megabatt.runtime.engine.executor.device import DeviceExecutor
from megabatt.runtime.engine.executor.host import HostExecutor
from megabatt.runtime.engine.executor.loading import BulkLoader
from megabatt.runtime.engine.executor.operations import Operations
from megabatt.runtime.engine.executor.schedule import Input, Ready
from megabatt.runtime.engine.language.reasons import Reason
from megabatt.runtime.engine.machine.archive import WordColumn
from megabatt.runtime.engine.machine.heap import Heap
from megabatt.runtime.engine.machine.loops import Numbers
from megabatt.runtime.engine.machine.on_device import DeviceHeap
from megabatt.runtime.megabatch.data import Sample
from megabatt.runtime.megabatch.evaluation.on_columns import ColumnsExecutor
from megabatt.runtime.megabatch.verify.compare import Finding, LaneOutcome
from megabatt.runtime.megabatch.workload import Workload
from megabatt.runtime.program import Program

Make = Callable[..., Any]
"""Makes an executor, given operations, the number of lanes of each domain, and inputs."""


@dataclass
class Expected:
    """A program and samples, with the expected outcomes by operation and lane; see `find`."""

    number: int
    program: Program
    samples: list[Sample]
    outcomes: list[list[LaneOutcome]]


def differing(
    workload: Workload[Any], cases: list[Expected], max_elements: int
) -> tuple[Expected, Finding] | None:
    """Evaluate all programs at once; find the first program that differs, and its difference.

    Each executor evaluates the programs. For words, these are the executors of one thread, of
    several threads, and of a device; for columns, there is one executor. Raises the error if memory
    or the stack is short.
    """
    language = workload.language
    in_threads = partial(HostExecutor, workers=3, worth_threads=0)
    executors: list[Make] = [HostExecutor, in_threads, DeviceExecutor]
    with language.in_use():
        for make in executors if language.of_words else [ColumnsExecutor]:
            found = _differing(workload, cases, max_elements, make)
            if found is not None:
                return found
    return None


def _differing(
    workload: Workload[Any], cases: list[Expected], max_elements: int, make: Make
) -> tuple[Expected, Finding] | None:
    operations = Operations(workload.language, max_elements)
    loader = BulkLoader(operations)
    every = np.arange(len(cases))
    loaded = loader.load([case.program for case in cases], every)
    if loaded.wrong:
        raise ValueError(next(iter(loaded.wrong.values())))
    inputs: list[Any] = []
    for name in workload.language.inputs:
        numbers = loader.inputs(name, len(cases))
        given = partial(_column if make is ColumnsExecutor else _words, cases, name)
        inputs.append(Input(numbers, given))
    executor = make(operations, [len(case.samples) for case in cases], inputs)
    of_programs = np.repeat(every, [len(case.program.operations) for case in cases])
    found = _CaseValues(executor, loaded.targets, of_programs)
    ends = np.cumsum([len(case.program.operations) for case in cases])
    for domain, (case, numbers) in enumerate(
        zip(cases, np.split(loaded.targets, ends[:-1]), strict=True)
    ):
        finding = _finding(workload, found, domain, case, numbers)
        if finding is not None:
            return case, finding
    return None


class _CaseValues:
    """The values of operations in all lanes of their domains."""

    def __init__(self, executor: Any, numbers: Numbers, domains: Numbers) -> None:
        """Run operations. Raises the error if memory or the stack is short.

        numbers, domains: For each operation, int64 (operations,).
        """
        pairs = np.unique(np.stack([domains, numbers]), axis=1)
        self._schedule = executor.schedule(pairs[1], pairs[0])
        self._lanes = executor.domains
        rows = self._schedule.rows(self._lanes)
        self._firsts = rows.firsts
        self._values: list[Any] = [None] * len(rows.lanes)
        done = executor.run(self._schedule, self._note)
        if done.lost:
            raise next(iter(done.lost.values()))
        self._reasons = done.reasons.of(self._schedule.numbers)
        outputs = zip(self._schedule.domains.tolist(), self._schedule.outputs.tolist(), strict=True)
        self._outputs = {output: place for place, output in enumerate(outputs)}
        self._calls = {number: k for k, number in enumerate(self._schedule.numbers.tolist())}

    def _note(self, ready: Ready) -> None:
        heap, words = ready.values.on_host(ready.words)
        of_words = isinstance(heap, Heap)
        with computing_on(CPU):
            values = WordColumn(heap, words).decode() if of_words else heap.column(words).decode()
        self._values[ready.first : ready.first + len(values)] = values

    def of(self, domain: int, number: int) -> list[tuple[Any, Reason]]:
        """Return the value and the reason of an operation in each lane of a domain."""
        output = self._outputs[domain, number] - int(self._schedule.first_outputs[domain])
        call = self._calls[number]
        return [
            (self._values[self._firsts[lane] + output], Reason(self._reasons[lane, call]))
            for lane in np.flatnonzero(self._lanes == domain).tolist()
        ]


def _column(cases: list[Expected], name: str, chosen: Sequence[int]) -> Column:
    return encode([getattr(sample, name) for k in chosen for sample in cases[k].samples])


def _words(cases: list[Expected], name: str, heap: Heap | DeviceHeap) -> Any:
    values = [getattr(sample, name) for case in cases for sample in case.samples]
    return heap.bring(lambda here: here.put_all(values))


def _finding(
    workload: Workload[Any], found: _CaseValues, domain: int, case: Expected, numbers: Numbers
) -> Finding | None:
    for place, (number, outcomes) in enumerate(zip(numbers.tolist(), case.outcomes, strict=False)):
        given = found.of(domain, number)
        for lane, ((value, reason), expected) in enumerate(zip(given, outcomes, strict=True)):
            other = LaneOutcome(value, reason, expected.spent)
            if not expected.same(other, workload.language):
                return Finding(place + 1, lane, str(expected), f"side by side: {other}")
    return None
