"""Primitives that take elements out of containers, or make containers of others."""

from megabatt.runtime.core.charges import count, element_weight, kept, weight
from megabatt.runtime.core.logic import first_place
from megabatt.runtime.core.mapping import filtered, merged, merged_words, passing
from megabatt.runtime.core.table import compiled, compiled_as, m, primitive
from megabatt.runtime.core.types import (
    Any,
    Container,
    ContainerContainer,
    FrozenSet,
    Integer,
    Tuple,
)
from megabatt.runtime.engine.language.values import ascending
from megabatt.runtime.engine.language.values import equal as values_equal


@primitive
def size(container: Container) -> Integer:
    """Count the elements of a container."""
    return len(container)


compiled_as(size, m.count_of)


@primitive
def first(container: Container) -> Any:
    """Return the first element. Fails without one."""
    return ascending(container)[0]


@m.machine_function
def place_from(index, count):
    """Return a place among `count`; a negative index counts from the end. `NO_VALUE` for none."""
    place = index + count if index < 0 else index
    return place if 0 <= place and place < count else m.NO_VALUE


@m.machine_function
def element_at(heap, container, index):
    """Return the element at a place, which is as in `place_from`."""
    place = m.required(place_from(index, m.count_of(heap, container)))
    return m.element(heap, container, place)


compiled_as(first, element_at, 0)


@primitive
def last(container: Container) -> Any:
    """Return the last element. Fails without one."""
    return ascending(container)[-1]


compiled_as(last, element_at, -1)


@primitive(charge=count)
def other(container: Container, value: Any) -> Any:
    """Return the first element that is not `value`. Fails without one."""
    return [e for e in ascending(container) if not values_equal(e, value)][0]


@compiled(other)
def other(heap, container, value):
    place = m.required(first_place(heap, container, value, 0))
    return m.NO_VALUE if place < 0 else m.element(heap, container, place)


@primitive(charge=lambda value, container: count(container))
def remove(value: Any, container: Container) -> Container:
    """Return the container without the elements that equal `value`."""
    if container.__class__ is frozenset:
        return container.difference((value,))
    return tuple([e for e in container if not values_equal(e, value)])


@compiled(remove)
def remove(heap, value, container):
    return filtered(heap, container, value, differs)


@m.machine_function
def differs(heap, element, value):
    return m.boolean(not m.equal(heap, element, value))


@primitive(charge=count)
def dedupe(tup: Tuple) -> Tuple:
    """Return the tuple without elements that equal an earlier element."""
    return tuple(dict.fromkeys(tup))


_FEW = 16
"""The most distinct elements that a linear search compares."""


@compiled(dedupe)
def dedupe(heap, tup):
    elements = m.required(m.opened(heap, tup))
    count = m.count_of(heap, elements)
    at = m.required(m.begin_node(heap, count))
    to = at + m.CONTENT
    kept = 0
    for k in range(count):
        word = heap[m.first_word(elements) + k]
        if not is_among_words(heap, to, kept, word):
            if kept == _FEW:
                kept = m.required(keep_firsts(heap, m.first_word(elements), count, to))
                break
            heap[to + kept] = word
            kept += 1
    if kept == count:
        heap[m.TOP] = at
        return tup
    return m.finish_tuple(heap, at, kept)


@m.machine_function
def is_among_words(heap, at, count, word):
    """Tell whether a value equals one of `count` words from an address on."""
    for k in range(count):
        if m.equal(heap, heap[at + k], word):
            return True
    return False


@m.routine
def keep_firsts(heap, first, count, to):
    """Copy the words that equal no earlier word. Returns their number; `FULL` without room."""
    top = heap[m.TOP]
    ordered = m.required(m.room_for(heap, 2 * count))
    seen = ordered + count
    m.copy_words(heap, first, ordered, count)
    m.fill_words(heap, seen, count, 0)
    tag = m.tag_of_words(heap, first, count)
    distinct = m.required(m.distinct_in_order(heap, ordered, count, tag))
    kept = 0
    for k in range(count):
        word = heap[first + k]
        place = m.position_in_set(heap, ordered, distinct, tag, word)
        if heap[seen + place] == 0:
            heap[seen + place] = 1
            heap[to + kept] = word
            kept += 1
    heap[m.TOP] = top
    return kept


@primitive(charge=count)
def sizefilter(container: Container, n: Integer) -> FrozenSet:
    """Return the set of the inner containers that have n elements."""
    return frozenset([e for e in container if len(e) == n])


@compiled(sizefilter)
def sizefilter(heap, container, n):
    at = m.required(passing(heap, container, n, has_size))
    if m.is_set(heap, container):
        return m.finish_ascending(heap, at, heap[at + 1], m.MIXED)
    return m.finish_set(heap, at, heap[at + 1])


@m.machine_function
def has_size(heap, element, n):
    is_container = m.is_container(heap, element)
    return m.boolean(m.count_of(heap, element) == n) if is_container else m.WRONG_TYPE


@primitive(charge=count)
def totuple(container: Container) -> Tuple:
    """Return the elements as a tuple, a set's in ascending order."""
    return tuple(ascending(container))


