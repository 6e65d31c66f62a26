"""Operations on columns: finds the rule of a function, and the lanes that the rule can compute.

type validation  `Declared.cast` flags the lanes whose values have a wrong type; they fail
layouts          values of several layouts are computed layout by layout
host lanes       values without a layout, and functions without a rule, go to the scalar form
parts            an operation that outgrows memory or the stack is computed in parts
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from megabatt.runtime.engine.columns import Column, Hosts, Uniform, encode, scatter
from megabatt.runtime.engine.columns.encode import Part, encode_uniform, lanes_by, layout_of
from megabatt.runtime.engine.columns.rules import Frame, Operation
from megabatt.runtime.engine.device.arrays import Array, where_set, xp
from megabatt.runtime.engine.device.device import ANY, SUM, TooMuchAtOnce, current, room, to_host
from megabatt.runtime.engine.device.scheduling import ask
from megabatt.runtime.engine.language.charges import OfResult
from megabatt.runtime.engine.language.reasons import Reason
from megabatt.runtime.engine.language.registry import Primitive, primitive_of
from megabatt.runtime.engine.language.sequential import attempt
from megabatt.runtime.engine.language.types import Declared
from megabatt.runtime.engine.language.values import fails

Note = Callable[[Frame, "Array | None"], None]
"""Called after each call of an operation with the frame and its lanes, int64; None for all."""


def operate(
    function: Column, args: list[Column], default: Any, max_elements: int, reasons: Array,
    note: Note,
) -> Column:  # fmt: skip
    """Call each lane's function on its arguments. A lane that fails gets the default.

    reasons: uint8 (lanes,), zeros; gets the known reasons of failures. A call that outgrows memory
    or the interpreter's stack is made in parts, down to single lanes by the scalar form, whose
    error is raised. Raises MemoryError if the device lacks memory for existing values.
    """
    parts: list[Any] = []
    lacking: list[Array | None] = [None]
    while lacking:
        lanes = lacking.pop()
        some, of_some = function, args
        if lanes is not None:
            some, of_some = function.take(lanes), [column.take(lanes) for column in args]
        n = len(some)
        frame = Frame(Operation(n, max_elements), n, known=reasons if lanes is None else None)
        room.limited = True
        try:
            column = call(frame, some, of_some)
        except (MemoryError, RecursionError) as error:
            if current().exhausted(error):
                raise  # the batch's values alone fill the device
            room.limited = False  # results of the scalar form go into columns without a limit
            lanes = xp.arange(n) if lanes is None else lanes
            if n > 1:
                lacking += [lanes[part] for part in _parts(n, error)]
                continue
            frame = Frame(Operation(n, max_elements), n)
            column = host_call(frame, some.decode(), of_some)
        finally:
            room.limited = False
        if lanes is not None:
            reasons[lanes] = frame.reasons
        note(frame, lanes)
        parts.append((lanes, column))
    if lanes is not None:
        return with_default(scatter(parts, len(function)), reasons != 0, default)
    if frame.lost:
        return Uniform(default, n)
    return with_default(column, reasons != 0, default) if frame.flagged else column


def host_lanes_of(frame: Frame) -> int:
    """Count the lanes of a frame's operation that scalar code computed."""
    host = frame.operation.host
    return 0 if host is None else ask(host, SUM)


