"""Evaluates programs on the same samples, call after call."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from megabatt.runtime.engine.executor.host import HostExecutor, Outgrown, share_out
from megabatt.runtime.engine.executor.loading import Loaded
from megabatt.runtime.engine.executor.schedule import Ready
from megabatt.runtime.engine.machine.loops import Numbers
from megabatt.runtime.megabatch import given
from megabatt.runtime.megabatch.evaluation.failures import failures_of
from megabatt.runtime.megabatch.evaluation.judging import Judge, ResultTable
from megabatt.runtime.megabatch.evaluation.merged import (
    Executor,
    Merged,
    evaluating,
    lost_outputs,
)
from megabatt.runtime.megabatch.evaluation.outputs import Columns, check_outputs
from megabatt.runtime.megabatch.evaluation.result import Evaluation, EvaluationCall
from megabatt.runtime.megabatch.workload import Workload
from megabatt.runtime.program import Program
from megabatt.runtime.vocabulary import counted

_LANES_AT_ONCE = 1 << 17
"""The most programs times samples to evaluate at once."""
_LEAST_PART = 1024
"""The number of programs from which a further thread pays."""
_PARTS = 2
"""The parts of a thread's programs; few, since parts repeat the operations that they share."""
_MOST_KEPT = 64
"""The most samples for which an evaluator keeps values."""
_MOST_VALUES = 4_000_000
"""The most operations that an evaluator keeps; with more, it forgets all operations."""


class _State(NamedTuple):
    """Operations, and their values as far as an executor keeps them."""

    merged: Merged
    executor: Executor


