"""Containers of any elements: their elements, and new containers made out of them.

Rules pay before they lay elements out. Many lanes may share one large container, and its copies
could outgrow the memory.
"""

from __future__ import annotations

from numpy import int64

from megabatt.runtime.core.charges import count, element_weight, weight
from megabatt.runtime.core.mapping import merge_columns, merged, merged_words
from megabatt.runtime.core.table import primitive
from megabatt.runtime.core.types import (
    Any,
    Container,
    ContainerContainer,
    FrozenSet,
    Integer,
    Tuple,
)
from megabatt.runtime.engine.calls.dispatch import fail_all
from megabatt.runtime.engine.calls.frames import Frame
from megabatt.runtime.engine.calls.registry import rule
from megabatt.runtime.engine.columns import (
    Column,
    Empty,
    Flat,
    Ints,
    Lists,
    Sequences,
    Sets,
    equal,
    join,
    joint_ordinals,
    laid_out,
    make_sets,
    repeated,
)
from megabatt.runtime.engine.device.arrays import (
    Array,
    any_set,
    lane_any,
    offsets_of,
    total_of,
    where_set,
    xp,
)
from megabatt.runtime.engine.device.kernels import device_function, lane_kernel, team_kernel
from megabatt.runtime.engine.device.teams import sum_before, sum_of_team
from megabatt.runtime.engine.machine import prelude as m
from megabatt.runtime.engine.machine.forms import compiled
from megabatt.runtime.engine.machine.functions import machine_function, routine
from megabatt.runtime.engine.policy import SET
from megabatt.runtime.engine.sets.distinct import split_codes
from megabatt.runtime.engine.sets.ordering import distinct, found, sort_order
from megabatt.runtime.engine.values import ascending
from megabatt.runtime.engine.values import equal as values_equal


@primitive
def size(container: Container) -> Integer:
    """Count the elements of a container."""
    return len(container)


@rule(size)
def size(frame: Frame, container: Column) -> Column:
    return Ints(container.lengths())


@compiled(size)
def size(heap, container):
    return m.count_of(heap, container)


@primitive
def first(container: Container) -> Any:
    """Return the first element. Fails without one."""
    return ascending(container)[0]


@rule(first)
def first(frame: Frame, container: Column) -> Column:
    return element_at(frame, container, last=0)


def element_at(frame: Frame, container: Column, last: int) -> Column:
    """Take each lane's first element, or its last if `last` is 1; lanes without one fail."""
    if isinstance(container, Sequences) and not len(container.content):
        return fail_all(frame)
    elements, empty = container.end_element(last)
    if empty is not None:
        frame.fail(empty)
    return elements


@compiled(first)
def first(heap, container):
    if m.count_of(heap, container) == 0:
        return int64(m.FAILED)
    return m.element(heap, container, 0)


@primitive
def last(container: Container) -> Any:
    """Return the last element. Fails without one."""
    return ascending(container)[-1]


@rule(last)
def last(frame: Frame, container: Column) -> Column:
    return element_at(frame, container, last=1)


@compiled(last)
def last(heap, container):
    count = m.count_of(heap, container)
    if count == 0:
        return int64(m.FAILED)
    return m.element(heap, container, count - 1)


@primitive(charge=count)
def other(container: Container, value: Any) -> Any:
    """Return the first element that is not `value`. Fails without one."""
    return [e for e in ascending(container) if not values_equal(e, value)][0]


@rule(other)
def other(frame: Frame, container: Column, value: Column) -> Column:
    rest = _without(frame, container, value)
    return element_at(frame, rest, last=0)


def _without(frame: Frame, container: Column, value: Column) -> Sequences:
    """Pay what is due, and leave out the elements that equal their lane's value."""
    sequences = laid_out(container, frame.pay())
    if not len(sequences.content):
        return sequences
    same = equal(sequences.content, repeated(value, sequences.lanes))
    return sequences.having(~same) if any_set(same) else sequences


@compiled(other)
def other(heap, container, value):
    top = heap[m.TOP]
    for k in range(m.count_of(heap, container)):
        word = m.element(heap, container, k)
        if word <= m.WRONG or not m.equal(heap, word, value):
            return word
        heap[m.TOP] = top
    return int64(m.FAILED)


