"""Running a graph's operations on the machine of the device in use, a level at a time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy import int64

from megabatt.runtime.engine.device.arrays import Growing
from megabatt.runtime.engine.device.device import CPU, computing_on, to_host, xp
from megabatt.runtime.engine.machine.functions import Loop
from megabatt.runtime.engine.machine.heap import BEGIN
from megabatt.runtime.engine.machine.on_device import DeviceCalls, DeviceHeap
from megabatt.runtime.engine.machine.running import Calls
from megabatt.runtime.engine.machine.values import Heap
from megabatt.runtime.engine.plan.on_machine import MachineRun
from megabatt.runtime.engine.plan.operands import Numbers
from megabatt.runtime.engine.plan.operations import Columns, Operations

_WORDS = 1 << 16
"""How many words a heap has room for at first."""


class DeviceRun(MachineRun):
    """The values of a graph, as of `MachineRun`, on the device in use.

    An operation's level is one above those of its operands. All operations of a level are made at
    once, each lane of each by a thread of its own.
    """

    def __init__(self, graph: Operations, lanes: Sequence[int]) -> None:
        """Prepare a run. Raises NoWord where words do not hold the language's values."""
        super().__init__(graph, lanes)
        self._device_heap = DeviceHeap(graph.language, _WORDS)
        self.heap = self._device_heap.exchange
        self._words = Growing(xp.int64)
        self._failed = Growing(xp.int64)

    @property
    def bytes_kept(self) -> int:
        return 8 * self._device_heap.top + self._words.nbytes + self._failed.nbytes

    def _laid_out(self, column: Columns, domains: list[int]) -> Numbers:
        with computing_on(CPU):
            return super()._laid_out(column, domains)

    def _add(self, words: Numbers) -> int:
        nothing = xp.zeros(len(words), dtype=xp.int64)
        self._failed.add(nothing)
        return self._words.add(self._device_heap.put_words(words) if words.any() else nothing)

    def _call(self, calls: Calls, numbers: Numbers, operands: Numbers) -> dict[int, str]:
        levels = self._levels(numbers, calls.counts + 1, operands)
        order = np.lexsort((numbers, operands[:, 0], levels))
        ordered = Calls(*[table[order] for table in calls])
        heap, words, failed = self._device_heap, self._words.data, self._failed.data
        made = DeviceCalls(heap, ordered, words, failed, self.graph.max_elements)
        made.make_levels(levels[order])
        self.host_lanes += made.host_lanes
        return {int(order[call]): why for call, why in made.lost.items()}

    def _levels(self, numbers: Numbers, counts: Numbers, operands: Numbers) -> Numbers:
        """Return the level of each operation: 1 where all operands are there."""
        of_values = np.zeros(len(self.graph), dtype=np.int64)
        _find_levels(numbers, np.minimum(counts, operands.shape[1]), operands, of_values)
        return of_values[numbers]  # type: ignore[no-any-return]

    def fetched(self, numbers: Numbers, lanes: Numbers) -> tuple[Heap, Numbers]:
        words = self.words_at(numbers, lanes)
        self.heap.forget_from(BEGIN)
        return self.heap, self._device_heap.fetched(words)[0]

    def are_same(self, numbers: Numbers, others: Numbers, lanes: Numbers) -> np.ndarray[Any, Any]:
        words = self.words_at(numbers, lanes), self.words_at(others, lanes)
        return to_host(self._device_heap.compared(*words)) != 0

    def _rows(self, numbers: Numbers, lanes: Numbers) -> Any:
        return xp.asarray(super()._rows(numbers, lanes))

    def _flags(self, rows: Any) -> np.ndarray[Any, Any]:
        return to_host(self._failed.data[rows.ravel()]).reshape(rows.shape) != 0


@Loop
def _find_levels(numbers, counts, operands, levels):
    """Find the levels of operations, by number. None of them needs a later one."""
    for k in range(len(numbers)):
        highest = int64(0)
        for place in range(counts[k]):
            highest = max(highest, levels[operands[k, place]])
        levels[numbers[k]] = highest + 1
