"""The grid language: types, constants and primitives, a family of primitives a file.

`beyond` adds primitives that arc-dsl lacks. The combinators, and the primitives on containers of
any kind, come from `runtime/core`.

`from megabatt.runtime.arc import *` gives the primitives as plain functions on plain values, and
the constants. `LANGUAGE` is their registry; `primitive` and `compiled` add to it.
"""

from importlib import import_module

from megabatt.runtime.arc.beyond import BEYOND
from megabatt.runtime.arc.language import LANGUAGE, compiled, primitive
from megabatt.runtime.core import CORE, dictionaries, operators, reals
from megabatt.runtime.engine.language.values import fails

_NAMES = (
    "arithmetic beyond.completing beyond.mirroring beyond.roles beyond.spreading cells grids lines "
    "measures objects painting patches relations scaling search slicing"
)
FAMILIES = [import_module(f"{__name__}.{name}") for name in _NAMES.split()]
"""The modules that declare ARC's own primitives. Importing a module registers its primitives."""

LANGUAGE.include(BEYOND)
ARC_DSL = LANGUAGE.primitives.keys() - BEYOND.primitives - {
    name for name, primitive in CORE.primitives.items()
    if primitive.module in (dictionaries.__name__, operators.__name__, reals.__name__)
}  # fmt: skip
"""The names of the primitives that arc-dsl has."""

globals().update(LANGUAGE.constants)
globals().update({name: p.function for name, p in LANGUAGE.primitives.items()})

__all__ = [*LANGUAGE.primitives, *LANGUAGE.constants, "LANGUAGE", "compiled", "fails", "primitive"]
