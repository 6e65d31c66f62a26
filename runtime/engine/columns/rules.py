"""Rules: what a primitive does to columns."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

from megabatt.runtime.engine.columns.base import Column
from megabatt.runtime.engine.device.arrays import Array
from megabatt.runtime.engine.language.registry import the_primitive

F = TypeVar("F", bound=Callable[..., Any])


class Cast(NamedTuple):
    """A column as a declared type takes it.

    failed: the lanes whose values are not of the type, bool (n,), or None for no lane. The column
    counts in the other lanes alone. never: the layout alone says that no lane is of the type;
    nothing else counts then.
    """

    column: Column
    failed: Array | None = None
    never: bool = False


def rule(function: F) -> Callable[[Callable[..., Column]], F]:
    """Declare what primitive `function` does to columns: (frame, *columns) -> column.

    The columns come cast to the declared types and have `frame.n` lanes, at least one. The rule
    flags failures on the frame and gives any value in the lanes that fail. A declared charge is
    paid after the rule, unless the rule pays it itself (`frame.pay`). What the body charges
    besides, the rule charges too. It is defined under the primitive's name, which goes on to mean
    the scalar form.
    """
    primitive = the_primitive(function)

    def declare(body: Callable[..., Column]) -> F:
        primitive.declare_rule(body)
        return function

    return declare
