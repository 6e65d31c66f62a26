"""The language: its table of primitives, its constants, and its inputs."""

from __future__ import annotations

from typing import Any

from megabatt.language import CORE, Language, identical


def same(a: Any, b: Any) -> bool:
    """Tell whether two results are the same, reals up to rounding."""
    if a.__class__ is float and b.__class__ is float:
        return a == b or abs(a - b) <= 1e-9
    return identical(a, b)


LANGUAGE = Language(
    inputs=("W", "X"),  # a station's weights, which its series share, and a series
    constants={"ONE": 1.0, "TWO": 2.0, "HALF": 0.5, "T": True, "F": False},
    shared="W",
    unknown_default=0.0,
    same=same,
)
LANGUAGE.include(CORE)

primitive = LANGUAGE.primitive
