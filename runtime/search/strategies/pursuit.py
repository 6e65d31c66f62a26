"""The strategy that changes programs near to a task, again and again, on that task alone."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from random import Random

import numpy as np

from megabatt.runtime.megabatch.evaluation import Evaluator
from megabatt.runtime.program import Program, key_of
from megabatt.runtime.search.found import Near, Outcome, best_of
from megabatt.runtime.search.mutation import Mutator
from megabatt.runtime.search.problems import Problem
from megabatt.runtime.search.state import State
from megabatt.runtime.search.strategies.unit import Unit
from megabatt.runtime.search.workroom import Workroom, timed


class Pursuit:
    """Programs that came near to a task, changed again and again on that task alone.

    Each round has some unfitted tasks, the least pursued first. All finds are guesses: most
    programs that fitted training tasks were wrong. tasks: The tasks of a round. programs: The
    programs that a turn tries on a task.
    """

    name = "pursuit"

    def __init__(self, tasks: int = 12, programs: int = 1500) -> None:
        self._tasks = tasks
        self._programs = programs

    def units(self, state: State) -> list[Unit]:
        turns: dict[str, int] = state.memory.setdefault(self.name, {})
        left = [p for p in state.problems if p.name not in state.finds and p.name in state.near]
        order = {problem.name: k for k, problem in enumerate(left)}
        chosen = sorted(order, key=lambda name: (turns.get(name, 0), order[name]))[: self._tasks]
        units: list[Unit] = []
        for name in chosen:
            turn = turns[name] = turns.get(name, 0) + 1
            key = f"{state.key}:pursuit:{name}:{turn}"
            units.append(Chase(name, tuple(state.near.by_task[name]), self._programs, key))
        return units


_GENERATION = 250
_ELITE = 32
_VERIFIED = 12
"""The most programs of a generation that are examined because they fit, or failed by the limit."""
_GUESSES = 4
"""The most programs of a generation that are examined because they fit some demonstrations."""


@dataclass(frozen=True)
class Chase:
    """Generations of programs on one task: the closest so far are changed and crossed."""

    task: str
    near: tuple[Near, ...]
    programs: int
    key: str

    def run(self, room: Workroom) -> Outcome:
        problem = room.problems[self.task]
        outcome = Outcome()
        with timed(outcome, "pursuit"):
            _Generations(room, problem, self, outcome).run()
        return outcome


class _Generations:
    """The generations of a chase."""

    def __init__(self, room: Workroom, problem: Problem, chase: Chase, outcome: Outcome) -> None:
        self._room = room
        self._problem = problem
        self._chase = chase
        self._outcome = outcome
        self._mutator = Mutator(room.grammar_for(problem))
        self._evaluator: Evaluator = room.evaluator(problem.shown)
        self._seen: set[str] = set()
        self._elite: list[Near] = []

    def run(self) -> None:
        parents = [near.program for near in self._chase.near]
        self._try(parents, [f"near to {self._problem.name}"] * len(parents))
        generation = 0
        ends = self._room.end_of_tasks(1)
        while self._outcome.tried < self._chase.programs and self._elite:
            if self._room.late or time.monotonic() > ends:
                break
            programs, origins = self._next(generation)
            if not programs:
                break
            self._try(programs, origins)
            generation += 1
        self._outcome.near = self._elite

    def _next(self, generation: int) -> tuple[list[Program], list[str]]:
        """Make a generation of programs not tried before, and their origins."""
        made: dict[str, tuple[Program, str]] = {}
        for k in range(_GENERATION):
            rng = Random(f"{self._chase.key}:{generation}:{k}")
            program, origin = self._child(rng)
            if program is not None:
                key = key_of(program)
                if key not in self._seen:
                    self._seen.add(key)
                    made[key] = program, origin
        return [program for program, _ in made.values()], [origin for _, origin in made.values()]

    def _child(self, rng: Random) -> tuple[Program | None, str]:
        parent = self._drawn(rng)
        chance = rng.random()
        if chance < 0.65:
            child = self._mutator.varied(parent, rng)
            for _ in range(rng.choice((0, 0, 1))):
                child = None if child is None else self._mutator.varied(child, rng)
            return child, f"pursuit from {parent.name}"
        seeds = self._room.seeds
        other = self._drawn(rng) if chance < 0.85 or not seeds else rng.choice(seeds)
        return self._mutator.crossed(parent, other, rng), (
            f"pursuit from {parent.name} and {other.name}"
        )

    def _drawn(self, rng: Random) -> Program:
        """Draw one of the closest programs so far, the closer the likelier."""
        return self._elite[int(len(self._elite) * rng.random() ** 2)].program

    def _try(self, programs: Sequence[Program], origins: Sequence[str]) -> None:
        room, outcome = self._room, self._outcome
        evaluation = self._evaluator.evaluate(programs, outputs="none", closeness=True)
        outcome.tried += len(programs)
        outcome.distinct += len(programs)
        assert evaluation.closeness is not None
        close = evaluation.closeness.mean(axis=1)
        costs = [room.grammar.cost(program) for program in programs]
        name = self._problem.name
        new = [
            Near(name, program, float(share), cost)
            for program, share, cost in zip(programs, close, costs, strict=True)
        ]
        self._elite = best_of([*self._elite, *new], _ELITE)
        fits = np.flatnonzero(evaluation.fits | evaluation.limited)
        chosen = sorted(fits.tolist(), key=lambda k: (not evaluation.fits[k], costs[k]))[:_VERIFIED]
        right = evaluation.matches.sum(axis=1) * ~evaluation.fits
        chosen += [k for k in np.lexsort((costs, -right))[:_GUESSES].tolist() if right[k]]
        if chosen:
            found = room.examined(
                [programs[k] for k in chosen], [origins[k] for k in chosen], [name] * len(chosen)
            )
            outcome.found += [replace(one, doubt=1) for one in found]
