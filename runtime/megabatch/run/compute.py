"""Computes one batch in the vectorized form, compares its outputs, and writes its results.

A batch that outgrows the memory is computed in halves, each written before the next begins. After
another error of the vectorized form, the scalar form computes the batch, sample by sample. A sample
on which the scalar form raises an error too is reported as not computed.
"""

from __future__ import annotations

import gc
import os
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from megabatt.runtime.engine.columns import encode, same
from megabatt.runtime.engine.executor.program import Results
from megabatt.runtime.engine.language.limits import SHORTAGES
from megabatt.runtime.engine.language.reasons import REASONS, Reason
from megabatt.runtime.engine.language.registry import Language
from megabatt.runtime.engine.machine.archive import WordColumn
from megabatt.runtime.engine.machine.heap import Heap
from megabatt.runtime.megabatch.batches import Batch, Settings, in_language
from megabatt.runtime.megabatch.programs import Forms
from megabatt.runtime.megabatch.run.memory import free_memory, peak_rss_mb
from megabatt.runtime.megabatch.run.results import BatchWriter, batch_writer
from megabatt.runtime.megabatch.run.stages import Stages
from megabatt.runtime.megabatch.samples import batch_inputs
from megabatt.runtime.megabatch.workload import Workload
from megabatt.runtime.memory import held_below, keep_freed_memory


@dataclass
class BatchOutcome:
    """The figures of a batch whose results are written.

    matches: Flags of right outputs by solver, bool (samples,). operation_lanes, host_lanes: The
    operation-lanes of the batch, all and on the host; an operation that several parts need counts
    for each part. failed_lanes: Failed operation-lanes by reason. rescued: Why the batch was not
    computed as planned; "" if it was. transfers: The number of transfers between the host and a
    device. not_computed: Why samples could not be computed, by position; such samples have no
    matches and no operation-lanes. in_pieces: Whether the batch was computed and written in pieces.
    operation_seconds: float64 (operations + 1,), by the operation's number in the program that ran;
    None if operations were not timed, as on a device.
    """

    batch: Batch
    matches: dict[str, np.ndarray[Any, Any]]
    operation_lanes: int
    failed_lanes: dict[str, int]
    host_lanes: int
    seconds: dict[str, float]
    peak_rss_mb: dict[int, float]
    rescued: str = ""
    transfers: int = 0
    not_computed: dict[int, str] = field(default_factory=dict)
    in_pieces: bool = False
    operation_seconds: np.ndarray[Any, Any] | None = None

    @property
    def samples(self) -> list[Any]:
        return self.batch.samples

    def figures(self) -> dict[str, Any]:
        """Return the figures that the batch's file keeps beside its rows."""
        figures = {name: getattr(self, name) for name in FIGURES}
        if self.operation_seconds is not None:
            figures["operation_us"] = np.rint(self.operation_seconds * 1e6).astype(int).tolist()
        return figures


FIGURES = (
    "operation_lanes", "failed_lanes", "host_lanes", "seconds", "rescued", "transfers",
    "not_computed",
)  # fmt: skip
"""The fields of a BatchOutcome that the batch's file keeps."""


@dataclass
class Computed:
    """A batch that is computed, but not yet compared and written.

    results: The results of the computed samples, in order; already compared in a language of words.
    seconds: The seconds by stage. rescued: Why the batch was not computed as planned; "" if it was.
    transfers: The number of transfers between the host and a device. not_computed: Why the other
    samples could not be computed, by position.
    """

    batch: Batch
    results: Results
    seconds: dict[str, float]
    rescued: str = ""
    transfers: int = 0
    not_computed: dict[int, str] = field(default_factory=dict)
    operation_seconds: np.ndarray[Any, Any] | None = None


def reason_of(error: BaseException) -> str:
    """Describe an error in a line."""
    message = " ".join(str(error).split())
    name = type(error).__name__
    return f"{name}: {message}" if message else name


_KEPT_AT_ONCE = 128
"""The most samples of which all outputs are held: some outputs have a million elements."""