def _parts(lanes: int, error: Exception) -> list[Array]:
    """Deal the lanes out to enough parts that each part fits.

    Neighbouring lanes are of one group and cost alike, so parts take lanes in turn.
    """
    parts = 2
    if isinstance(error, TooMuchAtOnce):
        parts = max(2, -(-error.elements * 5 // (4 * current().most_elements)))
    parts = min(parts, lanes)
    return [xp.arange(first, lanes, parts, dtype=xp.int64) for first in range(parts)]


def with_default(column: Column, failed: Array, default: Any) -> Column:
    """Return the column with the safe default in the failed lanes (bool (n,)).

    If the default fits the result's layout, as most do, the host need not wait for the flags.
    """
    held = column.defaulted(failed, default)
    if held is not None:
        return held
    defaults = where_set(failed)
    if not len(defaults):
        return column
    lanes = where_set(~failed)
    parts = [(lanes, column.take(lanes)), (defaults, Uniform(default, len(defaults)))]
    return scatter(parts, len(column))


def call(frame: Frame, function: Column, args: list[Column]) -> Column:
    """Call each lane's function on the lane's arguments. Failed lanes get any value."""
    if not frame.n:
        return Hosts.encode([])
    if isinstance(function, Hosts):
        return host_call(frame, function.decode(), args)
    value = function.value if isinstance(function, Uniform) else None
    if not callable(value):
        return frame.fail_all(Reason.TYPE)
    if value is fails:
        return frame.fail_all(Reason.VALUE)
    if all(isinstance(column, Uniform) for column in args):
        return _uniform_call(frame, value, [column.value for column in args])  # type: ignore[attr-defined]
    primitive = primitive_of(value)
    if primitive is None or primitive.rule is None:
        return host_call(frame, [value] * frame.n, args)
    return _call_primitive(frame, primitive, args)


def _uniform_call(frame: Frame, function: Any, values: list[Any]) -> Column:
    """Make a call once, since it is the same in all lanes."""
    limit = frame.operation.max_elements
    result, error, left = attempt(function, values, limit)
    if error is not None:
        return frame.fail_all(Reason.of(error))
    if left < limit:
        frame.charge_alike(limit - left)
    return Uniform(result, frame.n)


def _call_primitive(frame: Frame, primitive: Primitive, args: list[Column]) -> Column:
    """Call a primitive that has a rule, on columns of any layout."""
    if len(args) != primitive.arity:
        return frame.fail_all(Reason.ARITY)
    columns = []
    for column, declared in zip(args, primitive.types, strict=True):
        if isinstance(column, Uniform):
            try:
                column = encode_uniform(declared.check(column.value), frame.n)
            except TypeError:
                return frame.fail_all(Reason.TYPE)
        columns.append(column)
    if any(isinstance(column, Hosts) for column in columns):
        return _by_layout(frame, primitive, columns)
    return _call_rule(frame, primitive, columns)


def _by_layout(frame: Frame, primitive: Primitive, args: list[Column]) -> Column:
    """Make the call layout by layout.

    Lanes with a value of a wrong type fail. Lanes with a value without a layout go to the host.
    """
    checked = {
        place: [_checked(declared, value) for value in column.decode()]
        for place, (column, declared) in enumerate(zip(args, primitive.types, strict=True))
        if isinstance(column, Hosts)
    }
    layouts = [[layout for layout, _ in values] for values in checked.values()]
    parts: list[Part] = []
    for found, members in lanes_by(list(zip(*layouts, strict=True))).items():
        lanes = xp.asarray(members)
        columns = [column.take(lanes) for column in args]
        child = frame.child(lanes)
        if None in found:
            result = child.fail_all(Reason.TYPE)
        elif Hosts in found:
            result = host_call(child, [primitive.function] * child.n, columns)
        else:
            for place, values in checked.items():
                columns[place] = encode([values[lane][1] for lane in members])
            result = _call_rule(child, primitive, columns)
        frame.close(child, lanes)
        parts.append((lanes, result))
    return scatter(parts, frame.n)


def _checked(declared: Declared, value: Any) -> tuple[Any, Any]:
    """Return the layout of a value and the value cast to its type; None twice for another type."""
    try:
        value = declared.check(value)
    except TypeError:
        return None, None
    return layout_of(value), value


def _call_rule(frame: Frame, primitive: Primitive, args: list[Column]) -> Column:
    """Validate the arguments' types, and call the rule for the lanes without a wrong type."""
    columns: list[Column] = []
    failed: Array | None = None
    for column, declared in zip(args, primitive.types, strict=True):
        assert declared.cast is not None  # since there is a rule
        cast = declared.cast(column)
        if cast.never:
            return frame.fail_all(Reason.TYPE)
        columns.append(cast.column)
        if cast.failed is not None:
            failed = cast.failed if failed is None else failed | cast.failed
    if failed is None or not ask(failed, ANY):
        return _charged(frame, primitive, columns)
    frame.fail(failed, Reason.TYPE)
    lanes = where_set(~failed)
    if not len(lanes):
        return frame.fail_all(Reason.TYPE)
    child = frame.child(lanes)
    result = _charged(child, primitive, [column.take(lanes) for column in columns])
    frame.close(child, lanes)
    return _fill_in(lanes, result, frame.n)


def _charged(frame: Frame, primitive: Primitive, columns: list[Column]) -> Column:
    """Pay the primitive's declared charge, as the scalar form does, and call the rule."""
    assert primitive.rule is not None
    frame.due = primitive.charge if isinstance(primitive.charge, OfResult) else None
    charged = primitive.charged(*columns)
    frame.allowed = None if isinstance(charged, int) else frame.charge(charged)
    if isinstance(charged, int) and charged:
        frame.charge_alike(charged)
    result = primitive.rule(frame, *columns)
    if frame.due is not None and not frame.lost:
        frame.pay(result)
    return result


def _fill_in(members: Array, column: Column, lanes: int) -> Column:
    """Move a column to the lanes `members` of `lanes` lanes; other lanes get any of its values."""
    index = xp.zeros(lanes, dtype=xp.int64)
    index[members] = xp.arange(len(members), dtype=xp.int64)
    return column.take(index)


def host_call(frame: Frame, functions: list[Any], args: list[Column]) -> Column:
    """Call each lane's Python function on the lane's values, one lane after the other."""
    frame.note_host()
    operation = frame.operation
    remaining = to_host(operation.remaining).copy()
    lanes = range(frame.n) if frame.lanes is None else frame.lanes.tolist()
    reasons = np.zeros(frame.n, dtype=np.uint8)
    results: list[Any] = []
    rows = zip(*(column.decode() for column in args), strict=True) if args else [()] * frame.n
    for k, (lane, function, values) in enumerate(zip(lanes, functions, rows, strict=True)):
        value, error, left = attempt(function, values, int(remaining[lane]))
        reasons[k] = Reason.of(error)
        if error is None:
            results.append(value)
        remaining[lane] = max(left, -1)  # an overdraft may exceed int64
    operation.remaining[:] = xp.asarray(remaining)
    if not reasons.any():
        return encode(results)
    frame.fail_for(xp.asarray(reasons))
    if reasons.all():
        frame.lost = True
        return Uniform((), frame.n)
    return _fill_in(xp.asarray(np.flatnonzero(reasons == 0)), encode(results), frame.n)
