"""The tasks' pairs as samples."""

from __future__ import annotations

from array import array
from collections.abc import Collection, Sequence
from itertools import chain
from typing import Any

from megabatt.runtime.arc.constants import CONSTANTS
from megabatt.runtime.arc.values import colors_of, extent_of, is_grid
from megabatt.runtime.arc.workload.data import ArcSample, Task
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


def grids_of(name: str, parts: Sequence[Sequence[ArcSample]]) -> bytes | None:
    """Return an input of samples as the int32 of `Heap.put_tables`; None if a value is no grid.

    Caches the tables of each short tuple of samples, such as a task's: most are needed again.
    """
    cached, laid = _TABLES.setdefault(name, {}), []
    for samples in parts:
        remembered, found = cached.get(id(samples), _NOTHING)
        if remembered is not samples:
            found = _laid_out([getattr(sample, name) for sample in samples])
            if isinstance(samples, tuple) and len(samples) <= _SHORT:
                if len(cached) >= _MOST_REMEMBERED:
                    cached.clear()
                cached[id(samples)] = samples, found
        if found is None:
            return None
        laid.append(found)
    return b"".join(laid)


_TABLES: dict[str, dict[int, tuple[tuple[ArcSample, ...], bytes | None]]] = {}
"""The tables of remembered samples, by the input's name and the samples' `id`."""
_NOTHING = None, None
_SHORT, _MOST_REMEMBERED = 64, 1 << 10


def _laid_out(values: list[Any]) -> bytes | None:
    if not all(map(is_grid, values)):
        return None
    laid = array("i")
    for grid in values:
        laid.extend(extent_of(grid))
        laid.fromlist(list(chain.from_iterable(grid)))
    return laid.tobytes()


def solver_for(task: str, solvers: Collection[str]) -> str | None:
    """Find the solver whose name ends in the task's id, as `name_of` writes the id; else None.

    task: The task's name: the id, or a path where several tasks share the id.
    """
    task_id = name_of(task.rpartition("/")[2])
    return next((name for name in solvers if f"_{name}".endswith(f"_{task_id}")), None)
