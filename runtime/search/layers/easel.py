"""Puts images on one another, and writes the stacks as programs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from megabatt.runtime.megabatch.images import Images
from megabatt.runtime.program import Program
from megabatt.runtime.search.layers.expressions import Expression, parsed, program_of, put_in
from megabatt.runtime.search.layers.gallery import Gallery
from megabatt.runtime.search.layers.pieces import Pieces
from megabatt.runtime.search.layers.sizes import Size
from megabatt.runtime.search.layers.stacks import ALL, BLANK, OWN, Colors, Layer, Stack, Stacker

_BITS = np.array([byte.bit_count() for byte in range(256)])
"""The number of bits that are set in each byte."""
_FITS_KEPT = 64
"""The most images equal to the whole output that are returned."""


class Easel:
    """The images made so far, laid on the output's size."""

    def __init__(self, gallery: Gallery, size: Size, simple: int) -> None:
        """Lay all images. simple: The first image that is shown in its own colors only."""
        self._gallery = gallery
        self._programs: dict[Stack, Program] = {}
        shown = gallery.problem.shown
        self._pieces = pieces = Pieces(gallery.tables, size.sizes, [s.expected for s in shown])
        self._words = gallery.parameters[gallery.images.number]
        bits = [pieces.where(gallery.values_of(word)) for word in self._words]
        colors = np.array(bits, dtype=np.uint64).reshape(len(bits), pieces.words)
        self._stacker = Stacker(pieces, Colors(colors, pieces.where(0)), simple)

    def by_rightness(self, numbers: Sequence[int]) -> list[int]:
        """Order images by the number of right cells in the demonstrations, most cells first."""
        every = self._pieces.all_of(range(self._gallery.problem.demonstrations))
        right = _BITS[(self._pieces.right[numbers] & every).view(np.uint8)].sum(axis=1)
        return np.asarray(numbers)[np.argsort(-right, kind="stable")].tolist()

    def single(self) -> list[Stack]:
        """Return a stack for each image equal to the whole output in all demonstrations."""
        pieces = self._pieces
        every = pieces.all_of(range(self._gallery.problem.demonstrations))
        right = (pieces.right == every).all(axis=1) & pieces.exact
        return [(Layer(k, ALL, OWN),) for k in np.flatnonzero(right)[:_FITS_KEPT].tolist()]

    def stacks(self, demonstrations: Sequence[int]) -> Iterator[Stack]:
        """Yield stacks that are right in some demonstrations.

        The stacks differ in the demonstrations whose cells are counted: all of these, or one alone.
        """
        alone = [[k] for k in demonstrations] if len(demonstrations) > 1 else []
        for care in [demonstrations, *alone]:
            stack = self._stacker.stack(demonstrations, care)
            if stack is not None:
                yield stack

    def program(self, stack: Stack) -> Program:
        """Return the program of a stack."""
        if stack not in self._programs:
            self._programs[stack] = self._program(stack)
        return self._programs[stack]

    def _program(self, stack: Stack) -> Program:
        images = self._gallery.images
        base: Expression | None = None
        for layer in reversed(stack):
            image = self._gallery.expression(layer.image)
            if not self._pieces.exact[layer.image]:
                image = put_in(parsed(images.fitted), {images.image: image})
            color = None if layer.color == OWN else self._words[layer.color]
            base = _laid(images, base, image, layer, color)
        assert base is not None
        return program_of(self._gallery.whole(base), "layers")


def _laid(
    images: Images, base: Expression | None, image: Expression, layer: Layer, color: str | None
) -> Expression:
    """Return the expression of a layer. base: The expression of the layers below, if any."""
    words: dict[str, Expression] = {images.image: image}
    if layer.speaks == BLANK:
        if base is None:
            return parsed(images.blank)
        return put_in(parsed(images.under), {**words, images.below: base})
    below = image if base is None or layer.speaks == ALL else base
    if color is not None:
        return put_in(parsed(images.shape), {**words, images.below: below, images.number: color})
    return image if below is image else put_in(parsed(images.over), {**words, images.below: below})
