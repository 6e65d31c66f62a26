"""A run's folder read again: what each solver gave for each task."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from megabatt.runtime.arc.workload.data import Task
from megabatt.runtime.arc.workload.submission import Candidate
from megabatt.runtime.megabatch.programs import ProgramError, own_programs
from megabatt.runtime.megabatch.run.results import read_figures
from megabatt.runtime.megabatch.store import Store
from megabatt.runtime.megabatch.workload import DataError


@dataclass(frozen=True)
class RunResults:
    """What `megabatt run --out` wrote.

    folder: where; summary: what summary.json has; files: a Parquet file a batch.
    """

    folder: Path
    summary: dict[str, Any]
    files: tuple[Path, ...]

    @classmethod
    def read(cls, folder: Path) -> RunResults:
        """Raises DataError where the folder has no results of ARC's."""
        files = tuple(sorted(folder.glob("batch-*.parquet")))
        try:
            summary = json.loads((folder / "summary.json").read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise DataError(
                f"{folder}: no results; `megabatt run --out {folder}` writes them"
            ) from error
        if not isinstance(summary, dict) or summary.get("workload") != "arc" or not files:
            raise DataError(f"{folder}: no results of ARC's tasks")
        if not (isinstance(summary.get("program"), str) and _are_options(summary.get("data"))):
            raise DataError(f"{folder}: its summary.json does not say what the run was of")
        return cls(folder, summary, files)

    @property
    def data_options(self) -> dict[str, Any]:
        """What the data was asked for by, as options of the workload."""
        options = dict(self.summary["data"])
        for name in ("tasks", "more_tasks"):
            if name in options:
                options[name] = tuple(options[name])
        return options

    def sizes(self) -> dict[str, int]:
        """Of each solver the number of its operations; none where its programs are gone."""
        try:
            programs = own_programs(self.summary["program"])
        except ProgramError:
            return {}
        return {name: forms.operations for name, forms in programs.items()}

    def rows(self, columns: list[str], of_outputs: bool = False) -> Iterable[pa.Table]:
        """The rows of each file; of_outputs: only those that have a grid. Raises DataError."""
        for file in self.files:
            try:
                table = pq.read_table(file, columns=columns)
            except (OSError, pa.ArrowException) as error:
                raise DataError(f"{file}: {error}") from error
            if missing := set(columns).difference(table.column_names):
                raise DataError(f"{file}: it has no column {', '.join(sorted(missing))}")
            yield table.filter(pc.is_valid(table["output"])) if of_outputs else table

    @property
    def own(self) -> bool:
        """Whether each solver was run as a program of its own, not merged with the others."""
        return bool(self.data_options.get("own"))

    def operation_seconds(self) -> dict[tuple[str, int], float]:
        """The seconds that operations took, over all batches that timed them.

        By the program, "" for the merged one or the solver's name, and the operation's number in
        it. Raises DataError.
        """
        seconds: Counter[tuple[str, int]] = Counter()
        store = Store.at(self.folder)
        for file in self.files:
            try:
                micros = read_figures(store, file.name).get("operation_us", [])
                program = _solver_in(file) if self.own and micros else ""
            except (OSError, ValueError) as error:
                raise DataError(f"{file}: {error}") from error
            for number, taken in enumerate(micros):
                if taken:
                    seconds[program, number] += taken
        return {operation: taken / 1e6 for operation, taken in seconds.items()}


def _solver_in(file: Path) -> str:
    """The solver that all of a file's rows are of."""
    return str(pq.read_table(file, columns=["solver"])["solver"][0].as_py())


def _are_options(data: Any) -> bool:
    """Whether these are options that ARC's data was asked for by."""
    kinds = {"data": str, "solutions": str, "split": str, "own": bool}
    lists = ("tasks", "more_tasks")
    return isinstance(data, dict) and all(
        (isinstance(value, list) and all(isinstance(name, str) for name in value))
        if option in lists
        else isinstance(value, kinds.get(option, ()))
        for option, value in data.items()
    )


def candidates_of(run: RunResults, tasks: list[Task]) -> dict[str, list[Candidate]]:
    """What the solvers of a run give for tasks, by the task's name.

    Of solvers that are right on some demonstration pair. Raises DataError.
    """
    shown = {
        task.name: sum(not pair.is_test for pair in task.pairs) + task.unread_demonstrations
        for task in tasks
    }
    right: dict[tuple[str, str], int] = defaultdict(int)
    for table in run.rows(["task", "solver", "is_test", "matches"]):
        demonstrated = pc.and_(pc.invert(table["is_test"]), pc.fill_null(table["matches"], False))
        found = table.filter(demonstrated).select(["task", "solver"])
        for task, solver in zip(*(column.to_pylist() for column in found.columns), strict=True):
            right[task, solver] += 1
    outputs: dict[tuple[str, str], dict[int, Any]] = defaultdict(dict)
    columns = ["task", "solver", "sample", "is_test", "output"]
    for table in run.rows(columns, of_outputs=True):
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