@in_language
def run_batch(settings: Settings, batch: Batch) -> BatchOutcome:
    """Run one batch on the CPU: encode, compute, compare with the expected outputs, write."""
    keep_freed_memory()
    computed = _in_pieces if settings.writes_all else _computed
    return _outcome(settings, batch, lambda: computed(settings, batch))


@in_language
def finish(settings: Settings, computed: Computed) -> BatchOutcome:
    """Compare a computed batch with the expected outputs, and write the results."""
    return _outcome(settings, computed.batch, lambda: iter([computed]))


def _outcome(
    settings: Settings, batch: Batch, computed: Callable[[], Iterator[Computed]]
) -> BatchOutcome:
    """Write a batch that is computed in one or several pieces, and return the batch's outcome.

    If memory is too short for writing, no sample of the batch counts as computed.
    """
    try:
        return _written(settings, batch, computed())
    except SHORTAGES as error:
        why = reason_of(error)
    # Written in place of the results, whose memory is free now.
    return _written(settings, batch, iter([nothing_computed(settings, batch, why)]))


def _written(settings: Settings, batch: Batch, computed: Iterator[Computed]) -> BatchOutcome:
    # map, as a variable of a loop would hold a piece while the next is computed
    if settings.out is None:
        return joined(list(map(partial(_finished, settings, None), computed)), batch)
    with batch_writer(settings, settings.out, batch) as writer:
        outcome = joined(list(map(partial(_finished, settings, writer), computed)), batch)
        writer.finish(outcome.figures())
    return outcome


def _finished(settings: Settings, writer: BatchWriter | None, computed: Computed) -> BatchOutcome:
    """Compare a piece of a batch with the expected outputs, and write the piece."""
    batch, results, stages = computed.batch, computed.results, Stages()
    with stages("compare"):
        matches = matches_of(settings.workload, computed)
    with stages("write"):
        if writer is not None:
            lost = computed.not_computed
            lanes = range(len(batch.samples))
            known = np.array([lane not in lost for lane in lanes], dtype=np.bool_)
            writer.add(batch.samples, results, matches, known)
    operations = settings.forms(batch).operations
    if batch.part is not None:
        operations = len(set().union(*results.cones.values()))
    return BatchOutcome(
        batch,
        matches,
        operations * (len(batch.samples) - len(computed.not_computed)),
        {str(reason): int((results.reasons == reason).sum()) for reason in REASONS},
        results.host_lanes,
        {**computed.seconds, **stages.taken()},
        {os.getpid(): peak_rss_mb()},
        computed.rescued,
        computed.transfers,
        computed.not_computed,
        operation_seconds=computed.operation_seconds,
    )


def joined(outcomes: list[BatchOutcome], batch: Batch) -> BatchOutcome:
    """Join the outcomes of a batch's parts and pieces, in any order."""
    n, at = len(batch.samples), batch.lanes.start
    matches: dict[str, np.ndarray[Any, Any]] = {}
    place: dict[str, tuple[int, int]] = {}  # a solver's turn and part: parts take solvers in turn
    not_computed: dict[int, str] = {}
    seconds: dict[str, float] = defaultdict(float)
    peaks: dict[int, float] = defaultdict(float)
    for outcome in outcomes:
        first = outcome.batch.lanes.start - at
        part = 0 if outcome.batch.part is None else outcome.batch.part.number
        for turn, (name, found) in enumerate(outcome.matches.items()):
            place[name] = turn, part
            whole = matches.setdefault(name, np.zeros(n, dtype=np.bool_))
            whole[first : first + len(found)] = found
        not_computed |= {first + lane: why for lane, why in outcome.not_computed.items()}
        for stage, taken in outcome.seconds.items():
            seconds[stage] += taken
        for process, peak in outcome.peak_rss_mb.items():
            peaks[process] = max(peak, peaks[process])
    for found in matches.values():
        found[list(not_computed)] = False
    return BatchOutcome(
        batch,
        {name: matches[name] for name in sorted(matches, key=place.__getitem__)},
        sum(outcome.operation_lanes for outcome in outcomes),
        added_up([outcome.failed_lanes for outcome in outcomes]),
        sum(outcome.host_lanes for outcome in outcomes),
        dict(seconds),
        dict(peaks),
        next((outcome.rescued for outcome in outcomes if outcome.rescued), ""),
        sum(outcome.transfers for outcome in outcomes),
        dict(sorted(not_computed.items())),
        any(outcome.in_pieces or len(outcome.batch.lanes) < n for outcome in outcomes),
        _added([outcome.operation_seconds for outcome in outcomes]),
    )


