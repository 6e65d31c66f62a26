"""Running operations of programs on the machine, one after the other."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from megabatt.runtime.engine.columns import Column
from megabatt.runtime.engine.device.arrays import Growing
from megabatt.runtime.engine.device.device import CPU, computing_on
from megabatt.runtime.engine.machine.running import MOST_OPERANDS, Calls, are_same, run
from megabatt.runtime.engine.machine.values import Heap
from megabatt.runtime.engine.plan.operands import Numbers
from megabatt.runtime.engine.plan.operations import Columns, Operations

_WORDS = 1 << 20
"""How many words a heap has room for at first."""


class MachineRun:
    """The values of a graph on the samples of its domains, made as they are wanted; as of `Run`.

    lanes: how many samples each domain has. heap: where the values lie.
    host_lanes: operation-lanes that were computed by scalar code; operation_lanes: all of them.
    lost: operations that were not computed in some lane, and why not; they count as failed there.
    """

    def __init__(self, graph: Operations, lanes: Sequence[int]) -> None:
        """Prepare a run. Raises NoWord where words do not hold the language's values."""
        self.graph = graph
        self.lanes = np.array(lanes, dtype=np.int64)
        self.host_lanes = 0
        self.operation_lanes = 0
        self.lost: dict[int, str] = {}
        self.heap = Heap(graph.language, _WORDS)
        self._inputs: dict[int, tuple[Columns, int]] = {}
        self._defaults: dict[int, int] = {}
        self._words = Growing(np.int64, np)
        self._failed = Growing(np.bool_, np)
        self._places = np.zeros(0, dtype=np.int64)
        self._steps = np.zeros(0, dtype=np.int64)
        self._domains = np.zeros(0, dtype=np.int64)

    @property
    def bytes_kept(self) -> int:
        """About how much memory the values take."""
        return 8 * self.heap.top + self._words.nbytes + self._failed.nbytes

    def set_inputs(self, numbers: Sequence[int], column: Columns) -> None:
        """Set what gives the columns of an input: its number in each domain, and see `Columns`."""
        for domain, number in enumerate(numbers):
            self._inputs[number] = column, domain

    def make(self, wanted: Iterable[int]) -> None:
        """Make values, and all that they need. Raises NoWord where one of them has no word."""
        self._follow()
        numbers = self._operations_of(np.fromiter(wanted, np.int64))
        if not len(numbers):
            return
        counts = self._operands.counts(numbers)
        lanes = self._lanes_of(numbers)
        total = int(lanes.sum())
        steps = self._domains[numbers] >= 0
        self._allot(numbers, lanes, np.zeros(total, dtype=np.int64), steps)
        operands = self._operands.table(numbers, counts, MOST_OPERANDS)
        calls = Calls(
            operands=self._places[operands],
            steps=self._steps[operands],
            counts=counts - 1,
            lanes=lanes,
            targets=self._places[numbers],
            defaults=self._defaults_of(operands[:, 0]),
        )
        self.operation_lanes += total
        lost = self._call(calls, numbers, operands)
        self.lost.update({int(numbers[call]): reason for call, reason in lost.items()})

    def _call(self, calls: Calls, numbers: Numbers, operands: Numbers) -> dict[int, str]:
        """Make calls. Returns those that were not computed in some lane, and why not.

        numbers: of the operations. operands: of each those of its operands, in a row.
        """
        lost: dict[int, str] = {}
        limit = self.graph.max_elements
        self.host_lanes += run(self.heap, calls, self._words.data, self._failed.data, limit, lost)
        return lost

    def _follow(self) -> None:
        """Take in the values that are new in the graph."""
        self._operands = self.graph.table
        known, now = len(self._places), len(self.graph)
        if now > known:
            new = np.full(now - known, -1)
            self._places = np.concatenate([self._places, new])
            self._steps = np.concatenate([self._steps, new])
            self._domains = np.concatenate([self._domains, self.graph.domains[known:]])

    def _operations_of(self, wanted: Numbers) -> Numbers:
        """Find the operations to run for values, ascending: none needs a later one.

        Puts the inputs and constants that they need into the heap.
        """
        numbers = self._operands.lacking(wanted, self._places >= 0)
        counts = self._operands.counts(numbers)
        needed = np.concatenate([wanted, self._operands.of(numbers, counts)])
        needed = needed[self._operands.counts(needed) == 0]
        self._put(np.unique(needed[self._places[needed] < 0]))
        return numbers

    def _put(self, numbers: Numbers) -> None:
        """Put inputs and constants into the heap, those of an input in all domains at once."""
        constants: list[int] = []
        of_inputs: dict[Columns, list[tuple[int, int]]] = {}
        for number in numbers.tolist():
            given = self._inputs.get(number)
            if given is None:
                constants.append(number)
            else:
                of_inputs.setdefault(given[0], []).append((number, given[1]))
        words = [self.heap.put(self.graph.values[number]) for number in constants]
        self._allot(constants, np.ones(len(words), np.int64), np.array(words, np.int64), 0)
        for column, some in of_inputs.items():
            numbers_of_input, domains = map(list, zip(*some, strict=True))
            words_of_input = self._laid_out(column, domains)
            self._allot(numbers_of_input, self.lanes[domains], words_of_input, 1)

    def _laid_out(self, column: Columns, domains: list[int]) -> Numbers:
        """Put the values of an input into the heap, those of all these domains."""
        return column(domains).words(self.heap)  # type: ignore[no-any-return]

    def _allot(self, numbers: Any, lanes: Numbers, words: Numbers, steps: Any) -> None:
        """Give values their places, those of the words that they have or will have in their lanes.

        lanes, steps: of each value.
        """
        first = self._add(words)
        self._places[numbers] = first + np.cumsum(lanes) - lanes
        self._steps[numbers] = steps

    def _add(self, words: Numbers) -> int:
        """Add words of values, none of which has failed. Returns the place of the first."""
        self._failed.add(np.zeros(len(words), dtype=np.bool_))
        return self._words.add(words)

    def _lanes_of(self, numbers: Numbers) -> Numbers:
        """Return how many lanes operations have: one where nothing depends on a sample."""
        domains = self._domains[numbers]
        return np.where(domains < 0, 1, self.lanes[domains])

    def _defaults_of(self, functions: Numbers) -> Numbers:
        """Return the words of the safe defaults of calls of functions."""
        distinct, which = np.unique(functions, return_inverse=True)
        return np.array([self._default_of(number) for number in distinct.tolist()])[which]

    def _default_of(self, number: int) -> int:
        if number not in self._defaults:
            self._defaults[number] = self.heap.put(self.graph.default_of(number))
        return self._defaults[number]

    # ---- asking

    def fetched(self, numbers: Numbers, lanes: Numbers) -> tuple[Heap, Numbers]:
        """Return values, each in a lane, as words in a heap of the host. The heap is valid until
        more is asked of this run."""
        return self.heap, self.words_at(numbers, lanes)

    def picked_on_host(self, numbers: Numbers, lanes: Numbers) -> Column:
        """Return values, each in a lane, on the host. numbers, lanes: int64 (n,)."""
        heap, words = self.fetched(numbers, lanes)
        with computing_on(CPU):
            return heap.column(words)

    def are_same(self, numbers: Numbers, others: Numbers, lanes: Numbers) -> np.ndarray[Any, Any]:
        """Flag where two values are the same, each two in a lane; bool (n,)."""
        return are_same(self.heap, self.words_at(numbers, lanes), self.words_at(others, lanes))

    def words_at(self, numbers: Numbers, lanes: Numbers) -> Any:
        """Return the words of values, each in a lane; int64 (n,)."""
        self._put(np.unique(numbers[self._places[numbers] < 0]))
        return self._words.data[self._rows(numbers, lanes)]

    def failures(self, operations: Numbers, begins: Numbers, lanes: int) -> np.ndarray[Any, Any]:
        """Count the operations that failed, of each run, in each lane; as of `Run.failures`."""
        flags = self._flags(self._rows(operations[:, None], np.arange(lanes)))
        sums = np.concatenate([np.zeros((1, lanes), np.int64), flags.cumsum(axis=0)])
        return sums[begins[1:]] - sums[begins[:-1]]  # type: ignore[no-any-return]

    def failed(self, number: int, lanes: int) -> np.ndarray[Any, Any]:
        """Flag the lanes in which an operation has failed; bool (lanes,)."""
        return self._flags(self._rows(np.array([number]), np.arange(lanes)))

    def _rows(self, numbers: Numbers, lanes: Numbers) -> Any:
        """Return the places of values, each in a lane."""
        return self._places[numbers] + self._steps[numbers] * lanes

    def _flags(self, rows: Numbers) -> np.ndarray[Any, Any]:
        """Return the flags of failure at places; bool, of their shape."""
        return self._failed.data[rows]  # type: ignore[no-any-return]
