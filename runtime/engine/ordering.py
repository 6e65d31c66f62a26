"""The language's order on columns: ordinals, sorting within lanes, and building sets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy import int64

from runtime.engine.arrays import (
    Array,
    any_set,
    is_among,
    offsets_of,
    ranges,
    total_of,
    unset_flag,
    where_counted,
    where_set,
    xp,
)
from runtime.engine.asking import ask
from runtime.engine.columns import (
    Bools,
    Cells,
    Column,
    Empty,
    Functions,
    Grids,
    Ints,
    Lists,
    Nones,
    Pairs,
    Records,
    Sequences,
    Sets,
    Uniform,
    Union,
    concat,
    gathered,
    host_column,
    selected,
)
from runtime.engine.columns.grids import LEAST_CELL
from runtime.engine.columns.views import as_sequences, flatten, is_tuples
from runtime.engine.distinct import distinct_codes
from runtime.engine.encode import materialize
from runtime.engine.kernels import lane_kernel, run_kernel
from runtime.engine.runs import distinct_runs, ranks_of_runs, sorted_by
from runtime.engine.values import order_key

_COMPOUND = (Records, Functions, Grids, Sequences)


def ordinals(content: Column, offsets: Array) -> Array:
    """An int64 for every element that compares, within a lane, as the element's value does.

    offsets: shape (lanes + 1,), the run of `content` that each lane has. Equal values have equal
    ordinals; across lanes they mean nothing.
    """
    content = gathered(content)
    if isinstance(content, (Ints, Pairs, Cells)):
        return content.data
    if isinstance(content, Bools):
        return content.data.astype(xp.int64)
    if isinstance(content, (Uniform, Nones, Empty)):
        return xp.zeros(len(content), dtype=xp.int64)
    if isinstance(content, _COMPOUND):
        return ranks_of_runs(*_as_runs(content, offsets), offsets)
    if isinstance(content, Union):
        return _union_ordinals(content, offsets)
    return _host_ordinals(content)


def _union_ordinals(union: Union, offsets: Array) -> Array:
    """Ordinals of values of unlike kinds: ranked within their kind, the kinds one above another."""
    kinds = union.measured(_kind_ranks)
    result = kinds << 40
    for kind in _RANKED_KINDS:
        members = kinds == kind
        if any_set(members):
            index = where_set(members)
            inner = offsets_of(members)[offsets]
            codes = ordinals(_one_layout(union.take(index)), inner)
            result[index] += _dense(codes, inner)
    return result


_RANKED_KINDS = (1, 3, 5, 6)


def _kind_ranks(part: Column) -> Array:
    """None 0, Integer 1, () 2, other tuples 3, frozenset() 4, other sets 5, functions 6; (n,)."""
    n = len(part)
    if isinstance(part, Sequences):
        empty, some = (4, 5) if isinstance(part, Sets) else (2, 3)
        return xp.where(part.counts == 0, empty, some)
    if isinstance(part, Grids):
        return xp.where(part.heights == 0, 2, 3)
    rank = 3 if is_tuples(part) else 6
    if isinstance(part, Nones):
        rank = 0
    elif isinstance(part, (Ints, Bools)):
        rank = 1
    return xp.full(n, rank, dtype=xp.int64)


def _one_layout(column: Column) -> Column:
    """Integers, tuples or sets of several layouts as a column of one."""
    if not isinstance(column, Union):
        return column
    parts = [part for _, part in column.split()]
    if len(parts) == 1:
        return parts[0]
    if all(isinstance(part, (Ints, Bools)) for part in parts):
        result = xp.empty(len(column), dtype=xp.int64)
        for lanes, part in column.split():
            result[lanes] = part.data  # type: ignore[attr-defined]
        return Ints(result)
    if any(as_sequences(part) is None for part in parts):
        return host_column(column.decode())
    counts, content, _ = flatten(column)
    return Lists.of_counts(counts, content)  # type: ignore[no-any-return]


def _dense(codes: Array, offsets: Array) -> Array:
    """The ranks of codes within each lane, equal ones having equal ranks."""
    order = sort_order(codes, offsets)
    if order is not None:
        codes = codes[order]
    fresh = distinct(codes, offsets)
    ranks = xp.cumsum(fresh)
    if order is None:
        return ranks
    result = xp.empty_like(ranks)
    result[order] = ranks
    return result


def _host_ordinals(content: Column) -> Array:
    """Ordinals of values of unlike kinds, or functions: ranked one by one on the host."""
    keys = [order_key(value) for value in content.decode()]
    rank: dict[Any, int] = {}
    for key in sorted(set(keys)):
        rank[key] = len(rank)
    return xp.asarray(np.array([rank[key] for key in keys], dtype=np.int64))


def _as_runs(content: Column, offsets: Array) -> tuple[Array, Array]:
    """Values of several parts as runs of codes (see `runs`), which compare as the values do."""
    if isinstance(content, (Records, Functions)):
        return _joined(content.fields if isinstance(content, Records) else content.bound, offsets)
    if isinstance(content, Grids):
        return _spelled(content)
    assert isinstance(content, Sequences)
    packed = content.packed()
    runs = packed.offsets
    return runs, ordinals(packed.content, runs[offsets])


def _joined(fields: Sequence[Column], offsets: Array) -> tuple[Array, Array]:
    """Tuples of one length as runs of codes: a code for each field."""
    n, width = len(fields[0]), len(fields)
    codes = xp.empty(n * width, dtype=xp.int64)
    for place, field in enumerate(fields):
        codes[place::width] = ordinals(field, offsets)
    return xp.arange(0, n * width + 1, width, dtype=xp.int64), codes


def _spelled(grids: Grids) -> tuple[Array, Array]:
    """Grids as runs of codes that compare as tuples of rows do: a row is its cells + 1, then 0."""
    offsets = offsets_of(grids.heights * (grids.widths + 1))
    codes = xp.empty(total_of(offsets), dtype=xp.int64)
    spell_grid(len(grids), grids.heights, grids.widths, grids.starts, grids.cells, offsets, codes)
    return offsets, codes


def sort_order(codes: Array, offsets: Array) -> Array | None:
    """The stable order that sorts each lane's run of codes; None if they are sorted.

    Element k of the sorted runs is element order[k] of `codes`.
    """
    if is_ascending(codes, offsets, strictly=False):
        return None
    return sorted_by(codes, offsets)


def is_ascending(codes: Array, offsets: Array, strictly: bool) -> bool:
    """Whether each lane's run of codes is ascending."""
    if len(codes) < 2:
        return True
    descends = unset_flag()
    find_descent(len(offsets) - 1, offsets, codes, int(strictly), descends)
    return not bool(ask(descends))


