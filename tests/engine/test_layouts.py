"""Every layout of the engine has all operations of columns; the language adds no layouts."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from megabatt.runtime.engine.columns import (
    Arrays,
    Floats,
    Hosts,
    Lists,
    Uniform,
    concat,
    encode,
    same,
    scatter,
    shown_cut,
)
from megabatt.runtime.engine.columns.encode import encode_uniform
from megabatt.runtime.engine.language import policy
from megabatt.runtime.engine.language.values import equal as equal_values
from megabatt.runtime.engine.language.values import identical, order_key, show_cut, weight


@pytest.fixture(autouse=True)
def plain_language(policy_in_use):
    policy.use(policy.Policy())


integers = st.one_of(
    st.integers(-3, 3), st.integers(-(2**63), 2**63 - 1), st.sampled_from([-(2**63), 2**63 - 1])
)
floats = st.one_of(st.sampled_from([-0.0, 0.0, 1.0, -2.5]), st.floats(width=32))
complexes = st.complex_numbers(width=64, allow_nan=False)
numbers = st.one_of(st.booleans(), integers, floats, complexes)


@st.composite
def arrays(draw):
    dtype = draw(st.sampled_from(["float32", "float64", "int64", "complex64"]))
    shape = (draw(st.integers(0, 3)), *draw(st.sampled_from([(), (), (2,), (0,)])))
    made = np.array(
        [draw(st.sampled_from([-2, 0, 1, 1, 3])) for _ in range(int(np.prod(shape)))], dtype=dtype
    ).reshape(shape)
    made.flags.writeable = False
    return made


hashable = st.recursive(
    st.one_of(numbers, st.none()),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3).map(tuple), st.frozensets(inner, max_size=3)
    ),
    max_leaves=8,
)
values = st.one_of(
    hashable, arrays(), st.tuples(arrays(), numbers), st.lists(arrays(), max_size=3).map(tuple)
)
columns = st.lists(values, min_size=1, max_size=8)


def index(lanes):
    return np.array(lanes, dtype=np.int64)


@given(columns, st.data())
def test_encoded_taken_concatenated_and_scattered_lanes_keep_their_values_and_weights(lanes, data):
    chosen = data.draw(st.lists(st.integers(0, len(lanes) - 1), max_size=8))
    column = encode(lanes)
    assert all(map(identical, lanes, column.decode()))
    assert all(map(identical, [lanes[k] for k in chosen], column.take(index(chosen)).decode()))
    assert all(map(identical, lanes + lanes, concat([column, column]).decode()))
    cut = data.draw(st.integers(0, len(lanes)))
    halves = [index(range(cut, len(lanes))), index(range(cut))]
    parts = [(half, column.take(half)) for half in halves if len(half)]
    assert all(map(identical, lanes, scatter(parts, len(lanes)).decode()))
    assert all(map(identical, lanes, column.packed().decode()))
    assert column.weights().tolist() == list(map(weight, lanes))


@given(values, st.integers(1, 4))
def test_a_uniform_value_is_the_same_in_every_lane(value, lanes):
    assert all(identical(value, v) for v in encode_uniform(value, lanes).decode())
    joined = concat([Uniform(value, lanes), Uniform(value, 2)])
    assert isinstance(joined, Uniform) and len(joined) == lanes + 2


@given(columns, columns)
@example([None, (np.zeros(1, np.float32),)], [None, (np.zeros(1, np.float64),)])
def test_lanes_are_the_same_by_value_and_type(a, b):
    n = min(len(a), len(b))
    a, b = a[:n], [y if k % 2 else x for k, (x, y) in enumerate(zip(a, b, strict=False))]
    assert same(encode(a), encode(b)).tolist() == list(map(identical, a, b))


@given(st.lists(st.tuples(floats, st.floats(-1, 1)), min_size=1, max_size=8))
def test_another_judge_of_sameness_is_asked_about_values(lanes):
    near = [(x, x + step) for x, step in lanes]

    def judge(x, y):
        return abs(x - y) <= 0.5

    found = same(encode([x for x, _ in near]), encode([y for _, y in near]), judge)
    assert found.tolist() == [judge(x, y) for x, y in near]


@given(arrays(), arrays())
def test_arrays_are_of_one_place_in_the_order_if_they_are_equal(a, b):
    assert (order_key(a) == order_key(b)) == equal_values(a, b)


@given(st.lists(hashable, min_size=1, max_size=8), st.integers(1, 60))
def test_texts_are_those_of_values(lanes, most):
    column = encode(lanes)
    assert shown_cut(column, most) == [show_cut(value, most) for value in lanes]


def test_values_take_the_layout_made_for_them_and_empty_tuples_that_of_the_others():
    assert isinstance(encode([1.5, 2.0]), Floats)
    assert isinstance(encode([(1, 2)]), Lists)
    assert isinstance(encode([np.zeros(3), np.zeros(0)]), Arrays)
    for others in ([1, 1.5], [2**63], [(2**63,)], [(1, 1.5)], [1, (1, 2)], [frozenset({1})],
                   [None], [object()], []):  # fmt: skip
        assert isinstance(encode(others), Hosts)
    for column in (encode([()]), Uniform((), 2)):
        assert isinstance(concat([encode([(1, 2, 3)]), column]), Lists)
