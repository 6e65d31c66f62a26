"""A pass of a program's vectorized form, on the machine of the device in use."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any

import numpy as np

from megabatt.runtime.engine.calls.concurrent import Target
from megabatt.runtime.engine.calls.registry import Language
from megabatt.runtime.engine.columns import Column
from megabatt.runtime.engine.device.arrays import Array
from megabatt.runtime.engine.device.device import CPU, computing_on, current, xp
from megabatt.runtime.engine.machine.heap import BEGIN
from megabatt.runtime.engine.machine.linking import holds
from megabatt.runtime.engine.machine.on_device import DeviceCalls, DeviceHeap
from megabatt.runtime.engine.machine.running import MOST_OPERANDS, Calls

_WORDS = 1 << 20
"""How many words a heap has room for at first."""

Call = tuple[Target, Any, tuple[Any, ...]]
"""An operation's target, its function and its arguments."""


def can_pass(language: Language) -> bool:
    """Tell whether the device in use makes passes of a language's programs on its machine."""
    return current().asks_together and holds(language)


class Pass:
    """Operations of a program in all lanes of a batch, all of a level at once.

    An operation's level is one above those of its operands. failed: bool (operations + 1, lanes) on
    the device. host_lanes: how many lanes scalar code has computed, over all operations.
    """

    def __init__(
        self,
        language: Language,
        lanes: int,
        operations: int,
        calls: Sequence[Call],
        outputs: Sequence[Any],
        limit: int,
    ) -> None:
        """Make the operations.

        outputs: targets and constants, which can be asked for. limit: what an operation may build
        in a lane. Raises NoWord where words do not hold a value, MemoryError where scalar code
        lacks memory.
        """
        self.lanes = lanes
        self.host_lanes = 0
        self._outputs = outputs
        self._heap = DeviceHeap(language, _WORDS)
        self._given: dict[Any, tuple[int, Any]] = {}
        self._rows = (operations + 1) * lanes
        used = chain.from_iterable((call[1], *call[2]) for call in calls)
        given = self._laid_out(chain(used, outputs))
        self._words = xp.zeros(self._rows + len(given), dtype=xp.int64)
        self._words[self._rows :] = self._heap.put_words(given)
        failed = xp.zeros(len(self._words), dtype=xp.int64)
        if calls and lanes:
            self._make(language, calls, failed, limit)
        self.failed = failed[: self._rows].reshape(operations + 1, lanes) != 0

    def _laid_out(self, values: Iterable[Any]) -> np.ndarray[Any, Any]:
        """Give the inputs and constants among values their places. Returns their words."""
        exchange = self._heap.exchange
        words: list[np.ndarray[Any, Any]] = []
        at = self._rows
        for value in values:
            key = _key(value)
            if key in self._given or _number(value):
                continue
            self._given[key] = at, value  # kept, so that no other value has its identity
            if isinstance(value, Target):
                words.append(value.column.words(exchange))
            else:
                words.append(np.array([exchange.put(value)], dtype=np.int64))
            at += len(words[-1])
        return np.concatenate([np.zeros(0, dtype=np.int64), *words])

    def _make(self, language: Language, calls: Sequence[Call], failed: Array, limit: int) -> None:
        n = len(calls)
        levels: dict[int, int] = {0: 0}
        of_calls = np.empty(n, dtype=np.int64)
        operands, steps = (np.zeros((n, MOST_OPERANDS), dtype=np.int64) for _ in range(2))
        defaults = np.empty(n, dtype=np.int64)
        for k, (target, function, args) in enumerate(calls):
            values = function, *args
            level = 1 + max(levels[_number(value)] for value in values)
            levels[_number(target)] = of_calls[k] = level
            for place, value in enumerate(values):
                operands[k, place], steps[k, place] = self._place(value)
            defaults[k] = self._heap.exchange.put(language.default_of(function))
        order = np.lexsort((operands[:, 0], of_calls))
        numbers = np.array([_number(target) for target, _, _ in calls], dtype=np.int64)
        counts = np.array([len(args) for _, _, args in calls], dtype=np.int64)
        lanes = np.full(n, self.lanes, dtype=np.int64)
        tables = Calls(operands, steps, counts, lanes, numbers * self.lanes, defaults)
        ordered = Calls(*[table[order] for table in tables])
        made = DeviceCalls(self._heap, ordered, self._words, failed, limit)
        made.make_levels(of_calls[order])
        if made.lost:
            raise MemoryError(next(iter(made.lost.values())))
        self.host_lanes = made.host_lanes

    def _place(self, value: Any) -> tuple[int, int]:
        """Return where the word of a value's first lane is, and the step to the next lane's."""
        number = _number(value)
        if number:
            return number * self.lanes, 1
        return self._given[_key(value)][0], int(isinstance(value, Target))

    def on_host(self) -> list[Column]:
        """Return the outputs on the host."""
        exchange = self._heap.exchange
        exchange.forget_from(BEGIN)
        words = self._heap.fetched(self._output_words())
        with computing_on(CPU):
            return list(map(exchange.column, np.split(words, len(self._outputs))))

    def compared_with(self, expected: Column) -> Array:
        """Flag where outputs are the values expected; bool (outputs, lanes) on the device."""
        exchange = self._heap.exchange
        exchange.forget_from(BEGIN)
        wanted = self._heap.put_words(expected.words(exchange))
        every = xp.arange(len(self._outputs) * self.lanes) % self.lanes
        found = self._heap.compared(self._output_words(), wanted[every])
        return found.reshape(len(self._outputs), self.lanes) != 0

    def _output_words(self) -> Array:
        """Return the words of the outputs in all lanes, one output's after the other's."""
        every = np.arange(self.lanes)
        rows = [at + step * every for at, step in map(self._place, self._outputs)]
        return self._words[xp.asarray(np.concatenate(rows))]


def _number(value: Any) -> int:
    """Return the number of the operation that gives a value; 0 for inputs and constants."""
    return value.source if isinstance(value, Target) and isinstance(value.source, int) else 0


def _key(value: Any) -> Any:
    """Return what tells inputs and constants apart: an input's name, a constant's identity."""
    return value.source if isinstance(value, Target) else id(value)
