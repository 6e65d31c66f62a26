"""Functions that change what they are given, rewritten so that they return it."""

import ast
from copy import deepcopy

import pytest
from hypothesis import given

from megabatt.codegen.effects import with_effects_returned
from tests.codegen.sources import CALLED, flows

GRID = [[0, 1, 0], [2, 0, 0], [0, 0, 3]]


def rewritten(source: str) -> str:
    tree = with_effects_returned(ast.parse(source), lambda name: name == "solve")
    return ast.unparse(ast.fix_missing_locations(tree))


def result(tree: ast.Module) -> str:
    """Return the text of what `solve` returns, or of what it raises."""
    scope: dict = {}
    try:
        exec(compile(ast.fix_missing_locations(tree), "source", "exec"), scope)
        return repr(scope["solve"](deepcopy(GRID)))
    except Exception as error:
        return type(error).__name__


@given(flows(CALLED))
def test_a_rewritten_source_does_the_same(source):
    made = with_effects_returned(ast.parse(source), lambda name: name == "solve")
    assert result(made) == result(ast.parse(source))


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
