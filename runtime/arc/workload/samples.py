"""The tasks' pairs as samples."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from megabatt.runtime.arc.constants import CONSTANTS
from megabatt.runtime.arc.workload.data import Grid, Task
from megabatt.runtime.engine.executor.operands import Numbers
from megabatt.runtime.engine.machine.heap import Heap


class ArcSample(NamedTuple):
    """A pair of a task, as a program's inputs.

    task: its name; position: the pair's place in the task; C: the expected output, or None.
    """

    task: str
    S: tuple[tuple[Grid, Grid], ...]
    I: Grid  # noqa: E741 - the language's name
    C: Grid | None
    split: str
    position: int
    is_test: bool

    @property
    def key(self) -> str:
        return f"task {self.task}, sample {self.position}"

    @property
    def group(self) -> str:
        return self.task

    @property
    def expected(self) -> Grid | None:
        return self.C


def samples_of(tasks: list[Task]) -> list[ArcSample]:
    """Make a sample for every pair of every task."""
    samples = []
    for task in tasks:
        demonstrations = task.demonstrations
        for pair in task.pairs:
            samples.append(
                ArcSample(
                    task.name,
                    demonstrations,
                    pair.input,
                    pair.output,
                    task.split,
                    pair.index,
                    pair.is_test,
                )
            )
    return samples


_ALSO_NUMBERS = 3
"""Constants up to this are counts and sizes as often as colors."""


def absent_colors(samples: list[ArcSample]) -> list[str]:
    """List the constants that are colors of no sample's I or C, but for small numbers."""
    grids = [grid for sample in samples for grid in (sample.I, sample.C) if grid is not None]
    colors = {color for grid in grids for row in grid for color in row}
    return [
        name
        for name, value in CONSTANTS.items()
        if type(value) is int and value > _ALSO_NUMBERS and value not in colors
    ]


def put_grids(heap: Heap, grids: Sequence[Any]) -> Numbers:
    """Put grids, tuples of tuples of Integers, into a heap. Returns their words, int64 (grids,)."""
    heights = np.array([len(grid) for grid in grids], dtype=np.int64)
    widths = np.array([len(grid[0]) if grid else 0 for grid in grids], dtype=np.int64)
    rows = chain.from_iterable(grids)
    count = int((heights * widths).sum())
    cells = np.fromiter(chain.from_iterable(rows), dtype=np.int64, count=count)
    return heap.put_tables(heights, widths, cells)


def solver_for(task: str, solvers: Collection[str]) -> str | None:
    """Find the solver whose name ends in the task's id; None if there is none.

    task: the task's name. It is the id, or a path where several tasks have the id.
    """
    task_id = task.rpartition("/")[2]
    for name in solvers:
        if name == task_id or name.endswith(f"_{task_id}"):
            return name
    return None
