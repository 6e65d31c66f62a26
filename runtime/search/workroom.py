"""Where units of a search are done: in each process the tasks, and programs tried on them."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import Any

import numpy as np

from megabatt.runtime.megabatch.evaluation import Evaluation, Evaluator, evaluate_each
from megabatt.runtime.megabatch.run.hardware import opened
from megabatt.runtime.megabatch.workload import Workload
from megabatt.runtime.program import Program
from megabatt.runtime.search.found import Found, Near, Outcome
from megabatt.runtime.search.grammar import Counts, Grammar
from megabatt.runtime.search.inverses import inverses_of
from megabatt.runtime.search.problems import Problem
from megabatt.runtime.search.wide import Wide

_FITS_TRIED = 48
"""Of a batch's programs right on a first demonstration, how many are tried on the others."""
_NEAR_KEPT = 2
"""Of a batch of programs, how many that come near are kept for each task."""
_LEAST_CLOSENESS = 0.1
"""Below this a program does not come near."""


class Workroom:
    """Tries programs on tasks; what is expected of tests it does not have.

    problems: all tasks, by name. seeds: the programs that are known. grammar: what programs cost
    by.
    """

    def __init__(
        self,
        workload: Workload[Any],
        problems: Sequence[Problem],
        seeds: Sequence[Program],
        grammar: Grammar,
        *,
        device: str = "cpu",
        max_elements: int | None = None,
        deadline: float = float("inf"),
        per_task: float | None = None,
    ) -> None:
        """deadline: of `time.time()`, after which units stop early; per_task: the most seconds of
        a unit that is of one task."""
        self.workload = workload
        self.problems = {problem.name: problem for problem in problems}
        self.seeds = list(seeds)
        self.grammar = grammar
        self.device = device
        self.max_elements = max_elements
        self.deadline = deadline
        self.per_task = per_task
        limit = workload.language.max_elements if max_elements is None else max_elements
        firsts = [problem.samples[0] for problem in problems]
        self.wide = Wide(workload, firsts, limit, opened(device))

    def __reduce__(self) -> tuple[Any, ...]:
        """Other processes have the workload, and the grammar's language, from its module."""
        options = {
            name: getattr(self, name) for name in ("device", "max_elements", "deadline", "per_task")
        }
        problems = list(self.problems.values())
        return _opened, (self.workload, problems, self.seeds, self.grammar.counts, options)

    @property
    def late(self) -> bool:
        """Whether a unit is to stop with what it has."""
        return time.time() > self.deadline

    def end_of_task(self) -> float:
        """When a unit of one task that begins now is to stop, of `time.monotonic()`."""
        return float("inf") if self.per_task is None else time.monotonic() + self.per_task

    def grammar_for(self, problem: Problem) -> Grammar:
        """The grammar for one task: constants of which its samples have nothing are rare."""
        return self.grammar.with_rare(self.workload.unlikely_constants(list(problem.samples)))

    @cached_property
    def inverses(self) -> list[tuple[str, str, str]]:
        """Pairs of primitives of which the second takes back the first, after an input's name.

        Found by trying: on all first demonstrations, of which the first leaves some changed.
        """
        return inverses_of(self)

    # Every program on every task

    def try_on_all(self, programs: Sequence[Program], origins: Sequence[str]) -> Outcome:
        """Try programs on all tasks: on their first demonstrations, where right on the others.

        origins: what made each program.
        """
        outcome = Outcome(len(programs))
        programs, origins = _distinct(programs, origins)
        outcome.distinct = len(programs)
        if not programs:
            return outcome
        with timed(outcome, "first demonstrations"):
            closeness = self.wide.closeness(programs)
        costs = np.array([self.grammar.cost(program) for program in programs])
        pairs = _first_of_each(closeness == 1, costs)
        with timed(outcome, "other demonstrations"):
            names = list(self.problems)
            outcome.found = self.fitting(
                [programs[k] for k, _ in pairs],
                [origins[k] for k, _ in pairs],
                [names[task] for _, task in pairs],
            )
        outcome.near = self._near(programs, costs, closeness)
        return outcome

    def evaluator(self, samples: Sequence[Any]) -> Evaluator:
        """An evaluator whose programs see nothing of what is expected."""
        return Evaluator(
            list(samples),
            device=self.device,
            max_elements=self.max_elements,
            workload=self.workload,
            blind=True,
        )

    def fitting(
        self, programs: Sequence[Program], origins: Sequence[str], tasks: Sequence[str]
    ) -> list[Found]:
        """Those of programs that fit a task, each its own, with what they give for its tests.

        origins: what made each program.
        """
        problems = {name: list(problem.samples) for name, problem in self.problems.items()}
        evaluations = evaluate_each(
            [(program, problems[task]) for program, task in zip(programs, tasks, strict=True)],
            device=self.device,
            max_elements=self.max_elements,
            workload=self.workload,
            blind=True,
        )
        found = []
        for program, origin, task, one in zip(programs, origins, tasks, evaluations, strict=True):
            if one.fits[0]:
                outputs = self.outputs_of(one, 0, self.problems[task])
                found.append(Found(task, program, self.grammar.cost(program), outputs, origin))
        return found

    def outputs_of(self, evaluation: Evaluation, program: int, problem: Problem) -> tuple[Any, ...]:
        """What a program gave for the tests, in an evaluation on all of a problem's samples."""
        places = range(problem.demonstrations, len(problem.samples))
        return tuple(evaluation.output(program, k) for k in places)

    def _near(
        self,
        programs: Sequence[Program],
        costs: np.ndarray[Any, Any],
        closeness: np.ndarray[Any, Any],
    ) -> list[Near]:
        """The programs that came nearest to each task on its first demonstration."""
        near = []
        for task, problem in enumerate(self.problems.values()):
            of_task = closeness[:, task]
            order = np.lexsort((costs, -of_task))[:_NEAR_KEPT]
            near += [
                Near(problem.name, programs[k], float(of_task[k]), float(costs[k]))
                for k in order
                if of_task[k] >= _LEAST_CLOSENESS
            ]
        return near

    # Programs on one task

    def found_on(
        self, problem: Problem, programs: Sequence[Program], origins: Sequence[str]
    ) -> list[Found]:
        """Those of programs that fit a task, with what they give for its tests."""
        return self.fitting(programs, origins, [problem.name] * len(programs))


