"""Casts words to the declared types; a value of another type gives a wrong word."""

from megabatt.runtime.engine.machine import prelude as m


@m.machine_function
def to_integer(heap, word):
    if m.is_integer(word):
        return word
    return m.number_of(word) if m.is_boolean(word) else m.WRONG_TYPE


@m.machine_function
def to_number(heap, word):
    return word if m.is_real(word) else to_integer(heap, word)


@m.machine_function
def to_boolean(heap, word):
    return word if m.is_boolean(word) else m.WRONG_TYPE


@m.machine_function
def to_container(heap, word):
    return word if m.is_container(heap, word) else m.WRONG_TYPE


@m.machine_function
def to_set(heap, word):
    if m.is_set(heap, word):
        return word
    return m.EMPTY_SET if word == m.EMPTY_TUPLE else m.WRONG_TYPE


@m.machine_function
def to_tuple(heap, word):
    if m.is_tuple(heap, word):
        return word
    return m.EMPTY_TUPLE if word == m.EMPTY_SET else m.WRONG_TYPE


@m.machine_function
def to_callable(heap, word):
    return word if m.is_function(heap, word) else m.WRONG_TYPE


@m.machine_function
def to_integers(heap, word):
    """Cast to sets or tuples of Integers."""
    if m.is_pair(word) or word == m.EMPTY_TUPLE or word == m.EMPTY_SET:
        return word
    if m.is_labelled_pair(word) or not m.is_container(heap, word) or m.is_table(heap, word):
        return m.WRONG_TYPE
    return word if heap[m.address_of(word) + 2] == m.INTEGERS else numbers_of(heap, word)


@m.routine
def numbers_of(heap, container):
    """Turn a container's Booleans into Integers; `WRONG_TYPE` for elements of other types."""
    count = m.count_of(heap, container)
    at = m.required(m.begin_node(heap, count))
    for k in range(count):
        word = m.element(heap, container, k)
        if not m.is_number(word):
            return m.WRONG_TYPE
        heap[at + m.CONTENT + k] = m.number_of(word)
    return m.finish_like(heap, at, count, container)
