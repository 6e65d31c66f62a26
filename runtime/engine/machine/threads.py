"""The work of threads: side by side on a GPU, in turn on a CPU.

Values are in one heap. Each thread makes a call in scratch memory of its own. Once the sizes of the
results are known, threads copy the results out of scratch.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from megabatt.runtime.engine.machine import prelude as m
from megabatt.runtime.engine.machine.copying import copied, words_at
from megabatt.runtime.engine.machine.functions import taken_by, written
from megabatt.runtime.engine.machine.loops import Loop

HOST_MAKES, NEEDS_ROOM = 1, 2
"""Why a call remains: the scalar form must make the call; the call needs more room."""


class Threads:
    """The work of threads: a function of a heap, the number of a thread, int64 arrays and numbers.

    arrays: The names of the parameters that are arrays. run: The loop that runs threads on the CPU;
    it takes the number of threads, a heap's array, and the function's other arguments.
    """

    every: list[Threads] = []

    def __init__(self, arrays: str, function: Callable[..., None]) -> None:
        self.function = function
        self.arrays = frozenset(arrays.split())
        names = ", ".join(taken_by(function)[2:])
        lines = [f"def {function.__name__}(threads, heap, {names}):",
                 "    for thread in range(threads):",
                 f"        _work(heap, thread, {names})"]  # fmt: skip
        self.run = Loop(written(lines, {"_work": m.machine_function(function)}, function))
        self.every.append(self)


@partial(Threads, "places begins operands steps counts defaults words reasons sizes left")
def make_call(
    heap, thread, places, scratch, room, limit, calls, begins, operands, steps, counts, defaults,
    words, reasons, sizes, left,
):  # fmt: skip
    """Make a call in a lane.

    places: The places of the results in `words`. begins: The place of each call's first result.
    operands, steps: For each call, `MOST_OPERANDS` places of operands in the first lane, and the
    steps to the next lane. counts: The numbers of arguments. defaults: The words of safe defaults.
    scratch: The place of the first thread's room. room: The words of each room. Stores in `sizes`
    the words that the result takes besides kept values, in `reasons` the reason of a failure, and
    in `left` 0, or `HOST_MAKES` or `NEEDS_ROOM` if the call remains.
    """
    place = places[thread]
    k = call_of(begins, calls, place)
    lane = place - begins[k]
    top = scratch + thread * room
    heap[m.TOP] = top
    heap[m.END] = top + room
    m.begin_operation(heap, limit)
    at = m.MOST_OPERANDS * k
    result = m.call(
        heap, words[operands[at] + steps[at] * lane], counts[k],
        words[operands[at + 1] + steps[at + 1] * lane],
        words[operands[at + 2] + steps[at + 2] * lane],
        words[operands[at + 3] + steps[at + 3] * lane],
        words[operands[at + 4] + steps[at + 4] * lane],
    )  # fmt: skip
    result = m.outcome(heap, result, top + room)
    sizes[thread] = 0
    left[thread] = 0
    if result > m.WRONG:
        words[place] = result
        sizes[thread] = size_of_copy(heap, result, top)
    else:
        words[place] = defaults[k]
        reasons[place] = m.reason_of(result)
        left[thread] = max(result - m.HOST + 1, 0)


@m.machine_function
def call_of(begins, calls, place):
    """Return the call that has a result at a place."""
    low = 0
    high = calls
    while high - low > 1:
        middle = (low + high) >> 1
        if begins[middle] <= place:
            low = middle
        else:
            high = middle
    return low


@partial(Threads, "places words offsets")
def keep_result(heap, thread, places, scratch, room, copies, shift, words, offsets):
    """Copy a result of `make_call` from scratch to `copies`, by offset. shift: As for `copied`."""
    if offsets[thread] < offsets[thread + 1]:
        place = places[thread]
        heap[m.TOP] = copies + offsets[thread]
        heap[m.END] = copies + offsets[thread + 1]
        words[place] = copied(heap, words[place], scratch + thread * room, shift, False)


@m.routine
def size_of_copy(heap, word, top):
    """Count the words of a copy of a value's nodes from `top` on."""
    if not m.is_node(word) or m.address_of(word) < top:
        return 0
    at = m.address_of(word)
    size = words_at(heap, at)
    if m.has_words(heap, at):
        for k in range(heap[at + 1]):
            size += size_of_copy(heap, heap[at + m.CONTENT + k], top)
    return size


@partial(Threads, "words sizes")
def measure_value(heap, thread, words, sizes):
    """Store the number of words of a copy of a value."""
    sizes[thread] = size_of_copy(heap, words[thread], m.BEGIN)


@partial(Threads, "words offsets copies")
def copy_value(heap, thread, words, offsets, to, shift, copies):
    """Copy a value to `to`, at its offset. shift: As for `copied`."""
    heap[m.TOP] = to + offsets[thread]
    heap[m.END] = to + offsets[thread + 1]
    copies[thread] = copied(heap, words[thread], m.BEGIN, shift, False)


@partial(Threads, "words others found")
def compare_values(heap, thread, words, others, found):
    """Store whether the values of two words are identical: 1 or 0."""
    found[thread] = m.same(heap, words[thread], others[thread])
