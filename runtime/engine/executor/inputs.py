"""What an executor is given, inputs; and what it tells: outputs, and what became of calls."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from megabatt.runtime.engine.executor.operands import Numbers


class Input(NamedTuple):
    """An input of all domains.

    numbers    int64 (domains,): the value that it is in each domain
    words      puts its values in all lanes into a heap, a `Heap` or a `DeviceHeap`; returns their
               words, int64 (lanes,)
    """

    numbers: Numbers
    words: Callable[[Any], Any]


class Ready(NamedTuple):
    """Outputs that are made: the rows from `first` on.

    A row is an output of the schedule in a lane: those of the first lane, then those of the next.
    words: int64 (rows,), words of `values`: a `Heap`, or a `DeviceHeap` on whose device they are.
    They are valid until more is made.
    """

    first: int
    values: Any
    words: Any


class Reasons(NamedTuple):
    """Why calls failed in lanes, a number of `Reason` each.

    table     uint8 (rows, columns)
    rows      int64 (lanes,): the row of each lane
    columns   int64 (values,): the column of the call that gives a value; any for a value of none
    """

    table: Numbers
    rows: Numbers
    columns: Numbers

    def put_shared(self, reasons: Numbers) -> None:
        """Put in why the calls failed that all lanes share; see `Schedule.reasons`."""
        self.table[:, : len(reasons)] = reasons

    def of(self, numbers: Numbers) -> Numbers:
        """Return why the calls that give some values failed; uint8 (lanes, n)."""
        return self.table[np.ix_(self.rows, self.columns[numbers])]  # type: ignore[no-any-return]


@dataclass
class Done:
    """What became of a schedule's calls.

    failures     int64 (rows,): how many of the operations that an output is computed by failed
    reasons      why calls failed; valid until more calls are made
    lost         by the number of a value, the error for which it was not computed in some lane; it
                 counts as failed
    host_lanes   how many calls in lanes the scalar form has made
    call_lanes   how many calls in lanes there were
    """

    failures: Numbers
    reasons: Reasons
    lost: dict[int, Exception] = field(default_factory=dict)
    host_lanes: int = 0
    call_lanes: int = 0
