"""The weights of values, as in `engine.language.values.weight`."""


from megabatt.runtime.engine.language.limits import TOO_DEEP
from megabatt.runtime.engine.machine import layout as m
from megabatt.runtime.engine.machine.contents import element
from megabatt.runtime.engine.machine.functions import machine_function, routine


@machine_function
def weight(heap, word):
    return weight_within(heap, word, heap[m.MAX_DEPTH])


@machine_function
def element_weight(heap, container):
    """Weigh the elements of a container together."""
    return elements_within(heap, container, heap[m.MAX_DEPTH])


@routine
def elements_within(heap, container, levels):
    """Weigh the elements of a container with at most `levels` levels of containers in it."""
    if m.is_node(container):
        at = m.address_of(container)
        if heap[at] == m.TABLE or heap[at] == m.PACKED:
            width = heap[at + 2]
            if width == 0 or (width == 2 and heap[m.PLACES_WEIGH_ONE] == 1):
                return heap[at + 1]
            return TOO_DEEP if levels == 0 else heap[at + 1] * width
        tag = heap[at + 2]
        if tag == m.INTEGERS or (tag != m.MIXED and heap[m.PLACES_WEIGH_ONE] == 1):
            return heap[at + 1]
    total = 0
    for k in range(m.count_of(heap, container)):
        total += weight_within(heap, element(heap, container, k), levels)
        if total >= TOO_DEEP:
            return TOO_DEEP
    return total


@machine_function
def weight_within(heap, word, levels):
    """Weigh a value with at most `levels` levels of containers."""
    if m.is_pair(word) or m.is_labelled_pair(word):
        if heap[m.PLACES_WEIGH_ONE] == 1:
            return 1
    elif not m.is_node(word) or m.kind_at(heap, word) == m.FUNCTION or m.count_of(heap, word) == 0:
        return 1
    elif heap[m.PLACES_WEIGH_ONE] == 1 and is_place(heap, word):
        return 1
    if levels == 0:
        return TOO_DEEP
    return elements_within(heap, word, levels - 1)


@machine_function
def is_place(heap, word):
    """Tell whether a node is a pair of numbers, or a number with a pair of numbers."""
    if m.kind_at(heap, word) != m.TUPLE or m.count_of(heap, word) != 2:
        return False
    at = m.address_of(word) + m.CONTENT
    if not m.is_number(heap[at]):
        return False
    return m.is_number(heap[at + 1]) or is_pair_of_numbers(heap, heap[at + 1])


@machine_function
def is_pair_of_numbers(heap, word):
    if m.is_pair(word):
        return True
    if m.kind_at(heap, word) != m.TUPLE or m.count_of(heap, word) != 2:
        return False
    at = m.address_of(word) + m.CONTENT
    return m.is_number(heap[at]) and m.is_number(heap[at + 1])


@machine_function
def size_of(heap, function):
    if m.is_primitive(function):
        return 1
    at = m.address_of(function)
    return heap[at + m.CONTENT + heap[at + 1] + 1]


@machine_function
def depth_of(heap, word):
    """Return the depth of a function, see `Function.depth`; 0 for other values."""
    if m.kind_at(heap, word) != m.FUNCTION:
        return 0
    at = m.address_of(word)
    return heap[at + m.CONTENT + heap[at + 1] + 2]


@machine_function
def holds_words(heap, word):
    """Tell whether a value is a container that may hold functions."""
    return m.is_node(word) and m.kind_at(heap, word) != m.FUNCTION and m.has_words(
        heap, m.address_of(word)
    )


@routine
def size_within(heap, word):
    """Return the size of a function, or of all functions in a container; 0 for other values."""
    if m.is_primitive(word) or m.kind_at(heap, word) == m.FUNCTION:
        return size_of(heap, word)
    size = 0
    if holds_words(heap, word):
        for k in range(m.count_of(heap, word)):
            size += size_within(heap, element(heap, word, k))
    return size


@routine
def depth_within(heap, word):
    """Return the depth of a function, the greatest one in a container; 0 for other values."""
    depth = depth_of(heap, word)
    if holds_words(heap, word):
        for k in range(m.count_of(heap, word)):
            depth = max(depth, depth_within(heap, element(heap, word, k)))
    return depth


@machine_function
def call_cost(heap, function):
    """Return the charge of a call by a container primitive; see `values.call_cost`."""
    return 1 + size_of(heap, function) // 16
