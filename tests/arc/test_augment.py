"""Variants of samples: the number asked for, no two alike, each a sample turned as a whole."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from megabatt.runtime.arc.workload import WORKLOAD, ArcSample
from megabatt.runtime.arc.workload.augment import transformation
from megabatt.runtime.megabatch.samples import augmented
from tests.arc.lanes import grids

GRIDS = grids(5, st.integers(0, 9)).filter(lambda grid: len(grid) > 1 and len(grid[0]) > 1)


@st.composite
def tasks(draw):
    """Draw the samples of one task, with the colours 0 to 9 in its first demonstration."""
    colours = tuple((k, k + 1) for k in range(0, 10, 2))
    S = ((colours, draw(GRIDS)), *draw(st.lists(st.tuples(GRIDS, GRIDS), max_size=2)))
    inputs = draw(st.lists(GRIDS, min_size=1, max_size=3, unique=True))
    return [
        ArcSample("t", S, I, draw(st.none() | GRIDS), "training", k, False)
        for k, I in enumerate(inputs)  # noqa: E741
    ]


def is_variant(sample, variant):
    """Tell whether one symmetry and one permutation of colours give all grids of the variant."""
    before, after = (
        [one.I, *(grid for pair in one.S for grid in pair), *([] if one.C is None else [one.C])]
        for one in (sample, variant)
    )
    for symmetry in range(8):
        turned = transformation(symmetry, list(range(10)))(before[1])
        colours = dict(zip(sum(turned, ()), sum(after[1], ()), strict=True))  # all are there
        if sorted(colours.values()) == list(range(10)):
            change = transformation(symmetry, [colours[c] for c in range(10)])
            if [change(grid) for grid in before] == after:
                return True
    return False


@given(tasks(), st.integers(1, 40), st.integers(0, 3))
def test_variants_are_as_many_as_asked_for_and_all_different(samples, count, seed):
    lanes = augmented(WORKLOAD, samples, count, seed)
    assert len(lanes) == count
    assert lanes[: len(samples)] == samples[:count]
    assert len({(lane.S, lane.I, lane.C) for lane in lanes}) == count
    assert lanes == augmented(WORKLOAD, samples, count, seed)


@given(tasks(), st.integers(1, 40))
def test_input_output_and_demonstrations_are_changed_alike(samples, count):
    for lane in augmented(WORKLOAD, samples, count):
        sample = samples[lane.position]
        assert len(lane.S) == len(sample.S) and (lane.C is None) == (sample.C is None)
        assert is_variant(sample, lane)


def test_samples_of_a_task_go_on_sharing_their_demonstrations():
    S = ((((0, 1), (2, 3)), ((4,),)),)
    samples = [ArcSample("t", S, ((k, 5),), None, "training", k, False) for k in range(2)]
    assert len({id(lane.S) for lane in augmented(WORKLOAD, samples, 20)}) < 20


def test_the_symmetries_are_the_square_s_eight_and_integers_that_are_no_colours_stay():
    grid = ((0, 1, 2), (3, 4, 5))
    array = np.array(grid)
    turned = [np.rot90(side, k) for side, k in product((array, array.T), range(4))]
    ours = {transformation(symmetry, list(range(10)))(grid) for symmetry in range(8)}
    assert ours == {tuple(map(tuple, each.tolist())) for each in turned}
    assert transformation(0, [*range(1, 10), 0])(((9, 10, -1),)) == ((0, 10, -1),)


@pytest.mark.parametrize("samples", [[], [ArcSample("t", (), ((0,),), None, "training", 0, False)]])
def test_samples_with_too_few_variants_are_refused(samples):
    with pytest.raises(ValueError, match="different variants"):
        augmented(WORKLOAD, samples, 11)
