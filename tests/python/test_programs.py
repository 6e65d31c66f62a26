"""`read` and `program`: they read what the compiler reads, and name mistakes."""

import json
import pickle

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

PAIRS = [
    ([[1, 0, 2], [1, 0, 0]], [[2, 0, 1], [0, 0, 1]]),
    ([[0]], None),
    ([[3, 3], [0, 4], [4, 4]], [[3, 3], [0, 4], [4, 4]]),
]


(TASK,) = mb.tasks("arcagi", "training", ["67a3c6ac"])


def test_programs_read_are_those_that_the_compiler_compiles(tmp_path):
    """Outputs, failures and matches equal those of the compiled code."""
    sources = [ROOT / "codegen" / "lists" / f"{name}.py" for name in ("training", "evaluation")]
    folder = str(tmp_path / "batt")
    compile_sources([*map(str, sources), "--out", folder], standalone_mode=False)
    forms = own_programs(folder)
    programs = [program for source in sources for program in mb.read(source)]
    assert [program.name for program in programs] == list(forms)
    evaluation = mb.evaluate(programs, TASK, outputs="all")
    assert not evaluation.errors and evaluation.matches.size >= 1000
    settings = Settings(WORKLOAD, folder)
    for k, program in enumerate(programs):
        for lane, sample in enumerate(samples_given(TASK)):
            outputs, failed = settings.scalar(forms[program.name], sample)
            output = outputs[program.name]
            assert identical(evaluation.output(k, lane), output), program.name
            assert evaluation.failed[k, lane] == len(failed), program.name
            assert evaluation.matches[k, lane] == (output == sample.expected)


JSON_LINE = json.dumps({"name": "p", "operations": [["O", "hmirror", "I"]], "returns": "O"}) + "\n"


@pytest.mark.parametrize(
    "file, text, lines, message",
    [
        ("wrong.py", "def solve(I):\n    return I +\n", [2], "syntax error"),
        ("wrong.py", "def solve(I):\n    x = I @ 1\n    return x\n", [2], "`@` cannot be read"),
        ("wrong.py", "import os\nprint(1)\n", [1], "has no program"),
        ("wrong.jsonl", JSON_LINE + "{\n", [2], "malformed JSON"),
        ("wrong.jsonl", JSON_LINE + '{"name": "a", "operations": [["x", "f", null]], '
         '"returns": "x"}\n', [2], "not a name: null"),
        ("wrong.jsonl", "{\n" * 25, list(range(1, 26)), "and 15 more$"),
    ],
)  # fmt: skip
def test_a_wrong_source_is_named_with_the_line(file, text, lines, message, tmp_path):
    source = tmp_path / file
    source.write_text(text)
    with pytest.raises(mb.ProgramErrors, match=message) as raised:
        mb.read(source, strict=True)
    errors = raised.value.errors
    assert [(error.file, error.line) for error in errors] == [(str(source), n) for n in lines]
    assert errors[0].source == text.splitlines()[lines[0] - 1]
    assert str(raised.value).startswith(f"{source}:{lines[0]}:")
    assert pickle.loads(pickle.dumps(raised.value)).errors == errors
    read = mb.read(str(source))
    assert len(read) == text.count(JSON_LINE) and read.errors == errors


def test_a_program_is_made_of_the_parts_of_a_json_line():
    program = mb.program("p", iter([["x1", "hmirror", "I"], ("O", "add", "x1", 2)]))
    assert program == mb.Program("p", (("x1", "hmirror", "I"), ("O", "add", "x1", 2)), "O")
    assert str(program) == "p:\n    x1 = hmirror(I)\n    O = add(x1, 2)\n    return O"


def named(*program):
    return mb.Program("some name", *program)


