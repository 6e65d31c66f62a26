"""A trace has the value of every operation of a program on a sample."""


import pytest

import megabatt as mb
from megabatt.runtime.engine.language.reasons import Reason
from megabatt.runtime.engine.language.values import identical
from tests.python.scalar import random_programs

PAIRS = [([[1, 0, 2]], [[2, 0, 1]]), ([[3, 4], [0, 1]], None)]
FAILS = mb.program("fails", [["x", "shape", "I"], ["y", "crop", "I", "x", "I"],
                             ["O", "vmirror", "I"]])  # fmt: skip
WRONG = mb.program("wrong", [["O", "vmirrow", "I"]])
EVALUATION = mb.evaluate([FAILS, WRONG], PAIRS)


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
    sample, *steps = str(EVALUATION.trace(0, 0)).split("\n\n")
    assert sample.splitlines()[::3] == [
        "sample 0 (demonstration)", "fails: failed operations: y (type)"
    ]  # fmt: skip
    failure = "y failed: `dims` must be an IntegerTuple, got a Grid\nit leaves\n()"
    assert list(map(str.rstrip, steps)) == [
        "x = shape(I)\n(1, 3)", f"y = crop(I, x, I)\n{failure}", "O = vmirror(I)\n2 0 1"
    ]  # fmt: skip


def test_a_step_has_the_values_that_it_read():
    steps, grid = EVALUATION.trace(0, -1).steps, ((3, 4), (0, 1))
    assert [step.read for step in steps[:2]] == [{"I": grid}, {"I": grid, "x": (2, 2)}]
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
        assert str(evaluation.trace(1, 0)) == str(EVALUATION.trace(0, 0))


@pytest.mark.parametrize("program, sample, line", [
    (1, 0, "program 1 was not run: unknown primitive 'vmirrow'"),
    (2, 0, "there are 2 programs and 2 samples"),
    (0, 2, "there are 2 programs and 2 samples"),
])  # fmt: skip
def test_programs_that_were_not_run_have_no_trace(program, sample, line):
    with pytest.raises(LookupError, match=line):
        EVALUATION.trace(program, sample)


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
    (operation,) = set(evaluation.to_arrow()["operation"].to_pylist()[:1])
    assert operation.startswith(call.removesuffix("..."))
