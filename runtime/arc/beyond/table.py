"""The table of the primitives that arc-dsl does not have, and the decorator that adds one."""

from __future__ import annotations

from megabatt.runtime.engine.language.registry import Primitives

BEYOND = Primitives()

primitive = BEYOND.primitive
