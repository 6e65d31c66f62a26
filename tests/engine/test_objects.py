"""Objects in tables are told apart as `is` tells them."""

from __future__ import annotations

import pytest

from megabatt.runtime.engine.executor.objects import rows_in


def test_very_many_objects_are_told_apart():
    found = rows_in([(tuple([k] for k in range(20_000)),)])
    assert found.which.tolist() == list(range(20_000))
    assert found.distinct == [[k] for k in range(20_000)]


@pytest.mark.parametrize("table", [3, (3,), (None, ()), iter([()]), (iter("a"),), {()}, {"a": ()}])
def test_other_things_are_no_tables(table):
    with pytest.raises((TypeError, LookupError)):
        rows_in([((),), table])
