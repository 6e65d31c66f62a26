"""ARC's values in containers, and as containers: grids, pairs and cells."""

import megabatt.runtime.arc as arc
from tests.arc.lanes import charge_of


def test_a_grid_has_as_many_elements_as_rows_and_a_pair_has_two():
    assert arc.size(((1, 2, 3), (4, 5, 6))) == 2
    assert arc.size((8, 9)) == arc.size((1, (2, 3))) == 2
    assert arc.first(((1, 2, 3), (4, 5, 6))) == (1, 2, 3)
    assert arc.last((1, (2, 3))) == (2, 3)


def test_a_pair_and_a_cell_are_charged_as_one_element():
    cells = frozenset({(1, (0, 0)), (2, (0, 1))})
    assert charge_of(arc.initset, cells) == 2
    assert charge_of(arc.astuple, cells, 4) == 3
    assert charge_of(arc.repeat, cells, 5) == 10
    assert charge_of(arc.combine, cells, cells) == 4
    assert charge_of(arc.insert, (1, 2), frozenset({(3, 4)})) == 2
    assert charge_of(arc.merge, (cells, (), (5,))) == 4
    assert charge_of(arc.product, (1, 2), ((3, 4),)) == 4
    assert charge_of(arc.pair, (1, 2, 3), ((3, 4),)) == 2