@primitive(charge=lambda value, container: count(container))
def remove(value: Any, container: Container) -> Container:
    """Return the container without the elements that equal `value`."""
    if container.__class__ is frozenset:
        return container.difference((value,))
    return tuple([e for e in container if not values_equal(e, value)])


@rule(remove)
def remove(frame: Frame, value: Column, container: Column) -> Column:
    return _without(frame, container, value)


@compiled(remove)
def remove(heap, value, container):
    elements = m.opened(heap, container)
    at = m.begin_beside(heap, elements)
    if at < 0:
        return int64(m.FULL)
    count = m.count_of(heap, elements)
    kept = int64(0)
    for k in range(count):
        word = heap[m.first_word(elements) + k]
        if not m.equal(heap, word, value):
            heap[at + m.CONTENT + kept] = word
            kept += 1
    if kept == count:
        heap[m.TOP] = at
        return container
    if m.is_set(heap, container):
        return m.finish_ascending(heap, at, kept)
    return m.finish_tuple(heap, at, kept)


@primitive(charge=count)
def dedupe(tup: Tuple) -> Tuple:
    """Leave out the elements that equal an earlier one."""
    return tuple(dict.fromkeys(tup))


@rule(dedupe)
def dedupe(frame: Frame, tup: Column) -> Column:
    sequences = laid_out(tup, frame.pay())
    if not len(sequences.content):
        return sequences
    offsets = sequences.offsets
    codes = sequences.content.ordinals(offsets)
    order = sort_order(codes, offsets)
    if order is None:
        keep = distinct(codes, offsets)
    else:
        keep = xp.zeros(len(codes), dtype=xp.bool_)
        keep[order[where_set(distinct(codes[order], offsets))]] = True
    return sequences.having(keep)  # type: ignore[no-any-return]


_FEW = 16
"""Up to so many distinct elements, one is looked for among them one by one."""


@compiled(dedupe)
def dedupe(heap, tup):
    elements = m.opened(heap, tup)
    at = m.begin_beside(heap, elements)
    if at < 0:
        return int64(m.FULL)
    count = m.count_of(heap, elements)
    to = at + m.CONTENT
    kept = int64(0)
    for k in range(count):
        word = heap[m.first_word(elements) + k]
        if not is_among_words(heap, to, kept, word):
            if kept == _FEW:
                kept = keep_firsts(heap, m.first_word(elements), count, to)
                break
            heap[to + kept] = word
            kept += 1
    if kept < 0:
        return int64(m.FULL)
    if kept == count:
        heap[m.TOP] = at
        return tup
    return m.finish_tuple(heap, at, kept)


@machine_function
def is_among_words(heap, at, count, word):
    """Tell whether a value equals one of the words from an address on."""
    for k in range(count):
        if m.equal(heap, heap[at + k], word):
            return True
    return False


@routine
def keep_firsts(heap, first, count, to):
    """Copy the words that equal no earlier one. Returns how many; -1 without room."""
    top = heap[m.TOP]
    ordered = m.room_for(heap, 2 * count)
    if ordered < 0:
        return int64(-1)
    seen = ordered + count
    m.copy_words(heap, first, ordered, count)
    for k in range(count):
        heap[seen + k] = 0
    tag = m.tag_of_words(heap, first, count)
    distinct = m.distinct_in_order(heap, ordered, count, tag)
    if distinct < 0:
        return int64(-1)
    kept = int64(0)
    for k in range(count):
        word = heap[first + k]
        place = m.position_in_set(heap, ordered, distinct, tag, word)
        if heap[seen + place] == 0:
            heap[seen + place] = 1
            heap[to + kept] = word
            kept += 1
    heap[m.TOP] = top
    return kept


@primitive(charge=count)
def sizefilter(container: Container, n: Integer) -> FrozenSet:
    """Return the set of the elements, containers themselves, that have n elements."""
    return frozenset([e for e in container if len(e) == n])


@rule(sizefilter)
def sizefilter(frame: Frame, container: Column, n: Ints) -> Column:
    sequences = laid_out(container, frame.pay())
    lanes = sequences.lanes
    found_lengths = sequences.content.lengths()
    wrong = lane_any(found_lengths < 0, lanes, frame.n)
    frame.fail(wrong)
    kept = sequences.having((found_lengths == n.data[lanes]) & ~wrong[lanes])
    return kept if kept.kind == SET else make_sets(kept.counts, kept.content)


