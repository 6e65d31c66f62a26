"""Booleans, equality and choice."""

from __future__ import annotations

from numpy import int64

from runtime.arc.language import primitive
from runtime.arc.mapping import open_container
from runtime.arc.types import Any, Boolean, Container
from runtime.engine.arrays import Array, is_among, segment_any, where_set, where_unset, xp
from runtime.engine.columns import (
    Bools,
    Cells,
    Column,
    Ints,
    Pairs,
    Sequences,
    Sets,
    repeated,
    scatter,
)
from runtime.engine.encode import materialize
from runtime.engine.equality import equal
from runtime.engine.frames import Frame
from runtime.engine.kernels import lane_kernel
from runtime.engine.limits import charge
from runtime.engine.registry import rule


@primitive
def flip(b: Boolean) -> Boolean:
    """Whether `b` is false."""
    return not b


@rule(flip)
def _(frame: Frame, b: Bools) -> Column:
    return Bools(~b.data)


@primitive
def equality(a: Any, b: Any) -> Boolean:
    """Whether two values are equal."""
    return bool(a == b)


@rule(equality)
def _(frame: Frame, a: Column, b: Column) -> Column:
    return Bools(equal(a, b))


_CODED = (Ints, Pairs, Cells)


@primitive
def contained(value: Any, container: Container) -> Boolean:
    """Whether `value` is in the container. A tuple's elements are charged, as it looks at them."""
    if container.__class__ is tuple:
        charge(len(container))
    return value in container


@rule(contained)
def _(frame: Frame, value: Column, container: Column) -> Column:
    value = materialize(value)
    content = container.content if isinstance(container, Sequences) else None
    if isinstance(value, _CODED) and isinstance(content, _CODED):
        if not isinstance(container, Sets):
            frame.charge(container.counts)  # type: ignore[attr-defined]
        if type(content) is not type(value):
            return Bools(xp.zeros(frame.n, dtype=xp.bool_))
        return Bools(_found(value.data, container, content.data))  # type: ignore[arg-type]
    cost = 0 if isinstance(container, Sets) else 1
    sequences = open_container(frame, container, cost)
    lanes = sequences.lanes
    return Bools(segment_any(equal(repeated(value, lanes), sequences.content), sequences.offsets))


def _found(codes: Array, container: Sequences, elements: Array) -> Array:
    """Whether each lane's code is among its elements, which stay where they are."""
    flags = xp.zeros(len(codes), dtype=xp.bool_)
    ascending = int(isinstance(container, Sets))
    find_code(len(codes), codes, container.starts, container.counts, elements, ascending, flags)
    return flags


@lane_kernel
def find_code(lane, codes, starts, counts, elements, ascending, flags):  # type: ignore[no-untyped-def]
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


@primitive
def both(a: Boolean, b: Boolean) -> Boolean:
    """Whether a and b are true."""
    return a and b


@rule(both)
def _(frame: Frame, a: Bools, b: Bools) -> Column:
    return Bools(a.data & b.data)


@primitive
def either(a: Boolean, b: Boolean) -> Boolean:
    """Whether a or b is true."""
    return a or b


@rule(either)
def _(frame: Frame, a: Bools, b: Bools) -> Column:
    return Bools(a.data | b.data)


@primitive
def branch(condition: Boolean, a: Any, b: Any) -> Any:
    """`a` if the condition is true, else `b`."""
    return a if condition else b


@rule(branch)
def _(frame: Frame, condition: Bools, a: Column, b: Column) -> Column:
    chosen = where_set(condition.data)
    other = where_unset(condition.data, chosen)
    return scatter([(chosen, a.take(chosen)), (other, b.take(other))], frame.n)
