"""Changes of an element through a second name, rewritten as changes of the list or dictionary."""

import ast

from hypothesis import given
from hypothesis import strategies as st

from megabatt.codegen.rewriting.second_names import without_second_names
from tests.codegen.test_effects import result

SECOND = ["row = g[k]", "row = g[0]", "row = d.setdefault(v, [])", "row = d[1]", "row = q[-1]"]
CHANGES = [
    "row.append(v)", "row.append(k)", "row[0] = v", "row[-1] += k", "row.sort()",
    "g[k][0] = row[-1]", "g[0].append(row[0])", "d[1][-1] += len(row)",
]  # fmt: skip
OTHERS = [
    "v += len(row)", "v += sum(row)", "k = 0", "k += 1", "v = row.pop()", "g[0][0] = v",
    "g[k].append(7)", "g[0] = [v]", "g.append([v])", "g.pop(0)", "del g[0]", "d[v] = [k]",
    "d[1].append(k)", "q = g", "q = [[8], [9]]", "q[0] = [5]", "q.append(row)",
    "q = [row[:] for row in g]", "swap(g)", "v += len(same(g))", "q = same(g)", "change()",
    "count()", "row = row[:]", "h = lambda: row", "v += h()[0]", "v += sum(w[0] for w in g)",
    "d[2] = row", "g, q = q, g", "row += [v]", "if v > 6: row = [k]", "if len(row) > 2: row[1] = 0",
    "for w in row: v += w", "d.pop(1)", "for row in q: row[0] = 3",
    "v += sum(row[k] for k in (0,))", "v += len([row for g in (1, 2)])",
]  # fmt: skip
"""Statements on lists of lists (g, q), a dictionary of lists (d), numbers and a second name."""
HEAD = """
def same(x): return x
def swap(x): x[0] = [6]
def solve(I):
    g, q = [list(row) for row in I], [[1], [2]]
    d = {1: [2], 2: [1, 3]}
    v, k, row, h = 5, 0, [0], lambda: [1]
"""
INNER = {
    "change()": "    def change(): g[0] = [4]\n",
    "count()": "    def count():\n        nonlocal k\n        k = 1 - k\n",
}


@st.composite
def sources(draw):
    """Draw a source that changes elements, some of them through second names."""
    def some(of, least, most):
        return draw(st.lists(st.sampled_from(of), min_size=least, max_size=most))

    within = [draw(st.sampled_from(SECOND)), *some(CHANGES * 4 + OTHERS, 1, 5)]
    lines = [*some(OTHERS, 0, 2), *within, *some(SECOND + CHANGES + OTHERS, 0, 3)]
    if draw(st.booleans()):
        inner = [f"    {line}" for line in within]
        begin = draw(st.sampled_from(["for k in range(2):", "if v > 4:"]))
        lines = [*some(OTHERS, 0, 2), begin, *inner, *some(OTHERS, 0, 2)]
    lines = [f"    {line}" for line in lines]
    lines.append(draw(st.sampled_from(["    return g, q, d, v, k", "    return g, d, row"])))
    text = "\n".join(lines)
    inner = [function for name, function in INNER.items() if name in text]
    return f"{HEAD}{''.join(inner)}{text}\n"


@given(sources())
def test_a_rewritten_source_does_the_same(source):
    assert result(without_second_names(ast.parse(source))) == result(ast.parse(source))
