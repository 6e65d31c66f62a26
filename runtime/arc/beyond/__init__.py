"""Primitives that arc-dsl lacks and searches for programs need, a family a file.

completing  grids completed by the patterns that they show
mirroring   grids completed by the symmetries that they show
spreading   colors that flow over black cells or are smeared over them; pieces that fall
roles       colors by their roles
"""

from megabatt.runtime.core.table import charge, compiled, compiled_as, m
from megabatt.runtime.engine.language.registry import Primitives

__all__ = ["BEYOND", "charge", "compiled", "compiled_as", "m", "primitive"]

BEYOND = Primitives()

primitive = BEYOND.primitive
