"""Tasks as a search sees them: demonstrations with expected outputs, tests without."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from megabatt.runtime.megabatch.samples import by_group, demonstrates
from megabatt.runtime.megabatch.workload import Workload


@dataclass(frozen=True)
class Problem:
    """A task to be searched.

    Attributes:
        name: The name of the task.
        samples: The demonstrations, then the tests without their expected outputs; in ARC, each
            with its input `I` and its `expected` output. No demonstration shows its own pair to
            programs: in ARC, its `S` has the other demonstrations.
        demonstrations: The number of demonstrations among the samples.
        whole: The demonstrations as programs meet them outside of a search, with their own pairs.
    """

    name: str
    samples: tuple[Any, ...]
    demonstrations: int
    whole: tuple[Any, ...]

    @property
    def shown(self) -> tuple[Any, ...]:
        """The demonstrations."""
        return self.samples[: self.demonstrations]

    @property
    def tests(self) -> int:
        """The number of tests."""
        return len(self.samples) - self.demonstrations


def problems_of(workload: Workload[Any], samples: Iterable[Any]) -> list[Problem]:
    """Group samples into problems, in the samples' order.

    The expected outputs of tests are removed, and each demonstration's own pair: a program that
    looked its output up would fit any demonstrations. Groups without a demonstration are left out.
    """
    problems = []
    for name, members in by_group(samples).items():
        shown = [s for s in members if demonstrates(workload, s)]
        tests = [workload.unanswered(s) for s in members if workload.is_test(s)]
        if shown:
            alone = map(workload.unshown, shown)
            problems.append(Problem(name, (*alone, *tests), len(shown), tuple(shown)))
    return problems


def answers_of(
    workload: Workload[Any], samples: Iterable[Any], incomplete: Iterable[str] = ()
) -> dict[str, tuple[Any, ...]]:
    """Return the expected outputs of the tests, by problem; None for an unknown output.

    incomplete: The problems with a sample that could not be read; their answers end with None.
    The answers are for the count at the end alone: nothing else may see them.
    """
    answers: dict[str, tuple[Any, ...]] = {
        name: tuple(sample.expected for sample in members if workload.is_test(sample))
        for name, members in by_group(samples).items()
    }
    for name in incomplete:
        answers[name] = (*answers.get(name, ()), None)
    return answers


def solved_with(
    attempts: Sequence[tuple[Any, ...]],
    answers: tuple[Any, ...],
    count: int,
    same: Callable[[Any, Any], bool],
) -> bool | None:
    """Tell whether the first `count` attempts have every answer; None if an answer is not known.

    attempts: The outputs of each attempt at a task for all its tests. same: The language's.
    """
    if not answers or any(answer is None for answer in answers):
        return None
    first = attempts[:count]
    return all(any(same(a[k], answer) for a in first) for k, answer in enumerate(answers))
