"""Evaluates programs, each on samples of its own."""

from __future__ import annotations

import time
from collections.abc import Iterable
from itertools import chain
from typing import Any

import numpy as np

from megabatt.runtime.engine.device.device import computing_on
from megabatt.runtime.engine.machine.values import NoWord
from megabatt.runtime.engine.plan.graph import Distrusted
from megabatt.runtime.engine.plan.plan import Numbers
from megabatt.runtime.megabatch import given
from megabatt.runtime.megabatch.evaluation.first_use import telling_of_compilation
from megabatt.runtime.megabatch.evaluation.judging import Asked, Judge, known_of
from megabatt.runtime.megabatch.evaluation.merged import Merged, lost_outputs, next_way, way_for
from megabatt.runtime.megabatch.evaluation.outputs import check_outputs
from megabatt.runtime.megabatch.evaluation.result import Evaluation
from megabatt.runtime.megabatch.workload import Workload
from megabatt.runtime.program import Program

_PAIRS_AT_ONCE = 1024
"""Programs that are merged into one graph."""


def evaluate_each(
    pairs: Iterable[tuple[Program, Any]],
    *,
    device: str = "auto",
    max_elements: int | None = None,
    workload: str | Workload[Any] = "arc",
    outputs: str = "fits",
    blind: bool = False,
) -> list[Evaluation]:
    """Evaluate programs on samples of their own, all side by side.

    pairs: (program, samples), samples as `Evaluator` takes them. outputs: as of
    `Evaluator.evaluate`; blind: as of `Evaluator`. Returns an evaluation of one program for each
    pair. `seconds` and `host_share` are those of all that ran beside it. Raises TypeError or
    ValueError.
    """
    check_outputs(outputs)
    chosen = given.workload_of(workload)
    limit = given.limit_of(chosen, max_elements)
    found = given.pairs_of(pairs)
    opened = given.device_of(device, 0)
    evaluations: list[Evaluation] = []
    for at in range(0, len(found), _PAIRS_AT_ONCE):
        each = _Each(chosen, found[at : at + _PAIRS_AT_ONCE], outputs)
        with chosen.language.in_use(), computing_on(opened), telling_of_compilation():
            evaluations += each.evaluated(limit, blind, way_for(chosen))
    return evaluations


class _Each:
    """Some programs, each on samples of its own.

    A domain is the samples of a program; programs that are given the same object share theirs.
    """

    def __init__(
        self, workload: Workload[Any], pairs: list[tuple[Program, Any]], outputs: str
    ) -> None:
        self._workload = workload
        self._programs = [program for program, _ in pairs]
        self._keep = outputs
        self._samples: list[list[Any]] = []
        self._domains: list[int] = []
        of_given: dict[int, int] = {}
        for _, samples in pairs:
            domain = of_given.setdefault(id(samples), len(self._samples))
            if domain == len(self._samples):
                self._samples.append(given.samples_of(workload, samples))
            self._domains.append(domain)
        of_programs = [self._samples[domain] for domain in self._domains]
        self._lanes = np.array(list(map(len, of_programs)), dtype=np.int64)
        self._known = known_of(chain.from_iterable(of_programs))

    def evaluated(self, limit: int, blind: bool, by: str) -> list[Evaluation]:
        """Evaluate each program. by: one of `merged.WAYS`."""
        try:
            return self.evaluations(Merged(self._workload, limit, blind, by))
        except (NoWord, Distrusted):
            return self.evaluated(limit, blind, next_way(by))

    def evaluations(self, merged: Merged) -> list[Evaluation]:
        """Evaluate each program. merged: a graph with no program in it."""
        began = time.perf_counter()
        numbers, errors = merged.add(self._programs, self._domains)
        checked = time.perf_counter()
        run = merged.run_on(self._samples)
        right = np.flatnonzero(numbers >= 0)
        members, begins = merged.make(run, numbers[right])
        lost = lost_outputs(run, members, begins)
        if lost:
            errors.update({int(right[place]): why for place, why in lost.items()})
            right = np.delete(right, list(lost))
            members, begins = merged.make(run, numbers[right])
        judge = Judge(self._workload, self._keep)
        table = judge.table(1, len(self._known))
        judged = judge.judge(run, self._asked(merged, right, numbers[right], members, begins))
        table.put((0, self._lanes_of(right)), judged)
        operations = np.zeros(len(numbers), dtype=np.int64)
        operations[right] = np.diff(begins)
        host_share = run.host_lanes / max(run.operation_lanes, 1)
        seconds = time.perf_counter() - began
        ends = np.cumsum(self._lanes)
        parts = map(slice, (ends - self._lanes).tolist(), ends.tolist())
        return [
            Evaluation(
                programs=[program],
                matches=table.matches[:, part],
                closeness=None,
                known=self._known[part],
                failed=table.failed[:, part],
                errors={0: errors[k]} if k in errors else {},
                operations=count,
                seen=0,
                host_share=host_share,
                seconds=seconds,
                checking_seconds=checked - began,
                _outputs=table.outputs.of(part),
                _kept=self._keep,
            )
            for k, (program, part, count) in enumerate(
                zip(self._programs, parts, operations.tolist(), strict=True)
            )
        ]

    def _lanes_of(self, programs: Numbers) -> Numbers:
        """Return the places of some programs' samples among the samples of all."""
        chosen = np.zeros(len(self._programs), dtype=np.bool_)
        chosen[programs] = True
        return np.flatnonzero(np.repeat(chosen, self._lanes))

    def _asked(
        self, merged: Merged, programs: Numbers, numbers: Numbers, members: Numbers, begins: Numbers
    ) -> Asked:
        """Say what is asked of the outputs of some programs. programs: their places."""
        expected = merged.expected(range(len(self._samples)))
        firsts = np.cumsum(self._lanes) - self._lanes
        return Asked(
            numbers=numbers,
            expected=expected[np.array(self._domains)[programs]],
            lanes=self._lanes[programs],
            members=members,
            begins=begins,
            known=self._known[self._lanes_of(programs)],
            may_fit=np.logical_or.reduceat(self._known, firsts)[programs],
        )
