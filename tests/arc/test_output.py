"""Outputs in Parquet: a grid as its rows, any other value as source, in every layout."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from megabatt.runtime.arc.workload import WORKLOAD
from megabatt.runtime.arc.workload.output import OUTPUT_FIELDS
from megabatt.runtime.engine.language.values import identical, show, weight
from megabatt.runtime.engine.machine.archive import WordColumn, keep
from megabatt.runtime.engine.machine.heap import Heap
from tests.engine.machine_values import tables, values

grids = tables(st.integers(0, 9), 3)
almost_grids = st.lists(st.lists(st.integers(0, 300), max_size=2).map(tuple), max_size=3).map(tuple)
lanes = st.lists(st.one_of(values, grids, almost_grids), min_size=1, max_size=8)


@pytest.fixture(autouse=True)
def language():
    with WORKLOAD.language.in_use():
        yield


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


@given(lanes, lanes)
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
