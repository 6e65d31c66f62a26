"""The core's table, `CORE`, and the decorator that adds a primitive to it."""

from __future__ import annotations

from megabatt.runtime.engine.language.registry import Primitives

CORE = Primitives()

primitive = CORE.primitive
