"""A pass of a program's vectorized form on the machine, of a device or of the CPU."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from megabatt.runtime.engine.calls.concurrent import Target
from megabatt.runtime.engine.calls.registry import Language
from megabatt.runtime.engine.columns import Column
from megabatt.runtime.engine.device.arrays import Array
from megabatt.runtime.engine.device.device import CPU, computing_on, current, xp
from megabatt.runtime.engine.machine.heap import BEGIN
from megabatt.runtime.engine.machine.on_device import DeviceCalls, DeviceHeap
from megabatt.runtime.engine.machine.running import MOST_OPERANDS, Calls, run
from megabatt.runtime.engine.machine.values import Heap
from megabatt.runtime.engine.memory import require_memory

Numbers = np.ndarray[Any, Any]

_WORDS = 1 << 16
"""How many words a heap has room for at first."""

Call = tuple[Target, Any, tuple[Any, ...]]
"""An operation's target, its function and its arguments."""


class InputWords(NamedTuple):
    """The inputs of a batch's lanes as words in a heap.

    of: gives those of an input by its name, int64 (lanes,) on the device. They are asked for before
    any call is made in the heap.
    """

    heap: DeviceHeap
    of: Callable[[str], Array]


def can_pass(language: Language) -> bool:
    """Tell whether the device in use makes passes of a language's programs on its machine."""
    return current().asks_together and language.of_words


class Pass:
    """Operations of a program in all lanes of a batch, on the device in use.

    All operations of a level are made at once; it is one above those of their operands. host_lanes:
    how many lanes scalar code has computed, over all operations.
    """

    def __init__(
        self,
        language: Language,
        lanes: int,
        operations: int,
        calls: Sequence[Call],
        outputs: Sequence[Any],
        limit: int,
        inputs: InputWords | None = None,
        clock: Callable[[int], None] | None = None,
    ) -> None:
        """Make the operations.

        outputs: targets and constants, which can be asked for. limit: what an operation may build
        in a lane. inputs: their words; they are made from the targets' columns by default. clock:
        told the number of each operation that is made, where they are made one by one. Raises
        NoWord where words do not hold a value, MemoryError where scalar code lacks memory.
        """
        self.lanes = lanes
        self.host_lanes = 0
        self._shape = operations + 1, lanes
        self._outputs = outputs
        self._inputs = inputs
        self._limit = limit
        self._clock = clock
        self._given: dict[Any, tuple[int, Any]] = {}
        self._begin(language)
        used = chain.from_iterable((call[1], *call[2]) for call in calls)
        given = self._laid_out(chain(used, outputs))
        nothing = xp.zeros(self._shape[0] * lanes, dtype=xp.int64)
        self._words = xp.concatenate([nothing, *given])
        self._failed = xp.zeros(len(nothing), dtype=self._flag)
        if calls and lanes:
            self._make(language, calls)

    _flag: Any = np.int64
    """The type of a flag of failure."""

    def _begin(self, language: Language) -> None:
        self._heap = DeviceHeap(language, _WORDS) if self._inputs is None else self._inputs.heap
        self._put_into: Heap = self._heap.exchange

    @property
    def failed(self) -> Array:
        """bool (operations + 1, lanes), on the device."""
        return self._failed.reshape(self._shape) != 0

    def _laid_out(self, values: Iterable[Any]) -> list[Array]:
        """Give the inputs and constants among values their places. Returns their words."""
        distinct = {_key(value): value for value in values if not _number(value)}
        names = [value for value in distinct.values() if isinstance(value, Target)]
        constants = [value for value in distinct.values() if not isinstance(value, Target)]
        words = [self._input_words(target) for target in names]
        put = np.array([self._put_into.put(value) for value in constants], dtype=np.int64)
        words.append(self._brought(put))
        at = self._shape[0] * self.lanes
        for value in [*names, *constants]:
            self._given[_key(value)] = at, value  # kept, so that no other value has its identity
            at += self.lanes if isinstance(value, Target) else 1
        return words

    def _input_words(self, target: Target) -> Array:
        if self._inputs is None:
            return self.put(target.column)
        return self._inputs.of(str(target.source))

    def _brought(self, words: Numbers) -> Array:
        """Bring values that were put to where calls are made."""
        return self._heap.put_words(words)

    def _make(self, language: Language, calls: Sequence[Call]) -> None:
        n = len(calls)
        levels: dict[int, int] = {0: 0}
        of_calls = np.empty(n, dtype=np.int64)
        operands, steps = (np.zeros((n, MOST_OPERANDS), dtype=np.int64) for _ in range(2))
        defaults = np.empty(n, dtype=np.int64)
        for k, (target, function, args) in enumerate(calls):
            values = function, *args
            level = 1 + max(levels[_number(value)] for value in values)
            levels[_number(target)] = of_calls[k] = level
            for place, value in enumerate(values[:MOST_OPERANDS]):
                operands[k, place], steps[k, place] = self._place(value)
            defaults[k] = self._put_into.put(language.default_of(function))
        numbers = np.array([_number(target) for target, _, _ in calls], dtype=np.int64)
        counts = np.array([len(args) for _, _, args in calls], dtype=np.int64)
        lanes = np.full(n, self.lanes, dtype=np.int64)
        self._call(Calls(operands, steps, counts, lanes, numbers * self.lanes, defaults), of_calls)

    def _call(self, calls: Calls, levels: Numbers) -> None:
        """Make calls. levels: of each."""
        order = np.lexsort((calls.operands[:, 0], levels))
        ordered = Calls(*[table[order] for table in calls])
        made = DeviceCalls(self._heap, ordered, self._words, self._failed, self._limit)
        made.make_levels(levels[order])
        if made.lost:
            raise MemoryError(next(iter(made.lost.values())))
        self.host_lanes = made.host_lanes

    def _place(self, value: Any) -> tuple[int, int]:
        """Return where the word of a value's first lane is, and the step to the next lane's."""
        number = _number(value)
        if number:
            return number * self.lanes, 1
        return self._given[_key(value)][0], int(isinstance(value, Target))

    def on_host(self) -> tuple[list[Column], np.ndarray[Any, Any]]:
        """Return the outputs and `failed` on the host, fetched in one transfer."""
        exchange = self._heap.exchange
        exchange.forget_from(BEGIN)
        words, failed = self._heap.fetched(self._output_words(), self.failed.ravel())
        of_outputs = np.split(words, len(self._outputs)) if self._outputs else []
        with computing_on(CPU):
            columns = list(map(exchange.column, of_outputs))
        return columns, failed.reshape(-1, self.lanes)

    def put(self, column: Column) -> Array:
        """Return the words of a column's values; int64 (lanes,) on the device."""
        self._heap.exchange.forget_from(BEGIN)
        return self._heap.put_words(column.words(self._heap.exchange))

    def compared_with(self, expected: Array) -> Array:
        """Flag where outputs are the values expected; bool (outputs, lanes) on the device.

        expected: the words of these, int64 (lanes,).
        """
        every = xp.arange(len(self._outputs) * self.lanes) % self.lanes
        found = self._heap.compared(self._output_words(), expected[every])
        return found.reshape(len(self._outputs), self.lanes) != 0

    def _output_words(self) -> Array:
        """Return the words of the outputs in all lanes, one output's after the other's."""
        every = np.arange(self.lanes)
        rows = [every[:0], *[at + step * every for at, step in map(self._place, self._outputs)]]
        return self._words[xp.asarray(np.concatenate(rows))]


