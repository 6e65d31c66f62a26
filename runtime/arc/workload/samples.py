"""The tasks' pairs as samples."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from megabatt.runtime.arc.constants import CONSTANTS
from megabatt.runtime.arc.workload.data import ArcSample, KnownGrid, Task
from megabatt.runtime.engine.executor.operands import Numbers
from megabatt.runtime.engine.machine.heap import Heap


def samples_of(tasks: list[Task]) -> list[ArcSample]:
    """Return a sample for every pair of every task."""
    return [sample for task in tasks for sample in task.samples]


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


def put_grids(heap: Heap, grids: Sequence[KnownGrid]) -> Numbers:
    """Put grids into a heap. Returns their words, int64 (grids,)."""
    heights = np.array([known.height for known in grids], dtype=np.int64)
    widths = np.array([known.width for known in grids], dtype=np.int64)
    cells = np.frombuffer(b"".join([known.cells for known in grids]), dtype=np.int32)
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
