"""The workroom of a search's units: in each process, the tasks, and trials of programs on tasks."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

import numpy as np

from megabatt.runtime.megabatch.evaluation import Evaluation, Evaluator, evaluate_each
from megabatt.runtime.megabatch.run.hardware import opened
from megabatt.runtime.megabatch.workload import Workload
from megabatt.runtime.printable import short
from megabatt.runtime.program import Program, Word, key_of, names_in
from megabatt.runtime.search.found import Found, Near, Outcome
from megabatt.runtime.search.grammar import Counts, Grammar, Parts
from megabatt.runtime.search.problems import Problem
from megabatt.runtime.search.typed import Vocabulary
from megabatt.runtime.search.wide import Late, Wide

_FITS_TRIED = 48
"""The most programs of a batch, right on a task's first demonstration, that are tried further."""
_NEAR_KEPT = 2
"""The most near programs of a batch that are kept for each task."""
_LEAST_CLOSENESS = 0.1
"""The least closeness with which a program comes near."""


_FIRST_PART, _MOST_GROWTH = 100, 4
_PART_SECONDS = 1.0
"""The first part of the programs that are tried on all tasks before a deadline; the most times that
a part is as large as the one before; the seconds that a part should take."""
_AGAIN_AT_ONCE = 1024
"""The programs on tasks that are tried again at once."""
_MORE = 8
"""The factor that raises an operation's limit for a program that does not fit because of it."""

PROCESS_BYTES = 2 << 30
"""The bytes that a process of a search may take, unless the caller gives fewer."""


