"""An operation in all lanes of its columns, in parts if memory or the stack is short."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from megabatt.runtime.engine.columns import Column, Uniform, scatter
from megabatt.runtime.engine.columns.dispatch import call, host_call
from megabatt.runtime.engine.columns.frames import Frame, Operation
from megabatt.runtime.engine.device.arrays import Array, where_set, xp
from megabatt.runtime.engine.device.device import SUM, TooMuchAtOnce, current, most_at_once, room
from megabatt.runtime.engine.device.scheduling import ask

Note = Callable[[Frame, "Array | None"], None]
"""Called after each call of an operation with the frame, and the frame's lanes of the operation,
int64; None for all."""


def operate(
    function: Column, args: list[Column], default: Any, max_elements: int, reasons: Array,
    note: Note,
) -> Column:  # fmt: skip
    """Call each lane's function on its arguments. A lane that fails gets the default.

    reasons: uint8 (lanes,), zeros; gets the known reasons of failures. A call that outgrows memory
    or the interpreter's stack is made in parts, down to single lanes by the scalar form. Raises
    MemoryError if the device lacks memory for existing values, and the scalar form's error if
    memory or the stack is short.
    """
    column, frame = _made(function, args, max_elements, reasons, note, None)
    if frame is not None and frame.lost:
        return Uniform(default, len(function))
    if frame is None or frame.flagged:
        return with_default(column, reasons != 0, default)
    return column


def _made(
    function: Column, args: list[Column], max_elements: int, reasons: Array, note: Note,
    lanes: Array | None,
) -> tuple[Column, Frame | None]:  # fmt: skip
    """Make the call in the operation's lanes `lanes`; None for all.

    Returns the result, and the frame; None for the frame if the call was made in parts.
    """
    n = len(function)
    frame = Frame(Operation(n, max_elements), n, known=reasons if lanes is None else None)
    room.limited = True
    try:
        column = call(frame, function, args)
    except (MemoryError, RecursionError) as error:
        if current().exhausted(error):
            raise  # the batch's values alone fill the device
        room.limited = False  # results of the scalar form go into columns without a limit
        lanes = xp.arange(n) if lanes is None else lanes
        if n > 1:
            parts = []
            for part in _parts(n, error):
                some = function.take(part), [column.take(part) for column in args]
                column, _ = _made(*some, max_elements, reasons, note, lanes[part])
                parts.append((part, column))
            return scatter(parts, n), None
        frame = Frame(Operation(n, max_elements), n)
        column = host_call(frame, function.decode(), args)
    finally:
        room.limited = False
    if lanes is not None:
        reasons[lanes] = frame.reasons
    note(frame, lanes)
    return column, frame


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
        parts = max(2, -(-error.elements * 5 // (4 * most_at_once())))
    parts = min(parts, lanes)
    return [xp.arange(first, lanes, parts, dtype=xp.int64) for first in range(parts)]


def with_default(column: Column, failed: Array, default: Any) -> Column:
    """Return the column with the safe default in the failed lanes (bool (n,)).

    If the default fits the result's layout, as most do, the host need not wait for the flags.
    """
    held = column.defaulted(failed, default)
    if held is not None:
        return held
    n = len(column)
    defaults = where_set(failed)
    if not len(defaults):
        return column
    if len(defaults) == n:
        return Uniform(default, n)
    lanes = where_set(~failed)
    return scatter([(lanes, column.take(lanes)), (defaults, Uniform(default, len(defaults)))], n)
