"""Dictionaries of programs: tuples of entries (key, value), of which no two keys are equal.

The entries are in the order in which Python's dictionaries have them. A key is looked for from the
first entry on. Where a dictionary is a value among others, it is a function of its keys, see
`Mapping`, so that no primitive takes it for a tuple.
"""

from typing import Any as Value

from megabatt.runtime.core.charges import count, kept, kept_on_words, weight
from megabatt.runtime.core.operators import item, put, with_element
from megabatt.runtime.core.table import charge, compiled, compiled_as, m, primitive
from megabatt.runtime.core.types import Any, Boolean, Callable, Tuple, TupleTuple
from megabatt.runtime.engine.language.registry import the_primitive
from megabatt.runtime.engine.language.types import kind_name
from megabatt.runtime.engine.language.values import Function, order_key, show_cut
from megabatt.runtime.engine.language.values import equal as values_equal
from megabatt.runtime.engine.machine.forms import kind_number


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
def place_of_key(heap, entries, key):
    count = m.count_of(heap, entries)
    if m.is_table(heap, entries) and m.width_of(heap, entries) == 2:
        for k in range(count):
            if m.equal(heap, key, heap[m.numbers_at(entries) + 2 * k]):
                return k
        return -1
    top = heap[m.TOP]
    opened = m.required(m.opened(heap, entries))
    for k in range(count):
        known = m.required(key_of(heap, heap[m.first_word(opened) + k]))
        if m.equal(heap, key, known):
            heap[m.TOP] = top
            return k
    heap[m.TOP] = top
    return -1


@primitive(charge=kept)
def has_key(entries: TupleTuple, key: Any) -> Boolean:
    """Tell whether a dictionary has a key."""
    return _place_of_key(entries, key) >= 0


@compiled(has_key)
def has_key(heap, entries, key):
    place = m.required(place_of_key(heap, entries, key))
    return m.boolean(place >= 0)


@primitive(charge=kept)
def lookup(entries: TupleTuple, key: Any) -> Any:
    """Return a key's value in a dictionary. Fails without the key."""
    place = _place_of_key(entries, key)
    if place < 0:
        raise LookupError(f"the dictionary has no key {show_cut(key, 50)}")
    return entries[place][1]


@m.machine_function
def value_of_key(heap, entries, key, default):
    """Return a key's value in a dictionary, or `default` without the key."""
    place = m.required(place_of_key(heap, entries, key))
    if place < 0:
        return default
    entry = m.required(m.element(heap, entries, place))
    return m.element(heap, entry, 1)


compiled_as(lookup, value_of_key, m.NO_VALUE)


@primitive(charge=kept)
def lookup_or(entries: TupleTuple, key: Any, default: Any) -> Any:
    """Return a key's value in a dictionary, or `default` without the key."""
    place = _place_of_key(entries, key)
    return default if place < 0 else entries[place][1]


compiled_as(lookup_or, value_of_key)


@primitive(charge=lambda entries, key, value: kept(entries) + weight(key) + weight(value))
def put_entry(entries: TupleTuple, key: Any, value: Any) -> TupleTuple:
    """Return the dictionary with a value for a key: in the key's entry, or in a new last one."""
    place = _place_of_key(entries, key)
    if place < 0:
        return (*entries, (key, value))
    return (*entries[:place], (entries[place][0], value), *entries[place + 1 :])


@compiled(put_entry)
def put_entry(heap, entries, key, value):
    place = m.required(place_of_key(heap, entries, key))
    if place < 0:
        place = m.count_of(heap, entries)
    else:
        entry = m.required(m.element(heap, entries, place))
        key = m.required(m.element(heap, entry, 0))
    entry = m.required(m.tuple_of_two(heap, key, value))
    return with_element(heap, entries, place, entry)


@primitive(charge=count)
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


class Mapping(Function):
    """A dictionary as a value: the function key -> value.

    It binds the entries in ascending order, which alone are compared, the entries in their own
    order, and what stands for missing keys: nothing, (default,), or (default, True) if the default
    is only for a value that is to be changed, as in a defaultdict.
    """

    __slots__ = ()
    compared = 1

    def __call__(self, key: Value) -> Value:
        return self.value(key, False)

    def value(self, key: Value, is_changed: bool) -> Value:
        """Return a key's value. is_changed: Whether the value is to be changed."""
        _, entries, missing = self.args
        charge(kept(entries))
        place = _place_of_key(entries, key)
        if place >= 0:
            return entries[place][1]
        if not missing or (missing[1:] and not is_changed):
            raise LookupError(f"the dictionary has no key {show_cut(key, 50)}")
        return missing[0]

    @staticmethod
    def called_on_words(heap, at, key, _b, _c, _count):
        return value_in_mapping(heap, at, key, False)