def added_up(counts: Iterable[dict[str, int]]) -> dict[str, int]:
    """Add up counts by reason; the sum has an entry for every reason."""
    each = list(counts)
    return {str(reason): sum(of.get(str(reason), 0) for of in each) for reason in REASONS}


def _added(seconds: list[np.ndarray[Any, Any] | None]) -> np.ndarray[Any, Any] | None:
    """Add up the arrays of seconds, without None; return None if there is no array."""
    known = [array for array in seconds if array is not None]
    return np.sum(known, axis=0) if known else None


@in_language
def compute(settings: Settings, batch: Batch) -> Computed:
    """Encode and compute a batch on the CPU, in one piece."""
    try:
        return _vectorized(settings, batch)
    except Exception as error:
        rescued = reason_of(error)
    return _rescued(settings, batch, rescued)


def _in_pieces(settings: Settings, batch: Batch) -> Iterator[Computed]:
    """Do `_computed` for one piece after the other, whose outputs are freed before the next."""
    for piece in batch.pieces(_KEPT_AT_ONCE):
        yield from _computed(settings, piece)
        free_memory()


def _computed(settings: Settings, batch: Batch) -> Iterator[Computed]:
    """Encode and compute a batch on the CPU; yield it whole, or in halves if memory is short."""
    try:
        with held_below(settings.memory):
            computed = _vectorized(settings, batch)
        yield computed
        return
    except MemoryError as error:
        rescued, halves = reason_of(error), batch.halves()
    except Exception as error:
        rescued, halves = reason_of(error), []
    # Outside of the handler, the arrays in the error's traceback are free again.
    free_memory()
    if not halves:
        yield _rescued(settings, batch, rescued)
    for half in halves:
        for computed in _computed(settings, half):
            yield replace(computed, rescued=computed.rescued or f"{rescued}; computed in halves")


def _rescued(settings: Settings, batch: Batch, why: str) -> Computed:
    """Compute the batch in the scalar form, since the vectorized form failed."""
    gc.collect()  # pending operations and their arguments refer to one another
    stages = Stages()
    with stages("compute"):
        computed = scalar_results(settings, batch)
    return replace(computed, seconds=stages.taken(), rescued=why)


def _vectorized(settings: Settings, batch: Batch) -> Computed:
    """Compute the batch in the vectorized form."""
    forms, stages = settings.forms(batch), Stages()
    seconds = np.zeros(forms.operations + 1)
    inputs = batch_inputs(
        settings.workload,
        batch.samples,
        batch.solvers,
        lambda: stages("encode"),
        settings.kept(batch.samples),
        seconds,
        settings.workers,
    )
    with stages("compute"):
        results = forms.run(inputs, settings.limit)
    return Computed(batch, results, stages.taken(), operation_seconds=seconds)


@in_language
def scalar_results(settings: Settings, batch: Batch) -> Computed:
    """Compute the batch in the scalar form, sample by sample, without measuring time."""
    forms = settings.forms(batch)
    solvers = batch.solvers or forms.solvers
    made = ScalarOutputs(settings.language, solvers)
    failures: list[dict[int, Reason]] = []
    not_computed = {}
    for lane, sample in enumerate(batch.samples):
        try:
            values, failed = settings.scalar(forms, sample)
            made.add([values[name] for name in solvers], sample.expected)
        except Exception as error:
            not_computed[lane] = reason_of(error)
        else:
            failures.append(failed)
    try:
        results = _joined(forms, made, failures)
    except SHORTAGES as error:
        return nothing_computed(settings, batch, reason_of(error))
    return Computed(batch, results, {}, not_computed=not_computed)


