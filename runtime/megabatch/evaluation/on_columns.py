"""The executor for languages of columns, with the interface of the executors for words."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from megabatt.runtime.engine.columns import Column, concat, same
from megabatt.runtime.engine.columns.transfer import columns_to_host
from megabatt.runtime.engine.device.arrays import Array
from megabatt.runtime.engine.device.device import to_host, xp
from megabatt.runtime.engine.executor.columns import ColumnRun
from megabatt.runtime.engine.executor.host import MOST_BYTES
from megabatt.runtime.engine.executor.operations import Operations
from megabatt.runtime.engine.executor.schedule import Done, Ready, Reasons, Schedule
from megabatt.runtime.engine.language.reasons import SECOND_CHOSEN
from megabatt.runtime.engine.machine.loops import Numbers

InputColumns = Callable[[Sequence[int]], Column]
"""Returns the column of an input for the samples of some domains, domain by domain."""


class ColumnsExecutor:
    """Runs each operation on columns, for all lanes of the operation's domain at once.

    Values stay for later runs if `keeps` is set, until they take more than `most_bytes` returns.
    Otherwise they are dropped after their last use.
    """

    def __init__(
        self,
        operations: Operations,
        lanes: Sequence[int],
        inputs: Sequence[tuple[Numbers, InputColumns]],
        keeps: bool = False,
        most_bytes: Callable[[], int] = lambda: MOST_BYTES,
    ) -> None:
        """Prepare to run operations.

        lanes: The number of lanes of each domain. inputs: For each input, the number of its value
        in each domain, int64 (domains,), and a function that returns the input's columns.
        """
        self._operations = operations
        self._keeps = keeps
        self._most_bytes = most_bytes
        self._lanes = np.array(lanes, dtype=np.int64)
        self.domains = np.repeat(np.arange(len(lanes)), lanes)
        self._lane_in_domain = np.concatenate([np.arange(count) for count in lanes])
        self._inputs = inputs
        self._begin()

    def _begin(self) -> None:
        """Begin without values."""
        self._run = ColumnRun(self._operations, self._lanes.tolist(), self._keeps)
        self._values = _Values(self._run, self._operations, int(self._lanes.max()))
        for numbers, column in self._inputs:
            for domain, number in enumerate(numbers.tolist()):
                self._run.inputs[number] = partial(column, [domain])

    @property
    def nbytes(self) -> int:
        """The approximate memory of the values, in bytes."""
        return self._run.bytes_kept

    def schedule(self, wanted: Numbers, domains: Numbers, lanes: Numbers | None = None) -> Schedule:
        """Schedule the operations that compute the wanted values; see `Schedule`."""
        return Schedule(self._operations, wanted, domains, len(self._lanes))

    def words_of_input(self, place: int, lanes: Numbers) -> Array:
        """Return the words of the input at `place`, in some lanes; int64 (lanes,)."""
        numbers = self._inputs[place][0][self.domains[lanes]]
        return self._values.words(numbers, self._lane_in_domain[lanes])

    def run(
        self,
        schedule: Schedule,
        ready: Callable[[Ready], None],
        lanes: Numbers | None = None,
    ) -> Done:
        """Run operations in all lanes.

        ready: Called with the outputs. lanes: The lanes of these outputs, by default all.
        """
        run, chosen = self._run, np.arange(len(self.domains)) if lanes is None else lanes
        host_lanes, made = run.host_lanes, run.operation_lanes
        run.make(schedule.outputs)
        rows = schedule.rows(self.domains[chosen])
        lane = self._lane_in_domain[chosen[rows.lanes]]
        ready(Ready(0, self._values, self._values.words(schedule.outputs[rows.outputs], lane)))
        done = Done(
            reasons=self._reasons(schedule, chosen),
            lost=dict(run.lost),
            host_lanes=run.host_lanes - host_lanes,
            call_lanes=run.operation_lanes - made,
        )
        if not self._keeps or self.nbytes > self._most_bytes():
            self._begin()
        return done

    def _reasons(self, schedule: Schedule, lanes: Numbers) -> Reasons:
        """Return the reasons of the operations' failures."""
        found = schedule.reasons(len(lanes))
        for number in schedule.numbers.tolist():
            domain = int(self._operations.domains[number])
            mine = np.flatnonzero((self.domains[lanes] == domain) | (domain < 0))
            if len(mine):
                reasons = to_host(self._run.reasons[number])
                if number in self._run.second:
                    reasons = np.where(self._run.second[number], SECOND_CHOSEN, reasons)
                place = 0 if domain < 0 else self._lane_in_domain[lanes[mine]]
                found.table[mine, found.columns[number]] = reasons[place]
        return found


class _Values:
    """Values in columns. The word of a value in a lane is number * lanes + lane, an int64."""

    def __init__(self, run: ColumnRun, operations: Operations, lanes: int) -> None:
        self._run = run
        self._operations = operations
        self._lanes = lanes

    def words(self, numbers: Numbers, lanes: Numbers) -> Array:
        """Return the words of values, each in a lane; int64 (n,)."""
        return xp.asarray(numbers * self._lanes + lanes)

    def same(self, words: Array, others: Array) -> np.ndarray[Any, Any]:
        """Flag equal pairs of values; bool (n,)."""
        numbers, lanes = np.divmod(to_host(words), self._lanes)
        columns = self._picked(numbers, lanes), self._picked(to_host(others) // self._lanes, lanes)
        return to_host(same(*columns, self._operations.language.same))

    def on_host(self, words: Array) -> tuple[_OnHost, Numbers]:
        """Bring the values of some words to the host; return these values and their words."""
        picked = self._picked(*np.divmod(to_host(words), self._lanes))
        (column,) = columns_to_host([picked])
        return _OnHost(column), np.arange(len(column))

    def _picked(self, numbers: Numbers, lanes: Numbers) -> Column:
        """Return value `numbers[k]` in lane `lanes[k]` for each k; both are int64 (n,)."""
        distinct, which = np.unique(numbers, return_inverse=True)
        columns = [self._run.column(number) for number in distinct.tolist()]
        sizes = np.array(list(map(len, columns)), dtype=np.int64)
        begins = np.cumsum(sizes) - sizes
        rows = begins[which] + np.where(self._operations.domains[numbers] < 0, 0, lanes)
        return concat(columns).take(xp.asarray(rows))


class _OnHost:
    """Values in a column on the host. The word of a value is the value's lane."""

    def __init__(self, column: Column) -> None:
        self._column = column

    def column(self, words: Numbers) -> Column:
        """Return the column of some values. The host must be the device in use."""
        return self._column.take(words)
