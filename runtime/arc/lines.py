"""Sets of indices drawn from a patch's bounding box, or from one or two points."""

from __future__ import annotations

from itertools import product

from numpy import int64

from megabatt.runtime.arc.columns import affordable, arrays_of, bounds, code_step, location_sets
from megabatt.runtime.arc.integers import integer
from megabatt.runtime.arc.language import primitive
from megabatt.runtime.arc.layouts import Pairs
from megabatt.runtime.arc.layouts.packing import (
    are_parts,
    both_fit,
    column_of,
    column_part,
    pack_pair,
    pair_code,
    row_of,
    row_part,
)
from megabatt.runtime.arc.measures import lower_right, upper_left
from megabatt.runtime.arc.patches import indices_of
from megabatt.runtime.arc.types import Indices, IntegerTuple, Patch
from megabatt.runtime.arc.values import bounds_of, locations
from megabatt.runtime.engine.calls.charges import Formula
from megabatt.runtime.engine.calls.frames import Frame
from megabatt.runtime.engine.calls.registry import rule
from megabatt.runtime.engine.columns import Column, Sets, Uniform, scatter
from megabatt.runtime.engine.device.arrays import (
    Array,
    any_set,
    room_for,
    where_set,
    where_unset,
    xp,
)
from megabatt.runtime.engine.device.kernels import LaneKernel, device_function, lane_kernel
from megabatt.runtime.engine.limits import charge
from megabatt.runtime.engine.machine import prelude as m
from megabatt.runtime.engine.machine.forms import compiled
from megabatt.runtime.engine.machine.functions import routine

Extent = tuple[Array, Array, Array, Array]
"""Top, left, bottom and right of every lane's bounding box."""


@primitive(charge=4)
def corners(patch: Patch) -> Indices:
    """Return the corners of the bounding box, up to four; `()` alone for an empty patch."""
    if not patch:
        return frozenset([()])
    top, left, bottom, right = bounds_of(patch)
    return frozenset(((top, left), (top, right), (bottom, left), (bottom, right)))


@rule(corners)
def corners(frame: Frame, patch: Sets) -> Column:
    n = frame.n
    starts, counts = xp.empty(n, dtype=xp.int64), xp.empty(n, dtype=xp.int64)
    codes = xp.empty(4 * n, dtype=xp.int64)
    list_corners(n, *bounds(patch), starts, counts, codes)
    sets = Sets(starts, counts, Pairs(codes))
    empty = patch.counts == 0
    if not any_set(empty):
        return sets
    none = where_set(empty)
    some = where_unset(empty, none)
    return scatter([(some, sets.take(some)), (none, Uniform(frozenset([()]), len(none)))], frame.n)


@lane_kernel
def list_corners(lane, top, left, bottom, right, starts, counts, codes):
    """Store the distinct corners of a box, ascending."""
    begin = 4 * lane
    at = begin
    codes[at] = pair_code(top[lane], left[lane])
    at += 1
    if left[lane] < right[lane]:
        codes[at] = pair_code(top[lane], right[lane])
        at += 1
    if top[lane] < bottom[lane]:
        codes[at] = pair_code(bottom[lane], left[lane])
        at += 1
        if left[lane] < right[lane]:
            codes[at] = pair_code(bottom[lane], right[lane])
            at += 1
    starts[lane] = begin
    counts[lane] = at - begin


@compiled(corners)
def corners(heap, patch):
    if patch == m.EMPTY_SET:
        return m.set_of_one(heap, int64(m.EMPTY_TUPLE))
    at = m.begin_node(heap, 4)
    if at < 0:
        return int64(m.FULL)
    first = upper_left(heap, patch)
    last = lower_right(heap, patch)
    down = m.row_of(last) - m.row_of(first)
    across = m.column_of(last) - m.column_of(first)
    to = at + m.CONTENT
    for i in range(m.row_of(first), m.row_of(last) + 1, max(down, 1)):
        for j in range(m.column_of(first), m.column_of(last) + 1, max(across, 1)):
            heap[to] = m.pair(i, j)
            to += 1
    return m.finish_tagged(heap, at, m.SET, to - at - m.CONTENT, m.PAIRS)


