"""The language's order of values."""

from hypothesis import given
from hypothesis import strategies as st

import megabatt.runtime.arc as arc
from megabatt.runtime.engine.language.values import ascending, order_key
from tests.engine.machine_values import values


def test_kinds_rank_none_integer_tuple_set_function():
    mixed = frozenset({arc.compose, frozenset({1}), (1, 2), 5, None})
    assert list(ascending(mixed)) == [None, 5, (1, 2), frozenset({1}), arc.compose]


def test_tuples_order_lexicographically_and_sets_as_their_ascending_tuples():
    assert list(ascending(frozenset({(1,), (), (0, 5), (1, 0)}))) == [(), (0, 5), (1,), (1, 0)]
    sets = frozenset({frozenset({2}), frozenset({1, 9}), frozenset({1}), frozenset()})
    assert list(ascending(sets)) == [frozenset(), frozenset({1}), frozenset({1, 9}), frozenset({2})]


def test_functions_order_by_name_then_by_what_they_bind():
    functions = frozenset({arc.compose, arc.apply, arc.lbind(arc.apply, arc.compose)})
    assert [getattr(f, "__name__", "lbind") for f in ascending(functions)] == [
        "apply", "compose", "lbind",
    ]  # fmt: skip


@given(st.frozensets(values, max_size=8))
def test_ascending_is_the_order_of_the_keys(elements):
    keys = [order_key(e) for e in ascending(elements)]
    assert keys == sorted(keys)
