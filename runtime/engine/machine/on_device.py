"""The heap on the device in use, and calls on this device, a level at a time."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np

from megabatt.runtime.engine.device.arrays import Array, offsets_of, xp
from megabatt.runtime.engine.device.device import CPU, LAST, MAX, computing_on, current, to_host
from megabatt.runtime.engine.language.limits import SHORTAGES
from megabatt.runtime.engine.language.reasons import Reason
from megabatt.runtime.engine.language.registry import Language
from megabatt.runtime.engine.language.values import fails
from megabatt.runtime.engine.machine import prelude as m
from megabatt.runtime.engine.machine import threads
from megabatt.runtime.engine.machine.copying import moved
from megabatt.runtime.engine.machine.cpp import Translation
from megabatt.runtime.engine.machine.forms import unknown
from megabatt.runtime.engine.machine.functions import ADDRESSES
from megabatt.runtime.engine.machine.heap import Heap, NoWord, by_scalar_form, room_of_call
from megabatt.runtime.engine.machine.linking import Head, fail, leave
from megabatt.runtime.engine.machine.loops import Numbers
from megabatt.runtime.engine.machine.syntax import Untranslatable

_LEAST_ROOM, _MORE = 1 << 12, 16
"""A call's words of scratch at first, and the factor by which a call that lacks room gets more; the
call then starts anew."""
_MOST_THREADS = 1 << 17
"""The threads of a launch, if memory suffices."""
_SHARE = 0.6
"""The share of the device's free memory that scratch may take."""
_DEEPEST = 24
"""The deepest nesting of calls on a GPU, see `device.cuda._STACK_BYTES`."""

log = logging.getLogger("megabatt.kernels")


@lru_cache
def source_of(head: Head) -> str:
    """Return the machine's source for a GPU. head: The head of the heaps, with the functions.

    The source is the same in every process, so that compiled code can be kept. The scalar form
    computes functions that cannot be translated, with a warning.
    """
    program = Translation()
    words = head.words[:m.EMPTY_TUPLE_AT].copy()
    words[ADDRESSES:m.FORMS] = 0  # addresses of this process
    words[m.FORMS:m.ESTIMATES] = words[m.CALLED:m.KIND_RANKS] = program.number(leave)
    words[m.FORMS + head.numbers[fails]] = program.number(fail)
    words[m.ESTIMATES:m.ARITIES] = program.number(unknown)
    words[m.MOST_CALLS] = _DEEPEST
    for place, routine in head.routines():
        try:
            words[place] = program.number(routine)
        except Untranslatable as error:
            log.warning("computed by its scalar form on GPUs: %s", error)
    for work in threads.Threads.every:
        program.add_kernel(work.function, work.arrays)
    return program.text(words.tolist())


