"""What primitives are declared with: the registry, `LANGUAGE`, and decorators that add to it.

primitive, compiled   the decorators: a scalar form, a compiled form (compiled_as: a shared one)
charge, integer       what scalar forms call
m                     what compiled forms call
"""

from megabatt.runtime.arc.constants import CONSTANTS
from megabatt.runtime.arc.policy import POLICY, integer
from megabatt.runtime.core import CORE
from megabatt.runtime.core.table import charge, compiled, compiled_as, m
from megabatt.runtime.engine.language.policy import use_by_default
from megabatt.runtime.engine.language.registry import Language

__all__ = ["LANGUAGE", "charge", "compiled", "compiled_as", "integer", "m", "primitive"]

LANGUAGE = Language(
    inputs=("S", "I", "C"), shared="S", expected="C",
    constants=CONSTANTS, policy=POLICY,
    operators={"+": "add", "-": "subtract", "*": "multiply", "//": "divide", ">": "greater"},
)  # fmt: skip
LANGUAGE.include(CORE, defaults={"astuple": (0, 0)})
use_by_default(LANGUAGE.policy)

primitive = LANGUAGE.primitive