class Workroom:
    """Tries programs on tasks. It does not have the expected outputs of tests.

    Attributes:
        workload: The workload of the tasks.
        problems: All tasks, by name.
        seeds: The known programs.
        grammar: Gives the programs' costs.
        most_elements: The raised limit of an operation, for retries and for all samples of a task.
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
        memory: int = PROCESS_BYTES,
    ) -> None:
        """Set up the room on a device.

        deadline: The `time.time()` after which units stop early. per_task: The most seconds that a
        unit takes for each of its tasks. memory: The approximate bytes that the process may take.
        """
        self.workload = workload
        self.problems = {problem.name: problem for problem in problems}
        self.seeds = list(seeds)
        self.grammar = grammar
        self.device = device
        self.max_elements = max_elements
        self.deadline = deadline
        self.per_task = per_task
        self.memory = memory
        limit = workload.language.max_elements if max_elements is None else max_elements
        self.most_elements = max(limit, min(_MORE * limit, workload.language.max_elements))
        firsts = [problem.samples[0] for problem in problems]
        self.wide = Wide(workload, firsts, limit, opened(device))

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the grammar's parts. Other processes load its language with the workload."""
        problems = list(self.problems.values())
        return _opened, (self.workload, problems, self.seeds, self.grammar.parts, self._options())

    def _options(self) -> dict[str, Any]:
        names = ("device", "max_elements", "deadline", "per_task", "memory")
        return {name: getattr(self, name) for name in names}

    def until(self, deadline: float) -> Workroom:
        """Return this room with another deadline."""
        return self._with(deadline=deadline)

    def with_problem(self, problem: Problem) -> Workroom:
        """Return this room with a problem that replaces the problem of the same name."""
        return self._with(problems={**self.problems, problem.name: problem})

    def _with(self, **changed: Any) -> Workroom:
        made = object.__new__(type(self))  # `copy` would pickle, and so open another room
        vars(made).update(vars(self), **changed)
        return made

    def on(self, problems: Sequence[Problem], seeds: Sequence[Program]) -> Workroom:
        """Return a room like this one for other problems and seeds, without a deadline."""
        options = {**self._options(), "deadline": float("inf")}
        return Workroom(self.workload, problems, seeds, self.grammar, **options)

    @property
    def late(self) -> bool:
        """Whether the deadline is over, so that units must stop with their results so far."""
        return time.time() > self.deadline

    def end_of_tasks(self, count: int) -> float:
        """Return the `time.monotonic()` at which a unit of `count` tasks, begun now, must stop."""
        if self.per_task is None:
            return float("inf")
        return time.monotonic() + self.per_task * count

    def grammar_for(self, problem: Problem) -> Grammar:
        """Return the grammar for one task: constants that the samples make unlikely are rare."""
        return self.grammar.with_rare(self.workload.unlikely_constants(list(problem.samples)))

    # Every program on every task

    def try_on_all(self, programs: Sequence[Program], origins: Sequence[str]) -> Outcome:
        """Try programs on all tasks, and return those that fit or come near.

        All programs run on the first demonstration of each task. The cheapest programs that are
        right there run on all samples of the task. Programs that the deadline cuts off do not count
        as tried.

        Args:
            programs: The programs. Repeated programs are tried once, but all are counted.
            origins: What made each program.

        Returns:
            An outcome that a unit may return as it is; it counts the programs as tried.

        Raises:
            ValueError: If not every program has an origin.
        """
        outcome = Outcome(len(programs))
        programs, origins = _distinct(programs, origins)
        outcome.distinct = len(programs)
        if not programs:
            return outcome
        with timed(outcome, "first demonstrations"):
            closeness = self._closeness(programs)
        if len(closeness) < len(programs):
            outcome.tried = outcome.distinct = len(closeness)
            programs = programs[: len(closeness)]
        costs = np.array([self.grammar.cost(program) for program in programs])
        pairs = _first_of_each(closeness == 1, costs)
        with timed(outcome, "other demonstrations"):
            names = list(self.problems)
            outcome.found = self.examined(
                [programs[k] for k, _ in pairs],
                [origins[k] for k, _ in pairs],
                [names[task] for _, task in pairs],
            )
        outcome.near = self._near(programs, costs, closeness)
        return outcome

    def _closeness(self, programs: Sequence[Program]) -> np.ndarray[Any, Any]:
        """Measure how close programs come on the first demonstrations, see `Rated`.

        The deadline may cut off the last programs.
        """
        parts = [np.zeros((0, len(self.problems)), dtype=np.float32)]
        at, count = 0, len(programs) if self.deadline == float("inf") else _FIRST_PART
        with suppress(Late):
            while at < len(programs):
                began = time.monotonic()
                parts.append(self._closeness_at_once(programs[at : at + count]))
                at += count
                rate = count / max(time.monotonic() - began, 1e-6)
                count = max(1, min(int(rate * _PART_SECONDS), _MOST_GROWTH * count))
        return np.concatenate(parts)

    def _closeness_at_once(self, programs: Sequence[Program]) -> np.ndarray[Any, Any]:
        """Do `_closeness`, or raise Late.

        Programs that failed by the limit are tried again with `most_elements`.
        """
        closeness, limited = self.wide.rated(programs, self.deadline)
        again = np.argwhere(limited).tolist()
        firsts = [[problem.samples[0]] for problem in self.problems.values()]
        for at in range(0, len(again), _AGAIN_AT_ONCE):
            if self.late:
                raise Late
            some = again[at : at + _AGAIN_AT_ONCE]
            evaluations = self.each([(programs[k], firsts[task]) for k, task in some], "none")
            for (k, task), one in zip(some, evaluations, strict=True):
                if one.fits[0]:
                    closeness[k, task] = 1
        return closeness

    def each(self, pairs: Sequence[tuple[Program, Any]], outputs: str) -> list[Evaluation]:
        """Evaluate each program on its own samples; operations may build `most_elements`."""
        return evaluate_each(
            pairs,
            device=self.device,
            max_elements=self.most_elements,
            workload=self.workload,
            outputs=outputs,
            blind=True,
            workers=1,
        )

    def evaluator(self, samples: Sequence[Any]) -> Evaluator:
        """Make an evaluator whose programs do not see the expected outputs.

        Args:
            samples: The samples, such as a problem's. An evaluation's `matches` tell the samples on
                which a program is right.
        """
        return Evaluator(
            list(samples),
            device=self.device,
            max_elements=self.max_elements,
            workload=self.workload,
            blind=True,
            workers=1,
        )

    def fitting(
        self, programs: Sequence[Program], origins: Sequence[str], tasks: Sequence[str]
    ) -> list[Found]:
        """Find the programs that fit their tasks, with their outputs for the tests.

        Args:
            programs: The programs.
            origins: What made each program.
            tasks: The name of the task that each program is tried on.
        """
        return [one for one in self.examined(programs, origins, tasks) if not one.missed]

    def examined(
        self, programs: Sequence[Program], origins: Sequence[str], tasks: Sequence[str]
    ) -> list[Found]:
        """Find the programs that fit at least one demonstration of their tasks, as in `fitting`."""
        problems = {name: list(problem.samples) for name, problem in self.problems.items()}
        pairs = [(program, problems[task]) for program, task in zip(programs, tasks, strict=True)]
        evaluations = self.each(pairs, "all")
        found = []
        for origin, task, one in zip(origins, tasks, evaluations, strict=True):
            found += self._found(self.problems[task], one, [origin])
        return found

    def guessed_on(
        self, problem: Problem, programs: Sequence[Program], origins: Sequence[str]
    ) -> list[Found]:
        """Find the programs that fit at least one demonstration, with their outputs for tests.

        Programs that do not fit all demonstrations are guesses.
        """
        if not programs:
            return []
        samples = self.evaluator(problem.samples)
        evaluation = samples.evaluate(programs, outputs="all")
        return self._found(problem, evaluation, origins)

    def _found(
        self, problem: Problem, evaluation: Evaluation, origins: Sequence[str]
    ) -> list[Found]:
        """Return the programs of an evaluation that fit at least one demonstration."""
        right = self._right(problem, evaluation).sum(axis=1)
        computed = (evaluation.failed >= 0).all(axis=1)
        return [
            Found(
                problem.name, program := evaluation.programs[k], self.grammar.cost(program),
                self.outputs_of(evaluation, k, problem), origins[k],
                missed=problem.demonstrations - int(right[k]),
            )
            for k in np.flatnonzero(computed & (right > 0)).tolist()
        ]  # fmt: skip

    def _right(self, problem: Problem, evaluation: Evaluation) -> np.ndarray[Any, Any]:
        """Flag the demonstrations that programs fit; bool (programs, demonstrations).

        Programs that read what demonstrations show must fit the whole demonstrations too.
        """
        right = evaluation.matches[:, : problem.demonstrations].copy()
        programs = evaluation.programs
        some = np.flatnonzero(right.any(axis=1)).tolist()
        reading = [k for k in some if self._reads_shared(programs[k])]
        whole = self.each([(programs[k], problem.whole) for k in reading], "none")
        for k, one in zip(reading, whole, strict=True):
            right[k] &= one.matches[0]
        return right

    def _reads_shared(self, program: Program) -> bool:
        words = names_in([*program.operations, (program.returns,)])
        return not set(self.workload.shared).isdisjoint(words)

    def outputs_of(self, evaluation: Evaluation, program: int, problem: Problem) -> tuple[Any, ...]:
        """Return a program's test outputs. evaluation: On all of the problem's samples."""
        places = range(problem.demonstrations, len(problem.samples))
        return tuple(evaluation.output(program, k) for k in places)

    def _near(
        self,
        programs: Sequence[Program],
        costs: np.ndarray[Any, Any],
        closeness: np.ndarray[Any, Any],
    ) -> list[Near]:
        """Find the programs that came nearest to each task on its first demonstration."""
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
        """Find the programs that fit a task, with their outputs for its tests.

        A unit returns the programs found as `Outcome(tried=len(programs), found=...)`.

        Args:
            problem: One of `problems.values()`.
            programs: The programs.
            origins: What made each program.
        """
        return self.fitting(programs, origins, [problem.name] * len(programs))


