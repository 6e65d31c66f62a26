"""What an executor is given, inputs; and what it tells: outputs, and what became of calls."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from megabatt.runtime.engine.executor.operands import Numbers
from megabatt.runtime.engine.executor.schedule import Flags


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


@dataclass
class Done:
    """What became of a schedule's calls.

    failures     int64 (rows,): how many of the operations that an output is computed by failed
    failed       bool (lanes, calls): which calls failed; no lanes where that was not asked for
    lost         by the number of a value, the error for which it was not computed in some lane; it
                 counts as failed
    host_lanes   how many calls in lanes the scalar form has made
    call_lanes   how many calls in lanes there were
    """

    failures: Numbers
    failed: Flags
    lost: dict[int, Exception] = field(default_factory=dict)
    host_lanes: int = 0
    call_lanes: int = 0
