"""Submissions as Kaggle takes them, written and scored; and a search's solutions as files."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from megabatt.runtime.arc.values import colors_of, extent_of, is_grid
from megabatt.runtime.arc.workload.data import Pair, Task, count_demonstrations, why_no_grid
from megabatt.runtime.arc.workload.sources import read_by_id
from megabatt.runtime.megabatch.checksums import writing_parquet
from megabatt.runtime.megabatch.data import DataError
from megabatt.runtime.megabatch.store import Store
from megabatt.runtime.megabatch.workload import Solution
from megabatt.runtime.printable import printable
from megabatt.runtime.vocabulary import counted

Submission = dict[str, list[dict[str, list[list[int]]]]]
"""By task id, for each test input of the task, {"attempt_1": grid, "attempt_2": grid}."""

ATTEMPTS = ("attempt_1", "attempt_2")
_MOST_SIDE = 30


@dataclass(frozen=True)
class Candidate:
    """A solver's outputs for a task.

    fits: Whether the solver is right on all demonstration pairs. right: On how many it is right.
    size: Of the program, in operations. outputs: By the number of the test pair, from 0.
    """

    solver: str
    fits: bool
    right: int
    size: int
    outputs: Mapping[int, Any]

    @property
    def rank(self) -> tuple[Any, ...]:
        """The sort key: fitting candidates first, then more pairs right, then shorter programs."""
        return not self.fits, -self.right, self.size, self.solver


def submission_of(
    tasks: Iterable[Task], candidates: Mapping[str, Sequence[Candidate]]
) -> Submission:
    """Make the submission for tasks from the solvers' candidates.

    candidates: By the task's name; test pairs are numbered as in the task, read or not. A test
    input's attempts are the first two different grids of the candidates right on some demonstration
    pair, in order of rank. If there are fewer grids, the input itself follows, then a black cell,
    then a blue cell. Raises DataError where two tasks share an id.
    """
    found: Submission = {}
    for task in tasks:
        if task.id in found:
            raise DataError(f"two tasks are called {task.id}: --split chooses one split")
        ranked = sorted(candidates.get(task.name, ()), key=lambda candidate: candidate.rank)
        found[task.id] = [
            _attempts([c.outputs.get(k) for c in ranked if c.fits or c.right], pair)
            for k, pair in enumerate(tests_of(task))
        ]
    return found


def beyond_colors(task: Task) -> str:
    """Say that a task has numbers beyond the ten colors, which no submission has; else ""."""
    grids = [grid for pair in task.pairs for grid in (pair.input, pair.output) if grid is not None]
    others = sorted(color for color in colors_of(grids) if not 0 <= color <= 9)
    if not others:
        return ""
    return f"task {task.name} has the number {others[0]}: attempts have the colors 0 to 9 alone"


def tests_of(task: Task) -> list[Pair | None]:
    """List a task's test pairs; None for a pair that could not be read."""
    by_index = {pair.index: pair for pair in task.pairs if pair.is_test}
    first = count_demonstrations(task)
    return [by_index.get(first + k) for k in range(len(by_index) + task.unread_tests)]


def _attempts(outputs: Sequence[Any], pair: Pair | None) -> dict[str, list[list[int]]]:
    given = pair and pair.input
    grids = [grid for grid in (*outputs, given, ((0,),), ((1,),)) if _is_submittable(grid)]
    distinct = dict.fromkeys(grids)
    return {name: list(map(list, grid)) for name, grid in zip(ATTEMPTS, distinct, strict=False)}


def _is_submittable(value: Any) -> bool:
    """Tell whether a value is a grid of 1 to 30 rows and columns, of the ten colors."""
    if not is_grid(value) or not all(0 < side <= _MOST_SIDE for side in extent_of(value)):
        return False
    return colors_of([value]) <= set(range(10))


def write_submission(path: Path, submission: Submission) -> None:
    """Write the file, whole or not at all. Raises OSError."""
    Store.at(path.parent).write(path.name, json.dumps(submission).encode())


_GRIDS = pa.list_(pa.list_(pa.list_(pa.int64())))
SCHEMA = pa.schema({
    "task_id": pa.string(),
    "code": pa.string(),
    "correct_train_input": pa.list_(pa.bool_()),
    "predicted_train_output": _GRIDS,
    "correct_test_input": pa.list_(pa.bool_()),
    "predicted_test_output": _GRIDS,
    "model": pa.string(),
})  # fmt: skip
"""The schema of public sets of programs for ARC. Each list for tests has a place for every test of
the task; correct_test_input has None where the output is not known."""


