"""Layers as a strategy of a search: all tasks once, then unfitted tasks deeper."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

from megabatt.runtime.garbage import no_collection
from megabatt.runtime.megabatch.images import Images
from megabatt.runtime.printable import short
from megabatt.runtime.search.found import Found, Outcome
from megabatt.runtime.search.layers.easel import Easel
from megabatt.runtime.search.layers.expressions import Expression, parsed, program_of, put_in
from megabatt.runtime.search.layers.gallery import Gallery
from megabatt.runtime.search.layers.sizes import Size, size_of
from megabatt.runtime.search.layers.stacks import Stack
from megabatt.runtime.search.state import State, turns
from megabatt.runtime.search.workroom import Workroom, timed
from megabatt.runtime.vocabulary import mistakes

_IMAGES_A_PROGRAM = 100
"""The number of images that count as a program."""
_SHARE_OF_MEMORY = 0.25
"""The share of a process's memory that images may take."""
_DEEPEST = 3
"""The most nested functions that make an image."""
_FEW = 3
"""The most layers of a fit that is not doubtful."""
_SURE_DEPTH = 2
"""The most nested functions for fits without doubt: more make so many images that some fit by
chance."""
_FEW_IN_PART = 2
"""The layers of a fit of some demonstrations beyond which each layer counts as a doubt."""


class Layers:
    """Outputs put together in layers, of images that a vocabulary makes of the input.

    All tasks have a turn in the first round, with images of images. Then some unfitted tasks each
    round have a second turn, with more images, one function deeper; then fewer each round have a
    third turn, with more images again.
    """

    name = "layers"

    def __init__(
        self, images: Images | None = None, tasks: Sequence[int] = (24, 3), programs: int = 60
    ) -> None:
        """Make the strategy.

        images: The vocabulary; by default the workload's. tasks: The numbers of tasks in a round's
        second turns, third turns, and so on. programs: The programs of a task's first turn; each
        further turn has eight times as many. A hundred images count as a program.
        """
        self._images = images
        self._tasks = tasks
        self._programs = programs

    def units(self, state: State) -> list[Layered]:
        """Return the units of the next round.

        Raises TypeError or ValueError if an image of the caller's vocabulary is no expression.
        """
        if self._images is not None:
            _check(self._images, state)
        return [
            Layered(name, min(1 + turn, _DEEPEST), self._programs * 8 ** (turn - 1), self._images)
            for name, turn in turns(state, self.name, self._tasks)
        ]


def _check(images: Images, state: State) -> None:
    """Raise TypeError or ValueError if an image is no expression of the language's words."""
    others = {images.size, *images.terms, *images.words(state.problems[0].samples)}
    words: dict[str, Expression] = dict.fromkeys(others, images.image)
    for name, text in {**images.functions, **images.once}.items():
        if not isinstance(text, str):
            raise TypeError(f"image {name!r} must be text such as 'rot90(I)', not {short(text)}")
        try:
            program = program_of(put_in(parsed(text), words), "image")
            wrong = mistakes(program, state.grammar.vocabulary.language)
        except ValueError as error:
            wrong = [str(error)]
        if wrong:
            raise ValueError(f"image {name!r}: {'; '.join(wrong)}")


@dataclass(frozen=True)
class Layered:
    """The layers of a task.

    depth: The most nested functions that make an image. programs: The budget; a hundred images
    count as a program. images: The vocabulary; by default the workload's.
    """

    task: str
    depth: int
    programs: int
    images: Images | None = None

    def run(self, room: Workroom) -> Outcome:
        """Make images, put them in layers, and let the room examine the programs of the layers."""
        outcome = Outcome()
        images = self.images or room.workload.images
        if images is not None:
            with timed(outcome, "layers"), no_collection():
                _Attempt(room, images, self, outcome).run()
        return outcome


class _Attempt:
    """One task's turn."""

    def __init__(self, room: Workroom, images: Images, unit: Layered, outcome: Outcome) -> None:
        self._room = room
        self._unit = unit
        self._outcome = outcome
        self._problem = room.problems[unit.task]
        self._gallery = Gallery(room.workload, images, self._problem, room.grammar.vocabulary)
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
        tables = self._gallery.tables
        few = len(tables) < self._most and tables.nbytes < _SHARE_OF_MEMORY * self._room.memory
        return few and not self._room.late and time.monotonic() < self._ends

    def _put_in_layers(self, size: Size) -> None:
        """Put images in layers; while no program is a find, make images of the newest images."""
        gallery = self._gallery
        every = range(self._problem.demonstrations)
        begins = [1, len(gallery.tables)]
        while True:
            easel = Easel(gallery, size, simple=begins[-2])
            found = self._fitting(easel, [*easel.single(), *easel.stacks(every)])
            self._outcome.found += found
            if any(not one.guess for one in found) or len(begins) > self._unit.depth:
                break
            gallery.deepen(easel.by_rightness(range(*begins[-2:])), self._going_on)
            begins.append(len(gallery.tables))
        if not self._outcome.found:
            stacks = [stack for some in _parts_of(every) for stack in easel.stacks(some)]
            layers = {easel.program(stack): len(stack) for stack in stacks}
            self._outcome.found += [
                replace(one, doubt=max(0, layers[one.program] - _FEW_IN_PART))
                for one in self._programs_of(easel, stacks)
            ]

    def _fitting(self, easel: Easel, stacks: Sequence[Stack]) -> list[Found]:
        """Return the programs of layers that fit, with their doubts.

        Many layers and deep images each count as a doubt, and so does each demonstration that the
        layers made from all other demonstrations miss.
        """
        fitting = [one for one in self._programs_of(easel, stacks) if not one.missed]
        doubt = self._missed_when_left_out(easel) if fitting else 0
        doubt += self._unit.depth > _SURE_DEPTH
        layers = {easel.program(stack): len(stack) for stack in stacks}
        return [replace(one, doubt=doubt + (layers[one.program] > _FEW)) for one in fitting]

    def _missed_when_left_out(self, easel: Easel) -> int:
        others = _all_but_one(range(self._problem.demonstrations))
        stacks = [next(easel.stacks(some), None) for some in others]
        found = self._programs_of(easel, [stack for stack in stacks if stack])
        right = {one.program for one in found if not one.missed}
        return sum(stack is None or easel.program(stack) not in right for stack in stacks)

    def _programs_of(self, easel: Easel, stacks: Sequence[Stack]) -> list[Found]:
        """Return the programs of layers that fit at least one demonstration."""
        chosen = list(dict.fromkeys(stacks))
        origins = [f"{len(stack)} layers" if len(stack) > 1 else "an image" for stack in chosen]
        programs = [easel.program(stack) for stack in chosen]
        return self._room.guessed_on(self._problem, programs, origins)


def _parts_of(demonstrations: Sequence[int]) -> list[list[int]]:
    """Return every set of all demonstrations but one; then, of three or more, each one alone."""
    alone = [[k] for k in demonstrations] if len(demonstrations) > 2 else []
    return _all_but_one(demonstrations) + alone


def _all_but_one(demonstrations: Sequence[int]) -> list[list[int]]:
    """Leave each demonstration out in turn; return nothing for a single demonstration."""
    if len(demonstrations) < 2:
        return []
    return [[k for k in demonstrations if k != left_out] for left_out in demonstrations]
