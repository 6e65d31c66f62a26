"""Order, extremes and frequency in containers.

Keys may be any values: they compare in the language's order. Each element's key is computed once.
Of elements with equal keys, the first in `ascending(container)` wins.
"""

from collections import Counter
from typing import Any as Value

from megabatt.runtime.core.charges import calls_on_each, cost, count, key_calls
from megabatt.runtime.core.table import compiled, compiled_as, m, primitive
from megabatt.runtime.core.types import Any, Callable, Container, Integer, IntegerSet, Tuple
from megabatt.runtime.engine.language.values import ascending, sort_keys


@primitive(
    charge=lambda container, compfunc: count(container) + count(container) * cost(compfunc),
    each=("compfunc", "container"),
)
def order(container: Container, compfunc: Callable) -> Tuple:
    """Return the elements as a tuple, ascending by key."""
    elements = ascending(container)
    keys = sort_keys([compfunc(e) for e in elements])
    return tuple([elements[k] for k in sorted(range(len(keys)), key=keys.__getitem__)])


_POSITION = (1 << 31) - 1
"""The bits of a position in a sort key, below its Integer."""


@compiled(order)
def order(heap, container, compfunc):
    elements = m.required(m.opened(heap, container))
    count = m.count_of(heap, elements)
    first = m.first_word(elements)
    keys = m.required(m.room_for(heap, count))
    for k in range(count):
        top = heap[m.TOP]
        key = m.required(m.call_of_one(heap, compfunc, heap[first + k]))
        if not m.is_node(key):
            heap[m.TOP] = top
        heap[keys + k] = key
    m.required(rank_keys(heap, keys, count))
    for k in range(count):
        heap[keys + k] = (heap[keys + k] << 31) | k
    m.required(m.sort(heap, keys, count, m.INTEGERS))
    at = m.required(m.begin_node(heap, count))
    for k in range(count):
        heap[at + m.CONTENT + k] = heap[first + (heap[keys + k] & _POSITION)]
    return m.finish_tuple(heap, at, count)


@m.routine
def rank_keys(heap, keys, count):
    """Replace words by Integers of the same order. Returns `FULL` without room."""
    tag = m.tag_of_words(heap, keys, count)
    if tag == m.INTEGERS:
        return 0
    top = heap[m.TOP]
    ordered = m.required(m.room_for(heap, count))
    m.copy_words(heap, keys, ordered, count)
    distinct = m.required(m.distinct_in_order(heap, ordered, count, tag))
    for k in range(count):
        heap[keys + k] = m.position_in_set(heap, ordered, distinct, tag, heap[keys + k])
    heap[m.TOP] = top
    return 0


@primitive
def maximum(container: IntegerSet) -> Integer:
    """Return the largest Integer; 0 if there is none."""
    return max(container, default=0)


@m.machine_function
def extreme_integer(heap, container, direction):
    """Find the largest Integer (smallest, if `direction` is -1), or 0."""
    result = 0
    for k in range(m.count_of(heap, container)):
        integer = m.element(heap, container, k)
        if k == 0 or integer * direction > result * direction:
            result = integer
    return result


compiled_as(maximum, extreme_integer, 1)


@primitive
def minimum(container: IntegerSet) -> Integer:
    """Return the smallest Integer; 0 if there is none."""
    return min(container, default=0)


compiled_as(minimum, extreme_integer, -1)


@primitive(charge=key_calls, each=("compfunc", "container"))
def valmax(container: Container, compfunc: Callable) -> Integer:
    """Return the largest key; for an empty container, the key of 0."""
    return _extreme(container or (0,), compfunc, max)[1]


@primitive(charge=key_calls, each=("compfunc", "container"))
def valmin(container: Container, compfunc: Callable) -> Integer:
    """Return the smallest key; for an empty container, the key of 0."""
    return _extreme(container or (0,), compfunc, min)[1]


def _extreme(container: Value, compfunc: Value, choose: Value) -> tuple[Value, Value]:
    """Return the first element that has the extreme key (`choose`: max or min), and the key."""
    elements = ascending(container)
    keys = [compfunc(e) for e in elements]
    comparable = sort_keys(keys)
    place = comparable.index(choose(comparable))
    return elements[place], keys[place]


@primitive(charge=calls_on_each, each=("compfunc", "container"))
def argmax(container: Container, compfunc: Callable) -> Any:
    """Return the first element that has the largest key. Fails for an empty container."""
    return _extreme(container, compfunc, max)[0]


