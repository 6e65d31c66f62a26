"""Compiled forms of the language removed or replaced for a while."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from megabatt.runtime.arc import LANGUAGE
from megabatt.runtime.engine.machine import linking
from megabatt.runtime.engine.machine.functions import Routine


@contextmanager
def form_of(name: str, compiled: Routine | None) -> Iterator[None]:
    """Give a primitive another compiled form, or none. Heaps made before keep the old form."""
    primitive = LANGUAGE.primitives[name]
    kept = primitive.compiled
    primitive.compiled = compiled
    linking._head_of.cache_clear()
    try:
        yield
    finally:
        primitive.compiled = kept
        linking._head_of.cache_clear()
