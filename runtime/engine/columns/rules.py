"""Rules: primitives on columns."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

from megabatt.runtime.engine.columns.base import Column
from megabatt.runtime.engine.device.arrays import Array
from megabatt.runtime.engine.language.registry import the_primitive

F = TypeVar("F", bound=Callable[..., Any])


class Cast(NamedTuple):
    """A column cast to a declared type.

    failed: The lanes whose values are of another type, bool (n,), or None for no lane; the column
    has no meaning in these lanes. never: Whether the layout excludes the type; then the other
    fields have no meaning.
    """

    column: Column
    failed: Array | None = None
    never: bool = False


def rule(function: F) -> Callable[[Callable[..., Column]], F]:
    """Declare the rule of primitive `function`: (frame, *columns) -> column.

    The columns are cast to the declared types and have `frame.n` lanes, at least one. The rule
    flags failures on the frame, and may return any value in failed lanes. A declared charge is paid
    after the rule, unless the rule pays it (`frame.pay`). The rule must make the body's other
    charges. Give the rule the primitive's name, which still means the scalar form afterwards.
    """
    primitive = the_primitive(function)

    def declare(body: Callable[..., Column]) -> F:
        primitive.declare_rule(body)
        return function

    return declare
