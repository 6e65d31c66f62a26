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
    """What a search has found.

    answers: what is expected of the tests, by task, for the count alone; peak_bytes: the most
    memory that all processes were seen to have together; stopped: why it ended before its time.
    """

    workload: Workload[Any]
    state: State
    answers: Mapping[str, tuple[Any, ...]]
    peak_bytes: int = 0
    stopped: str = ""

    def ranked(self, task: str) -> list[Found]:
        """List the programs that fit a task, best first, each with other outputs for its tests."""
        return self.state.finds.ranked(task)

    @property
    def found(self) -> dict[str, list[Found]]:
        """`ranked` of every task that is fitted."""
        return {
            problem.name: self.ranked(problem.name)
            for problem in self.state.problems
            if problem.name in self.state.finds
        }

    def solved(self, attempts: int) -> list[str]:
        """List the tasks with every test right in one of so many attempts, as far as is known."""
        return [task for task, right in self._outcomes(attempts).items() if right]

    def _outcomes(self, attempts: int) -> dict[str, bool | None]:
        return {
            task: solved_with(
                [one.outputs for one in programs], self.answers.get(task, ()), attempts
            )
            for task, programs in self.found.items()
        }

    @property
    def figures(self) -> dict[str, Any]:
        """What is counted at the end, as plain values."""
        state = self.state
        outcomes = self._outcomes(ATTEMPTS[-1])
        busy = sum(state.seconds.values())
        return {
            "tasks": len(state.problems),
            "fitted": len(state.finds),
            **{f"solved_with_{count}": len(self.solved(count)) for count in ATTEMPTS},
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
        solved = "/".join(str(f[f"solved_with_{count}"]) for count in ATTEMPTS)
        return (
            f"{f['fitted']} of {f['tasks']} tasks fitted, solved with 1/2/3 attempts: {solved}; "
            f"{f['programs']:,} programs in {f['seconds']:.0f} s"
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
