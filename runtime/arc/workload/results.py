"""A run's folder read again: each solver's outputs for each task."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self

import pyarrow as pa
import pyarrow.compute as pc

from megabatt.runtime.arc.workload.data import Task, count_demonstrations
from megabatt.runtime.arc.workload.submission import Candidate, tests_of
from megabatt.runtime.megabatch.data import Data, DataError
from megabatt.runtime.megabatch.page.folder import StoredRun
from megabatt.runtime.megabatch.run.manifest import data_digest
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
        options = self.manifest.data.items()
        return {name: tuple(of) if isinstance(of, list) else of for name, of in options}

    def is_of(self, data: Data[Any], workload: Workload[Any]) -> bool:
        """Tell whether the run was of these data."""
        return data_digest(workload, data.samples) == self.manifest.data_digest

    def load(self, workload: Workload[Any]) -> Any:
        """Load the run's data. Raises DataError, also where the data have changed since the run."""
        data = workload.load(**self.data_options)
        if not self.is_of(data, workload):
            raise DataError(f"{self.folder}: the data of the run have changed since", data.problems)
        return data

    def sizes(self) -> dict[str, int]:
        """Count the operations of each solver's own program."""
        return {name: len(program.numbers) for name, program in self.manifest.programs.items()}

    def rows_with_outputs(self, columns: list[str]) -> Iterator[pa.Table]:
        """Yield the rows whose output is a grid, a part of a file at a time. Raises DataError."""
        for table in self.rows(columns):
            yield table.filter(pc.is_valid(table["output"]))


def values_of(table: pa.Table, *columns: str) -> Iterator[tuple[Any, ...]]:
    """Return the rows of a table as tuples of the values in some columns."""
    return zip(*(table[name].to_pylist() for name in columns), strict=True)


def _are_options(data: Any) -> bool:
    """Tell whether a manifest's `data` are options that load ARC's data."""
    kinds = {
        "data": str, "solutions": str, "split": str, "own": bool, "tasks": list, "more_tasks": list
    }  # fmt: skip
    return isinstance(data, dict) and all(
        isinstance(value, kinds.get(option, ()))
        and not (isinstance(value, list) and {*map(type, value)} - {str})
        for option, value in data.items()
    )


def candidates_for(
    tasks: Iterable[Task], run: RunResults, of_run: list[Task]
) -> dict[str, list[Candidate]]:
    """Collect the candidates of a run's solvers for tasks, by the task's name.

    of_run: The tasks of the run. A task is the run's task with the same id and demonstrations, in
    any order; outputs go by the inputs of the tests. Other tasks are left out. Raises DataError.
    """
    candidates = candidates_of(run, of_run)
    named = {task.name: task for task in of_run}
    alike = {_content(task): task for task in of_run}
    found = {}
    for task in tasks:
        same = named.get(task.name)
        if same is None or _content(same) != _content(task):
            same = alike.get(_content(task))
        if same is not None:
            places = {pair.input: k for k, pair in enumerate(tests_of(same)) if pair is not None}
            wanted = [
                (k, places[pair.input])
                for k, pair in enumerate(tests_of(task))
                if pair is not None and pair.input in places
            ]
            found[task.name] = [
                replace(one, outputs={k: one.outputs.get(place) for k, place in wanted})
                for one in candidates[same.name]
            ]
    return found


def _content(task: Task) -> Any:
    return task.id, frozenset(task.demonstrations), count_demonstrations(task)


def candidates_of(run: RunResults, tasks: list[Task]) -> dict[str, list[Candidate]]:
    """Collect the candidates of a run's solvers for its tasks, by the task's name.

    Only solvers that are right on some demonstration pair give candidates. Raises DataError.
    """
    shown = {task.name: count_demonstrations(task) for task in tasks}
    right: Counter[tuple[str, str]] = Counter()
    for table in run.rows(["task", "solver", "is_test", "matches"]):
        demonstrated = pc.and_(pc.invert(table["is_test"]), pc.fill_null(table["matches"], False))
        right.update(values_of(table.filter(demonstrated), "task", "solver"))
    outputs: dict[tuple[str, str], dict[int, Any]] = defaultdict(dict)
    for table in run.rows_with_outputs(["task", "solver", "sample", "is_test", "output"]):
        tests = table.filter(table["is_test"])
        keys = values_of(tests, "task", "solver")
        wanted = [key in right and key[0] in shown for key in keys]  # few; grids are slow to read
        for row in tests.filter(pa.array(wanted, pa.bool_())).to_pylist():
            place = row["sample"] - shown[row["task"]]
            outputs[row["task"], row["solver"]][place] = tuple(map(tuple, row["output"]))
    sizes = run.sizes()
    candidates: dict[str, list[Candidate]] = {task.name: [] for task in tasks}
    for (task, solver), count in right.items():
        if task in shown:
            fits, size = count == shown[task], sizes.get(solver, 0)
            candidates[task].append(Candidate(solver, fits, count, size, outputs[task, solver]))
    return candidates
