"""The language: types, constants and primitives, a family of primitives a file.

`from runtime.arc import *` gives the primitives as plain functions on plain values, and the
constants. `LANGUAGE` is their registry; `primitive` and `rule` add to it.
"""

from __future__ import annotations

from runtime.arc import (
    arithmetic,
    cells,
    containers,
    functions,
    grids,
    lines,
    logic,
    mapping,
    measures,
    objects,
    painting,
    patches,
    ranking,
    relations,
    scaling,
    search,
    slicing,
    tuples,
)
from runtime.arc.language import LANGUAGE, primitive
from runtime.engine.registry import rule
from runtime.engine.values import fails

FAMILIES = (
    arithmetic,
    cells,
    containers,
    functions,
    grids,
    lines,
    logic,
    mapping,
    measures,
    objects,
    painting,
    patches,
    ranking,
    relations,
    scaling,
    search,
    slicing,
    tuples,
)
"""The modules that declare the primitives; importing them is what registers these."""

globals().update(LANGUAGE.constants)
globals().update({name: p.function for name, p in LANGUAGE.primitives.items()})

__all__ = [*LANGUAGE.primitives, *LANGUAGE.constants, "LANGUAGE", "fails", "primitive", "rule"]
