"""More samples than a data set has: the same ones turned, mirrored and recoloured."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from runtime.megabatch.data import Grid
from runtime.megabatch.samples import Sample

_COLOURS = 10
_SYMMETRIES = 8
_FRUITLESS_ROUNDS = 1000
"""Times that all samples give nothing new in a row after which there is taken to be no more."""


def augmented(samples: list[Sample], count: int, seed: int = 0) -> list[Sample]:
    """`count` samples: the given ones, then variants of them of which no two are alike.

    A variant has one symmetry of the square and one permutation of the ten colours in I, C and
    all grids of S. Raises ValueError where the samples have too few variants.
    """
    lanes = samples[:count]
    seen = {_inputs(sample) for sample in lanes}
    variants = _variants(samples, np.random.default_rng(seed))
    patience = fruitless_left = _FRUITLESS_ROUNDS * len(samples)
    while len(lanes) < count:
        if not fruitless_left:
            raise ValueError(f"{len(samples)} samples have only {len(lanes)} different variants")
        fruitless_left -= 1
        variant = next(variants)
        inputs = _inputs(variant)
        if inputs not in seen:
            seen.add(inputs)
            lanes.append(variant)
            fruitless_left = patience
    return lanes


def _inputs(sample: Sample) -> tuple[object, ...]:
    return sample.S, sample.I, sample.C


def _variants(samples: list[Sample], random: np.random.Generator) -> Iterator[Sample]:
    """The samples under one random symmetry and permutation after another, without end."""
    while True:
        symmetry, colours = random.integers(_SYMMETRIES), random.permutation(_COLOURS)
        change = transformation(int(symmetry), colours.tolist())
        # A task's samples share their S, which is then encoded once; so do their variants.
        changed = {}
        for sample in samples:
            if id(sample.S) not in changed:
                changed[id(sample.S)] = tuple((change(a), change(b)) for a, b in sample.S)
            S, C = changed[id(sample.S)], None if sample.C is None else change(sample.C)
            yield sample._replace(S=S, I=change(sample.I), C=C)


def transformation(symmetry: int, colours: list[int]) -> Callable[[Grid], Grid]:
    """What one of the eight symmetries (0 to 7) and colours[c] for each colour c make of a grid.

    Integers that are no colours stay.
    """
    recolour = dict(enumerate(colours))

    def change(grid: Grid) -> Grid:
        if symmetry & 1:
            grid = tuple(zip(*grid, strict=True))
        if symmetry & 2:
            grid = grid[::-1]
        if symmetry & 4:
            grid = tuple(row[::-1] for row in grid)
        return tuple(tuple([recolour.get(cell, cell) for cell in row]) for row in grid)

    return change
