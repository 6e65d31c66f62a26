"""Single calls of functions on the machine."""

from __future__ import annotations

from megabatt.runtime.engine.language.reasons import Reason
from megabatt.runtime.engine.machine.calls import call
from megabatt.runtime.engine.machine.copying import packed
from megabatt.runtime.engine.machine.heap import Heap
from megabatt.runtime.engine.machine.layout import (
    END,
    FULL,
    MOST_OPERANDS,
    WRONG_ARITY,
    WRONG_TYPE,
    begin_operation,
    outcome,
)
from megabatt.runtime.engine.machine.loops import Loop


def call_once(heap: Heap, words: list[int], limit: int) -> int:
    """Call a function, the first word, on the others. Returns the result's word or a wrong word."""
    padded = [*words, *[0] * (MOST_OPERANDS - len(words))]
    while True:
        result = made(heap.array, *padded, len(words) - 1, limit)
        if result != FULL or not heap.grow_for_call(limit):
            return int(result)


def reason_in(word: int) -> Reason:
    """Return the reason that a wrong word stands for; NONE for any other word."""
    return Reason(word - WRONG_TYPE + 1) if word <= WRONG_ARITY else Reason.NONE


@Loop
def made(heap, function, a, b, c, d, count, limit):
    """Call a function on `count` words, within a limit; return the outcome's word."""
    end = heap[END]
    begin_operation(heap, limit)
    return outcome(heap, call(heap, function, count, a, b, c, d), end)


@Loop
def pack(heap, top, word):
    """Pack the last value of the heap, from `top` on, if it is a small table of bytes."""
    return packed(heap, top, word)
