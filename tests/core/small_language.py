"""A small language that includes the core: no grids, other inputs, other safe defaults."""

from __future__ import annotations

from megabatt.runtime.arc.integers import integer
from megabatt.runtime.core import CORE
from megabatt.runtime.core.types import Integer
from megabatt.runtime.engine.columns import Ints
from megabatt.runtime.engine.columns.rules import rule
from megabatt.runtime.engine.language.policy import Policy
from megabatt.runtime.engine.language.registry import Language
from megabatt.runtime.engine.language.values import fails

LANGUAGE = Language(
    inputs=("A", "B"),
    constants={"ONE": 1, "HEAD": CORE.primitives["first"].function},
    unknown_default=-2,
    policy=Policy(integers=(-(2**31), 2**31 - 1), max_elements=100),
)
LANGUAGE.include(CORE, defaults={"first": -1, "astuple": (0, 0, 0)})


@LANGUAGE.primitive
def twice(n: Integer) -> Integer:
    """Return the Integer added to itself."""
    return integer(2 * n)


@rule(twice)
def twice(frame, n):
    doubled = 2 * n.data
    frame.fail((doubled < LANGUAGE.policy.integers[0]) | (doubled > LANGUAGE.policy.integers[1]))
    return Ints(doubled)


globals().update(LANGUAGE.constants)
globals().update({name: p.function for name, p in LANGUAGE.primitives.items()})

__all__ = ["fails"]
