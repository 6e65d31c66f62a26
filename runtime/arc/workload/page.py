"""A run's folder as one HTML page: tasks, solvers and what came of them, loaded in parts.

The page needs nothing from elsewhere. Its data are gzipped JSON in base64, which the browser
unpacks a part at a time: an index at once, tasks with their grids and programs as they are looked
at.
"""

from __future__ import annotations

import base64
import gzip
import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from megabatt.runtime.arc.workload.data import Grid, Task
from megabatt.runtime.arc.workload.pictures import COLOURS
from megabatt.runtime.arc.workload.results import RunResults
from megabatt.runtime.megabatch.batches import Settings
from megabatt.runtime.megabatch.programs import ProgramError, merged_program, own_programs
from megabatt.runtime.megabatch.run.manifest import program_digest
from megabatt.runtime.megabatch.trace import calls_of
from megabatt.runtime.megabatch.workload import Workload

_TEMPLATE = Path(__file__).parents[3] / "templates" / "report.html.jinja"
_TASKS_A_PART = 40
_MOST_SOLVERS = 12
"""Solvers of a task whose wrong outputs are shown, the best first."""


def page_of(run: RunResults, tasks: list[Task], workload: Workload[Any]) -> str:
    """The page of a run on these tasks. Raises DataError where its files cannot be read."""
    found = _Found(run, tasks)
    programs = _programs(run, workload)
    failures = _failures(run)
    times = _Times(run, programs)
    solvers = sorted(found.solvers | programs.keys())
    number = {name: k for k, name in enumerate(solvers)}
    described = [_task(task, found, number) for task in tasks]
    parts: dict[str, Any] = {
        f"tasks-{k}": described[at : at + _TASKS_A_PART]
        for k, at in enumerate(range(0, len(described), _TASKS_A_PART))
    }
    parts["programs"] = [
        {
            "calls": programs[name].calls if name in programs else [],
            "failures": sorted(failures[name].items()),
            "seconds": times.of_operations(name),
            "primitives": _by_primitive([name], programs, failures, times),
        }
        for name in solvers
    ]
    index = {
        "summary": _summary(run.summary),
        "tasks": [
            [task.name, task.split, found.state(task), len(found.fits(task))] for task in tasks
        ],
        "solvers": [
            [name, len(found.solved[name]), sum(failures[name].values()), times.of_solver(name)]
            for name in solvers
        ],
        "primitives": _by_primitive(solvers, programs, failures, times),
        "timed": times.described(),
        "colours": COLOURS,
        "tasks_a_part": _TASKS_A_PART,
    }
    scripts = "\n".join(
        f'<script type="text/plain" id="{name}">{_packed(value)}</script>'
        for name, value in [("index", index), *parts.items()]
    )
    return _TEMPLATE.read_text(encoding="utf-8").replace("<!-- parts -->", scripts)


def _packed(value: Any) -> str:
    text = json.dumps(value, separators=(",", ":"))
    return base64.b64encode(gzip.compress(text.encode(), mtime=0)).decode()


