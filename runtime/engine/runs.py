"""Runs of codes, compared lexicographically: how containers in containers are ordered.

Element e of a lane is the run codes[runs[e] : runs[e + 1]]; lane k has the elements offsets[k] to
offsets[k + 1]. Runs of codes are what sets, tuples, records and grids come down to.
"""

from __future__ import annotations

from numpy import int64

from runtime.engine.arrays import Array, ranges, xp
from runtime.engine.asking import ask
from runtime.engine.devices import SUM
from runtime.engine.kernels import device_function, lane_kernel


def ranks_of_runs(runs: Array, codes: Array, offsets: Array) -> Array:
    """Each element's rank within its lane, equal ones having equal ranks."""
    total = len(runs) - 1
    ranks = xp.empty(total, dtype=xp.int64)
    order = xp.arange(total, dtype=xp.int64)
    keys, spare = xp.empty_like(ranks), xp.empty_like(ranks)
    rank_runs(len(offsets) - 1, offsets, runs, codes, keys, order, spare, ranks)
    return ranks


def distinct_runs(runs: Array, codes: Array, offsets: Array) -> tuple[Array, Array]:
    """The distinct elements of every lane in ascending order, of equal ones the first.

    Returns their positions, lane after lane, and how many each lane has.
    """
    n, total = len(offsets) - 1, len(runs) - 1
    order = xp.empty(total, dtype=xp.int64)
    keys, spare = xp.empty_like(order), xp.empty_like(order)
    slots = xp.full(2 * total, -1, dtype=xp.int64)
    counts = xp.zeros(n, dtype=xp.int64)
    collect_runs(n, offsets, runs, codes, keys, slots, order, spare, counts)
    if ask(counts, SUM) == total:
        return order, counts
    return order[ranges(offsets[:-1], counts)], counts


@device_function
def compare_runs(runs, codes, a, b):  # type: ignore[no-untyped-def]
    """-1, 0 or 1 as run a comes before, is, or comes after run b."""
    at_a = runs[a]
    at_b = runs[b]
    end_a = runs[a + 1]
    end_b = runs[b + 1]
    while at_a < end_a and at_b < end_b:
        if codes[at_a] < codes[at_b]:
            return int64(-1)
        if codes[at_a] > codes[at_b]:
            return int64(1)
        at_a += 1
        at_b += 1
    if at_a < end_a:
        return int64(1)
    if at_b < end_b:
        return int64(-1)
    return int64(0)


@device_function
def leading_code(runs, codes, element):  # type: ignore[no-untyped-def]
    """A run's first code, which mostly decides its place; of an empty run less than any code."""
    if runs[element] < runs[element + 1]:
        return codes[runs[element]]
    return int64(-4294967296)


@device_function
def sort_runs(runs, codes, keys, order, spare, begin, end):  # type: ignore[no-untyped-def]
    """Sort order[begin:end], which names runs, by merging; keys: the runs' leading codes."""
    run = int64(1)
    while run < end - begin:
        for first in range(begin, end, 2 * run):
            middle = min(first + run, end)
            last = min(first + 2 * run, end)
            left = first
            right = middle
            for at in range(first, last):
                take_left = right >= last
                if left < middle and right < last:
                    a = order[left]
                    b = order[right]
                    take_left = keys[a] < keys[b]
                    if keys[a] == keys[b]:
                        take_left = compare_runs(runs, codes, a, b) <= 0
                if take_left:
                    spare[at] = order[left]
                    left += 1
                else:
                    spare[at] = order[right]
                    right += 1
        for at in range(begin, end):
            order[at] = spare[at]
        run = 2 * run
    return int64(0)


@lane_kernel
def rank_runs(lane, offsets, runs, codes, keys, order, spare, ranks):  # type: ignore[no-untyped-def]
    """Sort the lane's runs, then number them, equal ones alike."""
    begin = offsets[lane]
    end = offsets[lane + 1]
    for element in range(begin, end):
        keys[element] = leading_code(runs, codes, element)
    sort_runs(runs, codes, keys, order, spare, begin, end)
    rank = int64(0)
    for at in range(begin, end):
        if at > begin:
            if compare_runs(runs, codes, order[at - 1], order[at]) != 0:
                rank += 1
        ranks[order[at]] = rank


@device_function
def hash_run(runs, codes, element):  # type: ignore[no-untyped-def]
    value = runs[element + 1] - runs[element]
    for at in range(runs[element], runs[element + 1]):
        value = ((value ^ codes[at]) * int64(1099511628211)) & int64(9223372036854775807)
        value = value ^ (value >> 29)
    return value


@device_function
def are_ascending(runs, codes, begin, end):  # type: ignore[no-untyped-def]
    for element in range(begin + 1, end):
        if compare_runs(runs, codes, element - 1, element) >= 0:
            return False
    return True


@lane_kernel
def collect_runs(lane, offsets, runs, codes, keys, slots, order, spare, counts):  # type: ignore[no-untyped-def]
    """Drop repeated runs by a hash table of two slots a run, then sort what is left.

    Repetitions are common (lines between all pairs of cells), and comparing runs is what costs.
    """
    begin = offsets[lane]
    end = offsets[lane + 1]
    if are_ascending(runs, codes, begin, end):
        for element in range(begin, end):
            order[element] = element
        counts[lane] = end - begin
    else:
        table = 2 * begin
        size = 2 * (end - begin)
        into = begin
        for element in range(begin, end):
            value = hash_run(runs, codes, element)
            keys[element] = value
            slot = value % size
            fresh = True
            while fresh and slots[table + slot] >= 0:
                other = slots[table + slot]
                if keys[other] == value:
                    fresh = compare_runs(runs, codes, element, other) != 0
                slot += 1
                if slot == size:
                    slot = int64(0)
            if fresh:
                slots[table + slot] = element
                order[into] = element
                into += 1
        for at in range(begin, into):
            keys[order[at]] = leading_code(runs, codes, order[at])
        sort_runs(runs, codes, keys, order, spare, begin, into)
        counts[lane] = into - begin
