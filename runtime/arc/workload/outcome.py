"""The outcomes of tasks, and a run's summary of outcomes."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from megabatt.runtime.arc.workload.data import ArcSample, Task
from megabatt.runtime.megabatch.workload import Report, Scored
from megabatt.runtime.vocabulary import counted, first_of

Lane = tuple[ArcSample, Scored, int]
"""A sample, its batch, and its lane in the batch."""


@dataclass
class TaskOutcome:
    """The outcome of a task, by its known pairs: pairs read, computed and with an output.

    fits: The solvers right on all demonstration pairs. right: The fitting solvers that are right on
    all test pairs too. fit_unknown: Whether no solver is known to fit, but some solver may, given
    the unknown pairs. unknown: The same for right solvers. tests: The number of test pairs.
    tests_right: The number of test pairs that some fitting solver gets right. tests_unknown: The
    number of test pairs that are unknown, or right only by solvers that may fit.
    """

    task: str
    fits: list[str]
    fit_unknown: bool
    right: list[str]
    unknown: bool
    tests: int
    tests_right: int
    tests_unknown: int


def outcome_by_task(batches: Iterable[Scored], tasks: list[Task]) -> list[TaskOutcome]:
    """Merge the batches' matches by task: one outcome for each task."""
    members: dict[str, list[Lane]] = defaultdict(list)
    for batch in batches:
        for lane, sample in enumerate(batch.samples):
            members[sample.task].append((sample, batch, lane))
    return [_task_outcome(task, members[task.name]) for task in tasks]


def _task_outcome(task: Task, lanes: list[Lane]) -> TaskOutcome:
    if not lanes:  # no pair could be read, or there is none
        unknown = task.unread_demonstrations > 0
        unread = task.unread_tests
        return TaskOutcome(task.name, [], unknown, [], unknown, unread, 0, unread)
    solvers = list(lanes[0][1].matches)
    right = np.array([[batch.matches[name][lane] for name in solvers] for _, batch, lane in lanes])
    is_test = np.array([sample.is_test for sample, _, _ in lanes])
    computed = np.array([lane not in batch.not_computed for _, batch, lane in lanes])
    known = computed & [sample.C is not None for sample, _, _ in lanes]
    shown, tested = ~is_test & known, is_test & known
    demonstrations = int((~is_test).sum()) + task.unread_demonstrations
    tests = int(is_test.sum()) + task.unread_tests
    may_fit = right[shown].all(axis=0) & (demonstrations > 0)
    fits = may_fit & (shown.sum() == demonstrations)
    may_solve = may_fit & right[tested].all(axis=0)
    solves = fits & may_solve & (0 < tests == tested.sum())
    right_by_fits = right[tested][:, fits].any(axis=1)
    perhaps_right = right[tested][:, may_fit].any(axis=1) & ~right_by_fits
    names = np.array(solvers)
    return TaskOutcome(
        task.name,
        names[fits].tolist(),
        bool(may_fit.any() and not fits.any()),
        names[solves].tolist(),
        bool(may_solve.any() and not solves.any()),
        tests,
        int(right_by_fits.sum()),
        tests - int(tested.sum()) + int(perhaps_right.sum()),
    )


_MOST_NAMED = 20


def report_on(tasks: list[TaskOutcome]) -> Report:
    """Count a run's tasks by outcome."""
    solved = [task.task for task in tasks if task.right]
    unknown = [task.task for task in tasks if task.unknown]
    fitted = sum(bool(task.fits) for task in tasks)
    fit_unknown = sum(task.fit_unknown for task in tasks)
    tests, right = sum(task.tests for task in tasks), sum(task.tests_right for task in tasks)
    tests_unknown = sum(task.tests_unknown for task in tasks)
    of_tests = _and_unknown(f"{right} of {tests}", tests_unknown)
    rows = [
        ("tasks fitted by their demonstration pairs", _and_unknown(str(fitted), fit_unknown)),
        ("test outputs right, by solvers that fit", of_tests),
    ]
    figures = {
        "tasks": len(tasks), "solved": len(solved), "unknown": len(unknown),
        "tasks_fitted_by_demonstrations": fitted, "tasks_fitted_unknown": fit_unknown,
        "test_outputs": tests, "test_outputs_right": right, "test_outputs_unknown": tests_unknown,
        "solved_by": {task.task: task.right for task in tasks if task.right},
        "unknown_tasks": unknown,
    }  # fmt: skip
    of_tasks = f"solved {len(solved):,} of {counted(len(tasks), 'task')}"
    named = (("solved", solved), ("unknown", unknown))
    lines = tuple(f"{what}: {first_of(names, _MOST_NAMED)}" for what, names in named if names)
    return Report(rows, _and_unknown(of_tasks, len(unknown)), figures, lines)


def _and_unknown(text: str, unknown: int) -> str:
    return f"{text}, {unknown} unknown" if unknown else text