@Formula
def box_area(top: int, left: int, bottom: int, right: int) -> int:
    """Count the indices within a box."""
    return (bottom - top + 1) * (right - left + 1)


@primitive
def backdrop(patch: Patch) -> Indices:
    """Return all indices within the bounding box."""
    if not patch:
        return frozenset()
    return frozenset(_rectangle(patch))


def _rectangle(patch: Patch) -> product[tuple[int, int]]:
    """Return the indices within a non-empty patch's bounding box, and charge for them."""
    top, left, bottom, right = bounds_of(patch)
    charge(box_area(top, left, bottom, right))
    return product(range(top, bottom + 1), range(left, right + 1))


@rule(backdrop)
def backdrop(frame: Frame, patch: Sets) -> Column:
    extent = bounds(patch)
    counts = affordable(frame, box_area(*extent))
    return _drawn(counts, extent, fill_box)


def _drawn(counts: Array, extent: Extent, kernel: LaneKernel) -> Sets:
    """Return sets of `counts` indices, which a kernel writes from the lanes' boxes."""
    offsets, codes = room_for(counts)
    kernel(len(counts), offsets, *extent, codes)
    return Sets.of_counts(counts, Pairs(codes), offsets)  # type: ignore[no-any-return]


@lane_kernel
def fill_box(lane, offsets, top, left, bottom, right, codes):
    at = offsets[lane]
    if at < offsets[lane + 1]:
        for i in range(top[lane], bottom[lane] + 1):
            for j in range(left[lane], right[lane] + 1):
                codes[at] = pair_code(i, j)
                at += 1


@compiled(backdrop)
def backdrop(heap, patch):
    if patch == m.EMPTY_SET:
        return patch
    return rectangle_without(heap, patch, m.EMPTY_SET)


@routine
def rectangle_without(heap, patch, indices):
    """Return the indices within a non-empty patch's bounding box, without those given.

    Pays for all of the box.
    """
    first = upper_left(heap, patch)
    last = lower_right(heap, patch)
    width = m.column_of(last) - m.column_of(first) + 1
    area = (m.row_of(last) - m.row_of(first) + 1) * width
    if not m.pay(heap, area):
        return int64(m.FAILED)
    at = m.begin_node(heap, area)
    if at < 0:
        return int64(m.FULL)
    to = at + m.CONTENT
    left_out = m.first_word(indices)
    end = left_out + m.count_of(heap, indices)
    for i in range(m.row_of(first), m.row_of(last) + 1):
        begin = m.pair(i, m.column_of(first))
        for word in range(begin, begin + width):
            if left_out < end and heap[left_out] == word:
                left_out += 1
            else:
                heap[to] = word
                to += 1
    return m.finish_tagged(heap, at, m.SET, to - at - m.CONTENT, m.PAIRS)


@primitive
def delta(patch: Patch) -> Indices:
    """Return the indices within the bounding box that are not in the patch."""
    if not patch:
        return frozenset()
    return frozenset(_rectangle(patch)) - locations(patch)


@rule(delta)
def delta(frame: Frame, patch: Sets) -> Column:
    extent = bounds(patch)
    areas = affordable(frame, box_area(*extent))
    taken = location_sets(patch)
    counts = xp.where(areas > 0, areas - taken.counts, 0)
    offsets, codes = room_for(counts)
    fill_holes(frame.n, offsets, *extent, *arrays_of(taken), codes)
    return Sets.of_counts(counts, Pairs(codes), offsets)  # type: ignore[no-any-return]


@lane_kernel
def fill_holes(lane, offsets, top, left, bottom, right, starts, counts, taken, codes):
    """Store the indices of a box that are not in the patch; walk both side by side, ascending."""
    at = offsets[lane]
    next_taken = starts[lane]
    end = next_taken + counts[lane]
    if at < offsets[lane + 1]:
        for i in range(top[lane], bottom[lane] + 1):
            for j in range(left[lane], right[lane] + 1):
                code = pair_code(i, j)
                hit = False
                if next_taken < end:
                    hit = taken[next_taken] == code
                if hit:
                    next_taken += 1
                else:
                    codes[at] = code
                    at += 1


