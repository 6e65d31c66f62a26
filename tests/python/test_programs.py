"""`read` and `program`: what is read is what the compiler reads, and what is wrong is named."""

import json

import numpy as np
import pytest

import megabatt as mb
from megabatt.codegen.__main__ import main as compile_sources
from megabatt.runtime.arc.workload import WORKLOAD
from megabatt.runtime.arc.workload.given import samples_given
from megabatt.runtime.engine.language.values import identical
from megabatt.runtime.megabatch.batches import Settings
from megabatt.runtime.megabatch.programs import own_programs
from tests.megabatch.commands import ROOT

SOURCE = """
from arc_dsl import *


def solve_nested(I):
    \"\"\"Calls in calls.\"\"\"
    return paint(I, recolor(2, merge(objects(I, T, F, T))))


def solve_alias(S, I):
    x = I
    y = x
    x = vmirror(y)
    z = x
    return hconcat(z, y)


def solve_assigned_anew(I):
    a = hmirror(I)
    b = a
    a = vmirror(a)
    return hconcat(a, b)


def solve_literals(I):
    x1 = canvas(7, astuple(2, THREE))
    x2 = add(-1, True)
    O = replace(x1, 7, x2)
    return O


def solve_function(I):
    f = compose(first, lbind(add, 1))
    g = f
    return g


def solve_called(C, I):
    f = rbind(hconcat, C)
    return f(vmirror(I))


def solve_fails(I):
    x1 = first(I)
    x2 = add(x1, I)
    x3 = hmirror(add(x1, I))
    return x3


def solve_input(I):
    return I


def solve_constant():
    x1 = I
    x2 = 3
    return x2
"""

LINES = [
    {
        "name": "solve_line",
        "operations": [["x1", "hmirror", "I"], ["x1", "vmirror", "x1"], ["O", "hconcat", "x1", 3]],
        "returns": "O",
    },
    {"name": "solve_bare", "operations": [], "returns": "I"},
    {
        "name": "solve_true",
        "operations": [["x", "objects", "I", True, False, True]],
        "returns": "x",
    },
]

PAIRS = [
    ([[1, 0, 2], [1, 0, 0]], [[2, 0, 1], [0, 0, 1]]),
    ([[0]], None),
    ([[3, 3], [0, 4], [4, 4]], [[3, 3], [0, 4], [4, 4]]),
]


@pytest.fixture
def sources(tmp_path):
    python, lines = tmp_path / "some.py", tmp_path / "more.jsonl"
    python.write_text(SOURCE)
    lines.write_text("\n".join(map(json.dumps, LINES)) + "\n\n")
    return [python, lines]


def compared_with_generated_code(sources, folder, pairs):
    """Compare all outputs of the programs read with compiled code's; return how many there are."""
    compile_sources([*map(str, sources), "--out", str(folder)], standalone_mode=False)
    forms = own_programs(str(folder))
    programs = [program for source in sources for program in mb.read(source)]
    assert [program.name for program in programs] == list(forms)
    evaluation = mb.evaluate(programs, pairs, outputs="all")
    assert not evaluation.errors
    settings = Settings(WORKLOAD, str(folder))
    for k, program in enumerate(programs):
        for lane, sample in enumerate(samples_given(pairs)):
            outputs, failed = settings.scalar(forms[program.name], sample)
            assert identical(evaluation.output(k, lane), outputs[program.name]), program.name
            assert evaluation.failed[k, lane] == len(failed), program.name
            assert evaluation.matches[k, lane] == (
                sample.expected is not None and outputs[program.name] == sample.expected
            )
    return evaluation.matches.size


def test_programs_read_are_those_that_the_compiler_compiles(sources, tmp_path):
    assert compared_with_generated_code(sources, tmp_path / "batt", PAIRS) == 36


@pytest.mark.parametrize("name", ["training", "evaluation"])
def test_the_bundled_programs_are_those_that_are_compiled(name, tmp_path):
    source = ROOT / "codegen" / "lists" / f"{name}.py"
    (task,) = mb.tasks("arcagi", "training", ["67a3c6ac"])
    assert compared_with_generated_code([source], tmp_path / "batt", task) > 300


