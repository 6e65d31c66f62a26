"""Every mistake in a source is reported, at its place, in words that help."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from megabatt.runtime.program import program
from megabatt.runtime.vocabulary import mistakes
from tests.codegen import toy_language
from tests.codegen.helpers import check_text

ADVICE = "only `name = function(arguments)` and `return name`"
VALUES = "only names, integers and calls"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("return ad(A, B)", ["2:12: unknown primitive 'ad'; did you mean 'add'?"]),
        ("return add(A, OEN)", ["2:19: unknown name 'OEN'; did you mean 'ONE'?"]),
        ("return add(A, qqq)", ["2:19: unknown name 'qqq'"]),
        ("return add(A)", ["2:12: add(a, b) takes 2 arguments, not 1"]),
        ("return zero(A)", ["2:12: zero() takes 0 arguments, not 1"]),
        ("x = negate(A, A)\n    return x", ["2:9: negate(n) takes 1 argument, not 2"]),
        ("g = negate\n    return g()", ["3:12: negate(n) takes 1 argument, not 0"]),
        (
            "x = negate(y)\n    y = negate(A)\n    return x",
            ["2:16: 'y' is used before its definition"],
        ),
        ("x = negate(x)\n    return x", ["2:16: 'x' is used before its definition"]),
        ("add = negate(A)\n    return A", ["2:5: cannot assign to 'add', a primitive"]),
        ("ONE = negate(A)\n    return A", ["2:5: cannot assign to 'ONE', a constant"]),
        ("B = negate(A)\n    return A", ["2:5: cannot assign to 'B', an input"]),
        ("return TWO(A)", ["2:12: TWO is not a function"]),
        ("return 99999999999999999999999", ["2:12: an Integer lies in -2147483648 .. 2147483647"]),
        ("return add(A, 2147483648)", ["2:19: an Integer lies in -2147483648 .. 2147483647"]),
        ("return 7(A)", ["2:12: 7 is not a function"]),
        ("x = 2\n    return x(A)", ["3:12: 2 is not a function"]),
        ("return add(_1, negate(A))", ["2:16: unknown name '_1'"]),
        ("x = negate(A)", ["1:5: the solver does not return anything"]),
        ("return", ["2:5: `return` needs a value"]),
        ("return A\n    return B", ["3:5: statement after `return`"]),
        ("return A.real", [f"2:12: not allowed here: attribute; {VALUES}"]),
        ("return add(A, 1.5)", [f"2:19: not allowed here: float; {VALUES}"]),
        ("return add(A, 'a')", [f"2:19: not allowed here: simple string; {VALUES}"]),
        ("return add(A, (1, 2))", [f"2:20: not allowed here: tuple; {VALUES}"]),
        ("return A + B", [f"2:12: not allowed here: binary operation; {VALUES}"]),
        ("return add(A, -B)", [f"2:19: not allowed here: unary operation; {VALUES}"]),
        ("return bind(lambda a: a, A)", [f"2:17: not allowed here: lambda; {VALUES}"]),
        ("return add(A, b=B)", ["2:19: keyword arguments are not allowed"]),
        ("return negate(*A)", ["2:19: starred arguments are not allowed"]),
        ("for x in A:\n        pass\n    return A", [f"2:5: not allowed here: for; {ADVICE}"]),
        ("if A:\n        pass\n    return A", [f"2:5: not allowed here: if; {ADVICE}"]),
        ("import os\n    return A", [f"2:5: not allowed here: import; {ADVICE}"]),
        ("negate(A)\n    return A", [f"2:5: not allowed here: expr; {ADVICE}"]),
        ("x: int = negate(A)\n    return A", [f"2:5: not allowed here: ann assign; {ADVICE}"]),
        ("x = y = negate(A)\n    return x", ["2:5: assign to one name at a time"]),
        ("A.b = negate(A)\n    return A", ["2:5: an operation's result goes to a plain name"]),
    ],
)
def test_mistakes_in_a_body(body, expected):
    _, errors = check_text(f"def solve(A):\n    {body}\n")
    assert errors == [f"a.py:{error}" for error in expected]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("def f(X):\n    return A\n", "1:7: parameter 'X' is not an input (A, B)"),
        ("def f(A, A):\n    return A\n", "1:10: parameter 'A' is repeated"),
        ("def f(A=1):\n    return A\n", "1:7: a solver's parameters have no defaults"),
        ("def f(*A):\n    return A\n", "1:7: a solver has plain positional parameters only"),
        ("@g\ndef f(A):\n    return A\n", "1:1: a solver has no decorators"),
        ("def add(A):\n    return A\n", "1:5: a solver cannot be named 'add', a primitive"),
        ("def batt(A):\n    return A\n", "1:5: a solver cannot be named 'batt'"),
        ("def x1(A):\n    return A\n", "1:5: a solver cannot be named 'x1'"),
        (
            "def f(A):\n    return A\n\ndef f(A):\n    return B\n",
            "4:5: solver 'f' is already defined at a.py:1:5",
        ),
        (
            "def f(A):\n    return A\n\ndef f_vectorized(A):\n    return B\n",
            "4:5: solver 'f_vectorized' is already defined at a.py:1:5",
        ),
        ("x = 1\n", "1:1: not allowed here: assign; only solver functions"),
        ("class A:\n    pass\n", "1:1: not allowed here: class def; only solver functions"),
        ("def f(A):\n    return A\nimport os\n", "3:1: imports belong at the top of the file"),
        ("def f(A:\n    return A\n", "1:6: syntax error: '(' was never closed"),
        ("def f(A):\n    return\0\n", "1:1: syntax error: source code string cannot contain"),
    ],
)
def test_mistakes_around_a_body(text, expected):
    _, errors = check_text(text)
    assert len(errors) == 1
    assert errors[0].startswith(f"a.py:{expected}")


@pytest.mark.parametrize("depth", [150, 5000, 200_000])
def test_deep_nesting_is_an_error_and_no_crash(depth):
    text = f"def f(A):\n    return {'negate(' * depth}A{')' * depth}\n"
    _, errors = check_text(text)
    assert errors == [] or all("nest" in error for error in errors)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ('{"name": "f",', "1:14: malformed JSON: Expecting property name"),
        ("[]", "1:1: a program is a JSON object"),
        ('{"name": "f", "operations": []}', "1:1: the program has no 'returns'"),
        ('{"name": "f", "operations": 1, "returns": "A"}', "1:1: 'operations' is a list"),
        (
            '{"name": "f", "operations": [["x"]], "returns": "A"}',
            '1:1: an operation is a list [target, function, arguments ...], not ["x"]',
        ),
        ('{"name": "f g", "operations": [], "returns": "A"}', '1:1: not a name: "f g"'),
        ('{"name": "f", "operations": [], "returns": 1.5}', "1:1: not a name: 1.5"),
        ('{"name": "f", "operations": [], "returns": "A", "x": 1}', "1:1: unknown key 'x'"),
        (
            '{"name": "f", "operations": [["x", "add", "A"]], "returns": "x"}',
            "1:1: add(a, b) takes 2 arguments, not 1",
        ),
        ("[" * 100_000, "1:1: malformed JSON: nested too deeply"),
        ('{"name": ' + "1" * 5000 + "}", "1:1: malformed JSON: Exceeds the limit"),
    ],
)
def test_mistakes_in_json_lines(line, expected):
    _, errors = check_text(line, "a.jsonl")
    assert len(errors) == 1
    assert errors[0].startswith(f"a.jsonl:{expected}")


def test_all_that_is_wrong_with_the_form_of_a_line_is_reported():
    line = '{"name": "f g", "name": 3, "operations": [["x"], [1, "add"]], "x": 1, "returns": 1.5}'
    _, errors = check_text(line, "a.jsonl")
    assert sorted(error.partition("1:1: ")[2] for error in errors) == [
        'an operation is a list [target, function, arguments ...], not ["x"]',
        "not a name: 1",
        "not a name: 1.5",
        "not a name: 3",
        "the program has 'name' more than once",
        "unknown key 'x'; a program has name, operations, returns",
    ]


def test_a_solver_cannot_have_a_name_that_python_forbids():
    _, errors = check_text("def __debug__(A):\n    return A\n")
    assert errors == ["a.py:1:5: a solver cannot be named '__debug__'"]


def test_an_error_is_reported_once_and_not_again_where_its_variable_is_used():
    _, errors = check_text("def f(A):\n    x = nope.nope(A)\n    y = x(x)\n    return add(x, y)\n")
    assert len(errors) == 1


def test_a_wrong_name_for_another_word_is_reported_once():
    body = ["x = nothing", "y = x", "ONE = y", "z = ONE(y)", "return add(x, z)"]
    _, errors = check_text("\n    ".join(["def f(A):", *body, ""]))
    assert errors == [
        "a.py:2:9: unknown name 'nothing'",
        "a.py:4:5: cannot assign to 'ONE', a constant",
        "a.py:5:9: ONE is not a function",
    ]


words = st.sampled_from(["A", "ONE", "add", "negate", "x", "y", "_1", "ad", 7, 2**31, True])
names = st.sampled_from(["x", "y", "_1", "ONE", "add"])
functions = st.sampled_from(["add", "negate", "TWO", "A", "x", "ad", "SWAP_9"])
rows = st.builds(lambda *row: [*row[:2], *row[2]], names, functions, st.lists(words, max_size=2))


@given(st.lists(rows, max_size=5), words)
def test_a_program_in_memory_has_the_mistakes_of_its_source(operations, returns):
    line = json.dumps({"name": "f", "operations": operations, "returns": returns})
    _, errors = check_text(line, "a.jsonl")
    in_memory = mistakes(program("f", operations, returns), toy_language.LANGUAGE)
    assert errors == sorted(f"a.jsonl:1:1: {mistake}" for mistake in in_memory)


def test_all_that_a_solver_file_may_hold_besides_operations():
    _, errors = check_text(
        '"""Docstring."""\n'
        "from dsl import *\n"
        "import constants\n\n"
        "# a comment\n"
        "def verify_x(A: Grid, B) -> Grid:\n"
        '    """Docstring."""\n\n'
        "    x = add(A, -1)  # a comment\n"
        "    y = add(x, 0x10); z = negate(y)\n"
        "    return (z)\n\n"
        "def one_line(): return B\n"
    )
    assert errors == []


@given(st.text(), st.sampled_from(["a.py", "a.jsonl"]))
def test_no_text_makes_reading_crash(text, file):
    check_text(text.encode(errors="ignore").decode(), file)
