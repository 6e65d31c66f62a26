"""Compares outputs with the expected outputs, counts failures, keeps outputs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from megabatt.runtime.engine.device.arrays import xp
from megabatt.runtime.engine.device.device import CPU, computing_on
from megabatt.runtime.engine.executor.schedule import Ready, Rows
from megabatt.runtime.engine.language.reasons import Reason
from megabatt.runtime.engine.machine.loops import Numbers
from megabatt.runtime.megabatch.evaluation.failures import Failures
from megabatt.runtime.megabatch.evaluation.outputs import Bits, Columns, Outputs
from megabatt.runtime.megabatch.workload import Workload


@dataclass
class ResultTable:
    """The results of programs on samples: arrays (programs, samples), as in `Evaluation`.

    known: bool (samples,), where the expected output is known.
    """

    known: Bits
    matches: Bits
    cells: Bits
    closeness: Bits | None
    failed: Bits
    first_failure: Bits
    reason: Bits
    outputs: Outputs

    @classmethod
    def empty(cls, programs: int, known: Bits, columns: Columns, closeness: bool) -> ResultTable:
        """Make a table of programs that were not run: no output matches.

        columns: The columns that keep the outputs. closeness: Whether closeness is measured.
        """
        samples = len(known)
        shape = (programs, samples)
        return cls(
            known=known,
            matches=np.zeros(shape, dtype=np.bool_),
            cells=np.zeros(shape, dtype=np.float32),
            closeness=np.zeros(shape, dtype=np.float32) if closeness else None,
            failed=np.full(shape, -1, dtype=np.int64),
            first_failure=np.full(shape, -1, dtype=np.int32),
            reason=np.zeros(shape, dtype=np.uint8),
            outputs=Outputs.none(programs, samples, columns),
        )

    def of(self, samples: slice) -> ResultTable:
        """Return the part of this table on some samples, without a copy."""
        return ResultTable(
            known=self.known[samples],
            matches=self.matches[:, samples],
            cells=self.cells[:, samples],
            closeness=None if self.closeness is None else self.closeness[:, samples],
            failed=self.failed[:, samples],
            first_failure=self.first_failure[:, samples],
            reason=self.reason[:, samples],
            outputs=self.outputs.of(samples),
        )

    def put(
        self, index: Any, judge: Judge, rows: Numbers, failures: Failures
    ) -> None:
        """Write the results of outputs to the table.

        index: An index into arrays (programs, samples). rows: The outputs' rows in the judge, in
        the index's shape.
        """
        self.failed[index], self.first_failure[index], self.reason[index] = (
            found.reshape(rows.shape) for found in failures
        )
        self.matches[index] = judge.matches[rows]
        self.cells[index] = judge.cells[rows]
        if self.closeness is not None:
            self.closeness[index] = judge.closeness[rows]
        self.outputs.place(index, judge.columns_of[rows], judge.kept[rows])

    def lose(self, index: Any) -> None:
        """Note that programs were not computed, whatever is in the table. index: As in `put`."""
        self.matches[index] = False
        self.cells[index] = 0
        if self.closeness is not None:
            self.closeness[index] = 0
        self.failed[index] = self.first_failure[index] = -1
        self.reason[index] = Reason.NOT_COMPUTED
        self.outputs.forget(index)


class Judge:
    """Judges a run's outputs as soon as they are ready, and keeps the chosen outputs.

    Arrays have a row for each output in a lane, see `Ready`.

    matches      bool: whether the output equals the expected output
    cells        float32: the share of right cells, as the workload defines cells
    closeness    float32: how close the output comes, as the workload rates it; 0 if not measured
    columns_of   int32: the number of the column that keeps the output
    kept         int64: the lane of the output in this column; -1 for an output that is not kept

    lost         errors that prevented judging or keeping an output in some lane, by the output's
                 place in the schedule
    """

    def __init__(
        self,
        workload: Workload[Any],
        columns: Columns,
        keep: str,
        closeness: bool,
        known: Bits,
        rows: Rows,
        expected: Any,
    ) -> None:
        """Set up a judge.

        columns: The columns that keep the outputs. keep: Which outputs to keep, one of `OUTPUTS`.
        closeness: Whether to measure closeness. known: bool (lanes,), where the expected output is
        known. rows: The rows of outputs in lanes. expected: The words of the expected outputs; None
        if no expected output is known.
        """
        self._workload = workload
        self._columns = columns
        self._keep = keep
        self._measures = closeness
        self._expected = expected
        self._rows = rows
        self._known = known[rows.lanes]
        count = len(rows.lanes)
        self._may_fit = np.zeros(int(rows.outputs.max(initial=-1)) + 1, dtype=np.bool_)
        self._may_fit[rows.outputs[self._known]] = True
        self.matches = np.zeros(count, dtype=np.bool_)
        self.cells = np.zeros(count, dtype=np.float32)
        self.closeness = np.zeros(count, dtype=np.float32)
        self.columns_of = np.zeros(count, dtype=np.int32)
        self.kept = np.full(count, -1, dtype=np.int64)
        self.lost: dict[int, Exception] = {}

    def __call__(self, ready: Ready) -> None:
        """Judge new outputs. If memory is short for a single output, the output is lost."""
        try:
            self._judge(ready)
        except MemoryError as shortage:
            count = len(ready.words)
            if count == 1:
                self.lost[int(self._rows.outputs[ready.first])] = shortage
            else:
                for part in (slice(0, count // 2), slice(count // 2, count)):
                    self(Ready(ready.first + part.start, ready.values, ready.words[part]))

    def _judge(self, ready: Ready) -> None:
        rows = slice(ready.first, ready.first + len(ready.words))
        known = np.flatnonzero(self._known[rows])
        if len(known):
            values, words = ready.values, ready.words[xp.asarray(known)]
            expected = self._expected[xp.asarray(self._rows.lanes[rows][known])]
            right = values.same(words, expected)
            self.matches[rows][known] = self.cells[rows][known] = right
            wrong = np.flatnonzero(~right)
            if len(wrong):
                of_wrong = xp.asarray(wrong)
                pairs = words[of_wrong], expected[of_wrong]
                share = self._measured(self._workload.cells, values, *pairs)
                self.cells[rows][known[wrong]] = share
            if self._measures:
                rated = self._measured(self._workload.closeness_on_host, values, words, expected)
                self.closeness[rows][known] = rated
        chosen = np.flatnonzero(self._chosen(rows))
        if len(chosen):
            values, words = ready.values.on_host(ready.words[xp.asarray(chosen)])
            self.columns_of[rows] = self._columns.keep(values, words)
            self.kept[rows][chosen] = np.arange(len(chosen))

    def _measured(self, measure: Callable[..., Any], values: Any, words: Any, expected: Any) -> Any:
        """Compare outputs with the expected outputs on the host, by a measure; float32 (n,)."""
        values, both = values.on_host(xp.concatenate([words, expected]))
        outputs, wanted = np.split(both, 2)
        with computing_on(CPU):
            return measure(values, outputs, wanted)

    def _chosen(self, rows: slice) -> Bits:
        """Flag the outputs to keep: all outputs, or outputs of programs without a miss so far."""
        if self._keep != "fits":
            return np.full(rows.stop - rows.start, self._keep == "all")
        outputs = self._rows.outputs[rows]
        self._may_fit[outputs[self._known[rows] & ~self.matches[rows]]] = False
        return self._may_fit[outputs]