@compiled(delta)
def delta(heap, patch):
    if patch == m.EMPTY_SET:
        return patch
    indices = indices_of(heap, patch)
    if indices <= m.WRONG:
        return indices
    return rectangle_without(heap, patch, indices)


@primitive
def box(patch: Patch) -> Indices:
    """Return the outline of the bounding box."""
    return _outline(*bounds_of(patch)) if patch else frozenset()


def _outline(top: int, left: int, bottom: int, right: int) -> Indices:
    """Return the indices on the edge of a box, and charge for them."""
    charge(edge(bottom - top + 1, right - left + 1))
    columns = range(left, right + 1)
    indices = [(i, j) for i in (top, bottom) for j in columns]
    indices += [(i, j) for i in range(top + 1, bottom) for j in (left, right)]
    return frozenset(indices)


def edge(h: int, w: int) -> int:
    """Count the indices on the edge of a box of h rows and w columns."""
    if h == 1 or w == 1:
        return h * w
    return 2 * (h + w) - 4


edge_of = device_function(edge)


@rule(box)
def box(frame: Frame, patch: Sets) -> Column:
    return _outlines(frame, bounds(patch), patch.counts > 0)


def _outlines(frame: Frame, extent: Extent, some: Array) -> Sets:
    """Return the indices on the edges of the lanes' boxes; none where `some` is not set."""
    edges = xp.empty(frame.n, dtype=xp.int64)
    measure_outline(frame.n, some, *extent, edges)
    return _drawn(affordable(frame, edges), extent, fill_outline)


@lane_kernel
def measure_outline(lane, some, top, left, bottom, right, edges):
    """Store the number of indices on the edge of a box; 0 if `some` is not set."""
    edges[lane] = 0
    if some[lane]:
        edges[lane] = edge_of(bottom[lane] - top[lane] + 1, right[lane] - left[lane] + 1)


@lane_kernel
def fill_outline(lane, offsets, top, left, bottom, right, codes):
    at = offsets[lane]
    if at < offsets[lane + 1]:
        for i in range(top[lane], bottom[lane] + 1):
            step = max(right[lane] - left[lane], 1)
            if i == top[lane] or i == bottom[lane]:
                step = int64(1)
            for j in range(left[lane], right[lane] + 1, step):
                codes[at] = pair_code(i, j)
                at += 1


@compiled(box)
def box(heap, patch):
    if patch == m.EMPTY_SET:
        return patch
    return outline(heap, upper_left(heap, patch), lower_right(heap, patch))


@routine
def outline(heap, first, last):
    """Return the indices on the edge of a box, given by two of its corners, and pay for them.

    A wrong word as a corner is passed on.
    """
    if first <= m.WRONG or last <= m.WRONG:
        return min(first, last)
    top = m.row_of(first)
    left = m.column_of(first)
    bottom = m.row_of(last)
    right = m.column_of(last)
    count = edge_of(bottom - top + 1, right - left + 1)
    if not m.pay(heap, count):
        return int64(m.FAILED)
    at = m.begin_node(heap, count)
    if at < 0:
        return int64(m.FULL)
    to = at + m.CONTENT
    for i in range(top, bottom + 1):
        step = max(right - left, 1)
        if i == top or i == bottom:
            step = int64(1)
        for j in range(left, right + 1, step):
            heap[to] = m.pair(i, j)
            to += 1
    return m.finish_tagged(heap, at, m.SET, count, m.PAIRS)


@primitive
def inbox(patch: Patch) -> Indices:
    """Return the outline one step inside the bounding box. If a box is too thin, its sides swap."""
    top, left, bottom, right = bounds_of(patch)
    top, bottom = sorted((integer(top + 1), integer(bottom - 1)))
    left, right = sorted((integer(left + 1), integer(right - 1)))
    return _outline(top, left, bottom, right)


@rule(inbox)
def inbox(frame: Frame, patch: Sets) -> Column:
    return _outlines_at(frame, patch, 1)


