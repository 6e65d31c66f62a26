"""A run's folder as one HTML page, with the run's tasks.

The tasks with their grids are parts of the page. The browser unpacks a part when the part is shown.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from megabatt.runtime.arc.workload.data import Grid, Pair, Task, count_demonstrations
from megabatt.runtime.arc.workload.pictures import COLOURS
from megabatt.runtime.arc.workload.results import RunResults, values_of
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
    outputs that are not right. shown: task -> the solvers whose outputs are shown: fitting and
    nearly fitting, or else nearest. solved: solver -> the number of tasks that it gets right.
    """

    def __init__(self, run: RunResults, tasks: list[Task]) -> None:
        self.right: dict[str, dict[str, list[int]]]
        self.right = defaultdict(lambda: defaultdict(lambda: [0, 0]))
        self.samples: dict[str, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
        self.outputs: dict[str, dict[str, dict[int, Any]]] = defaultdict(lambda: defaultdict(dict))
        self._sizes = run.sizes()
        self._wrong: set[tuple[str, str]] = set()  # (task, solver), wrong on a test
        self._count(run)
        self.shown = {task.name: self._ranked(task, 1)[:_MOST_SOLVERS] for task in tasks}
        self._show_nearest(run, [task for task in tasks if not self.shown[task.name]])
        self._read_outputs(run)
        self.solved = Counter(solver for task in tasks for solver in self.rights(task))

    def _count(self, run: RunResults) -> None:
        for table in run.rows(["task", "solver", "sample", "is_test", "matches"]):
            right = table.filter(pc.fill_null(table["matches"], False))
            for row in right.drop_columns("matches").to_pylist():
                self.right[row["task"]][row["solver"]][row["is_test"]] += 1
                self.samples[row["task"]][row["solver"]].append(row["sample"])
            wrong = table.filter(pc.and_(table["is_test"], pc.invert(table["matches"])))
            self._wrong.update(values_of(wrong, "task", "solver"))

    def _show_nearest(self, run: RunResults, tasks: list[Task]) -> None:
        """Choose solvers for tasks without a solver that is right on all demonstrations but one.

        These are solvers whose outputs were kept: the solver meant for the task, then the solvers
        with most cells right on the first pair.
        """
        firsts = {task.name: task.pairs[0] for task in tasks if task.pairs}
        right: dict[str, dict[str, float]] = {name: {} for name in firsts}
        for table in _wrong_outputs(run) if firsts else ():
            _add_cells_right(right, table, firsts)
        for task, found in right.items():
            meant = solver_for(task, found)
            best = sorted((name != meant, -share, name) for name, share in found.items())
            self.shown[task] = [name for _, _, name in best[:_MOST_SOLVERS]]

    def _read_outputs(self, run: RunResults) -> None:
        """Read the outputs to be shown that are not right, by task, solver and sample."""
        chosen = {(task, name) for task, names in self.shown.items() for name in names}
        for table in _wrong_outputs(run):
            keys = values_of(table, "task", "solver")
            wanted = pa.array([key in chosen for key in keys], pa.bool_())
            for row in table.filter(wanted).to_pylist():
                self.outputs[row["task"]][row["solver"]][row["sample"]] = row["output"]

    def _ranked(self, task: Task, wrong: int) -> list[str]:
        """List the solvers right on a demonstration and on all but `wrong`, the best first."""
        least = max(count_demonstrations(task) - wrong, 1)
        right = self.right[task.name]
        names = [name for name, (shown, _) in right.items() if shown >= least]
        names.sort(key=lambda name: ([-n for n in right[name]], self._sizes.get(name, 0), name))
        return names

    def fits(self, task: Task) -> list[str]:
        """List the solvers right on all demonstrations."""
        return self._ranked(task, 0)

    def near(self, task: Task) -> list[str]:
        """List the solvers right on all demonstrations but one."""
        fits = self.fits(task)
        return [name for name in self._ranked(task, 1) if name not in fits]

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
            for name in found.shown[task.name]
        ],
    }  # fmt: skip


def _wrong_outputs(run: RunResults) -> Iterator[pa.Table]:
    """Yield the rows whose output is a grid and not right, as `rows_with_outputs` does."""
    for table in run.rows_with_outputs(["task", "solver", "sample", "matches", "output"]):
        yield table.filter(pc.invert(pc.fill_null(table["matches"], False)))


def _add_cells_right(
    right: dict[str, dict[str, float]], table: pa.Table, firsts: dict[str, Pair]
) -> None:
    """Add each solver's share of right cells on its task's first pair; 0 without an output for it.

    right: task -> solver -> share, to add to. firsts: The first pairs of these tasks.
    """
    on_first: dict[str, dict[str, int]] = defaultdict(dict)
    for row, (task, solver, sample) in enumerate(values_of(table, "task", "solver", "sample")):
        if task in firsts:
            right[task].setdefault(solver, 0.0)
            if sample == firsts[task].index:
                on_first[task][solver] = row
    outputs = table["output"].combine_chunks()
    for task, rows in on_first.items():
        grids = outputs.take(pa.array(rows.values()))
        right[task].update(zip(rows, _cells_right(grids, firsts[task].output), strict=True))


def _cells_right(grids: pa.ListArray, expected: Grid | None) -> list[float]:
    """Return the share of right cells of each grid; 0 for a grid of another size."""
    cells = np.array(expected or ((),))
    height, width = cells.shape
    rows, bounds = grids.offsets.to_numpy(), grids.values.offsets.to_numpy()
    others = np.cumsum([0, *(np.diff(bounds) != width)])  # rows of another width, before each row
    alike = (np.diff(rows) == height) & (others[rows[1:]] == others[rows[:-1]]) & (cells.size > 0)
    shares = np.zeros(len(grids))
    places = bounds[rows[:-1][alike], None] + np.arange(cells.size)
    same = grids.values.values.to_numpy()[places] == cells.ravel()
    shares[alike] = same.sum(axis=1) / max(cells.size, 1)
    return shares.tolist()  # type: ignore[no-any-return]


def _text(grid: Grid | Sequence[Sequence[int]] | None) -> Any:
    """Write a grid as rows of digits, "12/34"; as lists where some cell is no digit."""
    if grid is None:
        return None
    if all(0 <= cell <= 9 for row in grid for cell in row):
        return "/".join("".join(map(str, row)) for row in grid)
    return [list(row) for row in grid]
