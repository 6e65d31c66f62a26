"""Makes calls on the device in use, a level at a time, with a thread for each call in a lane."""

import gc
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from megabatt.runtime.engine.device.arrays import Array, offsets_of, xp
from megabatt.runtime.engine.device.device import CPU, LAST, MAX, computing_on, current, to_host
from megabatt.runtime.engine.executor.host import WORDS, HostExecutor
from megabatt.runtime.engine.executor.operations import Operations
from megabatt.runtime.engine.executor.schedule import Done, Flags, Input, Ready, Reasons, Schedule
from megabatt.runtime.engine.language.limits import SHORTAGES
from megabatt.runtime.engine.language.reasons import SECOND_CHOSEN, Reason
from megabatt.runtime.engine.machine import prelude as m
from megabatt.runtime.engine.machine import threads
from megabatt.runtime.engine.machine.heap import Heap, NoWord, by_scalar_form, room_of_call
from megabatt.runtime.engine.machine.loops import Loop, Numbers
from megabatt.runtime.engine.machine.on_device import DeviceHeap

_LEAST_ROOM, _MORE = 1 << 12, 16
"""A call's words of scratch at first, and the factor by which it gets more and starts anew."""
_MOST_THREADS = 1 << 17
"""The threads of a launch, if memory suffices."""


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
        has no room; by default such a run raises the device's error. Others: See `HostExecutor`.
        """
        self.operations = operations
        self._lanes = lanes
        self._most_bytes = most_bytes
        self.inputs = list(inputs)
        self.domains = np.repeat(np.arange(len(lanes)), lanes)
        self.heap = DeviceHeap(operations.language, WORDS) if heap is None else heap
        self._input_words: dict[int, Array] = {}

    def schedule(self, wanted: Numbers, domains: Numbers, lanes: Numbers | None = None) -> Schedule:
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
        if self._here is not None:
            return self._heap.on_host(words)
        here, self._here = self._heap.fetched(words, self._there)
        return self._heap.exchange, here

    def reasons(self) -> Numbers:
        """Return the reasons of failures, on the host; uint8."""
        return to_host(self._there) if self._here is None else self._here


class _Run:
    """A schedule's calls on the device, a level at a time.

    A value has a place among the words of all values: the place of its word in the first lane. The
    step to its word in the next lane is 1, or 0 if all lanes share the word. The results of calls
    come first, ordered by level, each with places for all lanes of its call.

    _firsts: The first lane of each domain. _in_domain: The place of each lane in its domain.
    _order: The calls of the schedule, ordered by level. _begins: (calls + 1,), the places of their
    results. _operands, _operand_steps: (calls, MOST_OPERANDS), the places and steps of operands.
    _lost: The errors of calls that were not computed, by the value's number.
    """

    def __init__(self, executor: DeviceExecutor, schedule: Schedule, lanes: Numbers) -> None:
        self._executor = executor
        self._heap = executor.heap
        self._schedule = schedule
        self._limit = executor.operations.max_elements
        self._domains = executor.domains[lanes]
        in_domains = np.bincount(self._domains, minlength=schedule.count)
        self._firsts = np.cumsum(in_domains) - in_domains
        self._in_domain = np.arange(len(lanes)) - self._firsts[self._domains]
        levels, places, steps = np.zeros((3, len(executor.operations)), dtype=np.int64)
        _find_levels(schedule.numbers, schedule.counts, schedule.operands, levels)
        self._levels = levels[schedule.numbers]
        self._order = order = np.lexsort((schedule.operands[:, 0], self._levels))
        lanes_of_calls = np.ones_like(order)
        lanes_of_calls[schedule.shared :] = np.repeat(in_domains, np.diff(schedule.begins))
        self._begins = np.append(0, np.cumsum(lanes_of_calls[order]))
        places[schedule.numbers[order]] = self._begins[:-1]
        steps[schedule.numbers[schedule.shared :]] = 1
        self._places, self._steps = places, steps
        made = xp.zeros(int(self._begins[-1]), dtype=xp.int64)
        self._words = xp.concatenate([made, *self._given(lanes, len(made))])
        self._reasons = xp.zeros(len(made), dtype=xp.int64)
        operands = schedule.operands[order]
        self._operands, self._operand_steps = places[operands], steps[operands]
        self._lost: dict[int, Exception] = {}
        self._host_lanes = 0

    def _given(self, lanes: Numbers, at: int) -> list[Array]:
        """Assign places to the constants and inputs, from `at` on. Returns their words."""
        schedule, operations = self._schedule, self._executor.operations
        constants = operations.constants_among(schedule.used)
        self._places[constants] = at + np.arange(len(constants))
        exchange = self._heap.exchange
        words = [exchange.put(operations.values[number]) for number in constants]
        words_here, there = self._heap.put_from(exchange, np.array(words, dtype=np.int64))
        exchange.forget_from(m.BEGIN)
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
            if len(self._reasons):
                self._make()
            rows = schedule.rows(self._domains)
            outputs = schedule.outputs[rows.outputs]
            places = self._places[outputs] + self._steps[outputs] * self._in_domain[rows.lanes]
            values = _Values(self._heap, self._reasons)
            ready(Ready(0, values, self._words[xp.asarray(places)]))
            reasons = values.reasons()
            self._note_choices(reasons)
            return Done(self._by_call(reasons), self._lost, self._host_lanes, len(reasons))
        finally:
            self._heap.top = kept

    def _note_choices(self, reasons: Numbers) -> None:
        """Note in the reasons the choices that returned their second value."""
        chooses = np.repeat(self._schedule.chooses[self._order], np.diff(self._begins))
        places = np.flatnonzero(chooses)
        if len(places):
            conditions = self._operands_at(places)[1][:, 1]
            _note_second(to_host(self._words[xp.asarray(conditions)]), places, reasons)

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

    def _operands_at(self, places: Numbers) -> tuple[Numbers, Numbers]:
        """Return the calls, in order, whose results have some places; their operands' places."""
        which = np.searchsorted(self._begins, places, "right") - 1
        lanes = places - self._begins[which]
        return which, self._operands[which] + self._operand_steps[which] * lanes[:, None]

    def _make(self) -> None:
        schedule, order = self._schedule, self._order
        self._counts = schedule.counts[order]
        defaults = np.array([self._words_of[k] for k in schedule.defaults[order].tolist()])
        operands, steps = self._operands.ravel(), self._operand_steps.ravel()
        tables = self._begins, operands, steps, self._counts, defaults
        there = current().send(np.concatenate(tables))()
        ends = np.cumsum(list(map(len, tables))).tolist()
        self._tables = [there[begin:end] for begin, end in pairwise([0, *ends])]
        levels = self._levels[order]
        first_calls = np.searchsorted(levels, np.arange(1, levels[-1] + 2))
        for first, end in pairwise(self._begins[first_calls].tolist()):
            self._make_level(np.arange(first, end))

    def _make_level(self, places: Numbers) -> None:
        """Make independent calls in lanes. places: Of their results, ascending."""
        room, enough = _LEAST_ROOM, room_of_call(self._limit)
        left = self._made(places, room)
        while left.size:
            wants_room = left[1] == threads.NEEDS_ROOM
            if room >= enough:
                wants_room[:] = False
            self._make_on_host(left[0, ~wants_room])
            places = left[0, wants_room]
            if places.size:
                most = self._heap.words_to_be_had() // (2 * places.size)
                room = min(max(room * _MORE, most), enough)
            left = self._made(places, room)

    def _made(self, places: Numbers, room: int) -> Numbers:
        """Make calls in lanes, as many at once as fit into memory.

        room: The words of scratch of each. Returns what remains: places, reasons; int64 (2, left).
        """
        at_once = max(1, min(self._heap.words_to_be_had() // (2 * room), _MOST_THREADS))
        parts = [places[at : at + at_once] for at in range(0, len(places), at_once)]
        left = [self._made_at_once(part, room) for part in parts]
        return np.concatenate([np.zeros((2, 0), dtype=np.int64), *left], axis=1)

    def _made_at_once(self, places: Numbers, room: int) -> Numbers:
        heap, n = self._heap, len(places)
        first = int(places[0])
        if int(places[-1]) == first + n - 1:
            there = xp.arange(first, first + n, dtype=xp.int64)
        else:
            there = xp.asarray(places)
        sizes, left = xp.empty(n, dtype=xp.int64), xp.empty(n, dtype=xp.int64)
        scratch = heap.behind(heap.top, n * room)
        heap.launch(
            threads.make_call, n, there, scratch, room, self._limit, len(self._counts),
            *self._tables, self._words, self._reasons, sizes, left,
        )  # fmt: skip
        offsets = offsets_of(sizes)
        total, most_left = current().answers([(offsets, LAST), (left, MAX)])
        if total:
            to = heap.behind(scratch + n * room, total)
            heap.launch(
                threads.keep_result, n, there, scratch, room, to, to - heap.top, self._words,
                offsets,
            )  # fmt: skip
            heap.array[heap.top : heap.top + total] = heap.array[to : to + total].copy()
            heap.top += total
        if not most_left:
            return np.zeros((2, 0), dtype=np.int64)
        why = to_host(left)
        return np.stack([places[why > 0], why[why > 0]])

    def _make_on_host(self, places: Numbers) -> None:
        """Make calls in lanes by their scalar forms."""
        if not len(places):
            return
        self._host_lanes += len(places)
        which, of_operands = self._operands_at(places)
        operands, _ = self._heap.fetched(self._words[xp.asarray(of_operands.ravel())])
        rows = operands.reshape(of_operands.shape).tolist()
        made, reasons = [], []
        for call, row in zip(which.tolist(), rows, strict=True):
            called = row[: self._counts[call] + 1]
            try:
                word, reason = by_scalar_form(self._heap.exchange, called, self._limit, 0)
            except (NoWord, *SHORTAGES) as shortage:
                reason = Reason.NOT_COMPUTED
                self._lost[int(self._schedule.numbers[self._order[call]])] = shortage
            reasons.append(reason)
            if not reason:
                made.append(word)
        reasons_here = np.array(reasons, dtype=np.int64)
        right = xp.asarray(places[reasons_here == 0])  # elsewhere `make_call` stored the default
        self._words[right] = self._heap.put_words(np.array(made, dtype=np.int64))
        self._reasons[xp.asarray(places)] = xp.asarray(reasons_here)


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
        if reasons[places[k]] == 0 and not m.truth(conditions[k]):
            reasons[places[k]] = SECOND_CHOSEN
