"""Which calls give the values that are wanted, and in which order they are made."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy import int64

from megabatt.runtime.engine.executor.inputs import Reasons
from megabatt.runtime.engine.executor.operands import Numbers
from megabatt.runtime.engine.executor.operations import Operations
from megabatt.runtime.engine.machine.loops import Loop
from megabatt.runtime.engine.machine.running import MOST_OPERANDS

Flags = np.ndarray[Any, Any]


class Rows(NamedTuple):
    """The outputs of a schedule in lanes: those of the first lane, then those of the next.

    lanes     int64 (rows,): the lane of each, by its place among those that calls are made in
    outputs   int64 (rows,): the output, by its place in the schedule
    firsts    int64 (lanes,): where the rows of each lane begin
    """

    lanes: Numbers
    outputs: Numbers
    firsts: Numbers


class Schedule:
    """The calls that give some values, for the lanes of each domain.

    Calls are ordered by domain, then by number, so that none needs a later one. Values are named by
    their numbers in `Operations`. All arrays are int64.

    shared      how many calls, the first ones, depend on no sample; they are made once for all
                lanes
    numbers     (calls,): the value that each gives
    operands    (calls, MOST_OPERANDS): the function, then the arguments; any value for none
    counts      (calls,): how many arguments
    defaults    (calls,): the constant that is the safe default
    begins      (domains + 1,): where the calls of each domain begin
    last_uses   (calls,): the last call of the domain that needs the value; the call itself for none
    outputs     (outputs,): the values wanted, ordered by domain, then as they are there: first
                those that no call of the domain gives
    domains     (outputs,): the domain of each output
    first_outputs  (domains + 1,): where the outputs of each domain begin
    given       (domains,): how many of its outputs no call of the domain gives
    places      (calls,): the place, among the domain's outputs, of what a call gives; -1 for none
    members     the operations that each output is computed by, one output's after the other's
    member_begins  (outputs + 1,): where these begin
    used        bool (values,): the values that calls and outputs need
    order       (outputs,): the places, in the arrays that the schedule was made from, of `outputs`
    """

    def __init__(
        self,
        operations: Operations,
        wanted: Numbers,
        domains: Numbers,
        count: int,
        made: Flags | None = None,
    ) -> None:
        """Schedule the calls for values that are wanted.

        wanted, domains: int64 (outputs,), the values and for which domain each is wanted; no pair
        twice. count: how many domains there are. made: bool (values,), those that every lane has
        already; then no call is shared.
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
        counts = table.counts(numbers)
        self.operands = table.table(numbers, counts, MOST_OPERANDS)
        self.counts = counts - 1
        self.defaults = operations.defaults_of(self.operands[:, 0])
        self.shared = int(np.searchsorted(of_calls, 0))
        self.begins = np.searchsorted(of_calls, np.arange(count + 1))
        place_of = np.full(len(operations), -1, dtype=np.int64)
        place_of[numbers] = np.arange(len(numbers))
        self.last_uses = np.arange(len(numbers))
        _find_last_uses(self.operands, self.counts, place_of, self.last_uses)
        self._order_outputs(wanted, domains, place_of)
        self.members, self.member_begins = table.cones(self.outputs)
        self.used = self._find_used(len(operations))

    def rows(self, domains: Numbers) -> Rows:
        """Return the outputs in lanes. domains: int64 (lanes,), of each lane."""
        counts = np.diff(self.first_outputs)[domains]
        firsts = np.cumsum(counts) - counts
        lanes = np.repeat(np.arange(len(domains)), counts)
        places = np.arange(len(lanes)) - firsts[lanes]
        return Rows(lanes, self.first_outputs[domains[lanes]] + places, firsts)

    def reasons(self, lanes: int) -> Reasons:
        """Return a table of why calls fail in lanes: none has failed.

        Its columns are the calls that all lanes share, then those of the lane's domain.
        """
        columns = np.zeros(len(self.used), dtype=np.int64)
        counts = np.diff(self.begins)
        firsts = np.repeat(self.begins[:-1] - self.shared, counts)
        columns[self.numbers[: self.shared]] = np.arange(self.shared)
        columns[self.numbers[self.shared :]] = np.arange(self.shared, len(self.numbers)) - firsts
        width = self.shared + int(counts.max(initial=0))
        return Reasons(np.zeros((lanes, width), np.uint8), np.arange(lanes), columns)

    def _find_used(self, values: int) -> Flags:
        """Flag the values that calls and outputs need; bool (values,)."""
        used = np.zeros(values, dtype=np.bool_)
        for numbers in (self.operands, self.defaults, self.outputs):
            used[numbers] = True
        return used

    def reads(self, numbers: Numbers) -> bool:
        """Tell whether a call or an output is one of some values."""
        return bool(self.used[numbers].any())

    def _order_outputs(self, wanted: Numbers, domains: Numbers, place_of: Numbers) -> None:
        calls = place_of[wanted]
        calls[calls < self.shared] = -1
        self.order = np.lexsort((calls, domains))
        self.outputs, self.domains = wanted[self.order], domains[self.order]
        calls = calls[self.order]
        self.first_outputs = np.searchsorted(self.domains, np.arange(self.count + 1))
        self.given = np.bincount(self.domains[calls < 0], minlength=self.count)
        self.places = np.full(len(self.numbers), -1, dtype=np.int64)
        called = np.flatnonzero(calls >= 0)
        self.places[calls[called]] = called - self.first_outputs[self.domains[called]]


@Loop
def _find_last_uses(operands, counts, place_of, last_uses):
    """Store for each call the last one that needs its value. place_of: calls, by their values."""
    for k in range(len(counts)):
        for place in range(min(counts[k] + 1, operands.shape[1])):
            needed = place_of[operands[k, place]]
            if needed >= 0:
                last_uses[needed] = int64(k)
