"""The tasks' pairs as samples."""

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np

from megabatt.runtime.arc.language import CONSTANTS
from megabatt.runtime.arc.values import colors_of
from megabatt.runtime.arc.workload.data import ArcSample, Task, TaskSamples, laid_out
from megabatt.runtime.engine.machine.loops import Numbers
from megabatt.runtime.vocabulary import name_of


def samples_of(tasks: list[Task]) -> list[ArcSample]:
    """Return a sample for every pair of every task."""
    return [sample for task in tasks for sample in task.samples]


_ALSO_NUMBERS = 3
"""The greatest constant that is a count or a size as often as a color."""


def absent_colors(samples: list[ArcSample]) -> list[str]:
    """List the constants above `_ALSO_NUMBERS` that are colors of no sample's I or C."""
    grids = [grid for sample in samples for grid in (sample.I, sample.C) if grid is not None]
    colors = colors_of(grids)
    return [
        name
        for name, value in CONSTANTS.items()
        if type(value) is int and value > _ALSO_NUMBERS and value not in colors
    ]


def grids_of(name: str, parts: Sequence[Sequence[ArcSample]]) -> Numbers | None:
    """Return I or C of samples, as `laid_out` does."""
    laid: list[Any] = [
        getattr(samples, name)
        if isinstance(samples, TaskSamples)
        else laid_out([getattr(sample, name) for sample in samples])
        for samples in parts
    ]
    return None if any(part is None for part in laid) else np.concatenate(laid)


def solver_for(task: str, solvers: Collection[str]) -> str | None:
    """Find the solver whose name ends in the task's id, as `name_of` writes the id; else None.

    task: The task's name: the id, or a path where several tasks share the id.
    """
    task_id = name_of(task.rpartition("/")[2])
    return next((name for name in solvers if f"_{name}".endswith(f"_{task_id}")), None)
