"""The equivalence harness: compares both forms of a program on the same samples, exactly."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from megabatt.runtime.engine.device.compiling import on_compiled
from megabatt.runtime.engine.device.device import CPU, computing_on, current, to_host
from megabatt.runtime.engine.executor.program import Call, Results, Target
from megabatt.runtime.engine.language.limits import SHORTAGES
from megabatt.runtime.engine.language.reasons import Reason
from megabatt.runtime.engine.language.values import show_cut
from megabatt.runtime.megabatch.batches import Batch, Settings
from megabatt.runtime.megabatch.data import Sample
from megabatt.runtime.megabatch.parts import in_parts
from megabatt.runtime.megabatch.pictures import Panel, Row
from megabatt.runtime.megabatch.programs import Forms
from megabatt.runtime.megabatch.run.compiling import compile_kernels
from megabatt.runtime.megabatch.run.compute import reason_of
from megabatt.runtime.megabatch.run.device_worker import DeviceWorker
from megabatt.runtime.megabatch.run.hardware import computed_on
from megabatt.runtime.megabatch.run.memory import free_memory
from megabatt.runtime.megabatch.run.workers import Rescue, in_processes
from megabatt.runtime.megabatch.samples import batch_inputs
from megabatt.runtime.megabatch.trace import Replay, call_text, scalar_of_lane
from megabatt.runtime.megabatch.verify.compare import LaneOutcome
from megabatt.runtime.megabatch.workload import Workload
from megabatt.runtime.memory import held_below, held_bytes

_SHOWN = 400

Decoded = tuple[dict[str, Any], dict[int, Reason]]
"""A form's results in a lane: outputs by solver, and reasons of failures by operation."""


@dataclass
class SampleDifference:
    """A difference of the two forms: in a solver's output, or in the failed operations (solver "").

    in_what: How the outputs differ; "" if the workload does not say. operation: The first operation
    that differs; "" if no operation differs when the batch runs again. first: This operation, and
    how it differs. near: Whether the difference is only a decision near its bound. Then each
    operation agrees with its scalar form on the vectorized form's arguments; arguments of both
    forms agree within the language's tolerance, or differ by a decision near its bound.
    """

    sample: Sample
    solver: str
    scalar: Any
    vectorized: Any
    in_what: str = ""
    operation: str = ""
    first: str = "none, when run again"
    near: bool = False

    def __str__(self) -> str:
        what = self.solver or "failed operations"
        forms = f"scalar {_short(self.scalar)}, vectorized {_short(self.vectorized)}"
        if self.in_what:
            forms = f"vectorized is not scalar: {self.in_what}"
        return f"{self.sample.key}, {what}: {forms}\n    first operation that differs: {self.first}"

    def row(self, workload: Workload[Any]) -> Row | None:
        """Draw both forms' outputs; return None if the workload does not draw them."""
        scalar = workload.shown.picture(self.scalar)
        vectorized = workload.shown.picture(self.vectorized, self.scalar)
        if scalar is None or vectorized is None:
            return None
        return Row("", [Panel("scalar", scalar), Panel("vectorized", vectorized, good=False)])


Differing = list[tuple[int, list[SampleDifference]]]
"""Lanes of a batch, each with its differences."""


def _short(value: Any) -> str:
    return show_cut(value, _SHOWN)


