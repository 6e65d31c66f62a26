"""The core on values that are NumPy arrays: equal by shape and numbers, neither true nor false."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from megabatt.runtime.core.containers import initset, other, remove
from megabatt.runtime.core.functions import identity, matcher
from megabatt.runtime.core.logic import branch, contained, equality
from megabatt.runtime.core.mapping import apply, extract, mfilter, sfilter
from megabatt.runtime.core.tuples import astuple
from megabatt.runtime.engine.language.values import frozen
from tests.core.small_language import LANGUAGE
from tests.engine.on_columns import assert_same_on_columns

ARRAYS = [
    np.array(numbers) for numbers in ([1.0], [2.0], [1.0, 2.0], [1.0, 1.0], [[1.0], [2.0]])
] + [np.zeros(0)]
arrays = st.sampled_from(ARRAYS)
values = st.one_of(arrays, arrays, st.integers(0, 2), st.tuples(arrays, arrays))
tuples = st.lists(values, max_size=4).map(tuple)


@pytest.fixture(autouse=True)
def language_in_use(policy_in_use):
    LANGUAGE.use()


@given(st.lists(st.tuples(values, values), min_size=1, max_size=4))
def test_equality_is_the_same_in_both_forms(lanes):
    assert_same_on_columns(equality, lanes)


@given(st.lists(st.tuples(values, tuples), min_size=1, max_size=4))
def test_elements_that_equal_a_value_are_found_and_removed_in_both_forms(lanes):
    assert_same_on_columns(contained, lanes)
    assert_same_on_columns(remove, lanes)
    assert_same_on_columns(other, [(container, value) for value, container in lanes])


@given(st.lists(st.tuples(values, tuples), min_size=1, max_size=4))
def test_a_matcher_compares_with_an_array_in_both_forms(lanes):
    matchers = [(matcher(identity, value), container) for value, container in lanes]
    assert_same_on_columns(apply, matchers)
    assert_same_on_columns(sfilter, [(container, match) for match, container in matchers])


@pytest.mark.parametrize("keep", [sfilter, mfilter, extract])
@pytest.mark.parametrize("array", ARRAYS, ids=str)
def test_an_array_is_neither_true_nor_false(keep, array):
    with pytest.raises(ValueError, match="neither true nor false"):
        keep((array,), identity)


frozen_arrays = st.sampled_from([frozen(array.copy()) for array in ARRAYS])
elements = st.one_of(frozen_arrays, frozen_arrays, st.integers(0, 2), st.tuples(frozen_arrays))
sets = st.frozensets(elements, max_size=3)
containers = st.one_of(sets, st.lists(elements, max_size=4).map(tuple))
lists = st.lists(elements, max_size=4).map(tuple)


@pytest.mark.parametrize(
    "name, arguments",
    {
        "initset": (elements,),
        "insert": (elements, sets),
        "combine": (sets, sets),
        "difference": (sets, sets),
        "intersection": (sets, sets),
        "contained": (elements, containers),
        "remove": (elements, containers),
        "other": (containers, elements),
        "first": (sets,),
        "last": (sets,),
        "totuple": (sets,),
        "dedupe": (lists,),
        "merge": (st.frozensets(sets, max_size=2),),
        "mostcommon": (containers,),
        "leastcommon": (containers,),
        "order": (containers, st.just(identity)),
        "apply": (st.just(initset), containers),
        "mapply": (st.just(initset), containers),
        "prapply": (st.just(astuple), sets, lists),
        "sfilter": (containers, st.just(identity)),
        "extract": (containers, st.just(identity)),
        "equality": (sets, sets),
    }.items(),
    ids=lambda part: part if isinstance(part, str) else "",
)
@given(data=st.data())
def test_both_forms_agree_on_sets_of_arrays(name, arguments, data):
    lanes = data.draw(st.lists(st.tuples(*arguments), min_size=1, max_size=4))
    assert_same_on_columns(LANGUAGE.primitives[name].function, lanes)


@given(st.lists(st.tuples(st.one_of(arrays, st.booleans()), values, values), min_size=1))
def test_an_array_as_a_condition_fails_in_both_forms(lanes):
    assert_same_on_columns(branch, lanes)
