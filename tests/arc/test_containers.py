"""ARC's values in containers, and as containers: grids, pairs and cells."""

from __future__ import annotations

import pytest

import megabatt.runtime.arc as arc
from tests.arc.lanes import assert_same
from tests.core.test_containers import charge_of


def test_a_grid_has_as_many_elements_as_rows_and_a_pair_has_two():
    assert arc.size(((1, 2, 3), (4, 5, 6))) == 2
    assert arc.size((8, 9)) == 2
    assert arc.size((1, (2, 3))) == 2
    assert arc.first(((1, 2, 3), (4, 5, 6))) == (1, 2, 3)
    assert arc.last((1, (2, 3))) == (2, 3)


def test_a_pair_and_a_cell_are_charged_as_one_element():
    cells = frozenset({(1, (0, 0)), (2, (0, 1))})
    assert charge_of(arc.initset, cells) == 2
    assert charge_of(arc.astuple, cells, 4) == 3
    assert charge_of(arc.repeat, cells, 5) == 10
    assert charge_of(arc.repeat, cells, -5) == 0
    assert charge_of(arc.combine, cells, cells) == 4
    assert charge_of(arc.insert, (1, 2), frozenset({(3, 4)})) == 2
    assert charge_of(arc.merge, (cells, (), (5,))) == 4
    assert charge_of(arc.product, (1, 2), ((3, 4),)) == 4
    assert charge_of(arc.pair, (1, 2, 3), ((3, 4),)) == 2


@pytest.mark.parametrize("size", [3, 60])
def test_long_sets_of_pairs_and_cells_are_merged_alike_in_both_forms(size):
    evens = frozenset(range(0, 2 * size, 2))
    pairs = frozenset((k % 7, k) for k in range(size))
    cells = frozenset((k % 3, (k, 1)) for k in range(size))
    lanes = [(pairs, cells), (cells, pairs), (cells, cells), (pairs, evens)]
    for function in (arc.combine, arc.intersection, arc.difference):
        assert_same(function, lanes)
        for lane in lanes:
            assert_same(function, [lane] * 2)


GRID = ((1, 2, 3),) * 5000


@pytest.mark.parametrize(
    "function",
    [
        arc.lbind(arc.other, GRID),
        arc.lbind(arc.combine, GRID),
        arc.lbind(arc.pair, GRID),
        arc.lbind(arc.product, GRID),
    ],
    ids=["other", "combine", "pair", "product"],
)
def test_lanes_that_share_a_large_grid_stay_within_what_they_may_build(function):
    arguments = [tuple(frozenset({k}) for k in range(n)) for n in (1, 3, 3000)]
    arguments.append(tuple((k, k, k) for k in range(4)))
    assert_same(arc.apply, [(function, container) for container in arguments])
