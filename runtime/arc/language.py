"""What primitives are declared with: the registry, `LANGUAGE`, and decorators that add to it.

primitive, compiled   the decorators: a scalar form, a compiled form (compiled_as: a shared one)
charge, integer       what scalar forms call
m                     what compiled forms call
"""

from megabatt.runtime.core import CORE
from megabatt.runtime.core.table import charge, compiled, compiled_as, m
from megabatt.runtime.engine.language.limits import LimitError
from megabatt.runtime.engine.language.policy import Policy, use_by_default
from megabatt.runtime.engine.language.registry import Language

__all__ = ["LANGUAGE", "charge", "compiled", "compiled_as", "integer", "m", "primitive"]

POLICY = Policy(integers=(-(2**31), 2**31 - 1), has_complex=False, places_weigh_one=True)


def integer(value: int) -> int:
    """Return `value`, if it is within the language's Integers. Raises LimitError otherwise."""
    if -2147483648 <= value <= 2147483647:
        return value
    raise LimitError("an Integer out of range")


CONSTANTS = {
    "F": False, "T": True,
    "ZERO": 0, "ONE": 1, "TWO": 2, "THREE": 3, "FOUR": 4, "FIVE": 5, "SIX": 6, "SEVEN": 7,
    "EIGHT": 8, "NINE": 9, "TEN": 10, "NEG_ONE": -1, "NEG_TWO": -2,
    "DOWN": (1, 0), "RIGHT": (0, 1), "UP": (-1, 0), "LEFT": (0, -1),
    "ORIGIN": (0, 0), "UNITY": (1, 1), "NEG_UNITY": (-1, -1), "UP_RIGHT": (-1, 1),
    "DOWN_LEFT": (1, -1), "ZERO_BY_TWO": (0, 2), "TWO_BY_ZERO": (2, 0), "TWO_BY_TWO": (2, 2),
    "THREE_BY_THREE": (3, 3),
}  # fmt: skip

LANGUAGE = Language(
    inputs=("S", "I", "C"), shared="S", expected="C",
    constants=CONSTANTS, policy=POLICY,
    operators={"+": "add", "-": "subtract", "*": "multiply", "//": "divide", ">": "greater"},
)  # fmt: skip
LANGUAGE.include(CORE, defaults={"astuple": (0, 0)})
use_by_default(LANGUAGE.policy)

primitive = LANGUAGE.primitive