@pytest.mark.parametrize(
    "wrong, message",
    [
        (named((("O", "hmirro", "I"),), "O"),
         "unknown primitive 'hmirro'; did you mean 'hmirror'?"),
        (named((("I", "vmirror", "I"),), "I"), "cannot assign to 'I', an input"),
        (named((("O", "hmirror", "O"),), "O"), "'O' is used before its definition"),
        (named((), "O"), "returns='O' is not assigned"),
        (named((("dead", "nothing", "I"),), "I"), "unknown primitive 'nothing'"),
        (named((("x",),), "I"),
         "program 'some name', operation 1 must be [variable, function, argument, ...] of names, "
         "Python's integers and Lambdas, not ('x',)"),
        (named(((1, "hmirror", "I"),), "I"), "cannot assign to 1, no name"),
        (named((("x", "hmirror", ["I"]),), "I"),
         "program 'some name', operation 1: ['I'] is no name, Integer or Lambda"),
        (named((), ["I"]), "what program 'some name' returns: ['I'] is no name, Integer or Lambda"),
        (named((("x", "astuple", np.int64(1), 2),), "I"),
         "not operations of the language: its words are not Python's own; megabatt.program makes "
         "them so"),
    ],
)  # fmt: skip
def test_a_wrong_program_is_named_and_the_others_are_evaluated(wrong, message):
    right = [mb.program(name, [["O", name, "I"]]) for name in ("vmirror", "hmirror")]
    evaluation = mb.evaluate([right[0], wrong, right[1]], PAIRS)
    assert list(evaluation.errors) == [1]
    assert evaluation.errors[1] == message or message in evaluation.errors[1].split("; ")
    assert not evaluation.matches[1].any() and (evaluation.failed[1] == -1).all()
    assert evaluation.matches[0].tolist() == [True, False, False]
    for program in (1, -2):
        with pytest.raises(LookupError, match="was not run"):
            evaluation.output(program, 0)
    assert "1 program not run; the first, some name: " in repr(evaluation)
    (alone,) = mb.evaluate_each([(wrong, PAIRS)])
    assert alone.errors == {0: evaluation.errors[1]}


def test_numpy_s_integers_and_booleans_are_words_and_tuples_are_lists():
    rows = [("x", "astuple", np.int64(2), np.uint8(1)), ("O", "canvas", np.int32(7), "x")]
    program = mb.program("p", tuple(rows))
    assert program == mb.program("p", [["x", "astuple", 2, 1], ["O", "canvas", 7, "x"]])
    assert all(type(word) in (str, int) for row in program.operations for word in row)
    assert mb.program("p", (("O", "flip", np.bool_(True)),)).operations[0][2] is True
    pairs = ((((np.int64(1), 2),), np.array([[2, 1]])), (np.array([[3]]), None))
    given = mb.evaluate((program,), pairs, max_elements=np.int64(100), outputs="all")
    assert given.output(np.int64(0), np.int8(0)) == ((7,), (7,))


def test_each_text_that_cannot_be_read_counts_as_one():
    solve = "def solve(I):\n    return "
    wrong = ["x = (", f"{solve}a + b", f"{solve}c", "async def a(): pass"]
    text = "\n".join(f"```python\n{source}\n```" for source in ["def f(I):\n    return I", *wrong])
    assert repr(mb.parse(text)) == "<1 program, 4 that cannot be read>"
    assert repr(mb.parse("")) == "<0 programs, the text has no program>"
    imported = mb.parse("import os\nclass A:\n    k: 1\ndef f(I):\n    return I\n")
    assert repr(imported) == "<1 program, 0 that cannot be read; 2 notes: see .notes>"


def test_an_unknown_primitive_may_need_the_import_of_its_module():
    said = "if an unknown primitive is your own, import its module first"
    text = "def f(I):\n    return barber(I)\n"
    assert mb.parse(text).notes == [said] and not mb.parse("def f(I):\n    return I\n").notes
    with pytest.raises(mb.ProgramErrors, match=said):
        mb.parse(text, strict=True)


def test_a_file_has_the_same_programs_alone_as_in_its_folder(tmp_path):
    for name in ("67a3c6ac", "68b16354"):
        (tmp_path / f"{name}.py").write_text("def solve(I):\n    return vmirror(I)\n")
    alone = [program.name for file in sorted(tmp_path.iterdir()) for program in mb.read(file)]
    assert alone == ["solve_67a3c6ac", "solve_68b16354"]
    assert alone == [program.name for program in mb.read(tmp_path)]


def test_a_text_may_begin_with_a_byte_order_mark():
    assert len(mb.parse("\ufeffdef f(I):\n    return vmirror(I)\n", strict=True)) == 1
