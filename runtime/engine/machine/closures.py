"""Functions of a program's own on the machine: their codes are data, which one routine interprets.

The node of such a function binds its code and captured values. A code is a tuple, see
`engine.language.closures`. The values of a call's steps are in the heap during the call.
"""


from megabatt.runtime.engine.language import closures
from megabatt.runtime.engine.machine import prelude as m
from megabatt.runtime.engine.machine.forms import kind_number


def call_closure(heap, at, a, b, c, count):
    """Call the function at an address; if captured values are missing, capture the arguments."""
    code = m.address_of(heap[at + m.CONTENT]) + m.CONTENT
    if heap[at + 1] - 1 < heap[code + closures.CAPTURED]:
        return captured(heap, at, code, a, b, c, count)
    numbers = numbers_of(heap, code)
    if heap[m.NESTED] >= heap[m.MAX_DEPTH]:
        return m.OVER_LIMIT
    if heap[numbers + 2] == 0:
        return given(heap, at, code, heap[numbers + 3], a, b, c)
    heap[m.NESTED] += 1
    result = made(heap, at, code, numbers, a, b, c)
    heap[m.NESTED] -= 1
    return result


@m.machine_function
def captured(heap, at, code, a, b, c, count):
    """Make the function of a code with captured values, and pay its size."""
    to = m.required(m.begin_function(heap, _CLOSURE, 1 + count))
    heap[to + m.CONTENT] = heap[at + m.CONTENT]
    heap[to + m.CONTENT + 1] = a
    heap[to + m.CONTENT + 2] = b
    heap[to + m.CONTENT + 3] = c
    numbers = numbers_of(heap, code)
    depth = m.depth_of(heap, m.word_at(at))
    return m.finish_built(heap, to, 1, heap[numbers], heap[numbers + 1], depth)


@m.machine_function
def numbers_of(heap, code):
    """Return the address of a code's first number."""
    return m.address_of(heap[code + closures.NUMBERS]) + m.CONTENT


@m.machine_function
def end_of(heap, code):
    """Return the address behind a code's last constant."""
    return code + heap[code - m.CONTENT + 1]


@m.machine_function
def given(heap, at, code, operand, a, b, c):
    """Return what a function without steps returns: a constant, a captured value or an argument."""
    if operand < 0:
        return heap[end_of(heap, code) + operand]
    argument = operand - heap[code + closures.CAPTURED]
    if argument < 0:
        return heap[at + m.CONTENT + 1 + operand]
    if argument == 0:
        return a
    return b if argument == 1 else c


@m.machine_function
def copy_few(heap, source, to, count):
    """Copy words, and up to three words more: four at a time, which is fast for few."""
    for k in range(0, count, 4):
        first = heap[source + k]
        second = heap[source + k + 1]
        third = heap[source + k + 2]
        fourth = heap[source + k + 3]
        heap[to + k] = first
        heap[to + k + 1] = second
        heap[to + k + 2] = third
        heap[to + k + 3] = fourth


@m.machine_function
def made(heap, at, code, numbers, a, b, c):
    """Run the steps of a call."""
    steps = heap[numbers + 2]
    constants = end_of(heap, code) - code - closures.CONSTANTS
    of_captured = heap[code + closures.CAPTURED]
    of_given = of_captured + heap[numbers]
    begin = m.required(m.room_for(heap, constants + of_given + steps + 3))
    slots = begin + constants
    copy_few(heap, code + closures.CONSTANTS, begin, constants)
    copy_few(heap, at + m.CONTENT + 1, slots, of_captured)
    heap[slots + of_captured] = a
    heap[slots + of_captured + 1] = b
    heap[slots + of_captured + 2] = c
    slot = slots + of_given
    step = numbers + closures.HEAD
    end = step + closures.STEP * steps
    while step < end:
        kind = heap[step]
        first = heap[slots + heap[step + 2]]
        if kind < closures.CHOICE:
            form = heap[m.FORMS + (heap[slots + heap[step + 1]] - m.PRIMITIVE)]
            second = heap[slots + heap[step + 3]]
            third = heap[slots + heap[step + 4]]
            fourth = heap[slots + heap[step + 5]]
            heap[slot] = m.required(m.call_at(form, heap, first, second, third, fourth, 0))
        elif kind == closures.JUMP:
            if m.truth(first) != heap[step + 3]:
                slot += heap[step + 1]
                step += closures.STEP * heap[step + 1]
        elif kind == closures.CHOICE:
            heap[slot] = heap[slots + heap[step + (3 if m.truth(first) else 4)]]
        else:
            function = heap[slots + heap[step + 1]]
            if not m.is_primitive(function) and m.is_function(heap, function):
                m.required(m.charge(heap, m.call_cost(heap, function)))
            second = heap[slots + heap[step + 3]]
            third = heap[slots + heap[step + 4]]
            fourth = heap[slots + heap[step + 5]]
            heap[slot] = m.required(m.call(heap, function, kind, first, second, third, fourth))
        slot += 1
        step += closures.STEP
    result = heap[slots + heap[numbers + 3]]
    if not m.is_node(result) or m.address_of(result) < begin:
        heap[m.TOP] = begin
    return result


closures.Closure.called_on_words = staticmethod(call_closure)
_CLOSURE = kind_number(closures.Closure)
