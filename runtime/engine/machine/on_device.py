"""The machine's source for a GPU, and the heap on the device in use."""

import logging
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from megabatt.runtime.engine.device.arrays import Array, offsets_of, xp
from megabatt.runtime.engine.device.device import CPU, LAST, computing_on, current, to_host
from megabatt.runtime.engine.language.registry import Language
from megabatt.runtime.engine.language.values import fails
from megabatt.runtime.engine.machine import prelude as m
from megabatt.runtime.engine.machine import threads
from megabatt.runtime.engine.machine.copying import moved
from megabatt.runtime.engine.machine.cpp import Translation
from megabatt.runtime.engine.machine.forms import unknown
from megabatt.runtime.engine.machine.heap import Heap
from megabatt.runtime.engine.machine.linking import Head, fail, leave
from megabatt.runtime.engine.machine.loops import Numbers
from megabatt.runtime.engine.machine.syntax import Untranslatable

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
    words[m.ADDRESSES:m.FORMS] = 0  # addresses of this process
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

    Kept values lie from `BEGIN` to `top`; behind is scratch. exchange: The host's, for transfers.
    """

    def __init__(self, language: Language, words: int) -> None:
        """Make a heap with room for `words` words. Raises NoWord for a language of columns."""
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
        """Fetch values into the emptied exchange, and `others` (uint8) in the same transfer.

        Returns the values' words, int64 on the host, and `others`.
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
