"""Functions that change what they are given return it, and loops over lists go by places."""

import ast
import re
from copy import deepcopy
from textwrap import indent

import pytest
from hypothesis import given

import megabatt as mb
from megabatt.codegen.rewriting.effects import with_effects_returned
from megabatt.codegen.rewriting.places import with_places
from tests.codegen.meaning import as_program, as_python
from tests.codegen.sources import CALLED, CHANGES, OF_DICTIONARIES, flows

GRID = [[0, 1, 0], [2, 0, 0], [0, 0, 3]]


def rewritten(source: str) -> str:
    tree = with_effects_returned(ast.parse(source), lambda name: name == "solve")
    return ast.unparse(ast.fix_missing_locations(tree))


def result(tree: ast.Module) -> str:
    """Return the text of what `solve` returns, without addresses, or of what it raises."""
    scope: dict = {}
    try:
        exec(compile(ast.fix_missing_locations(tree), "source", "exec"), scope)
        return re.sub(" at 0x[0-9a-f]+", "", repr(scope["solve"](deepcopy(GRID))))
    except Exception as error:
        return type(error).__name__


@given(flows(CALLED))
def test_a_rewritten_source_does_the_same(source):
    made = with_effects_returned(ast.parse(source), lambda name: name == "solve")
    assert result(made) == result(ast.parse(source))


@given(flows(CHANGES) | flows(OF_DICTIONARIES))
def test_a_source_of_loops_over_places_does_the_same(source):
    assert result(with_places(ast.parse(source))) == result(ast.parse(source))


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ("fill(grid, 1)\nreturn grid", "grid = fill(grid, 1)"),
        ("fill(grid, 1)\nreturn 5", "fill(grid, 1)"),  # nothing reads the grid later
        ("x = fill(v=1, rows=grid)\nreturn grid", "grid = fill(v=1, rows=grid)\n    x = None"),
        ("for k in (1, 2):\n    fill(grid, k)", "grid = fill(grid, k)"),
        ("fill(list(grid), 1)\nreturn grid", "fill(list(grid), 1)"),
        ("return [fill(grid, v) for v in (1, 2)]", "[fill(grid, v) for v in (1, 2)]"),
        ("f = fill\nfill(grid, 1)\nreturn grid", "    fill(grid, 1)"),
        ("return grid and fill(grid, 1) or grid", "grid and fill(grid, 1) or grid"),
    ],
)
def test_what_a_function_changes_is_assigned_where_it_is_read_later(lines, expected):
    body = "\n".join(f"    {line}" for line in lines.split("\n"))
    made = rewritten(f"def fill(rows, v):\n    rows[0] = v\ndef solve(grid):\n{body}\n")
    assert expected in made


def test_a_name_of_a_function_around_becomes_a_parameter():
    made = rewritten("""
def solve(grid):
    n = 0
    def count(row):
        nonlocal n
        n += len(row)
        return n > 3
    def is_many():
        return n > 4
    while not count(grid[0]):
        pass
    return (n, is_many())
""")
    assert "def count(n, row):" in made and "return (n > 3, n)" in made
    assert "def is_many(n):" in made and "is_many(n))" in made


def test_a_program_keeps_what_it_returns():
    source = "def solve(g):\n    g[0] = 1\n    return 5\ndef twice(g):\n    solve(g)\n    return g"
    assert rewritten(source) == ast.unparse(ast.parse(source))


HELPERS = """
n, p = 0, [1]
def peek(*others):
    return (n, len(p))
def inc():
    nonlocal n
    n += 1
    return n
def put(v):
    p.append(v)
    return len(p)
def score(v):
    return v * n
def same(x):
    return x
def size_of(x):
    return len(x)
def given(size_of):
    return size_of(p)
def twice(x):
    return x, x
def others(x):
    return [1], [2]
def iterator(x):
    if len(x) > 50:
        raise ValueError
    return iter(x)
"""


@pytest.mark.parametrize(
    "lines",
    [
        *(f"def f(x):\n    nonlocal n\n    n += 1\n    {body}\n{use}" for body, use in (
            ("return peek()", "a = f(0)"), ("return x()", "a = f(lambda: n)"),
            ("return list(x)", "a = f(v + n for v in I[0])"),
            ("return list(x)", "g = (v + n for v in I[0])\na = f(g)"),
            ("return max(x, key=score)", "a = f([1, -2])"),
            ("return lambda: n", "g = f(0)\ninc()\na = g()"),
            ("def g(): return n\n    return g", "g = f(0)\ninc()\na = g()"),
        )),
        "a = [inc() for n in (5, 6)]", "inc()\na = [peek() for n in (5, 6)]",
        "inc()\na = sorted([1, 2], key=lambda n: -peek()[0])", "put(3)\na = [peek() for p in I]",
        "a = [peek(), inc()]", "a = peek()[0] + inc()", "f = lambda: peek()\na = f()[0] + inc()",
        "a = given(same)\nb = given(size_of)\nput(5)\na = (a, b)",
        "f = twice if I[0][0] == 0 else others\na, b = f(p, 1)\na.append(5)\na = (a, b)",
        "f = twice if I[0][0] == 0 else others\na, b = f(p)\na.append(5)\na = (a, b)",
        "f = iterator(list(I[0]))\na = list(f)\na = (a, list(f))",
        "r = [list(w) for w in I]\na = [k for k, k in enumerate(r)]\na[0].append(5)\na = (a, r)",
        "r = [[1], [2]]\nfor k, k in enumerate(r):\n    a = [k]\na[0].append(5)\na = (a, r)",
        "r = [[1], [2]]\na, b = (lambda x, y: (*x, *y))(r, [])\nb.append(5)\na = (a, b, r)",
        "a = [size(p) for size in (lambda v: v,)]\np.append(2)", "a = 1e999", "a = [put(1), p[:]]",
    ],
)  # fmt: skip
def test_what_others_see_of_a_change_is_as_in_python_or_refused(lines):
    source = f"def solve(I):\n{indent(f'{HELPERS}{lines}', '    ')}\n    return (a, n, p)\n"
    grid = ((0, 1, 0), (2, 0, 0), (0, 0, 3))
    programs = mb.parse(source)
    assert len(programs) + len(programs.errors) == 1
    for program in programs:
        assert as_program(program, grid) == as_python(source, "solve", grid)