@run_kernel
def find_descent(lane, k, offsets, codes, strictly, descends):  # type: ignore[no-untyped-def]
    """Set the flag if a code is less than the one before it, or not above it if `strictly`."""
    if k > offsets[lane]:
        if codes[k] < codes[k - 1] + strictly:
            descends[0] = True


def make_sets(counts: Array, content: Column, offsets: Array | None = None) -> Sets:
    """The sets of runs of elements: sorted, of equal elements the first kept.

    counts: int64 (lanes,); content: the lanes' elements, one run after the other; offsets: those
    of the counts, if they are known.
    """
    content = materialize(content)
    offsets = offsets_of(counts) if offsets is None else offsets
    if not len(content):
        return Sets.of_counts(counts, content, offsets)
    if isinstance(content, _COMPOUND):
        order, counts = distinct_runs(*_as_runs(content, offsets), offsets)
        return Sets.of_counts(counts, selected(content, order))
    codes = ordinals(content, offsets)
    if is_ascending(codes, offsets, strictly=True):
        return Sets.of_counts(counts, content, offsets)
    if isinstance(content, (Ints, Pairs, Cells)):
        codes, counts, offsets = distinct_codes(codes, offsets)
        return Sets.of_counts(counts, type(content)(codes), offsets)
    order = sort_order(codes, offsets)
    if order is not None:
        codes = codes[order]
    kept, counts, offsets = _kept(distinct(codes, offsets), offsets)
    return Sets.of_counts(
        counts, selected(content, kept if order is None else order[kept]), offsets
    )


def distinct(codes: Array, offsets: Array) -> Array:
    """Bool: of each lane's sorted codes, the first of every run of equal ones."""
    keep = xp.empty(len(codes), dtype=xp.bool_)
    find_fresh(len(offsets) - 1, offsets, codes, keep)
    return keep


