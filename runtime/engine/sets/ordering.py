"""Runs of codes: sorted, searched, their distinct codes flagged.

A code is an int64 that compares as a value does; every lane has a run of them.
"""

from __future__ import annotations

from numpy import int64

from megabatt.runtime.engine.device.arrays import (
    Array,
    is_among,
    offsets_of,
    unset_flag,
    where_counted,
    xp,
)
from megabatt.runtime.engine.device.kernels import lane_kernel, run_kernel
from megabatt.runtime.engine.device.scheduling import ask
from megabatt.runtime.engine.sets.runs import sorted_by


def sort_order(codes: Array, offsets: Array) -> Array | None:
    """Return the stable order that sorts each lane's run of codes; None if they are sorted.

    Element k of the sorted runs is element order[k] of `codes`.
    """
    if is_ascending(codes, offsets, strictly=False):
        return None
    return sorted_by(codes, offsets)


def is_ascending(codes: Array, offsets: Array, strictly: bool) -> bool:
    """Tell whether every lane's run of codes is ascending."""
    if len(codes) < 2:
        return True
    descends = unset_flag()
    find_descent(len(offsets) - 1, offsets, codes, int(strictly), descends)
    return not bool(ask(descends))


@run_kernel
def find_descent(lane, k, offsets, codes, strictly, descends):
    """Set the flag if a code is less than the one before it, or not above it if `strictly`."""
    if k > offsets[lane]:
        if codes[k] < codes[k - 1] + strictly:
            descends[0] = True


def distinct(codes: Array, offsets: Array) -> Array:
    """Flag, among each lane's sorted codes, the first of every run of equal ones."""
    keep = xp.empty(len(codes), dtype=xp.bool_)
    find_fresh(len(offsets) - 1, offsets, codes, keep)
    return keep


@run_kernel
def find_fresh(lane, k, offsets, codes, keep):
    keep[k] = True
    if k > offsets[lane]:
        keep[k] = codes[k] != codes[k - 1]


def dense_ranks(codes: Array, offsets: Array) -> Array:
    """Rank the codes of each lane, equal ones equally. The ranks go on from lane to lane."""
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


def kept(keep: Array, offsets: Array) -> tuple[Array, Array, Array]:
    """Return the positions of the set flags, each lane's count, and the offsets of the counts."""
    running = offsets_of(keep)
    lanes = len(offsets) - 1
    positions = where_counted(keep, running)
    counts, of_kept = xp.empty(lanes, dtype=xp.int64), xp.empty(lanes + 1, dtype=xp.int64)
    count_kept(lanes + 1, offsets, running, counts, of_kept)
    return positions, counts, of_kept


@lane_kernel
def count_kept(lane, offsets, running, counts, of_kept):
    of_kept[lane] = running[offsets[lane]]
    if lane > 0:
        counts[lane - 1] = running[offsets[lane]] - running[offsets[lane - 1]]


def found(codes: Array, lanes: Array, table: Array, offsets: Array) -> Array:
    """Flag the codes that are in their lane's run of `table`, which is ascending."""
    flags = xp.zeros(len(codes), dtype=xp.bool_)
    search_code(len(codes), lanes, codes, offsets, table, flags)
    return flags


@lane_kernel
def search_code(lane, lanes, codes, offsets, table, flags):
    lane_of_code = lanes[lane]
    flags[lane] = is_among(table, offsets[lane_of_code], offsets[lane_of_code + 1], codes[lane])


def best(codes: Array, offsets: Array, largest: bool) -> Array:
    """Find where in `codes` each lane's first largest (smallest) code is; -1 for an empty run."""
    position = xp.empty(len(offsets) - 1, dtype=xp.int64)
    pick_code(len(offsets) - 1, offsets, codes, 1 if largest else -1, position)
    return position


@lane_kernel
def pick_code(lane, offsets, codes, sign, position):
    where = int64(-1)
    for k in range(offsets[lane], offsets[lane + 1]):
        if where < 0:
            where = k
        elif codes[k] * sign > codes[where] * sign:
            where = k
    position[lane] = where
