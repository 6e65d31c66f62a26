"""A primitive's rule beside its scalar form, lane by lane."""

from __future__ import annotations

from typing import Any

import numpy as np

from megabatt.runtime.engine.columns import Uniform, encode
from megabatt.runtime.engine.columns.dispatch import call
from megabatt.runtime.engine.columns.rules import Frame, Operation
from megabatt.runtime.engine.language.limits import MAX_ELEMENTS
from megabatt.runtime.engine.language.reasons import Reason
from megabatt.runtime.engine.language.sequential import attempt
from megabatt.runtime.engine.language.values import identical


def on_columns(function: Any, lanes: list[Any], limit: int = MAX_ELEMENTS) -> tuple[Any, Frame]:
    """Call a function on columns; return the column of its results, and the frame of the call."""
    frame = Frame(Operation(len(lanes), limit), len(lanes))
    columns = [encode(list(column)) for column in zip(*lanes, strict=True)]
    return call(frame, Uniform(function, len(lanes)), columns), frame


def assert_same_on_columns(
    function: Any, lanes: list[Any], limit: int = MAX_ELEMENTS, same: Any = identical
) -> Frame:
    """Check that columns have the scalar form's values, reasons and charges; return the frame."""
    results, frame = on_columns(function, lanes, limit)
    reasons, left = frame.reasons.tolist(), frame.operation.remaining.tolist()
    for args, value, reason, rest in zip(lanes, results.decode(), reasons, left, strict=True):
        with np.errstate(all="ignore"):
            expected, error, of_scalar = attempt(function, args, limit)
        told = f"{function.__name__}{args}: scalar {error or expected!r}, columns {value!r}"
        assert Reason(reason) == Reason.of(error), told
        if error is None:
            assert same(expected, value), told
            assert rest == of_scalar, f"{told}: {of_scalar} and {rest} elements are left"
    return frame
