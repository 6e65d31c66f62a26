"""A run's folder read again: what each solver gave for each task."""

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
    """A run's folder, of tasks of ARC."""

    @classmethod
    def read(cls, folder: Path, workload: Workload[Any]) -> Self:
        """Read the folder of a run. Raises DataError where it has no results of ARC's."""
        run = super().read(folder, workload)
        if not _are_options(run.manifest.data):
            raise DataError(f"{folder}: its manifest.json does not say what tasks the run was of")
        return run

    @property
    def data_options(self) -> dict[str, Any]:
        """The options of the workload that the data was asked for by."""
        options = dict(self.manifest.data)
        for name in ("tasks", "more_tasks"):
            if name in options:
                options[name] = tuple(options[name])
        return options

    def sizes(self) -> dict[str, int]:
        """Count the operations of each solver's own program."""
        return {name: len(program.numbers) for name, program in self.manifest.programs.items()}

    def rows_with_outputs(self, columns: list[str]) -> Iterator[pa.Table]:
        """Yield the rows of each file that have a grid. Raises DataError."""
        for table in self.rows(columns):
            yield table.filter(pc.is_valid(table["output"]))


def _are_options(data: Any) -> bool:
    """Tell whether these are options that ARC's data was asked for by."""
    kinds = {"data": str, "solutions": str, "split": str, "own": bool}
    lists = ("tasks", "more_tasks")
    return isinstance(data, dict) and all(
        (isinstance(value, list) and all(isinstance(name, str) for name in value))
        if option in lists
        else isinstance(value, kinds.get(option, ()))
        for option, value in data.items()
    )


def candidates_of(run: RunResults, tasks: list[Task]) -> dict[str, list[Candidate]]:
    """Collect what the solvers of a run give for tasks, by the task's name.

    Only solvers that are right on some demonstration pair count. Raises DataError.
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
