"""Layers as a strategy of a search: all tasks once, then deeper where nothing fits."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from megabatt.runtime.megabatch.images import Images
from megabatt.runtime.program import Program, Word
from megabatt.runtime.search.enumerate.strategy import near_of
from megabatt.runtime.search.found import Outcome
from megabatt.runtime.search.layers.expressions import Expression, parsed, program_of, put_in
from megabatt.runtime.search.layers.gallery import Gallery
from megabatt.runtime.search.layers.pieces import Pieces
from megabatt.runtime.search.layers.sizes import Size, size_of
from megabatt.runtime.search.layers.stacks import ALL, BLANK, OWN, SHOWN, Colors, Layer, Stack, stack_of
from megabatt.runtime.search.problems import Problem
from megabatt.runtime.search.state import State
from megabatt.runtime.search.workroom import Workroom, timed

_IMAGES_A_PROGRAM = 100
"""How many images count as a program."""
_MAX_ELEMENTS = 5_000
"""What a call may build in a lane."""
_MOST_LAYERS = 8
_SURE = 3
"""A fit of more layers is mostly wrong: it is a guess."""
_FITS_KEPT = 64


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
        self._images = images
        self._unit = unit
        self._outcome = outcome
        self._problem = room.problems[unit.task]
        self._gallery = Gallery(room.workload, images, self._problem, _MAX_ELEMENTS)
        self._most = unit.programs * _IMAGES_A_PROGRAM
        self._ends = room.end_of_tasks(1)
        self._wanted = [sample.expected for sample in self._problem.shown]

    def run(self) -> None:
        gallery, images = self._gallery, self._images
        every = {**images.functions, **images.once}
        gallery.deepen(every, range(len(gallery.tables)), self._going_on)
        size = size_of(gallery, np.array([[len(g), len(g[0]) if g else 0] for g in self._wanted]))
        if size is not None:
            gallery.name(images.size, size.expression, gallery.put([tuple(s) for s in size.sizes.tolist()]))
            sized = {name: text for name, text in every.items() if images.size in text}
            gallery.deepen(sized, range(1), self._going_on)
            begins = [0, 1]
            for depth in range(1, self._unit.depth + 1):
                if depth > 1:
                    gallery.deepen(images.functions, range(*begins[-2:]), self._going_on)
                begins.append(len(gallery.tables))
                if self._fitted(size, begins):
                    break
        made = len(gallery.tables)
        self._outcome.candidates += made
        self._outcome.tried += -(-made // _IMAGES_A_PROGRAM)
        self._outcome.distinct = self._outcome.tried

    def _going_on(self) -> bool:
        few = len(self._gallery.tables) < self._most
        return few and not self._room.late and time.monotonic() < self._ends

    def _fitted(self, size: Size, begins: Sequence[int]) -> bool:
        """Try layers of all images so far. Returns whether a program fits."""
        pieces = Pieces(self._gallery.tables, size.sizes, self._wanted)
        words: list[Word] = list(self._gallery.parameters[self._images.number])
        bits = [pieces.where(self._gallery.values_of(word)) for word in words]
        colors = Colors(np.array(bits, dtype=np.uint64).reshape(len(bits), pieces.words), pieces.where(0))
        every = list(range(self._problem.demonstrations))
        stacks = dict.fromkeys(_single(pieces, every))
        for care in ([every] if len(every) == 1 else [every, *([k] for k in every)]):
            stack = stack_of(pieces, colors, every, care, begins[-1], begins[-2], _MOST_LAYERS)
            if stack is not None:
                stacks[stack] = None
        programs = [self._program(stack, pieces, words) for stack in stacks]
        origins = [f"{len(stack)} layers" if len(stack) > 1 else "an image" for stack in stacks]
        found = self._room.found_on(self._problem, programs, origins)
        self._outcome.found += found
        return bool(found)

    def _program(self, stack: Stack, pieces: Pieces, words: Sequence[Word]) -> Program:
        """Return the program that puts layers on one another."""
        images, base = self._images, None
        for layer in reversed(stack):
            image = self._gallery.expression(layer.image)
            if not pieces.exact[layer.image]:
                image = put_in(parsed(images.fitted), {images.image: image})
            color = None if layer.color == OWN else words[layer.color]
            base = _laid(images, base, image, layer, color)
        assert base is not None
        return program_of(self._gallery.whole(base), "layers")


def _single(pieces: Pieces, demonstrations: Sequence[int]) -> list[Stack]:
    """Return the images that are all of the output."""
    right = (pieces.right == pieces.all_of(demonstrations)).all(axis=1) & pieces.exact
    return [(Layer(k, ALL, OWN),) for k in np.flatnonzero(right)[:_FITS_KEPT].tolist()]


def _laid(
    images: Images, base: Expression | None, image: Expression, layer: Layer, color: Word | None
) -> Expression:
    """Return the expression of a layer on what lies below; None for nothing."""
    words: dict[Word, Expression] = {images.image: image}
    if layer.speaks == BLANK:
        if base is None:
            return parsed(images.blank)
        return put_in(parsed(images.under), {**words, "B": base})
    below = image if base is None or layer.speaks == ALL else base
    if color is not None:
        return put_in(parsed(images.shape), {**words, "B": below, images.number: color})
    return image if below is image else put_in(parsed(images.over), {**words, "B": below})