@primitive(charge=calls_on_each, each=("compfunc", "container"))
def argmin(container: Container, compfunc: Callable) -> Any:
    """Return the first element that has the smallest key. Fails for an empty container."""
    return _extreme(container, compfunc, min)[0]


@m.routine
def extreme(heap, container, compfunc, direction, of_keys):
    """Find the first element that has the largest key (smallest, if `direction` is -1).

    of_keys: 1 to return the key (of 0 for an empty container); else an empty container fails.
    """
    elements = m.required(m.opened(heap, container))
    count = m.count_of(heap, elements)
    first = m.first_word(elements)
    if count == 0 and of_keys == 1:
        count = 1
        first = m.required(m.room_for(heap, 1))
        heap[first] = 0
    chosen, chosen_key = m.NO_VALUE, m.NO_VALUE
    for k in range(count):
        top = heap[m.TOP]
        key = m.required(m.call_of_one(heap, compfunc, heap[first + k]))
        better = k == 0 or m.compare(heap, key, chosen_key) * direction > 0
        if better:
            chosen, chosen_key = heap[first + k], key
        if not better or not m.is_node(key):
            heap[m.TOP] = top
    return chosen_key if of_keys == 1 else chosen


compiled_as(valmax, extreme, 1, 1)
compiled_as(valmin, extreme, -1, 1)
compiled_as(argmax, extreme, 1, 0)
compiled_as(argmin, extreme, -1, 0)


@primitive(charge=count)
def mostcommon(container: Container) -> Any:
    """Return a tuple's most frequent element; of equally frequent elements, the least."""
    return _of_frequency(container, max)


def _of_frequency(container: Value, choose: Value) -> Value:
    """Return a tuple's least element of extreme frequency (`choose`: max or min)."""
    if container.__class__ is frozenset:
        raise TypeError("expected a tuple: the elements of a set are all equally common")
    counts = Counter(container)
    chosen = choose(counts.values())
    return ascending(frozenset([e for e, count in counts.items() if count == chosen]))[0]


@primitive(charge=count)
def leastcommon(container: Container) -> Any:
    """Return a tuple's least frequent element; of equally frequent elements, the least."""
    return _of_frequency(container, min)


@m.routine
def by_frequency(heap, container, direction):
    """Find a tuple's most frequent element (least frequent, if `direction` is -1)."""
    if m.is_set(heap, container):
        return m.WRONG_TYPE
    count = m.count_of(heap, container)
    if count == 0:
        return m.NO_VALUE
    elements = m.required(m.opened(heap, container))
    first = m.first_word(elements)
    tag = heap[m.address_of(elements) + 2]
    if tag == m.INTEGERS:
        least, most = heap[first], heap[first]
        for k in range(1, count):
            least, most = min(least, heap[first + k]), max(most, heap[first + k])
        if most - least <= count + 8:
            return by_counts(heap, first, count, least, most, direction)
    ordered = m.required(m.room_for(heap, count))
    m.copy_words(heap, first, ordered, count)
    m.required(m.sort(heap, ordered, count, tag))
    return extreme_run(heap, ordered, count, direction)


compiled_as(mostcommon, by_frequency, 1)
compiled_as(leastcommon, by_frequency, -1)


@m.machine_function
def extreme_run(heap, at, count, direction):
    """Return what most (fewest, if `direction` is -1) of `count` ordered words equal.

    Returns the first of ties; `NO_VALUE` without words.
    """
    chosen = m.NO_VALUE
    length = 0
    begin = 0
    for k in range(1, count + 1):
        if k == count or m.compare(heap, heap[at + k - 1], heap[at + k]) < 0:
            if begin == 0 or (k - begin) * direction > length * direction:
                chosen, length = heap[at + begin], k - begin
            begin = k
    return chosen


@m.machine_function
def by_counts(heap, first, count, least, most, direction):
    """Do `by_frequency` for Integers of a narrow range, with a count for each Integer."""
    counts = m.required(m.room_for(heap, most - least + 1))
    m.fill_words(heap, counts, most - least + 1, 0)
    for k in range(count):
        heap[counts + heap[first + k] - least] += 1
    chosen, length = least, 0
    for k in range(most - least + 1):
        occurs = heap[counts + k]
        if occurs > 0 and (length == 0 or occurs * direction > length * direction):
            chosen, length = least + k, occurs
    heap[m.TOP] = counts
    return chosen
