"""Dictionaries of programs: tuples of entries (key, value), of which no two keys are equal.

The entries are in the order in which Python's dictionaries have them. A key is looked for from the
first entry on.
"""

from __future__ import annotations

from typing import Any as Value

from megabatt.runtime.core.charges import count, weight
from megabatt.runtime.core.table import compiled, compiled_as, m, primitive
from megabatt.runtime.core.types import Any, Tuple, TupleTuple
from megabatt.runtime.engine.language.types import kind_name
from megabatt.runtime.engine.language.values import equal as values_equal


def _key_of(entry: Value) -> Value:
    """Return an entry's key. Raises TypeError for anything but a pair."""
    if entry.__class__ is not tuple or len(entry) != 2:
        raise TypeError(f"an entry is a pair of a key and a value, not {kind_name(entry)}")
    return entry[0]


def _place_of_key(entries: tuple[Value, ...], key: Value) -> int:
    """Return the place of a key's entry; -1 without one."""
    for place, entry in enumerate(entries):
        if values_equal(key, _key_of(entry)):
            return place
    return -1


@m.machine_function
def key_of(heap, entry):
    """Return an entry's key; `WRONG_TYPE` for anything but a pair."""
    if m.is_tuple(heap, entry) and m.count_of(heap, entry) == 2:
        return m.element(heap, entry, 0)
    return m.WRONG_TYPE


@m.routine
def place_of_key(heap, opened, key):
    """Return the place of a key's entry in an opened dictionary; -1 without one."""
    top = heap[m.TOP]
    for k in range(m.count_of(heap, opened)):
        known = m.required(key_of(heap, heap[m.first_word(opened) + k]))
        is_same = m.equal(heap, key, known)
        heap[m.TOP] = top
        if is_same:
            return k
    return -1


@primitive(charge=lambda entries, key: count(entries))
def lookup(entries: TupleTuple, key: Any) -> Any:
    """Return a key's value in a dictionary. Fails without the key."""
    place = _place_of_key(entries, key)
    if place < 0:
        raise KeyError("the dictionary has no such key")
    return entries[place][1]


@m.machine_function
def value_of_key(heap, entries, key, default):
    """Return a key's value in a dictionary, or `default` without the key."""
    opened = m.required(m.opened(heap, entries))
    place = m.required(place_of_key(heap, opened, key))
    return default if place < 0 else m.element(heap, heap[m.first_word(opened) + place], 1)


compiled_as(lookup, value_of_key, m.NO_VALUE)


@primitive(charge=lambda entries, key, default: count(entries))
def lookup_or(entries: TupleTuple, key: Any, default: Any) -> Any:
    """Return a key's value in a dictionary, or `default` without the key."""
    place = _place_of_key(entries, key)
    return default if place < 0 else entries[place][1]


compiled_as(lookup_or, value_of_key)


@primitive(charge=lambda entries, key, value: count(entries) + weight(key) + weight(value))
def put_entry(entries: TupleTuple, key: Any, value: Any) -> TupleTuple:
    """Return the dictionary with a value for a key: in the key's entry, or in a new last one."""
    place = _place_of_key(entries, key)
    if place < 0:
        return (*entries, (key, value))
    return (*entries[:place], (entries[place][0], value), *entries[place + 1 :])


@compiled(put_entry)
def put_entry(heap, entries, key, value):
    opened = m.required(m.opened(heap, entries))
    count = m.count_of(heap, opened)
    place = m.required(place_of_key(heap, opened, key))
    if place >= 0:
        key = m.required(m.element(heap, heap[m.first_word(opened) + place], 0))
    entry = m.required(m.tuple_of_two(heap, key, value))
    total = count if place >= 0 else count + 1
    at = m.required(m.begin_node(heap, total))
    m.copy_words(heap, m.first_word(opened), at + m.CONTENT, count)
    heap[at + m.CONTENT + (count if place < 0 else place)] = entry
    return m.finish_tuple(heap, at, total)


@primitive(charge=lambda pairs: count(pairs))
def entries_of(pairs: Tuple) -> TupleTuple:
    """Return the dictionary of pairs (key, value). Of equal keys, the last one's value is kept."""
    for entry in pairs:
        _key_of(entry)
    return tuple(dict(pairs).items())


@compiled(entries_of)
def entries_of(heap, pairs):
    opened = m.required(m.opened(heap, pairs))
    count = m.count_of(heap, opened)
    first = m.first_word(opened)
    keys = m.required(m.room_for(heap, 3 * count))
    ordered, places = keys + count, keys + 2 * count
    for k in range(count):
        heap[keys + k] = m.required(key_of(heap, heap[first + k]))
        heap[places + k] = -1
    m.copy_words(heap, keys, ordered, count)
    tag = m.tag_of_words(heap, keys, count)
    distinct = m.required(m.distinct_in_order(heap, ordered, count, tag))
    if distinct == count:
        return pairs
    at = m.required(m.begin_node(heap, distinct))
    kept = 0
    for k in range(count):
        entry = heap[first + k]
        place = places + m.position_in_set(heap, ordered, distinct, tag, heap[keys + k])
        if heap[place] < 0:
            heap[place] = at + m.CONTENT + kept
            kept += 1
        else:
            key = m.required(key_of(heap, heap[heap[place]]))
            value = m.required(m.element(heap, entry, 1))
            entry = m.required(m.tuple_of_two(heap, key, value))
        heap[heap[place]] = entry
    return m.finish_tuple(heap, at, distinct)
