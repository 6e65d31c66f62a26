"""Rules as a strategy of a search: all tasks, once."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

from megabatt.runtime.search.found import Found, Outcome
from megabatt.runtime.search.layers.expressions import program_of
from megabatt.runtime.search.layers.gallery import Gallery
from megabatt.runtime.search.layers.sizes import size_of
from megabatt.runtime.search.rules.agreeing import agreeing
from megabatt.runtime.search.rules.tables import Rule, expression_of, rule_of
from megabatt.runtime.search.rules.views import Views
from megabatt.runtime.search.state import State
from megabatt.runtime.search.workroom import Workroom, timed

_PROGRAMS = 40
"""As how many programs a task counts."""
_MAX_ELEMENTS = 20_000
"""What a call may build in a lane."""
_KEPT = 6
"""How many rules of a task become programs."""


class Rules:
    """The color of a cell, by what images show there, learnt from the demonstrations."""

    name = "rules"

    def units(self, state: State) -> Sequence[Ruled]:
        """Return the units of the next round: all tasks in the first one."""
        return [] if state.round else [Ruled(problem.name) for problem in state.problems]


@dataclass(frozen=True)
class Ruled:
    """The rules of a task."""

    task: str
    programs: int = _PROGRAMS

    def run(self, room: Workroom) -> Outcome:
        """Learn rules, and let the room examine their programs."""
        outcome = Outcome(self.programs, self.programs)
        if room.workload.images is not None:
            with timed(outcome, "rules"):
                outcome.found += _found(room, self.task)
        return outcome


def _found(room: Workroom, task: str) -> list[Found]:
    problem, images = room.problems[task], room.workload.images
    assert images is not None
    gallery = Gallery(room.workload, images, problem, _MAX_ELEMENTS)
    ends = room.end_of_tasks(1)

    def going_on() -> bool:
        return not room.late and time.monotonic() < ends

    gallery.open(going_on)
    gallery.look(room.workload.aspects, going_on)
    expected = [sample.expected for sample in problem.shown]
    size = size_of(gallery, expected)
    if size is None:
        return []
    gallery.name_size(size.expression, size.sizes, going_on)
    views = Views(gallery.tables, size.sizes, expected)
    rules = _best(views, problem.demonstrations)
    programs = [
        program_of(
            gallery.whole(
                expression_of(
                    images, views, rule,
                    [gallery.expression(int(views.images[place])) for place in rule.views],
                )
            ),
            "rule",
        )
        for rule in rules
    ]  # fmt: skip
    origins = [f"a rule of {len(rule.views)} images" for rule in rules]
    missed = {program: rule.missed for program, rule in zip(programs, rules, strict=True)}
    return [
        replace(one, doubt=missed[one.program])
        for one in room.guessed_on(problem, programs, origins)
        if not one.missed
    ]


def _best(views: Views, demonstrations: int) -> list[Rule]:
    """Return the best rules, each with other outputs for the tests.

    More views are put together only where no rule of fewer is right on what it has not seen.
    """
    best: dict[bytes, Rule] = {}
    for some in agreeing(views):
        made = [rule_of(views, chosen, demonstrations) for chosen in some]
        good = [rule for rule in made if rule is not None and 2 * rule.missed <= demonstrations]
        for rule in sorted([*best.values(), *good], key=lambda rule: rule.order):
            best.setdefault(rule.outputs, rule)
        if any(not rule.missed for rule in best.values()):
            break
    return sorted(best.values(), key=lambda rule: rule.order)[:_KEPT]
