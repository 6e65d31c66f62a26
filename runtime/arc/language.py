"""The registry: `LANGUAGE`, and the decorators that add a primitive and its compiled form."""

from __future__ import annotations

from megabatt.runtime.arc.constants import CONSTANTS
from megabatt.runtime.arc.policy import ArcPolicy
from megabatt.runtime.core import CORE
from megabatt.runtime.engine.language.policy import use_by_default
from megabatt.runtime.engine.language.registry import Language
from megabatt.runtime.engine.machine.forms import compiled as compiled

LANGUAGE = Language(
    inputs=("S", "I", "C"),
    constants=CONSTANTS,
    policy=ArcPolicy(),
    shared="S",
    expected="C",
    operators={"+": "add", "-": "subtract", "*": "multiply", "//": "divide", ">": "greater"},
)
LANGUAGE.include(CORE, defaults={"astuple": (0, 0)})
use_by_default(LANGUAGE.policy)

primitive = LANGUAGE.primitive