class _Found:
    """How often each solver is right on each task.

    right: (task, solver) -> (demonstrations, tests) that it is right on, of those that are known.
    """

    def __init__(self, run: RunResults, tasks: list[Task]) -> None:
        self.right: dict[str, dict[str, tuple[int, int]]] = defaultdict(dict)
        self.outputs: dict[str, dict[str, dict[int, Any]]] = defaultdict(lambda: defaultdict(dict))
        self.solvers: set[str] = set()
        self._sizes = run.sizes()
        self._count(run)
        self._read_outputs(run)
        self.solved: dict[str, list[str]] = defaultdict(list)
        for task in tasks:
            for solver in self.rights(task):
                self.solved[solver].append(task.name)

    def _count(self, run: RunResults) -> None:
        counts: Counter[tuple[str, str, bool]] = Counter()
        for table in run.rows(["task", "solver", "is_test", "matches"]):
            self.solvers.update(pc.unique(table["solver"]).cast(pa.string()).to_pylist())
            right = table.filter(pc.fill_null(table["matches"], False))
            names = [right[name].cast(pa.string()) for name in ("task", "solver")]
            rows = pa.table([*names, right["is_test"]], ["task", "solver", "is_test"])
            for row in _counted(rows):
                counts[row["task"], row["solver"], row["is_test"]] += row["n_sum"]
        for task, solver, _ in counts:
            self.right[task][solver] = counts[task, solver, False], counts[task, solver, True]

    def _read_outputs(self, run: RunResults) -> None:
        """The outputs that are not right, by task, solver and sample."""
        columns = ["task", "solver", "sample", "matches", "output"]
        for table in run.rows(columns, of_outputs=True):
            wrong = table.filter(pc.invert(pc.fill_null(table["matches"], False)))
            for row in wrong.to_pylist():
                self.outputs[row["task"]][row["solver"]][row["sample"]] = row["output"]

    def _ranked(self, task: Task, least: int) -> list[str]:
        """The solvers right on so many demonstrations at least, the best first."""
        found = [(name, *counts) for name, counts in self.right[task.name].items()]
        some = [entry for entry in found if entry[1] >= max(least, 1)]
        some.sort(key=lambda entry: (-entry[1], -entry[2], self._sizes.get(entry[0], 0), entry[0]))
        return [name for name, *_ in some]

    def fits(self, task: Task) -> list[str]:
        """Those right on all demonstrations."""
        return self._ranked(task, _shown(task))

    def near(self, task: Task) -> list[str]:
        """Those right on all demonstrations but one."""
        return [
            name for name in self._ranked(task, _shown(task) - 1) if name not in self.fits(task)
        ]

    def rights(self, task: Task) -> list[str]:
        """Those right on all pairs."""
        tests = [pair for pair in task.pairs if pair.is_test]
        if not tests or task.unread_tests or any(pair.output is None for pair in tests):
            return []
        right = self.right[task.name]
        return [name for name in self.fits(task) if right[name][1] == len(tests)]

    def state(self, task: Task) -> str:
        if self.rights(task):
            return "solved"
        if self.fits(task):
            known = [pair.output is not None for pair in task.pairs if pair.is_test]
            return "wrong" if known and all(known) else "unknown"
        return "near" if self.near(task) else "open"


def _shown(task: Task) -> int:
    return sum(not pair.is_test for pair in task.pairs) + task.unread_demonstrations


def _task(task: Task, found: _Found, number: dict[str, int]) -> dict[str, Any]:
    """A task as the page has it."""
    shown = [*found.fits(task), *found.near(task)][:_MOST_SOLVERS]
    outputs = found.outputs[task.name]
    return {
        "pairs": [
            [int(pair.is_test), pair.index, _text(pair.input), _text(pair.output)]
            for pair in task.pairs
        ],
        "fits": [number[name] for name in found.fits(task)],
        "right": [number[name] for name in found.rights(task)],
        "near": [number[name] for name in found.near(task)],
        "outputs": [
            [number[name], sample, _text(grid)]
            for name in shown
            for sample, grid in sorted(outputs.get(name, {}).items())
        ],
    }


def _text(grid: Grid | Sequence[Sequence[int]] | None) -> Any:
    """A grid as rows of digits, "12/34"; as lists where some cell is no digit."""
    if grid is None:
        return None
    if all(0 <= cell <= 9 for row in grid for cell in row):
        return "/".join("".join(map(str, row)) for row in grid)
    return [list(row) for row in grid]


@dataclass(frozen=True)
class _Program:
    """A solver's own program.

    calls: its operations as source; computed_as: of each the operation that the run has computed
    for it, as of `RunResults.operation_seconds`. Of solvers that were run merged several have
    operations computed as one.
    """

    calls: list[str]
    computed_as: list[tuple[str, int]]

    @property
    def primitives(self) -> list[str]:
        """Of each operation what it calls."""
        called = [call.partition("(")[0] for call in self.calls]
        return [_BUILT if _VARIABLE.fullmatch(name) else name for name in called]


_VARIABLE = re.compile(r"x\d+")
_BUILT = "(functions that programs build)"


def _programs(run: RunResults, workload: Workload[Any]) -> dict[str, _Program]:
    """The solvers' programs; none where those that were run are gone."""
    settings = Settings(workload, run.summary["program"])
    try:
        own = own_programs(settings.folder)
        merged = None if run.own else merged_program(settings.folder)
        digest = program_digest(settings, run.own)
    except (ProgramError, OSError):
        return {}
    if digest != run.summary.get("program_digest"):
        return {}
    programs = {}
    for name, forms in own.items():
        numbers = range(1, forms.operations + 1) if merged is None else merged.numbers[name]
        program = name if merged is None else ""
        programs[name] = _Program(calls_of(settings, forms), [(program, n) for n in numbers])
    return programs