def _opened(
    workload: Workload[Any],
    problems: list[Problem],
    seeds: list[Program],
    counts: Counts,
    options: dict[str, Any],
) -> Workroom:
    return Workroom(workload, problems, seeds, grammar_of(workload, counts), **options)


def grammar_of(workload: Workload[Any], counts: Counts) -> Grammar:
    """The grammar of a workload's language with these counts.

    Raises ValueError where the workload does not say what programs are made of.
    """
    if workload.draws is None:
        raise ValueError(f"workload {workload.name} does not say what to make programs of (draws)")
    return Grammar(workload.draws, counts)


def _distinct(
    programs: Sequence[Program], origins: Sequence[str]
) -> tuple[list[Program], list[str]]:
    """Programs that are not the same, the first of each."""
    seen: dict[Any, tuple[Program, str]] = {}
    for program, origin in zip(programs, origins, strict=True):
        seen.setdefault((program.operations, program.returns), (program, origin))
    return [program for program, _ in seen.values()], [origin for _, origin in seen.values()]


def _first_of_each(
    matches: np.ndarray[Any, Any], costs: np.ndarray[Any, Any]
) -> list[tuple[int, int]]:
    """Pairs (program, task) that match, of each task those of least cost."""
    pairs = []
    for task in np.flatnonzero(matches.any(axis=0)).tolist():
        matching = np.flatnonzero(matches[:, task])
        order = np.argsort(costs[matching], kind="stable")[:_FITS_TRIED]
        pairs += [(k, task) for k in matching[order].tolist()]
    return pairs


@contextmanager
def timed(outcome: Outcome, stage: str) -> Iterator[None]:
    began = time.process_time()
    yield
    spent = time.process_time() - began
    outcome.seconds[stage] = outcome.seconds.get(stage, 0.0) + spent
