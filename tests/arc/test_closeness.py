"""The closeness of grids to expected grids: the mean Jaccard index of their colors."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import megabatt.runtime.arc as arc
from megabatt.runtime.arc.workload import WORKLOAD
from megabatt.runtime.engine.language.values import identical
from megabatt.runtime.engine.machine.heap import Heap
from tests.arc.lanes import booleans, cells, colors, grids, indices, objects, pairs

FILLED = grids(3).filter(lambda grid: grid and grid[0])
TUPLES = [st.lists(elements, max_size=4).map(tuple) for elements in (pairs, cells, colors, objects)]
OUTPUTS = st.one_of(
    grids(3), grids(3), grids(3, st.one_of(colors, booleans)), indices, booleans, st.none(), *TUPLES
)
OF_ONE_SIZE = st.builds(
    lambda grid, color, patch: (grid, arc.fill(grid, color, patch)), FILLED, colors, indices
)
LANES = st.lists(st.tuples(FILLED, FILLED) | OF_ONE_SIZE, min_size=1, max_size=5)


def overlap(found, wanted):
    """Compute the closeness by its definition."""
    if found == wanted:
        return 1.0
    a, b = np.array(found), np.array(wanted)
    colors, other = set(a.flat), set(b.flat)
    if a.shape == b.shape:
        pairs = [(a == color, b == color) for color in colors | other]
        return 0.25 + 0.75 * np.mean([(x & y).sum() / (x | y).sum() for x, y in pairs])
    alike = [min(extents) / max(extents) for extents in zip(a.shape, b.shape, strict=True)]
    return 0.25 * len(colors & other) / len(colors | other) * alike[0] * alike[1]


def closeness(pairs):
    heap = Heap(WORKLOAD.language, 100)
    words = [heap.put_all(some) for some in zip(*pairs, strict=True)]
    return WORKLOAD.closeness_of_words(heap, *words)


@given(LANES)
def test_closeness_is_the_mean_overlap_of_colors_and_one_only_for_a_right_grid(pairs):
    pairs = [*pairs, *[(wanted, wanted) for _, wanted in pairs]]
    found = closeness(pairs)
    assert np.allclose(found, [overlap(*pair) for pair in pairs], atol=1e-4)
    assert ((found == 1) == [output == wanted for output, wanted in pairs]).all()
    assert (closeness([(7, wanted) for _, wanted in pairs]) == 0).all()


@given(OUTPUTS, FILLED)
def test_any_value_has_a_closeness(output, wanted):
    (close,) = closeness([(output, wanted)])
    assert 0 <= close <= 1 and (close == 1) == identical(output, wanted)
