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


ODD = 0, (), (1,), (1, 2, 3), frozenset({1, 2})
"""What has no entries."""


@given(dictionaries, pairs, keys, values)
def test_entries_are_found_put_and_made_as_python_does_in_both_forms(entries, others, key, value):
    known = dict(entries)
    put = tuple({**known, key: value}.items())
    for function, args, expected in (
        (arc.has_key, (key,), key in known), (arc.lookup_or, (key, value), known.get(key, value)),
        (arc.put_entry, (key, value), put), (arc.entries_of, (), entries),
        (arc.lookup, (key,), known.get(key)),
    ):
        assert_same(function, [(some, *args) for some in (entries, others, *ODD)])
        if function is arc.lookup and key not in known:
            with pytest.raises(LookupError, match="has no key"):
                function(entries, key)
        else:
            assert identical(function(entries, *args), expected)
    assert identical(arc.entries_of((*entries, (key, value))), put)


@given(dictionaries, dictionaries, keys, values)
def test_a_mapping_is_what_a_dictionary_of_python_is(entries, others, key, value):
    known = dict(entries)
    mapping = arc.mapping(entries, ())
    assert identical(arc.entries_in(mapping), entries)
    assert identical(arc.keys_in(mapping), tuple(known))
    shuffled = arc.mapping(entries[::-1], (value,))
    assert mapping == shuffled and hash(mapping) == hash(shuffled)
    assert (mapping == arc.mapping(others, ())) == (known == dict(others))
    known[key] = value
    assert identical(arc.entries_in(arc.put_at(mapping, key, value)), tuple(known.items()))
    assert identical(arc.subscript(arc.put_at(mapping, key, value), key, False), value)


def test_a_default_stands_for_a_missing_key_or_for_one_that_is_to_change():
    entries = ((1, 2),)
    for missing, read, changed in ((), None, None), ((7,), 7, 7), ((7, True), None, 7):
        mapping = arc.mapping(entries, missing)
        assert arc.subscript(mapping, 1, False) == mapping(1) == 2
        for is_changed, wanted in (False, read), (True, changed):
            if wanted is None:
                with pytest.raises(LookupError, match="has no key"):
                    arc.subscript(mapping, 5, is_changed)
            else:
                assert arc.subscript(mapping, 5, is_changed) == wanted


@given(st.lists(st.tuples(dictionaries, keys, values, st.booleans()), min_size=2, max_size=6))
def test_both_forms_of_mappings_are_the_same(drawn):
    missing = (), (5,), (5, True)
    made = [arc.mapping(one[0], missing[k % 3]) for k, one in enumerate(drawn)]
    some = [*made, *(one[2] for one in drawn), arc.vmirror, (4, 5)]
    assert_same(arc.mapping, [(one[0], missing[k % 3]) for k, one in enumerate(drawn)])
    assert_same(arc.mapping, [((entry,), ()) for entry in ODD])
    assert_same(arc.equality, [(a, b) for a in some for b in made])
    assert_same(arc.order, [(tuple(some), arc.identity), (tuple(made[::-1]), arc.identity)])
    for value in some:
        assert_same(arc.subscript, [(value, one[1], one[3]) for one in drawn])
        assert_same(arc.put_at, [(value, one[1], one[2]) for one in drawn])
        assert_same(arc.entries_in, [(value,)])
        assert_same(arc.keys_in, [(value,)])


def test_the_charge_is_what_is_looked_through_and_made():
    entries = ((1, 2), (3, (4, 5)))
    assert charge_of(arc.lookup, entries, 1) == charge_of(arc.lookup_or, entries, 7, 0) == 1
    assert charge_of(arc.has_key, tuple((k, k) for k in range(33)), 1) == 3
    assert charge_of(arc.put_entry, entries, 1, (1, 2, 3)) == 1 + 1 + 3
    assert charge_of(arc.entries_of, entries) == 2
    mapping = arc.mapping(entries, ())
    assert charge_of(arc.mapping, entries, ()) == 2 + 1
    assert charge_of(arc.subscript, mapping, 1, False) == 1 and charge_of(arc.keys_in, mapping) == 2
    assert charge_of(arc.put_at, mapping, 1, 7) == (1 + 1 + 1) + (2 + 1)
