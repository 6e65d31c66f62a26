"""The core's table, `CORE`, and the decorators that add a primitive and its compiled form."""

from __future__ import annotations

from megabatt.runtime.engine.language.registry import Primitives
from megabatt.runtime.engine.machine.forms import compiled as compiled

CORE = Primitives()

primitive = CORE.primitive
