"""A search's solutions of ARC's tasks, as files: a submission, and a set of programs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from megabatt.runtime.arc.workload.data import Task
from megabatt.runtime.arc.workload.submission import (
    Candidate,
    is_submittable,
    submission_of,
    tests_of,
    write_submission,
)
from megabatt.runtime.megabatch.checksums import writing_parquet
from megabatt.runtime.megabatch.store import Store
from megabatt.runtime.megabatch.workload import Solution

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
        "model": f"megabatt search: {solution.origin}",
    }


def _for_tests(task: Task, solution: Solution) -> list[Any]:
    """Return a solution's outputs for all tests of a task; None where a test could not be read."""
    outputs = iter(solution.outputs)
    return [None if pair is None else next(outputs) for pair in tests_of(task)]


def _listed(value: Any) -> list[list[int]]:
    """Return a grid as lists; an empty list for a value that is not submittable."""
    return [list(row) for row in value] if is_submittable(value) else []
