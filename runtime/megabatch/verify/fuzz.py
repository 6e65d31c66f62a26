"""The fuzzer: compares both forms of random programs, every operation in every lane."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from random import Random
from typing import Any

from rich.console import Console
from rich.table import Table

from megabatt.runtime.engine.language.limits import MAX_ELEMENTS, SHORTAGES
from megabatt.runtime.engine.language.values import show
from megabatt.runtime.megabatch.data import Sample
from megabatt.runtime.megabatch.run.compute import reason_of
from megabatt.runtime.megabatch.run.hardware import computed_on
from megabatt.runtime.megabatch.run.report import print_first, print_line
from megabatt.runtime.megabatch.run.workers import Rescue, in_processes
from megabatt.runtime.megabatch.verify.compare import Case, LaneOutcome, find, tell
from megabatt.runtime.megabatch.verify.generate import program_of
from megabatt.runtime.megabatch.verify.planned import Expected, differing
from megabatt.runtime.megabatch.verify.shrink import cone, needed_by, shrunk
from megabatt.runtime.megabatch.workload import Workload
from megabatt.runtime.program import Program, names_in, source_of
from megabatt.runtime.vocabulary import counted, first_of

_CHUNK = 20
_LOW_LIMITS = [10, 30, 100, 500]
_AT_LIMITS = 12
"""The number of operations of a program that may be run under limits of their own."""


@dataclass
class Difference:
    """A shrunk program and samples on which the forms differ."""

    program_number: int
    case: Case
    inputs: list[str]

    @property
    def called(self) -> str:
        """The name of the function called by the operation in which the forms differ."""
        return str(self.case.program.operations[self.case.finding.number - 1][1])

    @property
    def example(self) -> object:
        """A value that is equal for programs with the same difference."""
        shown = [self._shown(sample) for sample in self.case.samples]
        return self.case.program.operations, shown, self.case.finding

    def __str__(self) -> str:
        program, samples, finding = self.case.program, self.case.samples, self.case.finding
        lines = [
            f"program {self.program_number}, max_elements={self.case.max_elements}: "
            f"the forms differ in {source_of(program.operations[finding.number - 1])}",
            program.source(self.inputs),
            *self._shown(samples[finding.lane]),
            f"scalar: {finding.scalar}",
            f"vectorized: {finding.vectorized}",
        ]
        if len(samples) > 1:
            lines.append(f"only in a batch of {len(samples)}, lane {finding.lane}:")
            lines += [f"    {', '.join(self._shown(sample))}" for sample in samples]
        return "\n".join(lines)

    def _shown(self, sample: Sample) -> list[str]:
        """Write the inputs that the program reads."""
        program = self.case.program
        read = {*names_in(program.operations), program.returns}
        shown = [name for name in self.inputs if name in read]
        return [f"{name} = {show(getattr(sample, name))}" for name in shown]


# Many programs


@dataclass
class Coverage:
    """The operation-lanes of each called function: all, succeeded, and on the host."""

    counts: dict[str, list[int]] = field(default_factory=dict)

    def add(self, name: str, lanes: int, succeeded: int, host: int) -> None:
        entry = self.counts.setdefault(name, [0, 0, 0])
        for k, amount in enumerate((lanes, succeeded, host)):
            entry[k] += amount

    def merge(self, other: Coverage) -> None:
        for name, counts in other.counts.items():
            self.add(name, *counts)


@dataclass
class FuzzReport:
    """The results of fuzzing some programs.

    not_compared: A line for each program that was not compared, say for lack of memory. lost: Why
    the device was lost; "" for a working device.
    """

    programs: int
    coverage: Coverage = field(default_factory=Coverage)
    differences: list[Difference] = field(default_factory=list)
    not_compared: list[str] = field(default_factory=list)
    lost: str = ""

    def counter_examples(self) -> list[str]:
        """Return a text on each distinct difference, and how many more programs show it."""
        alike: list[list[Difference]] = []
        for difference in self.differences:
            for others in alike:
                if others[0].example == difference.example:
                    others.append(difference)
                    break
            else:
                alike.append([difference])
        return [
            f"{first}\n" + (f"{counted(len(more), 'more program')} like it\n" if more else "")
            for first, *more in alike
        ]

    def compared(self, name: str) -> tuple[int, int, int, int]:
        """Count the compared calls of a function: all, succeeded, on the host, and differing."""
        lanes, succeeded, host = self.coverage.counts.get(name, (0, 0, 0))
        differ = sum(difference.called == name for difference in self.differences)
        return lanes + differ, succeeded, host, differ


def fuzz(
    workload: Workload[Any],
    programs: int,
    samples: int,
    seed: int = 0,
    workers: int = 1,
    max_elements: int = MAX_ELEMENTS,
    progress: Callable[[int], None] = lambda programs: None,
    device: str = "cpu",
    deck: Sequence[str] = (),
) -> FuzzReport:
    """Run programs 0, 1, ... of a seed in both forms, each on `samples` samples.

    workload: A workload with `draws`. device: The name of the device for the vectorized form. deck:
    As for `program_of`.
    """
    chunks = [range(at, min(at + _CHUNK, programs)) for at in range(0, programs, _CHUNK)]
    run = partial(
        fuzz_chunk,
        workload,
        seed,
        samples=samples,
        max_elements=max_elements,
        device=device,
        deck=deck,
    )
    report = FuzzReport(0)
    for part in in_processes(run, chunks, workers, Rescue(_halves, _died)):
        report.programs += part.programs
        report.coverage.merge(part.coverage)
        report.differences += part.differences
        report.not_compared += part.not_compared
        report.lost = report.lost or part.lost
        progress(part.programs)
    report.differences.sort(key=lambda difference: difference.program_number)
    return report


def _halves(numbers: range) -> list[range]:
    middle = len(numbers) // 2
    return [numbers[:middle], numbers[middle:]] if middle else []


def _died(numbers: range, why: str) -> FuzzReport:
    """Return the report on programs whose process died."""
    return FuzzReport(len(numbers), not_compared=[f"program {number}: {why}" for number in numbers])


def fuzz_chunk(
    workload: Workload[Any],
    seed: int,
    numbers: range,
    samples: int,
    max_elements: int,
    device: str = "cpu",
    deck: Sequence[str] = (),
) -> FuzzReport:
    """Run some of a seed's programs."""
    def run() -> FuzzReport:
        report = FuzzReport(len(numbers))
        computed: list[Expected] = []
        for number in numbers:
            try:
                difference = fuzz_program(
                    workload, seed, number, samples, max_elements, report.coverage, computed, deck
                )
            except SHORTAGES as error:
                report.not_compared.append(f"program {number}: {reason_of(error)}")
                continue
            if difference is not None:
                report.differences.append(difference)
        try:
            report.differences += side_by_side(workload, computed, max_elements)
        except SHORTAGES as error:
            what = f"programs {numbers[0]} to {numbers[-1]} side by side"
            report.not_compared.append(f"{what}: {reason_of(error)}")
        return report

    report, lost = computed_on(device, run)
    return replace(report, lost=lost)