class ScalarOutputs:
    """Outputs of the scalar form, lane by lane."""

    def __init__(self, language: Language, solvers: Collection[str]) -> None:
        self.solvers = list(solvers)
        self._same = language.same
        self._heap = Heap(language, 1 << 12) if language.of_words else None
        self._lanes: list[list[Any]] = []
        self._matches: list[list[bool]] = []

    def add(self, values: list[Any], expected: Any) -> None:
        """Add a lane: the output of each solver. Raises NoWord if words cannot hold an output."""
        made = values if self._heap is None else list(map(self._heap.put, values))
        found = [expected is not None and self._same(value, expected) for value in values]
        self._lanes.append(made)
        self._matches.append(found)

    def columns(self) -> dict[str, Any]:
        """Return each solver's column of outputs, as in `Results`."""
        of_solvers = zip(*self._lanes, strict=True) if self._lanes else [()] * len(self.solvers)
        return dict(zip(self.solvers, map(self._column, of_solvers), strict=True))

    def _column(self, lanes: Sequence[Any]) -> Any:
        if self._heap is None:
            return encode(list(lanes))
        return WordColumn(self._heap, np.array(lanes, dtype=np.int64))

    def matches(self) -> dict[str, np.ndarray[Any, Any]]:
        """Return flags of right outputs by solver; bool (lanes,)."""
        table = np.array(self._matches, dtype=np.bool_).reshape(-1, len(self.solvers))
        return dict(zip(self.solvers, table.T, strict=True))


def _joined(forms: Forms, made: ScalarOutputs, failures: list[dict[int, Reason]]) -> Results:
    """Join the outputs and failures of single samples into a batch's results."""
    cones = {name: forms.recorded.cones[name] for name in made.solvers}
    needed = set().union(*cones.values())
    reasons = np.zeros((forms.operations + 1, len(failures)), dtype=np.uint8)
    for lane, failed in enumerate(failures):
        for number in needed.intersection(failed):
            reasons[number, lane] = failed[number]
    host_lanes = len(needed) * len(failures)
    return Results(made.columns(), reasons, cones, host_lanes, made.matches())


def nothing_computed(settings: Settings, batch: Batch, why: str) -> Computed:
    """Return a batch of which no sample is computed. why: The reason."""
    made = ScalarOutputs(settings.language, batch.solvers or settings.forms(batch).solvers)
    reasons, cones = np.zeros((1, 0), dtype=np.uint8), dict.fromkeys(made.solvers, list[int]())
    results = Results(made.columns(), reasons, cones, 0, made.matches())
    return Computed(batch, results, {}, not_computed=dict.fromkeys(range(len(batch.samples)), why))


def matches_of(workload: Workload[Any], computed: Computed) -> dict[str, np.ndarray[Any, Any]]:
    """Return flags of right outputs by solver; bool (samples,), False where none is expected."""
    batch, results = computed.batch, computed.results
    lanes = [k for k in range(len(batch.samples)) if k not in computed.not_computed]
    samples = [batch.samples[lane] for lane in lanes]
    matches = {name: np.zeros(len(batch.samples), dtype=np.bool_) for name in results.columns}
    for name, found in _matches(workload, samples, results).items():
        matches[name][lanes] = found
    return matches


def _matches(
    workload: Workload[Any], samples: list[Any], results: Results
) -> dict[str, np.ndarray[Any, Any]]:
    """Do `matches_of` for samples that are all computed."""
    known = np.array([sample.expected is not None for sample in samples], dtype=np.bool_)
    found = results.matches
    if found is None:
        expected, judge = workload.column(workload.expected_column, samples), workload.language.same
        found = {name: same(column, expected, judge) for name, column in results.columns.items()}
    return {name: flags & known for name, flags in found.items()}
