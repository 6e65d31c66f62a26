"""What speaks against a program's outputs for the tests of a task that it fits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from megabatt.runtime.arc.values import extent_of
from megabatt.runtime.arc.workload.data import Grid, colors_of, is_grid
from megabatt.runtime.arc.workload.samples import ArcSample


def oddity(samples: Sequence[ArcSample], outputs: Sequence[Any]) -> int:
    """Count what is odd about outputs for the tests of a task, which come last of its samples.

    An output is odd that is no grid, that is the input where no demonstration's is, that has a
    color which no output of a demonstration has and its input neither, or another size than all
    demonstrations say: that of their inputs, or one that all have.
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
