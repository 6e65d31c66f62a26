"""Makes calls on the CPU, lane by lane, in one thread or several.

All lanes of a thread use one heap in turn, so that the heap stays in the caches. When the heap
fills up, values that no later call needs are dropped. Threads share everything but the heap.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property, partial
from typing import Any, NamedTuple, TypeVar

import numpy as np

from megabatt.runtime.engine.executor.operations import Operations
from megabatt.runtime.engine.executor.schedule import Done, Flags, Input, Ready, Reasons, Schedule
from megabatt.runtime.engine.language.limits import SHORTAGES
from megabatt.runtime.engine.language.reasons import SECOND_CHOSEN, Reason
from megabatt.runtime.engine.machine import prelude as m
from megabatt.runtime.engine.machine.constants import put_constants
from megabatt.runtime.engine.machine.copying import collect, kept
from megabatt.runtime.engine.machine.functions import nanoseconds
from megabatt.runtime.engine.machine.heap import Heap, NoWord, by_scalar_form
from megabatt.runtime.engine.machine.loops import Loop, Numbers
from megabatt.runtime.memory import SpareMemory, require_memory

Part = TypeVar("Part")

_MEMORY = SpareMemory()
"""The memory of heaps in which no values stay."""
WORDS = 1 << 16
"""A heap's first room, in words."""
_CACHED = 1 << 19
"""The words up to which a heap fills before values are dropped."""
MOST_BYTES = 1 << 30
"""The bytes that values may take by default."""
_TIMED = 8
"""The calls of one lane in `_TIMED` are timed."""
_ELEMENTS_AT_ONCE, _OF_CALL = 1 << 21, 64
"""The elements after which Python may handle a signal, and the elements that a call counts for
besides those that it charges."""
_WORTH_THREADS = 4096
"""The least number of calls in lanes for which more threads pay."""
_PARTS = 8
"""The parts of a thread's share of the lanes: some lanes take far longer than others."""


class Outgrown(Exception):
    """Raised if values to keep take more memory than allowed."""


