"""Calls on columns: finds the rule for the layouts of a function and its arguments.

indexed columns  are computed on once for each lane that they index
unions           are split: a rule sees one layout per argument
type validation  `Type.cast` flags the lanes whose values are of a wrong type; they fail
host lanes       lanes that a rule cannot do, or that have no rule, go to the scalar form

How a call is made depends on how its functions and arguments are laid out, so this is the one
place beside `columns` and the types' casts that asks for layouts.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from megabatt.runtime.engine.calls.charges import Charge
from megabatt.runtime.engine.calls.frames import Frame, Operation
from megabatt.runtime.engine.calls.registry import Cast, Primitive, Type, primitive_of
from megabatt.runtime.engine.calls.sequential import attempt
from megabatt.runtime.engine.columns import (
    Column,
    Empty,
    Functions,
    Hosts,
    Indexed,
    Planned,
    Uniform,
    Union,
    contents,
    encode,
    repeated,
    scatter,
)
from megabatt.runtime.engine.device.arrays import Array, any_set, where_set, where_unset, xp
from megabatt.runtime.engine.device.device import to_host
from megabatt.runtime.engine.values import Function, fails


def call(frame: Frame, function: Column, args: list[Column]) -> Column:
    """Call each lane's function on the lane's arguments. Failed lanes get any value."""
    if not frame.n:
        return Empty()
    indexed = contents([function, *args])
    if indexed is not None:
        return _call_contents(frame, *indexed)
    if isinstance(function, Indexed):
        return _call_indexed(frame, function, args)
    if isinstance(function, Uniform):
        return _call_value(frame, function.value, args)
    if isinstance(function, Functions):
        if function.arity != len(args):
            return fail_all(frame)
        return function.made_by.call_columns(frame, function.bound, args)
    if isinstance(function, Planned):
        return function.calls(frame, function.lanes, args)
    if isinstance(function, Union):
        return _split(frame, [function, *args], 0, lambda f, cols: call(f, cols[0], cols[1:]))
    if isinstance(function, Hosts):
        return host_call(frame, function.values.tolist(), args)
    return fail_all(frame)


class Calls:
    """Makes calls on columns, in a frame."""

    def __init__(self, frame: Frame) -> None:
        self._frame = frame

    def call(self, function: Column, args: list[Column]) -> Column:
        """Call each lane's function."""
        return call(self._frame, function, args)

    def apply(self, primitive: Primitive, args: list[Column]) -> Column:
        """Call a primitive in every lane."""
        if not self._frame.n:
            return Empty()
        return call_primitive(self._frame, primitive, args)


def _call_contents(frame: Frame, columns: list[Column], index: Array) -> Column:
    """Call columns that are indexed alike: make the call on what they index.

    That call is tried on a budget of its own. Then each lane is charged what the lane that it
    indexes has spent. A lane that overdraws the trial's budget would overdraw any.
    """
    n, limit = len(columns[1]), frame.operation.max_elements
    trial = Frame(Operation(n, limit), n)
    result = call(trial, columns[0], columns[1:])
    if trial.operation.charged:
        frame.charge((limit - trial.operation.remaining)[index])
    if trial.flagged:
        frame.fail(trial.failed[index])
    if trial.operation.host is not None:
        frame.note_host(where_set(trial.operation.host[index]))
    return repeated(result, index)


def _call_indexed(frame: Frame, function: Indexed, args: list[Column]) -> Column:
    """Call indexed functions. Of functions built from others, index only what they bind."""
    parts = _parts_of(function)
    if parts is None:
        return call(frame, function.gathered(), args)
    tree, bound = parts
    if tree.arity != len(args):
        return fail_all(frame)
    return tree.made_by.call_columns(frame, bound, args)


def _parts_of(function: Column) -> tuple[Functions, list[Column]] | None:
    """Find the functions under the indices, and what they bind, indexed. None: no functions."""
    if isinstance(function, Functions):
        return function, function.bound
    parts = _parts_of(function.content) if isinstance(function, Indexed) else None
    if parts is None:
        return None
    tree, bound = parts
    return tree, [repeated(column, function.index) for column in bound]  # type: ignore[attr-defined]


def fail_all(frame: Frame) -> Column:
    """Fail every lane. Returns a value to go on with until the operation gives its default."""
    frame.fail_all()
    return Uniform((), frame.n)


