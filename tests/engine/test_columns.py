"""Columns hold exactly the values that they are made of, whatever is done to their lanes."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from megabatt.runtime.engine.columns import (
    Hosts,
    Ints,
    Lists,
    Uniform,
    concat,
    encode,
    encode_uniform,
    same,
    scatter,
)
from megabatt.runtime.engine.language.values import identical
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
    joined = concat([Uniform(value, lanes), Uniform(value, 2)])
    assert isinstance(joined, Uniform) and len(joined) == lanes + 2


@given(columns, columns)
def test_the_same_are_those_of_one_value_and_type(a, b):
    n = min(len(a), len(b))
    a, b = a[:n], [y if k % 2 else x for k, (x, y) in enumerate(zip(a, b, strict=False))]
    assert same(encode(a), encode(b)).tolist() == list(map(identical, a, b))


def test_values_take_the_layout_made_for_them():
    assert isinstance(encode([1, 2]), Ints)
    assert isinstance(encode([(1, 2)]), Lists)
    assert isinstance(encode([(1, 2, 3)]), Lists)
    for others in ([1, (1, 2)], [frozenset({(1, 2)})], [None], [(1, (2, 3))], [object()], []):
        assert isinstance(encode(others), Hosts)


def test_empty_tuples_join_the_layout_of_the_others():
    assert isinstance(encode([(1, 2, 3), ()]), Lists)
    assert isinstance(concat([encode([()]), encode([(1, 2, 3)])]), Lists)
    assert isinstance(concat([encode([(1, 2, 3)]), Uniform((), 2)]), Lists)
