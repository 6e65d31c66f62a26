"""What a search finds: programs that fit, guesses, and programs that come near."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from megabatt.runtime.program import Program, key_of


@dataclass(frozen=True)
class Found:
    """A program that fits all demonstrations of a task, or a guess.

    Attributes:
        task: The name of the task.
        program: The program.
        cost: The bits of the program by the grammar.
        outputs: The outputs for the tests.
        origin: How the program was made, and from what.
        tried: The number of programs that were tried before it was found.
        seconds: The time until it was found.
        missed: The number of demonstrations that the program does not fit.
        doubt: For layers or a rule, the demonstrations that they miss if made without them, with
            additions for many layers, images or views, and for better rules of the task. One more
            in roles; 1 for programs of a pursuit, and for all fits of a task where none stands out
            (see `megabatt.runtime.search.ranking`); 0 for others.
        oddity: The number of odd things about the outputs.
        turned: The number of other sets of demonstrations that the program fits: the task's,
            turned and mirrored.
    """

    task: str
    program: Program
    cost: float
    outputs: tuple[Any, ...]
    origin: str
    tried: int = 0
    seconds: float = 0.0
    missed: int = 0
    doubt: int = 0
    oddity: int = 0
    turned: int = 0

    @property
    def guess(self) -> bool:
        """Whether the program is a guess, which comes after all programs that fit."""
        return self.missed > 0 or self.doubt > 0

    @property
    def size(self) -> int:
        """The number of operations."""
        return len(self.program.operations)

    @property
    def order(self) -> tuple[Any, ...]:
        """The sort key: programs that fit without doubt first, then the least dubious.

        A missed demonstration counts twice as much as a doubt: this was best on training tasks.
        """
        fit = 2 * self.missed + self.doubt, self.missed, self.oddity, -self.turned
        return *fit, self.cost, self.size, str(self.program.operations)


@dataclass(frozen=True)
class Near:
    """A program whose outputs come near to the expected outputs of a task's demonstrations.

    Attributes:
        task: The name of the task.
        program: The program.
        closeness: From 0 to 1, the mean over the demonstrations that the program was tried on.
        cost: The bits of the program by the grammar.
    """

    task: str
    program: Program
    closeness: float
    cost: float

    @property
    def order(self) -> tuple[float, float, str]:
        """The sort key: the closest programs first; among equally close ones, the likeliest."""
        return -self.closeness, self.cost, str(self.program.operations)


@dataclass
class Outcome:
    """The outcome of a unit of a search.

    Attributes:
        tried: The number of programs charged to the search's budget.
        distinct: The number of distinct programs among the tried programs, whatever their names.
        candidates: The number of enumerated values, or of layers' images. The unit counts a
            hundred of them as one program tried.
        found: The programs that fit, and guesses.
        near: The programs that come near, for other strategies to change.
        seconds: The seconds of one core, by stage.
    """

    tried: int = 0
    distinct: int = 0
    candidates: int = 0
    found: list[Found] = field(default_factory=list)
    near: list[Near] = field(default_factory=list)
    seconds: dict[str, float] = field(default_factory=dict)


_OUTPUTS = 64
"""The most programs of a task that are kept, each with different test outputs."""


class Finds:
    """The programs found for each task: the best for each tuple of test outputs.

    `name in finds` tells whether a task has a program, `len(finds)` how many tasks have one.

    Attributes:
        by_task: The programs by their outputs for the tests, by task.
    """

    def __init__(self) -> None:
        self.by_task: dict[str, dict[tuple[Any, ...], Found]] = {}

    def __copy__(self) -> Finds:
        made = Finds()
        made.by_task = dict(self.by_task)
        return made

    def add(self, found: Found) -> str:
        """Add a program. Returns "found", "improved", or "" if the program is not kept."""
        known = self.by_task[found.task] = dict(self.by_task.get(found.task, {}))
        best = known.get(found.outputs)
        if best is None:
            known[found.outputs] = found
            if len(known) > _OUTPUTS:
                worst = max(known.values(), key=lambda one: one.order)
                del known[worst.outputs]
                return "" if worst is found else "found"
            return "found"
        if found.order < best.order:
            known[found.outputs] = found
            return "improved"
        return ""

    def ranked(self, task: str) -> list[Found]:
        """Return a task's programs, the best first, each with different test outputs."""
        return sorted(self.by_task.get(task, {}).values(), key=lambda found: found.order)

    def __len__(self) -> int:
        """Count the tasks that have a program."""
        return len(self.by_task)

    def __contains__(self, task: str) -> bool:
        return task in self.by_task


class NearMisses:
    """The programs that came nearest to each task.

    `name in near` tells whether a task has a program.

    Attributes:
        by_task: The programs by task, the nearest first.
    """

    def __init__(self, kept: int = 32) -> None:
        """Begin without programs. kept: The most programs kept for each task."""
        self._kept = kept
        self.by_task: dict[str, list[Near]] = {}

    def __copy__(self) -> NearMisses:
        made = NearMisses(self._kept)
        made.by_task = dict(self.by_task)
        return made

    def add(self, near: Iterable[Near]) -> None:
        """Add programs; among equally close programs, the likeliest are kept."""
        of_task: dict[str, list[Near]] = {}
        for one in near:
            of_task.setdefault(one.task, []).append(one)
        for task, new in of_task.items():
            self.by_task[task] = best_of([*self.by_task.get(task, ()), *new], self._kept)

    def __contains__(self, task: str) -> bool:
        return task in self.by_task


_ALIKE = 2
"""The most programs of equal closeness that are kept: more of them mostly do the same."""


def best_of(near: list[Near], count: int) -> list[Near]:
    """Pick the best programs, at most `count`, with at most `_ALIKE` of equal closeness."""
    kept: list[Near] = []
    alike: dict[float, int] = {}
    seen: set[str] = set()
    for one in sorted(near, key=lambda n: n.order):
        key = round(one.closeness, 6)
        program = key_of(one.program)
        if program in seen or alike.get(key, 0) >= _ALIKE:
            continue
        seen.add(program)
        alike[key] = alike.get(key, 0) + 1
        kept.append(one)
        if len(kept) == count:
            break
    return kept