def side_by_side(
    workload: Workload[Any], computed: list[Expected], max_elements: int
) -> list[Difference]:
    """Evaluate all programs at once; list the first difference from a scalar form, if any."""
    tell(f"{counted(len(computed), 'program')} side by side")
    found = differing(workload, computed, max_elements) if computed else None
    if found is None:
        return []
    case, finding = found
    alone = differing(workload, [case], max_elements)
    if alone is None:
        beside = f"{finding.vectorized}, beside {counted(len(computed) - 1, 'other program')}"
        finding = replace(finding, vectorized=beside)
    whole = Case(case.program, case.samples, max_elements, finding)
    return [Difference(case.number, whole, list(workload.language.inputs))]


def fuzz_program(
    workload: Workload[Any],
    seed: int,
    number: int,
    samples: int,
    max_elements: int,
    coverage: Coverage,
    computed: list[Expected] | None = None,
    deck: Sequence[str] = (),
) -> Difference | None:
    """Run one program in both forms; return a shrunk difference; None if the forms agree.

    computed, deck: As for `differing_case`.
    """
    case = differing_case(workload, seed, number, samples, max_elements, coverage, computed, deck)
    if case is None:
        return None
    case = shrunk(workload, case)
    return Difference(number, case, list(workload.language.inputs))


