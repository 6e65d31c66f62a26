"""Towers: a tuple of a value twice, of that twice, and so on, which Python holds as one value."""

import pytest

import megabatt as mb


def tower(levels):
    """Return the operations that build a tower of an input."""
    names = ["I", *[f"x{k}" for k in range(levels)]]
    return [
        [above, "astuple", below, below] for below, above in zip(names, names[1:], strict=False)
    ]


def nested(value, levels):
    for _ in range(levels):
        value = (value, value)
    return value


@pytest.mark.parametrize("levels", [3, 9, 14])
def test_a_tower_is_what_python_gives(levels):
    program = mb.program("tower", tower(levels), f"x{levels - 1}")
    grids = [((1, 2),), ((3,),)]
    found = mb.evaluate([program], [(grid, None) for grid in grids], outputs="all")
    assert not found.failed.any()
    assert [found.output(0, lane) for lane in range(2)] == [nested(g, levels) for g in grids]