def _call_value(frame: Frame, function: Any, args: list[Column]) -> Column:
    if not callable(function) or function is fails:
        return fail_all(frame)
    if all(isinstance(column, Uniform) for column in args):
        return _uniform_call(frame, function, [column.value for column in args])  # type: ignore[attr-defined]
    if isinstance(function, Function):
        if function.arity != len(args):
            return fail_all(frame)
        bound: list[Column] = [Uniform(value, frame.n) for value in function.args]
        return function.call_columns(frame, bound, args)
    primitive = primitive_of(function)
    if primitive is None:
        return host_call(frame, [function] * frame.n, args)
    return call_primitive(frame, primitive, args)


def call_primitive(
    frame: Frame, primitive: Primitive, args: list[Column], canonical: bool = False
) -> Column:
    """Call a primitive on columns of any layout, unions among them.

    canonical: whether the arguments are in their types' canonical layouts.
    """
    if not frame.n:
        return Empty()
    if len(args) != primitive.arity:
        return fail_all(frame)
    args = [
        column.gathered() if declared.splits else column
        for column, declared in zip(args, primitive.types, strict=True)
    ]
    if primitive.rule is None:
        return host_call(frame, [primitive.function] * frame.n, args)
    for position, (column, declared) in enumerate(zip(args, primitive.types, strict=True)):
        if isinstance(column, Union) and declared.splits:
            return _split(
                frame, args, position, lambda f, cols: call_primitive(f, primitive, cols, canonical)
            )
    return _call_rule(frame, primitive, args, canonical)


def _split(
    frame: Frame,
    columns: list[Column],
    position: int,
    go_on: Callable[[Frame, list[Column]], Column],
) -> Column:
    """Call `go_on` for the lanes of each part of the union at `position`."""
    union = columns[position]
    assert isinstance(union, Union)
    split = union.split()
    if len(split) == 1:
        return go_on(frame, [*columns[:position], split[0][1], *columns[position + 1 :]])
    parts = []
    for lanes, part in split:
        taken = [column.take(lanes) for column in columns]
        taken[position] = part
        child = frame.child(lanes)
        result = go_on(child, taken)
        frame.close(child, lanes)
        if not child.lost:
            parts.append((lanes, result))
    return fill_in(parts, frame.n)


def _in_child(
    frame: Frame,
    lanes: Array,
    columns: list[Column],
    go_on: Callable[[Frame, list[Column]], Column],
) -> Column:
    child = frame.child(lanes)
    result = go_on(child, columns)
    frame.close(child, lanes)
    return result


def _call_rule(
    frame: Frame, primitive: Primitive, args: list[Column], canonical: bool = False
) -> Column:
    """Validate the arguments' types, and call the rule for the lanes that it can do.

    Lanes that validation cannot decide, or not take, in the given layout are tried once more in
    the canonical layout. Only then are they left to the scalar form.
    """
    columns: list[Column] = []
    failed: Array | None = None
    host: Array | None = None
    for column, declared in zip(args, primitive.types, strict=True):
        cast = declared.cast(column)
        if cast.never:
            return fail_all(frame)
        if canonical and cast.host is not None:
            cast = _decided(declared, column, cast)
        columns.append(cast.column)
        failed = _either(failed, cast.failed)
        host = _either(host, cast.host)
    if failed is None and host is None:
        return _rule_and_host_lanes(frame, primitive, columns, args)
    nothing = xp.zeros(frame.n, dtype=xp.bool_)
    failed = nothing if failed is None else failed
    host = nothing if host is None else host & ~failed
    frame.fail(failed)
    parts = []
    lanes = where_set(~(failed | host))
    if len(lanes):
        parts.append(
            (
                lanes,
                _in_child(
                    frame,
                    lanes,
                    [column.take(lanes) for column in [*columns, *args]],
                    lambda f, cols: _rule_and_host_lanes(
                        f, primitive, cols[: len(args)], cols[len(args) :]
                    ),
                ),
            )
        )
    lanes = where_set(host)
    if len(lanes):
        parts.append((lanes, _undecided_lanes(frame, primitive, lanes, args, canonical)))
    return fill_in(parts, frame.n)


def _decided(declared: Type, column: Column, cast: Cast) -> Cast:
    """Cast a canonical column. A lane fails if neither the cast nor the host can take its value."""
    host = declared.host_lanes(column)
    if host is None:
        return cast
    failed = _either(cast.failed, cast.host & ~host)  # type: ignore[operator]
    return Cast(cast.column, failed, cast.host & host)


