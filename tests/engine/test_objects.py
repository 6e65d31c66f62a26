"""Objects in tables are told apart as `is` tells them."""

from __future__ import annotations

from itertools import chain

import pytest
from hypothesis import given
from hypothesis import strategies as st

from megabatt.runtime.engine.executor.objects import rows_in

OBJECTS = [(place % 3,) for place in range(6000)]  # many are equal, none is another
TABLES = st.lists(st.lists(st.lists(st.sampled_from(OBJECTS))))


@given(TABLES, st.booleans())
def test_each_object_has_a_number(tables, are_tuples):
    given = [tuple(map(tuple, table)) for table in tables] if are_tuples else tables
    found = rows_in(given)
    rows = list(chain.from_iterable(tables))
    assert found.counts.tolist() == list(map(len, tables))
    assert found.lengths.tolist() == list(map(len, rows))
    of_objects = [found.distinct[k] for k in found.which]
    assert all(a is b for a, b in zip(of_objects, chain.from_iterable(rows), strict=True))
    assert len(found.distinct) == len(set(map(id, of_objects)))


def test_very_many_objects_are_told_apart():
    found = rows_in([(tuple([k] for k in range(20_000)),)])
    assert found.which.tolist() == list(range(20_000))
    assert found.distinct == [[k] for k in range(20_000)]


@pytest.mark.parametrize("table", [3, (3,), (None, ()), iter([()]), (iter("a"),), {()}, {"a": ()}])
def test_other_things_are_no_tables(table):
    with pytest.raises((TypeError, LookupError)):
        rows_in([((),), table])