@primitive(builds=Mapping, charge=count)
def mapping(entries: TupleTuple, missing: Tuple) -> Callable:
    """Return a dictionary as a value. missing: See `Mapping`."""
    for entry in entries:
        _key_of(entry)
    made = Mapping(1, tuple(sorted(entries, key=order_key)), entries, missing)
    charge(made.size)
    return made


_MAPPING = kind_number(Mapping)


@compiled(mapping)
def mapping(heap, entries, missing):
    opened = m.required(m.opened(heap, entries))
    count = m.count_of(heap, opened)
    at = m.required(m.begin_node(heap, count))
    for k in range(count):
        m.required(key_of(heap, heap[m.first_word(opened) + k]))
        heap[at + m.CONTENT + k] = heap[m.first_word(opened) + k]
    tag = m.tag_of_words(heap, at + m.CONTENT, count)
    m.required(m.sort(heap, at + m.CONTENT, count, tag))
    ordered = m.required(m.finish_tuple(heap, at, count))
    return m.build_of_three(heap, ordered, entries, missing, _MAPPING, 1)


@m.machine_function
def is_mapping(heap, word):
    return m.kind_at(heap, word) == m.FUNCTION and heap[m.address_of(word) + 2] == _MAPPING


@m.machine_function
def entries_at(heap, at):
    """Return the entries of the mapping at an address, in their own order."""
    return heap[at + m.CONTENT + 1]


@m.routine
def value_in_mapping(heap, at, key, is_changed):
    """Do `Mapping.value` for the mapping at an address."""
    entries = entries_at(heap, at)
    m.required(m.charge(heap, kept_on_words(heap, entries)))
    missing = heap[at + m.CONTENT + 2]
    defaults = m.count_of(heap, missing)
    default = m.NO_VALUE
    if defaults == 1 or (defaults == 2 and is_changed):
        default = m.required(m.element(heap, missing, 0))
    return value_of_key(heap, entries, key, default)


@primitive
def subscript(container: Any, index: Any, is_changed: Boolean) -> Any:
    """Return a mapping's value for a key, or a tuple's element at a place, as `item`.

    is_changed: Whether the value is to be changed, see `Mapping`.
    """
    if container.__class__ is Mapping:
        return container.value(index, is_changed)
    return item(container, index)


_ITEM, _PUT = (the_primitive(function).compiled.stub for function in (item, put))


@compiled(subscript)
def subscript(heap, container, index, is_changed):
    if is_mapping(heap, container):
        return value_in_mapping(heap, m.address_of(container), index, m.truth(is_changed))
    return _ITEM(heap, container, index)


@primitive
def put_at(container: Any, index: Any, value: Any) -> Any:
    """Return a mapping with a value for a key, or a tuple with an element, as `put`."""
    if container.__class__ is Mapping:
        _, entries, missing = container.args
        return mapping(put_entry(entries, index, value), missing)
    return put(container, index, value)


_PUT_ENTRY, _MADE = (the_primitive(function).compiled.stub for function in (put_entry, mapping))


@compiled(put_at)
def put_at(heap, container, index, value):
    if not is_mapping(heap, container):
        return _PUT(heap, container, index, value)
    at = m.address_of(container)
    entries = m.required(_PUT_ENTRY(heap, entries_at(heap, at), index, value))
    return _MADE(heap, entries, heap[at + m.CONTENT + 2])


@primitive
def entries_in(dictionary: Callable) -> TupleTuple:
    """Return the entries of a mapping. Fails for other functions."""
    if dictionary.__class__ is not Mapping:
        raise TypeError(f"only a dictionary has entries, got {kind_name(dictionary)}")
    return dictionary.args[1]  # type: ignore[no-any-return]


@compiled(entries_in)
def entries_in(heap, dictionary):
    if not is_mapping(heap, dictionary):
        return m.WRONG_TYPE
    return entries_at(heap, m.address_of(dictionary))


@primitive
def keys_in(value: Any) -> Any:
    """Return the keys of a mapping as a tuple; any other value stays as it is."""
    if value.__class__ is not Mapping:
        return value
    entries = value.args[1]
    charge(len(entries))
    return tuple(key for key, _ in entries)


@compiled(keys_in)
def keys_in(heap, value):
    if not is_mapping(heap, value):
        return value
    entries = m.required(m.opened(heap, entries_at(heap, m.address_of(value))))
    count = m.count_of(heap, entries)
    m.required(m.charge(heap, count))
    at = m.required(m.begin_node(heap, count))
    for k in range(count):
        heap[at + m.CONTENT + k] = m.required(m.element(heap, heap[m.first_word(entries) + k], 0))
    return m.finish_tuple(heap, at, count)
