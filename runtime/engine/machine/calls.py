"""Calls functions that are values, and builds functions."""


from megabatt.runtime.engine.language.limits import TOO_DEEP
from megabatt.runtime.engine.machine import layout as m
from megabatt.runtime.engine.machine.functions import call_at, machine_function
from megabatt.runtime.engine.machine.weights import depth_within, holds_words, size_within


@machine_function
def is_function(heap, word):
    return m.is_primitive(word) or m.kind_at(heap, word) == m.FUNCTION


@machine_function
def arity_of(heap, function):
    if m.is_primitive(function):
        return heap[m.ARITIES + (function - m.PRIMITIVE)]
    at = m.address_of(function)
    return heap[at + m.CONTENT + heap[at + 1]]


@machine_function
def call(heap, function, count, a, b, c, d):
    """Call a function on the first `count` arguments."""
    if m.is_primitive(function):
        number = function - m.PRIMITIVE
        arity = heap[m.ARITIES + number]
        if arity != count and arity != m.ANY_ARITY:
            return m.WRONG_ARITY
        return call_at(heap[m.FORMS + (number + heap[m.ESTIMATING])], heap, a, b, c, d, 0)
    if m.kind_at(heap, function) != m.FUNCTION:
        return m.WRONG_TYPE
    if arity_of(heap, function) != count:
        return m.WRONG_ARITY
    at = m.address_of(function)
    if heap[m.DEPTH] >= heap[m.MOST_CALLS]:
        return m.HOST
    heap[m.DEPTH] += 1
    result = call_at(heap[m.CALLED + heap[at + 2]], heap, at, a, b, c, count)
    heap[m.DEPTH] -= 1
    return result


@machine_function
def call_of_one(heap, function, a):
    return call(heap, function, 1, a, 0, 0, 0)


@machine_function
def call_of_two(heap, function, a, b):
    return call(heap, function, 2, a, b, 0, 0)


@machine_function
def build_of_two(heap, a, b, kind, arity):
    """Make a function that binds two values, and pay its size. kind: See `forms.kind_number`."""
    at = m.required(begin_function(heap, kind, 2))
    heap[at + m.CONTENT] = a
    heap[at + m.CONTENT + 1] = b
    return finish_built(heap, at, 0, arity, 1, 1)


@machine_function
def build_of_three(heap, a, b, c, kind, arity):
    """Do `build_of_two` for three values."""
    at = m.required(begin_function(heap, kind, 3))
    heap[at + m.CONTENT] = a
    heap[at + m.CONTENT + 1] = b
    heap[at + m.CONTENT + 2] = c
    return finish_built(heap, at, 0, arity, 1, 1)


@machine_function
def begin_function(heap, kind, count):
    """Return a new function's node, or `FULL`; store the `count` bound values from `CONTENT` on."""
    at = m.begin_node(heap, count + 3)
    if at >= 0:
        heap[at] = m.FUNCTION
        heap[at + 1] = count
        heap[at + 2] = kind
    return at


@machine_function
def finish_built(heap, at, first, arity, size, depth):
    """Do `finish_function`, and count the functions among and within bound values.

    first: The place of the first value that counts. size, depth: Those without bound values.
    """
    for k in range(first, heap[at + 1]):
        word = heap[at + m.CONTENT + k]
        if is_function(heap, word) or holds_words(heap, word):
            size += size_within(heap, word)
            depth = max(depth, depth_within(heap, word) + 1)
    return finish_function(heap, at, arity, size, depth)


@machine_function
def finish_function(heap, at, arity, size, depth):
    """Make the function of a node that has its bound values, and pay its size."""
    if depth > heap[m.MAX_DEPTH]:
        size = TOO_DEEP
    bound = heap[at + 1]
    heap[at + m.CONTENT + bound] = arity
    heap[at + m.CONTENT + bound + 1] = size
    heap[at + m.CONTENT + bound + 2] = depth
    m.required(m.charge(heap, size))
    return m.word_at(at)
