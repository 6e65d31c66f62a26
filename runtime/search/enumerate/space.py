"""Where enumerations keep what they make."""

from __future__ import annotations

from typing import Protocol

from megabatt.runtime.engine.plan.store import Store

_BETWEEN_LOOKS = 16
"""How often it is asked whether memory is left, between two looks."""


class _Sized(Protocol):
    @property
    def nbytes(self) -> int: ...


class Space:
    """One store for the values of several enumerations, and memory that all of them share.

    most_bytes: about how much they may take; seconds_calling: what their calls have taken.
    """

    def __init__(self, most_bytes: int = 1 << 30) -> None:
        self.most_bytes = most_bytes
        self.seconds_calling = 0.0
        self.store = Store()
        self._parts: list[_Sized] = [self.store]
        self._asked = 0
        self._full = False

    @property
    def nbytes(self) -> int:
        """About how much memory is taken."""
        return sum(part.nbytes for part in self._parts)

    def count(self, *parts: _Sized) -> None:
        """Count from now on what these take too."""
        self._parts += parts

    def is_full(self) -> bool:
        """Tell whether no more values are kept, for want of memory."""
        self._asked += 1
        if self._asked % _BETWEEN_LOOKS == 0:
            self._full = self.nbytes > self.most_bytes
        return self._full
