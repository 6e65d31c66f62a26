"""Very many calls of one function, which keep the values, or only properties of the values."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from megabatt.runtime.engine.machine import prelude as m
from megabatt.runtime.engine.machine.copying import kept, packed, unpacked
from megabatt.runtime.engine.machine.functions import machine_function
from megabatt.runtime.engine.machine.heap import Heap, by_scalar_form
from megabatt.runtime.engine.machine.loops import Loop, Numbers
from megabatt.runtime.search.fingerprints import class_of, fingerprint

MOST_OPERANDS = 4
_RIGHT, _FAILED, _HOST = range(3)


class Called(NamedTuple):
    """Properties of calls: failed, bool; low, high, int64: the fingerprints of the values; classes,
    int64: the classes of their words. All are (calls, lanes)."""

    failed: Numbers
    low: Numbers
    high: Numbers
    classes: Numbers


def call_all(
    heap: Heap, function: int, operands: Numbers, words: Numbers, lanes: Numbers, limit: int
) -> tuple[Called, int]:
    """Call a function many times in some lanes; keep properties of the values, not values.

    function: The function's word. operands: int64 (operands, calls), the place in `words` of each
    operand's first lane. words: int64. lanes: int64, the lanes to call in. limit: The elements that
    a call may build. Returns the properties, and the number of calls made by the scalar form.
    """
    places, calls = operands.shape
    shape = (calls, len(lanes))
    states = np.empty(shape, dtype=np.int8)
    low, high, classes = (np.zeros(shape, dtype=np.int64) for _ in range(3))
    of_places = _padded(operands)
    heap.make_room(limit)
    _call_all(
        heap.array, function, places, of_places, words, lanes, limit, states, low, high, classes
    )  # fmt: skip
    on_host = np.argwhere(states == _HOST)
    top = heap.top
    for k, at in on_host.tolist():
        places = operands[:, k] + lanes[at]
        value, reason = by_scalar_form(heap, [function, *words[places].tolist()], limit, 0)
        states[k, at] = _FAILED if reason else _RIGHT
        if not reason:
            found = learnt(heap, np.array([value]))
            low[k, at], high[k, at], classes[k, at] = (int(of[0]) for of in found)
    heap.forget_from(top)
    return Called(states == _FAILED, low, high, classes), len(on_host)


def keep_all(
    heap: Heap, function: int, operands: Numbers, words: Numbers, limit: int,
    default: int, lanes: int,
) -> Numbers:  # fmt: skip
    """Call a function many times in all lanes. Returns the words of the values.

    The words are int64 (calls, lanes), with the default for a failed call. The arguments are those
    of `call_all`.
    """
    of_places = _padded(operands)
    flat = np.empty(operands.shape[1] * lanes, dtype=np.int64)
    at, state = 0, _RIGHT
    while at < len(flat):
        room = heap.make_room(limit)
        at, state = _keep_all(
            heap.array, function, len(operands), of_places, words, limit,
            default, flat, lanes, at, room // 2,
        )  # fmt: skip
        if state == _HOST:
            places = operands[:, at // lanes] + at % lanes
            called = [function, *words[places].tolist()]
            flat[at], _ = by_scalar_form(heap, called, limit, default)
            at += 1
    return flat.reshape(-1, lanes)


def learnt(heap: Heap, words: Numbers) -> tuple[Numbers, Numbers, Numbers]:
    """Return the fingerprints of values, two int64 (n,), and the classes of their words."""
    low, high, classes = (np.empty(len(words), dtype=np.int64) for _ in range(3))
    heap.make_room(0)
    _learn(heap.array, words, low, high, classes)
    return low, high, classes


def _padded(operands: Numbers) -> Numbers:
    """Return the operands' places as int64 (calls, MOST_OPERANDS), padded with 0."""
    of_places = np.zeros((operands.shape[1], MOST_OPERANDS), dtype=np.int64)
    of_places[:, : len(operands)] = operands.T
    return of_places


@Loop
def _call_all(heap, function, count, places, words, lanes, limit, states, low, high, classes):
    top = heap[m.TOP]
    end = heap[m.END]
    for k in range(len(places)):
        for at in range(len(lanes)):
            lane = lanes[at]
            m.begin_operation(heap, limit)
            heap[m.TOP] = top
            result = m.outcome(heap, call_in(heap, function, count, places, k, words, lane), end)
            if result <= m.WRONG:
                states[k, at] = _FAILED if result <= m.WRONG_ARITY else _HOST
            else:
                states[k, at] = _RIGHT
                low[k, at] = fingerprint(heap, result)
                high[k, at] = heap[m.HIGH]
                classes[k, at] = class_of(heap, result)
    heap[m.TOP] = top


@machine_function
def call_in(heap, function, count, places, k, words, lane):
    """Call a function in a lane, on the k-th operands."""
    return m.call(
        heap, function, count,
        unpacked(heap, words[places[k, 0] + lane]), unpacked(heap, words[places[k, 1] + lane]),
        unpacked(heap, words[places[k, 2] + lane]), unpacked(heap, words[places[k, 3] + lane]),
    )  # fmt: skip


@Loop
def _keep_all(heap, function, count, places, words, limit, default, kept_words, lanes, begin, room):
    """Store the words of values from a place on, while the heap has `room` words for a call.

    Returns the place reached, and `_HOST` if the scalar form must make the call at this place.
    """
    end = heap[m.END]
    for at in range(begin, len(kept_words)):
        k = at // lanes
        lane = at % lanes
        top = heap[m.TOP]
        if end - top < room:
            return at, _RIGHT
        m.begin_operation(heap, limit)
        result = call_in(heap, function, count, places, k, words, lane)
        result = kept(heap, top, result, end)
        if result > m.WRONG:
            kept_words[at] = packed(heap, top, result)
        elif result > m.WRONG_ARITY:
            return at, _HOST
        else:
            kept_words[at] = default
    return len(kept_words), _RIGHT


@Loop
def _learn(heap, words, low, high, classes):
    for k in range(len(words)):
        top = heap[m.TOP]
        word = unpacked(heap, words[k])
        low[k] = fingerprint(heap, word)
        high[k] = heap[m.HIGH]
        classes[k] = class_of(heap, word)
        heap[m.TOP] = top
