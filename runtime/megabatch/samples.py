"""Samples: what a program is run on, and a batch of them as columns."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, NamedTuple

import numpy as np

from runtime.engine.arrays import xp
from runtime.engine.batch import BatchInputs, Observer
from runtime.engine.columns import Column
from runtime.engine.encode import encode
from runtime.megabatch.data import Grid, Task


class Sample(NamedTuple):
    """A program's inputs, in the order that both forms take them, and where they come from.

    position: the pair's place in its task; C: the expected output, or None.
    """

    task_id: str
    S: tuple[tuple[Grid, Grid], ...]
    I: Grid  # noqa: E741 - the language's name
    C: Grid | None
    split: str
    position: int
    is_test: bool


def samples_of(tasks: list[Task]) -> list[Sample]:
    """A sample for every pair of every task."""
    samples = []
    for task in tasks:
        demonstrations = task.demonstrations
        for pair in task.pairs:
            samples.append(
                Sample(
                    task.id,
                    demonstrations,
                    pair.input,
                    pair.output,
                    task.split,
                    pair.index,
                    pair.is_test,
                )
            )
    return samples


def batch_inputs(
    samples: list[Sample],
    observer: Observer | None = None,
    solvers: Collection[str] | None = None,
) -> BatchInputs:
    """The samples as a batch's inputs; the demonstrations of a task are put into columns once."""
    return BatchInputs(
        len(samples),
        {
            "S": lambda: _demonstrations(samples),
            "I": [sample.I for sample in samples],
            "C": [sample.C for sample in samples],
        },
        observer,
        solvers,
    )


def _demonstrations(samples: list[Sample]) -> Column:
    distinct: dict[int, int] = {}
    values: list[Any] = []
    index = []
    for sample in samples:
        at = distinct.setdefault(id(sample.S), len(values))
        if at == len(values):
            values.append(sample.S)
        index.append(at)
    return encode(values).take(xp.asarray(np.array(index, dtype=np.int64)))


def spread_evenly(samples: list[Sample], count: int | None, seed: int) -> list[Sample]:
    """`count` of the samples, drawn at random and in their order; all where count is None."""
    if count is None or count >= len(samples):
        return samples
    chosen = np.random.default_rng(seed).choice(len(samples), size=count, replace=False)
    return [samples[k] for k in np.sort(chosen)]
