"""The fuzzer: random programs in both forms, every operation compared in every lane."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from random import Random

from rich.console import Console
from rich.table import Table

from runtime.arc import LANGUAGE
from runtime.engine.limits import MAX_ELEMENTS
from runtime.engine.values import show
from runtime.megabatch.compare import Finding, Outcome, Program, find, source_of
from runtime.megabatch.data import Grid, load
from runtime.megabatch.devices import computed_on
from runtime.megabatch.generate import program_of
from runtime.megabatch.run import in_processes
from runtime.megabatch.samples import Sample
from runtime.megabatch.shrink import shrunk

_CHUNK = 20


@dataclass
class Difference:
    """A finding with its program and samples, shrunk."""

    program_number: int
    program: Program
    samples: list[Sample]
    max_elements: int
    finding: Finding

    def __str__(self) -> str:
        sample = self.samples[self.finding.lane]
        lines = [
            f"program {self.program_number}, max_elements={self.max_elements}: "
            f"the forms differ in {self.program[self.finding.number - 1]}",
            source_of(self.program, str(self.program_number)),
            f"I = {show(sample.I)}",
            f"S = {show(sample.S)}",
            f"C = {show(sample.C)}",
            f"scalar: {self.finding.scalar}",
            f"vectorized: {self.finding.vectorized}",
        ]
        if len(self.samples) > 1:
            lines.append(f"only in a batch of {len(self.samples)}, lane {self.finding.lane}:")
            for s in self.samples:
                lines.append(f"    I = {show(s.I)}, S = {show(s.S)}, C = {show(s.C)}")
        return "\n".join(lines)


@lru_cache(maxsize=1)
def _real_grids() -> list[Grid]:
    """Grids of ARC-AGI-1, the smaller half."""
    grids = [pair.input for task in load("arcagi").tasks for pair in task.pairs]
    return sorted(grids, key=lambda grid: len(grid) * len(grid[0]))[: len(grids) // 2]


def _random_grid(rng: Random) -> Grid:
    if rng.random() < 0.25:
        return rng.choice(_real_grids())
    h, w = (rng.choice([1, 1, 2, 3, 3, 4, 5, 6, 7, 9, 12]) for _ in range(2))
    colors = [rng.randrange(10) for _ in range(rng.randint(1, 4))]
    colors += [colors[0]] * rng.randrange(8)
    return tuple(tuple(rng.choice(colors) for _ in range(w)) for _ in range(h))


def random_samples(rng: Random, count: int) -> list[Sample]:
    """Inputs for a program: grids made up and real ones, C sometimes None."""
    samples = []
    for position in range(count):
        pairs = tuple((_random_grid(rng), _random_grid(rng)) for _ in range(rng.randrange(4)))
        expected = None if rng.random() < 0.3 else _random_grid(rng)
        sample = Sample("fuzz", pairs, _random_grid(rng), expected, "fuzz", position, False)
        samples.append(sample)
    return samples


# Many programs


@dataclass
class Coverage:
    """For each function called: its operation-lanes, those that succeeded, those on the host."""

    counts: dict[str, list[int]] = field(default_factory=dict)

    def add(self, name: str, lanes: int, succeeded: int, host: int) -> None:
        entry = self.counts.setdefault(name, [0, 0, 0])
        for k, amount in enumerate((lanes, succeeded, host)):
            entry[k] += amount

    def merge(self, other: Coverage) -> None:
        for name, counts in other.counts.items():
            self.add(name, *counts)


@dataclass
class Report:
    """What became of some programs."""

    programs: int
    coverage: Coverage = field(default_factory=Coverage)
    differences: list[Difference] = field(default_factory=list)
    lost: str = ""


def fuzz(
    programs: int,
    samples: int,
    seed: int = 0,
    workers: int = 1,
    max_elements: int = MAX_ELEMENTS,
    progress: Callable[[int], None] = lambda programs: None,
    device: str = "cpu",
) -> Report:
    """Run programs 0, 1, ... of a seed in both forms, each on so many samples.

    device: where the vectorized form computes, by its name.
    """
    chunks = [range(at, min(at + _CHUNK, programs)) for at in range(0, programs, _CHUNK)]
    calls = [(seed, chunk, samples, max_elements, device) for chunk in chunks]
    report = Report(0)
    for part in in_processes(fuzz_chunk, calls, workers):
        report.programs += part.programs
        report.coverage.merge(part.coverage)
        report.differences += part.differences
        report.lost = report.lost or part.lost
        progress(part.programs)
    report.differences.sort(key=lambda difference: difference.program_number)
    return report


def fuzz_chunk(
    seed: int, numbers: range, samples: int, max_elements: int, device: str = "cpu"
) -> Report:
    """Run some of a seed's programs."""

    def run() -> Report:
        report = Report(len(numbers))
        for number in numbers:
            difference = fuzz_program(seed, number, samples, max_elements, report.coverage)
            if difference is not None:
                report.differences.append(difference)
        return report

    report, lost = computed_on(device, run)
    report.lost = lost
    return report


def fuzz_program(
    seed: int, number: int, samples: int, max_elements: int, coverage: Coverage
) -> Difference | None:
    """Run one program in both forms; a difference comes shrunk."""
    program = program_of(seed, number)
    rng = Random(f"{seed}:{number}:samples")
    chosen = random_samples(rng, samples)
    limit = min(max_elements, rng.choice([10, 30, 100, 500])) if number % 8 == 7 else max_elements

    def observed(operation: int, outcomes: list[Outcome], host: int) -> None:
        name = program[operation - 1].function
        name = name if name in LANGUAGE.primitives else "(computed function)"
        succeeded = sum(not outcome.failed for outcome in outcomes)
        coverage.add(name, len(outcomes), succeeded, host)

    found = find(program, chosen, limit, observed)
    if found is None:
        return None
    program, chosen, found = shrunk(program, chosen, limit, found)
    return Difference(number, program, chosen, limit, found)


def print_report(console: Console, report: Report, samples: int) -> None:
    """The differences, the coverage by primitive, and the line that sums it up."""
    if report.lost:
        line = f"{report.lost}: programs from then on were run on the CPU"
        console.print(line, highlight=False, markup=False, soft_wrap=True)
    for difference in report.differences:
        console.print(f"{difference}\n", highlight=False, markup=False, soft_wrap=True)
    table = Table(title="operation-lanes compared", title_justify="left")
    table.add_column("primitive")
    for heading in ("compared", "succeeded", "failed", "host"):
        table.add_column(heading, justify="right")
    counts = report.coverage.counts
    for name in sorted({*LANGUAGE.primitives, *counts}):
        lanes, succeeded, host = counts.get(name, (0, 0, 0))
        table.add_row(name, str(lanes), str(succeeded), str(lanes - succeeded), str(host))
    console.print(table)
    console.print(
        f"fuzzed {report.programs} programs x {samples} samples: "
        f"{len(report.differences)} differences",
        highlight=False,
    )
