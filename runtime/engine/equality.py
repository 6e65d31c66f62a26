"""What can be asked of any column: whether its values are equal to another's, and true."""

from __future__ import annotations

import numpy as np
from numpy import int64

from runtime.engine.arrays import Array, offsets_of, ranges_at, segment_sum, total_of, where_set, xp
from runtime.engine.columns import (
    Bools,
    Cells,
    Column,
    Empty,
    Functions,
    Grids,
    Hosts,
    Indexed,
    Ints,
    Nones,
    Pairs,
    Sequences,
    Sets,
    Uniform,
    Union,
    contents,
)
from runtime.engine.columns.views import as_sequences, is_tuples
from runtime.engine.encode import materialize
from runtime.engine.kernels import lane_kernel


def equal(a: Column, b: Column) -> Array:
    """Whether each lane's two values are equal; bool (n,)."""
    if isinstance(a, Uniform) and isinstance(b, Uniform):
        return xp.full(len(a), a.value == b.value, dtype=xp.bool_)
    indexed = contents([a, b])
    if indexed is not None:
        (a, b), index = indexed
        return equal(a, b)[index]
    a, b = materialize(a), materialize(b)
    if isinstance(a, Union):
        return _equal_union(a, b)
    if isinstance(b, Union):
        return _equal_union(b, a)
    if isinstance(a, (Ints, Bools)) and isinstance(b, (Ints, Bools)):
        return a.data == b.data
    if type(a) is type(b):
        if isinstance(a, (Pairs, Cells)):
            return a.data == b.data  # type: ignore[attr-defined]
        if isinstance(a, Nones):
            return xp.ones(len(a), dtype=xp.bool_)
    if isinstance(a, Functions) and isinstance(b, Functions):
        return _equal_functions(a, b)
    if isinstance(a, (Hosts, Functions, Uniform)) or isinstance(b, (Hosts, Functions, Uniform)):
        return _equal_on_host(a, b)
    if (is_tuples(a) and is_tuples(b)) or (isinstance(a, Sets) and isinstance(b, Sets)):
        return _equal_containers(a, b)
    return xp.zeros(len(a), dtype=xp.bool_)


def _equal_union(union: Union, other: Column) -> Array:
    result = xp.zeros(len(union), dtype=xp.bool_)
    for lanes, part in union.split():
        result[lanes] = equal(part, other.take(lanes))
    return result


def _equal_functions(a: Functions, b: Functions) -> Array:
    """Of one kind, and binding equal values."""
    same = xp.full(len(a), a.kind is b.kind, dtype=xp.bool_)
    if a.kind is b.kind:
        for left, right in zip(a.bound, b.bound, strict=True):
            same &= equal(left, right)
    return same


def _equal_on_host(a: Column, b: Column) -> Array:
    pairs = zip(a.decode(), b.decode(), strict=True)
    return xp.asarray(np.array([bool(x == y) for x, y in pairs], dtype=np.bool_))


def _equal_containers(a: Column, b: Column) -> Array:
    """Of equal sizes, and element by element; grids by their shapes and cells."""
    n = len(a)
    same = xp.empty(n, dtype=xp.bool_)
    if isinstance(a, Grids) and isinstance(b, Grids):
        same_shape = (a.heights == b.heights) & (a.widths == b.widths)
        compare_runs_of(
            n,
            a.starts,
            xp.where(same_shape, a.areas, -1),
            a.cells,
            b.starts,
            b.areas,
            b.cells,
            same,
        )
        return same
    sa, sb = as_sequences(a), as_sequences(b)
    assert sa is not None and sb is not None
    if type(sa.content) is type(sb.content) and isinstance(sa.content, (Ints, Pairs, Cells)):
        codes = sa.content.data, sb.content.data  # type: ignore[attr-defined]
        compare_runs_of(n, sa.starts, sa.counts, codes[0], sb.starts, sb.counts, codes[1], same)
        return same
    same = sa.counts == sb.counts
    lanes = where_set(same)
    if not len(lanes):
        return same
    counts = sa.counts[lanes]
    offsets = offsets_of(counts)
    total = total_of(offsets)
    elements = [
        sequences.content.take(ranges_at(sequences.starts[lanes], offsets, total))
        if total
        else Empty()
        for sequences in (sa, sb)
    ]
    same[lanes] = segment_sum(equal(*elements), offsets) == counts
    return same


@lane_kernel
def compare_runs_of(  # type: ignore[no-untyped-def]
    lane, a_starts, a_counts, a, b_starts, b_counts, b, same
):
    """Whether two runs of numbers are equal."""
    alike = a_counts[lane] == b_counts[lane]
    k = int64(0)
    while alike and k < a_counts[lane]:
        alike = a[a_starts[lane] + k] == b[b_starts[lane] + k]
        k += 1
    same[lane] = alike


def truth(column: Column) -> Array:
    """Whether each lane's value is true as Python has it; bool (n,)."""
    n = len(column)
    if isinstance(column, Uniform):
        return xp.full(n, bool(column.value), dtype=xp.bool_)
    if isinstance(column, Indexed):
        return column.measured(truth)
    if isinstance(column, Bools):
        return column.data
    if isinstance(column, Ints):
        return column.data != 0
    if isinstance(column, Sequences):
        return column.counts > 0
    if isinstance(column, Grids):
        return column.heights > 0
    if isinstance(column, Union):
        return column.measured(truth)
    if isinstance(column, Hosts):
        return xp.asarray(np.array([bool(v) for v in column.decode()], dtype=np.bool_))
    return xp.full(n, not isinstance(column, Nones), dtype=xp.bool_)