@pytest.mark.parametrize(
    "text, line",
    [
        ("def solve(I):\n    return I +\n", 2),
        ("def solve(I):\n    x = I / 1\n    return x\n", 2),
        ("import os\nprint(1)\n", 1),
    ],
)
def test_a_wrong_python_source_is_named_with_the_line(text, line, tmp_path):
    source = tmp_path / "wrong.py"
    source.write_text(text)
    with pytest.raises(mb.ProgramErrors) as raised:
        mb.read(source, strict=True)
    error = raised.value.errors[0]
    assert (error.file, error.line) == (str(source), line)
    assert error.source == text.splitlines()[line - 1]
    assert mb.read(source) == [] and mb.read(source).errors == raised.value.errors
    assert str(raised.value).startswith(f"{source}:{line}:")


def test_a_name_that_is_nowhere_defined_is_no_variable_of_a_call_within_a_call():
    (error,) = mb.parse("def solve(I):\n    O = hconcat(_1, hmirror(I))\n    return O\n").errors
    assert error.message == "unknown name '_1'"


@pytest.mark.parametrize(
    "line, message",
    [
        ("{", "malformed JSON"),
        ('{"name": "a", "operations": [["x", "f", null]], "returns": "x"}', "not a name: null"),
    ],
)
def test_a_wrong_line_is_named(line, message, tmp_path):
    source = tmp_path / "wrong.jsonl"
    source.write_text(json.dumps(LINES[0]) + "\n" + line + "\n")
    with pytest.raises(mb.ProgramErrors, match=message) as raised:
        mb.read(str(source), strict=True)
    assert [error.line for error in raised.value.errors] == [2]
    assert len(mb.read(source)) == 1


def test_many_errors_are_counted(tmp_path):
    source = tmp_path / "wrong.jsonl"
    source.write_text("{\n" * 25)
    with pytest.raises(mb.ProgramErrors) as raised:
        mb.read(source, strict=True)
    assert len(raised.value.errors) == 25
    assert str(raised.value).endswith("and 15 more")


def test_a_source_that_is_not_there(tmp_path):
    with pytest.raises(OSError):
        mb.read(tmp_path / "nowhere.py")


def test_nothing_of_a_source_is_executed(tmp_path):
    source = tmp_path / "some.py"
    source.write_text(f"import {'no_such_module'}\n\n\ndef solve(I):\n    return I\n")
    assert [program.name for program in mb.read(source)] == ["solve"]


@pytest.mark.parametrize(
    "operations",
    [
        [["x"]], ["x1 = hmirror(I)"], [["x", "hmirror", None]], [["x", "hmirror", ["I"]]],
        [["x", "hmirror", "I"], 5], 5,
    ],
)
def test_a_program_is_made_of_names_and_integers(operations):
    with pytest.raises(TypeError):
        mb.program("p", operations)


def test_a_program_returns_a_name():
    with pytest.raises(TypeError, match="returns"):
        mb.program("p", [], ["O"])


def test_a_program_is_made_of_what_a_line_has():
    program = mb.program("p", iter([["x1", "hmirror", "I"], ("O", "add", "x1", 2)]))
    assert program == mb.Program("p", (("x1", "hmirror", "I"), ("O", "add", "x1", 2)), "O")
    assert str(program) == "p:\n    x1 = hmirror(I)\n    O = add(x1, 2)\n    return O"


