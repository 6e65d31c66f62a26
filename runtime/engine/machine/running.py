"""Calls by the scalar form, on words."""

from __future__ import annotations

from megabatt.runtime.engine.language.reasons import Reason
from megabatt.runtime.engine.language.sequential import attempt
from megabatt.runtime.engine.machine.heap import Heap

MOST_OPERANDS = 5
"""The most operands, a function and its arguments; a call with more fails."""


def by_scalar_form(heap: Heap, operands: list[int], limit: int, default: int) -> tuple[int, Reason]:
    """Make a call by its scalar form. Returns the word of the value, and the reason of a failure.

    operands: The words of the function and its arguments. default: The word for a failed call.
    """
    function, *args = map(heap.get, operands)
    value, error, _ = attempt(function, args, limit)
    reason = Reason.of(error)
    return (default if reason else heap.put(value)), reason
