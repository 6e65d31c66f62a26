"""The inputs of an executor, and its results: outputs, failures, counts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from megabatt.runtime.engine.machine.loops import Numbers


class Input(NamedTuple):
    """An input of all domains.

    numbers    int64 (domains,): its value's number in each domain
    words      puts its values in all lanes into a `Heap` or `DeviceHeap`, and returns their words,
               int64 (lanes,)
    """

    numbers: Numbers
    words: Callable[[Any], Any]


class Ready(NamedTuple):
    """New outputs: the rows from `first` on.

    A row is an output of the schedule in a lane; rows are ordered by lane. words: int64 (rows,), in
    `values`, a `Heap` or a `DeviceHeap`. They are valid until further calls are made.
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
        """Put in why the calls failed that all lanes share; see `Schedule.reasons`."""
        self.table[:, : len(reasons)] = reasons

    def of(self, numbers: Numbers) -> Numbers:
        """Return the reasons of the calls of some values; uint8 (lanes, n)."""
        return self.table[np.ix_(self.rows, self.columns[numbers])]  # type: ignore[no-any-return]


@dataclass
class Done:
    """The results of a schedule's calls, besides outputs.

    failures     int64 (rows,): the number of failed operations that an output depends on
    reasons      the reasons of failures; valid until further calls are made
    lost         by a value's number, the error that kept it from being computed in some lane, where
                 it counts as failed
    host_lanes   the number of calls in lanes made by the scalar form
    call_lanes   the number of calls in lanes
    """

    failures: Numbers
    reasons: Reasons
    lost: dict[int, Exception] = field(default_factory=dict)
    host_lanes: int = 0
    call_lanes: int = 0