@pytest.mark.parametrize(
    "operations, returns, message",
    [
        ([["O", "hmirro", "I"]], "O", "unknown primitive 'hmirro'; did you mean 'hmirror'?"),
        ([["O", "hmirror", "Y"]], "O", "unknown name 'Y'"),
        ([["O", "hmirror", "I", "I"]], "O", "hmirror(piece) takes 1 argument, not 2"),
        ([["I", "vmirror", "I"]], "I", "cannot assign to 'I', an input"),
        ([["O", "hmirror", "O"]], "O", "'O' is used before its definition"),
        ([["O", "TWO", "I"]], "O", "TWO is not a function"),
        ([["O", "add", 2**31, 1]], "O", "an Integer lies in -2147483648 .. 2147483647"),
        ([], "O", "returns='O' is not assigned"),
        ([["dead", "nothing", "I"]], "I", "unknown primitive 'nothing'"),
    ],
)
def test_a_wrong_program_is_named_and_the_others_are_evaluated(operations, returns, message):
    wrong = mb.program("some name", operations, returns)
    right = [mb.program(name, [["O", name, "I"]]) for name in ("vmirror", "hmirror")]
    evaluation = mb.evaluate([right[0], wrong, right[1]], PAIRS)
    assert list(evaluation.errors) == [1]
    assert evaluation.errors[1] == message or message in evaluation.errors[1].split("; ")
    assert not evaluation.matches[1].any() and (evaluation.failed[1] == -1).all()
    assert evaluation.matches[0].tolist() == [True, False, False]
    with pytest.raises(LookupError, match="was not run"):
        evaluation.output(1, 0)
    with pytest.raises(LookupError, match="was not run"):
        evaluation.output(-2, 0)
    assert "1 program not run; the first, some name: " in repr(evaluation)
    (alone,) = mb.evaluate_each([(wrong, PAIRS)])
    assert alone.errors == {0: evaluation.errors[1]}


@pytest.mark.parametrize(
    "malformed",
    [
        mb.Program("p", (("x",),), "I"),
        mb.Program("p", ((1, "hmirror", "I"),), "I"),
        mb.Program("p", (("x", "hmirror", ["I"]),), "I"),
        mb.Program("p", (), ["I"]),
        mb.Program("p", (("x", "astuple", np.int64(1), 2),), "I"),
    ],
)
def test_a_malformed_program_is_an_error_of_its_own(malformed):
    right = mb.program("vmirror", [["O", "vmirror", "I"]])
    evaluation = mb.evaluate([malformed, right], PAIRS)
    assert list(evaluation.errors) == [0] and evaluation.errors[0]
    assert evaluation.matches[1, 0]


def test_numpy_s_integers_and_booleans_are_words_and_tuples_are_lists():
    rows = [("x", "astuple", np.int64(2), np.uint8(1)), ("O", "canvas", np.int32(7), "x")]
    program = mb.program("p", tuple(rows))
    assert program == mb.program("p", [["x", "astuple", 2, 1], ["O", "canvas", 7, "x"]])
    assert all(type(word) in (str, int) for row in program.operations for word in row)
    assert mb.program("p", (("O", "flip", np.bool_(True)),)).operations[0][2] is True
    pairs = ((((np.int64(1), 2),), np.array([[2, 1]])), (np.array([[3]]), None))
    given = mb.evaluate((program,), pairs, max_elements=np.int64(100), outputs="all")
    assert given.output(np.int64(0), np.int8(0)) == ((7,), (7,))


@pytest.mark.parametrize("programs", ["solve", [None], [("x", "hmirror", "I")]])
def test_what_is_no_program_is_refused(programs):
    with pytest.raises(TypeError, match="programs"):
        mb.evaluate(programs, PAIRS)


def test_a_tuple_is_written_as_text():
    with pytest.raises(TypeError, match=r"write it as text, '\(0, 0\)'"):
        mb.program("x", [["O", "crop", "I", (0, 0), (2, 2)]])
    mb.program("x", [["O", "crop", "I", "(0, 0)", "(2, 2)"]])


def test_a_pair_has_one_program():
    pair = [mb.program("x", [["O", "vmirror", "I"]])], PAIRS
    with pytest.raises(TypeError, match="must have one program, not a list"):
        mb.evaluate_each([pair])


def test_each_text_that_cannot_be_read_counts_as_one():
    solve = "def solve(I):\n    return "
    wrong = ["x = (", f"{solve}a + b", f"{solve}c", "class A: pass"]
    text = "\n".join(f"```python\n{source}\n```" for source in ["def f(I):\n    return I", *wrong])
    assert repr(mb.parse(text)) == "<1 program, 4 that cannot be read>"
