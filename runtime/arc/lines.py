"""Sets of indices drawn from a patch's bounding box, or from one or two points."""

from __future__ import annotations

from itertools import product

from megabatt.runtime.arc.language import charge, compiled, compiled_as, integer, m, primitive
from megabatt.runtime.arc.measures import lower_right, upper_left
from megabatt.runtime.arc.patches import indices_of
from megabatt.runtime.arc.types import Indices, IntegerTuple, Patch
from megabatt.runtime.arc.values import bounds_of, locations


@primitive(charge=4)
def corners(patch: Patch) -> Indices:
    """Return the corners of the bounding box, up to four; `()` alone for an empty patch."""
    if not patch:
        return frozenset([()])
    top, left, bottom, right = bounds_of(patch)
    return frozenset(((top, left), (top, right), (bottom, left), (bottom, right)))


@compiled(corners)
def corners(heap, patch):
    if patch == m.EMPTY_SET:
        return m.set_of_one(heap, m.EMPTY_TUPLE)
    at = m.required(m.begin_node(heap, 4))
    first, last = upper_left(heap, patch), lower_right(heap, patch)
    for k in range(4):
        i, j = m.row_of(last if k & 2 else first), m.column_of(last if k & 1 else first)
        heap[at + m.CONTENT + k] = m.pair(i, j)
    return m.finish_set(heap, at, 4)


@primitive
def backdrop(patch: Patch) -> Indices:
    """Return all indices within the bounding box."""
    return frozenset(_rectangle(patch)) if patch else frozenset()


def _rectangle(patch: Patch) -> product[tuple[int, int]]:
    """Return the indices within a non-empty patch's bounding box, and charge for them."""
    top, left, bottom, right = bounds_of(patch)
    charge((bottom - top + 1) * (right - left + 1))
    return product(range(top, bottom + 1), range(left, right + 1))


@m.routine
def rectangle_without(heap, patch, indices):
    """Return a bounding box's indices without the given `indices`, and pay for the whole box."""
    if patch == m.EMPTY_SET:
        return patch
    first, last = upper_left(heap, patch), lower_right(heap, patch)
    width = m.column_of(last) - m.column_of(first) + 1
    area = (m.row_of(last) - m.row_of(first) + 1) * width
    m.required(m.charge(heap, area))
    at = m.required(m.begin_node(heap, area))
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


compiled_as(backdrop, rectangle_without, m.EMPTY_SET)


@primitive
def delta(patch: Patch) -> Indices:
    """Return the indices within the bounding box that are not in the patch."""
    return frozenset(_rectangle(patch)) - locations(patch) if patch else frozenset()


@compiled(delta)
def delta(heap, patch):
    indices = m.required(indices_of(heap, patch))
    return rectangle_without(heap, patch, indices)


@primitive
def box(patch: Patch) -> Indices:
    """Return the outline of the bounding box."""
    return _outline(*bounds_of(patch)) if patch else frozenset()


def _outline(top: int, left: int, bottom: int, right: int) -> Indices:
    """Return the indices on the edge of a box, and charge for them."""
    charge(edge(bottom - top + 1, right - left + 1))
    indices = [(i, j) for i in (top, bottom) for j in range(left, right + 1)]
    indices += [(i, j) for i in range(top + 1, bottom) for j in (left, right)]
    return frozenset(indices)


def edge(h: int, w: int) -> int:
    """Count the indices on the edge of a box of h rows and w columns."""
    return h * w if h == 1 or w == 1 else 2 * (h + w) - 4


edge_of = m.machine_function(edge)


@m.routine
def outline_inward(heap, patch, inward, otherwise):
    """Return the outline `inward` steps inside a bounding box (outside if below 0), and pay.

    Sides may swap. Returns `otherwise` for an empty patch, `HOST` where an index does not fit.
    """
    if patch == m.EMPTY_SET:
        return otherwise
    first, last = upper_left(heap, patch), lower_right(heap, patch)
    top, left = m.row_of(first) + inward, m.column_of(first) + inward
    bottom, right = m.row_of(last) - inward, m.column_of(last) - inward
    top, bottom = min(top, bottom), max(top, bottom)
    left, right = min(left, right), max(left, right)
    if m.pair(top, left) <= m.WRONG or m.pair(bottom, right) <= m.WRONG:
        return m.HOST
    count = edge_of(bottom - top + 1, right - left + 1)
    m.required(m.charge(heap, count))
    at = m.required(m.begin_node(heap, count))
    to = at + m.CONTENT
    for i in range(top, bottom + 1):
        step = 1 if i == top or i == bottom else max(right - left, 1)
        for j in range(left, right + 1, step):
            heap[to] = m.pair(i, j)
            to += 1
    return m.finish_tagged(heap, at, m.SET, count, m.PAIRS)


