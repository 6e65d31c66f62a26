"""The equivalence harness: both forms of a program on the same samples, compared exactly."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from runtime.engine.arrays import xp
from runtime.engine.devices import current
from runtime.engine.kernels import on_compiled
from runtime.engine.limits import MAX_ELEMENTS, UNLIMITED, budget
from runtime.engine.registry import primitive_of
from runtime.engine.schedule import Target
from runtime.engine.values import identical, show
from runtime.megabatch.compiling import compile_kernels
from runtime.megabatch.devices import computed_on
from runtime.megabatch.on_device import DeviceWorker
from runtime.megabatch.programs import Job, Program
from runtime.megabatch.run import in_processes
from runtime.megabatch.samples import Sample, batch_inputs

_SHOWN = 400


@dataclass
class Difference:
    """Where the two forms part: a solver's output, or the failed operations (solver "")."""

    sample: Sample
    solver: str
    scalar: Any
    vectorized: Any
    first: str

    def __str__(self) -> str:
        where = f"task {self.sample.task_id}, sample {self.sample.position}"
        what = self.solver or "failed operations"
        return (
            f"{where}, {what}: scalar {_short(self.scalar)}, vectorized {_short(self.vectorized)}\n"
            f"    first operation that differs: {self.first}"
        )


def _short(value: Any) -> str:
    text = show(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}... ({len(text)} characters)"


def verify_jobs(
    folder: str,
    jobs: list[Job],
    workers: int = 1,
    max_elements: int = MAX_ELEMENTS,
    progress: Callable[[int], None] = lambda samples: None,
    compiled: Callable[[str], None] = lambda kernel: None,
    device: str = "cpu",
    lost: Callable[[str], None] = lambda why: None,
) -> list[Difference]:
    """All differences over all jobs; a worker process takes a part of a job at a time.

    device: where the vectorized form computes, by its name; the scalar form does on the CPU.
    lost: called with the reason for each part that the CPU had to compute.
    """
    parts = [part for job in jobs for part in _parts(job, workers)]
    calls = [(folder, part, max_elements, device) for part in parts]
    differences = []
    if workers > 1 and device == "cpu":
        compile_kernels(folder, jobs, compiled)
    with on_compiled(compiled):
        for part, found, why in in_processes(verify_batch, calls, workers):
            differences += found
            if why:
                lost(why)
            progress(len(part.samples))
    return differences


def _parts(job: Job, workers: int) -> list[Job]:
    """The job cut so that every worker has a share of the scalar form's work."""
    size = max(1, min(len(job.samples), -(-len(job.samples) // (4 * workers))))
    if workers == 1 or len(job.samples) < 16:
        return [job]
    cuts = range(0, len(job.samples), size)
    return [Job(job.number, job.solver, job.samples[at : at + size]) for at in cuts]


def verify_batch(
    folder: str, job: Job, max_elements: int = MAX_ELEMENTS, device: str = "cpu"
) -> tuple[Job, list[Difference], str]:
    """The differences between a batch in one piece and its samples one by one, and why the CPU
    computed it if another device was to."""
    differences, why = computed_on(device, lambda: _differences(folder, job, max_elements))
    return job, differences, why


def _differences(folder: str, job: Job, max_elements: int) -> list[Difference]:
    program = job.program(folder)
    results = DeviceWorker(folder, [job], current(), max_elements).results(job)
    differences = []
    for lane, (sample, (outputs, failed)) in enumerate(
        zip(job.samples, results.decode(), strict=True)
    ):
        expected, expected_failed = program.sequential(*sample[:4], max_elements=max_elements)
        found = [
            (name, expected[name], outputs[name])
            for name in program.solvers
            if not identical(expected[name], outputs[name])
        ]
        if failed != expected_failed:
            found.append(("", expected_failed, failed))
        for name, scalar, vectorized in found:
            cone = results.cones.get(name)
            first = first_difference(program, job.samples, lane, cone, max_elements)
            differences.append(Difference(sample, name, scalar, vectorized, first))
    return differences


def first_difference(
    program: Program,
    samples: list[Sample],
    lane: int,
    cone: list[int] | None,
    max_elements: int,
) -> str:
    """The first operation (of `cone`, or of all) whose two values differ in a lane of the batch.

    The batch is run once more, every operation's value taken down in that lane and set against
    the scalar form's, computed from the scalar values before it.
    """
    numbers = None if cone is None else set(cone)
    scalar = Replay(samples[lane], max_elements)
    found: list[str] = []

    def compare(
        number: int, function: Any, args: tuple[Any, ...], target: Target, failures: Any
    ) -> None:
        value, failed = scalar.step(number, function, args)
        if found or (numbers is not None and number not in numbers):
            return
        batch_value = target.column.take(xp.asarray([lane], dtype=xp.int64)).decode()[0]
        batch_failed = bool(failures[lane])
        if failed != batch_failed or not identical(value, batch_value):
            found.append(
                f"{number}: {_call_text(function, args)}: scalar {_outcome(value, failed)}, "
                f"vectorized {_outcome(batch_value, batch_failed)}"
            )

    program.vectorized(batch_inputs(samples, compare), max_elements=max_elements)
    return found[0] if found else "none, when run again"


def _outcome(value: Any, failed: bool) -> str:
    return "fails" if failed else _short(value)


def _call_text(function: Any, args: tuple[Any, ...]) -> str:
    return f"{_name(function)}({', '.join(map(_name, args))})"


def _name(value: Any) -> str:
    if not isinstance(value, Target):
        return show(value)
    return f"x{value.source}" if isinstance(value.source, int) else value.source


class Replay:
    """The scalar form of a program, followed operation by operation.

    spent: what the operation last computed has charged.
    """

    def __init__(self, sample: Sample, max_elements: int) -> None:
        self.values: dict[int, Any] = {}
        self.sample = sample
        self.max_elements = max_elements
        self.spent = 0

    def step(self, number: int, function: Any, args: tuple[Any, ...]) -> tuple[Any, bool]:
        primitive = primitive_of(function)
        values = [self._value(arg) for arg in args]
        budget.left = self.max_elements
        try:
            result, failed = self._value(function)(*values), False
        except Exception:
            result, failed = () if primitive is None else primitive.default, True
        self.spent, budget.left = self.max_elements - budget.left, UNLIMITED
        self.values[number] = result
        return result, failed

    def _value(self, arg: Any) -> Any:
        if not isinstance(arg, Target):
            return arg
        if isinstance(arg.source, int):
            return self.values[arg.source]
        return getattr(self.sample, arg.source)
