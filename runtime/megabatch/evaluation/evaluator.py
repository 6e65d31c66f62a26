"""Evaluates programs on the same samples, call after call."""

from __future__ import annotations

import time
from collections.abc import Iterable
from functools import partial
from itertools import repeat
from typing import Any

import numpy as np

from megabatt.runtime.engine.device.device import computing_on
from megabatt.runtime.engine.machine.values import NoWord
from megabatt.runtime.engine.plan.operands import Numbers
from megabatt.runtime.megabatch import given
from megabatt.runtime.megabatch.evaluation.first_use import telling_of_compilation
from megabatt.runtime.megabatch.evaluation.judging import AnyRun, Asked, Judge, known_of
from megabatt.runtime.megabatch.evaluation.merged import (
    MACHINE,
    Merged,
    lost_outputs,
    next_way,
    way_for,
)
from megabatt.runtime.megabatch.evaluation.outputs import check_outputs
from megabatt.runtime.megabatch.evaluation.result import Evaluation
from megabatt.runtime.megabatch.workload import Workload
from megabatt.runtime.program import Program

_LANES_AT_ONCE = 1 << 15
"""How many programs times samples are evaluated at once."""
_SAMPLES_AT_ONCE = 16
"""How many samples the machine runs programs on at once: the values of few stay in the caches."""
_MOST_BYTES = 1 << 30
"""Bytes of kept values after which an evaluator forgets them."""
_MOST_VALUES = 4_000_000
"""Operations after which an evaluator forgets all of them."""


class Evaluator:
    """Evaluates programs on the same samples, call after call, each operation once.

    It keeps the operations that it has seen and the values that they have made, and forgets all of
    them when they are too many. Evaluators do not share anything: each may be used by a thread.
    """

    def __init__(
        self,
        samples: Any,
        *,
        device: str = "auto",
        max_elements: int | None = None,
        workload: str | Workload[Any] = "arc",
        blind: bool = False,
    ) -> None:
        """Set up an evaluator on samples.

        samples: pairs (input, output) or a task. max_elements: what an operation may build. blind:
        programs that read the expected output read None. Raises TypeError or ValueError where
        samples or options are not as they should be.
        """
        self.workload = given.workload_of(workload)
        self.samples = given.samples_of(self.workload, samples)
        self.max_elements = given.limit_of(self.workload, max_elements)
        self._blind = blind
        self.device = given.device_of(device, len(self.samples))
        self._by = way_for(self.workload)
        self.forget()

    def evaluate(
        self,
        programs: Iterable[Program],
        *,
        outputs: str = "fits",
        stop_at_miss: bool = False,
        closeness: bool = False,
    ) -> Evaluation:
        """Evaluate programs on all samples.

        outputs: whose outputs to keep for `Evaluation.output`: "none", of programs that fit
        ("fits"), or "all". stop_at_miss: run all programs on the first sample with a known output,
        and only those that are right there on the other samples. closeness: whether to measure it.
        """
        check_outputs(outputs)
        listed = given.programs_of(programs)
        begin = partial(_Pass, self, listed, outputs, stop_at_miss, closeness)
        if len(self.merged.graph) > _MOST_VALUES:
            self.forget()
        with self.workload.language.in_use(), telling_of_compilation():
            while True:
                try:
                    return begin().evaluation()
                except NoWord:
                    self._by = next_way(self._by)
                    self.forget()

    def forget(self) -> None:
        """Forget all operations."""
        self.merged = Merged(self.workload, self.max_elements, self._blind, self._by)
        self._runs: dict[tuple[int, ...], AnyRun] = {}

    def run(self, lanes: tuple[int, ...]) -> AnyRun:
        """Return the run on these samples, with what it has made so far unless it is too much.

        Others that were used longest ago are forgotten where all of them take too much.
        """
        run = self._runs.pop(lanes, None)
        if run is None or run.bytes_kept > _MOST_BYTES:
            run = self.merged.run_on([[self.samples[k] for k in lanes]])
        self._runs[lanes] = run
        kept = sum(other.bytes_kept for other in self._runs.values())
        for other in list(self._runs)[:-1]:
            if kept > _MOST_BYTES:
                kept -= self._runs.pop(other).bytes_kept
        return run

    @property
    def samples_at_once(self) -> int:
        """How many samples to run programs on at once."""
        on_cpu = self._by == MACHINE and not self.device.asks_together
        return _SAMPLES_AT_ONCE if on_cpu else len(self.samples)


