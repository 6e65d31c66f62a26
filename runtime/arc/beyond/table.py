"""The table of the primitives that arc-dsl lacks, and what they are declared with."""

from megabatt.runtime.engine.language.limits import charge
from megabatt.runtime.engine.language.registry import Primitives
from megabatt.runtime.engine.machine import prelude as m
from megabatt.runtime.engine.machine.forms import compiled, compiled_as

__all__ = ["BEYOND", "charge", "compiled", "compiled_as", "m", "primitive"]

BEYOND = Primitives()

primitive = BEYOND.primitive