class HostExecutor:
    """Makes calls in lanes on the CPU.

    keeps: Whether the values of all lanes stay for later calls; else each lane's values are
    dropped. stopped: Set to make a run in another thread end soon, without results. lost: The
    errors of values that stay but were not computed in some lane, see `Done`.
    """

    def __init__(
        self, operations: Operations, lanes: Sequence[int], inputs: Iterable[Input],
        keeps: bool = False, most_bytes: Callable[[], int] = lambda: MOST_BYTES, workers: int = 1,
        worth_threads: int = _WORTH_THREADS,
    ) -> None:  # fmt: skip
        """Prepare to make calls.

        lanes: The number of lanes of each domain; at most one domain if values are kept. inputs:
        The inputs of programs and the expected outputs. most_bytes: Returns the bytes that values
        may take. workers: The most threads, if values are not kept and there are at least
        `worth_threads` calls in lanes. Raises NoWord if words cannot hold the language's values.
        """
        self.operations = operations
        self.heap = Heap(operations.language, WORDS, None if keeps else _MEMORY)
        self.keeps = keeps
        self.workers = 1 if keeps else workers
        self.worth_threads = worth_threads
        self.stopped = False
        self._most_bytes = most_bytes
        self.domains = np.repeat(np.arange(len(lanes)), lanes)
        self.inputs = list(inputs)
        self.input_words: dict[int, Numbers] = {}
        rows = len(self.domains) if keeps else 1
        self.words = np.zeros((rows, 0), dtype=np.int64)
        self.reasons = np.zeros((rows, 0), dtype=np.uint8)
        self._made = np.zeros((rows, 0), dtype=np.bool_)
        self._constants_put = np.zeros(0, dtype=np.bool_)
        self.lost: dict[int, Exception] = {}

    @cached_property
    def most_words(self) -> int:
        return self._most_bytes() // 8

    @property
    def nbytes(self) -> int:
        """The approximate bytes of the values."""
        return 8 * self.heap.top + self.words.nbytes + self.reasons.nbytes + self._made.nbytes

    @property
    def last_charge(self) -> int:
        """The elements that the last call on the machine charged."""
        return self.operations.max_elements - int(self.heap.array[m.BUDGET])

    def operands_of(self, number: int) -> list[Any]:
        """Return the function and the arguments of an operation in the first lane, which stay."""
        begin, end = self.operations.table.begins[number : number + 2]
        operands = self.operations.table.flat[begin:end]
        return list(map(self.heap.get, self.words[0, operands].tolist()))

    def schedule(self, wanted: Numbers, domains: Numbers, lanes: Numbers | None = None) -> Schedule:
        """Schedule the missing calls for values in lanes, by default all; see `Schedule`."""
        made: Flags | None = None
        if self.keeps:
            self._follow()
            chosen = self._made if lanes is None else self._made[lanes]
            made = np.asarray(chosen[:, : len(self.operations)].all(axis=0))
        count = int(self.domains.max(initial=0)) + 1
        return Schedule(self.operations, wanted, domains, count, made)

    def run(
        self,
        schedule: Schedule,
        ready: Callable[[Ready], None] = lambda outputs: None,
        lanes: Numbers | None = None,
        seconds: np.ndarray[Any, Any] | None = None,
    ) -> Done:
        """Make calls in some lanes, by default in all.

        ready: Called with new outputs, by one thread at a time. seconds: float64 (calls,), gets the
        approximate time of each call in all lanes. Raises Outgrown if values to keep take too much
        memory.
        """
        chosen = np.arange(len(self.domains)) if lanes is None else lanes
        self._follow()
        self._put_constants(schedule)
        for place, given in enumerate(self.inputs):
            if schedule.used[given.numbers].any():
                self.words_of_input(place, chosen[:0])
        top = self.heap.top
        done = _Run(self, schedule, chosen, ready, seconds).done()
        if self.keeps:
            self._made[np.ix_(chosen, schedule.numbers)] = True
        else:
            self.heap.forget_from(top)
        return done

    def _follow(self) -> None:
        """Make places for all values."""
        values, room = len(self.operations), self.words.shape[1]
        if values > room:
            more = max(values, 2 * room)
            self.words = _wider(self.words, more)
            self.reasons = _wider(self.reasons, more)
            self._made = _wider(self._made, more)
            self._constants_put = _wider(self._constants_put, more)

    def _put_constants(self, schedule: Schedule) -> None:
        lacking = schedule.used & ~self._constants_put[: len(schedule.used)]
        constants, values = self.operations.constants_among(lacking), self.operations.values
        self.words[:, constants] = put_constants(self.heap, map(values.__getitem__, constants))
        self._constants_put[constants] = True

    def words_of_input(self, place: int, lanes: Numbers) -> Numbers:
        """Return an input's words in some lanes, int64 (lanes,). place: The input's place.

        A missing input is put into the heap, so this method must not be called during a run.
        """
        if place not in self.input_words:
            self.input_words[place] = self.inputs[place].words(self.heap)
        return self.input_words[place][lanes]


def _wider(array: np.ndarray[Any, Any], width: int) -> np.ndarray[Any, Any]:
    """Return an array with its last axis padded with zeros."""
    wider = np.zeros((*array.shape[:-1], width), dtype=array.dtype)
    wider[..., : array.shape[-1]] = array
    return wider


_FINISHED, _PAUSED = 0, 1
"""Reasons for the loop to return, besides wrong words: it has finished; it pauses, because the heap
fills up or Python may have to handle a signal."""


class _Lanes(NamedTuple):
    """Lanes as arrays for the loop; int64 (lanes,).

    begins, ends   the calls of each lane
    domains        the domain of each lane; -1 for the lane that makes the shared values
    rows           the row of each lane in `words` and `reasons`
    first_rows     the row of each lane's first output among all outputs; and the number of rows
    """

    begins: Numbers
    ends: Numbers
    domains: Numbers
    rows: Numbers
    first_rows: Numbers