class _Pass:
    """One call of `Evaluator.evaluate`."""

    def __init__(
        self,
        evaluator: Evaluator,
        programs: list[Program],
        outputs: str,
        stop_at_miss: bool,
        closeness: bool,
    ) -> None:
        self._evaluator = evaluator
        self._programs = programs
        self._keep = outputs
        self._stop = stop_at_miss
        self._known = known_of(evaluator.samples)
        self._judge = Judge(evaluator.workload, outputs, closeness)
        self._table = self._judge.table(len(programs), len(evaluator.samples))
        self._host = self._lanes = 0

    def evaluation(self) -> Evaluation:
        began = time.perf_counter()
        evaluator, table = self._evaluator, self._table
        graph = evaluator.merged.graph
        before = len(graph)
        numbers, self._errors = evaluator.merged.add(self._programs, repeat(0))
        checked = time.perf_counter()
        self._needed = np.zeros(len(graph), dtype=np.bool_)
        right = np.flatnonzero(numbers >= 0)
        every = tuple(range(len(evaluator.samples)))
        with computing_on(evaluator.device):
            if self._stop and self._known.any():
                first = int(np.argmax(self._known))
                self._evaluate(numbers, right, (first,))
                right = right[table.matches[right, first]]
                every = every[:first] + every[first + 1 :]
            if every:
                self._evaluate(numbers, right, every)
        evaluation = Evaluation(
            programs=self._programs,
            matches=table.matches,
            closeness=table.closeness,
            known=self._known,
            failed=table.failed,
            errors=self._errors,
            operations=int(self._needed.sum()),
            seen=int(self._needed[:before].sum()),
            host_share=self._host / max(self._lanes, 1),
            seconds=time.perf_counter() - began,
            checking_seconds=checked - began,
            _outputs=table.outputs,
            _kept=self._keep,
        )
        if self._keep == "fits":
            table.outputs.keep_only(evaluation.fits)
        return evaluation

    def _evaluate(self, numbers: Numbers, programs: Numbers, lanes: tuple[int, ...]) -> None:
        """Run programs (their places) on some samples, some of both at a time."""
        samples = self._evaluator.samples_at_once
        for first in range(0, len(lanes), samples):
            some = lanes[first : first + samples]
            at_once = max(_LANES_AT_ONCE // len(some), 1)
            for at in range(0, len(programs), at_once):
                chunk = programs[at : at + at_once]
                self._evaluate_chunk(chunk, numbers[chunk], some)

    def _evaluate_chunk(self, programs: Numbers, numbers: Numbers, lanes: tuple[int, ...]) -> None:
        run = self._evaluator.run(lanes)
        host, done = run.host_lanes, run.operation_lanes
        distinct, which = np.unique(numbers, return_inverse=True)
        members, begins = self._evaluator.merged.make(run, distinct)
        lost = lost_outputs(run, members, begins)
        if lost:
            computed = ~np.isin(which, list(lost))
            for program, place in zip(programs[~computed], which[~computed], strict=True):
                self._errors.setdefault(int(program), lost[int(place)])
            if computed.any():
                self._evaluate_chunk(programs[computed], numbers[computed], lanes)
            return
        self._needed[members] = True
        judged = self._judge.judge(run, self._asked(distinct, members, begins, lanes))
        shape = (len(distinct), len(lanes))
        of_programs = judged.mapped(lambda flat: flat.reshape(shape)[which])
        self._table.put(np.ix_(programs, np.array(lanes)), of_programs)
        self._host += run.host_lanes - host
        self._lanes += run.operation_lanes - done

    def _asked(
        self, numbers: Numbers, members: Numbers, begins: Numbers, lanes: tuple[int, ...]
    ) -> Asked:
        """Say what is asked of outputs that are all computed on these samples."""
        count = len(numbers)
        return Asked(
            numbers=numbers,
            expected=np.repeat(self._evaluator.merged.expected([0]), count),
            lanes=np.full(count, len(lanes)),
            members=members,
            begins=begins,
            known=np.tile(self._known[list(lanes)], count),
            may_fit=np.full(count, self._known.any()),
        )
