"""What a run's solvers call, in how many samples that failed, and how long it took."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from megabatt.runtime.megabatch.batches import Settings
from megabatt.runtime.megabatch.page.folder import RunFolder
from megabatt.runtime.megabatch.programs import ProgramError, merged_program, own_programs
from megabatt.runtime.megabatch.run.manifest import program_digest
from megabatt.runtime.megabatch.trace import calls_of
from megabatt.runtime.megabatch.workload import Workload


@dataclass(frozen=True)
class Program:
    """A solver's own program.

    calls: its operations as source; computed_as: for each, the operation that the run has computed,
    as `RunFolder.operation_seconds` names it. Solvers that were run merged may share an operation.
    """

    calls: list[str]
    computed_as: list[tuple[str, int]]

    @property
    def primitives(self) -> list[str]:
        """What each operation calls."""
        called = [call.partition("(")[0] for call in self.calls]
        return [_BUILT if _VARIABLE.fullmatch(name) else name for name in called]


_VARIABLE = re.compile(r"x\d+")
_BUILT = "(functions that programs build)"


@dataclass(frozen=True)
class Programs:
    """The solvers' programs by name; none where those that were run are gone.

    own: whether each was run as a program of its own, not merged with the others.
    """

    by_name: dict[str, Program]
    own: bool = False

    @classmethod
    def of(cls, run: RunFolder, workload: Workload[Any]) -> Programs:
        settings = Settings(workload, run.summary["program"])
        try:
            ran_as = [own for own in (False, True) if _is_of(run, settings, own)]
            if not ran_as:
                return cls({})
            own = own_programs(settings.folder)
            merged = None if ran_as[0] else merged_program(settings.folder)
        except (ProgramError, OSError):
            return cls({})
        programs = {}
        for name, forms in own.items():
            numbers = range(1, forms.operations + 1) if merged is None else merged.numbers[name]
            program = name if merged is None else ""
            programs[name] = Program(calls_of(settings, forms), [(program, n) for n in numbers])
        return cls(programs, ran_as[0])


def _is_of(run: RunFolder, settings: Settings, own: bool) -> bool:
    return program_digest(settings, own) == run.summary.get("program_digest")


class Times:
    """The seconds that operations took in the run; None where it timed none."""

    def __init__(self, run: RunFolder, programs: Programs) -> None:
        self._programs = programs.by_name
        self._seconds = run.operation_seconds(programs.own)
        self._compute = run.compute_seconds

    def of_operations(self, solver: str) -> list[float] | None:
        """Return the seconds of each operation of a solver's own program."""
        if not self._seconds or solver not in self._programs:
            return None
        of = self._programs[solver].computed_as
        return [round(self._seconds.get(operation, 0.0), 6) for operation in of]

    def of_solver(self, solver: str) -> float | None:
        seconds = self.of_operations(solver)
        return None if seconds is None else round(sum(seconds), 6)

    def of_primitives(self, solvers: Iterable[str]) -> dict[str, float] | None:
        """Add up by primitive the seconds of some solvers. What these share is counted once."""
        called = {
            operation: primitive
            for name in solvers
            if name in self._programs
            for operation, primitive in zip(
                self._programs[name].computed_as, self._programs[name].primitives, strict=True
            )
        }
        if not self._seconds or not called:
            return None
        seconds: dict[str, float] = defaultdict(float)
        for operation, primitive in called.items():
            seconds[primitive] += self._seconds.get(operation, 0.0)
        return dict(seconds)

    def described(self) -> str:
        """Say for the page what the seconds are."""
        if not self._seconds:
            return "The run did not time its operations, as on GPUs many are under way at a time."
        total = sum(self._seconds.values())
        return (
            f"Seconds are those that operations took in the run, on all its samples and with all "
            f"that they call, added up over processes: {total:.2f} s of the {self._compute:.2f} s "
            "that the batches took to compute. The rest went into kernels, loaded or compiled, "
            "and batches left to the scalar form. An operation that several solvers share was "
            "computed once; each of them has all of its seconds."
        )


def failures_of(run: RunFolder) -> dict[str, Counter[int]]:
    """Count, by solver, the samples in which each operation of its program failed."""
    counts: dict[str, Counter[int]] = defaultdict(Counter)
    for table in run.rows(["solver", "failed_operations"]):
        for solver, operation, n in _flattened(table):
            counts[solver][operation] += n
    return counts


def _flattened(table: pa.Table) -> Iterator[tuple[str, int, int]]:
    """Yield (solver, operation, samples) of one file."""
    lists = table["failed_operations"].combine_chunks()
    solver = table["solver"].combine_chunks().cast(pa.string())
    rows = pa.table(
        {
            "solver": solver.take(pc.list_parent_indices(lists)),
            "operation": pc.list_flatten(lists),
        }
    )
    for row in counted(rows):
        yield row["solver"], row["operation"], row["n_sum"]


def counted(rows: pa.Table) -> list[dict[str, Any]]:
    """Return each different row once, with its count as n_sum."""
    ones = rows.append_column("n", pa.array(np.ones(len(rows), np.int64)))
    found: list[dict[str, Any]] = (
        ones.group_by(rows.column_names).aggregate([("n", "sum")]).to_pylist()
    )
    return found


def by_primitive(
    solvers: Iterable[str],
    programs: dict[str, Program],
    failures: dict[str, Counter[int]],
    times: Times,
) -> list[tuple[str, int, int, float | None]]:
    """List (primitive, operations, failed samples of these, seconds) of some solvers.

    Those that took most time come first or, where nothing was timed, those with most failures.
    """
    solvers = [name for name in solvers if name in programs]
    operations: Counter[str] = Counter()
    failed: Counter[str] = Counter()
    for solver in solvers:
        for number, primitive in enumerate(programs[solver].primitives, start=1):
            operations[primitive] += 1
            failed[primitive] += failures[solver][number]
    seconds = times.of_primitives(solvers)
    rows = [
        (name, operations[name], n, None if seconds is None else round(seconds[name], 6))
        for name, n in failed.items()
    ]
    return sorted(rows, key=lambda row: (-(row[3] or 0.0), -row[2], row[0]))
