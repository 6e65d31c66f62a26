"""The table of the primitives that arc-dsl lacks, and what they are declared with."""

from megabatt.runtime.core.table import charge, compiled, compiled_as, m
from megabatt.runtime.engine.language.registry import Primitives

__all__ = ["BEYOND", "charge", "compiled", "compiled_as", "m", "primitive"]

BEYOND = Primitives()

primitive = BEYOND.primitive
