"""One layout seen as another: tuples of every layout as lists, to treat them alike."""

from __future__ import annotations

from runtime.engine.arrays import Array, any_set, offsets_of, ranges, room_for, total_of, xp
from runtime.engine.columns.atoms import Cells, Ints, Pairs
from runtime.engine.columns.base import Column, Empty, Uniform
from runtime.engine.columns.grids import Grids
from runtime.engine.columns.indexed import gathered
from runtime.engine.columns.merge import scatter
from runtime.engine.columns.sequences import Lists, Records, Sequences
from runtime.engine.columns.union import Union
from runtime.engine.kernels import lane_kernel


def as_sequences(column: Column) -> Sequences | None:
    """A column of containers as `Lists` or `Sets`; None where it holds no containers."""
    column = gathered(column)
    if isinstance(column, Sequences):
        return column
    if isinstance(column, Grids):
        return rows(column)
    if isinstance(column, (Pairs, Cells)):
        return interleave([column.first, column.second])
    if isinstance(column, Records):
        return interleave(list(column.fields))
    if isinstance(column, Uniform):
        from runtime.engine.encode import materialize

        return None if callable(column.value) else as_sequences(materialize(column))
    return None


def is_tuples(column: Column) -> bool:
    """Whether all values are tuples."""
    if isinstance(column, Uniform):
        return isinstance(column.value, tuple)
    return isinstance(column, (Lists, Grids, Pairs, Cells, Records))


def interleave(fields: list[Column]) -> Lists:
    """Lists whose k-th element comes from the k-th of columns of equal length."""
    n, width = len(fields[0]), len(fields)
    first = xp.arange(0, n * width, width, dtype=xp.int64)
    content = scatter([(first + k, field) for k, field in enumerate(fields)], n * width)
    return Lists(first, xp.full(n, width, dtype=xp.int64), content, True)


def rows(grids: Grids) -> Lists:
    """Grids as lists of rows, which are lists of Integers."""
    offsets, starts = room_for(grids.heights)
    counts = xp.empty_like(starts)
    list_row(len(grids), offsets, grids.heights, grids.widths, grids.starts, starts, counts)
    cells = Ints(grids.cells.astype(xp.int64))
    lists = Lists(starts, counts, cells, grids.is_packed)
    return Lists.of_counts(grids.heights, lists, offsets)  # type: ignore[no-any-return]


@lane_kernel
def list_row(lane, offsets, heights, widths, grid_starts, starts, counts):  # type: ignore[no-untyped-def]
    """Where each row of a grid begins, and how many cells it has."""
    at = offsets[lane]
    for i in range(heights[lane]):
        starts[at + i] = grid_starts[lane] + i * widths[lane]
        counts[at + i] = widths[lane]


def flatten(column: Column) -> tuple[Array, Column, Array | None]:
    """The elements of every lane's container, one lane's behind the lane's before.

    Returns the number in each lane, the elements, and the lanes whose value is no container (a
    bool (n,), or None where all are); those count as empty.
    """
    column = gathered(column)
    if isinstance(column, Union):
        return _flatten_union(column)
    sequences = as_sequences(column)
    if sequences is None:
        n = len(column)
        return xp.zeros(n, dtype=xp.int64), Empty(), xp.ones(n, dtype=xp.bool_)
    packed = sequences.packed()
    return packed.counts, packed.content, None


def _flatten_union(union: Union) -> tuple[Array, Column, Array | None]:
    n = len(union)
    counts = xp.zeros(n, dtype=xp.int64)
    wrong = xp.zeros(n, dtype=xp.bool_)
    flat = []
    for lanes, part in union.split():
        part_counts, content, part_wrong = flatten(part)
        counts[lanes] = part_counts
        if part_wrong is not None:
            wrong[lanes] = part_wrong
        flat.append((lanes, part_counts, content))
    starts = offsets_of(counts)
    parts = [(ranges(starts[lanes], sizes), content) for lanes, sizes, content in flat]
    return counts, scatter(parts, total_of(starts)), wrong if any_set(wrong) else None
