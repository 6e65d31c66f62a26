"""Outputs compared with what is expected, failures counted, outputs kept."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np

from megabatt.runtime.engine.device.device import to_host
from megabatt.runtime.engine.plan.on_columns import ColumnRun
from megabatt.runtime.engine.plan.on_machine import MachineRun
from megabatt.runtime.engine.plan.operands import Numbers
from megabatt.runtime.megabatch.evaluation.outputs import Bits, Columns, Outputs
from megabatt.runtime.megabatch.workload import Workload

AnyRun = ColumnRun | MachineRun
"""A run of a graph on columns, or on the machine."""


def known_of(samples: Iterable[Any]) -> Bits:
    """Flag the samples whose output is known; bool (samples,)."""
    return np.array([sample.expected is not None for sample in samples], dtype=np.bool_)


class Asked(NamedTuple):
    """Outputs to judge, each on samples of its own: the samples of an output, then the next one's.

    numbers    the outputs' numbers in the graph
    expected   the numbers of what is expected of them, which is a value of the graph too
    lanes      int64 (outputs,): how many samples each is computed on
    members    the operations of each output's cone, then the next one's, see `Cones`
    begins     int64 (outputs + 1,): where the cones begin and end
    known      bool, a flag for each lane: whether an output is expected
    may_fit    bool (outputs,): whether an output that misses nothing is one that fits
    """

    numbers: Numbers
    expected: Numbers
    lanes: Numbers
    members: Numbers
    begins: Numbers
    known: Bits
    may_fit: Bits


class Judged(NamedTuple):
    """What outputs came to. All arrays are flat: the samples of an output, then the next one's.

    matches     bool: whether the output is the one expected
    closeness   float: how close it comes, as the workload has it; None where it was not asked for
    failed      int64: failed operations of the output's cone
    column      the number of the column that outputs are kept in
    kept        int64: the lane of that column with this output, -1 where it is not kept
    """

    matches: Bits
    closeness: Bits | None
    failed: Numbers
    column: int
    kept: Numbers

    def mapped(self, arranged: Callable[[Bits], Bits]) -> Judged:
        """Return the same with its arrays arranged in another way."""
        matches, closeness, failed, column, kept = self
        return Judged(
            arranged(matches),
            None if closeness is None else arranged(closeness),
            arranged(failed),
            column,
            arranged(kept),
        )


class Table:
    """What programs came to on samples; arrays (programs, samples), as `Evaluation` has them.

    Nothing is put in it at first: no output matches, and no program was run.
    """

    def __init__(self, programs: int, samples: int, columns: Columns, closeness: bool) -> None:
        """Make an empty table. columns: keep the outputs. closeness: whether it is measured."""
        shape = (programs, samples)
        self.matches = np.zeros(shape, dtype=np.bool_)
        self.closeness = np.zeros(shape, dtype=np.float32) if closeness else None
        self.failed = np.full(shape, -1, dtype=np.int64)
        self.outputs = Outputs.none(programs, samples, columns)

    def put(self, index: Any, judged: Judged) -> None:
        """Put in what outputs came to, arranged as the index has it."""
        self.matches[index] = judged.matches
        self.failed[index] = judged.failed
        if self.closeness is not None:
            self.closeness[index] = judged.closeness
        self.outputs.place(index, judged.column, judged.kept)


class Judge:
    """Judges outputs of runs, and keeps those that are to be kept."""

    def __init__(self, workload: Workload[Any], keep: str, closeness: bool = False) -> None:
        """Set up a judge.

        keep: whose outputs to keep, one of `OUTPUTS`. closeness: whether to measure it.
        """
        self._columns = Columns()
        self._workload = workload
        self._keep = keep
        self._measures_closeness = closeness

    def table(self, programs: int, samples: int) -> Table:
        """Make a table for what it judges, with nothing in it."""
        return Table(programs, samples, self._columns, self._measures_closeness)

    def judge(self, run: AnyRun, asked: Asked) -> Judged:
        """Judge outputs that the run has made."""
        total = int(asked.lanes.sum())
        closeness = np.zeros(total, dtype=np.float32) if self._measures_closeness else None
        if not total:
            nothing = np.zeros(0, dtype=np.int64)
            return Judged(np.zeros(0, dtype=np.bool_), closeness, nothing, 0, nothing)
        numbers, expected = (np.repeat(n, asked.lanes) for n in (asked.numbers, asked.expected))
        lanes = np.arange(total) - np.repeat(np.cumsum(asked.lanes) - asked.lanes, asked.lanes)
        matches = np.zeros(total, dtype=np.bool_)
        known = np.flatnonzero(asked.known)
        if len(known):
            places = numbers[known], expected[known], lanes[known]
            matches[known] = run.are_same(*places)
            if closeness is not None:
                closeness[known] = self._closeness(run, *places)
        chosen = self._chosen(asked, matches)
        kept = np.full(total, -1, dtype=np.int64)
        kept[chosen] = np.arange(len(chosen))
        column = 0
        if len(chosen):
            column = self._columns.keep(run.picked_on_host(numbers[chosen], lanes[chosen]))
        return Judged(matches, closeness, _failures(run, asked), column, kept)

    def _closeness(self, run: AnyRun, numbers: Numbers, expected: Numbers, lanes: Numbers) -> Bits:
        """Measure how close values come to what is expected, each two in a lane."""
        if isinstance(run, MachineRun):
            both = np.concatenate([numbers, expected]), np.concatenate([lanes, lanes])
            heap, words = run.fetched(*both)
            return self._workload.closeness_of_words(heap, *np.split(words, 2))
        columns = run.picked(numbers, lanes), run.picked(expected, lanes)
        return to_host(self._workload.closeness(*columns))

    def _chosen(self, asked: Asked, matches: Bits) -> Numbers:
        """Find the outputs that are kept: their places among the samples of all."""
        chosen = np.full(len(matches), self._keep == "all")
        if self._keep == "fits":
            begins = np.cumsum(asked.lanes) - asked.lanes
            missed = np.logical_or.reduceat(asked.known & ~matches, begins)
            chosen = np.repeat(asked.may_fit & ~missed, asked.lanes)
        return np.flatnonzero(chosen)


def _failures(run: AnyRun, asked: Asked) -> Numbers:
    """Count the operations of each output's cone that failed, in each of its samples.

    Outputs with equally many samples are counted together.
    """
    sizes = np.diff(asked.begins)
    failed = np.zeros(int(asked.lanes.sum()), dtype=np.int64)
    for lanes in np.unique(asked.lanes).tolist():
        alike = asked.lanes == lanes
        begins = np.concatenate([[0], np.cumsum(sizes[alike])])
        found = run.failures(asked.members[np.repeat(alike, sizes)], begins, lanes)
        failed[np.repeat(alike, asked.lanes)] = found.ravel()
    return failed
