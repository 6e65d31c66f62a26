"""The protocols of a search's parts: units of work, and the strategies that give units."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from megabatt.runtime.search.found import Outcome
from megabatt.runtime.search.state import State
from megabatt.runtime.search.workroom import Workroom


class Unit(Protocol):
    """Work that depends on no other unit of its round, for any process to do: a dataclass.

    Units are pickled, so a unit's class must be one of a module or of the script.

    Attributes:
        programs: The approximate number of programs that the unit tries; the search lowers it to
            the rest of the budget.
    """

    @property
    def programs(self) -> int: ...

    def run(self, room: Workroom) -> Outcome:
        """Do the work, and return what was tried and found."""


class Strategy(Protocol):
    """Gives the units of each round, which depend only on the state before the round.

    Attributes:
        name: The name of the strategy, which no other strategy has.
    """

    name: str

    def units(self, state: State) -> Sequence[Unit]:
        """Return the units of the next round; none if there is nothing to try in it."""
