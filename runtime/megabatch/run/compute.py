"""One batch: computed in the vectorized form, compared with what is expected, written.

A batch that fails in an unforeseen way is run by the scalar form, sample by sample. What that
cannot compute either, as memory is short, is reported as not computed.
"""

from __future__ import annotations

import gc
import os
import time
from collections.abc import Collection
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from megabatt.runtime.engine.calls.batch import Comparison, Results
from megabatt.runtime.engine.columns import Column, Empty, concat, encode
from megabatt.runtime.engine.limits import SHORTAGES
from megabatt.runtime.megabatch.batches import Batch, Settings, in_language
from megabatt.runtime.megabatch.programs import Forms
from megabatt.runtime.megabatch.run.memory import keep_freed_memory, keep_large_workers, peak_rss_mb
from megabatt.runtime.megabatch.run.results import write_batch
from megabatt.runtime.megabatch.samples import batch_inputs
from megabatt.runtime.megabatch.workload import Sample, Workload


@dataclass
class BatchOutcome:
    """What is left of a batch once its results are written.

    matches: solver -> bool (samples,); operation_lanes, failed_lanes, host_lanes: counted over
    the batch's operations, those that several parts of it need more than once; rescued: why the
    batch was left to the scalar form, if it was; transfers: between the host and a device;
    not_computed: the samples (positions) of which nothing is known, and why. They match nothing and
    are not counted.
    """

    batch: Batch
    matches: dict[str, np.ndarray[Any, Any]]
    operation_lanes: int
    failed_lanes: int
    host_lanes: int
    seconds: dict[str, float]
    peak_rss_mb: dict[int, float]
    rescued: str = ""
    transfers: int = 0
    not_computed: dict[int, str] = field(default_factory=dict)

    @property
    def samples(self) -> list[Any]:
        return self.batch.samples


@dataclass
class Computed:
    """A batch that is computed, but not yet written, nor compared with what is expected.

    results: of the samples that are computed, in their order; already compared where the outputs
    are not asked for; seconds: by stage; rescued: why it was left to the scalar form or the CPU, if
    it was; transfers: between the host and a device; not_computed: the other samples (positions),
    and why.
    """

    batch: Batch
    results: Results | Comparison
    seconds: dict[str, float]
    rescued: str = ""
    transfers: int = 0
    not_computed: dict[int, str] = field(default_factory=dict)


def reason_of(error: BaseException) -> str:
    """An error in a line."""
    message = " ".join(str(error).split())
    name = type(error).__name__
    return f"{name}: {message}" if message else name


def run_batch(settings: Settings, batch: Batch) -> BatchOutcome:
    """One batch on the CPU: encoded, computed, compared with the expected outputs, written."""
    keep_freed_memory()
    keep_large_workers()
    return finish(settings, compute(settings, batch))


@in_language
def compute(settings: Settings, batch: Batch) -> Computed:
    """A batch, encoded and computed on the CPU."""
    seconds: dict[str, float] = {}
    try:
        return Computed(batch, _vectorized(settings, batch, seconds), seconds)
    except Exception as error:
        rescued = reason_of(error)
    # Outside of the handler: what the error's traceback held is free again.
    gc.collect()  # pending operations and their arguments refer to one another
    began = time.perf_counter()
    computed = scalar_results(settings, batch)
    seconds["compute"] = time.perf_counter() - began
    return replace(computed, seconds=seconds, rescued=rescued)


def _vectorized(settings: Settings, batch: Batch, seconds: dict[str, float]) -> Results:
    """The vectorized form's results; the seconds of each stage go into `seconds`."""
    began = time.perf_counter()
    workload = settings.workload
    inputs = batch_inputs(workload, batch.samples, solvers=batch.solvers)
    for name in workload.language.inputs:
        if name not in workload.shared:
            inputs.column(name)
    seconds["encode"] = time.perf_counter() - began
    began = time.perf_counter()
    results: Results = settings.forms(batch).vectorized(inputs, max_elements=settings.limit)
    seconds["compute"] = time.perf_counter() - began
    return results


@in_language
def finish(settings: Settings, computed: Computed) -> BatchOutcome:
    """A computed batch compared with the expected outputs, and written.

    Where memory is too short for that, none of its samples counts as computed.
    """
    try:
        return _finished(settings, computed)
    except SHORTAGES as error:
        why = reason_of(error)
    seconds, rescued = computed.seconds, computed.rescued
    computed = nothing_computed(settings, computed.batch, why)  # in place of what took the memory
    return _finished(settings, replace(computed, seconds=seconds, rescued=rescued))


