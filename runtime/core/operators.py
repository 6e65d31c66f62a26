"""What people write as Python's operators, by the names of the field."""

from __future__ import annotations

from megabatt.runtime.core.table import primitive
from megabatt.runtime.core.types import Any
from megabatt.runtime.engine.language.values import truth
from megabatt.runtime.engine.machine import prelude as m
from megabatt.runtime.engine.machine.forms import compiled


@primitive(chooses=True)
def if_else(condition: Any, a: Any, b: Any) -> Any:
    """Return a where the condition is true, as Python has it, else b."""
    return a if truth(condition) else b


@compiled(if_else)
def if_else(heap, condition, a, b):
    return a if m.truth(condition) else b
