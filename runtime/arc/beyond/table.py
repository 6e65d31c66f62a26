"""The table of the primitives that arc-dsl lacks, and the decorators that add to the table."""

from __future__ import annotations

from megabatt.runtime.engine.language.registry import Primitives
from megabatt.runtime.engine.machine.forms import compiled as compiled

BEYOND = Primitives()

primitive = BEYOND.primitive