@m.machine_function
def tuple_of(heap, container):
    if not m.is_set(heap, container):
        return container
    count = m.count_of(heap, container)
    at = m.required(m.begin_node(heap, count))
    m.copy_words(heap, m.first_word(container), at + m.CONTENT, count)
    return m.finish_tuple(heap, at, count)


compiled_as(totuple, tuple_of)


@primitive(charge=weight)
def initset(value: Any) -> FrozenSet:
    """Make the set of one value."""
    return frozenset((value,))


compiled_as(initset, m.set_of_one)


@primitive(charge=lambda value, container: kept(container) + weight(value))
def insert(value: Any, container: FrozenSet) -> FrozenSet:
    """Return the set with `value` among its elements."""
    return container.union((value,))


@compiled(insert)
def insert(heap, value, container):
    count = m.count_of(heap, container)
    if count == 0:
        return m.set_of_one(heap, value)
    words, tag = m.first_word(container), heap[m.address_of(container) + 2]
    place = m.place_among(heap, words, count, tag, value)
    if place < count and m.equal(heap, heap[words + place], value):
        return container
    at = m.required(m.begin_node(heap, count + 1))
    m.copy_words(heap, words, at + m.CONTENT, place)
    heap[at + m.CONTENT + place] = value
    m.copy_words(heap, words + place, at + m.CONTENT + place + 1, count - place)
    return m.finish_ascending(heap, at, count + 1, tag if m.tag_of(value) == tag else m.MIXED)


@m.routine
def merged_sets(heap, a, b, only_a, both, only_b):
    """Merge two sets. Each flag is 1 to keep the elements in `a` only, in both, or in `b` only.

    Of two equal elements, a's is kept. Returns `FULL` without room.
    """
    size_a, size_b = m.count_of(heap, a), m.count_of(heap, b)
    if size_b == 0:
        return a if only_a == 1 else m.EMPTY_SET
    if size_a == 0:
        return b if only_b == 1 else m.EMPTY_SET
    at = m.required(m.begin_node(heap, size_a + only_b * size_b))
    tag = heap[m.address_of(a) + 2]
    if heap[m.address_of(b) + 2] != tag:
        tag = m.MIXED
    left, right = m.first_word(a), m.first_word(b)
    end_a, end_b = left + size_a, right + size_b
    to = at + m.CONTENT
    while tag != m.MIXED and left < end_a and right < end_b:
        one, two = heap[left], heap[right]
        heap[to] = min(one, two)
        to += both if one == two else only_a if one < two else only_b
        left += one <= two
        right += two <= one
    while tag == m.MIXED and left < end_a and right < end_b:
        one, two = heap[left], heap[right]
        found = m.compare(heap, one, two)
        heap[to] = two if found > 0 else one
        to += both if found == 0 else only_a if found < 0 else only_b
        left += found <= 0
        right += found >= 0
    if only_a == 1:
        m.copy_words(heap, left, to, end_a - left)
        to += end_a - left
    if only_b == 1:
        m.copy_words(heap, right, to, end_b - right)
        to += end_b - right
    return m.finish_ascending(heap, at, to - at - m.CONTENT, tag)


@primitive(charge=lambda a, b: element_weight(a) + element_weight(b))
def combine(a: Container, b: Container) -> Container:
    """Return the elements of `a`, then of `b`, in a container of a's kind."""
    if a.__class__ is frozenset:
        return a.union(b)
    return a + b if b.__class__ is tuple else (*a, *ascending(b))


@compiled(combine)
def combine(heap, a, b):
    if m.is_set(heap, a) and m.is_set(heap, b):
        return merged_sets(heap, a, b, 1, 1, 1)
    if m.is_table(heap, a) and m.is_table(heap, b):
        if m.width_of(heap, a) == m.width_of(heap, b):
            return m.stacked(heap, a, b)
    return joined(heap, a, b)


@m.machine_function
def joined(heap, a, b):
    """Merge two containers into one of a's kind."""
    both = m.required(m.room_for(heap, 2))
    heap[both] = a
    heap[both + 1] = b
    return merged_words(heap, both, 2, a)


@primitive(charge=lambda a, b: count(a) + count(b))
def intersection(a: FrozenSet, b: FrozenSet) -> FrozenSet:
    """Return the elements that are in both sets; of equal ones the smaller set's, else b's."""
    return a & b


@compiled(intersection)
def intersection(heap, a, b):
    if m.count_of(heap, b) > m.count_of(heap, a):
        return merged_sets(heap, a, b, 0, 1, 0)
    return merged_sets(heap, b, a, 0, 1, 0)


@primitive(charge=lambda a, b: count(a) + count(b))
def difference(a: FrozenSet, b: FrozenSet) -> FrozenSet:
    """Return the elements of `a` that are not in `b`."""
    return a - b


compiled_as(difference, merged_sets, 1, 0, 0)


@primitive(charge=element_weight)
def merge(containers: ContainerContainer) -> Container:
    """Merge the inner containers into one container of the outer container's kind."""
    return merged(containers.__class__, ascending(containers))


@compiled(merge)
def merge(heap, containers):
    if m.is_table(heap, containers):
        return m.row_at(heap, m.numbers_at(containers), m.area_of(heap, containers))
    elements = m.required(m.opened(heap, containers))
    return merged_words(heap, m.first_word(elements), m.count_of(heap, elements), containers)
