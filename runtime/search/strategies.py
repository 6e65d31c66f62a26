"""What a search tries next: strategies, each of which gives a round its units of work.

Seeds         the programs that are known, on all tasks
Mutation      one change to a program that is known, on all tasks
Crossing      two programs that are known made one, on all tasks
Pursuit       what came near to a task, changed again and again, on that task
FromBelow     programs of a task from the bottom up, the likeliest first (`enumerate`)
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, Protocol

import numpy as np

from megabatt.runtime.megabatch.evaluation import Evaluator
from megabatt.runtime.program import Program
from megabatt.runtime.search.enumerate.strategy import FromBelow
from megabatt.runtime.search.found import Near, Outcome, best_of
from megabatt.runtime.search.mutation import Mutator
from megabatt.runtime.search.problems import Problem
from megabatt.runtime.search.state import State
from megabatt.runtime.search.typed import canonical
from megabatt.runtime.search.workroom import Workroom, timed

_BLOCK = 1000
"""Programs of a unit that are tried on all tasks."""
_PARENTS = 10
"""Programs that those of a unit are made of: what they share is computed once."""


class Unit(Protocol):
    """Work that depends on no other of its round, and can be done in any process: a dataclass.

    programs: about how many it tries; where that is more than the budget, it is given less.
    """

    @property
    def programs(self) -> int: ...

    def run(self, room: Workroom) -> Outcome: ...


class Strategy(Protocol):
    """Gives the units of each round, by what is known before the round and by nothing else."""

    name: str

    def units(self, state: State) -> Sequence[Unit]: ...


# Programs that are tried on all tasks


@dataclass(frozen=True)
class Block:
    """Programs that are tried on all tasks.

    make: (room, number) -> programs with their origins; a function of a module. number: of the
    block, which all that is drawn depends on.
    """

    make: Callable[[Workroom, Block], tuple[list[Program], list[str]]]
    parents: tuple[Program, ...]
    programs: int
    key: str

    def run(self, room: Workroom) -> Outcome:
        made = Outcome()
        with timed(made, "programs made"):
            programs, origins = self.make(room, self)
        outcome = room.try_on_all(programs, origins)
        outcome.seconds.update(made.seconds)
        return outcome


class Seeds:
    """The programs that are known, once."""

    name = "seeds"

    def units(self, state: State) -> list[Unit]:
        if state.round:
            return []
        return [
            _block_of_seeds(state.seeds[at : at + _BLOCK])
            for at in range(0, len(state.seeds), _BLOCK)
        ]


def _block_of_seeds(seeds: Sequence[Program]) -> Block:
    return Block(_as_they_are, tuple(seeds), len(seeds), "")


class Mutation:
    """One change to a program that is known: the baseline of the CodeIt paper.

    The seeds come in turn, each of the same number of mutants. finds: whether what the search has
    found is changed too, in every other block once all seeds have had a turn.
    """

    name = "mutation"

    def __init__(self, blocks: int = 6, finds: bool = True) -> None:
        self._blocks = blocks
        self._finds = finds

    def units(self, state: State) -> list[Unit]:
        first = state.round * self._blocks
        return [self._block(state, first + k) for k in range(self._blocks)]

    def _block(self, state: State, number: int) -> Unit:
        key = f"{state.key}:mutation:{number}"
        parents = _in_turn(state.seeds, number * _PARENTS, _PARENTS, Random(f"{state.key}"))
        after = number * _PARENTS >= len(state.seeds)
        found = state.found_programs() if self._finds and after and number % 2 else []
        if found:
            parents = Random(key).sample(found, min(_PARENTS, len(found)))
        return Block(_exchanged, tuple(parents), _BLOCK, key)


class Crossing:
    """Two programs that are known made one: a value of one in the other, or one after the other."""

    name = "crossing"

    def __init__(self, blocks: int = 2) -> None:
        self._blocks = blocks

    def units(self, state: State) -> list[Unit]:
        return [self._block(state, state.round * self._blocks + k) for k in range(self._blocks)]

    def _block(self, state: State, number: int) -> Unit:
        key = f"{state.key}:crossing:{number}"
        known = [*state.seeds, *state.found_programs()]
        parents = Random(key).sample(known, min(_PARENTS, len(known)))
        return Block(_crossed, tuple(parents), _BLOCK, key)


def _in_turn(programs: Sequence[Program], first: int, count: int, rng: Random) -> list[Program]:
    """So many programs from a place on, in an order that is drawn, and begins again at its end."""
    order = rng.sample(range(len(programs)), len(programs))
    return [programs[order[(first + k) % len(order)]] for k in range(min(count, len(order)))]


def _as_they_are(room: Workroom, block: Block) -> tuple[list[Program], list[str]]:
    seeds = block.parents[: block.programs]
    return [canonical(seed) for seed in seeds], [f"seed {seed.name}" for seed in seeds]


def _exchanged(room: Workroom, block: Block) -> tuple[list[Program], list[str]]:
    mutator = Mutator(room.grammar)

    def one(parent: Program, rng: Random) -> tuple[Program | None, str]:
        return mutator.exchanged(parent, rng), f"mutation of {parent.name}"

    return _drawn(block, one)


def _crossed(room: Workroom, block: Block) -> tuple[list[Program], list[str]]:
    mutator = Mutator(room.grammar)

    def one(parent: Program, rng: Random) -> tuple[Program | None, str]:
        other = rng.choice(room.seeds)
        crossed = mutator.crossed(parent, other, rng)
        return crossed, f"crossing of {parent.name} and {other.name}"

    return _drawn(block, one)


_REDRAWN = 4
"""How often a program is drawn anew that is another of its block."""


def _drawn(
    block: Block, one: Callable[[Program, Random], tuple[Program | None, str]]
) -> tuple[list[Program], list[str]]:
    """The programs of a block, those of one parent side by side, and their origins."""
    made: dict[Any, tuple[Program, str]] = {}
    for k in range(block.programs):
        parent = block.parents[k * len(block.parents) // block.programs]
        for draw in range(_REDRAWN):
            program, origin = one(parent, Random(f"{block.key}:{k}:{draw}"))
            if program is not None and program[1:] not in made:
                made[program[1:]] = program, origin
                break
    return [program for program, _ in made.values()], [origin for _, origin in made.values()]


# Programs that are tried on one task


class Pursuit:
    """What came near to a task is changed again and again, on that task alone.

    Each round has some of the tasks that are not fitted, those first that were pursued least.
    tasks: of a round; programs: of a task.
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
"""Of the programs of a generation that fit, how many are looked at closer: the likeliest."""


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
        self._mutator = Mutator(room.grammar)
        self._evaluator: Evaluator = room.evaluator(problem.shown)
        self._seen: set[Any] = set()
        self._elite: list[Near] = []

    def run(self) -> None:
        parents = [near.program for near in self._chase.near]
        self._try(parents, [f"near to {self._problem.name}"] * len(parents))
        generation = 0
        limit = self._room.per_task
        ends = float("inf") if limit is None else time.monotonic() + limit
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
        """The programs of a generation, none of which was tried before."""
        made: dict[Any, tuple[Program, str]] = {}
        for k in range(_GENERATION):
            rng = Random(f"{self._chase.key}:{generation}:{k}")
            program, origin = self._child(rng)
            if program is not None:
                key = program[1:]
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
        other = self._drawn(rng) if chance < 0.85 else rng.choice(self._room.seeds)
        return self._mutator.crossed(parent, other, rng), (
            f"pursuit from {parent.name} and {other.name}"
        )

    def _drawn(self, rng: Random) -> Program:
        """One of the closest so far, the closer the likelier."""
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
        fits = np.flatnonzero(evaluation.fits)
        chosen = sorted(fits.tolist(), key=lambda k: costs[k])[:_VERIFIED]
        if chosen:
            outcome.found += room.found_on(
                self._problem, [programs[k] for k in chosen], [origins[k] for k in chosen]
            )


STRATEGIES: dict[str, Callable[[], Strategy]] = {
    strategy.name: strategy for strategy in (Seeds, Mutation, Crossing, Pursuit, FromBelow)
}
"""By their names, the strategies that a search has if it is not told otherwise."""


def strategies_named(names: Iterable[str]) -> list[Strategy]:
    """Strategies by their names. Raises ValueError where there is none of a name."""
    unknown = [name for name in names if name not in STRATEGIES]
    if unknown:
        raise ValueError(f"no strategy {unknown[0]!r}: there are {', '.join(STRATEGIES)}")
    return [STRATEGIES[name]() for name in names]
