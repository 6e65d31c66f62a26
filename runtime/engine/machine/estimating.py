"""Lower bounds on the charges of calls, see `engine.language.estimating`."""

from numpy import int64

from megabatt.runtime.engine.language.estimating import MOST
from megabatt.runtime.engine.machine import prelude as m
from megabatt.runtime.engine.machine.functions import machine_function, routine


@machine_function
def may_suffice(heap, function, container):
    """Tell whether the budget may suffice for calls of a function on all elements of a container.

    This is estimated only if the operation has not charged anything yet.
    """
    if heap[m.BUDGET] != heap[m.ALLOWED] or m.count_of(heap, container) < 2:
        return True
    return estimated_to_suffice(heap, function, container) == 1


@routine
def estimated_to_suffice(heap, function, container):
    """Do `may_suffice` by an estimate: 1 or 0."""
    left = heap[m.BUDGET]
    top = heap[m.TOP]
    heap[m.ESTIMATING] = m.ESTIMATES - m.FORMS
    charge_of_each(heap, function, container)
    heap[m.ESTIMATING] = 0
    suffices = int64(heap[m.BUDGET] >= 0)
    heap[m.BUDGET] = left
    heap[m.TOP] = top
    return suffices


@routine
def charge_of_each(heap, function, container):
    """Pay a lower bound for calls of a function on all elements. Returns `UNKNOWN`."""
    if not m.is_function(heap, function) or not m.is_container(heap, container):
        return int64(m.UNKNOWN)
    count = m.count_of(heap, container)
    if count == 0:
        return int64(m.UNKNOWN)
    if not m.pay(heap, count * m.call_cost(heap, function)):
        return int64(m.OVER_LIMIT)
    left = heap[m.BUDGET]
    result = m.call_of_one(heap, function, m.UNKNOWN)
    if result <= m.WRONG:
        return result
    if not m.pay(heap, (count - 1) * min(left - heap[m.BUDGET], MOST)):
        return int64(m.OVER_LIMIT)
    return int64(m.UNKNOWN)