compiled_as(box, outline_inward, 0, m.EMPTY_SET)


@primitive
def inbox(patch: Patch) -> Indices:
    """Return the outline one step inside the bounding box. If a box is too thin, its sides swap."""
    top, left, bottom, right = bounds_of(patch)
    top, bottom = sorted((integer(top + 1), integer(bottom - 1)))
    left, right = sorted((integer(left + 1), integer(right - 1)))
    return _outline(top, left, bottom, right)


compiled_as(inbox, outline_inward, 1, m.NO_VALUE)


@primitive
def outbox(patch: Patch) -> Indices:
    """Return the outline one step around the bounding box."""
    top, left, bottom, right = bounds_of(patch)
    return _outline(integer(top - 1), integer(left - 1), integer(bottom + 1), integer(right + 1))


compiled_as(outbox, outline_inward, -1, m.NO_VALUE)


@primitive
def connect(a: IntegerTuple, b: IntegerTuple) -> Indices:
    """Return the line from `a` to `b`, both included: a row, column or diagonal, else empty."""
    return _line(*a, *b)


def _line(ai: int, aj: int, bi: int, bj: int) -> Indices:
    """Return the line between two points as `connect` does, and charge for it."""
    di, dj = bi - ai, bj - aj
    if di and dj and abs(di) != abs(dj):
        return frozenset()
    length = max(abs(di), abs(dj)) + 1
    charge(length)
    if di == 0:
        return frozenset([(ai, j) for j in range(min(aj, bj), max(aj, bj) + 1)])
    if dj == 0:
        return frozenset([(i, aj) for i in range(min(ai, bi), max(ai, bi) + 1)])
    i_step, j_step = di // (length - 1), dj // (length - 1)
    return frozenset([(ai + k * i_step, aj + k * j_step) for k in range(length)])


@m.routine
def line_between(heap, a, b):
    di, dj = m.row_of(b) - m.row_of(a), m.column_of(b) - m.column_of(a)
    if di != 0 and dj != 0 and abs(di) != abs(dj):
        return m.EMPTY_SET
    count = max(abs(di), abs(dj)) + 1
    m.required(m.charge(heap, count))
    first = min(a, b)
    return evenly_apart(heap, first, (max(a, b) - first) // max(count - 1, 1), count)


compiled_as(connect, line_between)


@m.routine
def evenly_apart(heap, first, step, count):
    """Return the set of `count` pairs or cells from `first` on, `step` apart."""
    at = m.required(m.begin_node(heap, count))
    for k in range(count):
        heap[at + m.CONTENT + k] = first + k * step
    return m.finish_tagged(heap, at, m.SET, count, m.tag_of(first))


@primitive
def shoot(start: IntegerTuple, direction: IntegerTuple) -> Indices:
    """Return the line from `start` to `start` plus 42 times `direction`."""
    (i, j), (di, dj) = start, direction
    return _line(i, j, integer(i + 42 * di), integer(j + 42 * dj))


@compiled(shoot)
def shoot(heap, start, direction):
    to_i = m.row_of(start) + 42 * m.row_of(direction)
    end = m.required(m.pair(to_i, m.column_of(start) + 42 * m.column_of(direction)))
    return line_between(heap, start, end)


@primitive(charge=30)
def vfrontier(location: IntegerTuple) -> Indices:
    """Return the first 30 indices of the location's column."""
    return frozenset([(i, location[1]) for i in range(30)])


@compiled(vfrontier)
def vfrontier(heap, location):
    return evenly_apart(heap, m.pair(0, m.column_of(location)), 1 << m.ROW, 30)


@primitive(charge=30)
def hfrontier(location: IntegerTuple) -> Indices:
    """Return the first 30 indices of the location's row."""
    return frozenset([(location[0], j) for j in range(30)])


@compiled(hfrontier)
def hfrontier(heap, location):
    return evenly_apart(heap, m.pair(m.row_of(location), 0), 1, 30)
