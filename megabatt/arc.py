"""ARC's language: its primitives as plain functions, and the parts of a primitive of your own.

    from megabatt.arc import *                                          # the plain functions
    from megabatt.arc import Grid, Integer, charges, compiled, machine, primitive

primitive, compiled    decorators that declare a primitive, and its compiled form
Grid, Integer, ...     declared types of parameters and results
charges                charges of calls: measures of grids, patches and containers
machine                functions for compiled forms
LANGUAGE               the language itself
"""

from __future__ import annotations

from megabatt.runtime import arc
from megabatt.runtime.arc import charges as charges
from megabatt.runtime.arc import types
from megabatt.runtime.engine.machine import prelude

machine = prelude
globals().update({name: getattr(arc, name) for name in arc.__all__})
globals().update({name: getattr(types, name) for name in types.__all__})

__all__ = sorted([*arc.__all__, "charges", "machine"])
