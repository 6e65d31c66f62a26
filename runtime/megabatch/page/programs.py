"""The operations of a run's solvers: primitives, failures and times."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from megabatt.runtime.megabatch.page.folder import StoredRun
from megabatt.runtime.megabatch.run.manifest import KeptProgram

_VARIABLE = re.compile(r"x\d+")
_BUILT = "(functions that programs build)"


def primitives_of(program: KeptProgram) -> list[str]:
    """Return the name of each operation's primitive."""
    called = [call.partition("(")[0] for call in program.calls]
    return [_BUILT if _VARIABLE.fullmatch(name) else name for name in called]


class Times:
    """The seconds of operations in a run. Methods return None if the run timed no operation."""

    def __init__(self, run: StoredRun, summary: dict[str, Any]) -> None:
        """Read the seconds. summary: The content of summary.json. Raises DataError."""
        self._programs = run.manifest.programs
        self._own = run.manifest.own
        self._seconds = run.operation_seconds()
        stages = summary.get("seconds")
        seconds = stages.get("compute") if isinstance(stages, dict) else None
        self._compute = float(seconds) if isinstance(seconds, int | float) else 0.0

    def of_operations(self, solver: str) -> list[float] | None:
        """Return the seconds of each operation of a solver's own program."""
        if not self._seconds or solver not in self._programs:
            return None
        return [round(self._seconds.get(one, 0.0), 6) for one in self._computed_as(solver)]

    def _computed_as(self, solver: str) -> list[tuple[str, int]]:
        """List the run's operations, by program and number, that compute a solver's operations.

        Several solvers may share an operation.
        """
        program = solver if self._own else ""
        return [(program, number) for number in self._programs[solver].numbers]

    def of_solver(self, solver: str) -> float | None:
        seconds = self.of_operations(solver)
        return None if seconds is None else round(sum(seconds), 6)

    def of_primitives(self, solvers: Iterable[str]) -> dict[str, float] | None:
        """Add up the seconds of solvers by primitive, with shared operations counted once."""
        called = {
            operation: primitive
            for name in solvers
            if name in self._programs
            for operation, primitive in zip(
                self._computed_as(name), primitives_of(self._programs[name]), strict=True
            )
        }
        if not self._seconds or not called:
            return None
        seconds: dict[str, float] = defaultdict(float)
        for operation, primitive in called.items():
            seconds[primitive] += self._seconds.get(operation, 0.0)
        return dict(seconds)

    def described(self) -> str:
        """Return the page's line on the meaning of the seconds."""
        if not self._seconds:
            return "The run did not time its operations, as on GPUs many are under way at a time."
        total = sum(self._seconds.values())
        return (
            "The seconds of an operation cover all samples of the run and all calls inside the "
            f"operation, added up over processes: {total:.2f} s of the {self._compute:.2f} s that "
            "the batches took to compute. The rest went into loading or compiling kernels, and "
            "into batches left to the scalar form. An operation that several solvers share was "
            "computed once, and its seconds count in full for each of these solvers."
        )


def failures_of(run: StoredRun) -> dict[str, Counter[int]]:
    """Count the samples on which each operation failed, by solver and operation."""
    counts: dict[str, Counter[int]] = defaultdict(Counter)
    for table in run.rows(["solver", "failed_operations"]):
        for solver, operation, n in _flattened(table):
            counts[solver][operation] += n
    return counts


def _flattened(table: pa.Table) -> Iterator[tuple[str, int, int]]:
    """Yield (solver, operation, number of failed samples) of one file."""
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
    """Return each distinct row once, with its count as n_sum."""
    ones = rows.append_column("n", pa.array(np.ones(len(rows), np.int64)))
    found: list[dict[str, Any]] = (
        ones.group_by(rows.column_names).aggregate([("n", "sum")]).to_pylist()
    )
    return found


def first_failures_of(run: StoredRun) -> dict[str, dict[int, str]]:
    """Say for each operation on how many samples it was the first failure, and why.

    The result is such as {"solve_x": {3: "first on 9: type 7, limit 2"}}.
    """
    counts: dict[str, dict[int, Counter[str]]] = defaultdict(lambda: defaultdict(Counter))
    for table in run.rows(["solver", "first_failed", "reason"]):
        words = {name: table[name].cast(pa.string()) for name in ("solver", "reason")}
        for row in counted(pa.table({**words, "operation": table["first_failed"]})):
            if row["operation"] is not None:
                counts[row["solver"]][row["operation"]][row["reason"]] += row["n_sum"]
    return {
        solver: {number: _first(reasons) for number, reasons in of_solver.items()}
        for solver, of_solver in counts.items()
    }


def _first(reasons: Counter[str]) -> str:
    why = ", ".join(f"{reason} {n}" for reason, n in reasons.most_common())
    return f"first on {reasons.total()}: {why}"


def by_primitive(
    solvers: Iterable[str],
    programs: dict[str, KeptProgram],
    failures: dict[str, Counter[int]],
    times: Times,
) -> list[tuple[str, int, int, float | None]]:
    """Return rows (primitive, operations, failed samples, seconds) for some solvers.

    Rows are ordered by decreasing seconds, or by decreasing failures if nothing was timed.
    """
    solvers = [name for name in solvers if name in programs]
    operations: Counter[str] = Counter()
    failed: Counter[str] = Counter()
    for solver in solvers:
        for number, primitive in enumerate(primitives_of(programs[solver]), start=1):
            operations[primitive] += 1
            failed[primitive] += failures[solver][number]
    seconds = times.of_primitives(solvers)
    rows = [
        (name, operations[name], n, None if seconds is None else round(seconds.get(name, 0.0), 6))
        for name, n in failed.items()
    ]
    return sorted(rows, key=lambda row: (-(row[3] or 0.0), -row[2], row[0]))
