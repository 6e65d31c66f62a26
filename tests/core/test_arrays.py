"""The core on values that are NumPy arrays: equal by shape and numbers, neither true nor false."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from megabatt.runtime.core.containers import dedupe, initset, insert, other, remove
from megabatt.runtime.core.functions import identity, matcher
from megabatt.runtime.core.logic import branch, contained, equality
from megabatt.runtime.core.mapping import extract, mfilter, sfilter
from megabatt.runtime.core.ranking import mostcommon, order
from megabatt.runtime.engine.language.values import frozen, identical, order_key
from tests.toy.language import LANGUAGE

ARRAYS = [
    frozen(np.array(numbers))
    for numbers in ([1.0], [2.0], [1.0, 2.0], [1.0, 1.0], [[1.0], [2.0]], [])
]
arrays = st.sampled_from(ARRAYS)
tuples = st.lists(st.one_of(arrays, st.integers(0, 2)), max_size=4).map(tuple)


@pytest.fixture(autouse=True)
def language_in_use(policy_in_use):
    LANGUAGE.use()


def alike(a, b):
    return isinstance(a, np.ndarray) == isinstance(b, np.ndarray) and np.array_equal(a, b)


@given(arrays, tuples)
def test_elements_that_equal_an_array_are_found_and_removed(array, container):
    equals = [alike(array, element) for element in container]
    others = tuple(e for e, equal in zip(container, equals, strict=True) if not equal)
    assert [equality(array, element) for element in container] == equals
    assert contained(array, container) == any(equals)
    assert identical(remove(array, container), others)
    assert identical(sfilter(container, matcher(identity, array)), (array,) * sum(equals))
    if others:
        assert identical(other(container, array), others[0])


@given(tuples)
def test_arrays_are_elements_of_sets_once_and_in_order(container):
    kept = dedupe(container)
    assert all(not alike(a, b) for k, a in enumerate(kept) for b in kept[:k])
    assert len(frozenset(kept)) == len(kept) == len(frozenset(container))
    ordered = order(frozenset(kept), identity)
    assert list(map(order_key, ordered)) == sorted(map(order_key, kept))
    assert insert(ARRAYS[0], initset(ARRAYS[0])) == initset(ARRAYS[0])
    if container:
        counts = [sum(alike(a, b) for b in container) for a in container]
        assert any(alike(mostcommon(container), a) for a, n in zip(container, counts, strict=True)
                   if n == max(counts))  # fmt: skip


@pytest.mark.parametrize("keep", [sfilter, mfilter, extract])
@pytest.mark.parametrize("array", ARRAYS, ids=str)
def test_an_array_is_neither_true_nor_false(keep, array):
    with pytest.raises(ValueError, match="neither true nor false"):
        keep((array,), identity)
    with pytest.raises(TypeError):
        branch(array, 1, 2)
