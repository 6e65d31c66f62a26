"""The canonical layout of a column holds the same values and tells what they are."""

from __future__ import annotations

from hypothesis import given

from megabatt.runtime.engine.columns import (
    encode,
)
from megabatt.runtime.engine.values import identical
from tests.engine.values import columns

LARGE = 1 << 20


def with_integers(value):
    """Return the value with Booleans as Integers."""
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, tuple):
        return tuple(map(with_integers, value))
    return frozenset(map(with_integers, value)) if isinstance(value, frozenset) else value


def large(value):
    if isinstance(value, tuple | frozenset):
        return any(map(large, value))
    return isinstance(value, int) and not -LARGE <= value < LARGE


@given(columns)
def test_canonical_columns_hold_the_same_values(lanes):
    values = encode(lanes).canonical().decode()
    assert all(map(identical, values, map(with_integers, lanes)))


@given(columns)
def test_no_large_integer_is_overlooked(lanes):
    flags = encode(lanes).canonical().beyond(-LARGE, LARGE - 1).tolist()
    for value, flag in zip(lanes, flags, strict=True):
        assert flag or not large(value)