class Evaluator:
    """Evaluates programs on the same samples, call after call, each distinct operation once.

    An evaluator remembers the operations of earlier calls and, while memory lasts, their values;
    forgetting changes no result. Evaluators share nothing, so each thread may use its own.
    """

    def __init__(
        self,
        samples: Any,
        *,
        device: str = "auto",
        max_elements: int | None = None,
        memory: int | str | None = None,
        workload: str | Workload[Any] = "arc",
        blind: bool = False,
        keeps: bool = True,
        workers: int | None = None,
    ) -> None:
        """Set up an evaluator on samples.

        Args:
            samples: Pairs (input, output) or a task, in any form that `mb.evaluate` takes.
            device: "auto", "cpu" or "cuda".
            max_elements: The most container elements that one operation may build; by default the
                language's limit.
            memory: The most memory for values, in bytes or as in "2GB"; by default half of the free
                memory.
            workload: The language and its samples: the name of a workload, or a `Workload`.
            blind: Give None to programs that read the expected output.
            keeps: Keep values for later calls; for more than 64 samples, no values are kept.
            workers: The most threads to use if values are not kept; by default one for each core.

        Raises:
            TypeError: An argument has the wrong type.
            ValueError: An argument has the right type and a wrong value.
        """
        self.workload = given.workload_of(workload)
        self.samples = given.samples_of(self.workload, samples)
        self.max_elements = given.limit_of(self.workload, max_elements)
        self._most_bytes = given.memory_of(memory)
        self._workers = given.workers_of(workers)
        self.blind = blind
        self._keeps = keeps and len(self.samples) <= _MOST_KEPT
        self.device = given.device_of(device, len(self.samples))
        self._state: _State | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_state": None}  # another process begins anew

    def __repr__(self) -> str:
        samples = counted(len(self.samples), "sample")
        return f"Evaluator({samples}, {self.max_elements:,} elements, {self.device.name})"

    def evaluate(
        self,
        programs: Iterable[Program],
        *,
        outputs: str = "fits",
        stop_at_miss: bool = False,
        closeness: bool = False,
    ) -> Evaluation:
        """Evaluate programs on all samples.

        Args:
            programs: Programs of `mb.program`, `mb.read` or `mb.parse`.
            outputs: The outputs to keep: "none", "fits" (of programs that fit) or "all". Where no
                output is known, no program fits: say "all".
            stop_at_miss: Run all programs on the first sample with a known output. Run a program on
                the other samples only if the program is right on the first.
            closeness: Measure how close each output comes to the expected output.
        """
        check_outputs(outputs)
        listed = given.programs_of(programs)
        with evaluating(self.workload, self.device):
            one_pass = partial(_Pass, self, listed, outputs, stop_at_miss, closeness)
            threads = self._threads_for(listed)
            if not self._keeps and threads > 1:
                return one_pass(None, threads).made()
            # The evaluator keeps no state meanwhile, so that it begins anew after an exception.
            state, self._state = self._state, None
            if state is None or not state.merged.operations.is_current:
                state = self._begun(self._keeps)
            try:
                finished = one_pass(state)
                evaluation = finished.made()
            except Outgrown:
                return one_pass(None, threads).made()
            if not finished.lost and len(state.merged.operations) <= _MOST_VALUES:
                self._state = state
            return evaluation

    def forget(self) -> None:
        """Forget all operations and values."""
        self._state = None

    def _begun(self, keeps: bool, threads: int = 1) -> _State:
        """Return a state without operations.

        keeps: Whether to keep the values of all samples. threads: The threads that share the cores.
        """
        merged = Merged(self.workload, self.max_elements, self.blind)
        workers = max(self._workers // threads, 1)
        return _State(merged, merged.executor([self.samples], keeps, self._most_bytes, workers))

    def _threads_for(self, programs: list[Program]) -> int:
        """Count the threads that share programs; for one thread, samples may be shared out."""
        if self.device.asks_together or not self.workload.language.of_words:
            return 1
        return max(min(self._workers, len(programs) // _LEAST_PART), 1)


class _Pass:
    """One call of `Evaluator.evaluate`.

    Threads take parts of the programs in turn, and share nothing but the results: operations that
    one thread writes and the other reads would be slow for both.

    lost: Whether any value could not be computed; its default must not be kept for later calls.
    """

    def __init__(
        self,
        evaluator: Evaluator,
        programs: list[Program],
        outputs: str,
        stop_at_miss: bool,
        closeness: bool,
        state: _State | None,
        threads: int = 1,
    ) -> None:
        """Prepare the call. state: The state to use; None to begin each part with a new one."""
        self._workload = evaluator.workload
        self._evaluator = evaluator
        self._state = state
        self._threads = threads
        self._programs = programs
        self._keep = outputs
        self._stop = stop_at_miss
        self._closeness = closeness
        self._known = evaluator.workload.known(evaluator.samples)
        self._columns = Columns()
        self._table = ResultTable.empty(len(programs), self._known, self._columns, closeness)
        self._errors: dict[int, str] = {}
        self._needed: list[Numbers] = []
        self.lost = False
        self._host = self._lanes = 0
        self._checking = 0.0
        self._judging, self._counting = threading.Lock(), threading.Lock()
        self._executors: dict[int, Executor] = {}
        self._stopped = False

    def made(self) -> Evaluation:
        """Evaluate the programs."""
        began = time.perf_counter()
        table = self._table
        before = len(self._state.merged.operations) if self._state else 0
        share_out([self._evaluate] * self._threads, self._parts(), self._stop_soon)
        evaluation = Evaluation(
            programs=self._programs,
            errors=dict(sorted(self._errors.items())),
            _table=table,
            _part=slice(None),
            _samples=self._evaluator.samples,
            _call=EvaluationCall(
                programs=len(self._programs),
                workload=self._workload,
                max_elements=self._evaluator.max_elements,
                blind=self._evaluator.blind,
                outputs=self._keep,
                seen=self._seen(before),
                host_share=self._host / max(self._lanes, 1),
                seconds=time.perf_counter() - began,
                checking_seconds=self._checking,
            ),
        )
        if self._keep == "fits":
            table.outputs.forget(~evaluation.fits)
        return evaluation

    def _seen(self, before: int) -> int:
        """Count the needed operations among the first `before` values."""
        needed = np.zeros(before, dtype=np.bool_)
        for members in self._needed:
            needed[members[members < before]] = True
        return int(needed.sum())

    def _stop_soon(self) -> None:
        """Make all threads' runs end soon."""
        self._stopped = True
        for executor in list(self._executors.values()):
            if isinstance(executor, HostExecutor):
                executor.stopped = True

    def _parts(self) -> list[slice]:
        """Divide the programs into parts within `_LANES_AT_ONCE`."""
        count = len(self._programs)
        at_once = max(_LANES_AT_ONCE // len(self._known), 1)
        if self._threads > 1:
            at_once = min(at_once, max(-(-count // (self._threads * _PARTS)), _LEAST_PART))
        return [slice(at, min(at + at_once, count)) for at in range(0, count, at_once)]

    def _evaluate(self, part: slice) -> None:
        """Check and evaluate a part of the programs."""
        lanes = np.argsort(~self._known, kind="stable")  # tests last: all misses are known before
        with self._workload.language.in_use():
            began = time.perf_counter()
            state = self._state or self._evaluator._begun(False, self._threads)
            loaded = state.merged.add(self._programs[part])
            with self._counting:
                self._checking += (time.perf_counter() - began) / self._threads
            self._executors[threading.get_ident()] = state.executor
            if self._stopped:
                return
            self._errors.update({part.start + k: why for k, why in loaded.wrong.items()})
            right = np.flatnonzero(loaded.outputs >= 0)
            if self._stop and self._known.any():
                self._run(state, loaded, part.start, right, lanes[:1])
                right = right[self._table.matches[part.start + right, lanes[0]]]
                lanes = lanes[1:]
            if len(lanes):
                self._run(state, loaded, part.start, right, lanes)

    def _run(
        self, state: _State, loaded: Loaded, first: int, programs: Numbers, lanes: Numbers
    ) -> None:
        """Run loaded programs on some samples.

        first: The place of the first loaded program among all programs. programs: The places of
        the programs among the loaded programs.
        """
        merged, executor = state
        wanted, which = np.unique(loaded.outputs[programs], return_inverse=True)
        schedule = executor.schedule(wanted, np.zeros_like(wanted), lanes)
        rows, known = schedule.rows(np.zeros_like(lanes)), self._known[lanes]
        expected = executor.words_of_input(merged.expected, lanes) if known.any() else None
        judge = Judge(
            self._workload, self._columns, self._keep, self._closeness, known, rows, expected
        )
        done = executor.run(schedule, partial(self._judge, judge), lanes)
        self.lost = self.lost or bool(done.lost)
        place = schedule.found_at[which]
        for output, why in lost_outputs(schedule, done, judge).items():
            for program in (first + programs[place == output]).tolist():
                self._errors.setdefault(program, why)
                self._table.lose(program)
        computed = ~np.isin(first + programs, list(self._errors))
        programs = programs[computed]
        of_rows = place[computed][:, None] + rows.firsts
        counts = np.full(len(programs), len(lanes))
        failures = failures_of(
            loaded, programs, counts, merged.operations, schedule, done, rows, of_rows.ravel()
        )
        self._table.put(_index(first + programs, lanes), judge, of_rows, failures)
        if self._state:
            self._needed.append(schedule.members)
        with self._counting:
            self._host += done.host_lanes
            self._lanes += done.call_lanes

    def _judge(self, judge: Judge, ready: Ready) -> None:
        """Judge outputs, one thread at a time, since kept outputs share a heap."""
        with self._judging:
            judge(ready)


def _index(programs: Numbers, samples: Numbers) -> Any:
    """Return an index into arrays (programs, samples): slices, which are faster, if possible.

    programs, samples: int64 (n,), distinct places.
    """
    places = programs, samples
    if all(len(some) and (np.diff(some) == 1).all() for some in places):
        return tuple(slice(int(some[0]), int(some[-1]) + 1) for some in places)
    return np.ix_(*places)
