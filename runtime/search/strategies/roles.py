"""Strategies of one task at a time, on samples whose colors are replaced by their roles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from megabatt.runtime.program import Program
from megabatt.runtime.search.found import Outcome
from megabatt.runtime.search.mutation import conjugated
from megabatt.runtime.search.state import State
from megabatt.runtime.search.strategies.unit import Unit
from megabatt.runtime.search.workroom import Workroom


class OfTask(Unit, Protocol):
    """A unit on one task."""

    @property
    def task(self) -> str: ...


class OfTasks(Protocol):
    """A strategy whose units are on one task each."""

    name: str

    def units(self, state: State) -> Sequence[OfTask]: ...


class InRoles:
    """Runs strategies of one task at a time on samples in roles.

    For each program found, a program is tried that puts the input in roles, runs the program, and
    turns the result back. The strategy begins in the second round, with unfitted tasks. All finds
    are guesses: in measurements, more finds were wrong than right.
    """

    name = "roles"

    def __init__(self, strategies: Sequence[OfTasks]) -> None:
        """Make the strategy. strategies: Strategies of one task at a time, which are renamed."""
        self._strategies = strategies
        for strategy in strategies:
            strategy.name = f"{strategy.name} in roles"

    def units(self, state: State) -> list[Unit]:
        """Return the units of the next round."""
        if not state.round:
            return []
        return [
            Recast(unit, unit.programs) for one in self._strategies for unit in one.units(state)
        ]


@dataclass(frozen=True)
class Recast:
    """A unit on a task whose samples are in roles."""

    unit: OfTask
    programs: int

    @property
    def task(self) -> str:
        """The task's name."""
        return self.unit.task

    def run(self, room: Workroom) -> Outcome:
        """Do the unit, and let the room examine the found programs, turned back to colors."""
        problem, roles = room.problems[self.task], room.workload.roles
        samples = room.workload.in_roles(list(problem.samples))
        known = roles is not None and room.grammar.vocabulary.has([roles.there, roles.back])
        if roles is None or samples is None or not known:
            return Outcome()
        unit = replace(self.unit, programs=self.programs)  # type: ignore[type-var]
        outcome = unit.run(room.with_problem(replace(problem, samples=tuple(samples))))
        doubt: dict[Program, int] = {}
        origins = []
        for one in outcome.found:
            whole = conjugated(one.program, roles.there, roles.back, roles.input, (roles.input,))
            if whole not in doubt:
                doubt[whole] = one.doubt
                origins.append(f"{one.origin}, in roles")
        found = room.guessed_on(problem, list(doubt), origins)
        outcome.found = [replace(one, doubt=1 + doubt[one.program]) for one in found]
        outcome.near = []
        return outcome
