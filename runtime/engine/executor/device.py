"""Makes calls on the device in use, a level at a time, with a thread for each call in a lane."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from megabatt.runtime.engine.device.arrays import Array
from megabatt.runtime.engine.device.device import CPU, computing_on, current, to_host, xp
from megabatt.runtime.engine.executor.host import WORDS, HostExecutor
from megabatt.runtime.engine.executor.operations import Operations
from megabatt.runtime.engine.executor.schedule import Done, Flags, Input, Ready, Reasons, Schedule
from megabatt.runtime.engine.language.reasons import SECOND_CHOSEN
from megabatt.runtime.engine.machine.contents import truth
from megabatt.runtime.engine.machine.heap import Heap
from megabatt.runtime.engine.machine.layout import BEGIN
from megabatt.runtime.engine.machine.loops import Loop, Numbers
from megabatt.runtime.engine.machine.on_device import DeviceCalls, DeviceHeap


class DeviceExecutor:
    """Makes calls in lanes on the device in use, with the interface of `HostExecutor`.

    An operation's level is one above the highest of its operands. All operations of a level run at
    once, with a thread for each lane. Values are dropped when a run ends.
    """

    def __init__(
        self,
        operations: Operations,
        lanes: Sequence[int],
        inputs: Iterable[Input],
        heap: DeviceHeap | None = None,
        most_bytes: Callable[[], int] | None = None,
    ) -> None:
        """Prepare to make calls.

        heap: A heap that has the words of inputs; by default a new one. most_bytes: Returns the
        bytes that values may take on the CPU, which makes the calls of a run for which the device
        has no room; by default such a run raises the device's error. The other arguments are those
        of `HostExecutor`.
        """
        self.operations = operations
        self._lanes = lanes
        self._most_bytes = most_bytes
        self.inputs = list(inputs)
        self.domains = np.repeat(np.arange(len(lanes)), lanes)
        self.heap = DeviceHeap(operations.language, WORDS) if heap is None else heap
        self._input_words: dict[int, Array] = {}

    def schedule(self, wanted: Numbers, domains: Numbers, lanes: Numbers | None = None) -> Schedule:
        """Schedule the calls for some values; see `Schedule`."""
        return Schedule(self.operations, wanted, domains, int(self.domains.max(initial=0)) + 1)

    def words_of_input(self, place: int, lanes: Numbers) -> Array:
        """Return an input's words in some lanes, int64 (lanes,). place: The input's place."""
        if place not in self._input_words:
            self._input_words[place] = self.inputs[place].words(self.heap)
        return self._input_words[place][xp.asarray(lanes)]

    def run(
        self,
        schedule: Schedule,
        ready: Callable[[Ready], None] = lambda outputs: None,
        lanes: Numbers | None = None,
        seconds: np.ndarray[Any, Any] | None = None,
    ) -> Done:
        """Do `HostExecutor.run`; `seconds` stays unchanged, since calls run side by side."""
        chosen = np.arange(len(self.domains)) if lanes is None else lanes
        try:
            return _Run(self, schedule, chosen).done(ready)
        except Exception as error:
            if self._most_bytes is None or not current().exhausted(error):
                raise
        # Outside of the handler, the arrays in the error's traceback are free again.
        gc.collect()
        current().release()
        return self._run_on_cpu(schedule, ready, chosen, self._most_bytes)

    def _run_on_cpu(
        self,
        schedule: Schedule,
        ready: Callable[[Ready], None],
        lanes: Numbers,
        most_bytes: Callable[[], int],
    ) -> Done:
        """Make calls on the CPU, and send outputs to the device, where `ready` expects them."""
        device, no_reasons = current(), xp.zeros(0, dtype=xp.int64)

        def send(outputs: Ready) -> None:
            first, heap, words = outputs
            kept = self.heap.top
            try:
                with computing_on(device):
                    _, there = self.heap.put_from(heap, words)
                    ready(Ready(first, _Values(self.heap, no_reasons), there))
                return
            except Exception as error:
                if len(words) == 1 or not device.exhausted(error):
                    raise
            finally:
                self.heap.top = kept
            middle = len(words) // 2
            send(Ready(first, heap, words[:middle]))
            send(Ready(first + middle, heap, words[middle:]))

        with computing_on(CPU):
            executor = HostExecutor(
                self.operations, self._lanes, self.inputs, most_bytes=most_bytes
            )
            return executor.run(schedule, send, lanes)


class _Values:
    """A device's heap, and the reasons of failures, fetched with the first values."""

    def __init__(self, heap: DeviceHeap, reasons: Array) -> None:
        self._heap = heap
        self._there = reasons.astype(xp.uint8)
        self._here: Numbers | None = None

    def same(self, words: Array, others: Array) -> Flags:
        """Flag the pairs of words whose values are identical; bool (n,) on the host."""
        found = self._heap.compared(words, others).astype(xp.uint8)
        both = to_host(xp.concatenate([found, self._there]))
        self._here = both[len(words) :]
        return both[: len(words)] != 0  # type: ignore[no-any-return]

    def on_host(self, words: Array) -> tuple[Heap, Numbers]:
        """Return a host's heap with some values, valid until the next call, and their words."""
        if self._here is not None:
            return self._heap.on_host(words)
        here, self._here = self._heap.fetched(words, self._there)
        return self._heap.exchange, here

    def reasons(self) -> Numbers:
        """Return the reasons of failures, on the host; uint8."""
        return to_host(self._there) if self._here is None else self._here


