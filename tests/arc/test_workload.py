"""Samples and outputs of ARC: variants, closeness to expected grids, outputs in Parquet."""

from itertools import product

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import megabatt.runtime.arc as arc
from megabatt.runtime.arc.workload import WORKLOAD, ArcSample
from megabatt.runtime.arc.workload.augment import transformation
from megabatt.runtime.arc.workload.output import OUTPUT_FIELDS
from megabatt.runtime.engine.language.values import identical, show, weight
from megabatt.runtime.engine.machine.archive import WordColumn, keep
from megabatt.runtime.engine.machine.heap import Heap
from megabatt.runtime.megabatch.samples import augmented
from tests.arc.lanes import booleans, cells, colors, grids, indices, objects, pairs
from tests.engine.machine_values import tables, values

# Variants: the number asked for, no two alike, each a sample turned as a whole


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
def test_variants_are_as_many_as_asked_for_all_different_and_changed_as_a_whole(
    samples, count, seed
):
    lanes = augmented(WORKLOAD, samples, count, seed)
    assert len(lanes) == count
    assert lanes[: len(samples)] == samples[:count]
    assert len({(lane.S, lane.I, lane.C) for lane in lanes}) == count
    assert lanes == augmented(WORKLOAD, samples, count, seed)
    for lane in lanes:
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


# Closeness: the mean Jaccard index of colors


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


@given(LANES, OUTPUTS)
def test_closeness_is_the_mean_overlap_of_colors_and_one_only_for_a_right_grid(pairs, output):
    (close,) = closeness([(output, pairs[0][1])])
    assert 0 <= close <= 1 and (close == 1) == identical(output, pairs[0][1])
    pairs = [*pairs, *[(wanted, wanted) for _, wanted in pairs]]
    found = closeness(pairs)
    assert np.allclose(found, [overlap(*pair) for pair in pairs], atol=1e-4)
    assert ((found == 1) == [output == wanted for output, wanted in pairs]).all()
    assert (closeness([(7, wanted) for _, wanted in pairs]) == 0).all()


# Parquet: a grid as its rows, any other value as source, in every layout


small_grids = tables(st.integers(0, 9), 3)
almost_grids = st.lists(st.lists(st.integers(0, 300), max_size=2).map(tuple), max_size=3).map(tuple)
outputs = st.lists(st.one_of(values, small_grids, almost_grids), min_size=1, max_size=8)


def as_rows(value):
    """Return the rows of a value that is a grid of small Integers; None for any other."""
    if value.__class__ is not tuple or any(row.__class__ is not tuple for row in value):
        return None
    cells = [cell for row in value for cell in row]
    small = all(type(cell) is int and -128 <= cell <= 127 for cell in cells)
    return [list(row) for row in value] if small and len(set(map(len, value))) < 2 else None


def written(column):
    arrays = WORKLOAD.output_arrays(column)
    assert [array.type for array in arrays] == [field.type for field in OUTPUT_FIELDS]
    return list(zip(*(array.to_pylist() for array in arrays), strict=True))


def expected(of):
    rows = list(map(as_rows, of))
    return [(row, None if row is not None else show(v)) for row, v in zip(rows, of, strict=True)]


@given(outputs, outputs)
@example([((127, -128),), ((128,),)], [((-129,),)])
def test_a_grid_is_written_as_rows_and_any_other_value_as_source_of_several_batches(some, others):
    columns = []
    for of in (some, others):
        heap, archive = Heap(WORKLOAD.language, 100), Heap(WORKLOAD.language, 100)
        columns.append(WordColumn(archive, keep(archive, heap, heap.put_all(of))))
    joined = WordColumn.joined(columns)
    assert written(joined) == expected([*some, *others])
    assert identical(tuple(joined.decode()), (*some, *others))
    assert joined.weights().tolist() == [weight(value) for value in [*some, *others]]
