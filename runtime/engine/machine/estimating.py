"""Lower bounds on the charges of calls, see `engine.language.estimating`."""

from __future__ import annotations

from numpy import int64

from megabatt.runtime.engine.language.estimating import MOST
from megabatt.runtime.engine.machine.calls import call_of_one, is_function
from megabatt.runtime.engine.machine.functions import machine_function, routine
from megabatt.runtime.engine.machine.nodes import (
    ALLOWED,
    BUDGET,
    ESTIMATES,
    ESTIMATING,
    FORMS,
    TOP,
    count_of,
    is_container,
    pay,
)
from megabatt.runtime.engine.machine.weights import call_cost
from megabatt.runtime.engine.machine.words import OVER_LIMIT, UNKNOWN, WRONG


@machine_function
def may_suffice(heap, function, container):
    """Tell whether the budget may suffice for calls of a function on all elements of a container.

    This is estimated only if the operation has not charged anything yet.
    """
    if heap[BUDGET] != heap[ALLOWED] or count_of(heap, container) < 2:
        return True
    return estimated_to_suffice(heap, function, container) == 1


@routine
def estimated_to_suffice(heap, function, container):
    """Do `may_suffice` by an estimate: 1 or 0."""
    left = heap[BUDGET]
    top = heap[TOP]
    heap[ESTIMATING] = ESTIMATES - FORMS
    charge_of_each(heap, function, container)
    heap[ESTIMATING] = 0
    suffices = int64(heap[BUDGET] >= 0)
    heap[BUDGET] = left
    heap[TOP] = top
    return suffices


@routine
def charge_of_each(heap, function, container):
    """Pay a lower bound for calls of a function on all elements. Returns `UNKNOWN`."""
    if not is_function(heap, function) or not is_container(heap, container):
        return int64(UNKNOWN)
    count = count_of(heap, container)
    if count == 0:
        return int64(UNKNOWN)
    if not pay(heap, count * call_cost(heap, function)):
        return int64(OVER_LIMIT)
    left = heap[BUDGET]
    result = call_of_one(heap, function, UNKNOWN)
    if result <= WRONG:
        return result
    if not pay(heap, (count - 1) * min(left - heap[BUDGET], MOST)):
        return int64(OVER_LIMIT)
    return int64(UNKNOWN)
