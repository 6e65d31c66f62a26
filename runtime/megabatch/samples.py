"""Draws and varies samples, and makes the inputs of batches."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from typing import Any

import numpy as np

from megabatt.runtime.engine.columns import Column
from megabatt.runtime.engine.device.arrays import xp
from megabatt.runtime.engine.executor.program import BatchInputs
from megabatt.runtime.engine.machine.heap import Heap
from megabatt.runtime.megabatch.data import AnySample
from megabatt.runtime.megabatch.workload import Workload
from megabatt.runtime.vocabulary import counted


def demonstrates(workload: Workload[AnySample], sample: AnySample) -> bool:
    """Tell whether the sample is a demonstration: no test, and with a known output."""
    return sample.expected is not None and not workload.is_test(sample)


def batch_inputs(
    workload: Workload[AnySample],
    samples: list[AnySample],
    solvers: Collection[str] | None = None,
    laying_out: Callable[[], AbstractContextManager[None]] = nullcontext,
    kept: np.ndarray[Any, Any] | None = None,
    seconds: np.ndarray[Any, Any] | None = None,
    workers: int = 1,
    every: bool = False,
) -> BatchInputs:
    """Make a batch's inputs and expected outputs from samples.

    laying_out: A context entered while an input is laid out, which happens when a program first
    reads the input. The other arguments are those of `BatchInputs`.
    """

    def words(name: str, heap: Heap) -> Any:
        with laying_out():
            return workload.words(name, [samples], heap)

    def column(name: str) -> Column:
        of_samples = _shared_column if name in workload.shared else Workload.column
        with laying_out():
            return of_samples(workload, name, samples)

    groups = None if kept is None else group_numbers(samples)
    names = (*workload.language.inputs, workload.expected_column)
    laid = words if workload.language.of_words else column
    values = {name: partial(laid, name) for name in names}
    expected = workload.expected_column
    return BatchInputs(
        len(samples), values, every, solvers, kept, seconds, expected, workers=workers,
        groups=groups,
    )  # fmt: skip


def by_group(samples: Iterable[AnySample]) -> dict[str, list[AnySample]]:
    """Group samples by the names of their groups, in the samples' order."""
    groups: dict[str, list[AnySample]] = {}
    for sample in samples:
        groups.setdefault(sample.group, []).append(sample)
    return groups


def group_numbers(samples: Iterable[Any]) -> np.ndarray[Any, Any]:
    """Number the groups of samples in the order of their first samples; int64 (samples,)."""
    places: dict[str, int] = {}
    return np.array([places.setdefault(one.group, len(places)) for one in samples], dtype=np.int64)


def _shared_column(workload: Workload[AnySample], name: str, samples: list[AnySample]) -> Column:
    chosen, index = sharers(name, samples)
    return workload.column(name, chosen).take(xp.asarray(index))


def sharers(name: str, samples: list[AnySample]) -> tuple[list[AnySample], np.ndarray[Any, Any]]:
    """Choose one sample for each distinct object that samples share as an input.

    Returns the chosen samples, and for each sample the place of its object's sample among the
    chosen samples: int64 (samples,).
    """
    place: dict[int, int] = {}
    chosen: list[AnySample] = []
    index = []
    for sample in samples:
        at = place.setdefault(id(getattr(sample, name)), len(chosen))
        if at == len(chosen):
            chosen.append(sample)
        index.append(at)
    return chosen, np.array(index, dtype=np.int64)


def spread_evenly(samples: list[AnySample], count: int | None, seed: int) -> list[AnySample]:
    """Draw `count` samples at random, in the given order; return all samples for None."""
    if count is None or count >= len(samples):
        return samples
    chosen = np.random.default_rng(seed).choice(len(samples), size=count, replace=False)
    return [samples[k] for k in np.sort(chosen)]


_FRUITLESS_ROUNDS = 1000
"""Rounds over all samples, without a new variant, after which `augmented` gives up."""


def augmented(
    workload: Workload[AnySample], samples: list[AnySample], count: int, seed: int = 0
) -> list[AnySample]:
    """Return `count` samples: the given samples, then variants with inputs not met before.

    Raises ValueError if the samples have too few variants.
    """
    lanes = samples[:count]
    if len(lanes) == count:
        return lanes
    seen = {workload.inputs_of(sample) for sample in lanes}
    patience = fruitless_left = _FRUITLESS_ROUNDS * len(samples)
    variants = workload.variants(samples, np.random.default_rng(seed))
    for variant in variants if samples else ():
        if not fruitless_left:
            break
        fruitless_left -= 1
        inputs = workload.inputs_of(variant)
        if inputs not in seen:
            seen.add(inputs)
            lanes.append(variant)
            fruitless_left = patience
        if len(lanes) == count:
            return lanes
    found = counted(len(lanes), "different variant")
    what = f"only {found} of {counted(len(samples), 'sample')} can be made"
    raise ValueError(f"{what}: ask for fewer, or give the workload `variants`")
