"""Single calls on the machine."""

from __future__ import annotations

from megabatt.runtime.engine.language.reasons import Reason
from megabatt.runtime.engine.machine import prelude as m
from megabatt.runtime.engine.machine.copying import kept
from megabatt.runtime.engine.machine.heap import Heap, by_scalar_form
from megabatt.runtime.engine.machine.layout import MOST_OPERANDS
from megabatt.runtime.engine.machine.loops import Loop


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
        if word != m.FULL or not heap.grow_for_call(limit):
            return *by_scalar_form(heap, few, limit, default), True


@Loop
def _call(heap, function, a, b, c, d, count, limit):
    end = heap[m.END]
    top = heap[m.TOP]
    m.begin_operation(heap, limit)
    return kept(heap, top, m.call(heap, function, count, a, b, c, d), end)
