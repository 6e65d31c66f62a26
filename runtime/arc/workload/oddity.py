"""Signs that a fitting program's outputs for a task's tests are wrong."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from megabatt.runtime.arc.values import colors_of, extent_of, is_grid
from megabatt.runtime.arc.workload.data import ArcSample, Grid


def oddity(samples: Sequence[ArcSample], outputs: Sequence[Any]) -> int:
    """Count the oddities of outputs for a task's tests, the last of the task's samples.

    An output is odd if it is no grid (counts as 4); if it equals its input, but no demonstration's
    output does; if it has a color of neither its input nor a demonstration's output; or if its size
    is not the size that all demonstrations show: their input's size, or one size of all outputs.
    """
    shown, tests = samples[: len(samples) - len(outputs)], samples[len(samples) - len(outputs) :]
    return sum(_odd(shown, test.I, output) for test, output in zip(tests, outputs, strict=True))


def _odd(shown: Sequence[ArcSample], grid: Grid, output: Any) -> int:
    if not is_grid(output):
        return 4
    pairs = [(sample.I, sample.C) for sample in shown if sample.C is not None]
    colors = colors_of([grid, *(after for _, after in pairs)])
    sizes = {extent_of(after) for _, after in pairs}
    keep_size = all(extent_of(before) == extent_of(after) for before, after in pairs)
    return (
        (output == grid and all(before != after for before, after in pairs))
        + (not colors_of([output]) <= colors)
        + (keep_size and extent_of(output) != extent_of(grid))
        + (len(sizes) == 1 and not keep_size and extent_of(output) not in sizes)
    )
