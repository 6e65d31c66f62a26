"""Evaluates programs, each on samples of its own."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from itertools import count
from typing import Any

import numpy as np

from megabatt.runtime.engine.executor.schedule import Rows, Schedule
from megabatt.runtime.engine.machine.loops import Numbers
from megabatt.runtime.garbage import no_collection
from megabatt.runtime.megabatch import given
from megabatt.runtime.megabatch.evaluation.failures import failures_of
from megabatt.runtime.megabatch.evaluation.judging import Judge, ResultTable
from megabatt.runtime.megabatch.evaluation.merged import Merged, evaluating, lost_outputs
from megabatt.runtime.megabatch.evaluation.outputs import Columns, check_outputs
from megabatt.runtime.megabatch.evaluation.result import Evaluation, EvaluationCall
from megabatt.runtime.megabatch.workload import Workload
from megabatt.runtime.program import Program

_PAIRS_AT_ONCE = 1024
"""The most programs to merge at a time."""


def evaluate_each(
    pairs: Iterable[tuple[Program, Any]],
    *,
    device: str = "auto",
    max_elements: int | None = None,
    memory: int | str | None = None,
    workload: str | Workload[Any] = "arc",
    outputs: str = "fits",
    blind: bool = False,
    workers: int | None = None,
) -> list[Evaluation]:
    """Evaluate programs side by side, each on samples of its own.

    Args:
        pairs: Pairs (program, samples), with samples in any form that `mb.evaluate` takes.
        device: "auto", "cpu" or "cuda".
        max_elements: The most container elements that one operation may build; by default the
            language's limit.
        memory: The most memory for values, in bytes or as in "2GB"; by default half of the free
            memory.
        workload: The language and its samples: the name of a workload, or a `Workload`.
        outputs: The outputs to keep: "none", "fits" (of programs that fit) or "all". Where no
            output is known, no program fits: say "all".
        blind: Give None to programs that read the expected output.
        workers: The most threads to use; by default one for each core.

    Returns:
        An evaluation of one program for each pair. `seconds` and `host_share` are measured over all
        pairs that ran together.

    Raises:
        TypeError: An argument has the wrong type.
        ValueError: An argument has the right type and a wrong value.
    """
    check_outputs(outputs)
    chosen = given.workload_of(workload)
    limit, most_bytes = given.limit_of(chosen, max_elements), given.memory_of(memory)
    threads = given.workers_of(workers)
    found = given.pairs_of(pairs)
    of_given = {id(samples): samples for _, samples in found}
    known = {key: given.samples_of(chosen, samples) for key, samples in of_given.items()}
    opened = given.device_of(device)
    evaluations: list[Evaluation] = []
    for at in range(0, len(found), _PAIRS_AT_ONCE):
        each = _Each(chosen, found[at : at + _PAIRS_AT_ONCE], known, outputs)
        with evaluating(chosen, opened), no_collection():
            evaluations += each.evaluations(limit, blind, most_bytes, threads)
    return evaluations


class _Each:
    """Some programs, each on samples of its own.

    A domain is the samples of a program. Programs with the same object as samples share a domain.
    """

    def __init__(
        self,
        workload: Workload[Any],
        pairs: list[tuple[Program, Any]],
        known: dict[int, Sequence[Any]],
        outputs: str,
    ) -> None:
        """Prepare to evaluate. known: The samples of each object of `pairs`, by the object's id."""
        self._workload = workload
        self._programs = [program for program, _ in pairs]
        self._keep = outputs
        keys = [id(samples) for _, samples in pairs]
        domains = dict(zip(dict.fromkeys(keys), count()))
        self._samples = [known[key] for key in domains]
        self._domains = np.array([domains[key] for key in keys], dtype=np.int64)
        sizes = np.array(list(map(len, self._samples)), dtype=np.int64)
        self._lanes = sizes[self._domains]
        self._known_of_domains = np.concatenate(list(map(workload.known, self._samples)))
        before = (np.cumsum(sizes) - sizes)[self._domains] - np.cumsum(self._lanes) + self._lanes
        self._known = self._known_of_domains[
            np.repeat(before, self._lanes) + np.arange(self._lanes.sum())
        ]

    def evaluations(
        self, limit: int, blind: bool, most_bytes: Callable[[], int], workers: int
    ) -> list[Evaluation]:
        """Evaluate each program. most_bytes: Returns the most bytes for values."""
        began = time.perf_counter()
        merged = Merged(self._workload, limit, blind)
        loaded = merged.add(self._programs, self._domains)
        numbers, errors = loaded.outputs, dict(loaded.wrong)
        checked = time.perf_counter()
        right = np.flatnonzero(numbers >= 0)
        values = len(merged.operations)
        keys = self._domains[right] * values + numbers[right]
        distinct, which = np.unique(keys, return_inverse=True)
        domains, wanted = np.divmod(distinct, values)
        executor = merged.executor(self._samples, False, most_bytes, workers)
        schedule = executor.schedule(wanted, domains)
        known = self._known_of_domains
        lanes = np.lexsort((~known, executor.domains))  # tests last: all misses are known before
        rows = schedule.rows(executor.domains[lanes])
        expected = executor.words_of_input(merged.expected, lanes) if known.any() else None
        columns = Columns()
        judge = Judge(self._workload, columns, self._keep, False, known[lanes], rows, expected)
        done = executor.run(schedule, judge, lanes)
        place = schedule.found_at[which]
        for output, why in lost_outputs(schedule, done, judge).items():
            errors.update(dict.fromkeys(right[place == output].tolist(), why))
        computed = ~np.isin(right, list(errors))
        table = ResultTable.empty(1, self._known, columns, False)
        programs, place = right[computed], place[computed]
        index, of_rows = self._places(programs, place, schedule, rows, lanes)
        failures = failures_of(
            loaded, programs, self._lanes[programs], merged.operations, schedule, done, rows,
            of_rows,
        )  # fmt: skip
        table.put((0, index), judge, of_rows, failures)
        lost = right[~computed]
        table.lose((0, np.isin(np.repeat(np.arange(len(self._lanes)), self._lanes), lost)))
        if self._keep == "fits":
            self._keep_fits(table)
        call = EvaluationCall(
            programs=len(self._programs),
            workload=self._workload,
            max_elements=limit,
            blind=blind,
            outputs=self._keep,
            seen=0,
            host_share=done.host_lanes / max(done.call_lanes, 1),
            seconds=time.perf_counter() - began,
            checking_seconds=checked - began,
        )
        ends = np.cumsum(self._lanes)
        parts = map(slice, (ends - self._lanes).tolist(), ends.tolist())
        return [
            Evaluation(
                [program], {0: errors[k]} if k in errors else {},
                table, part, self._samples[domain], call,
            )
            for k, (program, domain, part) in enumerate(
                zip(self._programs, self._domains.tolist(), parts, strict=True)
            )
        ]  # fmt: skip

    def _keep_fits(self, table: ResultTable) -> None:
        """Forget the outputs of programs with a wrong output on any sample."""
        of_samples = np.repeat(np.arange(len(self._lanes)), self._lanes)
        misses = np.zeros(len(self._lanes), dtype=np.bool_)
        misses[of_samples[self._known & ~table.matches[0]]] = True
        table.outputs.forget((0, misses[of_samples]))

    def _places(
        self, programs: Numbers, outputs: Numbers, schedule: Schedule, rows: Rows, lanes: Numbers
    ) -> tuple[Numbers, Numbers]:
        """Return the places of some programs' samples in the table, and their rows in the run.

        outputs: The programs' places in the schedule. lanes: The samples of all domains, in the
        order of the run.
        """
        counts = self._lanes[programs]
        of_programs = np.repeat(np.arange(len(programs)), counts)
        turn = np.arange(len(of_programs)) - np.repeat(np.cumsum(counts) - counts, counts)
        domains = schedule.domains[outputs][of_programs]
        sizes = np.array(list(map(len, self._samples)), dtype=np.int64)
        first_lanes = (np.cumsum(sizes) - sizes)[domains]
        firsts = (np.cumsum(self._lanes) - self._lanes)[programs][of_programs]
        lane = first_lanes + turn
        of_rows = (
            rows.firsts[lane]
            + (outputs - schedule.first_outputs[schedule.domains[outputs]])[of_programs]
        )
        return firsts + lanes[lane] - first_lanes, of_rows
