"""The memory that an enumeration may take."""

from __future__ import annotations

from typing import Protocol

_BETWEEN_LOOKS = 16
"""The calls of `is_full` from one count of the memory to the next."""


class _Sized(Protocol):
    @property
    def nbytes(self) -> int: ...


class Space:
    """The memory for an enumeration. most_bytes: The approximate bytes that it may take."""

    def __init__(self, most_bytes: int = 1 << 30) -> None:
        self.most_bytes = most_bytes
        self._parts: list[_Sized] = []
        self._asked = 0
        self._full = False

    @property
    def nbytes(self) -> int:
        """The approximate bytes in use."""
        return sum(part.nbytes for part in self._parts)

    def count(self, *parts: _Sized) -> None:
        """Count the memory of these parts too from now on."""
        self._parts += parts

    def is_full(self) -> bool:
        """Tell whether no more values are kept, for want of memory."""
        self._asked += 1
        if self._asked % _BETWEEN_LOOKS == 0:
            self._full = self.nbytes > self.most_bytes
        return self._full
