"""The order of values, as in `engine.language.values.order_key`, and equality.

None comes first, then numbers, tuples, sets, functions. Tuples are compared by their elements, sets
by their ascending elements, functions by their names and bound values.
"""


from megabatt.runtime.engine.machine import layout as m
from megabatt.runtime.engine.machine.contents import element
from megabatt.runtime.engine.machine.functions import machine_function, routine


@machine_function
def rank_of(heap, word):
    """Return the place of a value's kind in the order."""
    if m.is_numeric(word):
        return 1
    if word == m.NONE:
        return 0
    if m.is_tuple(heap, word):
        return 2
    if m.is_set(heap, word):
        return 3
    return 4


@machine_function
def name_rank(heap, function):
    """Return the place of a function's name in the order of names."""
    if m.is_primitive(function):
        return heap[m.RANKS + (function - m.PRIMITIVE)]
    return heap[m.KIND_RANKS + heap[m.address_of(function) + 2]]


@machine_function
def compared_count(heap, function):
    """Return the number of a function's bound values that are compared."""
    if m.is_primitive(function):
        return 0
    at = m.address_of(function)
    return min(heap[at + 1], heap[m.COMPARED + heap[at + 2]])


@machine_function
def sign(a, b):
    """Return -1, 0 or 1 as `a` is less than, equal to or greater than `b`."""
    return (a > b) - (a < b)


@machine_function
def compare(heap, a, b):
    """Return -1, 0 or 1 as `a` comes before, equals or comes after `b`."""
    if a == b:
        return 0
    tag = m.tag_of(a)
    if tag != m.MIXED and m.tag_of(b) == tag:
        return sign(a, b)
    return compare_any(heap, a, b)


@machine_function
def equal(heap, a, b):
    return compare(heap, a, b) == 0


@routine
def compare_any(heap, a, b):
    """Do `compare` for values of any kind."""
    if m.is_node(a) and m.is_node(b):
        at_a = m.address_of(a)
        at_b = m.address_of(b)
        kind = heap[at_a]
        tag = heap[at_a + 2]
        alike = kind == heap[at_b] and tag == heap[at_b + 2] and tag != m.MIXED
        if alike and (kind == m.TUPLE or kind == m.SET):
            least = min(heap[at_a + 1], heap[at_b + 1])
            found = compare_numbers(heap, at_a + m.CONTENT, at_b + m.CONTENT, least)
            return found if found != 0 else sign(heap[at_a + 1], heap[at_b + 1])
    return compare_others(heap, a, b)


@routine
def compare_others(heap, a, b):
    """Do `compare` for values that are not both tuples, or both sets, of numbers alike."""
    rank = rank_of(heap, a)
    other = rank_of(heap, b)
    if rank != other:
        return sign(rank, other)
    if rank == 1:
        if m.is_real(a) or m.is_real(b):
            return sign(m.real(m.bits_of(a)), m.real(m.bits_of(b)))
        return sign(m.number_of(a), m.number_of(b))
    if rank == 4:
        return compare_functions(heap, a, b)
    if m.is_table(heap, a) and m.is_table(heap, b):
        return compare_tables(heap, m.address_of(a), m.address_of(b))
    for k in range(min(m.count_of(heap, a), m.count_of(heap, b))):
        found = compare(heap, element(heap, a, k), element(heap, b, k))
        if found != 0:
            return found
    return sign(m.count_of(heap, a), m.count_of(heap, b))


@machine_function
def compare_numbers(heap, a, b, count):
    """Compare `count` numbers from two addresses on, in order."""
    for k in range(count):
        if heap[a + k] != heap[b + k]:
            return sign(heap[a + k], heap[b + k])
    return 0


@machine_function
def compare_tables(heap, a, b):
    """Compare tables at two addresses row by row."""
    width_a = heap[a + 2]
    width_b = heap[b + 2]
    width = min(width_a, width_b)
    at_a = a + m.CONTENT
    at_b = b + m.CONTENT
    for _row in range(min(heap[a + 1], heap[b + 1])):
        found = compare_numbers(heap, at_a, at_b, width)
        if found != 0:
            return found
        if width_a != width_b:
            return sign(width_a, width_b)
        at_a += width_a
        at_b += width_b
    return sign(heap[a + 1], heap[b + 1])


@machine_function
def compare_functions(heap, a, b):
    """Compare functions: by name, then by the values that they bind."""
    found = sign(name_rank(heap, a), name_rank(heap, b))
    if found != 0:
        return found
    bound_a = compared_count(heap, a)
    bound_b = compared_count(heap, b)
    at_a = m.address_of(a) + m.CONTENT
    at_b = m.address_of(b) + m.CONTENT
    for k in range(min(bound_a, bound_b)):
        found = compare(heap, heap[at_a + k], heap[at_b + k])
        if found != 0:
            return found
    return sign(bound_a, bound_b)


@routine
def same(heap, a, b):
    """Tell whether two values are equal in value and type, as 1 or 0; see `values.identical`."""
    if a == b:
        return 1
    kind = m.kind_at(heap, a)
    if kind == 0 or kind != m.kind_at(heap, b):
        return 0
    at_a = m.address_of(a)
    at_b = m.address_of(b)
    if heap[at_a + 1] != heap[at_b + 1] or heap[at_a + 2] != heap[at_b + 2]:
        return 0
    words = heap[at_a + 1]
    nested = m.has_words(heap, at_a)
    if kind == m.TABLE:
        words *= heap[at_a + 2]
    for k in range(words):
        one = heap[at_a + m.CONTENT + k]
        other = heap[at_b + m.CONTENT + k]
        if one != other:
            if not nested or same(heap, one, other) == 0:
                return 0
    return 1
