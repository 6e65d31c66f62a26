"""Puts layers on one another until every cell of the demonstrations is right: greedily, on bits.

A layer speaks of the cells where it shows something, of the cells where it shows nothing, or of all
cells. A cell is left while no layer above speaks of it. The next layer is right on all left cells
that it speaks of, and speaks of the most left cells.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from megabatt.runtime.search.compiled import host_function
from megabatt.runtime.search.layers.pieces import Bits, Pieces

SHOWN, BLANK, ALL = range(3)
"""The cells that a layer speaks of: where it shows something, where it shows nothing, all cells."""
OWN = -1
"""The color of a layer that keeps its own colors."""


class Layer(NamedTuple):
    """An image's number; the cells that the layer speaks of; the place of its color, or `OWN`."""

    image: int
    speaks: int
    color: int


Stack = tuple[Layer, ...]
"""Layers from the uppermost down."""


class Colors(NamedTuple):
    """The colors that images may be shown in.

    bits: The cells where each color is right, uint64 (colors, words). black: The cells where
    nothing is expected, uint64 (words,).
    """

    bits: Bits
    black: Bits


_BEGINNINGS = 8
"""The most uppermost layers that are tried."""
_MOST_LAYERS = 8
_ANY = 1 << 40


class _Candidates(NamedTuple):
    """The layers that speak of a left cell, and are right on all left cells that they speak of.

    layers: The fields of the layers, int64 (n, 3). spoken: The number of left cells that a layer
    speaks of in each demonstration, int64 (n, demonstrations).
    """

    layers: Bits
    spoken: Bits


class Stacker:
    """Puts the images of some pieces on one another.

    The candidates for a set of left cells are found once.
    """

    def __init__(self, pieces: Pieces, colors: Colors, recolored: int) -> None:
        """Begin. recolored: The number of first images that may be shown in another color."""
        self._pieces = pieces
        self._colors = colors
        self._recolored = recolored
        self._each = np.array([pieces.all_of([k]) for k in range(pieces.demonstrations)])
        self._candidates: dict[bytes, _Candidates] = {}

    def stack(
        self, demonstrations: Sequence[int], care: Sequence[int], most: int = _MOST_LAYERS
    ) -> Stack | None:
        """Return layers that together are right in all cells of some demonstrations.

        Stacks with different uppermost layers are tried; the stack of fewest layers is returned.
        care: The demonstrations whose cells are counted. Returns None if no layer is right, or
        more than `most` layers are needed.
        """
        cared = np.isin(np.arange(len(self._each)), care)
        left = self._pieces.all_of(demonstrations)
        best: Stack | None = None
        below = _ANY
        for _ in range(_BEGINNINGS):
            uppermost, below = self._next(left, cared, below)
            if uppermost is None:
                break
            layers = [uppermost]
            rest = _left(self._pieces, uppermost, left)
            while rest.any() and len(layers) < most:
                layer, _ = self._next(rest, cared, _ANY)
                if layer is None:
                    break
                layers.append(layer)
                rest = _left(self._pieces, layer, rest)
            if len(layers) <= most and not rest.any():
                best = tuple(layers)
                most = len(layers) - 1
        return best

    def _next(self, left: Bits, cared: Bits, below: int) -> tuple[Layer | None, int]:
        """Return the layer of most left cells, but fewer than `below`, and the number of cells."""
        key = left.tobytes()
        if key not in self._candidates:
            pieces = self._pieces
            self._candidates[key] = _Candidates(*_right_on(
                pieces.shown, pieces.right, pieces.distinct, pieces.first, *self._colors, left,
                self._each, self._recolored,
            ))  # fmt: skip
        candidates = self._candidates[key]
        number, count = _most(candidates.spoken, cared, below)
        return (Layer(*candidates.layers[number].tolist()) if number >= 0 else None), count


def _left(pieces: Pieces, layer: Layer, left: Bits) -> Bits:
    """Return the left cells that a layer does not speak of."""
    if layer.speaks == ALL:
        return np.zeros_like(left)
    shown = pieces.shown[layer.image, : pieces.words]
    return left & (~shown if layer.speaks == SHOWN else shown)


@host_function
def _most(spoken, cared, below):  # type: ignore[no-untyped-def]
    """Return the row with most cells in the demonstrations cared for, and the number of cells.

    Rows with `below` cells or more are skipped. Among equal rows, the row with most cells in all
    demonstrations wins, then the first row. The row is -1 if all rows are skipped.
    """
    best, most, most_in_all = -1, -1, 0
    for i in range(len(spoken)):
        count = in_all = 0
        for k in range(len(cared)):
            in_all += spoken[i, k]
            count += spoken[i, k] * cared[k]
        if count < below and (count > most or (count == most and in_all > most_in_all)):
            best, most, most_in_all = i, count, in_all
    return best, most


@host_function
def _right_on(  # type: ignore[no-untyped-def]
    shown, right, distinct, first, colors, black, left, each, recolored
):
    """Return the fields of `_Candidates` for left cells."""
    most = 3 * distinct.sum() + 2 * len(colors) * first[:recolored].sum()
    layers = np.empty((most, 3), dtype=np.int64)
    spoken = np.empty((most, len(each)), dtype=np.int64)
    n = 0
    for i in range(len(shown)):
        for color in range(-1, len(colors) if first[i] and i < recolored else 0):
            if color < 0 and not distinct[i]:
                continue
            of_color = right[i] if color < 0 else colors[color]
            seen = unseen = wrong = wrong_unseen = np.uint64(0)
            for j in range(len(left)):  # without a branch: several words at once
                seen |= left[j] & shown[i, j]
                unseen |= left[j] & ~shown[i, j]
                wrong |= left[j] & shown[i, j] & ~of_color[j]
                wrong_unseen |= left[j] & ~shown[i, j] & ~black[j]
            if wrong == 0 and seen != 0:
                n = _kept(shown[i], left, each, (i, SHOWN, color), layers, spoken, n)
            if wrong_unseen == 0 and unseen != 0 and color < 0:
                n = _kept(shown[i], left, each, (i, BLANK, color), layers, spoken, n)
            if wrong == 0 and wrong_unseen == 0:
                n = _kept(shown[i], left, each, (i, ALL, color), layers, spoken, n)
    return layers[:n].copy(), spoken[:n].copy()


@host_function
def _kept(shown, left, each, layer, layers, spoken, n):  # type: ignore[no-untyped-def]
    """Write a layer, and its number of left cells by demonstration, to row n; return n + 1."""
    layers[n] = layer
    spoken[n] = 0
    for j in range(len(left)):
        cells = left[j]
        if layer[1] == SHOWN:
            cells &= shown[j]
        elif layer[1] == BLANK:
            cells &= ~shown[j]
        for k in range(len(each) if cells else 0):
            spoken[n, k] += _bits_in(cells & each[k, j])
    return n + 1


@host_function
def _bits_in(word):  # type: ignore[no-untyped-def]
    word = word - ((word >> np.uint64(1)) & np.uint64(0x5555555555555555))
    word = (word & np.uint64(0x3333333333333333)) + (
        (word >> np.uint64(2)) & np.uint64(0x3333333333333333)
    )
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64((word * np.uint64(0x0101010101010101)) >> np.uint64(56))
