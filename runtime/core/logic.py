"""Booleans, equality and choice."""

from __future__ import annotations

from numpy import int64

from megabatt.runtime.core.charges import searched
from megabatt.runtime.core.table import primitive
from megabatt.runtime.core.types import Any, Boolean, Container
from megabatt.runtime.engine.calls.frames import Frame
from megabatt.runtime.engine.calls.registry import rule
from megabatt.runtime.engine.columns import (
    Bools,
    Column,
    Flat,
    Sequences,
    equal,
    opened,
    repeated,
    scatter,
)
from megabatt.runtime.engine.device.arrays import (
    Array,
    is_among,
    segment_any,
    where_set,
    where_unset,
    xp,
)
from megabatt.runtime.engine.device.kernels import lane_kernel
from megabatt.runtime.engine.machine import prelude as m
from megabatt.runtime.engine.machine.forms import compiled
from megabatt.runtime.engine.policy import SET
from megabatt.runtime.engine.values import equal as values_equal


@primitive
def flip(b: Boolean) -> Boolean:
    """Tell whether `b` is false."""
    return not b


@rule(flip)
def flip(frame: Frame, b: Bools) -> Column:
    return Bools(~b.data)


@compiled(flip)
def flip(heap, b):
    return m.boolean(b == m.FALSE)


@primitive
def equality(a: Any, b: Any) -> Boolean:
    """Tell whether two values are equal."""
    return values_equal(a, b)


@rule(equality)
def equality(frame: Frame, a: Column, b: Column) -> Column:
    return Bools(equal(a, b))


@compiled(equality)
def equality(heap, a, b):
    return m.boolean(m.equal(heap, a, b))


@primitive(charge=lambda value, container: searched(container))
def contained(value: Any, container: Container) -> Boolean:
    """Tell whether `value` is in the container."""
    if container.__class__ is tuple:
        return any(values_equal(value, e) for e in container)
    return value in container


@rule(contained)
def contained(frame: Frame, value: Column, container: Column) -> Column:
    value = value.materialized()
    content = container.content if isinstance(container, Sequences) else None
    if isinstance(value, Flat) and value.coded and isinstance(content, type(value)):
        return Bools(_found(value.data, container, content.data))  # type: ignore[arg-type]
    sequences = opened(container, frame.pay())
    lanes = sequences.lanes
    return Bools(segment_any(equal(repeated(value, lanes), sequences.content), sequences.offsets))


def _found(codes: Array, container: Sequences, elements: Array) -> Array:
    """Flag the lanes whose code is among their elements, without copying the elements."""
    flags = xp.zeros(len(codes), dtype=xp.bool_)
    ascending = int(container.kind == SET)
    find_code(len(codes), codes, container.starts, container.counts, elements, ascending, flags)
    return flags


@lane_kernel
def find_code(lane, codes, starts, counts, elements, ascending, flags):
    code = int64(codes[lane])
    begin = int64(starts[lane])
    end = begin + counts[lane]
    if ascending == 1:
        flags[lane] = is_among(elements, begin, end, code)
    else:
        for k in range(begin, end):
            if elements[k] == code:
                flags[lane] = True
                break


@compiled(contained)
def contained(heap, value, container):
    count = m.count_of(heap, container)
    if m.is_set(heap, container):
        tag = heap[m.address_of(container) + 2]
        place = m.position_in_set(heap, m.first_word(container), count, tag, value)
        return m.boolean(place >= 0)
    top = heap[m.TOP]
    for k in range(count):
        word = m.element(heap, container, k)
        if word <= m.WRONG:
            return word
        if m.equal(heap, value, word):
            return int64(m.TRUE)
        heap[m.TOP] = top
    return int64(m.FALSE)


@primitive
def both(a: Boolean, b: Boolean) -> Boolean:
    """Tell whether a and b are true."""
    return a and b


@rule(both)
def both(frame: Frame, a: Bools, b: Bools) -> Column:
    return Bools(a.data & b.data)


@compiled(both)
def both(heap, a, b):
    return m.boolean(a == m.TRUE and b == m.TRUE)


@primitive
def either(a: Boolean, b: Boolean) -> Boolean:
    """Tell whether a or b is true."""
    return a or b


@rule(either)
def either(frame: Frame, a: Bools, b: Bools) -> Column:
    return Bools(a.data | b.data)


@compiled(either)
def either(heap, a, b):
    return m.boolean(a == m.TRUE or b == m.TRUE)


@primitive
def branch(condition: Boolean, a: Any, b: Any) -> Any:
    """Return `a` if the condition is true, else `b`."""
    return a if condition else b


@rule(branch)
def branch(frame: Frame, condition: Bools, a: Column, b: Column) -> Column:
    chosen = where_set(condition.data)
    other = where_unset(condition.data, chosen)
    return scatter([(chosen, a.take(chosen)), (other, b.take(other))], frame.n)


@compiled(branch)
def branch(heap, condition, a, b):
    return a if condition == m.TRUE else b
