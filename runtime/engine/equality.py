"""What can be asked of any column: whether its values are equal to another's, and true."""

from __future__ import annotations

import numpy as np

from runtime.engine.arrays import Array, ranges, segment_sum, xp
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
    """Of equal sizes, and element by element; grids first by their shapes."""
    if isinstance(a, Grids) and isinstance(b, Grids):
        same = (a.heights == b.heights) & (a.widths == b.widths)
    else:
        sa, sb = as_sequences(a), as_sequences(b)
        assert sa is not None and sb is not None
        same = sa.counts == sb.counts
    lanes = xp.flatnonzero(same)
    if not len(lanes):
        return same
    if isinstance(a, Grids) and isinstance(b, Grids):
        ga, gb = a.take(lanes), b.take(lanes)
        areas = ga.areas  # type: ignore[attr-defined]
        elementwise = ga.cells[ranges(ga.starts, areas)] == gb.cells[ranges(gb.starts, areas)]  # type: ignore[attr-defined]
        counts = areas
    else:
        assert sa is not None and sb is not None
        counts = sa.counts[lanes]
        elementwise = equal(_elements(sa, lanes), _elements(sb, lanes))
    offsets = xp.append(xp.zeros(1, dtype=xp.int64), xp.cumsum(counts))
    same[lanes] = segment_sum(elementwise, offsets) == counts
    return same


def _elements(sequences: Sequences, lanes: Array) -> Column:
    index = ranges(sequences.starts[lanes], sequences.counts[lanes])
    return sequences.content.take(index) if len(index) else Empty()


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
