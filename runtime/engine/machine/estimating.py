"""Lower bounds on the charges of calls, see `engine.language.estimating`."""


from megabatt.runtime.engine.language.estimating import MOST
from megabatt.runtime.engine.machine import prelude as m
from megabatt.runtime.engine.machine.functions import machine_function, routine


@machine_function
def required_budget(heap, function, container):
    """Return `OVER_LIMIT` if the budget cannot pay for calls on all elements, else 0.

    This function estimates only if the operation has not charged anything yet.
    """
    if heap[m.BUDGET] != heap[m.ALLOWED] or m.count_of(heap, container) < 2:
        return 0
    return estimated_budget(heap, function, container)


@routine
def estimated_budget(heap, function, container):
    """Do `required_budget` by an estimate."""
    left = heap[m.BUDGET]
    top = heap[m.TOP]
    heap[m.ESTIMATING] = m.ESTIMATES - m.FORMS
    charge_of_each(heap, function, container)
    heap[m.ESTIMATING] = 0
    estimated = m.OVER_LIMIT if heap[m.BUDGET] < 0 else 0
    heap[m.BUDGET] = left
    heap[m.TOP] = top
    return estimated


@routine
def charge_of_each(heap, function, container):
    """Pay a lower bound for calls of a function on all elements. Returns `UNKNOWN`."""
    if not m.is_function(heap, function) or not m.is_container(heap, container):
        return m.UNKNOWN
    count = m.count_of(heap, container)
    if count == 0:
        return m.UNKNOWN
    m.required(m.charge(heap, count * m.call_cost(heap, function)))
    left = heap[m.BUDGET]
    m.required(m.call_of_one(heap, function, m.UNKNOWN))
    m.required(m.charge(heap, (count - 1) * min(left - heap[m.BUDGET], MOST)))
    return m.UNKNOWN
