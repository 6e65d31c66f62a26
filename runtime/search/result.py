"""The result of a search: attempts by task, and the counts at the end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from megabatt.runtime.megabatch.frames import Tabular
from megabatt.runtime.megabatch.panels import input_panels, output_panel
from megabatt.runtime.megabatch.pictures import (
    Panel,
    Row,
    Words,
    fragment_of,
    preformatted,
    table_of,
)
from megabatt.runtime.megabatch.workload import Workload
from megabatt.runtime.printable import short
from megabatt.runtime.program import Program
from megabatt.runtime.search.found import Found
from megabatt.runtime.search.problems import Problem, solved_with
from megabatt.runtime.search.state import State
from megabatt.runtime.search.written import solvers_source, write_whole
from megabatt.runtime.vocabulary import counted, name_of

ATTEMPTS = (1, 2, 3)

_ROWS = pa.schema(
    [
        ("task", pa.string()),
        ("attempt", pa.int32()),
        ("guess", pa.bool_()),
        ("solved", pa.bool_()),
        ("operations", pa.int32()),
        ("bits", pa.float64()),
        ("origin", pa.string()),
        ("seconds", pa.float64()),
        ("program", pa.string()),
    ]
)


@dataclass
class Result(Tabular):
    """The programs that a search found.

    Attributes:
        workload: The workload of the tasks.
        state: The state of the search.
        answers: The expected outputs of the tests, by task, which are read for the count only.
        peak_bytes: The most bytes seen in use by all processes together.
        stopped: Why the search ended early; "" if it did not.
        checked: By task, the programs whose two forms were compared and agree; no others count.
            None if all programs count.
    """

    workload: Workload[Any]
    state: State
    answers: Mapping[str, tuple[Any, ...]]
    peak_bytes: int = 0
    stopped: str = ""
    checked: Mapping[str, Sequence[Found]] | None = None

    def ranked(self, task: str) -> list[Found]:
        """List the programs that fit a task, the best first, each with different test outputs.

        Raises:
            KeyError: There is no such task.
        """
        if not isinstance(task, str) or all(one.name != task for one in self.state.problems):
            raise KeyError(f"the search had no task {short(task)}")
        return self._counted(task, self.state.finds.ranked(task))

    def attempts(self, task: str) -> list[Found]:
        """List the programs that answer a task's tests: fits, then guesses, the best of each first.

        Each program has different test outputs from all programs before it.
        """
        fitting = self.ranked(task)
        known = {one.outputs for one in fitting}
        guesses = self._counted(task, self.state.guesses.ranked(task))
        return fitting + [guess for guess in guesses if guess.outputs not in known]

    def _counted(self, task: str, found: list[Found]) -> list[Found]:
        if self.checked is None:
            return found
        kept = {one.program for one in self.checked.get(task, ())}  # processes return copies
        return [one for one in found if one.program in kept]

    @property
    def answered(self) -> dict[str, list[Found]]:
        """`attempts` of every task that has any."""
        every = {problem.name: self.attempts(problem.name) for problem in self.state.problems}
        return {task: attempts for task, attempts in every.items() if attempts}

    @property
    def found(self) -> dict[str, list[Found]]:
        """`ranked` of every task that a program fits."""
        every = {
            problem.name: self.ranked(problem.name)
            for problem in self.state.problems
            if problem.name in self.state.finds
        }
        return {task: ranked for task, ranked in every.items() if ranked}

    @property
    def programs(self) -> list[Program]:
        """The best program of every task that a program fits, named after the task."""
        return [best.program._replace(name=task) for task, (best, *_) in self.found.items()]

    def write(self, path: str | Path) -> None:
        """Write programs to a Python file, which `mb.read` and `megabatt compile` take.

        The file has the first three `attempts` of each task: the best is solve_TASK, the others are
        solve_2_TASK and so on.

        Args:
            path: The file.
        """
        inputs = self.workload.language.inputs
        write_whole(Path(path), solvers_source(self.answered, inputs, self.workload))

    def to_arrow(self) -> pa.Table:
        """Return an Arrow table with a row for each program of `answered`, a task's best first.

        The column `guess` says whether the program counts as a guess: it misses a demonstration, or
        something speaks against it (see `Found.doubt`). The column `solved` says whether all tests
        of the task are right; it is null if their outputs are not known.
        """
        rows = [
            {
                "task": task,
                "attempt": number,
                "guess": one.guess,
                "solved": self._solved(task, [one], 1),
                "operations": one.size,
                "bits": one.cost,
                "origin": one.origin,
                "seconds": one.seconds,
                "program": one.program._replace(name=f"solve_{name_of(task)}").source(
                    self.workload.language.inputs
                ),
            }
            for task, found in self.answered.items()
            for number, one in enumerate(found, 1)
        ]
        return pa.Table.from_pylist(rows, _ROWS)

    def solved(self, attempts: int) -> list[str]:
        """List the solved tasks: for every test, one of the first attempts is right.

        Args:
            attempts: The number of attempts for each test.
        """
        return [task for task, right in self._outcomes(self.answered, attempts).items() if right]

    def _outcomes(
        self, programs: Mapping[str, list[Found]], attempts: int
    ) -> dict[str, bool | None]:
        """Tell which tasks `attempts` attempts solve; None if an answer is not known."""
        return {task: self._solved(task, of, attempts) for task, of in programs.items()}

    def _solved(self, task: str, programs: Sequence[Found], attempts: int) -> bool | None:
        outputs, answers = [one.outputs for one in programs], self.answers.get(task, ())
        return solved_with(outputs, answers, attempts, self.workload.language.same)

    @property
    def figures(self) -> dict[str, Any]:
        """The counts at the end of the search, as plain values."""
        state = self.state
        found, answered = self.found, self.answered
        outcomes = self._outcomes(found, ATTEMPTS[-1])
        first = self._outcomes(found, ATTEMPTS[0])
        busy = sum(state.seconds.values())
        return {
            "tasks": len(state.problems),
            "fitted": len(found),
            **{
                f"solved_with_{count}": sum(map(bool, self._outcomes(answered, count).values()))
                for count in ATTEMPTS
            },
            **{
                f"solved_by_fitting_with_{count}": sum(
                    map(bool, self._outcomes(found, count).values())
                )
                for count in ATTEMPTS
            },
            "guessed": len(answered.keys() - found.keys()),
            "fitted_but_wrong_at_first": sum(right is False for right in first.values()),
            "fitted_but_wrong": sum(right is False for right in outcomes.values()),
            "fitted_unknown": sum(right is None for right in outcomes.values()),
            "programs": state.tried,
            "distinct": state.distinct,
            "candidates": state.candidates,
            "programs_per_second_and_core": round(state.tried / busy, 1) if busy else 0.0,
            "seconds": round(state.elapsed, 1),
            "seconds_by_stage": {name: round(spent, 1) for name, spent in state.seconds.items()},
            "peak_mb": round(self.peak_bytes / 1e6),
            "growth": [[round(at, 1), tried, fitted] for at, tried, fitted in state.growth],
        }

    def __repr__(self) -> str:
        f = self.figures
        solved, fitting = (
            "/".join(str(f[f"solved_{how}with_{count}"]) for count in ATTEMPTS)
            for how in ("", "by_fitting_")
        )
        are_known = any(
            all(answer is not None for answer in of) for of in self.answers.values() if of
        )
        counts = f"solved with 1/2/3 attempts: {solved}, by fitting {fitting}"
        return (
            f"{f['fitted']} of {counted(f['tasks'], 'task')} fitted, "
            f"{counts if are_known else 'test outputs unknown'}; "
            f"{counted(f['programs'], 'program')} in {f['seconds']:.0f} s"
        )

    def _repr_html_(self) -> str:
        found = self.found
        best = [(task, programs[0]) for task, programs in found.items()]
        drawn = [
            drawn_find(self.workload, problem, found[problem.name][0], self.answers)
            for problem in self.state.problems
            if problem.name in found
        ]
        head = ["task", "operations", "origin"]
        rows = [(task, one.size, one.origin) for task, one in best[_MOST_DRAWN:]]
        more = table_of(head, rows[:_MOST_ROWS]) if rows else ""
        return fragment_of(preformatted(repr(self)), drawn[:_MOST_DRAWN], more)


def drawn_find(
    workload: Workload[Any],
    problem: Problem,
    found: Found,
    answers: Mapping[str, tuple[Any, ...]] | None = None,
) -> Row:
    """Draw a find: a task's first test, the program's output for it, and the program.

    answers: The expected outputs of tests that may be shown, by task.
    """
    expected = (answers or {}).get(problem.name) or [None]
    panels = [Panel("program", Words(str(found.program).split("\n")[1:]))]
    if problem.tests:
        test, output = problem.samples[problem.demonstrations], found.outputs[0]
        answer = output_panel(workload, "answer", output, expected[0])
        panels = [*input_panels(workload, test), answer, *panels]
    return Row(f"{problem.name}: {counted(found.size, 'operation')}, {found.origin}", panels)


_MOST_ROWS, _MOST_DRAWN = 50, 12
"""The most tasks that a notebook lists, and the most finds that it draws."""
