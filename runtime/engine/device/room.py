"""How many elements an operation may lay out at once."""

from __future__ import annotations

import threading

from megabatt.runtime.engine.device.device import current
from megabatt.runtime.engine.language.policy import policy


class TooMuchAtOnce(MemoryError):
    """An operation would lay out too many elements at once: its lanes must be split."""

    def __init__(self, elements: int) -> None:
        super().__init__(f"{elements} elements at once")
        self.elements = elements


class Room(threading.local):
    """Whether the limit applies: only within an operation, in its thread."""

    def __init__(self) -> None:
        self.limited = False


room = Room()


def most_at_once() -> int:
    """Return how many elements may be laid out at once.

    That is what the device has room for, or less where the language in use says so.
    """
    limit = policy().most_at_once
    most = current().most_elements
    return most if limit is None else min(most, limit)


def require_room(elements: int) -> int:
    """Return `elements` if so many may be laid out at once. Raises TooMuchAtOnce otherwise."""
    if room.limited and elements > most_at_once():
        raise TooMuchAtOnce(elements)
    return elements
