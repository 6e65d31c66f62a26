"""An evaluation as a table, and its traces: the values of a program's operations on a sample."""

import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import megabatt as mb
from megabatt.runtime.engine.language.reasons import Reason
from megabatt.runtime.engine.language.values import identical
from megabatt.runtime.program import source_of
from tests.arc.lanes import grids
from tests.examples import examples
from tests.python.scalar import random_programs

PAIRS = [([[1, 0, 2]], [[2, 0, 1]]), ([[3, 4]], [[4, 4]]), ([[5]], None)]
MIRROR = mb.program("mirror", [["O", "vmirror", "I"]])
WRONG = mb.program("wrong", [["O", "vmirrow", "I"]])
FAILS = mb.program("fails", [["x", "shape", "I"], ["y", "crop", "I", "x", "I"],
                             ["O", "vmirror", "I"]])  # fmt: skip


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


def test_pandas_and_polars_have_the_same_rows(with_pandas):
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


# Traces


TRACED = mb.evaluate([FAILS, WRONG], PAIRS)


def test_every_step_gives_what_the_program_that_ends_there_gives():
    programs = random_programs(16)
    evaluation = mb.evaluate(programs, PAIRS, outputs="all")
    for place, program in enumerate(programs):
        ends = [
            program._replace(operations=program.operations[:k], returns=target)
            for k, (target, *_) in enumerate(program.operations, 1)
        ]
        alone = mb.evaluate(ends, PAIRS, outputs="all")
        for sample in range(len(PAIRS)):
            trace = evaluation.trace(place, sample)
            assert identical(trace.output, evaluation.output(place, sample))
            for k, step in enumerate(trace.steps):
                assert identical(step.value, alone.output(k, sample))
            first = evaluation.first_failure[place, sample]
            if first >= 0:
                assert trace.steps[first].reason == evaluation.reason[place, sample]


def test_a_trace_is_read_line_by_line():
    sample, *steps = str(TRACED.trace(0, 0)).split("\n\n")
    assert sample.splitlines()[::3] == [
        "sample 0 (demonstration)", "fails: failed operations: y (type)"
    ]  # fmt: skip
    failure = "y failed: `dims` must be an IntegerTuple, got a Grid\nit leaves\n()"
    assert list(map(str.rstrip, steps)) == [
        "x = shape(I)\n(1, 3)", f"y = crop(I, x, I)\n{failure}", "O = vmirror(I)\n2 0 1"
    ]  # fmt: skip


def test_a_step_has_the_values_that_it_read():
    steps, grid = TRACED.trace(0, -1).steps, ((5,),)
    assert [step.read for step in steps[:2]] == [{"I": grid}, {"I": grid, "x": (1, 1)}]
    assert [str(step.reason) for step in steps] == ["none", "type", "none"]


def test_the_limit_is_the_evaluation_s():
    program = mb.program("large", [["x", "astuple", 30, 30], ["O", "canvas", 0, "x"]])
    for limit in (100, 1000):
        evaluation = mb.evaluate([program], PAIRS, max_elements=limit)
        trace = evaluation.trace(0, 0)
        assert [step.reason for step in trace.steps] == [Reason.NONE, evaluation.reason[0, 0]]
        assert (trace.steps[1].reason == Reason.LIMIT) == (limit == 100)


def test_a_blind_evaluation_s_trace_reads_no_expected_output_but_says_what_is_right():
    seen = mb.program("seen", [], "C")
    for blind, wanted in ((False, ((2, 0, 1),)), (True, None)):
        evaluation = mb.evaluate([seen, FAILS], PAIRS, blind=blind, outputs="all")
        assert evaluation.trace(0, 0).output == evaluation.output(0, 0) == wanted
        assert str(evaluation.trace(1, 0)) == str(TRACED.trace(0, 0))


@pytest.mark.parametrize("program, sample, line", [
    (1, 0, "program 1 was not run: unknown primitive 'vmirrow'"),
    (2, 0, "there are 2 programs and 3 samples"),
    (0, 3, "there are 2 programs and 3 samples"),
])  # fmt: skip
def test_programs_that_were_not_run_have_no_trace(program, sample, line):
    with pytest.raises(LookupError, match=line):
        TRACED.trace(program, sample)


@pytest.mark.parametrize(
    ("body", "call"),
    [
        ("return hmirror(crop(I, shape(I), I))", "crop(I, shape(I), I)"),
        ("x = hmirror(crop(I, first(I), (1, 2)))\n    return x", "crop(I, first(I), (1, 2))"),
        ("return tuple(first(v) for v in I[0])", "apply(first, totuple(item(I, 0)))"),
        ("k = height(I)\n    return mapply(lambda o: shift(o, (k, first(o))), I)",
         "mapply(lambda a: shift(a, astuple(k, first(a))), I)"),
        ("a = height(I)\n    return apply(lambda o: shift(o, (a, a)), palette(I))",
         "apply(lambda b: shift(b, astuple(a, a)), palette(I))"),
        (f"return {'hmirror(' * 20}size(I[0][0]){')' * 20}", "size(inner_item(I, 0, 0))"),
        (f"return hmirror(palette({'hmirror(' * 20}I{')' * 20}))",
         f"hmirror(palette({'hmirror(' * 5}hmir..."),
    ],
)  # fmt: skip
def test_a_failure_has_no_names_that_the_compiler_made(body, call):
    (program,) = mb.parse(f"def solve(I):\n    {body}\n", strict=True)
    evaluation = mb.evaluate([program], PAIRS)
    assert evaluation.failure(0, 0).startswith(f"{call} failed: ")
    assert evaluation.failure(0, 0, f"return {call}").startswith(f"{call} failed: ")
    assert evaluation.failure(0, 0, "for v in I:").startswith("a step in this code failed: ")
    assert evaluation.failure(0, 0, "  raise ValueError").startswith("this line raises")
    assert evaluation.failure(0, 0, "raised = v").startswith("a step in this code failed: ")
    (operation,) = set(evaluation.to_arrow()["operation"].to_pylist()[:1])
    assert operation.startswith(call.removesuffix("..."))