def verify_batches(
    settings: Settings,
    batches: list[Batch],
    progress: Callable[[int], None] = lambda samples: None,
    compiled: Callable[[str], None] = lambda kernel: None,
    lost: Callable[[str], None] = lambda why: None,
    not_compared: Callable[[str], None] = lambda sample: None,
    found: Callable[[SampleDifference], None] = lambda difference: None,
) -> list[SampleDifference]:
    """Find all differences over all batches, in worker processes that take pieces of batches.

    The vectorized form computes on the settings' first device, the scalar form on the CPU.
    progress: Called with each piece's number of samples. compiled: Called with each kernel's name.
    lost: Called, for each piece that the CPU had to compute, with the reason. not_compared: Called
    with a line for each sample that was not compared, say for lack of memory. found: Called with
    each difference.
    """
    pieces = [piece for batch in batches for piece in _pieces(batch, settings.workers)]
    differences = []
    if settings.workers > 1 and settings.devices[0] == "cpu":
        compile_kernels(settings, batches, compiled)
    with on_compiled(compiled):
        compare, rescue = partial(verify_batch, settings), Rescue(Batch.halves, _died)
        for samples, compared, why in in_processes(compare, pieces, settings.workers, rescue):
            for difference in compared.differences:
                differences.append(difference)
                found(difference)
            for line in compared.not_compared:
                not_compared(line)
            if why:
                lost(why)
            progress(samples)
    return differences