class _Times:
    """The seconds that operations took in the run; None where it timed none."""

    def __init__(self, run: RunResults, programs: dict[str, _Program]) -> None:
        self._programs = programs
        self._seconds = run.operation_seconds()
        self._compute = dict(run.summary.get("seconds", {})).get("compute", 0.0)

    def of_operations(self, solver: str) -> list[float] | None:
        """Of each operation of a solver's own program."""
        if not self._seconds or solver not in self._programs:
            return None
        of = self._programs[solver].computed_as
        return [round(self._seconds.get(operation, 0.0), 6) for operation in of]

    def of_solver(self, solver: str) -> float | None:
        seconds = self.of_operations(solver)
        return None if seconds is None else round(sum(seconds), 6)

    def of_primitives(self, solvers: Iterable[str]) -> dict[str, float] | None:
        """By primitive, of all operations of some solvers. What they share is counted once."""
        called = {
            operation: primitive
            for name in solvers
            if name in self._programs
            for operation, primitive in zip(
                self._programs[name].computed_as, self._programs[name].primitives, strict=True
            )
        }
        if not self._seconds or not called:
            return None
        seconds: dict[str, float] = defaultdict(float)
        for operation, primitive in called.items():
            seconds[primitive] += self._seconds.get(operation, 0.0)
        return dict(seconds)

    def described(self) -> str:
        """What the seconds are, for the page."""
        if not self._seconds:
            return "The run did not time its operations, as on GPUs many are under way at a time."
        total = sum(self._seconds.values())
        return (
            f"Seconds are those that operations took in the run, on all its samples and with all "
            f"that they call, added up over processes: {total:.2f} s of the {self._compute:.2f} s "
            "that the batches took to compute. The rest went into kernels, loaded or compiled, "
            "and batches left to the scalar form. An operation that several solvers share was "
            "computed once; each of them has all of its seconds."
        )


def _failures(run: RunResults) -> dict[str, Counter[int]]:
    """By solver, in how many samples each operation of its program failed."""
    counts: dict[str, Counter[int]] = defaultdict(Counter)
    for table in run.rows(["solver", "failed_operations"]):
        for solver, operation, n in _flattened(table):
            counts[solver][operation] += n
    return counts


def _flattened(table: pa.Table) -> Iterator[tuple[str, int, int]]:
    """(solver, operation, samples) of one file."""
    lists = table["failed_operations"].combine_chunks()
    solver = table["solver"].combine_chunks().cast(pa.string())
    rows = pa.table(
        {
            "solver": solver.take(pc.list_parent_indices(lists)),
            "operation": pc.list_flatten(lists),
        }
    )
    for row in _counted(rows):
        yield row["solver"], row["operation"], row["n_sum"]


def _counted(rows: pa.Table) -> list[dict[str, Any]]:
    """Each different row once, and how often it is there as n_sum."""
    ones = rows.append_column("n", pa.array(np.ones(len(rows), np.int64)))
    found: list[dict[str, Any]] = (
        ones.group_by(rows.column_names).aggregate([("n", "sum")]).to_pylist()
    )
    return found


def _by_primitive(
    solvers: Iterable[str],
    programs: dict[str, _Program],
    failures: dict[str, Counter[int]],
    times: _Times,
) -> list[tuple[str, int, int, float | None]]:
    """(primitive, operations, failed samples of these, seconds) of some solvers.

    Those that took most come first, or, where nothing was timed, those with most failures.
    """
    solvers = [name for name in solvers if name in programs]
    operations: Counter[str] = Counter()
    failed: Counter[str] = Counter()
    for solver in solvers:
        for number, primitive in enumerate(programs[solver].primitives, start=1):
            operations[primitive] += 1
            failed[primitive] += failures[solver][number]
    seconds = times.of_primitives(solvers)
    rows = [
        (name, operations[name], n, None if seconds is None else round(seconds[name], 6))
        for name, n in failed.items()
    ]
    return sorted(rows, key=lambda row: (-(row[3] or 0.0), -row[2], row[0]))


def _summary(summary: dict[str, Any]) -> list[tuple[str, str]]:
    """The figures of a run in the page's first table."""
    hidden = {"solved_by", "unknown_tasks", "problems", "not_computed", "rescued_batches", "advice"}
    rows: list[tuple[str, str]] = []
    for name, value in summary.items():
        if name in hidden or value in ("", [], {}):
            continue
        if isinstance(value, dict):
            value = ", ".join(f"{k} {v}" for k, v in value.items())
        rows.append((name.replace("_", " "), str(value)))
    return rows
