"""Schedules: the calls for wanted values, in order; the inputs and results of these calls."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from megabatt.runtime.engine.executor.operations import Operations
from megabatt.runtime.engine.language.reasons import SECOND_CHOSEN
from megabatt.runtime.engine.machine.layout import MOST_OPERANDS
from megabatt.runtime.engine.machine.loops import Loop, Numbers

Flags = np.ndarray[Any, Any]


class Input(NamedTuple):
    """An input of all domains.

    numbers    int64 (domains,): the number of the input's value in each domain
    words      puts the input's values into a `Heap` or `DeviceHeap`; returns words, int64 (lanes,)
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

    table     uint8 (rows, columns): `SECOND_CHOSEN` for a choice that returned its second value
    rows      int64 (lanes,): the row of each lane
    columns   int64 (values,): the column of each value's call; any number for other values
    """

    table: Numbers
    rows: Numbers
    columns: Numbers

    def of(self, numbers: Numbers) -> Numbers:
        """Return the reasons of the calls of some values; uint8 (lanes, n)."""
        found = self.table[np.ix_(self.rows, self.columns[numbers])]
        return np.where(found == SECOND_CHOSEN, 0, found)


@dataclass
class Done:
    """The results of a schedule's calls, besides outputs.

    reasons      the reasons of failures; valid until further calls are made
    lost         the error that kept a value from being computed in some lane, by its number
    host_lanes   the number of calls in lanes made by the scalar form
    call_lanes   the number of calls in lanes
    """

    reasons: Reasons
    lost: dict[int, Exception] = field(default_factory=dict)
    host_lanes: int = 0
    call_lanes: int = 0


class Rows(NamedTuple):
    """The outputs of a schedule in lanes, ordered by lane.

    lanes     int64 (rows,): the place of each row's lane among the lanes of the run
    outputs   int64 (rows,): the place of each row's output in the schedule
    firsts    int64 (lanes,): the first row of each lane
    """

    lanes: Numbers
    outputs: Numbers
    firsts: Numbers


class Schedule:
    """The calls for some values, for the lanes of each domain.

    Calls are ordered by domain, then by number, so that no call needs a later one. Values are
    numbers of `Operations`. All arrays are int64.

    shared      the number of calls that depend on no sample, which come first and are made once
    numbers     (calls,): the value that each call makes
    operands    (calls, MOST_OPERANDS): the function, then the arguments, then any values
    counts      (calls,): the number of arguments
    defaults    (calls,): the constant that is the safe default
    chooses     bool (calls,): whether the function chooses one of two values
    begins      (domains + 1,): the offsets of the calls of each domain
    last_uses   (calls,): the last call that needs the value; the call itself if none needs it; the
                number of calls for a shared value that is an output
    outputs     (outputs,): the wanted values, ordered by domain, then by the call that makes them;
                first values that no call of the domain makes
    domains     (outputs,): the domain of each output
    first_outputs  (domains + 1,): the offsets of the outputs of each domain
    given       (domains,): the number of outputs that no call of the domain makes
    places      (calls,): the place of a call's value among the domain's outputs; -1 for none
    members     the operations that each output depends on, output by output
    member_begins  (outputs + 1,): the offsets of each output's members
    used        bool (values,): the values that calls and outputs need
    found_at    (outputs,): the place among `outputs` of each value in `wanted`
    """

    def __init__(
        self, operations: Operations, wanted: Numbers, domains: Numbers, count: int,
        made: Flags | None = None,
    ) -> None:  # fmt: skip
        """Schedule the calls for wanted values.

        wanted, domains: int64 (outputs,), the wanted values and their domains; pairs are distinct.
        count: Of domains. made: bool (values,), what every lane has; if given, no call is shared.
        """
        self.count = count
        table = operations.table
        seen = np.zeros(len(operations), np.bool_) if made is None else made.copy()
        numbers = table.lacking(np.ascontiguousarray(wanted), seen)
        of_calls = operations.domains[numbers]
        if made is not None:
            of_calls = np.maximum(of_calls, 0)
        order = np.argsort(of_calls, kind="stable")
        self.numbers = numbers = numbers[order]
        of_calls = of_calls[order]
        self.operands = table.table(numbers, MOST_OPERANDS)
        self.counts = np.diff(table.begins)[numbers] - 1
        self.defaults = operations.defaults_of(self.operands[:, 0])
        self.chooses = operations.are_choices(self.operands[:, 0])
        self.shared = int(np.searchsorted(of_calls, 0))
        self.begins = np.searchsorted(of_calls, np.arange(count + 1))
        place_of = np.full(len(operations), -1, dtype=np.int64)
        place_of[numbers] = np.arange(len(numbers))
        self.last_uses = np.arange(len(numbers))
        _find_last_uses(self.operands, self.counts, place_of, self.last_uses)
        self._order_outputs(wanted, domains, place_of)
        self.members, self.member_begins = table.cones(self.outputs)
        self.used = np.zeros(len(operations), dtype=np.bool_)
        for needed in (self.operands, self.defaults, self.outputs):
            self.used[needed] = True

    def rows(self, domains: Numbers) -> Rows:
        """Return the outputs in lanes. domains: int64 (lanes,), the domain of each."""
        firsts = self.first_rows(domains)
        counts = np.diff(firsts)
        lanes = np.repeat(np.arange(len(domains)), counts)
        shifts = self.first_outputs[domains] - firsts[:-1]
        return Rows(lanes, np.arange(len(lanes)) + np.repeat(shifts, counts), firsts[:-1])

    def first_rows(self, domains: Numbers) -> Numbers:
        """Return the offsets of lanes in `rows`; int64 (lanes + 1,). domains: As in `rows`."""
        return np.append(0, np.cumsum(np.diff(self.first_outputs)[domains]))

    def reasons(self, lanes: int) -> Reasons:
        """Return the table of reasons for lanes, in which no call has failed yet.

        The columns are the calls that all lanes share, then the calls of the lane's domain.
        """
        columns = np.zeros(len(self.used), dtype=np.int64)
        counts = np.diff(self.begins)
        firsts = np.repeat(self.begins[:-1] - self.shared, counts)
        columns[self.numbers[: self.shared]] = np.arange(self.shared)
        columns[self.numbers[self.shared :]] = np.arange(self.shared, len(self.numbers)) - firsts
        width = self.shared + int(counts.max(initial=0))
        return Reasons(np.zeros((lanes, width), np.uint8), np.arange(lanes), columns)

    def _order_outputs(self, wanted: Numbers, domains: Numbers, place_of: Numbers) -> None:
        calls = place_of[wanted]
        is_shared = (calls >= 0) & (calls < self.shared)
        self.last_uses[calls[is_shared]] = len(self.numbers)
        calls[is_shared] = -1
        order = np.lexsort((calls, domains))
        self.found_at = np.empty_like(order)
        self.found_at[order] = np.arange(len(order))
        self.outputs, self.domains, calls = wanted[order], domains[order], calls[order]
        self.first_outputs = np.searchsorted(self.domains, np.arange(self.count + 1))
        self.given = np.bincount(self.domains[calls < 0], minlength=self.count)
        self.places = np.full(len(self.numbers), -1, dtype=np.int64)
        called = np.flatnonzero(calls >= 0)
        self.places[calls[called]] = called - self.first_outputs[self.domains[called]]


@Loop
def _find_last_uses(operands, counts, place_of, last_uses):
    """Store the last call that needs each call's value. place_of: The call of each value."""
    for k in range(len(counts)):
        for place in range(min(counts[k] + 1, operands.shape[1])):
            needed = place_of[operands[k, place]]
            if needed >= 0:
                last_uses[needed] = k