class DeviceHeap:
    """Values on the device in use, as words: an int64 array with a head like that of `Heap`.

    Kept values lie from `BEGIN` to `top`, then comes scratch, which each launch reuses. exchange: A
    heap of the host for transfers.
    """

    def __init__(self, language: Language, words: int) -> None:
        """Make a heap with room for `words` words. Raises NoWord for a language of columns."""
        self.language = language
        self.top = m.BEGIN
        self._head = Head.of(language)
        self._loads = -1
        self.array = xp.empty(m.BEGIN + words, dtype=xp.int64)
        self.array[m.EMPTY_TUPLE_AT:m.BEGIN] = xp.asarray(self._head.words[m.EMPTY_TUPLE_AT:])
        self.exchange = Heap(language, 1 << 12, is_for_calls=not current().compiles)

    def words_to_be_had(self) -> int:
        """Return the words of scratch that memory allows now."""
        return max(len(self.array), int(_SHARE * current().free_bytes()) // 8) - self.top

    def behind(self, used: int, words: int) -> int:
        """Make room for words of scratch behind the used words. Returns the place of the first."""
        if used + words > len(self.array):
            more = xp.empty(max(used + words, self.top + self.top // 2), dtype=xp.int64)
            more[:used] = self.array[:used]
            self.array = more
        return used

    def launch(self, work: threads.Threads, count: int, *args: Any) -> None:
        device = current()
        if not count:
            return
        if device.compiles:
            name = work.function.__name__
            device.launch_written(source_of(self._head), name, count, (self.array, *args))
            return
        if self._loads != self._head.loads:
            self._loads = self._head.loads
            self.array[:m.EMPTY_TUPLE_AT] = xp.asarray(self._head.words[:m.EMPTY_TUPLE_AT])
        device.run_loop(work.run, (count, self.array, *args))

    # ---- values in and out

    def put_words(self, words: Numbers) -> Array:
        """Send the values of the exchange, and empty it. Returns their words."""
        _, there = self.put_from(self.exchange, words)
        self.exchange.forget_from(m.BEGIN)
        return there

    def put_from(self, heap: Heap, words: Numbers) -> tuple[Numbers, Array]:
        """Send values of a host's heap. Returns their words, on the host and on the device."""
        words, nodes = moved(heap, words, heap.top - self.top)
        sent = current().send(np.concatenate([nodes, words]))()
        at = self.behind(self.top, len(nodes))
        self.array[at : at + len(nodes)] = sent[: len(nodes)]
        self.top += len(nodes)
        return words, sent[len(nodes) :]

    def bring(self, put: Callable[[Heap], Numbers]) -> Array:
        """Put values into a heap of the host, and send them. Returns their words."""
        with computing_on(CPU):
            words = put(self.exchange)
        return self.put_words(words)

    def fetched(self, words: Array, others: Array | None = None) -> tuple[Numbers, Numbers]:
        """Fetch values into the emptied exchange. Returns words, int64 on the host, and `others`.

        others: uint8, fetched in the same transfer.
        """
        self.exchange.forget_from(m.BEGIN)
        n = len(words)
        sizes, copies = xp.empty(n, dtype=xp.int64), xp.empty(n, dtype=xp.int64)
        self.launch(threads.measure_value, n, words, sizes)
        offsets = offsets_of(sizes)
        total = current().answers([(offsets, LAST)])[0]
        to, at = self.behind(self.top, total), self.exchange.reserve(total)
        self.launch(threads.copy_value, n, words, offsets, to, to - at, copies)
        others = xp.zeros(0, dtype=xp.uint8) if others is None else others
        brought = xp.empty(8 * (total + n) + len(others), dtype=xp.uint8)
        places = [0, 8 * total, 8 * (total + n)]
        current().collect([self.array[to : to + total], copies, others], places, brought)
        bytes_here = to_host(brought)
        here = bytes_here[: 8 * (total + n)].view(np.int64)
        self.exchange.array[at : at + total] = here[:total]
        return here[total:], bytes_here[8 * (total + n) :]

    def on_host(self, words: Array) -> tuple[Heap, Numbers]:
        """Return a host's heap with some values, valid until the next call, and their words."""
        return self.exchange, self.fetched(words)[0]

    def compared(self, words: Array, others: Array) -> Array:
        """Tell whether the values of each pair of words are identical; 1 or 0, int64 (n,)."""
        found = xp.zeros(len(words), dtype=xp.int64)
        self.launch(threads.compare_values, len(words), words, others, found)
        return found


@dataclass(eq=False)
class DeviceCalls:
    """Calls of functions on the device in use, each in a range of lanes. All arrays are int64.

    A value has the place of its word in the first lane, and the step to its word in the next lane:
    1, or 0 if all lanes share the word.

    operands   (calls, MOST_OPERANDS): the places of the function and the arguments, then any places
    steps      (calls, MOST_OPERANDS): the steps of the operands
    counts     (calls,): the number of arguments
    lanes      (calls,): the number of lanes
    targets    (calls,): the place of the value
    defaults   (calls,): the word of the safe default
    words      the words of all values, by place
    reasons    set for failed calls, by place
    limit      the elements that a call may build in a lane
    host_lanes   the number of calls in lanes that the scalar form made
    lost       the errors of calls that were not computed
    """

    heap: DeviceHeap
    operands: Numbers
    steps: Numbers
    counts: Numbers
    lanes: Numbers
    targets: Numbers
    defaults: Numbers
    words: Array
    reasons: Array
    limit: int
    host_lanes: int = 0
    lost: dict[int, Exception] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._begins = np.concatenate([[0], np.cumsum(self.lanes)])
        operands, steps = self.operands.ravel(), self.steps.ravel()
        tables = self._begins, operands, steps, self.counts, self.targets, self.defaults
        there = current().send(np.concatenate(tables))()
        ends = np.cumsum(list(map(len, tables))).tolist()
        self._tables = [there[begin:end] for begin, end in pairwise([0, *ends])]

    def make_levels(self, levels: Numbers) -> None:
        """Make all calls. levels: Of each call, ascending from 1; a level has independent calls."""
        begins = np.searchsorted(levels, np.arange(1, levels[-1] + 2)).tolist()
        for first, end in pairwise(begins):
            self._make(first, end)

    def _make(self, first: int, end: int) -> None:
        """Make a range of independent calls."""
        room = _LEAST_ROOM
        left = self._made(np.arange(self._begins[first], self._begins[end]), room)
        enough = room_of_call(self.limit)
        while left.size:
            wants_room = left[1] == threads.NEEDS_ROOM
            if room >= enough:
                wants_room[:] = False
            self._make_on_host(left[0, ~wants_room])
            numbers = left[0, wants_room]
            if numbers.size:
                most = self.heap.words_to_be_had() // (2 * numbers.size)
                room = min(max(room * _MORE, most), enough)
            left = self._made(numbers, room)

    def _made(self, numbers: Numbers, room: int) -> Numbers:
        """Make calls in lanes, as many at once as fit into memory.

        numbers: The numbers of calls in lanes, counted over all calls. room: The words of scratch
        of each. Returns the numbers of the calls that remain, and the reasons; int64 (2, left).
        """
        at_once = max(1, min(self.heap.words_to_be_had() // (2 * room), _MOST_THREADS))
        parts = [numbers[at : at + at_once] for at in range(0, len(numbers), at_once)]
        left = [self._made_at_once(part, room) for part in parts]
        return np.concatenate([np.zeros((2, 0), dtype=np.int64), *left], axis=1)

    def _made_at_once(self, numbers: Numbers, room: int) -> Numbers:
        heap, n = self.heap, len(numbers)
        begins, operands, steps, counts, targets, defaults = self._tables
        first = int(numbers[0])
        if int(numbers[-1]) == first + n - 1:
            there = xp.arange(first, first + n, dtype=xp.int64)
        else:
            there = xp.asarray(numbers)
        calls = len(self.counts)
        sizes, left = xp.empty(n, dtype=xp.int64), xp.empty(n, dtype=xp.int64)
        scratch = heap.behind(heap.top, n * room)
        heap.launch(
            threads.make_call, n, there, scratch, room, self.limit, calls, begins, operands, steps,
            counts, targets, defaults, self.words, self.reasons, sizes, left,
        )  # fmt: skip
        offsets = offsets_of(sizes)
        total, most_left = current().answers([(offsets, LAST), (left, MAX)])
        if total:
            to = heap.behind(scratch + n * room, total)
            heap.launch(
                threads.keep_result, n, there, scratch, room, to, to - heap.top, calls, begins,
                targets, self.words, offsets,
            )  # fmt: skip
            heap.array[heap.top : heap.top + total] = heap.array[to : to + total].copy()
            heap.top += total
        if not most_left:
            return np.zeros((2, 0), dtype=np.int64)
        why = to_host(left)
        return np.stack([numbers[why > 0], why[why > 0]])

    def _make_on_host(self, numbers: Numbers) -> None:
        """Make calls in lanes by their scalar forms."""
        if not len(numbers):
            return
        self.host_lanes += len(numbers)
        which = np.searchsorted(self._begins, numbers, "right") - 1
        lanes = numbers - self._begins[which]
        places = self.operands[which] + self.steps[which] * lanes[:, None]
        operands, _ = self.heap.fetched(self.words[xp.asarray(places.ravel())])
        made, reasons = [], []
        for call, row in zip(which.tolist(), operands.reshape(places.shape).tolist(), strict=True):
            called = row[: self.counts[call] + 1]
            try:
                word, reason = by_scalar_form(self.heap.exchange, called, self.limit, 0)
            except (NoWord, *SHORTAGES) as shortage:
                self.lost[call], reason = shortage, Reason.NOT_COMPUTED
            reasons.append(reason)
            if not reason:
                made.append(word)
        targets, reasons_here = self.targets[which] + lanes, np.array(reasons, dtype=np.int64)
        right = xp.asarray(targets[reasons_here == 0])  # elsewhere `make_call` stored the default
        self.words[right] = self.heap.put_words(np.array(made, dtype=np.int64))
        self.reasons[xp.asarray(targets)] = xp.asarray(reasons_here)