@run_kernel
def find_fresh(lane, k, offsets, codes, keep):  # type: ignore[no-untyped-def]
    keep[k] = True
    if k > offsets[lane]:
        keep[k] = codes[k] != codes[k - 1]


def select(sequences: Sequences, keep: Array) -> Any:
    """The same tuples or sets with the elements for which `keep` is set. Packed sequences only."""
    kept, counts, offsets = _kept(keep, sequences.offsets)
    return type(sequences).of_counts(counts, selected(sequences.content, kept), offsets)


def _kept(keep: Array, offsets: Array) -> tuple[Array, Array, Array]:
    """Where a flag is set, how often in each lane, and the offsets of these counts."""
    running = offsets_of(keep)
    lanes = len(offsets) - 1
    kept = where_counted(keep, running)
    counts, of_kept = xp.empty(lanes, dtype=xp.int64), xp.empty(lanes + 1, dtype=xp.int64)
    count_kept(lanes + 1, offsets, running, counts, of_kept)
    return kept, counts, of_kept


@lane_kernel
def count_kept(lane, offsets, running, counts, of_kept):  # type: ignore[no-untyped-def]
    of_kept[lane] = running[offsets[lane]]
    if lane > 0:
        counts[lane - 1] = running[offsets[lane]] - running[offsets[lane - 1]]


def joint_ordinals(a: Sequences, b: Sequences) -> tuple[Array, Array]:
    """Ordinals of the elements of two packed columns, comparable within a lane across both."""
    if a.content.key == b.content.key and isinstance(a.content, (Ints, Pairs, Cells)):
        return a.content.data, b.content.data  # type: ignore[attr-defined]
    joined, order = join(a, b)
    codes = ordinals(joined.content, joined.offsets)
    back = xp.empty_like(codes)
    back[order] = codes
    return back[: len(a.content)], back[len(a.content) :]


def join(a: Sequences, b: Sequences) -> tuple[Lists, Array]:
    """Lane by lane, the elements of a and then those of b, both packed.

    Also, for every element of the result, its position in a's content followed by b's.
    """
    counts = a.counts + b.counts
    into = offsets_of(counts)[:-1]
    order = xp.empty(len(a.content) + len(b.content), dtype=xp.int64)
    order[ranges(into, a.counts)] = xp.arange(len(a.content), dtype=xp.int64)
    order[ranges(into + a.counts, b.counts)] = len(a.content) + xp.arange(
        len(b.content), dtype=xp.int64
    )
    both = concat([a.content, b.content])
    return Lists.of_counts(counts, selected(both, order) if len(order) else Empty()), order


def found(codes: Array, lanes: Array, table: Array, offsets: Array) -> Array:
    """Bool: which codes are in the ascending run of `table` that their lane has."""
    flags = xp.zeros(len(codes), dtype=xp.bool_)
    search_code(len(codes), lanes, codes, offsets, table, flags)
    return flags


def best(codes: Array, offsets: Array, largest: bool) -> Array:
    """Position in `codes` of each lane's first largest (smallest) code; -1 for an empty run."""
    position = xp.empty(len(offsets) - 1, dtype=xp.int64)
    pick_code(len(offsets) - 1, offsets, codes, 1 if largest else -1, position)
    return position


@lane_kernel
def spell_grid(lane, heights, widths, starts, cells, offsets, codes):  # type: ignore[no-untyped-def]
    at = offsets[lane]
    source = starts[lane]
    for _i in range(heights[lane]):
        for _j in range(widths[lane]):
            codes[at] = int64(cells[source]) - LEAST_CELL + 1  # above the 0 that ends a row
            at += 1
            source += 1
        codes[at] = 0
        at += 1


@lane_kernel
def pick_code(lane, offsets, codes, sign, position):  # type: ignore[no-untyped-def]
    where = int64(-1)
    for k in range(offsets[lane], offsets[lane + 1]):
        if where < 0:
            where = k
        elif codes[k] * sign > codes[where] * sign:
            where = k
    position[lane] = where


@lane_kernel
def search_code(lane, lanes, codes, offsets, table, flags):  # type: ignore[no-untyped-def]
    lane_of_code = lanes[lane]
    flags[lane] = is_among(table, offsets[lane_of_code], offsets[lane_of_code + 1], codes[lane])
