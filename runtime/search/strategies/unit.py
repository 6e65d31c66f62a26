"""What a search is made of: units of work, and the strategies that give them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from megabatt.runtime.search.found import Outcome
from megabatt.runtime.search.state import State
from megabatt.runtime.search.workroom import Workroom


class Unit(Protocol):
    """Work that depends on no other unit of its round, for any process to do: a dataclass.

    It is pickled: its class is one of a module or of the script.

    Attributes:
        programs: About how many programs it tries; where that is more than the budget, it is given
            less.
    """

    @property
    def programs(self) -> int: ...

    def run(self, room: Workroom) -> Outcome:
        """Do the work, and return what was tried and found."""


class Strategy(Protocol):
    """Gives the units of each round, by what is known before the round and by nothing else.

    Attributes:
        name: The name of the strategy, which no other one has.
    """

    name: str

    def units(self, state: State) -> Sequence[Unit]:
        """Return the units of the next round; none if there is nothing to try in it."""
