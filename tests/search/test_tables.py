"""Programs called on tables give the tables of their scalar forms, each once."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import megabatt.runtime.arc as arc
from megabatt.runtime.engine.machine.heap import Heap
from megabatt.runtime.search.layers.expressions import parsed, program_of
from megabatt.runtime.search.layers.plan import plan_of
from megabatt.runtime.search.layers.tables import Tables
from tests.megabatch.fuzzing import sample
from tests.python.scalar import scalar

LIMIT = 2000
LARGEST = 60
TEXTS = (
    "rot90(I)", "hconcat(I, I)", "hconcat(I, vmirror(I))", "vconcat(rot180(I), I)", "trim(I)",
    "hmirror(hmirror(I))", "replace(I, 3, 4)", "crop(I, ORIGIN, TWO_BY_TWO)",
    "upscale(I, C)", "canvas(C, shape(I))", "apply(rbind(repeat, C), first(I))",
    "fill(I, C, ofcolor(I, ZERO))", "subgrid(argmax(objects(I, T, F, T), size), I)",
    "mapply(lbind(apply, rbind(add, C)), repeat(I, ONE))", "size(I)", "repeat(ZERO, C)",
    "replace(I, ZERO, multiply(C, 100))",
)  # fmt: skip
"""Expressions of a grid I and a number C."""
grids = st.integers(0, 5).flatmap(
    lambda width: st.lists(
        st.tuples(*[st.integers(0, 4)] * width), min_size=1 if width else 0, max_size=5
    ).map(tuple)
)
lanes = st.lists(st.tuples(grids, st.integers(0, 4)), min_size=1, max_size=3)


@pytest.fixture(autouse=True)
def language():
    with arc.LANGUAGE.in_use():
        yield


def is_table(value):
    rows = value if isinstance(value, tuple) else ()
    if not rows or not all(isinstance(row, tuple) and len(row) == len(rows[0]) for row in rows):
        return False
    cells = [cell for row in rows for cell in row]
    return 0 < len(cells) <= LARGEST and all(
        type(cell) is int and 0 <= cell < 256 for cell in cells
    )


def plain(tables, number):
    """Return the plain values of a table, one for each lane."""
    every = [tables.table(number, lane) for lane in range(tables.lanes)]
    return tuple(tuple(map(tuple, table.tolist())) for table in every)


def begun(samples):
    """Return tables with the samples' grids, if all are tables, and a plan of TEXTS."""
    heap = Heap(arc.LANGUAGE, 1 << 10)
    given_words = {
        "I": heap.put_all([grid for grid, _ in samples]),
        "C": heap.put_all([number for _, number in samples]),
    }
    tables = Tables(heap, len(samples), LARGEST)
    tables.apply(plan_of(heap, ["I"], given_words), None, LIMIT)
    return tables, plan_of(heap, list(map(parsed, TEXTS)), given_words)


def outputs_on(images, samples):
    """Return the outputs that are tables in all lanes, each with the place of its first program."""
    found = {}
    for k, text in enumerate(TEXTS):
        program = program_of(parsed(text), "p")
        pairs = zip(images, samples, strict=True)
        made = [scalar(program, sample(image, C=number), LIMIT) for image, (_, number) in pairs]
        if all(is_table(one.output) and not one.failed for one in made):
            found.setdefault(tuple(one.output for one in made), k)
    return found


@given(lanes)
def test_outputs_that_are_tables_in_all_lanes_are_kept_once_and_tables_are_made_of_them(samples):
    """A table made from another is the program's output on the other's plain value."""
    tables, plan = begun(samples)
    grids = tuple(grid for grid, _ in samples)
    if not all(map(is_table, grids)):
        assert len(tables) == 0
        return
    expected = {grids: (-1, 0)}
    for source in (0, 1):
        if source == len(tables):
            break
        for table, k in outputs_on(plain(tables, source), samples).items():
            expected.setdefault(table, (source, k))
        before = len(tables)
        assert tables.apply(plan, source, LIMIT) == len(tables) - before
        found = {plain(tables, k): tuple(tables.made[k].tolist()) for k in range(len(tables))}
        assert found == expected and len(tables) == len(expected)
        assert tables.apply(plan, source, LIMIT) == 0


def test_very_many_tables_are_found_again():
    """The hash table grows, and so does a small heap."""
    heap = Heap(arc.LANGUAGE, 1 << 4)
    tables = Tables(heap, 1, LARGEST)
    rows = [tuple(int(bit) for bit in f"{k:013b}") for k in range(5000)]
    for row in rows:
        plan = plan_of(heap, ["I"], {"I": heap.put_all([(row,)])})
        assert tables.apply(plan, None, LIMIT) == 1
    assert len(tables) == len(rows) == len(np.unique(tables.starts))
    for number, row in ((0, rows[0]), (4999, rows[4999])):
        assert plain(tables, number) == ((row,),)
        plan = plan_of(heap, ["I"], {"I": heap.put_all([(row,)])})
        assert tables.apply(plan, None, LIMIT) == 0