def _finished(settings: Settings, computed: Computed) -> BatchOutcome:
    batch, results, seconds = computed.batch, computed.results, dict(computed.seconds)
    began = time.perf_counter()
    matches = matches_of(settings.workload, computed)
    seconds["compare"] = time.perf_counter() - began
    began = time.perf_counter()
    if settings.out is not None:
        assert isinstance(results, Results)
        write_batch(settings.workload, settings.out, batch, results, matches, computed.not_computed)
    seconds["write"] = time.perf_counter() - began
    operations = settings.forms(batch).operations
    if batch.part is not None:
        operations = len(set().union(*results.cones.values()))
    return BatchOutcome(
        batch,
        matches,
        operations * (len(batch.samples) - len(computed.not_computed)),
        int(results.failed.sum()),
        results.host_lanes,
        seconds,
        {os.getpid(): peak_rss_mb()},
        computed.rescued,
        computed.transfers,
        computed.not_computed,
    )


@in_language
def scalar_results(settings: Settings, batch: Batch) -> Computed:
    """The batch computed by the scalar form, sample by sample; no seconds are taken."""
    forms = settings.forms(batch)
    solvers = batch.solvers or forms.solvers
    lanes: list[list[Column]] = []
    failures: list[tuple[int, ...]] = []
    not_computed = {}
    for lane, sample in enumerate(batch.samples):
        try:
            columns, numbers = _computed_alone(settings, forms, sample, solvers)
        except Exception as error:
            not_computed[lane] = reason_of(error)
        else:
            lanes.append(columns)
            failures.append(numbers)
    try:
        results = _joined(settings, forms, solvers, lanes, failures)
    except SHORTAGES as error:
        return nothing_computed(settings, batch, reason_of(error))
    return Computed(batch, results, {}, not_computed=not_computed)


def _computed_alone(
    settings: Settings, forms: Forms, sample: Sample, solvers: Collection[str]
) -> tuple[list[Column], tuple[int, ...]]:
    """Each solver's output by the scalar form, as a column of a lane, and the failed operations."""
    values, numbers = settings.scalar(forms, sample)
    return [encode([values[name]]) for name in solvers], numbers


def _joined(
    settings: Settings,
    forms: Forms,
    solvers: Collection[str],
    lanes: list[list[Column]],
    failures: list[tuple[int, ...]],
) -> Results:
    """Samples computed one by one as a batch's results."""
    outputs = {name: concat([columns[k] for columns in lanes]) for k, name in enumerate(solvers)}
    cones = cones_of(settings, forms, solvers)
    needed = set().union(*cones.values())
    failed = np.zeros((forms.operations + 1, len(lanes)), dtype=np.bool_)
    for lane, numbers in enumerate(failures):
        failed[list(needed.intersection(numbers)), lane] = True
    return Results(outputs, failed, cones, len(needed) * len(lanes))


def cones_of(settings: Settings, forms: Forms, solvers: Collection[str]) -> dict[str, list[int]]:
    """The operations that each solver is computed by, from a run on no samples.

    All of the program's where the vectorized form fails even so.
    """
    try:
        results: Results = forms.vectorized(batch_inputs(settings.workload, []))
        return {name: results.cones[name] for name in solvers}
    except SHORTAGES:
        raise
    except Exception:
        return dict.fromkeys(solvers, list(range(1, forms.operations + 1)))


def nothing_computed(settings: Settings, batch: Batch, why: str) -> Computed:
    """A batch of which no sample could be computed."""
    solvers = batch.solvers or settings.forms(batch).solvers
    outputs: dict[str, Column] = dict.fromkeys(solvers, Empty())
    failed = np.zeros((1, 0), dtype=np.bool_)
    results = Results(outputs, failed, dict.fromkeys(solvers, []), 0)
    return Computed(batch, results, {}, not_computed=dict.fromkeys(range(len(batch.samples)), why))


def matches_of(workload: Workload[Any], computed: Computed) -> dict[str, np.ndarray[Any, Any]]:
    """Whether each solver's output is the expected one; bool (samples,), False if unknown."""
    batch, results = computed.batch, computed.results
    lanes = [k for k in range(len(batch.samples)) if k not in computed.not_computed]
    samples = [batch.samples[lane] for lane in lanes]
    matches = {name: np.zeros(len(batch.samples), dtype=np.bool_) for name in results.columns}
    for name, found in _matches(workload, samples, results).items():
        matches[name][lanes] = found
    return matches


def _matches(
    workload: Workload[Any], samples: list[Any], results: Results | Comparison
) -> dict[str, np.ndarray[Any, Any]]:
    """Of samples that are all computed."""
    expected = [sample.expected for sample in samples]
    known = np.array([value is not None for value in expected], dtype=np.bool_)
    if isinstance(results, Results):
        column = workload.column(workload.expected_column, samples)
        results = results.compared_with(column, workload.language.same)
    return {name: found & known for name, found in results.matches.items()}
