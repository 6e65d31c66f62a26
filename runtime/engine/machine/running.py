"""Runs operations on the machine in order, each in all its lanes."""

from __future__ import annotations

from typing import NamedTuple

from numpy import int64

from megabatt.runtime.engine.language.limits import SHORTAGES
from megabatt.runtime.engine.language.reasons import Reason
from megabatt.runtime.engine.language.sequential import attempt
from megabatt.runtime.engine.machine import prelude as m
from megabatt.runtime.engine.machine.copying import kept
from megabatt.runtime.engine.machine.functions import machine_function
from megabatt.runtime.engine.machine.heap import Heap
from megabatt.runtime.engine.machine.loops import Loop, Numbers

MOST_OPERANDS = 5
"""The most operands, a function and its arguments; a call with more fails."""

_CALLS_AT_ONCE = 4096
"""The calls after which Python may handle a signal."""


class Calls(NamedTuple):
    """Calls of functions, each in a range of lanes. All arrays are int64.

    A value has a place, of its word in the first lane, and a step to the word of the next lane: 1,
    or 0 if all lanes share it.

    operands   (calls, MOST_OPERANDS): the places of the function and the arguments; any place for
               none
    steps      (calls, MOST_OPERANDS): their steps
    counts     (calls,): the number of arguments
    lanes      (calls,): the number of lanes
    targets    (calls,): the place of the value
    defaults   (calls,): the word of the safe default
    """

    operands: Numbers
    steps: Numbers
    counts: Numbers
    lanes: Numbers
    targets: Numbers
    defaults: Numbers


def run(
    heap: Heap,
    calls: Calls,
    words: Numbers,
    reasons: Numbers,
    limit: int,
    lost: dict[int, str] | None = None,
) -> int:
    """Make calls in order. Returns the number of calls in lanes made by the scalar form.

    words: int64, of all values, by place. reasons: uint8, by place; set for failed calls. limit:
    What a call may build in a lane. lost: Gets the calls for which the scalar form lacks memory or
    stack, by number, and the error; they count as failed. Without it such an error is raised.
    """
    host_lanes = at = lane = 0
    flat = calls._replace(operands=calls.operands.ravel(), steps=calls.steps.ravel())
    while at < len(calls.counts):
        end = min(at + _CALLS_AT_ONCE, len(calls.counts))
        at, lane, why = _run(heap.array, *flat, words, reasons, limit, at, lane, end)
        if at == end:
            continue
        if why == m.FULL and heap.may_grow(limit):
            heap.grow()
            continue
        host_lanes += 1
        try:
            _run_on_host(heap, calls, words, reasons, limit, at, lane)
        except SHORTAGES as error:
            if lost is None:
                raise
            lost[at] = f"{type(error).__name__}: {error}"
            to = calls.targets[at] + lane
            words[to], reasons[to] = calls.defaults[at], Reason.NOT_COMPUTED
        lane += 1
    return host_lanes


def _run_on_host(
    heap: Heap, calls: Calls, words: Numbers, reasons: Numbers, limit: int, at: int, lane: int
) -> None:
    """Make a call in a lane by its scalar form."""
    places = calls.operands[at] + calls.steps[at] * lane
    operands = words[places[: calls.counts[at] + 1]].tolist()
    to = calls.targets[at] + lane
    words[to], reasons[to] = by_scalar_form(heap, operands, limit, calls.defaults[at])


def by_scalar_form(heap: Heap, operands: list[int], limit: int, default: int) -> tuple[int, Reason]:
    """Make a call by its scalar form. Returns the word of its value, and why it failed.

    operands: The words of the function and its arguments. default: The word for a failed call.
    """
    function, *args = map(heap.get, operands)
    value, error, _ = attempt(function, args, limit)
    reason = Reason.of(error)
    return (default if reason else heap.put(value)), reason


@Loop
def _run(
    heap, operands, steps, counts, lanes, targets, defaults, words, reasons, limit, at, lane, end
):  # fmt: skip
    """Make calls from a lane of one of them on.

    Returns the call and the lane that the loop cannot make, and the wrong word for the reason.
    """
    room_ends = heap[m.END]
    for k in range(at, end):
        for here in range(lane, lanes[k]):
            top = heap[m.TOP]
            m.begin_operation(heap, limit)
            result = call_in_lane(heap, operands, steps, counts, words, k, here)
            result = kept(heap, top, result, room_ends)
            to = targets[k] + here
            if result > m.WRONG:
                words[to] = result
            elif result > m.WRONG_ARITY:
                return k, here, result
            else:
                words[to] = defaults[k]
                reasons[to] = m.reason_of(result)
        lane = int64(0)
    return end, int64(0), int64(0)


@machine_function
def call_in_lane(heap, operands, steps, counts, words, k, lane):
    """Make the k-th of `Calls`, with their operands and steps in a row, in a lane."""
    at = MOST_OPERANDS * k
    return m.call(
        heap, words[operands[at] + steps[at] * lane], counts[k],
        words[operands[at + 1] + steps[at + 1] * lane],
        words[operands[at + 2] + steps[at + 2] * lane],
        words[operands[at + 3] + steps[at + 3] * lane],
        words[operands[at + 4] + steps[at + 4] * lane],
    )  # fmt: skip
