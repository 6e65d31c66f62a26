"""One batch: computed in the vectorized form, compared with what is expected, written."""

from __future__ import annotations

import os
import time
from collections import defaultdict
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from runtime.engine.batch import Results
from runtime.engine.encode import encode
from runtime.engine.limits import MAX_ELEMENTS
from runtime.megabatch.memory import keep_freed_memory, keep_large_workers, peak_rss_mb
from runtime.megabatch.programs import Job, Program
from runtime.megabatch.results import write_batch
from runtime.megabatch.samples import batch_inputs


@dataclass
class BatchOutcome:
    """What is left of a batch once its results are written.

    matches: solver -> bool (samples,); operation_lanes, failed_lanes, host_lanes: counted over
    the batch's operations, those that several parts of it need more than once; rescued: why the
    batch was left to the scalar form, if it was; transfers: between the host and a device.
    """

    job: Job
    matches: dict[str, np.ndarray[Any, Any]]
    operation_lanes: int
    failed_lanes: int
    host_lanes: int
    seconds: dict[str, float]
    peak_rss_mb: dict[int, float]
    rescued: str = ""
    transfers: int = 0


def joined(parts: list[BatchOutcome], solvers: tuple[str, ...]) -> BatchOutcome:
    """A batch's outcome, given those of all its parts; solvers: the program's."""
    matches = {name: found for part in parts for name, found in part.matches.items()}
    seconds: dict[str, float] = defaultdict(float)
    peak_rss_mb: dict[int, float] = defaultdict(float)
    for part in parts:
        for stage, taken in part.seconds.items():
            seconds[stage] += taken
        for process, peak in part.peak_rss_mb.items():
            peak_rss_mb[process] = max(peak, peak_rss_mb[process])
    return BatchOutcome(
        replace(parts[0].job, part=None),
        {name: matches[name] for name in solvers},
        sum(part.operation_lanes for part in parts),
        sum(part.failed_lanes for part in parts),
        sum(part.host_lanes for part in parts),
        dict(seconds),
        dict(peak_rss_mb),
        next((part.rescued for part in parts if part.rescued), ""),
        sum(part.transfers for part in parts),
    )


@dataclass
class Computed:
    """A batch that is computed, but not yet compared with what is expected, nor written.

    seconds: by stage; rescued: why it was left to the scalar form or the CPU, if it was; compared:
    whether the results are `Results.compared_with` what is expected; transfers: between the host
    and a device.
    """

    job: Job
    results: Results
    seconds: dict[str, float]
    rescued: str = ""
    compared: bool = False
    transfers: int = 0


def run_batch(
    folder: str, job: Job, max_elements: int = MAX_ELEMENTS, out: Path | None = None
) -> BatchOutcome:
    """One batch on the CPU: encoded, computed, compared with the expected outputs, written."""
    keep_freed_memory()
    keep_large_workers()
    return finish(folder, compute(folder, job, max_elements), out)


def compute(folder: str, job: Job, max_elements: int) -> Computed:
    """A batch, encoded and computed on the CPU."""
    program = job.program(folder)
    seconds = {}
    began = time.perf_counter()
    inputs = batch_inputs(job.samples, solvers=job.solvers)
    inputs.column("I")
    seconds["encode"] = time.perf_counter() - began
    began = time.perf_counter()
    rescued = ""
    try:
        results = program.vectorized(inputs, max_elements=max_elements)
    except Exception as error:
        rescued = f"{type(error).__name__}: {error}"
        results = scalar_results(program, job, max_elements)
    seconds["compute"] = time.perf_counter() - began
    return Computed(job, results, seconds, rescued)


def finish(folder: str, computed: Computed, out: Path | None) -> BatchOutcome:
    """A computed batch compared with the expected outputs, and written."""
    job, results, seconds = computed.job, computed.results, dict(computed.seconds)
    began = time.perf_counter()
    matches = matches_of(computed)
    seconds["compare"] = time.perf_counter() - began
    began = time.perf_counter()
    if out is not None:
        write_batch(out, job, results, matches)
    seconds["write"] = time.perf_counter() - began
    operations = job.program(folder).operations
    if job.part is not None:
        operations = len(set().union(*results.cones.values()))
    return BatchOutcome(
        job,
        matches,
        operations * len(job.samples),
        int(results.failed.sum()),
        results.host_lanes,
        seconds,
        {os.getpid(): peak_rss_mb()},
        computed.rescued,
        computed.transfers,
    )


def scalar_results(program: Program, job: Job, max_elements: int) -> Results:
    """The scalar form's outputs and failures of each sample, as a batch's results."""
    samples, solvers = job.samples, job.solvers or program.solvers
    failed = np.zeros((program.operations + 1, len(samples)), dtype=np.bool_)
    outputs: dict[str, list[Any]] = {name: [] for name in solvers}
    for lane, sample in enumerate(samples):
        values, numbers = program.sequential(*sample[:4], max_elements=max_elements)
        failed[list(numbers), lane] = True
        for name in solvers:
            outputs[name].append(values[name])
    cones = {name: list(range(1, program.operations + 1)) for name in solvers}
    columns = {name: encode(values) for name, values in outputs.items()}
    return Results(columns, failed, cones, program.operations * len(samples))


def matches_of(computed: Computed) -> dict[str, np.ndarray[Any, Any]]:
    """Whether each solver's output is the expected one; bool (samples,), False if unknown."""
    samples, results = computed.job.samples, computed.results
    if not computed.compared:
        results = results.compared_with(encode([sample.C for sample in samples]))
    known = np.array([sample.C is not None for sample in samples], dtype=np.bool_)
    return {
        name: found.data & known  # type: ignore[attr-defined]
        for name, found in results.outputs.items()
    }
