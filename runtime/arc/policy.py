"""The grid language's policy: the range of Integers; pairs and cells weigh one."""

from __future__ import annotations

from megabatt.runtime.engine.language.limits import LimitError
from megabatt.runtime.engine.language.policy import Policy

INTEGER_MIN, INTEGER_MAX = -(2**31), 2**31 - 1
"""Both ends are included."""


def integer(value: int) -> int:
    """Return `value`, if it is within the language's Integers. Raises LimitError otherwise."""
    if -2147483648 <= value <= 2147483647:
        return value
    raise LimitError("an Integer out of range")


POLICY = Policy(integers=(INTEGER_MIN, INTEGER_MAX), has_complex=False, places_weigh_one=True)
