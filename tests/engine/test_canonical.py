"""The canonical layout of a column holds the same values and tells what they are."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from megabatt.runtime.arc.layouts import Cells, Pairs
from megabatt.runtime.engine.columns import (
    Column,
    Ints,
    Lists,
    Records,
    Sets,
    Union,
    encode,
    interleave,
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


numbers = st.integers(-9, 9)
pairs = st.tuples(numbers, numbers)
patches = st.one_of(
    st.frozensets(pairs, min_size=1, max_size=4),
    st.frozensets(st.tuples(numbers, pairs), min_size=1, max_size=4),
)


def scattered(column: Column) -> Column:
    """Return the column with its pairs and cells taken apart into lists of their parts."""
    if isinstance(column, (Pairs, Cells)):
        return interleave([Ints(column.first.data), scattered(column.second)])
    if isinstance(column, Sets):
        return Sets(column.starts, column.counts, scattered(column.content))
    if isinstance(column, Union):
        return Union(column.tags, column.index, list(map(scattered, column.parts)))
    return column


@given(st.lists(patches, min_size=1, max_size=5))
def test_patches_are_found_in_any_layout(lanes):
    column = scattered(encode(lanes)).canonical()
    assert all(map(identical, column.decode(), lanes))
    parts = column.parts if isinstance(column, Union) else [column]
    assert all(isinstance(part.content, (Pairs, Cells)) for part in parts)


@given(st.lists(st.tuples(pairs, pairs), min_size=1, max_size=5))
def test_records_are_told_from_pairs(lanes):
    fields = [encode([lane[k] for lane in lanes]) for k in (0, 1)]
    column = Records(*fields).canonical()
    assert isinstance(column, Lists) and isinstance(column.content, Pairs)
    assert column.decode() == lanes
