"""The equivalence harness: both forms of a program on the same samples, compared exactly."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from megabatt.runtime.engine.device.compiling import on_compiled
from megabatt.runtime.engine.device.device import CPU, computing_on, current
from megabatt.runtime.engine.executor.concurrent import Target
from megabatt.runtime.engine.executor.results import Results
from megabatt.runtime.engine.language.limits import SHORTAGES
from megabatt.runtime.engine.language.reasons import Reason
from megabatt.runtime.engine.language.values import show_cut
from megabatt.runtime.engine.memory import free_memory, held_below, held_bytes
from megabatt.runtime.megabatch.batches import Batch, Settings
from megabatt.runtime.megabatch.data import Sample
from megabatt.runtime.megabatch.pictures import Panel, Row
from megabatt.runtime.megabatch.run.compiling import compile_kernels
from megabatt.runtime.megabatch.run.compute import reason_of
from megabatt.runtime.megabatch.run.device_worker import DeviceWorker
from megabatt.runtime.megabatch.run.hardware import computed_on
from megabatt.runtime.megabatch.run.workers import Rescue, in_processes
from megabatt.runtime.megabatch.samples import batch_inputs
from megabatt.runtime.megabatch.trace import Replay, call_text, scalar_of_lane
from megabatt.runtime.megabatch.verify.compare import Outcome
from megabatt.runtime.megabatch.workload import Workload

_SHOWN = 400

Decoded = tuple[dict[str, Any], dict[int, Reason]]
"""What a form gives in a lane: the outputs by solver, and why operations failed."""


@dataclass
class SampleDifference:
    """Where the two forms part: a solver's output, or the failed operations (solver "").

    in_what: in what the vectorized form's output is not the scalar form's, if that can be said;
    operation: the first operation that differs, empty if none does when the batch is run again;
    first: the same, and how it differs; near: whether that is only a decision near its bound. Then
    every operation does the same in its scalar form for the arguments of the vectorized form. These
    arguments are the same within the language's tolerance, or have parted by such a decision.
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
"""Lanes of a batch, and the differences in each."""


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
    """Find all differences over all batches; a worker process takes a piece of a batch at a time.

    The vectorized form computes on the first device of the settings, the scalar form on the CPU.
    lost: called with the reason for each piece that the CPU had to compute; not_compared: with a
    line for each sample that a form could not compute, for want of memory; found: with each
    difference, once its piece is compared.
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
    """Cut the batch so that every worker has a share of the scalar form's work."""
    samples = batch.samples
    size = max(1, min(len(samples), -(-len(samples) // (4 * workers))))
    if workers == 1 or len(samples) < 16:
        return [batch]
    return [replace(batch, samples=samples[at : at + size]) for at in range(0, len(samples), size)]


@dataclass
class Compared:
    """The differences in a batch, and a line for each sample that a form could not compute."""

    differences: list[SampleDifference] = field(default_factory=list)
    not_compared: list[str] = field(default_factory=list)


def _died(batch: Batch, why: str) -> tuple[int, Compared, str]:
    """Return what `verify_batch` gives for a batch whose process died."""
    lines = [f"{sample.key}: {why}" for sample in batch.samples]
    return len(batch.samples), Compared(not_compared=lines), ""


def verify_batch(settings: Settings, batch: Batch) -> tuple[int, Compared, str]:
    """Compare both forms on a batch.

    Returns how many samples it has, how the forms compare on them, and why the CPU computed the
    vectorized form where another device was to; "" where it was not.
    """
    compared, why = computed_on(settings.devices[0], lambda: _compared(settings, batch))
    return len(batch.samples), compared, why


def _compared(settings: Settings, batch: Batch) -> Compared:
    """Compare the batch, in halves where it outgrows the memory, with its samples one by one."""
    try:
        with held_below(_most_held(settings.memory)):
            results = DeviceWorker(settings, [batch], current(), keeps_all=True).results(batch)
    except SHORTAGES as error:
        why, halves = reason_of(error), batch.halves() if isinstance(error, MemoryError) else []
    else:
        return _set_against(settings, batch, results)
    # Outside of the handler: what the error's traceback held is free again.
    free_memory()
    if not halves:
        return Compared(not_compared=[f"{sample.key}: {why}" for sample in batch.samples])
    first, second = (_compared(settings, half) for half in halves)
    return Compared(
        first.differences + second.differences, first.not_compared + second.not_compared
    )


def _set_against(settings: Settings, batch: Batch, results: Results) -> Compared:
    """Compare the scalar form's outcomes with the vectorized form's results."""
    compared = Compared()
    differing: Differing = []

    def note(some: range, error: BaseException) -> None:
        why = reason_of(error)
        compared.not_compared += [f"{batch.samples[lane].key}: {why}" for lane in some]

    with computing_on(CPU):  # where the results are, whatever computed them
        for some, part in results.in_parts(_DECODED_AT_ONCE):
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
"""The vectorized form's share of the memory that is left; the rest is for Python objects."""


def _most_held(memory: int | None) -> int | None:
    """Return how many bytes the process may hold while the vectorized form computes."""
    if memory is None:
        return None
    held = held_bytes()
    return held + int(_SHARE * (memory - held))


_DECODED_AT_ONCE = 1 << 20
"""The most that outputs may weigh together that are Python objects at a time."""

_LANES_AT_ONCE = 32
"""Lanes whose first differing operations are looked for in one run."""


def _differences(
    settings: Settings, batch: Batch, lane: int, vectorized: Decoded
) -> list[SampleDifference]:
    """List how the forms differ in a lane of the batch.

    vectorized: what that form gives. The first operations that differ are not yet known.
    """
    forms, sample, same = settings.forms(batch), batch.samples[lane], settings.language.same
    expected, expected_failed = settings.scalar(forms, sample)
    outputs, failed = vectorized
    found = [
        (name, expected[name], outputs[name])
        for name in forms.solvers
        if not same(expected[name], outputs[name])
    ]
    knows_why = settings.language.of_words  # see `Outcome.same`
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
    """Find for each difference the first operation (of the solver's) whose two values differ.

    These lanes are run once more in the vectorized form. Every operation's value is set against the
    scalar form's, which is computed from the scalar values before it. An operation that decides
    near a bound counts only where no other differs. cones: as of `Results`.
    """
    samples = [batch.samples[lane] for lane, _ in lanes]
    replays = [Replay(settings.language, batch.samples[lane], settings.limit) for lane, _ in lanes]
    sets = {name: set(numbers) for name, numbers in cones.items()}
    located: set[int] = set()

    def compare(
        number: int, function: Any, args: tuple[Any, ...], target: Target, reasons: Any
    ) -> None:
        values = target.column.decode()
        for lane, ((_, differences), replay, other) in enumerate(
            zip(lanes, replays, values, strict=True)
        ):
            value, error = replay.step(number, function, args)
            scalar = Outcome(value, Reason.of(error), None)
            vectorized = Outcome(other, Reason(reasons[lane]), None)
            if scalar.same(vectorized, settings.language):
                continue
            concerned = [
                difference
                for difference in differences
                if id(difference) not in located and number in sets.get(difference.solver, {number})
            ]
            if not concerned:
                continue
            again, reason, _ = scalar_of_lane(
                settings.language, lane, function, args, settings.limit
            )
            near = Outcome(again, reason, None).same(vectorized, settings.language)
            operation = f"{number}: {call_text(function, args)}"
            for difference in concerned:
                if not near:
                    located.add(id(difference))
                elif difference.operation:
                    continue  # one before it decides near a bound, too
                difference.near, difference.operation = near, operation
                difference.first = (
                    f"{operation}: scalar {_shown(scalar)}, vectorized {_shown(vectorized)}"
                )

    inputs = batch_inputs(settings.workload, samples, compare)
    settings.forms(batch).run(inputs, settings.limit)


def _shown(outcome: Outcome) -> str:
    return f"fails ({outcome.reason})" if outcome.reason else _short(outcome.value)