def _outlines_at(frame: Frame, patch: Sets, inward: int) -> Sets:
    """Return outlines `inward` steps inside the bounding boxes. Empty patches fail.

    inward: below 0 for outlines outside.
    """
    extent = bounds(patch)
    some, far = xp.empty(frame.n, dtype=xp.bool_), xp.empty(frame.n, dtype=xp.bool_)
    shrink_box(frame.n, patch.counts, inward, *extent, some, far)
    frame.leave_to_host(far)
    frame.fail(~some)
    return _outlines(frame, extent, some)


@lane_kernel
def shrink_box(lane, counts, inward, top, left, bottom, right, some, far):
    """Move the sides of a patch's box. Flag whether there is a patch, and a side beyond a code."""
    i = top[lane] + inward
    j = bottom[lane] - inward
    top[lane] = min(i, j)
    bottom[lane] = max(i, j)
    i = left[lane] + inward
    j = right[lane] - inward
    left[lane] = min(i, j)
    right[lane] = max(i, j)
    some[lane] = counts[lane] > 0
    near = are_parts(top[lane], left[lane]) and are_parts(bottom[lane], right[lane])
    far[lane] = counts[lane] > 0 and not near


@compiled(inbox)
def inbox(heap, patch):
    return outline_inward(heap, patch, 1)


@routine
def outline_inward(heap, patch, inward):
    """Return the outline so many steps inside a bounding box, below 0 outside; sides may swap."""
    if patch == m.EMPTY_SET:
        return int64(m.FAILED)
    first = upper_left(heap, patch)
    last = lower_right(heap, patch)
    top = m.row_of(first) + inward
    left = m.column_of(first) + inward
    bottom = m.row_of(last) - inward
    right = m.column_of(last) - inward
    first = m.pair(min(top, bottom), min(left, right))
    return outline(heap, first, m.pair(max(top, bottom), max(left, right)))


@primitive
def outbox(patch: Patch) -> Indices:
    """Return the outline one step around the bounding box."""
    top, left, bottom, right = bounds_of(patch)
    return _outline(integer(top - 1), integer(left - 1), integer(bottom + 1), integer(right + 1))


@rule(outbox)
def outbox(frame: Frame, patch: Sets) -> Column:
    return _outlines_at(frame, patch, -1)


@compiled(outbox)
def outbox(heap, patch):
    return outline_inward(heap, patch, -1)


@primitive
def connect(a: IntegerTuple, b: IntegerTuple) -> Indices:
    """Return the line from `a` to `b`, both included: a row, column or diagonal, else empty."""
    return _line(*a, *b)


def _line(ai: int, aj: int, bi: int, bj: int) -> Indices:
    """Return the line between two points as `connect` does, and charge for it."""
    di, dj = bi - ai, bj - aj
    if di and dj and abs(di) != abs(dj):
        return frozenset()
    length = line_length(di, dj)
    charge(length)
    if di == 0:
        return frozenset([(ai, j) for j in range(min(aj, bj), max(aj, bj) + 1)])
    if dj == 0:
        return frozenset([(i, aj) for i in range(min(ai, bi), max(ai, bi) + 1)])
    i_step, j_step = di // (length - 1), dj // (length - 1)
    return frozenset([(ai + k * i_step, aj + k * j_step) for k in range(length)])


def line_length(di: int, dj: int) -> int:
    """Count the indices on the line to a point di rows and dj columns away."""
    return max(max(di, -di), max(dj, -dj)) + 1


length_of_line = device_function(line_length)


@rule(connect)
def connect(frame: Frame, a: Pairs, b: Pairs) -> Column:
    return _lines(frame, a.data, b.data)


def _lines(frame: Frame, a: Array, b: Array) -> Sets:
    """Return the line (see `_line`) between the points with codes `a` and `b`, in every lane."""
    counts = xp.empty(frame.n, dtype=xp.int64)
    measure_line(frame.n, a, b, counts)
    counts = affordable(frame, counts)
    offsets, codes = room_for(counts)
    draw_line(frame.n, a, b, offsets, codes)
    return Sets.of_counts(counts, Pairs(codes), offsets)  # type: ignore[no-any-return]


@lane_kernel
def measure_line(lane, a, b, counts):
    """Count the indices of the line between two points: 0 unless it is straight or diagonal."""
    di = row_of(a[lane]) - row_of(b[lane])
    dj = column_of(a[lane]) - column_of(b[lane])
    count = length_of_line(di, dj)
    if di != 0 and dj != 0 and di != dj and di != -dj:
        count = int64(0)
    counts[lane] = count


