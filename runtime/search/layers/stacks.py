"""Layers put on one another until every cell of the demonstrations is right: greedily, on bits.

A layer speaks of the cells where it shows something, of those where it shows nothing, or of all. Of
all layers that are right wherever they speak of cells that no layer above has spoken of, the one
that speaks of most is the next.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from megabatt.runtime.engine.device.kernels import host_function
from megabatt.runtime.search.layers.pieces import Bits, Pieces

SHOWN, BLANK, ALL = range(3)
"""What a layer speaks of: the cells where it shows something, where it shows nothing, all."""
OWN = -1
"""The color of a layer that keeps its own."""


class Layer(NamedTuple):
    """An image by number; what it speaks of; the place of its color, or `OWN`."""

    image: int
    speaks: int
    color: int


Stack = tuple[Layer, ...]
"""Layers from the uppermost down."""


class Colors(NamedTuple):
    """The colors that images may be shown in. bits: uint64 (colors, words), where each is right.

    black: uint64 (words,), where nothing is to be shown.
    """

    bits: Bits
    black: Bits


_BEGINNINGS = 8
"""How many uppermost layers are tried."""
_ANY = 1 << 40


def stack_of(
    pieces: Pieces,
    colors: Colors,
    demonstrations: Sequence[int],
    care: Sequence[int],
    own: int,
    recolored: int,
    most: int,
) -> Stack | None:
    """Return layers that together are right in all cells of some demonstrations, at most `most`.

    Of some stacks, whose uppermost layers differ, the one of fewest layers. care: the
    demonstrations whose cells are counted. own, recolored: how many images may be shown in their
    own colors, and how many in another. None where no layer is right, or more are needed.
    """
    left, counted = pieces.all_of(demonstrations), pieces.all_of(care)

    def next_layer(left: Bits, below: int) -> tuple[Layer, int]:
        *layer, count = _next(
            pieces.shown, pieces.right, pieces.distinct, pieces.first, *colors, left, counted,
            own, recolored, below,
        )  # fmt: skip
        return Layer(*layer), count

    best: Stack | None = None
    below = _ANY
    for _ in range(_BEGINNINGS):
        uppermost, below = next_layer(left, below)
        if uppermost.image < 0:
            break
        layers = [uppermost]
        rest = _left(pieces, uppermost, left)
        while rest.any() and len(layers) < most:
            layer, _ = next_layer(rest, _ANY)
            if layer.image < 0:
                break
            layers.append(layer)
            rest = _left(pieces, layer, rest)
        if len(layers) <= most and not rest.any():
            best = tuple(layers)
            most = len(layers) - 1
    return best


def _left(pieces: Pieces, layer: Layer, left: Bits) -> Bits:
    """Return which of the cells that are left a layer does not speak of."""
    if layer.speaks == ALL:
        return np.zeros_like(left)
    shown = pieces.shown[layer.image, : pieces.words]
    return left & (~shown if layer.speaks == SHOWN else shown)


@host_function
def _next(  # type: ignore[no-untyped-def]
    shown, right, distinct, first, colors, black, left, counted, own, recolored, below
):
    """Return the layer that speaks of most cells that are left, and is right there; and how many.

    below: it is to speak of fewer.
    """
    best, most, most_in_all = (-1, 0, -1), -1, 0
    for i in range(own):
        for speaks in range(3 if distinct[i] else 0):
            count, in_all = _spoken(shown[i], right[i], left, counted, speaks)
            if count < below and (count > most or (count == most and in_all > most_in_all)):
                if in_all > 0:
                    best, most, most_in_all = (i, speaks, -1), count, in_all
        if first[i] and i < recolored:
            for color in range(len(colors)):
                for speaks in range(0, 3, 2):
                    count, in_all = _spoken_in(
                        shown[i], colors[color], black, left, counted, speaks
                    )
                    if count < below and (count > most or (count == most and in_all > most_in_all)):
                        if in_all > 0:
                            best, most, most_in_all = (i, speaks, color), count, in_all
    return best[0], best[1], best[2], most


@host_function
def _spoken(shown, right, left, counted, speaks):  # type: ignore[no-untyped-def]
    """Count the cells that a layer speaks of; -1 where it is wrong in one."""
    count = in_all = 0
    for j in range(len(left)):
        cells = left[j]
        if speaks == 0:
            cells &= shown[j]
        elif speaks == 1:
            cells &= ~shown[j]
        if cells & ~right[j]:
            return -1, -1
        in_all += _bits_in(cells)
        count += _bits_in(cells & counted[j])
    return count, in_all


@host_function
def _spoken_in(shown, color, black, left, counted, speaks):  # type: ignore[no-untyped-def]
    """Do `_spoken` for a layer that is shown in a color."""
    count = in_all = 0
    for j in range(len(left)):
        cells = left[j]
        right = color[j]
        if speaks == 0:
            cells &= shown[j]
        else:
            right = (shown[j] & right) | (~shown[j] & black[j])
        if cells & ~right:
            return -1, -1
        in_all += _bits_in(cells)
        count += _bits_in(cells & counted[j])
    return count, in_all


@host_function
def _bits_in(word):  # type: ignore[no-untyped-def]
    word = word - ((word >> np.uint64(1)) & np.uint64(0x5555555555555555))
    word = (word & np.uint64(0x3333333333333333)) + (
        (word >> np.uint64(2)) & np.uint64(0x3333333333333333)
    )
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64((word * np.uint64(0x0101010101010101)) >> np.uint64(56))
