"""Writes the finds of a search to files. Programs whose forms disagree are not written."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

from megabatt.runtime.megabatch.run.workers import LocalEngine, Rescue, computed, workers
from megabatt.runtime.megabatch.verify.compare import LaneOutcome, TookTooLong, find
from megabatt.runtime.megabatch.workload import Workload
from megabatt.runtime.printable import printable
from megabatt.runtime.program import Program, as_json, names_in
from megabatt.runtime.search.found import Found
from megabatt.runtime.search.problems import Problem
from megabatt.runtime.vocabulary import counted, name_of

WRITTEN = 3
"""The most programs of a task that are written: the number of attempts in the paper."""

PATIENCE = 10.0
"""The seconds of a program's scalar form after which the program is not compared further."""


@dataclass(frozen=True)
class Verified:
    """Programs whose forms agree, by task and the best first; and lines on the other programs.

    problems: A line for each task with programs left out, with the reason of the first.
    not_compared: A line for each task with programs kept that were not compared to the end.
    """

    by_task: dict[str, list[Found]]
    problems: list[str]
    not_compared: list[str]


@dataclass
class _Verdict:
    """The verdict on a task's programs. slow: The number of programs not compared to the end."""

    task: str
    right: list[Found] = field(default_factory=list)
    objections: list[str] = field(default_factory=list)
    slow: int = 0

    @property
    def left_out(self) -> str:
        return f"task {self.task}: {counted(len(self.objections), 'program')}: {self.objections[0]}"

    def not_compared(self, seconds: float) -> str:
        count = counted(self.slow, "program")
        return f"task {self.task}: {count}: the scalar form takes longer than {seconds:g} s"


_OfTask = tuple[Problem, Sequence[Found]]


def verified(
    workload: Workload[Any],
    problems: Iterable[Problem],
    found: Mapping[str, Sequence[Found]],
    progress: Callable[[int], object] = lambda samples: None,
    *,
    seconds: float = PATIENCE,
    processes: int = 1,
) -> Verified:
    """Keep the programs whose forms agree and give the found outputs under the language's limit.

    Both forms run on all samples of a program's task. For each task, a line gives the number of
    programs left out, with the reason of the first; another line gives the number of programs kept
    although their scalar form takes longer than `seconds`. progress: Called with the number of
    samples done.
    """
    of_tasks = [(problem, found[problem.name]) for problem in problems if problem.name in found]
    verdicts = {}
    judge = partial(_verdict, workload, seconds)
    for (problem, programs), verdict in _each(judge, of_tasks, processes):
        verdicts[problem.name] = verdict
        progress(len(problem.samples) * len(programs))
    in_order = [verdicts[problem.name] for problem, _ in of_tasks]
    lines = [verdict.left_out for verdict in in_order if verdict.objections]
    slow = [verdict.not_compared(seconds) for verdict in in_order if verdict.slow]
    by_task = {verdict.task: verdict.right for verdict in in_order if verdict.right}
    return Verified(by_task, lines, slow)


def _each(
    judge: Callable[[_OfTask], _Verdict], of_tasks: Sequence[_OfTask], processes: int
) -> Iterator[tuple[_OfTask, _Verdict]]:
    """Yield tasks with their verdicts, in the order in which processes finish the tasks."""
    if processes == 1:
        yield from ((one, judge(one)) for one in of_tasks)
        return

    def lost(one: _OfTask, why: str) -> _Verdict:
        return _Verdict(one[0].name, objections=[why] * len(one[1]))

    with workers(processes) as mine:
        yield from computed(LocalEngine(mine), judge, of_tasks, Rescue(lambda one: [], lost))


def _verdict(workload: Workload[Any], seconds: float, one: _OfTask) -> _Verdict:
    problem, programs = one
    verdict = _Verdict(problem.name)
    for program in programs:
        try:
            objection = _objection(workload, problem, program, seconds)
        except TookTooLong:
            objection = ""
            verdict.slow += 1
        if objection:
            verdict.objections.append(objection)
        else:
            verdict.right.append(program)
    return verdict


def _objection(workload: Workload[Any], problem: Problem, found: Found, seconds: float) -> str:
    """Say why a program must not be written; "" if it may be written."""
    program = found.program
    outcomes: list[list[LaneOutcome]] = []
    tests = problem.samples[problem.demonstrations :]
    hidden = [workload.unanswered(sample) for sample in (*problem.whole, *tests)]
    limit = workload.language.max_elements
    with workload.language.in_use():
        finding = find(workload, program, hidden, limit, keep=outcomes, seconds=seconds)
    if finding is not None:
        return f"its forms differ, {finding}"
    targets = [target for target, *_ in program.operations]
    if program.returns in targets:
        last = len(targets) - 1 - targets[::-1].index(program.returns)
        values = [outcome.value for outcome in outcomes[last]]
    else:
        values = [getattr(sample, str(program.returns)) for sample in hidden]
    same = workload.language.same
    expected = [sample.expected for sample in problem.shown] + list(found.outputs)
    of_no_matter = problem.demonstrations if found.missed else 0
    for k, (value, other) in enumerate(zip(values, expected, strict=True)):
        if k >= of_no_matter and not same(value, other):
            return f"wrong where {limit:,} elements are allowed, not only as many as in the search"
    return ""


