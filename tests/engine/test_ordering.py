"""The language's order, on values and on columns."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import megabatt.runtime.arc as arc
from megabatt.runtime.engine.columns import encode, make_sets
from megabatt.runtime.engine.device.arrays import offsets_of
from megabatt.runtime.engine.sets.distinct import distinct_codes
from megabatt.runtime.engine.sets.ordering import best, sort_order
from megabatt.runtime.engine.values import ascending, identical, order_key
from tests.engine.values import values

runs = st.lists(st.lists(values, max_size=5), min_size=1, max_size=4)
plain = st.lists(st.lists(st.integers(-50, 50), max_size=70), min_size=1, max_size=4)


def flat(lanes):
    return encode([v for lane in lanes for v in lane]), offsets_of(
        np.array([len(lane) for lane in lanes])
    )


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


@given(runs)
def test_ordinals_compare_as_the_values_do(lanes):
    column, offsets = flat(lanes)
    codes = column.ordinals(offsets).tolist() if len(column) else []
    for lane, values_of_lane in enumerate(lanes):
        mine = codes[offsets[lane] : offsets[lane + 1]]
        keys = [order_key(v) for v in values_of_lane]
        for i, a in enumerate(keys):
            for j, b in enumerate(keys):
                assert (mine[i] < mine[j]) == (a < b)


@given(runs)
def test_sets_are_made_ascending_and_distinct(lanes):
    column, offsets = flat(lanes)
    made = make_sets(offsets[1:] - offsets[:-1], column)
    assert made.decode() == [frozenset(lane) for lane in lanes]
    elements = made.packed().content.decode()
    assert all(map(identical, elements, [e for v in made.decode() for e in ascending(v)]))


@given(plain)
def test_sorting_is_stable_within_each_lane(lanes):
    codes = np.array([v // 4 for lane in lanes for v in lane], dtype=np.int64)
    offsets = offsets_of(np.array([len(lane) for lane in lanes]))
    order = sort_order(codes, offsets)
    order = np.arange(len(codes)) if order is None else order
    for lane in range(len(lanes)):
        begin, end = offsets[lane], offsets[lane + 1]
        assert order[begin:end].tolist() == sorted(range(begin, end), key=lambda k: codes[k])


@given(plain)
def test_the_first_of_equal_bests_is_picked(lanes):
    codes = np.array([v for lane in lanes for v in lane], dtype=np.int64)
    offsets = offsets_of(np.array([len(lane) for lane in lanes]))
    for largest, pick in ((True, max), (False, min)):
        expected = [
            int(offsets[k]) + lane.index(pick(lane)) if lane else -1 for k, lane in enumerate(lanes)
        ]
        assert best(codes, offsets, largest).tolist() == expected


BIAS = 1 << 20
near = st.tuples(st.integers(0, 2), st.integers(-2, 4), st.integers(-2, 4))
far = st.tuples(*[st.integers(-BIAS, BIAS - 1)] * 3)
coded = st.lists(st.lists(st.one_of(near, far) | near, max_size=60), min_size=1, max_size=5)


def code_of(color, i, j):
    """Return the cell as one integer, which compares as the cell does."""
    return (color + BIAS) << 42 | (i + BIAS) << 21 | (j + BIAS)


@given(coded, st.booleans())
def test_distinct_codes_are_the_sorted_set_near_or_far_apart(lanes, close):
    if close:
        lanes = [[cell for cell in lane if max(map(abs, cell)) < 9] for lane in lanes]
    runs = [[code_of(*cell) for cell in lane] for lane in lanes]
    codes = np.array([code for run in runs for code in run], dtype=np.int64)
    found, counts, starts = distinct_codes(codes, offsets_of(np.array(list(map(len, runs)))))
    assert counts.tolist() == [len(set(run)) for run in runs]
    assert starts.tolist() == offsets_of(counts).tolist()
    assert found.tolist() == [code for run in runs for code in sorted(set(run))]
