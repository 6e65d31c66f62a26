"""The inputs of an executor, and its results: outputs, failures, counts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from megabatt.runtime.engine.machine.loops import Numbers


class Input(NamedTuple):
    """An input of all domains.

    numbers    int64 (domains,): the number of the input's value in each domain
    words      puts the input's values in all lanes into a `Heap` or `DeviceHeap`, and returns their
               words, int64 (lanes,)
    """

    numbers: Numbers
    words: Callable[[Any], Any]


class Ready(NamedTuple):
    """New outputs: the rows from `first` on.

    A row is an output of the schedule in a lane; rows are ordered by lane. words: int64 (rows,), in
    `values`, a `Heap` or a `DeviceHeap`; valid until further calls are made.
    """

    first: int
    values: Any
    words: Any


class Reasons(NamedTuple):
    """The reasons of failures in lanes, as numbers of `Reason`.

    table     uint8 (rows, columns)
    rows      int64 (lanes,): the row of each lane
    columns   int64 (values,): the column of each value's call; any number for other values
    """

    table: Numbers
    rows: Numbers
    columns: Numbers

    def put_shared(self, reasons: Numbers) -> None:
        """Store the reasons of the calls that all lanes share; see `Schedule.reasons`."""
        self.table[:, : len(reasons)] = reasons

    def of(self, numbers: Numbers) -> Numbers:
        """Return the reasons of the calls of some values; uint8 (lanes, n)."""
        return self.table[np.ix_(self.rows, self.columns[numbers])]  # type: ignore[no-any-return]


@dataclass
class Done:
    """The results of a schedule's calls, besides outputs.

    failures     int64 (rows,): the number of failed operations that an output depends on
    reasons      the reasons of failures; valid until further calls are made
    lost         the error that kept a value from being computed in some lane, where its call counts
                 as failed, by the value's number
    host_lanes   the number of calls in lanes made by the scalar form
    call_lanes   the number of calls in lanes
    """

    failures: Numbers
    reasons: Reasons
    lost: dict[int, Exception] = field(default_factory=dict)
    host_lanes: int = 0
    call_lanes: int = 0