@compiled(sizefilter)
def sizefilter(heap, container, n):
    elements = m.opened(heap, container)
    at = m.begin_beside(heap, elements)
    if at < 0:
        return int64(m.FULL)
    kept = int64(0)
    for k in range(m.count_of(heap, elements)):
        word = heap[m.first_word(elements) + k]
        if not m.is_container(heap, word):
            return int64(m.FAILED)
        if m.count_of(heap, word) == n:
            heap[at + m.CONTENT + kept] = word
            kept += 1
    if m.is_set(heap, container):
        return m.finish_ascending(heap, at, kept)
    return m.finish_set(heap, at, kept)


@primitive(charge=count)
def totuple(container: Container) -> Tuple:
    """Return the elements as a tuple, a set's in ascending order."""
    return tuple(ascending(container))


@rule(totuple)
def totuple(frame: Frame, container: Column) -> Column:
    if container.kind != SET:
        return container
    sets = container.as_sequences()
    return Lists(sets.starts, sets.counts, sets.content)


@compiled(totuple)
def totuple(heap, container):
    if not m.is_set(heap, container):
        return container
    count = m.count_of(heap, container)
    at = m.begin_node(heap, count)
    if at < 0:
        return int64(m.FULL)
    m.copy_words(heap, m.first_word(container), at + m.CONTENT, count)
    return m.finish_tuple(heap, at, count)


@primitive(charge=weight)
def initset(value: Any) -> FrozenSet:
    """Make the set of one value."""
    return frozenset((value,))


@rule(initset)
def initset(frame: Frame, value: Column) -> Column:
    return sets_of_one(value)


def sets_of_one(values: Column) -> Sets:
    """Make a set of each value alone."""
    n = len(values)
    return Sets(xp.arange(n, dtype=xp.int64), xp.ones(n, dtype=xp.int64), values.materialized())


@compiled(initset)
def initset(heap, value):
    return m.set_of_one(heap, value)


@primitive(charge=lambda value, container: element_weight(container) + weight(value))
def insert(value: Any, container: FrozenSet) -> FrozenSet:
    """Return the set with `value` among its elements."""
    return container.union((value,))


@rule(insert)
def insert(frame: Frame, value: Column, container: Sets) -> Column:
    return union_of(container, sets_of_one(value), frame.pay())


@compiled(insert)
def insert(heap, value, container):
    one = m.set_of_one(heap, value)
    if one <= m.WRONG:
        return one
    return merged_sets(heap, container, one, 1, 1, 1)


@routine
def merged_sets(heap, a, b, only_a, both, only_b):
    """Merge two sets; keep the elements in `a` only, in both, in `b` only where the flag is 1.

    Of equal elements a's is kept. `FULL` without room.
    """
    size_a = m.count_of(heap, a)
    size_b = m.count_of(heap, b)
    if size_b == 0:
        return a if only_a == 1 else int64(m.EMPTY_SET)
    if size_a == 0:
        return b if only_b == 1 else int64(m.EMPTY_SET)
    at = m.begin_node(heap, size_a + only_b * size_b)
    if at < 0:
        return int64(m.FULL)
    tag = heap[m.address_of(a) + 2]
    if heap[m.address_of(b) + 2] != tag:
        tag = int64(m.MIXED)
    left = m.first_word(a)
    right = m.first_word(b)
    end_a = left + size_a
    end_b = right + size_b
    to = at + m.CONTENT
    while left < end_a and right < end_b:
        one = heap[left]
        two = heap[right]
        found = m.compare(heap, one, two) if tag == m.MIXED else m.sign(one, two)
        heap[to] = two if found > 0 else one
        if found == 0:
            to += both
        elif found < 0:
            to += only_a
        else:
            to += only_b
        left += int64(found <= 0)
        right += int64(found >= 0)
    if only_a == 1:
        m.copy_words(heap, left, to, end_a - left)
        to += end_a - left
    if only_b == 1:
        m.copy_words(heap, right, to, end_b - right)
        to += end_b - right
    count = to - at - m.CONTENT
    if tag == m.MIXED:
        return m.finish_ascending(heap, at, count)
    return m.finish_tagged(heap, at, m.SET, count, tag)


