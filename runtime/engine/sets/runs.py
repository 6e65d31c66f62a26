"""Runs of codes, compared lexicographically: how containers in containers are ordered.

Element e of a lane is the run codes[runs[e] : runs[e + 1]]; lane k has the elements offsets[k] to
offsets[k + 1]. Containers of every layout can be given as runs of codes.
"""

from __future__ import annotations

from numpy import int32, int64

from megabatt.runtime.engine.device.arrays import Array, ranges, xp
from megabatt.runtime.engine.device.device import SUM
from megabatt.runtime.engine.device.kernels import device_function, team_kernel
from megabatt.runtime.engine.device.scheduling import ask
from megabatt.runtime.engine.device.teams import lower, sum_before, sum_of_team, swap, wait_for_team


def ranks_of_runs(runs: Array, codes: Array, offsets: Array) -> Array:
    """Rank each element within its lane; equal elements have equal ranks."""
    total = len(runs) - 1
    ranks = xp.empty(total, dtype=xp.int64)
    order = xp.arange(total, dtype=xp.int64)
    keys, spare = xp.empty_like(ranks), xp.empty_like(ranks)
    rank_runs(len(offsets) - 1, offsets, runs, codes, keys, order, spare, ranks)
    return ranks


def sorted_by(keys: Array, offsets: Array) -> Array:
    """Return the stable order that sorts each lane's elements by their keys alone."""
    order = xp.arange(len(keys), dtype=xp.int64)
    runs = xp.zeros(len(keys) + 1, dtype=xp.int64)
    sort_lane(len(offsets) - 1, offsets, runs, keys, keys, order, xp.empty_like(order))
    return order


def distinct_runs(runs: Array, codes: Array, offsets: Array) -> tuple[Array, Array]:
    """Find the distinct elements of every lane in ascending order, of equal ones the first.

    Returns their positions, lane after lane, and how many each lane has.
    """
    n, total = len(offsets) - 1, len(runs) - 1
    order = xp.empty(total, dtype=xp.int64)
    keys, spare = xp.empty_like(order), xp.empty_like(order)
    slots = xp.full(2 * total, -1, dtype=xp.int32)
    counts = xp.zeros(n, dtype=xp.int64)
    collect_runs(n, offsets, runs, codes, keys, slots, order, spare, counts)
    if ask(counts, SUM) == total:
        return order, counts
    return order[ranges(offsets[:-1], counts)], counts


@device_function
def compare_runs(runs, codes, a, b):
    """Return -1, 0 or 1 as run a comes before, equals, or comes after run b."""
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
def leading_code(runs, codes, element):
    """Return the first code of a run, which mostly decides its place; of an empty run the least."""
    if runs[element] < runs[element + 1]:
        return codes[runs[element]]
    return int64(-9223372036854775807) - int64(1)


_SHORT = 16
"""So many runs are sorted by insertion."""


@device_function
def insert_run(runs, codes, keys, order, first, at):
    """Move order[at] to its place in the sorted order[first:at]."""
    moved = order[at]
    while at > first and not may_precede(runs, codes, keys, order[max(at - 1, 0)], moved):
        order[at] = order[at - 1]
        at -= 1
    order[at] = moved
    return at


@device_function
def sort_runs(runs, codes, keys, order, spare, begin, end, place, team):
    """Sort order[begin:end], which names runs. keys: their leading codes.

    Short stretches are sorted by insertion, then merged.
    """
    run = int64(_SHORT)
    for first in range(begin + run * place, end, run * team):
        for k in range(first + 1, min(first + run, end)):
            insert_run(runs, codes, keys, order, first, k)
    wait_for_team()
    while run < end - begin:
        merge_orders(runs, codes, keys, order, spare, begin, end, run, place, team)
        wait_for_team()
        for at in range(begin + place, end, team):
            order[at] = spare[at]
        wait_for_team()
        run = 2 * run
    return int64(0)


@device_function
def merge_orders(runs, codes, keys, order, merged, begin, end, run, place, team):
    """Merge neighbouring sorted stretches of length `run` in order[begin:end], two by two.

    Every thread writes an equal part of the result.
    """
    at = begin + (end - begin) * place // team
    stop = begin + (end - begin) * (place + 1) // team
    while at < stop:
        first = at - (at - begin) % (2 * run)
        middle = min(first + run, end)
        last = min(first + 2 * run, end)
        in_order = middle >= last
        if not in_order:
            in_order = may_precede(runs, codes, keys, order[middle - 1], order[middle])
        left = at
        right = last
        if not in_order:
            left = split_orders(runs, codes, keys, order, first, middle, last, at - first)
            right = middle + (at - first) - left
            left += first
        for to in range(at, min(last, stop)):
            take_left = right >= last
            if left < middle and right < last:
                take_left = may_precede(runs, codes, keys, order[left], order[right])
            if take_left:
                merged[to] = order[left]
                left += 1
            else:
                merged[to] = order[right]
                right += 1
        at = min(last, stop)
    return int64(0)


