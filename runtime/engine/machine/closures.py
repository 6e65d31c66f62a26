"""Functions of a program's own on the machine: their codes are data, which one routine interprets.

The node of such a function binds its code and captured values. A code is a tuple, see
`engine.language.closures`. The values of a call's steps are in the heap during the call.
"""


from megabatt.runtime.engine.language import closures
from megabatt.runtime.engine.machine import prelude as m
from megabatt.runtime.engine.machine.forms import kind_number
from megabatt.runtime.engine.machine.functions import machine_function


def call_closure(heap, at, a, b, c, count):
    """Call the function at an address; if captured values are missing, capture the arguments."""
    code = m.address_of(heap[at + m.CONTENT]) + m.CONTENT
    if heap[at + 1] - 1 < heap[code + closures.CAPTURED]:
        return captured(heap, at, code, a, b, c, count)
    if heap[m.NESTED] >= heap[m.MAX_DEPTH]:
        return m.OVER_LIMIT
    heap[m.NESTED] += 1
    result = made(heap, at, code, a, b, c)
    heap[m.NESTED] -= 1
    return result


@machine_function
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


@machine_function
def numbers_of(heap, code):
    """Return the address of a code's first number."""
    return m.address_of(heap[code + closures.NUMBERS]) + m.CONTENT


@machine_function
def made(heap, at, code, a, b, c):
    """Run the steps of a call, except in branches not taken."""
    numbers = numbers_of(heap, code)
    steps = heap[numbers + 2]
    of_captured = heap[code + closures.CAPTURED]
    slot = of_captured + heap[numbers]
    slots = m.required(m.room_for(heap, slot + steps + 3))
    m.copy_words(heap, at + m.CONTENT + 1, slots, of_captured)
    heap[slots + of_captured] = a
    heap[slots + of_captured + 1] = b
    heap[slots + of_captured + 2] = c
    step = numbers + closures.HEAD
    branches = step + closures.STEP * steps
    branch = 0
    runs = True
    for _ in range(steps):
        result = m.NONE
        if heap[step] != branch:
            branch = heap[step]
            runs = is_taken(heap, code, slots, branches, branch)
        if runs:
            function = read(heap, code, slots, heap[step + 2])
            if not m.is_primitive(function) and m.is_function(heap, function):
                m.required(m.charge(heap, m.call_cost(heap, function)))
            count = heap[step + 1]
            first = read(heap, code, slots, heap[step + 3])
            second = read(heap, code, slots, heap[step + 4])
            third = 0
            fourth = 0
            if count > 2:
                third = read(heap, code, slots, heap[step + 5])
                fourth = read(heap, code, slots, heap[step + 6])
            result = m.required(m.call(heap, function, count, first, second, third, fourth))
        heap[slots + slot] = result
        slot += 1
        step += closures.STEP
    result = read(heap, code, slots, heap[numbers + 3])
    if not m.is_node(result) or m.address_of(result) < slots:
        heap[m.TOP] = slots
    return result


@machine_function
def read(heap, code, slots, number):
    """Return the value of an operand, a constant or a slot."""
    place = code + closures.CONSTANTS - 1 - number if number < 0 else slots + number
    return heap[place]


@machine_function
def is_taken(heap, code, slots, branches, branch):
    """Tell whether a branch and all enclosing branches are taken."""
    while branch != 0:
        at = branches + closures.BRANCH * (branch - 1)
        if m.truth(read(heap, code, slots, heap[at + 1])) != heap[at + 2]:
            return False
        branch = heap[at]
    return True


closures.Closure.called_on_words = staticmethod(call_closure)
_CLOSURE = kind_number(closures.Closure)
