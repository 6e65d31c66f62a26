"""Equal values have equal fingerprints, whatever layouts they lie in, and others have others."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from megabatt.runtime.arc import LANGUAGE
from megabatt.runtime.engine import policy
from megabatt.runtime.engine.columns import Ints, Lists, Records, Union, encode, scatter
from megabatt.runtime.engine.columns.hashing import fingerprints
from megabatt.runtime.engine.values import equal
from tests.arc.lanes import grids
from tests.engine import test_layouts
from tests.engine.values import values

of_arc = st.lists(st.one_of(values, grids()), min_size=1, max_size=8)


@pytest.fixture(autouse=True)
def language():
    with LANGUAGE.in_use():
        yield


def bits(column):
    return list(zip(*(found.tolist() for found in fingerprints(column)), strict=True))


@given(of_arc)
def test_values_have_the_same_fingerprint_if_they_are_equal_and_only_then(lanes):
    found = bits(encode(lanes))
    for a, of_a in zip(lanes, found, strict=True):
        for b, of_b in zip(lanes, found, strict=True):
            if equal(a, b):
                assert of_a == of_b, (a, b)
            elif not (callable(a) or callable(b)):
                assert of_a != of_b, (a, b)


@given(test_layouts.columns)
def test_so_it_is_for_numbers_of_any_kind_and_arrays(lanes):
    with policy.Using(policy.Policy()):
        alone = [bits(encode([value]))[0] for value in lanes]
        assert bits(encode(lanes)) == alone


@given(of_arc)
def test_a_fingerprint_does_not_depend_on_the_other_lanes(lanes):
    column = encode(lanes)
    order = np.arange(len(lanes), dtype=np.int64)[::-1]
    assert bits(column.take(order)) == bits(column)[::-1]
    assert [bits(encode([value]))[0] for value in lanes] == bits(column)


@given(st.lists(st.integers(0, 9), min_size=1, max_size=4))
def test_layouts_of_one_value_agree(numbers):
    expected = bits(encode([tuple(numbers)]))
    one = np.zeros(1, dtype=np.int64)
    elements = [Ints(np.array([n])) for n in numbers]
    assert bits(Records(*elements)) == expected
    content = scatter([(one + k, e) for k, e in enumerate(elements)], len(numbers))
    assert bits(Lists.of_counts(one + len(numbers), content)) == expected
    assert bits(Union.of_parts([(one, Lists.of_counts(one + len(numbers), content))])) == expected


@given(st.lists(grids(4), min_size=1, max_size=4))
def test_grids_have_the_fingerprints_of_tuples_of_rows(lanes):
    column = encode(lanes)
    assert bits(scatter([(np.arange(len(lanes)), column.as_sequences())], len(lanes))) == bits(
        column
    )


def test_grids_that_differ_in_a_cell_or_in_shape_differ():
    rows = [((1, 2, 3), (4, 5, 6)), ((1, 2), (3, 4), (5, 6)), ((1, 2, 3), (4, 5, 7)), (), ((0,),)]
    assert len(set(bits(encode(rows)))) == len(rows)