def _opened(
    workload: Workload[Any],
    problems: list[Problem],
    seeds: list[Program],
    grammar: Parts,
    options: dict[str, Any],
) -> Workroom:
    return Workroom(workload, problems, seeds, grammar_of(workload, *grammar), **options)


def grammar_of(
    workload: Workload[Any],
    counts: Counts,
    vocabulary: str = "",
    primitives: Collection[str] | None = None,
    rare: Collection[Word] = (),
) -> Grammar:
    """Make the grammar of a workload's language with these counts.

    vocabulary: The name of the allowed primitives; "" for all. primitives: These primitives; by
    default the workload's of that name. rare: As in `Grammar`. Raises ValueError if the workload
    has no vocabulary of this name, or no `draws`.
    """
    if vocabulary and primitives is None and vocabulary not in workload.vocabularies:
        known = ", ".join(workload.vocabularies) or "none"
        raise ValueError(
            f"workload {workload.name} has no vocabulary {short(vocabulary)}: there is {known}"
        )
    if workload.draws is None:
        raise ValueError(f"workload {workload.name} does not say what to make programs of (draws)")
    held_to = workload.vocabularies.get(vocabulary) if primitives is None else primitives
    return Grammar(Vocabulary(workload.draws, vocabulary, held_to), counts, rare)


def _distinct(
    programs: Sequence[Program], origins: Sequence[str]
) -> tuple[list[Program], list[str]]:
    """Return the first of equal programs, with their origins.

    Raises ValueError if not every program has an origin.
    """
    if len(programs) != len(origins):
        raise ValueError(f"{len(programs)} programs have {len(origins)} origins")
    seen: dict[str, tuple[Program, str]] = {}
    for program, origin in zip(programs, origins, strict=True):
        seen.setdefault(key_of(program), (program, origin))
    return [program for program, _ in seen.values()], [origin for _, origin in seen.values()]


def _first_of_each(
    matches: np.ndarray[Any, Any], costs: np.ndarray[Any, Any]
) -> list[tuple[int, int]]:
    """List pairs (program, task) that match: for each task, the cheapest programs."""
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