# solvers.py


def solvers_source(
    found: Mapping[str, Sequence[Found]],
    inputs: Sequence[str],
    workload: Workload[Any],
    guesses: bool | None = None,
) -> str:
    """Return an operation list of the first attempts of each task, named by `solver_names`.

    guesses: True for guesses only, False for fits only; names are those among all attempts. A
    comment above each program names its primitives beyond a vocabulary of the workload.
    """
    best = {task: programs[:WRITTEN] for task, programs in found.items()}
    names = solver_names({task: len(programs) for task, programs in best.items()})
    parts = ['"""Programs that `megabatt search` has found."""\n']
    for task, programs in best.items():
        for place, one in enumerate(programs, 1):
            if guesses is None or one.guess == guesses:
                found_after = f"; found after {counted(one.tried, 'program')}" if one.tried else ""
                about = (
                    f"# task {task!r}: {one.cost:.1f} bits; {printable(one.origin)}{found_after}"
                    f"{_beyond(one.program, workload)}"
                )
                parts.append(f"{about}\n{code_of(one.program, inputs, names[task, place])}")
    return "\n\n".join(parts)


def _beyond(program: Program, workload: Workload[Any]) -> str:
    """Return a note on the program's primitives that vocabularies do not have."""
    words = {word for word in names_in(program.operations) if isinstance(word, str)}
    used = words & workload.language.primitives.keys()
    return "".join(
        f"; beyond {name}: {', '.join(sorted(beyond))}"
        for name, primitives in workload.vocabularies.items()
        if (beyond := used.difference(primitives))
    )


def solver_names(counts: Mapping[str, int]) -> dict[tuple[str, int], str]:
    """Name the functions of programs, by task and by place among the task's programs, from 1.

    counts: The number of programs of each task. The best program of a task is solve_TASK, the next
    is solve_2_TASK and so on, with `name_of` the task. If another function has that name, or the
    name of its vectorized form, the next number is taken. At each place, tasks whose ids `name_of`
    does not change come first, shorter ids before longer ids.
    """
    names: dict[tuple[str, int], str] = {}
    taken: set[str] = set()
    every = [(task, place) for task, most in counts.items() for place in range(1, most + 1)]
    for task, place in sorted(every, key=_turn):
        numbered = (f"solve_{k}_" if k > 1 else "solve_" for k in count(place))
        candidates = (f"{start}{name_of(task)}" for start in numbered)
        name = next(name for name in candidates if taken.isdisjoint(_functions_of(name)))
        taken.update(_functions_of(name))
        names[task, place] = name
    return names


def _turn(one: tuple[str, int]) -> tuple[int, bool, int]:
    task, place = one
    return place, name_of(task) != task, len(task)


def _functions_of(name: str) -> tuple[str, str]:
    """Name the functions that a solver is compiled to."""
    return name, f"{name}_vectorized"


def code_of(program: Program, inputs: Sequence[str], name: str = "solve") -> str:
    """Return a program as the source of a function."""
    return program._replace(name=name).source(inputs) + "\n"


def write_whole(path: Path, text: str) -> None:
    """Write a file, whole or not at all. Raises OSError that names the file."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        temporary.write_text(text, encoding="utf-8")
        os.replace(temporary, path)
    except OSError as error:
        raise OSError(error.errno, error.strerror or str(error), str(path)) from error
    finally:
        temporary.unlink(missing_ok=True)


# search.log


class Log:
    """search.log: a line for each program that was found or improved, as it happens."""

    def __init__(self, path: Path, goes_on: bool) -> None:
        self._file = path.open("a" if goes_on else "w", encoding="utf-8")

    def write(self, kind: str, found: Found) -> None:
        event = {
            "event": kind,
            "task": found.task,
            "seconds": round(found.seconds, 2),
            "tried": found.tried,
            "cost": round(found.cost, 2),
            "operations": found.size,
            "origin": found.origin,
            "program": [list(map(as_json, row)) for row in found.program.operations],
            "returns": as_json(found.program.returns),
        }
        self._file.write(json.dumps(event) + "\n")
        self._file.flush()

    def close(self) -> None:
        with suppress(OSError):  # of a full disk, which `write` has reported
            self._file.close()