@device_function
def split_orders(runs, codes, keys, order, first, middle, last, count):
    """Count the runs of order[first:middle] among the first `count` of the merged stretches.

    The other stretch is order[middle:last]; both are sorted.
    """
    low = max(count - (last - middle), int64(0))
    high = min(count, middle - first)
    while low < high:
        half = (low + high) // 2
        other = order[middle + count - 1 - half]
        if may_precede(runs, codes, keys, order[first + half], other):
            low = half + 1
        else:
            high = half
    return low


@device_function
def may_precede(runs, codes, keys, a, b):
    """Tell whether run a comes before run b or is equal."""
    if keys[a] == keys[b]:
        return compare_runs(runs, codes, a, b) <= 0
    return keys[a] < keys[b]


@team_kernel
def sort_lane(lane, place, team, offsets, runs, codes, keys, order, spare):
    """Sort the lane's part of `order`."""
    sort_runs(runs, codes, keys, order, spare, offsets[lane], offsets[lane + 1], place, team)


@team_kernel
def rank_runs(lane, place, team, offsets, runs, codes, keys, order, spare, ranks):
    """Sort the lane's runs, then number them, equal ones alike."""
    begin = offsets[lane]
    end = offsets[lane + 1]
    for element in range(begin + place, end, team):
        keys[element] = leading_code(runs, codes, element)
    wait_for_team()
    sort_runs(runs, codes, keys, order, spare, begin, end, place, team)
    for at in range(begin + place, end, team):
        spare[at] = 0
        if at > begin:
            spare[at] = int64(compare_runs(runs, codes, order[at - 1], order[at]) != 0)
    wait_for_team()
    first = begin + (end - begin) * place // team
    stop = begin + (end - begin) * (place + 1) // team
    rises = int64(0)
    for at in range(first, stop):
        rises += spare[at]
    rank = sum_before(rises, place)
    for at in range(first, stop):
        rank += spare[at]
        ranks[order[at]] = rank


@device_function
def hash_run(runs, codes, element):
    value = runs[element + 1] - runs[element]
    for at in range(runs[element], runs[element + 1]):
        value = ((value ^ codes[at]) * int64(1099511628211)) & int64(9223372036854775807)
        value = value ^ (value >> 29)
    return value


@device_function
def are_ascending(runs, codes, begin, end, place, team):
    descends = int64(0)
    element = begin + 1 + place
    while element < end and descends == 0:
        descends = int64(compare_runs(runs, codes, element - 1, element) >= 0)
        element += team
    return sum_of_team(descends) == 0


@team_kernel
def collect_runs(lane, place, team, offsets, runs, codes, keys, slots, order, spare, counts):
    """Drop repeated runs by a hash table of two slots per run, then sort what is left.

    Repetitions are common, and comparing runs is the expensive part.
    """
    begin = offsets[lane]
    end = offsets[lane + 1]
    count = end - begin
    if are_ascending(runs, codes, begin, end, place, team):
        for element in range(begin + place, end, team):
            order[element] = element
    else:
        for element in range(begin + place, end, team):
            keys[element] = hash_run(runs, codes, element)
        wait_for_team()
        for element in range(begin + place, end, team):
            spare[element] = slot_of_run(runs, codes, keys, slots, begin, end, element)
        wait_for_team()
        count = keep_owners(slots, spare, begin, end, order, place, team)
        wait_for_team()
        for at in range(begin + place, begin + count, team):
            keys[order[at]] = leading_code(runs, codes, order[at])
        wait_for_team()
        sort_runs(runs, codes, keys, order, spare, begin, begin + count, place, team)
    if place == 0:
        counts[lane] = count


@device_function
def slot_of_run(runs, codes, keys, slots, begin, end, element):
    """Find the hash table's slot for runs equal to this one. The first of them owns it."""
    size = 2 * (end - begin)
    table = 2 * begin
    slot = keys[element] % size
    mine = int32(element - begin)
    found = swap(slots, table + slot, int32(-1), mine)
    while found >= 0 and not same_run(runs, codes, keys, begin + found, element):
        slot += 1
        if slot == size:
            slot = int64(0)
        found = swap(slots, table + slot, int32(-1), mine)
    if found >= 0:
        lower(slots, table + slot, mine)
    return table + slot


@device_function
def same_run(runs, codes, keys, a, b):
    if keys[a] == keys[b]:
        return compare_runs(runs, codes, a, b) == 0
    return False


@device_function
def keep_owners(slots, slot_of, begin, end, order, place, team):
    """Write the elements that own their slots to order[begin:], ascending. Returns their number."""
    first = begin + (end - begin) * place // team
    stop = begin + (end - begin) * (place + 1) // team
    count = int64(0)
    for element in range(first, stop):
        count += int64(begin + slots[slot_of[element]] == element)
    into = begin + sum_before(count, place)
    for element in range(first, stop):
        if begin + slots[slot_of[element]] == element:
            order[into] = element
            into += 1
    return sum_of_team(count)