class _Run:
    """A schedule's calls, and the places of values; a value has a word for each lane or one word.

    _firsts: The first lane of each domain. _in_domain: The place of each lane in its domain.
    """

    def __init__(self, executor: DeviceExecutor, schedule: Schedule, lanes: Numbers) -> None:
        self._executor = executor
        self._heap = executor.heap
        self._schedule = schedule
        self._operations = executor.operations
        self._domains = executor.domains[lanes]
        self._lanes = np.bincount(self._domains, minlength=schedule.count)
        self._firsts = np.cumsum(self._lanes) - self._lanes
        self._in_domain = np.arange(len(lanes)) - self._firsts[self._domains]
        self._places = np.zeros(len(executor.operations), dtype=np.int64)
        self._steps = np.zeros_like(self._places)
        calls = len(schedule.numbers)
        self._lanes_of_calls = np.ones(calls, dtype=np.int64)
        of_domains = np.repeat(self._lanes, np.diff(schedule.begins))
        self._lanes_of_calls[schedule.shared :] = of_domains
        self._steps[schedule.numbers[schedule.shared :]] = 1
        ends = np.cumsum(self._lanes_of_calls)
        self._places[schedule.numbers] = ends - self._lanes_of_calls
        made = xp.zeros(int(ends[-1]) if calls else 0, dtype=xp.int64)
        self._words = xp.concatenate([made, *self._given(lanes, len(made))])
        self._reasons = xp.zeros(len(made), dtype=xp.int64)

    def _given(self, lanes: Numbers, at: int) -> list[Array]:
        """Assign places to the constants and inputs, from `at` on. Returns their words."""
        schedule, values = self._schedule, self._operations.values
        constants = self._operations.constants_among(schedule.used)
        self._places[constants] = at + np.arange(len(constants))
        exchange = self._heap.exchange
        words = [exchange.put(values[number]) for number in constants]
        words_here, there = self._heap.put_from(exchange, np.array(words, dtype=np.int64))
        exchange.forget_from(BEGIN)
        self._words_of = dict(zip(constants, words_here.tolist(), strict=True))
        found = [there]
        at += len(constants)
        for place, given in enumerate(self._executor.inputs):
            if schedule.used[given.numbers].any():
                found.append(self._executor.words_of_input(place, lanes))
                self._places[given.numbers] = at + self._firsts
                self._steps[given.numbers] = 1
                at += len(lanes)
        return found

    def done(self, ready: Callable[[Ready], None]) -> Done:
        schedule, kept = self._schedule, self._heap.top
        try:
            lost, host_lanes = self._make()
            rows = schedule.rows(self._domains)
            lane = self._in_domain[rows.lanes]
            outputs = schedule.outputs[rows.outputs]
            places = self._places[outputs] + self._steps[outputs] * lane
            values = _Values(self._heap, self._reasons)
            ready(Ready(0, values, self._words[xp.asarray(places)]))
            reasons = values.reasons()
            self._note_choices(reasons)
            return Done(
                self._by_call(reasons),
                {int(schedule.numbers[k]): why for k, why in lost.items()},
                host_lanes,
                int(self._lanes_of_calls.sum()),
            )
        finally:
            self._heap.top = kept

    def _note_choices(self, reasons: Numbers) -> None:
        """Note in the reasons the choices that returned their second value."""
        schedule = self._schedule
        choices = np.flatnonzero(schedule.chooses)
        if not len(choices):
            return
        lanes = self._lanes_of_calls[choices]
        calls = np.repeat(choices, lanes)
        lane = np.arange(len(calls)) - np.repeat(np.cumsum(lanes) - lanes, lanes)
        conditions = schedule.operands[calls, 1]
        places = self._places[conditions] + self._steps[conditions] * lane
        words = to_host(self._words[xp.asarray(places)])
        _note_second(words, self._places[schedule.numbers[calls]] + lane, reasons)

    def _by_call(self, reasons: Numbers) -> Reasons:
        """Return the reasons of failures by lane and call. A lane has the calls of its domain."""
        schedule, numbers = self._schedule, self._schedule.numbers
        found = schedule.reasons(len(self._domains))
        shared = slice(schedule.shared)
        found.table[:, shared] = reasons[self._places[numbers[shared]]]
        for lane, domain in enumerate(self._domains.tolist()):
            mine = slice(schedule.begins[domain], schedule.begins[domain + 1])
            of_lane = reasons[self._places[numbers[mine]] + self._in_domain[lane]]
            found.table[lane, found.columns[numbers[mine]]] = of_lane
        return found

    def _make(self) -> tuple[dict[int, Exception], int]:
        """Make the calls. Returns the errors of lost calls, and the number made on the host."""
        schedule, heap = self._schedule, self._heap
        if not len(self._reasons):
            return {}, 0
        levels = np.zeros(len(self._operations), dtype=np.int64)
        _find_levels(schedule.numbers, schedule.counts, schedule.operands, levels)
        of_calls = levels[schedule.numbers]
        order = np.lexsort((schedule.operands[:, 0], of_calls))
        operands = schedule.operands[order]
        made = DeviceCalls(
            heap,
            operands=self._places[operands],
            steps=self._steps[operands],
            counts=schedule.counts[order],
            lanes=self._lanes_of_calls[order],
            targets=self._places[schedule.numbers[order]],
            defaults=np.array([self._words_of[k] for k in schedule.defaults[order].tolist()]),
            words=self._words,
            reasons=self._reasons,
            limit=self._operations.max_elements,
        )
        made.make_levels(of_calls[order])
        return {int(order[k]): why for k, why in made.lost.items()}, made.host_lanes


@Loop
def _find_levels(numbers, counts, operands, levels):
    """Store the levels of calls by the numbers of their values. No call needs a later one."""
    for k in range(len(numbers)):
        highest = 0
        for place in range(min(counts[k] + 1, operands.shape[1])):
            highest = max(highest, levels[operands[k, place]])
        levels[numbers[k]] = highest + 1


@Loop
def _note_second(conditions, places, reasons):
    """Note choices, by the words of their conditions and their places among the reasons."""
    for k in range(len(conditions)):
        if reasons[places[k]] == 0 and not truth(conditions[k]):
            reasons[places[k]] = SECOND_CHOSEN
