"""Variants of samples: samples turned, mirrored and recoloured."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial

import numpy as np

from megabatt.runtime.arc.beyond.roles import ranked
from megabatt.runtime.arc.workload.data import ArcSample, Grid

Change = Callable[[Grid], Grid]
Shown = tuple[tuple[Grid, Grid], ...]

_COLOURS = 10
_SYMMETRIES = 8


def variants(samples: list[ArcSample], random: np.random.Generator) -> Iterator[ArcSample]:
    """Yield the samples under one random change after another, without end.

    A change is one symmetry of the square and one permutation of the ten colours, in all grids.
    """
    while True:
        symmetry, colours = random.integers(_SYMMETRIES), random.permutation(_COLOURS)
        yield from _all_changed(samples, transformation(int(symmetry), colours.tolist()))


def turned(samples: Sequence[ArcSample]) -> list[list[ArcSample]]:
    """Return samples of a task under each symmetry of the square that changes something."""
    same = list(range(_COLOURS))
    changes = [transformation(symmetry, same) for symmetry in range(1, _SYMMETRIES)]
    return [list(_all_changed(samples, change)) for change in changes]


def _all_changed(samples: Sequence[ArcSample], change: Change) -> Iterator[ArcSample]:
    """Change all grids of samples. Samples with one S, which is encoded once, have one S after."""
    changed: dict[int, Shown] = {}
    for sample in samples:
        if id(sample.S) not in changed:
            changed[id(sample.S)] = tuple((change(a), change(b)) for a, b in sample.S)
        yield _changed(sample, changed[id(sample.S)], change)


def _changed(sample: ArcSample, shown: Shown, change: Change) -> ArcSample:
    """Change the grids of a sample. shown: The changed demonstrations."""
    C = None if sample.C is None else change(sample.C)
    return sample._replace(S=shown, I=change(sample.I), C=C)


def in_roles(samples: Sequence[ArcSample]) -> list[ArcSample] | None:
    """Return samples of a task in the roles of their colors in their own input, without S.

    Returns None if all inputs' roles are alike, or a cell is no color.
    """
    every = (tuple(range(_COLOURS)),)
    grids = [grid for sample in samples for grid in (sample.I, sample.C) if grid is not None]
    known = all(0 <= cell < _COLOURS for grid in grids for row in grid for cell in row)
    if not known or len({ranked(every, sample.I) for sample in samples}) < 2:
        return None
    return [_changed(sample, (), partial(ranked, by=sample.I)) for sample in samples]


def transformation(symmetry: int, colours: list[int]) -> Change:
    """Make a function of grids: a symmetry (0 to 7), and colours[c] for c; other Integers stay."""
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
