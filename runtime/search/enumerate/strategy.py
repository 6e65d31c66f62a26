"""Enumeration as a strategy of a search: tasks in turn, deeper each time."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from megabatt.runtime.program import Program
from megabatt.runtime.search.enumerate.costs import Costs
from megabatt.runtime.search.enumerate.enumeration import Enumeration, RightValue
from megabatt.runtime.search.enumerate.space import Space
from megabatt.runtime.search.found import Near, Outcome
from megabatt.runtime.search.grammar import Grammar
from megabatt.runtime.search.problems import Problem
from megabatt.runtime.search.state import State
from megabatt.runtime.search.workroom import Workroom, timed

_A_PROGRAM = 100
"""The candidates that count as a program: they take about the time of a program on all tasks."""
_DEEPER = 4
"""The factor by which a task's candidates grow from turn to turn."""
_NEAR_GIVEN = 16
"""The most programs that came near whose values an enumeration begins with."""
_FITS_KEPT = 64
"""The fits after which the enumeration for a task ends: the first fits are the likeliest."""
_SHARE_OF_MEMORY = 0.375
"""The share of a process's memory that an enumeration's values and fingerprints may take."""


class FromBelow:
    """The likeliest programs of every unfitted task, from the bottom up.

    At the bottom are the inputs, and the values of the programs that came nearest to the task.
    tasks: The tasks of a round. programs: The programs of a task's first turn.
    """

    name = "enumeration"

    def __init__(self, tasks: int = 12, programs: int = 500, most: int = 64_000) -> None:
        """Make the strategy.

        most: A task has no further turn after a turn of at least this many programs.
        """
        self._tasks = tasks
        self._programs = programs
        self._most = most

    def units(self, state: State) -> list[Enumerated]:
        """Return the units of the next round; none in a language of columns, which has no bank."""
        if not state.grammar.vocabulary.language.of_words:
            return []
        done: dict[str, int] = state.memory.setdefault(self.name, {})
        left = [p.name for p in state.problems if p.name not in state.finds]
        open_tasks = [name for name in left if done.get(name, 0) < self._most]
        chosen = sorted(open_tasks, key=lambda name: done.get(name, 0))[: self._tasks]
        for name in chosen:
            done[name] = done.get(name, 0) * _DEEPER or self._programs
        return [Enumerated(name, done[name], _near_programs(state, name)) for name in chosen]


def _near_programs(state: State, task: str) -> tuple[Program, ...]:
    return tuple([one.program for one in state.near.by_task.get(task, ())[:_NEAR_GIVEN]])


@dataclass(frozen=True)
class Enumerated:
    """The enumeration of programs for a task.

    programs: The budget; a hundred candidates count as a program. near: Programs whose values the
    enumeration begins with.
    """

    task: str
    programs: int
    near: tuple[Program, ...] = ()

    def run(self, room: Workroom) -> Outcome:
        """Enumerate, and let the room examine the programs that fit or come nearest."""
        problem = room.problems[self.task]
        outcome = Outcome()
        with timed(outcome, "enumeration"):
            found = self._found(room, problem, outcome)
        fitting = [f.program for f in found if f.right == problem.demonstrations]
        if fitting:
            outcome.found += room.found_on(problem, fitting, ["enumeration"] * len(fitting))
        partly = [f.program for f in found[: _place_of_first_fit(problem, found)]]
        outcome.near += near_of(room, problem, partly[-2:])
        return outcome

    def _found(self, room: Workroom, problem: Problem, outcome: Outcome) -> list[RightValue]:
        """Return the right values, and note the number of candidates."""
        enumeration = enumeration_of(room, problem)
        enumeration.give(self.near)
        found: list[RightValue] = []
        ends = room.end_of_tasks(1)

        def going_on() -> bool:
            fits = sum(one.right == problem.demonstrations for one in found)
            return fits < _FITS_KEPT and not room.late and time.monotonic() < ends

        for one in enumeration.run(_A_PROGRAM * self.programs, going_on):
            found.append(one)
        outcome.candidates += enumeration.candidates
        outcome.tried += -(-enumeration.candidates // _A_PROGRAM)
        outcome.distinct = outcome.tried
        return found


def _place_of_first_fit(problem: Problem, found: Sequence[RightValue]) -> int:
    fits = (k for k, one in enumerate(found) if one.right == problem.demonstrations)
    return next(fits, len(found))


def enumeration_of(room: Workroom, problem: Problem) -> Enumeration:
    """Begin the enumeration of a problem's values, on demonstrations and tests."""
    workload = room.workload
    samples = list(problem.samples)
    names = room.grammar.vocabulary.inputs
    inputs = {name: [getattr(sample, name) for sample in samples] for name in names}
    expected = [sample.expected for sample in problem.shown]
    costs = costs_of(room.grammar).with_rare(workload.unlikely_constants(samples))
    space = Space(int(_SHARE_OF_MEMORY * room.memory))
    return Enumeration(costs, inputs, expected, space=space)


def near_of(room: Workroom, problem: Problem, programs: Sequence[Program]) -> list[Near]:
    """Measure how near programs come to the outputs of the demonstrations."""
    if not programs:
        return []
    evaluation = room.evaluator(problem.shown).evaluate(programs, outputs="none", closeness=True)
    assert evaluation.closeness is not None
    shares = evaluation.closeness.mean(axis=1).tolist()
    return [
        Near(problem.name, program, share, room.grammar.cost(program))
        for program, share in zip(programs, shares, strict=True)
    ]


@lru_cache(maxsize=1)
def costs_of(grammar: Grammar) -> Costs:
    """Return the grammar's costs as arrays, which take a second to make."""
    return Costs(grammar)