class _Run:
    """A run of a schedule's calls in lanes.

    seconds: The estimated time of each call, see `run`. input_numbers: The inputs in use, int64
    (inputs, domains). input_words: Their words in lanes, int64 (inputs, lanes).
    """

    def __init__(
        self, executor: HostExecutor, schedule: Schedule, lanes: Numbers,
        ready: Callable[[Ready], None], seconds: np.ndarray[Any, Any] | None,
    ) -> None:  # fmt: skip
        self.executor = executor
        self.schedule = schedule
        self._ready = ready
        self.seconds = seconds
        domains = executor.domains[lanes]
        first_rows = schedule.first_rows(domains)
        self._lanes = _Lanes(
            begins=schedule.begins[domains],
            ends=schedule.begins[domains + 1],
            domains=domains,
            rows=lanes if executor.keeps else np.zeros_like(lanes),
            first_rows=first_rows,
        )
        self.found = np.zeros(first_rows[-1], dtype=np.int64)
        laid = sorted(executor.input_words)
        numbers = [executor.inputs[k].numbers for k in laid]
        words = [executor.input_words[k][lanes] for k in laid]
        self.input_numbers = np.array(numbers, np.int64).reshape(len(laid), schedule.count)
        self.input_words = np.array(words, np.int64).reshape(len(laid), len(lanes))
        if executor.keeps:
            reasons = Reasons(executor.reasons, lanes, np.arange(len(executor.operations)))
        else:
            reasons = schedule.reasons(len(lanes))
        self.result = Done(
            reasons=reasons,
            lost=executor.lost if executor.keeps else {},
            call_lanes=schedule.shared + int(np.diff(schedule.begins)[domains].sum()),
        )
        self._telling = threading.Lock()

    def done(self) -> Done:
        executor, shared = self.executor, self.schedule.shared
        first = _Worker(self, executor.heap, executor.words, executor.reasons)
        if shared:
            first.make_shared(shared)
            numbers = self.schedule.numbers[:shared]
            self.result.reasons.table[:, :shared] = executor.reasons[0, numbers]
        parts = self._parts()
        workers = [first, *[first.another() for _ in range(min(executor.workers, len(parts)) - 1)]]
        stop = partial(setattr, executor, "stopped", True)
        share_out([partial(worker.make, self._lanes) for worker in workers], parts, stop)
        for worker in workers:
            self.result.host_lanes += worker.host_lanes
            if self.seconds is not None:
                lanes = len(self._lanes.begins)
                self.seconds += worker.nanoseconds * (1e-9 * lanes / max(-(-lanes // _TIMED), 1))
        return self.result

    def _parts(self) -> list[range]:
        """Divide the lanes into the parts that threads take in turn."""
        lanes, executor = len(self._lanes.begins), self.executor
        alone = executor.workers == 1 or self.result.call_lanes < executor.worth_threads
        count = 1 if alone else min(executor.workers * _PARTS, lanes)
        return [range(k * lanes // count, (k + 1) * lanes // count) for k in range(count)]

    def tell(self, first: int, end: int, heap: Heap) -> None:
        """Call `ready` with the outputs in a range of rows, made in a heap."""
        with self._telling:
            require_memory()
            self._ready(Ready(first, heap, self.found[first:end]))


class _Worker:
    """Makes calls of a run in lanes, in a heap of its own.

    host_lanes    the number of calls made by the scalar form
    nanoseconds   int64 (calls,): the time of each call in the timed lanes; empty without timing
    """

    def __init__(self, run: _Run, heap: Heap, words: Numbers, reasons: Numbers) -> None:
        self._run = run
        self._executor = run.executor
        self._schedule = run.schedule
        self._limit = run.executor.operations.max_elements
        self._heap = heap
        self._words = words
        self._reasons = reasons
        self._drained = 0
        self.host_lanes = 0
        calls = 0 if run.seconds is None else len(run.schedule.numbers)
        self.nanoseconds = np.zeros(calls, dtype=np.int64)

    def another(self) -> _Worker:
        return _Worker(self._run, self._heap.copy(), self._words.copy(), self._reasons.copy())

    def make_shared(self, calls: int) -> None:
        """Make the first `calls` calls, which all lanes share. Their values stay."""
        zero = np.zeros(1, dtype=np.int64)
        self._make(_Lanes(zero, zero + calls, zero - 1, zero, zero), range(1))

    def make(self, lanes: _Lanes, part: range) -> None:
        """Make the calls in a part of the lanes, and report their outputs."""
        top = self._heap.top
        self._drained = int(lanes.first_rows[part.start])
        with self._executor.operations.language.in_use():
            if self._make(lanes, part):
                self._drain(int(lanes.first_rows[part.stop]))
        if not self._executor.keeps:
            self._heap.trim(top)

    def _make(self, lanes: _Lanes, part: range) -> bool:
        """Make the calls in a part of the lanes. Returns whether all are made."""
        run, schedule, heap, base = self._run, self._schedule, self._heap, self._heap.top
        table = run.result.reasons.table
        of_calls = table[:0] if self._executor.keeps else table
        room = self._executor.most_words if self._executor.keeps else base + _CACHED
        lane, at, made = part.start, -1, -1
        while not self._executor.stopped:
            lane, at, why = _run(
                heap.array, self._words, self._reasons, *lanes, run.input_numbers, run.input_words,
                schedule.numbers, schedule.operands, schedule.counts, schedule.defaults,
                schedule.chooses, schedule.places, schedule.outputs, schedule.first_outputs,
                schedule.given, run.found, of_calls, schedule.shared, self.nanoseconds,
                self._limit, room, lane, part.stop, at, made,
            )  # fmt: skip
            made = -1
            if why == _FINISHED:
                return True
            if why == _PAUSED:
                if heap.top > room:
                    room = self._make_room(lanes, lane, at, base)
            elif not self._make_alone(lanes.rows[lane], at, why):
                made = at
        return False

    def _make_room(self, lanes: _Lanes, lane: int, at: int, base: int) -> int:
        """Drop values that no later call needs. Returns the new end of the heap's room."""
        if self._executor.keeps:
            raise Outgrown
        heap, schedule = self._heap, self._schedule
        if at < 0:
            self._drain(int(lanes.first_rows[lane]))
            heap.forget_from(base)
        else:
            calls = slice(lanes.begins[lane], at)
            if lanes.domains[lane] >= 0:
                of_lane = int((schedule.places[calls] >= 0).sum())
                given = schedule.given[lanes.domains[lane]]
                self._drain(int(lanes.first_rows[lane] + given) + of_lane)
            live = schedule.numbers[calls][schedule.last_uses[calls] >= at]
            collect(heap, base, self._words[lanes.rows[lane]], live)
        return base + max(_CACHED, 2 * (heap.top - base))

    def _drain(self, end: int) -> None:
        """Report the outputs before a row."""
        if end > self._drained:
            first, self._drained = self._drained, end
            self._run.tell(first, end, self._heap)

    def _make_alone(self, row: int, at: int, why: int) -> bool:
        """Make a call that the loop cannot make. Returns whether the loop should try again."""
        schedule, words = self._schedule, self._words[row]
        number = schedule.numbers[at]
        default = words[schedule.defaults[at]]
        try:
            if why == m.FULL and self._heap.grow_for_call(self._limit, self._executor.most_words):
                return True
            self.host_lanes += 1
            operands = words[schedule.operands[at, : schedule.counts[at] + 1]].tolist()
            word, reason = by_scalar_form(self._heap, operands, self._limit, default)
        except (NoWord, *SHORTAGES) as shortage:
            if self._executor.keeps and isinstance(shortage, MemoryError):
                raise Outgrown from shortage
            self._run.result.lost[int(number)] = shortage
            word, reason = default, Reason.NOT_COMPUTED
        words[number] = word
        self._reasons[row, number] = reason
        return False


@Loop
def _run(
    heap, words, reasons, begins, ends, domains, rows, first_rows, input_numbers, input_words,
    numbers, operands, counts, defaults, chooses, places, outputs, first_outputs, given, found,
    of_calls, shared, times, limit, room, lane, end, at, made,
):  # fmt: skip
    """Make calls from call `at` of a lane on; -1 means the lane's beginning.

    of_calls: Gets the reasons of failures, shared calls first. end: The end of the lanes. room: The
    top of the heap beyond which the loop pauses. made: A call that is already made. Returns the
    lane and the call at which the loop stops, and the reason to stop.
    """
    room_ends = heap[m.END]
    until_pause = _ELEMENTS_AT_ONCE
    while lane < end:
        row = rows[lane]
        domain = domains[lane]
        timed = len(times) > 0 and lane % _TIMED == 0
        if at < 0:
            if heap[m.TOP] > room:
                return lane, at, _PAUSED
            at = begins[lane]
            if domain >= 0:
                for k in range(len(input_numbers)):
                    words[row, input_numbers[k, domain]] = input_words[k, lane]
                for place in range(given[domain]):
                    output = outputs[first_outputs[domain] + place]
                    found[first_rows[lane] + place] = words[row, output]
        while at < ends[lane]:
            number = numbers[at]
            if at != made:
                if until_pause < 0 or heap[m.TOP] > room:
                    return lane, at, _PAUSED
                top = heap[m.TOP]
                began = nanoseconds(heap, top) if timed and top + 2 <= room_ends else 0
                m.begin_operation(heap, limit)
                result = m.call(
                    heap, words[row, operands[at, 0]], counts[at],
                    words[row, operands[at, 1]], words[row, operands[at, 2]],
                    words[row, operands[at, 3]], words[row, operands[at, 4]],
                )  # fmt: skip
                until_pause -= limit - heap[m.BUDGET] + _OF_CALL
                result = kept(heap, top, result, room_ends)
                reasons[row, number] = m.reason_of(result)
                if began and heap[m.TOP] + 2 <= room_ends:
                    times[at] += nanoseconds(heap, heap[m.TOP]) - began
                if result > m.WRONG:
                    words[row, number] = result
                elif result > m.WRONG_ARITY:
                    return lane, at, result
                else:
                    words[row, number] = words[row, defaults[at]]
            if chooses[at] and reasons[row, number] == 0:
                if not m.truth(words[row, operands[at, 1]]):
                    reasons[row, number] = SECOND_CHOSEN
            if len(of_calls):
                column = at - begins[lane] + (shared if domain >= 0 else 0)
                of_calls[lane, column] = reasons[row, number]
            if places[at] >= 0:
                found[first_rows[lane] + places[at]] = words[row, number]
            at += 1
            made = -1
        lane += 1
        at = -1
    return lane, at, _FINISHED


def share_out(
    workers: Sequence[Callable[[Part], None]], parts: Iterable[Part], stop: Callable[[], None]
) -> None:
    """Share parts of work among workers: the first in this thread, each other in its own.

    Each worker takes one part after another. stop: Makes workers end soon; called if a worker
    raises an exception, which is raised here once all workers have ended.
    """
    left = iter(list(parts))  # threads may share a list's iterator
    raised: list[BaseException] = []

    def work(worker: Callable[[Part], None]) -> None:
        try:
            for part in left:
                if raised:
                    break
                worker(part)
        except BaseException as error:
            raised.append(error)
            stop()

    threads = [threading.Thread(target=work, args=(worker,)) for worker in workers[1:]]
    try:
        for thread in threads:
            thread.start()
        work(workers[0])
        _join(threads)
    except BaseException as error:  # an interrupt outside of this thread's work
        raised.append(error)
        stop()
        _join(threads)
    if raised:
        try:
            raise raised[0]
        finally:
            raised.clear()  # breaks a cycle that would keep frames alive


def _join(threads: list[threading.Thread]) -> None:
    for thread in threads:
        if thread.ident is not None:
            thread.join()
