"""The language's registry: `LANGUAGE`, and the decorator that adds a primitive to it."""

from __future__ import annotations

from runtime.arc.constants import CONSTANTS
from runtime.engine.registry import Language

LANGUAGE = Language(inputs=("S", "I", "C"), constants=CONSTANTS)

primitive = LANGUAGE.primitive
