"""Dictionaries: tuples of entries, with Python's rules for keys, in both forms."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import megabatt.runtime.arc as arc
from megabatt.runtime.engine.language.values import identical
from tests.arc.lanes import assert_same, charge_of
from tests.engine.machine_values import values

few = st.sampled_from([0, 1, True, (0, 1), (1, 2, 3), frozenset({1}), frozenset({True}), None])
keys = st.one_of(few, values)
pairs = st.lists(st.tuples(keys, st.one_of(few, values)), max_size=6).map(tuple)
dictionaries = pairs.map(lambda some: tuple(dict(some).items()))


@given(dictionaries, keys, values)
def test_entries_are_found_put_and_made_as_python_does(entries, key, value):
    known = dict(entries)
    assert identical(arc.lookup_or(entries, key, value), known.get(key, value))
    if key in known:
        assert identical(arc.lookup(entries, key), known[key])
    else:
        with pytest.raises(KeyError):
            arc.lookup(entries, key)
    known[key] = value
    assert identical(arc.put_entry(entries, key, value), tuple(known.items()))
    assert identical(arc.entries_of((*entries, (key, value))), tuple(known.items()))


@given(st.lists(st.tuples(pairs, keys, values), max_size=8))
def test_both_forms_are_the_same(lanes):
    lanes += [((entry,), entry, 1) for entry in (0, (), (1,), (1, 2, 3), frozenset({1, 2}))]
    for function, arity in (arc.lookup, 2), (arc.lookup_or, 3), (arc.put_entry, 3):
        assert_same(function, [lane[:arity] for lane in lanes])
    assert_same(arc.entries_of, [lane[:1] for lane in lanes])


def test_the_charge_is_what_is_looked_through_and_made():
    entries = ((1, 2), (3, (4, 5)))
    assert charge_of(arc.lookup, entries, 1) == charge_of(arc.lookup_or, entries, 7, 0) == 2
    assert charge_of(arc.put_entry, entries, 1, (1, 2, 3)) == 2 + 1 + 3
    assert charge_of(arc.entries_of, entries) == 2
