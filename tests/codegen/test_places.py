"""Loops over lists that change in them, rewritten as loops over places."""

import ast
from textwrap import indent

import pytest
from hypothesis import given

import megabatt as mb
from megabatt.codegen.places import with_places
from tests.codegen.sources import CHANGES, OF_DICTIONARIES, flows
from tests.codegen.test_effects import result
from tests.codegen.test_reading import errors_unless_same


@given(flows(CHANGES) | flows(OF_DICTIONARIES))
def test_a_rewritten_source_does_the_same(source):
    assert result(with_places(ast.parse(source))) == result(ast.parse(source))


@pytest.mark.parametrize(
    ("lines", "is_read"),
    [
        ("for row in g:\n    row[0] = 4", True),
        ("for row in g:\n    for j in range(len(row)):\n        row[j] = 5 - row[j]", True),
        ("for i, row in enumerate(g):\n    for j, v in enumerate(row):\n"
         "        if v == 0 and i + 1 < len(g):\n            g[i + 1][j] = 7", True),
        ("p = list(g[0])\nfor i, v in enumerate(p):\n    if i + 1 < len(p): p[i + 1] = v\ng[0] = p",
         True),
        ("for row in g:\n    if row[0] == 2: break\n    row.append(sum(row))", True),
        ("for i, row in enumerate(g):\n    g[i] = [v + 1 for v in row]", True),
        ("q = [{'n': r[0]} for r in g]\nfor d in q:\n    d['n'] *= 2\n"
         "g.append([d['n'] for d in q])", True),
        ("d = {1: g[0][:], 2: [5, 4]}\nfor v in d.values():\n    v.sort()\n"
         "for k, v in d.items():\n    v.append(k)\ng = [d[1], d[2]]", True),
        ("for row in g:\n    row[0] = 4\n    row.append(sum([row[0] for row in I]))", True),
        ("for row in g:\n    row[0] = 1\nrow[1] = 2", False),  # the last row
        ("for i, row in enumerate(g):\n    if row[0] == 1: del g[i]", False),
        ("def len(x): return 1\nfor row in g:\n    row[0] = len(row)", False),
        ("f = lambda range: range\nfor row in g:\n    row[0] = f(3)", False),
        ("for i, row in enumerate(g):\n    g[i] = row[::-1]\n    row[0] = 4", False),
        ("for row in g:\n    row[0] = 1\n    g.append([2])\n    if len(g) > 9: break", False),
        ("q = []\nfor row in g:\n    q.append(row)\n    row[0] = 3\ng += q", False),
    ],
)  # fmt: skip
def test_elements_change_where_nothing_else_holds_them(lines, is_read):
    body = indent(f"g = [list(row) for row in I]\n{lines}\nreturn g", "    ")
    source = f"def solve(I):\n{body}\n"
    if is_read:
        errors_unless_same(source, True)
    else:
        assert "may be held elsewhere" in mb.parse(source).errors[0].message