def write_found(
    folder: Path, tasks: Sequence[Task], solutions: Mapping[str, Sequence[Solution]]
) -> None:
    """Write programs.parquet and submission.json. solutions: by the task's name, the best first.

    Raises OSError, and DataError where two tasks share an id: then there is no submission.
    """
    rows = [_row(task, one) for task in tasks for one in solutions.get(task.name, ()) if one.fits]
    with writing_parquet(Store.at(folder), "programs.parquet", SCHEMA) as parquet:
        parquet.write_table(pa.Table.from_pylist(rows, SCHEMA))
    candidates = {
        task.name: [
            Candidate(one.origin, one.fits, 1, place, dict(enumerate(_for_tests(task, one))))
            for place, one in enumerate(solutions.get(task.name, ()))
        ]
        for task in tasks
    }
    write_submission(folder / "submission.json", submission_of(tasks, candidates))


def _row(task: Task, solution: Solution) -> dict[str, Any]:
    outputs = _for_tests(task, solution)
    correct = [
        None if pair is None or pair.output is None else pair.output == output
        for pair, output in zip(tests_of(task), outputs, strict=True)
    ]
    return {
        "task_id": task.id,
        "code": solution.code,
        "correct_train_input": [True] * len(task.demonstrations),
        "predicted_train_output": [_listed(output) for _, output in task.demonstrations],
        "correct_test_input": correct,
        "predicted_test_output": [_listed(output) for output in outputs],
        "model": printable(f"megabatt search: {solution.origin}"),
    }


def _for_tests(task: Task, solution: Solution) -> list[Any]:
    """Return a solution's outputs for all tests of a task; None where a test could not be read."""
    outputs = iter(solution.outputs)
    return [None if pair is None else next(outputs) for pair in tests_of(task)]


def _listed(value: Any) -> list[list[int]]:
    """Return a grid as lists; an empty list for a value that is not submittable."""
    return [list(row) for row in value] if _is_submittable(value) else []


@dataclass(frozen=True)
class SubmissionScore:
    """The score of a submission.

    outputs: The number of test outputs. outputs_right: The number that an attempt got right.
    by_task: By task id, a flag for each test output: whether an attempt got it right. problems: A
    line on missing tasks, and for each attempt that is missing or no grid. Both count as wrong.
    """

    by_task: dict[str, list[bool]]
    problems: list[str]

    @property
    def outputs(self) -> int:
        return sum(map(len, self.by_task.values()))

    @property
    def outputs_right(self) -> int:
        return sum(map(sum, self.by_task.values()))

    @property
    def tasks_right(self) -> list[str]:
        """The tasks of which every output is right."""
        return [task for task, right in self.by_task.items() if right and all(right)]

    @property
    def share(self) -> float:
        """The share of the test outputs that are right: Kaggle's score."""
        return self.outputs_right / max(self.outputs, 1)

    @property
    def share_by_task(self) -> float:
        """The mean over the tasks of each task's own share: ARC Prize's score."""
        shares = [sum(right) / len(right) for right in self.by_task.values() if right]
        return sum(shares) / max(len(shares), 1)


def score(
    submission: Mapping[str, Any], solutions: Mapping[str, Any], where: str = "the solutions"
) -> SubmissionScore:
    """Score a submission.

    solutions: The outputs of a task's test inputs, by task id. where: The name of the solutions,
    for the line on tasks that are not among them.
    """
    left = [task for task in solutions if task not in submission]
    problems = [f"{counted(len(left), 'task')} not submitted, such as {left[0]}"] if left else []
    by_task: dict[str, list[bool]] = {}
    for task, outputs in solutions.items():
        if not isinstance(outputs, (list, tuple)) or any(map(why_no_grid, outputs)):
            problems.append(f"task {task}: its solutions are no list of grids")
            continue
        given: Any = submission.get(task)
        count = len(given) if isinstance(given, list) else -1
        fits = count == len(outputs)
        if task in submission and not fits:
            has = counted(len(outputs), "test output")
            problems.append(f"task {task}: {has}, but {max(count, 0)} submitted")
        by_task[task] = [
            fits and _is_right(given[k], output, f"task {task}, test {k}", problems)
            for k, output in enumerate(outputs)
        ]
    if others := [task for task in submission if task not in solutions]:
        are = "is" if len(others) == 1 else "are"
        tasks = f"{counted(len(others), 'task')} of the submission"
        problems.append(f"{tasks} {are} not in {where}, such as {others[0]}")
    return SubmissionScore(by_task, problems)


def _is_right(attempts: Any, output: Any, where: str, problems: list[str]) -> bool:
    right = False
    for name in ATTEMPTS:
        grid: Any = attempts.get(name) if isinstance(attempts, dict) else None
        if reason := "missing" if grid is None else why_no_grid(grid):
            problems.append(f"{where}, {name}: {reason}")
        else:
            right |= list(map(list, grid)) == list(map(list, output))
    return right


def read_submission(path: Path, problems: list[str]) -> dict[str, Any]:
    """Read the file of a submission. problems: As for `read_json`. Raises DataError."""
    return read_by_id(path, str(path), problems, "a submission has attempts")
