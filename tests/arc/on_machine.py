"""The compiled form of a primitive beside its scalar form, lane by lane."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from megabatt.runtime.engine.language.reasons import Reason
from megabatt.runtime.engine.language.registry import Language
from megabatt.runtime.engine.language.values import identical, show
from megabatt.runtime.engine.machine.heap import Heap
from megabatt.runtime.engine.machine.layout import (
    BUDGET,
    END,
    FULL,
    HOST,
    MOST_OPERANDS,
    TOP,
    WRONG,
)
from megabatt.runtime.search.calls import learnt
from tests.engine.machine_calls import call_once, made, reason_in


@cache
def _heap_of(language: Language) -> Heap:
    return Heap(language, 1 << 22)


def assert_compiled(
    language: Language, function: Any, args: tuple[Any, ...], expected: tuple[bool, Any, int],
    max_elements: int,
) -> bool:
    """Check that the machine gives the scalar form's result, or leaves the call to that form.

    expected: Whether the scalar form succeeds, its result or error, and its charge. Returns whether
    the machine makes the call.
    """
    heap = _heap_of(language)
    top = heap.top
    words = [heap.put(value) for value in (function, *args)]
    begin = heap.top
    result = call_once(heap, words, max_elements)
    used = heap.top - begin
    spent = max_elements - int(heap.array[BUDGET])
    succeeded, right, charged = expected
    value = heap.get(result) if result > WRONG else None
    canonical = not succeeded or result <= WRONG or _has_form_of(heap, result, right)
    heap.array[TOP] = top
    in_little_room = calls_in_little_room(heap, words, max_elements, begin, used)
    text = f"{getattr(function, '__name__', function)}({', '.join(map(show, args))})"
    assert set(in_little_room) <= {result, FULL}, f"{text}: {result} has no room, {in_little_room}"
    if result == HOST:
        return False
    if not succeeded:
        assert reason_in(result) == Reason.of(right), (
            f"{text}: scalar fails ({right!r}), machine: {reason_in(result)}, {show(value)}"
        )
    else:
        assert result > WRONG, f"{text}: scalar gives {show(right)}, machine fails ({result})"
        assert identical(value, right), f"{text}: scalar {show(right)}, machine {show(value)}"
        assert canonical, f"{text}: {show(value)} lacks the form that `put` gives it"
        assert spent == charged, f"{text}: scalar charges {charged}, machine {spent}"
    return True


def calls_in_little_room(
    heap: Heap, words: list[int], max_elements: int, begin: int, used: int
) -> list[int]:
    """Make a call with its heap's top at `begin`, with room for 0 to `used` words.

    Returns the word of the result for each room.
    """
    end = int(heap.array[END])
    padded = [*words, *[0] * (MOST_OPERANDS - len(words))]
    results = []
    for room in {*range(min(used, 4)), *np.linspace(0, used, 7).astype(int).tolist()}:
        heap.array[TOP], heap.array[END] = begin, begin + room
        behind = heap.array[begin + room : begin + room + 64]
        behind[:] = -1
        results.append(int(made(heap.array, *padded, len(words) - 1, max_elements)))
        heap.array[END] = end
        assert (behind == -1).all(), "written where there is no room"
    return results


def _has_form_of(heap: Heap, word: int, value: Any) -> bool:
    """Tell whether a word is a value's word, or stands for equal nodes.

    Tells also whether the word has the value's fingerprint and kind.
    """
    words = np.array([word]), np.array([heap.put(value)])
    made, put = ([of[0] for of in learnt(heap, one)] for one in words)
    return bool(heap.same(*words)[0]) and made == put