@primitive(charge=lambda a, b: element_weight(a) + element_weight(b))
def combine(a: Container, b: Container) -> Container:
    """Return the elements of `a`, then those of `b`, in a container of a's kind."""
    if a.__class__ is frozenset:
        return a.union(b)
    return a + b if b.__class__ is tuple else (*a, *ascending(b))


@rule(combine)
def combine(frame: Frame, a: Column, b: Column) -> Column:
    allowed = frame.pay()
    if a.kind == SET:
        return union_of(a.as_sequences(), b, allowed)
    joined, _order = join(laid_out(a, allowed), laid_out(b, allowed))
    return joined


def union_of(a: Sets, b: Column, allowed: Array) -> Sets:
    """Unite two sets; of equal elements, a's is kept. Lanes not allowed get the empty set."""
    if b.kind == SET:
        codes = _merged_codes(a, b.as_sequences(), allowed, 1, 1, 1)
        if codes is not None:
            return codes
    joined, _order = join(laid_out(a, allowed), laid_out(b, allowed))
    return make_sets(joined.counts, joined.content)


def _merged_codes(
    a: Sets, b: Sets, allowed: Array, only_a: int, both: int, only_b: int
) -> Sets | None:
    """Merge two sets; keep the elements in `a` only, in both, in `b` only where the flag is 1.

    Returns None unless the elements of both sets are codes of one layout.
    """
    layouts = {type(s.content) for s in (a, b)} - {Empty}
    layout = layouts.pop() if len(layouts) == 1 else Empty
    if not issubclass(layout, Flat) or not layout.coded:
        return None
    n = len(a)
    counts_a, counts_b, most = (xp.empty(n, dtype=xp.int64) for _ in range(3))
    bound_merge(n, allowed, a.counts, b.counts, only_b, counts_a, counts_b, most)
    offsets = offsets_of(most)
    codes = xp.empty(total_of(offsets), dtype=xp.int64)
    counts = xp.empty(n, dtype=xp.int64)
    merge_codes(
        n, a.starts, counts_a, _codes(a), b.starts, counts_b, _codes(b),
        only_a, both, only_b, offsets, codes, counts,
    )  # fmt: skip
    return Sets(offsets[:-1], counts, layout(codes))


def _codes(sets: Sets) -> Array:
    content = sets.content
    return content.data if isinstance(content, Flat) else xp.empty(0, dtype=xp.int64)


@lane_kernel
def bound_merge(lane, allowed, a_counts, b_counts, with_b, counts_a, counts_b, most):
    """Store how many elements to look at, and how many a merge of them gives at most."""
    counts_a[lane] = 0
    counts_b[lane] = 0
    if allowed[lane]:
        counts_a[lane] = a_counts[lane]
        counts_b[lane] = b_counts[lane]
    most[lane] = counts_a[lane] + with_b * counts_b[lane]


@team_kernel
def merge_codes(
    lane, place, team,
    a_starts, a_counts, a, b_starts, b_counts, b, only_a, both, only_b, starts, codes, counts,
):  # fmt: skip
    """Merge two ascending runs; every thread of the team takes an equal part."""
    size_a = a_counts[lane]
    size_b = b_counts[lane]
    here = (size_a + size_b) * place // team
    end = (size_a + size_b) * (place + 1) // team
    at_a = a_starts[lane] + split_codes(a, a_starts[lane], size_a, b, b_starts[lane], size_b, here)
    end_a = a_starts[lane] + split_codes(a, a_starts[lane], size_a, b, b_starts[lane], size_b, end)
    at_b = after_equal(a, a_starts[lane], at_a, b, b_starts[lane], size_b, here)
    end_b = after_equal(a, a_starts[lane], end_a, b, b_starts[lane], size_b, end)
    mine = int64(0)
    at = int64(starts[lane])
    if team > 1:  # count first: the counts say where each part goes
        mine = merge_part(a, at_a, end_a, b, at_b, end_b, only_a, both, only_b, codes, at, 0)
    at += sum_before(mine, place)
    mine = merge_part(a, at_a, end_a, b, at_b, end_b, only_a, both, only_b, codes, at, 1)
    mine = sum_of_team(mine)
    if place == 0:
        counts[lane] = mine
    for k in range(starts[lane] + mine + place, starts[lane + 1], team):  # elements of no lane
        codes[k] = 0


