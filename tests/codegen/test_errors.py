"""Every mistake in a source is reported at its place, with advice."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from megabatt.runtime.program import program
from megabatt.runtime.vocabulary import mistakes
from tests.codegen import toy_language
from tests.codegen.helpers import check_text, checked
from tests.codegen.toy_language import LANGUAGE

IN_A_BODY = [
    ("return ad(A, B)", "2:12: unknown primitive 'ad'; did you mean 'add'?"),
    ("def g(x):\n        return ad(x, B)\n    return g", "3:16: unknown primitive 'ad'; did you"),
    ("return add(A, OEN)", "2:19: unknown name 'OEN'; did you mean 'ONE'?"),
    ("return add(A)", "2:12: add(a, b) takes 2 arguments, not 1"),
    ("x = negate(y)\n    y = negate(A)\n    return x", "2:16: 'y' is used before its def"),
    ("return TWO(A)", "2:12: TWO is not a function"),
    ("return 99999999999999999999999", "2:12: an Integer lies in -2147483648 .. 2147483647"),
    ("return add(_1, negate(A))", "2:16: unknown name '_1'"),
    ("x = negate(A)", "1:5: the program does not return anything: end it"),
    ("return A.real", "2:12: values have no attributes such as .real"),
    ("return A.split('0')", "2:12: .split of text is not read: write tuples of Int"),
    ("return bin(A)", "2:12: 'bin' of Python is not read: take digits by // and %"),
    ("return add(A, 1.1)", "2:19: programs have no values such as 1.1: numbers are Integers"),
    ("return np.rot90(A)", "2:12: unknown name 'np': write `import numpy as np`"),
    ("return scipy.ndimage.label(A)", "2:12: unknown name 'scipy': write `import scipy.ndimage`"),
    ("return add(A, '')", "2:19: programs have no values such as '': text may only be compared"),
    ("return add(A, 'a')", "2:19: programs have no values such as 'a': write Integers"),
    ("return add(A, '2')", "2:19: programs have no values such as '2': write 2"),
    ("return reduce(add, A)", "2:12: unknown primitive 'reduce': write `from functools impo"),
    ("async def g():\n        pass\n    return A", "2:5: async functions are not read: leave"),
    ("return A ^ B", "2:12: this needs 'union_of', which the language does not have"),
    ("return bind(set.union, A)", "2:17: set.union is read only where it is called: write l"),
    ("return zip(A, fill=True)", "2:12: zip cannot be read with these arguments: leave so"),
    ("with A:\n        pass\n    return A", "2:5: `with` is not read: leave it out"),
    ("return str(A)", "2:12: 'str' of Python is not read: programs make no text: write Integers"),
    ("return {A: B}", "2:12: this needs 'astuple', which the language does not have"),
    ("return add(A, c=B)", "2:12: add(a, b) has no argument 'c'"),
    ("return add(A, a=B)", "2:12: add(a, b) already has an argument 'a'"),
    ("return add(b=B)", "2:12: add(a, b) needs its argument 'a'"),
    ("return add(**A)", "2:16: `**` cannot be read: name each argument"),
    ("x = bind(add, A)\n    return x(b=B)", "3:12: a computed function takes arguments in th"),
    ("def g(x, y=(1,)):\n        return x\n    return g(*A)", "4:14: `*` cannot be read here: wr"),
    ("def g(*x, y=1):\n        return x\n    return g(*A, x=A)", "4:12: 'x' has no argument by"),
    ("return max(*A, default=1)", "2:12: `*` beside arguments by keyword cannot be read"),
    ("x = [1]\n    x[1:][0] = A\n    return x", "3:7: a slice cannot be read: a slice is a n"),
    ("def g(x):\n        x[0] = 1\n    return g(B)", "3:9: 'x' may be held elsewhere too, wh"
     "ere a change in place would be seen: change a copy, such as x = list(x), return it, and"),
    ("try:\n        pass\n    finally:\n        pass\n    return A", "2:5: `try` is not read"),
    ("def g():\n        yield A\n    return [g()]", "3:9: `yield` cannot be read: return a list,"
     " or write list(...) around the call"),
    ("class A:\n        pass\n    return A", "2:5: this class is not read"),
    ("x = []\n    x.append(value=B)\n    return x", "3:5: .append takes no arguments by key"),
    ("A.rotate(B)\n    return A", "2:5: .rotate(...): this is not changed in place"),
    ("import sys\n    sys.stdout.write(A)\n    return A", "3:5: sys.stdout.write is not read: le"),
    ("return map(lambda v: (x := v), A)", "2:27: `:=` cannot be read: write the assignment on a"),
    ("x = []\n    x += [x.pop()]\n    return x", "3:11: .pop(...) changes a list, set or d"),
    ("return f'{A}'", "2:12: an f-string cannot be read: text is only compared, or"),
    ("import os\n    return os.getcwd()", "3:12: 'getcwd' of module 'os' is not read"),
    ("from dsl import nope as add\n    return add(A, B)", "3:12: 'add' is 'dsl.nope'"),
    ("from tools import f\n    return f(A)", "3:12: 'f' is 'tools.f', which is not in"),
    ("def g(n, f=None):\n        return g(n, g)\n    return g(A)", "3:16: recursion is not read"),
    ("x = []\n    def g():\n        x.append(A)\n        return g() or g\n    g()",
     "5:16: recursion"),
    ("def g(n):\n        return n\n    return g(A, B)", "4:12: g(n) takes 1 argument, not 2"),
    ("g = lambda n, *, k=1: n\n    return g(A, B)", "3:12: lambda(n, k) takes 1 argument without"),
    ("g = lambda n, /: n\n    return g(n=A)", "3:12: lambda takes 'n' without its name"),
    ("def g(n):\n        return n\n    return g()", "4:12: g needs its argument 'n'"),
    ("return bind(lambda a, b, c, d: a, A)", "2:17: a function that is used as a value take"),
    ("def g():\n        global A\n        A = B\n        return add(A, B)\n    return g()",
     "3:9: nothing is changed from within a function: return it"),
    ("return callable(A)", "2:12: 'callable' of Python is not read: write calls of primitives"),
    ("from itertools import product as p\n    return p(A, repeat=-1)",
     "3:12: `repeat` must be a number, from 0 on, that is written out"),
]  # fmt: skip
IN_A_TEXT = [
    ("def f(X, Y):\n    return A\n", "1:10: parameter 'Y' is not an input (A, B)"),
    ("def f(A, A):\n    return A\n", "1:10: parameter 'A' is repeated"),
    ("def f(A=1, *x):\n    return A\n", "1:13: functions take no `**`, and no `*`"),
    ("def f(A):\n    return g(A)\ndef g(A):\n    return f(A)\n", "2:12: recursion is not read"),
    ("def f(p):\n    return p @ 2\ndef p(A):\n    return f(A)\n", "2:12: `@` cannot be read"),
    ("@g\ndef f(A):\n    return A\n", "1:2: decorators are not read: leave them out"),
    ("class A:\n    def f(A):\n        return A\n", "1:1: the text has no program"),
    ("class A:\n    pass\n", "1:1: the text has no program"),
    ("class B(A):\n    k = 1\ndef f(I):\n    return B()\n", "4:12: a class with a base class is"),
    ("class A:\n    def __pow__(A, b):\n        return A\n", "1:1: a class with __pow__ is"),
    ("class X:\n    k: 1\ndef f(A):\n    return X.k", "4:12: this class is not read"),
    ("import os\nprint(1)\n", "1:1: the text has no program"),
    ("def f(A:\n    return A\n", "1:6: syntax error: '(' was never closed"),
    ("def f(A):\n    return\0\n", "1:1: syntax error: source code string cannot contain"),
    ('{"name": "f",', "1:14: malformed JSON: Expecting property name"),
    ("[]", "1:1: a program is a JSON object"),
    ('{"name": "f", "returns": "A"}', "1:1: the program has no 'operations'"),
    ('{"name": "f", "operations": []}', "1:1: returns='O' is not assigned"),
    ('{"name": "f", "operations": 1, "returns": "A"}', "1:1: 'operations' is a list"),
    ('{"name": "f", "operations": [["x", "negate", [1]]], "returns": "x"}',
     '1:1: not a name: [1], but a list; write a tuple as text: "(1, 2)"'),
    ('{"name": "f", "operations": [["x", "add", "A"]], "returns": "x"}',
     "1:1: add(a, b) takes 2 arguments, not 1"),
    ('{"code": "O = A", "code": "O = B"}', "1:1: the program has 'code' more than once"),
    ('{"name": "f", "operations": [], "operation\\u0073": [], "returns": "A"}',
     "1:1: the program has 'operations' more than once"),
    ('{"name": "f", "operations": [["O", {"captured": [], "parameters": ["x"], "parameters": ["y"],'
     ' "operations": [], "returns": "y"}, "A"]], "returns": "O"}',
     "1:1: the function has 'parameters' more than once"),
    ("[" * 100_000, "1:1: malformed JSON: nested too deeply"),
    ('{"name": ' + "1" * 5000 + "}", "1:1: malformed JSON: Exceeds the limit"),
]  # fmt: skip
IN_A_TEXT += [(f"def solve(A, B):\n    {body}\n", expected) for body, expected in IN_A_BODY]


@pytest.mark.parametrize(("text", "expected"), IN_A_TEXT)
def test_a_mistake_is_told_with_its_place(text, expected):
    file = "a.jsonl" if text[0] in "[{" else "a.py"
    (error,) = check_text(text, file)[1]
    assert error.startswith(f"{file}:{expected}")


@pytest.mark.parametrize(
    ("value", "why"),
    [
        ("[P(), I][0].keys()", "whether `[P(), I][0].keys` in line 7 is a member of P is not "
         "known: annotate"),
        ("P() == P()", "its objects may be compared: make it a @dataclass"),
        ("P().keys", "`P().keys` in line 7 is not called: write a lambda"),
        ("isinstance([P(), 3][0], P)", "whether `[P(), 3][0]` in line 7 is an object of P is not"),
        ("Q()\nclass Q(P):\n    keys = P", "`P` in line 9 is a base that is not called: write"),
        ("Q()\nclass Q(P):\n    __n = 2", "each class has its own `__n`: leave the underscores"),
        ("Q()\nclass Q(P):\n    def n(self):\n        super(Q, self)", "`super` is read as in"),
    ],
)
def test_a_class_that_is_not_read_says_why(value, why):
    methods = "    def __init__(self):\n        self.v = 1\n    def keys(self):\n        return 1\n"
    errors = check_text(f"class P:\n{methods}def f(I):\n    return {value}\n")[1]
    assert errors[0].startswith(f"a.py:1:1: this class is not read: {why}")


@pytest.mark.parametrize(
    ("names", "renamed", "why"),
    [
        (["add"], ["solve_add"], "1:5: warning: the solver is compiled as solve_add: 'add' is a "
         "primitive"),
        (["batt"], ["solve_batt"], "1:5: warning: the solver is compiled as solve_batt: 'batt' is "
         "a name of generated code"),
        (["x1"], ["solve_x1"], "'x1' is a name of generated code"),
        (["__debug__"], ["solve___debug__"], "'__debug__' is a name of generated code"),
        (["kürzer"], ["k_rzer"], "'kürzer' is no name of letters of ASCII"),
        (["f", "f", "f"], ["f", "f_2", "f_3"], "4:5: warning: the solver is compiled as f_2: 'f' "
         "is also the name of the solver at a.py:1, or of its vectorized form"),
        (["f", "f", "f_2"], ["f", "f_3", "f_2"], "compiled as f_3"),
        (["add", "solve_add"], ["solve_add_2", "solve_add"], "compiled as solve_add_2"),
        (["f", "f_vectorized"], ["f", "f_vectorized_2"], "'f_vectorized' is also the name of"),
        (["f_vectorized", "f"], ["f_vectorized", "f_2"], "'f' is also the name of"),
    ],
)  # fmt: skip
def test_a_solver_keeps_its_program_under_another_name_if_its_own_cannot_be_compiled(
    names, renamed, why
):
    told = []
    text = "\n".join(f"def {name}(A):\n    return A\n" for name in names)
    programs, errors = checked(text, LANGUAGE, warn=told.append)
    assert [program.name for program in programs] == renamed and errors == []
    assert why in str(told[0]._replace(name=""))


@pytest.mark.parametrize("depth", [150, 5000, 200_000])
def test_deep_nesting_is_an_error_and_no_crash(depth):
    _, errors = check_text(f"def f(A):\n    return {'negate(' * depth}A{')' * depth}\n")
    assert all("nest" in error for error in errors)


def test_all_mistakes_in_the_form_of_a_line_are_reported():
    line = '{"name": "f g", "name": 3, "operations": [["x"], [1, "add"]], "x": 1, "returns": 1.5}'
    _, errors = check_text(line, "a.jsonl")
    assert sorted(error.partition("1:1: ")[2] for error in errors) == [
        'an operation is a list [target, function, arguments ...], not ["x"]',
        "not a name: 1",
        "not a name: 1.5",
        "not a name: 3",
        "the program has 'name' more than once",
        "unknown key 'x'; a program's keys are name, operations, returns, 'code' and 'lines'",
    ]


def test_an_error_is_reported_once_and_not_again_where_its_variable_is_used():
    _, errors = check_text("def f(A):\n    x = nope.nope(A)\n    y = x(x)\n    return add(x, y)\n")
    assert len(errors) == 1
    body = ["x = nothing", "y = x", "ONE = y", "z = ONE(y)", "u = TWO(y)", "return add(x, z)"]
    _, errors = check_text("\n    ".join(["def f(A):", *body, ""]))
    assert errors == ["a.py:2:9: unknown name 'nothing'", "a.py:6:9: TWO is not a function"]


words = st.sampled_from(["A", "ONE", "add", "negate", "x", "y", "_1", "ad", 7, 2**31, True])
names = st.sampled_from(["x", "y", "_1", "ONE", "add"])
functions = st.sampled_from(["add", "negate", "TWO", "A", "x", "ad", "SWAP_9", "complex"])
rows = st.builds(lambda *row: [*row[:2], *row[2]], names, functions, st.lists(words, max_size=2))


@given(st.lists(rows, max_size=5), words)
def test_a_program_in_memory_has_the_mistakes_of_its_source(operations, returns):
    line = json.dumps({"name": "f", "operations": operations, "returns": returns})
    _, errors = check_text(line, "a.jsonl")
    in_memory = mistakes(program("f", operations, returns), toy_language.LANGUAGE)
    assert errors == sorted(f"a.jsonl:1:1: {mistake}" for mistake in in_memory)


WITH_A_SYNTAX_ERROR = [
    "def bad(A):\n    return add(A, (B)\n",
    "def bad(A):\n    x = add(A, B)\n  return x\n",
    "def bad(A):\n",
    'def bad(A):\n    """A docstring without an end\n    return A\n',
    "def bad(A) -> :\n    return A\n",
    "bad = add(1, 2))\n",
]


@given(
    st.lists(st.sampled_from(WITH_A_SYNTAX_ERROR) | st.none(), min_size=1, max_size=5),
    st.sampled_from(["", "Here it is:\n\n"]),
)
def test_functions_beside_a_syntax_error_are_read(parts, words):
    good = "def good_{}(A):\n    return add(A, ONE)\n"
    texts = [good.format(k) if part is None else part for k, part in enumerate(parts)]
    programs, errors = check_text(words + "".join(texts))
    assert [name for name, *_ in programs] == [
        f"good_{k}" for k, part in enumerate(parts) if part is None
    ]
    assert sum("syntax error" in error for error in errors) == len(parts) - parts.count(None)