class PassOnCpu(Pass):
    """The same on the CPU: one operation after the other."""

    _flag = np.bool_

    def _begin(self, language: Language) -> None:
        self._put_into = Heap(language, _WORDS)

    def _brought(self, words: Numbers) -> Array:
        return words

    def put(self, column: Column) -> Array:
        return column.words(self._put_into)

    def _call(self, calls: Calls, levels: Numbers) -> None:
        for k in range(len(levels)):
            one = Calls(*[table[k : k + 1] for table in calls])
            heap, words, failed = self._put_into, self._words, self._failed
            self.host_lanes += run(heap, one, words, failed, self._limit)
            if self._clock is not None:
                self._clock(int(calls.targets[k]) // self.lanes)
            require_memory()

    def on_host(self) -> tuple[list[Column], np.ndarray[Any, Any]]:
        words = self._output_words().reshape(len(self._outputs), self.lanes)
        return list(map(self._put_into.column, words)), self.failed

    def results(self, calls: Sequence[Call]) -> Iterator[Column]:
        """Yield the results of calls, one call's after the other's."""
        words = self._words[: self._shape[0] * self.lanes].reshape(self._shape)
        for target, _, _ in calls:
            yield self._put_into.column(words[_number(target)])


def _number(value: Any) -> int:
    """Return the number of the operation that gives a value; 0 for inputs and constants."""
    return value.source if isinstance(value, Target) and isinstance(value.source, int) else 0


def _key(value: Any) -> Any:
    """Return what tells inputs and constants apart: an input's name, a constant's identity."""
    return value.source if isinstance(value, Target) else id(value)