def differing_case(
    workload: Workload[Any],
    seed: int,
    number: int,
    samples: int,
    max_elements: int,
    coverage: Coverage,
    computed: list[Expected] | None = None,
    deck: Sequence[str] = (),
) -> Case | None:
    """Run one program in both forms; return a case with a difference; None if the forms agree.

    Some programs run under a low limit; others run again under a limit that one operation just
    keeps or just exceeds; so do some operations of each program, alone on one sample. computed:
    Gets the program with the scalar form's outcomes, if the forms agree and the limit is
    `max_elements`. deck: As for `program_of`.
    """
    draws = workload.draws
    assert draws is not None
    program = program_of(draws, seed, number, deck=deck)
    rng = Random(f"{seed}:{number}:samples")
    chosen = draws.samples(rng, samples)
    limits = rng.randrange(8)
    limit = min(max_elements, rng.choice(_LOW_LIMITS)) if limits == 0 else max_elements
    charged: set[int] = set()

    def observed(operation: int, outcomes: list[LaneOutcome], host: int) -> None:
        name = str(program.operations[operation - 1][1])
        name = name if name in workload.language.primitives else "(computed function)"
        succeeded = sum(not outcome.reason for outcome in outcomes)
        coverage.add(name, len(outcomes), succeeded, host)
        charged.update(outcome.spent for outcome in outcomes if outcome.spent)

    outcomes: list[list[LaneOutcome]] = []
    finding = find(workload, program, chosen, limit, observed, outcomes)
    if finding is None and computed is not None and limit == max_elements:
        computed.append(Expected(number, program, chosen, outcomes))
    if finding is None and limits == 1 and charged:
        limit = max(1, rng.choice(sorted(charged)) - rng.randrange(2))
        finding = find(workload, program, chosen, limit)
    if finding is not None:
        return Case(program, chosen, limit, finding)
    for part, lane, limit in _at_their_limits(program, outcomes, rng):
        finding = find(workload, part, [chosen[lane]], limit)
        if finding is not None:
            return Case(part, [chosen[lane]], limit, finding)
    return None


def _at_their_limits(
    program: Program, outcomes: list[list[LaneOutcome]], rng: Random
) -> Iterator[tuple[Program, int, int]]:
    """Draw operations that charge more than all operations that they need.

    Yields the program up to the operation, a lane, and a limit that the operation just keeps or
    just exceeds.
    """
    for number in rng.sample(range(1, len(outcomes) + 1), min(_AT_LIMITS, len(outcomes))):
        lane = rng.randrange(len(outcomes[0]))
        charged = [outcomes[at - 1][lane].spent or 0 for at in needed_by(program, number)]
        if charged[-1] > max(charged[:-1], default=0):
            yield cone(program, number), lane, max(1, charged[-1] - rng.randrange(2))


def print_report(
    console: Console, workload: Workload[Any], report: FuzzReport, samples: int
) -> None:
    """Print the differences, the coverage by primitive, and a line that sums up."""
    if report.lost:
        line = f"{report.lost}: programs from then on were run on the CPU"
        console.print(line, highlight=False, markup=False, soft_wrap=True)
    for example in report.counter_examples():
        console.print(example, highlight=False, markup=False, soft_wrap=True)
    table = Table(title="operation-lanes compared", title_justify="left")
    table.add_column("primitive")
    for heading in ("compared", "succeeded", "failed", "host", "differ"):
        table.add_column(heading, justify="right")
    counts = report.coverage.counts
    others = []
    for name in sorted({*workload.language.primitives, *counts}):
        lanes, succeeded, host, differ = report.compared(name)
        failed = lanes - succeeded - differ
        if lanes:
            table.add_row(name, *map(str, (lanes, succeeded, failed, host, differ)))
        else:
            others.append(name)
    console.print(table)
    if others:
        line = f"no call compared of {counted(len(others), 'primitive')}: {first_of(others, 5)}"
        print_line(console, f"{line} (--programs N draws more)")
    lost = report.not_compared
    print_first(console, "not compared", lost)
    console.print(
        f"fuzzed {counted(report.programs, 'program')} x {counted(samples, 'sample')}: "
        + counted(len(report.differences), "difference")
        + (f", {counted(len(lost), 'program')} not compared" if lost else ""),
        highlight=False,
    )
