"""The core's table, `CORE`, and what its primitives are declared with; as in `arc.language`."""

from megabatt.runtime.engine.language.limits import charge
from megabatt.runtime.engine.language.registry import Primitives
from megabatt.runtime.engine.machine import prelude as m
from megabatt.runtime.engine.machine.forms import compiled, compiled_as

__all__ = ["CORE", "charge", "compiled", "compiled_as", "m", "primitive"]

CORE = Primitives()

primitive = CORE.primitive
