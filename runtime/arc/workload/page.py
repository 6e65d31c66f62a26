"""A run's folder as one HTML page, with the run's tasks.

The tasks with their grids are parts of the page. The browser unpacks a part when the part is shown.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Any

import pyarrow.compute as pc

from megabatt.runtime.arc.workload.data import Grid, Task, count_demonstrations
from megabatt.runtime.arc.workload.pictures import COLOURS
from megabatt.runtime.arc.workload.results import RunResults
from megabatt.runtime.arc.workload.samples import solver_for
from megabatt.runtime.megabatch.page.page import Groups, page_of_run, solvers_of
from megabatt.runtime.megabatch.workload import Workload

_TASKS_A_PART = 40
_MOST_SOLVERS = 12
"""The most solvers of a task whose outputs are shown, the best first."""


def page_of_tasks(run: RunResults, tasks: list[Task], workload: Workload[Any]) -> str:
    """Make the page of a run on these tasks. Raises DataError where its files cannot be read."""
    solvers = solvers_of(run)
    found = _RightCounts(run, tasks)
    number = {name: k for k, name in enumerate(solvers)}
    described = [_task(task, found, number) for task in tasks]
    parts = {
        f"tasks-{k}": described[at : at + _TASKS_A_PART]
        for k, at in enumerate(range(0, len(described), _TASKS_A_PART))
    }
    rows = [[task.name, task.split, found.state(task), len(found.fits(task))] for task in tasks]
    index = {
        "tasks": rows, "colours": COLOURS,
        "kept": run.manifest.outputs, "tasks_a_part": _TASKS_A_PART,
    }  # fmt: skip
    return page_of_run(run, workload, solvers, Groups(found.solved, index, parts))


class _RightCounts:
    """The counts of each solver's right outputs on each task.

    right: task -> solver -> the numbers of right demonstrations and tests, of pairs with an output.
    samples: task -> solver -> the right samples. outputs: task -> solver -> sample -> output, of
    outputs that are not right. solved: solver -> the number of tasks that the solver gets right.
    """

    def __init__(self, run: RunResults, tasks: list[Task]) -> None:
        self.right: dict[str, dict[str, list[int]]]
        self.right = defaultdict(lambda: defaultdict(lambda: [0, 0]))
        self.samples: dict[str, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
        self.outputs: dict[str, dict[str, dict[int, Any]]] = defaultdict(lambda: defaultdict(dict))
        self._sizes = run.sizes()
        self._wrong: set[tuple[str, str]] = set()  # (task, solver), wrong on a test
        self._count(run)
        self._read_outputs(run)
        self.solved = Counter(solver for task in tasks for solver in self.rights(task))

    def _count(self, run: RunResults) -> None:
        for table in run.rows(["task", "solver", "sample", "is_test", "matches"]):
            right = table.filter(pc.fill_null(table["matches"], False))
            for row in right.drop_columns("matches").to_pylist():
                self.right[row["task"]][row["solver"]][row["is_test"]] += 1
                self.samples[row["task"]][row["solver"]].append(row["sample"])
            wrong = table.filter(pc.and_(table["is_test"], pc.invert(table["matches"])))
            named = (wrong[of].to_pylist() for of in ("task", "solver"))
            self._wrong.update(zip(*named, strict=True))

    def _read_outputs(self, run: RunResults) -> None:
        """Read the outputs that are not right, by task, solver and sample."""
        for table in run.rows_with_outputs(["task", "solver", "sample", "matches", "output"]):
            wrong = table.filter(pc.invert(pc.fill_null(table["matches"], False)))
            for row in wrong.to_pylist():
                self.outputs[row["task"]][row["solver"]][row["sample"]] = row["output"]

    def _ranked(self, task: Task, least: int) -> list[str]:
        """List the solvers right on at least `least` demonstrations, the best first.

        Leaves out solvers right on no demonstration.
        """
        right = self.right[task.name]
        names = [name for name, (shown, _) in right.items() if shown >= max(least, 1)]
        names.sort(key=lambda name: ([-n for n in right[name]], self._sizes.get(name, 0), name))
        return names

    def fits(self, task: Task) -> list[str]:
        """List the solvers right on all demonstrations."""
        return self._ranked(task, count_demonstrations(task))

    def near(self, task: Task) -> list[str]:
        """List the solvers right on all demonstrations but one."""
        nearly, fits = self._ranked(task, count_demonstrations(task) - 1), self.fits(task)
        return [name for name in nearly if name not in fits]

    def shown(self, task: Task) -> list[str]:
        """List the solvers whose outputs are shown: fitting and nearly fitting solvers.

        Without any, lists solvers whose outputs were kept: the solver meant for the task, then the
        solvers with most cells right on the first pair.
        """
        best = self._ranked(task, count_demonstrations(task) - 1)
        if not best and task.pairs:
            first, outputs = task.pairs[0], self.outputs[task.name]
            meant = solver_for(task.name, outputs)

            def right(name: str) -> float:
                return _cells_right(outputs[name].get(first.index), first.output)

            best = sorted(outputs, key=lambda name: (name != meant, -right(name), name))
        return best[:_MOST_SOLVERS]

    def rights(self, task: Task) -> list[str]:
        """List the solvers right on all pairs; no solver where a test output is not known."""
        tests = [pair for pair in task.pairs if pair.is_test]
        if not tests or task.unread_tests or any(pair.output is None for pair in tests):
            return []
        right = self.right[task.name]
        return [name for name in self.fits(task) if right[name][1] == len(tests)]

    def state(self, task: Task) -> str:
        if self.rights(task):
            return "solved"
        if fits := self.fits(task):
            are_wrong = self._wrong.issuperset((task.name, solver) for solver in fits)
            return "wrong" if are_wrong else "unknown"
        return "near" if self.near(task) else "open"


def _task(task: Task, found: _RightCounts, number: dict[str, int]) -> dict[str, Any]:
    """Describe a task for the page."""
    shown = found.shown(task)
    outputs, right = found.outputs[task.name], found.samples[task.name]
    return {
        "pairs": [
            [int(pair.is_test), pair.index, _text(pair.input), _text(pair.output)]
            for pair in task.pairs
        ],
        "fits": [number[name] for name in found.fits(task)],
        "right": [number[name] for name in found.rights(task)],
        "near": [number[name] for name in found.near(task)],
        "outputs": [
            {"solver": number[name], "right": sorted(right.get(name, ())), "others": [
                [sample, _text(grid)] for sample, grid in sorted(outputs.get(name, {}).items())
            ]}
            for name in shown
        ],
    }  # fmt: skip


def _cells_right(grid: Any, expected: Grid | None) -> float:
    """Return the share of right cells; 0 for a grid of another size."""
    if grid is None or not expected or [*map(len, grid)] != [*map(len, expected)]:
        return 0.0
    cells = [a == b for row, other in zip(grid, expected, strict=True)
             for a, b in zip(row, other, strict=True)]  # fmt: skip
    return sum(cells) / max(len(cells), 1)


def _text(grid: Grid | Sequence[Sequence[int]] | None) -> Any:
    """Write a grid as rows of digits, "12/34"; as lists where some cell is no digit."""
    if grid is None:
        return None
    if all(0 <= cell <= 9 for row in grid for cell in row):
        return "/".join("".join(map(str, row)) for row in grid)
    return [list(row) for row in grid]