@device_function
def after_equal(a, a_start, at_a, b, b_start, size_b, count):
    """Find where b goes on after the first `count` codes, past one that equals a's last."""
    at_b = b_start + count - (at_a - a_start)
    if at_a > a_start and at_b < b_start + size_b:
        if a[at_a - 1] == b[at_b]:
            at_b += 1
    return at_b


@device_function
def merge_part(a, at_a, end_a, b, at_b, end_b, only_a, both, only_b, codes, at, write):
    """Merge a part of both runs, writing the result from `at` on if `write` is 1.

    Returns the number of codes in the result.
    """
    begin = at
    while at_a < end_a and at_b < end_b:
        left = a[at_a]
        right = b[at_b]
        wanted = both
        code = left
        if left < right:
            wanted = only_a
            at_a += 1
        elif right < left:
            wanted = only_b
            code = right
            at_b += 1
        else:
            at_a += 1
            at_b += 1
        if wanted > 0:
            if write == 1:
                codes[at] = code
            at += 1
    if only_a > 0:
        if write == 1:
            for k in range(at_a, end_a):
                codes[at + k - at_a] = a[k]
        at += end_a - at_a
    if only_b > 0:
        if write == 1:
            for k in range(at_b, end_b):
                codes[at + k - at_b] = b[k]
        at += end_b - at_b
    return at - begin


@compiled(combine)
def combine(heap, a, b):
    if m.is_set(heap, a) and m.is_set(heap, b):
        return merged_sets(heap, a, b, 1, 1, 1)
    if m.is_table(heap, a) and m.is_table(heap, b):
        if m.width_of(heap, a) == m.width_of(heap, b):
            return m.stacked(heap, a, b)
    both = m.room_for(heap, 2)
    if both < 0:
        return int64(m.FULL)
    heap[both] = a
    heap[both + 1] = b
    return merged_words(heap, both, 2, m.container_kind(heap, a))


@primitive(charge=lambda a, b: count(a) + count(b))
def intersection(a: FrozenSet, b: FrozenSet) -> FrozenSet:
    """Return the elements of `a` that are in `b` too."""
    return a - (a - b)  # `a & b` may give b's: True where a has 1


@rule(intersection)
def intersection(frame: Frame, a: Sets, b: Sets) -> Column:
    allowed = frame.pay()
    codes = _merged_codes(a, b, allowed, 0, 1, 0)
    return _shared(a, b, allowed, True) if codes is None else codes


def _shared(a: Sets, b: Sets, allowed: Array, wanted: bool) -> Sets:
    """Keep the elements of `a` that are in `b` (`wanted`), or those that are not."""
    first, second = laid_out(a, allowed), laid_out(b, allowed)
    codes_a, codes_b = joint_ordinals(first, second)
    hits = found(codes_a, first.lanes, codes_b, second.offsets)
    return first.having(hits if wanted else ~hits)  # type: ignore[return-value]


@compiled(intersection)
def intersection(heap, a, b):
    return merged_sets(heap, a, b, 0, 1, 0)


@primitive(charge=lambda a, b: count(a) + count(b))
def difference(a: FrozenSet, b: FrozenSet) -> FrozenSet:
    """Return the elements of `a` that are not in `b`."""
    return a - b


@rule(difference)
def difference(frame: Frame, a: Sets, b: Sets) -> Column:
    allowed = frame.pay()
    codes = _merged_codes(a, b, allowed, 1, 0, 0)
    return _shared(a, b, allowed, False) if codes is None else codes


@compiled(difference)
def difference(heap, a, b):
    return merged_sets(heap, a, b, 1, 0, 0)


@primitive(charge=element_weight)
def merge(containers: ContainerContainer) -> Container:
    """Merge the containers within into one container of the outer one's kind."""
    return merged(containers, containers)


@rule(merge)
def merge(frame: Frame, containers: Column) -> Column:
    sequences = laid_out(containers, frame.pay())
    return merge_columns(frame, containers, sequences.offsets, sequences.content)


@compiled(merge)
def merge(heap, containers):
    if m.is_table(heap, containers):
        return m.row_at(heap, m.cells_of(containers), m.area_of(heap, containers))
    elements = m.opened(heap, containers)
    if elements <= m.WRONG:
        return elements
    count = m.count_of(heap, elements)
    kind = m.container_kind(heap, containers)
    return merged_words(heap, m.first_word(elements), count, kind)
