"""A run's folder read again: each solver's outputs for each task."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import pyarrow as pa
import pyarrow.compute as pc

from megabatt.runtime.arc.workload.data import Task, count_demonstrations
from megabatt.runtime.arc.workload.submission import Candidate
from megabatt.runtime.megabatch.data import DataError
from megabatt.runtime.megabatch.page.folder import StoredRun
from megabatt.runtime.megabatch.workload import Workload


@dataclass(frozen=True)
class RunResults(StoredRun):
    """The folder of a run on ARC's tasks."""

    @classmethod
    def read(cls, folder: Path, workload: Workload[Any]) -> Self:
        """Read the folder of a run. Raises DataError if it has no results on ARC's tasks."""
        run = super().read(folder, workload)
        if not _are_options(run.manifest.data):
            raise DataError(f"{folder}: its manifest.json does not say what tasks the run was of")
        return run

    @property
    def data_options(self) -> dict[str, Any]:
        """The workload's options with which the run's data were loaded."""
        options = dict(self.manifest.data)
        for name in ("tasks", "more_tasks"):
            if name in options:
                options[name] = tuple(options[name])
        return options

    def sizes(self) -> dict[str, int]:
        """Count the operations of each solver's own program."""
        return {name: len(program.numbers) for name, program in self.manifest.programs.items()}

    def rows_with_outputs(self, columns: list[str]) -> Iterator[pa.Table]:
        """Yield each file's rows whose output is a grid. Raises DataError."""
        for table in self.rows(columns):
            yield table.filter(pc.is_valid(table["output"]))


def _are_options(data: Any) -> bool:
    """Tell whether a manifest's `data` are options that load ARC's data."""
    kinds = {"data": str, "solutions": str, "split": str, "own": bool}
    lists = ("tasks", "more_tasks")
    return isinstance(data, dict) and all(
        (isinstance(value, list) and all(isinstance(name, str) for name in value))
        if option in lists
        else isinstance(value, kinds.get(option, ()))
        for option, value in data.items()
    )


def candidates_of(run: RunResults, tasks: list[Task]) -> dict[str, list[Candidate]]:
    """Collect the candidates of a run's solvers for tasks, by the task's name.

    Only solvers that are right on some demonstration pair give candidates. Raises DataError.
    """
    shown = {task.name: count_demonstrations(task) for task in tasks}
    right: dict[tuple[str, str], int] = defaultdict(int)
    for table in run.rows(["task", "solver", "is_test", "matches"]):
        demonstrated = pc.and_(pc.invert(table["is_test"]), pc.fill_null(table["matches"], False))
        found = table.filter(demonstrated).select(["task", "solver"])
        for task, solver in zip(*(column.to_pylist() for column in found.columns), strict=True):
            right[task, solver] += 1
    outputs: dict[tuple[str, str], dict[int, Any]] = defaultdict(dict)
    columns = ["task", "solver", "sample", "is_test", "output"]
    for table in run.rows_with_outputs(columns):
        for row in table.filter(table["is_test"]).to_pylist():
            key = row["task"], row["solver"]
            if key in right and row["task"] in shown:
                place = row["sample"] - shown[row["task"]]
                outputs[key][place] = tuple(map(tuple, row["output"]))
    sizes = run.sizes()
    candidates: dict[str, list[Candidate]] = defaultdict(list)
    for (task, solver), count in right.items():
        if task in shown:
            fits = count == shown[task]
            size = sizes.get(solver, 0)
            given = outputs.get((task, solver), {})
            candidates[task].append(Candidate(solver, fits, count, size, given))
    return candidates
