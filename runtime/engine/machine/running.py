"""Single calls on the machine, and calls by the scalar form."""

from __future__ import annotations

from megabatt.runtime.engine.language.reasons import Reason
from megabatt.runtime.engine.language.sequential import attempt
from megabatt.runtime.engine.machine import prelude as m
from megabatt.runtime.engine.machine.copying import kept
from megabatt.runtime.engine.machine.heap import Heap
from megabatt.runtime.engine.machine.loops import Loop

MOST_OPERANDS = 5
"""The most operands, a function and its arguments; a call with more fails."""


def call_alone(
    heap: Heap, operands: list[int], limit: int, default: int
) -> tuple[int, Reason, bool]:
    """Make a call. Returns as `by_scalar_form` does, and whether the scalar form made the call.

    limit: The elements that the call may build; the heap keeps the rest. See `by_scalar_form`.
    """
    few = operands[:MOST_OPERANDS]
    padded = [*few, *[0] * (MOST_OPERANDS - len(few))]
    while True:
        word = _call(heap.array, *padded, len(operands) - 1, limit)
        if word > m.WRONG:
            return word, Reason.NONE, False
        if word <= m.WRONG_ARITY:
            return default, Reason(word - m.WRONG_TYPE + 1), False
        if word != m.FULL or not heap.may_grow(limit):
            return *by_scalar_form(heap, few, limit, default), True
        heap.grow()


@Loop
def _call(heap, function, a, b, c, d, count, limit):
    end = heap[m.END]
    top = heap[m.TOP]
    m.begin_operation(heap, limit)
    return kept(heap, top, m.call(heap, function, count, a, b, c, d), end)


def by_scalar_form(heap: Heap, operands: list[int], limit: int, default: int) -> tuple[int, Reason]:
    """Make a call by its scalar form. Returns the word of the value, and the reason of a failure.

    operands: The words of the function and its arguments. default: The word for a failed call.
    """
    function, *args = map(heap.get, operands)
    value, error, _ = attempt(function, args, limit)
    reason = Reason.of(error)
    return (default if reason else heap.put(value)), reason