def _undecided_lanes(
    frame: Frame, primitive: Primitive, lanes: Array, args: list[Column], canonical: bool
) -> Column:
    if canonical:
        return _host_lanes(frame, primitive, lanes, args)
    taken = [
        declared.canonical(column.take(lanes))
        for declared, column in zip(primitive.types, args, strict=True)
    ]
    return _in_child(frame, lanes, taken, lambda f, cols: call_primitive(f, primitive, cols, True))


def _rule_and_host_lanes(
    frame: Frame, primitive: Primitive, columns: list[Column], args: list[Column]
) -> Column:
    """Call the rule, then the scalar form for the lanes that the rule leaves to the host."""
    assert primitive.rule is not None
    outer, frame.left_to_host = frame.left_to_host, None
    if primitive.charge is None:
        result = primitive.rule(frame, *columns)
    else:
        result = _charged_rule(frame, primitive.rule, primitive.charge, columns)
    left, frame.left_to_host = frame.left_to_host, outer
    if left is None:
        return result
    lanes = where_set(left)
    kept = where_unset(left, lanes)
    parts = [(lanes, _host_lanes(frame, primitive, lanes, args))]
    if len(kept):
        parts.append((kept, result.take(kept)))
    return scatter(parts, frame.n)


def _charged_rule(
    frame: Frame, rule: Callable[..., Column], charge: Charge, columns: list[Column]
) -> Column:
    """Call the rule, and pay its primitive's declared charge, unless the rule has paid it."""
    if isinstance(charge, int):
        result = rule(frame, *columns)
        frame.charge_alike(charge)
        return result
    outer, frame.due = frame.due, (charge, columns)
    result = rule(frame, *columns)
    if frame.due is not None and not frame.lost:
        frame.pay(result)
    frame.due = outer
    return result


def _host_lanes(frame: Frame, primitive: Primitive, lanes: Array, args: list[Column]) -> Column:
    functions = [primitive.function] * len(lanes)
    taken = [column.take(lanes) for column in args]
    return _in_child(frame, lanes, taken, lambda f, cols: host_call(f, functions, cols))


def _either(a: Array | None, b: Array | None) -> Array | None:
    if b is None or not any_set(b):
        return a
    return b if a is None else a | b


def fill_in(parts: list[tuple[Array, Column]], lanes: int) -> Column:
    """Scatter parts that leave lanes out (failed ones). Those get a value of another lane."""
    parts = [part for part in parts if len(part[0])]
    if not parts:
        return Uniform((), lanes)
    covered = sum(len(members) for members, _ in parts)
    if covered == lanes:
        return scatter(parts, lanes)
    position = xp.zeros(lanes, dtype=xp.int64)
    compact = []
    at = 0
    for members, column in parts:
        positions = xp.arange(at, at + len(members), dtype=xp.int64)
        position[members] = positions
        compact.append((positions, column))
        at += len(members)
    return scatter(compact, covered).take(position)


def host_call(frame: Frame, functions: list[Any], args: list[Column]) -> Column:
    """Call each lane's Python function on the lane's values, one lane after the other."""
    frame.note_host()
    operation = frame.operation
    remaining = to_host(operation.remaining).copy()
    lanes = range(frame.n) if frame.lanes is None else frame.lanes.tolist()
    failed = np.zeros(frame.n, dtype=np.bool_)
    results: list[Any] = []
    rows = zip(*(column.decode() for column in args), strict=True) if args else [()] * frame.n
    for k, (lane, function, values) in enumerate(zip(lanes, functions, rows, strict=True)):
        value, failed[k], left = attempt(function, values, int(remaining[lane]))
        if not failed[k]:
            results.append(value)
        remaining[lane] = max(left, -1)  # what was overdrawn may be no int64
    operation.remaining[:] = xp.asarray(remaining)
    if failed.any():
        frame.fail(xp.asarray(failed))
    return fill_in([(xp.asarray(np.flatnonzero(~failed)), encode(results))], frame.n)


def _uniform_call(frame: Frame, function: Any, values: list[Any]) -> Column:
    """Make a call once for all lanes, as it is the same in each."""
    limit = frame.operation.max_elements
    result, failed, left = attempt(function, values, limit)
    if failed:
        return fail_all(frame)
    if left < limit:
        frame.charge_alike(limit - left)
    return Uniform(result, frame.n)
