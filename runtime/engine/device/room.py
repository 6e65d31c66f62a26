"""The number of elements that an operation may lay out at once."""

from __future__ import annotations

import threading

from megabatt.runtime.engine.device.device import current
from megabatt.runtime.engine.language.policy import policy


class TooMuchAtOnce(MemoryError):
    """Raised if an operation would lay out too many elements at once, and must split its lanes."""

    def __init__(self, elements: int) -> None:
        super().__init__(f"{elements} elements at once")
        self.elements = elements


class Room(threading.local):
    """Whether the limit applies in this thread, as it does within an operation."""

    limited = False


room = Room()


def most_at_once() -> int:
    """Return the number of elements that may be laid out at once.

    The device sets the number, unless the language in use allows fewer.
    """
    limit = policy().most_at_once
    most = current().most_elements
    return most if limit is None else min(most, limit)


def require_room(elements: int) -> int:
    """Return `elements` if they may be laid out at once. Raises TooMuchAtOnce otherwise."""
    if room.limited and elements > most_at_once():
        raise TooMuchAtOnce(elements)
    return elements