def _pieces(batch: Batch, workers: int) -> list[Batch]:
    """Cut the batch into pieces, so that all workers share the scalar form's work."""
    samples = batch.samples
    size = max(1, min(len(samples), -(-len(samples) // (4 * workers))))
    if workers == 1 or len(samples) < 16:
        return [batch]
    return [replace(batch, samples=samples[at : at + size]) for at in range(0, len(samples), size)]


@dataclass
class Compared:
    """The differences in a batch, and a line for each sample that was not compared."""

    differences: list[SampleDifference] = field(default_factory=list)
    not_compared: list[str] = field(default_factory=list)


def _died(batch: Batch, why: str) -> tuple[int, Compared, str]:
    """Return the result of `verify_batch` for a batch whose process died."""
    lines = [f"{sample.key}: {why}" for sample in batch.samples]
    return len(batch.samples), Compared(not_compared=lines), ""


def verify_batch(settings: Settings, batch: Batch) -> tuple[int, Compared, str]:
    """Compare both forms on a batch.

    Returns the number of samples, the comparison, and why the CPU computed the vectorized form in
    place of a device, or "".
    """
    compared, why = computed_on(settings.devices[0], lambda: _compared(settings, batch))
    return len(batch.samples), compared, why


def _compared(settings: Settings, batch: Batch) -> Compared:
    """Compare both forms on a batch, or on halves of a batch that outgrows the memory."""
    try:
        with held_below(_most_held(settings.memory)):
            results = DeviceWorker(settings, [batch], current(), keeps_all=True).results(batch)
    except SHORTAGES as error:
        why, halves = reason_of(error), batch.halves() if isinstance(error, MemoryError) else []
    else:
        return _set_against(settings, batch, results)
    if not halves:
        return Compared(not_compared=[f"{sample.key}: {why}" for sample in batch.samples])
    both = Compared()
    for half in halves:
        free_memory()  # outside of the handler, the arrays in the error's traceback are free again
        found = _compared(settings, half)
        both.differences += found.differences
        both.not_compared += found.not_compared
    return both


def _set_against(settings: Settings, batch: Batch, results: Results) -> Compared:
    """Compare the vectorized form's results with the scalar form's, sample by sample."""
    compared = Compared()
    differing: Differing = []

    def note(some: range, error: BaseException) -> None:
        why = reason_of(error)
        compared.not_compared += [f"{batch.samples[lane].key}: {why}" for lane in some]

    with computing_on(CPU):  # the results are on the host
        for some, part in in_parts(results, _DECODED_AT_ONCE):
            try:
                vectorized = part.decode()
            except SHORTAGES as error:
                note(some, error)
                continue
            for lane, found in zip(some, vectorized, strict=True):
                try:
                    differences = _differences(settings, batch, lane, found)
                except SHORTAGES as error:
                    note(range(lane, lane + 1), error)
                    continue
                if differences:
                    differing.append((lane, differences))
    for at in range(0, len(differing), _LANES_AT_ONCE):
        _locate(settings, batch, differing[at : at + _LANES_AT_ONCE], results.cones)
    compared.differences += [difference for _, found in differing for difference in found]
    return compared


_SHARE = 2 / 3
"""The vectorized form's share of the free memory; Python objects get the rest."""


def _most_held(memory: int | None) -> int | None:
    """Return the bytes that the process may hold while the vectorized form computes."""
    if memory is None:
        return None
    held = held_bytes()
    return held + int(_SHARE * (memory - held))


_DECODED_AT_ONCE = 1 << 20
"""The most weight of outputs to decode at a time."""

_LANES_AT_ONCE = 32
"""The most lanes in which one run looks for the first differing operation."""


def _differences(
    settings: Settings, batch: Batch, lane: int, vectorized: Decoded
) -> list[SampleDifference]:
    """List the differences in a lane, without the first differing operations.

    vectorized: The vectorized form's results.
    """
    forms, sample, same = settings.forms(batch), batch.samples[lane], settings.language.same
    expected, expected_failed = settings.scalar(forms, sample)
    outputs, failed = vectorized
    found = [
        (name, expected[name], outputs[name])
        for name in forms.solvers
        if not same(expected[name], outputs[name])
    ]
    knows_why = settings.language.of_words  # see `LaneOutcome.same`
    if failed != expected_failed if knows_why else failed.keys() != expected_failed.keys():
        found.append(("", expected_failed, failed))
    difference = settings.workload.shown.difference
    return [
        SampleDifference(sample, name, scalar, other, difference(other, scalar) if name else "")
        for name, scalar, other in found
    ]


def _locate(
    settings: Settings, batch: Batch, lanes: Differing, cones: dict[str, list[int]]
) -> None:
    """Find for each difference the solver's first operation whose values differ.

    Both forms run again on these lanes, each from its own values. A decision near a bound counts
    only if no other operation differs. cones: As in `Results`.
    """
    sets = {name: set(numbers) for name, numbers in cones.items()}
    located: set[int] = set()
    for at, call, column, scalar, vectorized in _disagreements(
        settings, settings.forms(batch), [batch.samples[lane] for lane, _ in lanes]
    ):
        concerned = [
            difference
            for difference in lanes[at][1]
            if id(difference) not in located
            and call.number in sets.get(difference.solver, {call.number})
        ]
        if not concerned:
            continue
        again, reason, _ = scalar_of_lane(
            settings.language, column, at, call.function, call.args, settings.limit
        )
        near = LaneOutcome(again, reason, None).same(vectorized, settings.language)
        operation = f"{call.number}: {call_text(call.function, call.args)}"
        for difference in concerned:
            if not near:
                located.add(id(difference))
            elif difference.operation:
                continue  # an earlier operation decides near a bound, too
            difference.near, difference.operation = near, operation
            difference.first = (
                f"{operation}: scalar {_shown(scalar)}, vectorized {_shown(vectorized)}"
            )


def _disagreements(
    settings: Settings, forms: Forms, samples: list[Any]
) -> Iterator[tuple[int, Call, Callable[[Target], Any], LaneOutcome, LaneOutcome]]:
    """Run both forms, and yield the operations and lanes in which they differ.

    Yields the lane, the operation, the function that returns the column of a value, and the
    outcomes of both forms.
    """
    language = settings.language
    replays = [Replay(language, sample, settings.limit) for sample in samples]
    results = forms.run(batch_inputs(settings.workload, samples, every=True), settings.limit)
    column = results.column
    assert column is not None
    with language.in_use():
        for call in forms.recorded.calls:
            values, reasons = column(Target(call.number)).decode(), results.reasons[call.number]
            for lane, found in enumerate(zip(values, to_host(reasons), strict=True)):
                value, error = replays[lane].step(*call)
                scalar = LaneOutcome(value, Reason.of(error), None)
                vectorized = LaneOutcome(found[0], Reason(found[1]), None)
                if not scalar.same(vectorized, language):
                    yield lane, call, column, scalar, vectorized


def _shown(outcome: LaneOutcome) -> str:
    return f"fails ({outcome.reason})" if outcome.reason else _short(outcome.value)
