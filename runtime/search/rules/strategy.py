"""Rules as a strategy of a search: all tasks, once."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from megabatt.runtime.program import Program
from megabatt.runtime.search.found import Found, Outcome
from megabatt.runtime.search.layers.expressions import program_of
from megabatt.runtime.search.layers.gallery import Gallery
from megabatt.runtime.search.layers.sizes import size_of
from megabatt.runtime.search.rules.agreeing import agreeing
from megabatt.runtime.search.rules.tables import Rule, expression_of, rule_of
from megabatt.runtime.search.rules.views import Views
from megabatt.runtime.search.state import State, turns
from megabatt.runtime.search.workroom import Workroom, timed
from megabatt.runtime.vocabulary import counted

_IMAGES_A_PROGRAM = 100
"""The number of images that count as a program."""
_LOOKED_AT = 1
"""The most images of the output's size whose aspects are made."""
_KEPT = 6
"""The most rules of a task that become programs."""


class Rules:
    """The color of a cell by the values of images there, learnt from the demonstrations.

    All tasks have a turn in the first round, with images of the input. Then some unfitted tasks
    each round have a second turn, with images of these images.
    """

    name = "rules"

    def __init__(self, tasks: Sequence[int] = (24,), programs: int = 10) -> None:
        """Make the strategy.

        tasks: The numbers of tasks in a round's second turns, third turns, and so on. programs: The
        programs of a task's first turn; each further turn has five times as many. A hundred images
        count as a program.
        """
        self._tasks = tasks
        self._programs = programs

    def units(self, state: State) -> Sequence[Ruled]:
        """Return the units of the next round."""
        return [
            Ruled(name, turn, self._programs * 5 ** (turn - 1))
            for name, turn in turns(state, self.name, self._tasks)
        ]


@dataclass(frozen=True)
class Ruled:
    """The rules of a task.

    depth: The most nested functions that make an image. programs: The budget; a hundred images
    count as a program.
    """

    task: str
    depth: int
    programs: int

    def run(self, room: Workroom) -> Outcome:
        """Learn rules, and let the room examine their programs."""
        outcome = Outcome(self.programs, self.programs)
        if room.workload.images is not None:
            with timed(outcome, "rules"):
                outcome.found += _Attempt(room, self).found()
        return outcome


class _Attempt:
    """One task's turn."""

    def __init__(self, room: Workroom, unit: Ruled) -> None:
        assert room.workload.images is not None
        self._room = room
        self._unit = unit
        self._problem = room.problems[unit.task]
        self._images = room.workload.images
        self._gallery = Gallery(room.workload, self._images, self._problem, room.grammar.vocabulary)
        self._ends = room.end_of_tasks(1)

    def _going_on(self) -> bool:
        few = len(self._gallery.tables) < self._unit.programs * _IMAGES_A_PROGRAM
        return few and not self._room.late and time.monotonic() < self._ends

    def found(self) -> list[Found]:
        """Return the programs of the best rules."""
        gallery, problem = self._gallery, self._problem
        gallery.open(self._going_on)
        first = range(1, len(gallery.tables))
        expected = [sample.expected for sample in problem.shown]
        size = size_of(gallery, expected)
        if size is None:
            return []
        gallery.name_size(size.expression, size.sizes, self._going_on)
        looked_at = np.flatnonzero((gallery.tables.shapes == size.sizes).all(axis=(1, 2)))
        gallery.look(self._room.workload.aspects, looked_at[:_LOOKED_AT].tolist(), self._going_on)
        if self._unit.depth > 1:
            gallery.deepen(first, self._going_on)
        views = Views(gallery.tables, size.sizes, expected)
        rules = _best(views, problem.demonstrations)
        doubt = {
            self._program(views, rule): place + rule.doubt for place, rule in enumerate(rules)
        }
        origins = [f"a rule of {counted(len(rule.views), 'image')}" for rule in rules]
        found = self._room.guessed_on(problem, list(doubt), origins)
        return [replace(one, doubt=doubt[one.program]) for one in found if not one.missed]

    def _program(self, views: Views, rule: Rule) -> Program:
        numbers = [int(views.images[place]) for place in rule.views]
        of_views = [self._gallery.expression(number) for number in numbers]
        expression = expression_of(self._images, views, rule, of_views)
        return program_of(self._gallery.whole(expression), "rule")


def _best(views: Views, demonstrations: int) -> list[Rule]:
    """Return the best rules, each with different test outputs, the most trusted rule first.

    Rules with the same outputs vote for these; shorter rules have more weight. Larger sets of views
    are tried only if no rule of smaller sets is right on every demonstration left out.
    """
    best: dict[bytes, Rule] = {}
    votes: Counter[tuple[int, bytes]] = Counter()
    for some in agreeing(views):
        made = [rule_of(views, chosen, demonstrations) for chosen in some]
        good = [rule for rule in made if rule is not None and 2 * rule.missed <= demonstrations]
        for rule in sorted(good, key=lambda rule: rule.order):
            votes[rule.missed, rule.outputs] += 2.0 ** -rule.length  # type: ignore[assignment]
            known = best.setdefault(rule.outputs, rule)
            best[rule.outputs] = min(known, rule, key=lambda rule: rule.order)
        if any(not rule.missed for rule in best.values()):
            break
    ranked = sorted(best.values(), key=lambda one: (one.missed, -votes[one.missed, one.outputs]))
    return ranked[:_KEPT]