@lane_kernel
def draw_line(lane, a, b, offsets, codes):
    """Store the codes along a line, from the lesser end on: they are equally far apart."""
    begin = offsets[lane]
    end = offsets[lane + 1]
    code = min(a[lane], b[lane])
    step = (max(a[lane], b[lane]) - code) // max(end - begin - 1, 1)
    for at in range(begin, end):
        codes[at] = code
        code += step


@compiled(connect)
def connect(heap, a, b):
    return line_between(heap, a, b)


@routine
def line_between(heap, a, b):
    """Return the line between two points as `connect` does, and pay for it."""
    di = m.row_of(b) - m.row_of(a)
    dj = m.column_of(b) - m.column_of(a)
    if di != 0 and dj != 0 and di != dj and di != -dj:
        return int64(m.EMPTY_SET)
    count = length_of_line(di, dj)
    if not m.pay(heap, count):
        return int64(m.FAILED)
    first = min(a, b)
    return row_of_words(heap, first, (max(a, b) - first) // max(count - 1, 1), count)


@routine
def row_of_words(heap, first, step, count):
    """Return the set of so many pairs, from one on, equally far apart. `FULL` without room."""
    at = m.begin_node(heap, count)
    if at < 0:
        return int64(m.FULL)
    for k in range(count):
        heap[at + m.CONTENT + k] = first + k * step
    return m.finish_tagged(heap, at, m.SET, count, m.PAIRS)


@primitive
def shoot(start: IntegerTuple, direction: IntegerTuple) -> Indices:
    """Return the line from `start` to `start` plus 42 times `direction`."""
    (i, j), (di, dj) = start, direction
    return _line(i, j, integer(i + 42 * di), integer(j + 42 * dj))


@rule(shoot)
def shoot(frame: Frame, start: Pairs, direction: Pairs) -> Column:
    i, j = row_part(start.data), column_part(start.data)
    to_i = i + 42 * row_part(direction.data)
    to_j = j + 42 * column_part(direction.data)
    frame.leave_to_host(~both_fit(to_i, to_j))
    return _lines(frame, start.data, pack_pair(to_i, to_j))


@compiled(shoot)
def shoot(heap, start, direction):
    to_i = m.row_of(start) + 42 * m.row_of(direction)
    end = m.pair(to_i, m.column_of(start) + 42 * m.column_of(direction))
    if end <= m.WRONG:
        return end
    return line_between(heap, start, end)


@primitive(charge=30)
def vfrontier(location: IntegerTuple) -> Indices:
    """Return the first 30 indices of the location's column."""
    return frozenset([(i, location[1]) for i in range(30)])


@rule(vfrontier)
def vfrontier(frame: Frame, location: Pairs) -> Column:
    first = pack_pair(xp.zeros_like(location.data), column_part(location.data))
    return _frontiers(frame, first, code_step(1, 0))


def _frontiers(frame: Frame, first: Array, step: int) -> Sets:
    """Return 30 indices a lane, from the code `first` on, each `step` after the one before."""
    counts = xp.full(frame.n, 30, dtype=xp.int64)
    codes = first[:, None] + xp.arange(30, dtype=xp.int64) * step
    return Sets.of_counts(counts, Pairs(codes.ravel()))  # type: ignore[no-any-return]


@compiled(vfrontier)
def vfrontier(heap, location):
    return row_of_words(heap, m.pair(0, m.column_of(location)), 1 << 21, 30)


@primitive(charge=30)
def hfrontier(location: IntegerTuple) -> Indices:
    """Return the first 30 indices of the location's row."""
    return frozenset([(location[0], j) for j in range(30)])


@rule(hfrontier)
def hfrontier(frame: Frame, location: Pairs) -> Column:
    first = pack_pair(row_part(location.data), xp.zeros_like(location.data))
    return _frontiers(frame, first, code_step(0, 1))


@compiled(hfrontier)
def hfrontier(heap, location):
    return row_of_words(heap, m.pair(m.row_of(location), 0), 1, 30)
