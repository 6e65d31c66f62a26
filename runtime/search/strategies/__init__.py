"""The strategies of a search, each of which gives every round units of work.

unit          the protocols of strategies and units
everywhere    programs that are tried on all tasks: seeds, and programs made of known programs
pursuit       programs that came near to a task, changed again and again, on that task
roles         layers and rules on grids whose colors are replaced by their roles
(layers)      images put on one another: a folder of its own
(rules)       cells colored by the values of images there: a folder of its own
(enumerate)   programs of a task from the bottom up, the likeliest first: a folder of its own
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from megabatt.runtime.printable import short
from megabatt.runtime.search.enumerate.strategy import FromBelow
from megabatt.runtime.search.layers.strategy import Layers
from megabatt.runtime.search.rules.strategy import Rules
from megabatt.runtime.search.strategies.everywhere import (
    Conjugation,
    Crossing,
    Mutation,
    Seeds,
    Substitution,
)
from megabatt.runtime.search.strategies.pursuit import Pursuit
from megabatt.runtime.search.strategies.roles import InRoles
from megabatt.runtime.search.strategies.unit import Strategy, Unit

__all__ = [
    "STRATEGIES",
    "Conjugation",
    "Crossing",
    "FromBelow",
    "InRoles",
    "Layers",
    "Mutation",
    "Pursuit",
    "Rules",
    "Seeds",
    "Strategy",
    "Substitution",
    "Unit",
    "strategies_named",
]


def roles() -> Strategy:
    """Make the strategy `roles` of the strategies that use images."""
    return InRoles([Layers(tasks=(24,)), Rules()])


STRATEGIES: dict[str, Callable[[], Strategy]] = {
    strategy.name: strategy
    for strategy in (
        Seeds,
        Layers,
        Rules,
        Conjugation,
        Substitution,
        Mutation,
        Crossing,
        Pursuit,
        FromBelow,
    )
}
STRATEGIES[InRoles.name] = roles
"""The default strategies of a search, by name."""


def strategies_named(names: Iterable[str]) -> list[Strategy]:
    """Make the strategies of these names. Raises ValueError for an unknown name."""
    unknown = [name for name in names if name not in STRATEGIES]
    if unknown:
        raise ValueError(f"no strategy {short(unknown[0])}: there are {', '.join(STRATEGIES)}")
    return [STRATEGIES[name]() for name in names]
