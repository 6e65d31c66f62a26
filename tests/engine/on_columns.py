"""A primitive's rule beside its scalar form, lane by lane."""

from __future__ import annotations

from typing import Any

from megabatt.runtime.engine.columns import Uniform, encode
from megabatt.runtime.engine.columns.dispatch import call
from megabatt.runtime.engine.columns.frames import Frame, Operation
from megabatt.runtime.engine.language.limits import MAX_ELEMENTS
from megabatt.runtime.engine.language.values import identical, show
from tests.arc.lanes import scalar


def assert_same_on_columns(
    function: Any, lanes: list[tuple[Any, ...]], max_elements: int = MAX_ELEMENTS
) -> None:
    """Check that columns have the scalar form's values (types included), failures and charges."""
    n = len(lanes)
    operation = Operation(n, max_elements)
    frame = Frame(operation, n)
    columns = [encode(list(column)) for column in zip(*lanes, strict=True)]
    results = call(frame, Uniform(function, n), columns)
    assert len(results) == n
    values = results.decode()
    for lane, args in enumerate(lanes):
        succeeded, value, charged = scalar(function, args, max_elements)
        text = f"{getattr(function, '__name__', function)}({', '.join(map(show, args))})"
        if not succeeded:
            assert frame.reasons[lane], (
                f"{text}: scalar fails ({value!r}), columns give {show(values[lane])}"
            )
            continue
        assert not frame.reasons[lane], f"{text}: scalar gives {show(value)}, columns fail"
        assert identical(value, values[lane]), (
            f"{text}: scalar gives {show(value)}, columns {show(values[lane])}"
        )
        spent = max_elements - int(operation.remaining[lane])
        assert spent == charged, f"{text}: scalar charges {charged}, columns {spent}"
