"""Towers: a tuple of a value twice, of that tuple twice, and so on, all shared in Python."""

from itertools import pairwise

import pytest

import megabatt as mb


@pytest.mark.parametrize("levels", [3, 9, 14])
def test_a_tower_is_what_python_gives(levels):
    names = ["I", *[f"x{k}" for k in range(levels)]]
    rows = [[above, "astuple", below, below] for below, above in pairwise(names)]
    grids = [((1, 2),), ((3,),)]
    program = mb.program("tower", rows, names[-1])
    found = mb.evaluate([program], [(grid, None) for grid in grids], outputs="all")
    assert not found.failed.any()
    for lane, value in enumerate(grids):
        for _ in range(levels):
            value = (value, value)
        assert found.output(0, lane) == value
