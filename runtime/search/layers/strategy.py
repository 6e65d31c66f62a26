"""Layers as a strategy of a search: all tasks once, then deeper where nothing fits."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

from megabatt.runtime.megabatch.images import Images
from megabatt.runtime.search.found import Outcome
from megabatt.runtime.search.layers.easel import Easel
from megabatt.runtime.search.layers.gallery import Gallery
from megabatt.runtime.search.layers.sizes import Size, size_of
from megabatt.runtime.search.layers.stacks import Stack
from megabatt.runtime.search.state import State
from megabatt.runtime.search.workroom import Workroom, timed

_IMAGES_A_PROGRAM = 100
"""How many images count as a program."""
_MAX_ELEMENTS = 5_000
"""What a call may build in a lane."""
_SURE = 3
"""A fit of more layers is mostly wrong: it is a guess."""


class Layers:
    """Outputs put together in layers, of images that a vocabulary makes of the input.

    All tasks have a turn in the first round, with images of images; then those that are not fitted,
    some each round, with images of these.
    """

    name = "layers"

    def __init__(self, images: Images | None = None, tasks: int = 12, programs: int = 60) -> None:
        """Make the strategy.

        images: the vocabulary, that of the workload by default. tasks: of a later round. programs:
        of a task's first turn; a hundred images count as one.
        """
        self._images = images
        self._tasks = tasks
        self._programs = programs

    def units(self, state: State) -> list[Layered]:
        """Return the units of the next round."""
        turns: dict[str, int] = state.memory.setdefault(self.name, {})
        left = [p.name for p in state.problems if p.name not in state.finds]
        chosen = left if not turns else [name for name in left if turns.get(name, 0) < 2]
        chosen = chosen if not turns else chosen[: self._tasks]
        for name in chosen:
            turns[name] = turns.get(name, 0) + 1
        return [
            Layered(name, 1 + turns[name], self._programs * 8 ** (turns[name] - 1), self._images)
            for name in chosen
        ]


@dataclass(frozen=True)
class Layered:
    """The layers of a task.

    depth: how many functions an image is made by, at most. programs: how many; a hundred images
    count as one. images: the vocabulary, that of the workload by default.
    """

    task: str
    depth: int
    programs: int
    images: Images | None = None

    def run(self, room: Workroom) -> Outcome:
        """Make images, put them in layers, and let the room examine the programs of what fits."""
        outcome = Outcome()
        images = self.images or room.workload.images
        if images is not None:
            with timed(outcome, "layers"):
                _Attempt(room, images, self, outcome).run()
        return outcome


class _Attempt:
    """One task's turn."""

    def __init__(self, room: Workroom, images: Images, unit: Layered, outcome: Outcome) -> None:
        self._room = room
        self._unit = unit
        self._outcome = outcome
        self._problem = room.problems[unit.task]
        self._gallery = Gallery(room.workload, images, self._problem, _MAX_ELEMENTS)
        self._most = unit.programs * _IMAGES_A_PROGRAM
        self._ends = room.end_of_tasks(1)

    def run(self) -> None:
        gallery = self._gallery
        gallery.open(self._going_on)
        size = size_of(gallery, [sample.expected for sample in self._problem.shown])
        if size is not None:
            gallery.name_size(size.expression, size.sizes, self._going_on)
            self._put_in_layers(size)
        made = len(gallery.tables)
        self._outcome.candidates += made
        self._outcome.tried += -(-made // _IMAGES_A_PROGRAM)
        self._outcome.distinct = self._outcome.tried

    def _going_on(self) -> bool:
        few = len(self._gallery.tables) < self._most
        return few and not self._room.late and time.monotonic() < self._ends

    def _put_in_layers(self, size: Size) -> None:
        """Put images in layers; while no program is a find, make images of the last ones."""
        gallery = self._gallery
        every = range(self._problem.demonstrations)
        begins = [1, len(gallery.tables)]
        while True:
            easel = Easel(gallery, size, simple=begins[-2])
            fitting = self._kept(easel, [*easel.single(), *easel.stacks(every)])
            if fitting or len(begins) > self._unit.depth:
                break
            gallery.deepen(range(*begins[-2:]), self._going_on)
            begins.append(len(gallery.tables))
        if not fitting:
            self._kept(easel, [s for some in _parts_of(every) for s in easel.stacks(some)])

    def _kept(self, easel: Easel, stacks: Sequence[Stack]) -> bool:
        """Keep the programs of layers as finds or guesses. Returns whether one is a find."""
        chosen = list(dict.fromkeys(stacks))
        programs = [easel.program(stack) for stack in chosen]
        sure = {
            program: len(stack) <= _SURE for program, stack in zip(programs, chosen, strict=True)
        }
        origins = [f"{len(stack)} layers" if len(stack) > 1 else "an image" for stack in chosen]
        found = self._room.guessed_on(self._problem, programs, origins)
        self._outcome.found += [replace(one, sure=sure[one.program]) for one in found]
        return any(sure[one.program] and not one.missed for one in found)


def _parts_of(demonstrations: Sequence[int]) -> list[list[int]]:
    """Return all demonstrations but one, and each alone."""
    but_one = [[k for k in demonstrations if k != left_out] for left_out in demonstrations]
    alone = [[k] for k in demonstrations] if len(demonstrations) > 2 else []
    return [part for part in but_one + alone if part]
