"""An evaluation as a table: a row for each program and sample."""

import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import megabatt as mb
from megabatt.runtime.engine.language.reasons import Reason
from megabatt.runtime.program import source_of
from tests.arc.lanes import grids
from tests.examples import examples
from tests.python.scalar import random_programs

PAIRS = [([[1, 0, 2]], [[2, 0, 1]]), ([[3, 4]], [[4, 4]]), ([[5]], None)]
MIRROR = mb.program("mirror", [["O", "vmirror", "I"]])
WRONG = mb.program("wrong", [["O", "vmirrow", "I"]])
FAILS = mb.program("fails", [["x", "increment", "I"], ["O", "canvas", "x", "x"]])


def rows_of(evaluation):
    return evaluation.to_arrow().to_pylist()


def as_output(value):
    """Return a value as the columns `output` and `other_output` have it."""
    grid = isinstance(value, tuple) and all(isinstance(row, tuple) for row in value)
    return ([list(row) for row in value], None) if grid else (None, repr(value))


def test_the_rows_say_what_the_evaluation_says():
    programs = [MIRROR, WRONG, FAILS, *random_programs(30)]
    evaluation = mb.evaluate(programs, PAIRS, outputs="all", closeness=True)
    rows = rows_of(evaluation)
    places = np.ndindex(evaluation.matches.shape)
    for row, (program, sample) in zip(rows, places, strict=True):
        ran = program not in evaluation.errors
        judged = ran and sample != 2
        assert (row["program"], row["place"]) == (programs[program].name, program)
        assert (row["sample"], row["is_test"]) == (sample, False)
        assert row["error"] == evaluation.errors.get(program)
        assert row["failed"] == (evaluation.failed[program, sample] if ran else None)
        place = evaluation.first_failure[program, sample]
        assert row["first_failure"] == (place if place >= 0 else None)
        assert row["operation"] == (
            source_of(programs[program].operations[place]) if place >= 0 else None
        )
        reason = Reason(evaluation.reason[program, sample])
        assert row["reason"] == (str(reason) if reason else None)
        for name in ("matches", "cells", "closeness"):
            wanted = getattr(evaluation, name)[program, sample] if judged else None
            assert row[name] == wanted
        if program in (0, 2):
            output = as_output(evaluation.output(program, sample))
            assert (row["output"], row["other_output"]) == output
    assert {row["error"] is None for row in rows} == {True, False}


def test_a_row_has_its_task_and_null_for_results_not_asked_for():
    (task,) = mb.tasks("arcagi", "training", ["67a3c6ac"])
    rows = rows_of(mb.evaluate([MIRROR], task))
    assert {row["task"] for row in rows} == {"67a3c6ac"}
    assert [row["is_test"] for row in rows] == [pair.is_test for pair in task.pairs]
    for row in rows_of(mb.evaluate([MIRROR, FAILS], PAIRS)):
        assert row["closeness"] is row["output"] is row["other_output"] is None


@pytest.mark.parametrize("programs", [[], [WRONG]])
def test_a_table_of_nothing_has_all_columns(programs):
    assert mb.evaluate(programs, PAIRS).to_arrow().column_names == (
        mb.evaluate([MIRROR], PAIRS).to_arrow().column_names
    )


def test_each_evaluation_has_a_table_of_its_own_samples():
    pairs = [(MIRROR, PAIRS), (FAILS, PAIRS[1:])]
    for evaluation, (program, samples) in zip(mb.evaluate_each(pairs), pairs, strict=True):
        assert rows_of(evaluation) == rows_of(mb.evaluate([program], samples))


def test_pandas_and_polars_have_the_same_rows():
    pytest.importorskip("pandas")
    pytest.importorskip("polars")
    evaluation = mb.evaluate([MIRROR, WRONG, FAILS, MIRROR], PAIRS, outputs="all")
    rows = rows_of(evaluation)
    assert evaluation.to_polars().to_dicts() == rows
    frame = evaluation.to_pandas()
    assert frame["program"].tolist() == [row["program"] for row in rows]
    assert frame["matches"].sum() == sum(row["matches"] or 0 for row in rows)
    assert frame["failed"].dropna().tolist() == [
        row["failed"] for row in rows if row["failed"] is not None
    ]


@pytest.mark.parametrize("name", ["pandas", "polars"])
def test_a_missing_package_is_named(name, monkeypatch):
    monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(ModuleNotFoundError, match=f"^{name} is not installed: .* install {name}$"):
        getattr(mb.evaluate([MIRROR], PAIRS), f"to_{name}")()


GRIDS = grids(4, st.integers(0, 2)).filter(lambda grid: grid and grid[0])
SELF = mb.program("self", [], "I")


@settings(max_examples=examples(50), deadline=None)
@given(GRIDS, GRIDS)
def test_cells_are_the_share_of_right_cells_and_0_for_another_size(grid, wanted):
    cells = mb.evaluate([SELF], [(grid, wanted)]).cells[0, 0]
    same_size = np.shape(grid) == np.shape(wanted)
    share = np.mean(np.array(grid) == np.array(wanted)) if same_size else 0
    assert cells == np.float32(share)


@pytest.mark.parametrize("function", ["objects", "palette", "size"])
def test_a_value_that_is_no_grid_has_no_right_cells(function):
    arguments = ["T", "F", "T"] if function == "objects" else []
    program = mb.program("p", [["O", function, "I", *arguments]])
    assert mb.evaluate([program], PAIRS).cells.tolist() == [[0, 0, 0]]
