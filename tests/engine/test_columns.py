"""Columns hold exactly the values that they are made of, whatever is done to their lanes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from megabatt.runtime.arc.layouts import Grids
from megabatt.runtime.engine.columns import (
    Hosts,
    Ints,
    Lists,
    Sets,
    Union,
    as_array,
    concat,
    encode,
    encode_uniform,
    equal,
    flatten,
    scatter,
)
from megabatt.runtime.engine.values import ascending, identical, size_of, weight
from tests.engine.values import columns, values


def index(*lanes):
    return np.array(lanes, dtype=np.int64)


@given(columns)
def test_decoding_gives_back_what_was_encoded(lanes):
    decoded = encode(lanes).decode()
    assert len(decoded) == len(lanes)
    assert all(map(identical, lanes, decoded))


@given(columns, st.data())
def test_taking_lanes_takes_their_values(lanes, data):
    chosen = data.draw(st.lists(st.integers(0, len(lanes) - 1), max_size=10))
    taken = encode(lanes).take(index(*chosen)).decode()
    assert all(map(identical, [lanes[k] for k in chosen], taken))


@given(columns, columns)
def test_concatenating_columns_concatenates_their_values(a, b):
    both = concat([encode(a), encode(b)]).decode()
    assert all(map(identical, a + b, both))


@given(columns, st.randoms())
def test_scattering_puts_each_value_into_its_lane(lanes, random):
    order = list(range(len(lanes)))
    random.shuffle(order)
    cut = len(order) // 2
    parts = [
        (index(*half), encode([lanes[k] for k in half]))
        for half in (order[:cut], order[cut:])
        if half
    ]
    assert all(map(identical, lanes, scatter(parts, len(lanes)).decode()))


@given(values, st.integers(1, 5))
def test_a_uniform_value_is_the_same_in_every_lane(value, lanes):
    assert all(identical(value, v) for v in encode_uniform(value, lanes).decode())


@given(columns, columns)
def test_equality_is_pythons(a, b):
    n = min(len(a), len(b))
    a, b = a[:n], [y if k % 2 else x for k, (x, y) in enumerate(zip(a, b, strict=False))]
    assert equal(encode(a), encode(b)).tolist() == [x == y for x, y in zip(a, b, strict=True)]


@given(columns)
def test_truth_weight_and_size_are_those_of_the_values(lanes):
    column = encode(lanes)
    assert column.truth().tolist() == [bool(v) for v in lanes]
    assert column.weights().tolist() == [weight(v) for v in lanes]
    assert as_array(column.sizes, len(lanes)).tolist() == [
        size_of(v) if callable(v) else 0 for v in lanes
    ]


@given(columns)
def test_flattening_gives_the_elements_in_the_languages_order(lanes):
    counts, content, wrong = flatten(encode(lanes))
    containers = [v if isinstance(v, (tuple, frozenset)) else () for v in lanes]
    elements = [e for v in containers for e in ascending(v)]
    assert counts.tolist() == [len(v) for v in containers]
    assert all(map(identical, elements, content.decode()))
    flags = [False] * len(lanes) if wrong is None else wrong.tolist()
    assert flags == [not isinstance(v, (tuple, frozenset)) for v in lanes]


@given(st.lists(st.frozensets(st.integers(0, 9), max_size=4), min_size=1, max_size=5))
def test_packing_changes_no_value(lanes):
    column = encode(lanes).take(index(*reversed(range(len(lanes)))))
    assert column.packed().decode() == column.decode() == lanes[::-1]


def test_values_take_the_layout_made_for_them():
    assert isinstance(encode([1, 2]), Ints)
    assert isinstance(encode([(1, 2)]), Lists)
    assert isinstance(encode([((1, 2, 3),)]), Grids)
    assert isinstance(encode([frozenset({(1, 2)}), frozenset()]), Sets)
    assert isinstance(encode([(1, 2, 3)]), Lists)
    assert isinstance(encode([1, (1, 2)]), Union)
    assert isinstance(encode([object()]), Hosts)


def test_empty_containers_join_the_layout_of_the_others():
    assert isinstance(encode([((1, 2, 3),), ()]), Grids)
    assert isinstance(encode([(1, 2, 3), ()]), Lists)


@pytest.mark.parametrize("many", [3, 30])
def test_each_part_of_a_union_has_its_lanes_in_order(many):
    lanes = [(k % many,) * (k % many) for k in range(95)]
    parts = [encode([(k,) * k] * 5) for k in range(many)]
    tags = np.array([len(lane) for lane in lanes], dtype=np.int32)
    union = Union(tags, np.zeros(len(lanes), dtype=np.int64), parts)
    assert all((np.diff(at) > 0).all() for at, _ in union.split())
    found = scatter(union.split(), len(lanes))
    assert found.decode() == lanes
    assert sum(len(at) for at, _ in union.split()) == len(lanes)
