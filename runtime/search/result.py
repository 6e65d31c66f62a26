"""What has come of a search: attempts by task, and what is counted at the end."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from megabatt.runtime.megabatch.panels import input_panels, output_panel
from megabatt.runtime.megabatch.pictures import Row, fragment_of, preformatted, table_of
from megabatt.runtime.megabatch.workload import Workload
from megabatt.runtime.search.found import Found
from megabatt.runtime.search.problems import solved_with
from megabatt.runtime.search.state import State

ATTEMPTS = (1, 2, 3)


@dataclass
class Result:
    """The programs that a search found.

    Attributes:
        workload: The workload of the tasks.
        state: The state of the search.
        answers: The expected outputs of the tests, by task, which are read for the count only.
        peak_bytes: The most memory that all processes were seen to take together.
        stopped: Why the search ended early; "" if it did not.
    """

    workload: Workload[Any]
    state: State
    answers: Mapping[str, tuple[Any, ...]]
    peak_bytes: int = 0
    stopped: str = ""

    def ranked(self, task: str) -> list[Found]:
        """List the programs that fit a task, the best first, each with other outputs for its tests.
        """
        return self.state.finds.ranked(task)

    def attempts(self, task: str) -> list[Found]:
        """List the programs that answer a task's tests: programs that fit, then guesses, the best
        first.

        Each has other outputs for the tests than the programs before it.
        """
        fitting = self.ranked(task)
        known = {one.outputs for one in fitting}
        return fitting + [g for g in self.state.guesses.ranked(task) if g.outputs not in known]

    @property
    def answered(self) -> dict[str, list[Found]]:
        """`attempts` of every task that has any."""
        every = {problem.name: self.attempts(problem.name) for problem in self.state.problems}
        return {task: attempts for task, attempts in every.items() if attempts}

    @property
    def found(self) -> dict[str, list[Found]]:
        """`ranked` of every task that a program fits."""
        return {
            problem.name: self.ranked(problem.name)
            for problem in self.state.problems
            if problem.name in self.state.finds
        }

    def solved(self, attempts: int) -> list[str]:
        """List the solved tasks: every test is right in one of the first attempts.

        Args:
            attempts: The number of attempts for each test.
        """
        return [task for task, right in self._outcomes(self.answered, attempts).items() if right]

    def _outcomes(
        self, programs: Mapping[str, list[Found]], attempts: int
    ) -> dict[str, bool | None]:
        """Tell which tasks are solved with so many attempts; None where an answer is not known."""
        return {
            task: solved_with([one.outputs for one in of], self.answers.get(task, ()), attempts)
            for task, of in programs.items()
        }

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
            "fitted": len(state.finds),
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
        return (
            f"{f['fitted']} of {f['tasks']} tasks fitted, solved with 1/2/3 attempts: {solved}, "
            f"by fitting {fitting}; {f['programs']:,} programs in {f['seconds']:.0f} s"
        )

    def _repr_html_(self) -> str:
        best = [(task, programs[0]) for task, programs in self.found.items()]
        head = ["task", "program", "operations", "origin"]
        rows = [(task, str(one.program), one.size, one.origin) for task, one in best[:_MOST_ROWS]]
        drawn = [row for task, one in best[:_MOST_DRAWN] for row in self._drawn(task, one)]
        return fragment_of(preformatted(repr(self)), table_of(head, rows), drawn)

    def _drawn(self, task: str, found: Found) -> list[Row]:
        """Draw a task's tests, with what a program gives for them."""
        problem = next(problem for problem in self.state.problems if problem.name == task)
        tests = problem.samples[problem.demonstrations :]
        answers = self.answers.get(task, ()) or (None,) * len(tests)
        return [
            Row(self.workload.shown.heading(test), [
                *input_panels(self.workload, test),
                output_panel(self.workload, found.program.name, output, answer),
            ])
            for test, output, answer in zip(tests, found.outputs, answers, strict=True)
        ]  # fmt: skip


_MOST_ROWS, _MOST_DRAWN = 50, 6
"""How many tasks a notebook lists, and of how many it draws the tests."""
