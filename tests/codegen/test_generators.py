"""Generators become functions that return lists where the source does the same."""

import pytest

import megabatt as mb
from tests.codegen.meaning import as_program, as_python, assert_same

GRID = [[0, 1, 0], [2, 0, 0], [0, 0, 3]]
HELPERS = {
    "beside": """
WAYS = [(0, 1), (1, 0), (0, -1), (-1, 0)]
def beside(r, c, h, w):
    for dr, dc in WAYS:
        if 0 <= r + dr < h and 0 <= c + dc < w:
            yield r + dr, c + dc
""",
    "colored": """
def colored(grid):
    for i, row in enumerate(grid):
        if i == 2 and row[0]:
            return
        for j, v in enumerate(row):
            if v:
                yield (i, j)
""",
    "with_more": """
def with_more(grid):
    yield from colored(grid)
    yield (9, 9)
""",
    "called": """
def called(f, h):
    for k in range(h):
        yield f(k)
""",
    "over": """
def over(values):
    for v in values:
        yield v
""",
    "spread": """
def spread(grid, v):
    grid[0][0] = v
""",
}
READ = [
    "for i, j in beside(1, 1, h, w): g[i][j] += 5", "for p in colored(g): out.append(p)",
    "n = sum(i for i, j in colored(I))", "out = sorted(p for p in with_more(g) if p[0])",
    "n = len({p for p in with_more(g)})",
    "out = [a for a, b in zip(colored(g), beside(1, 1, h, w))]",
    "for k, (i, j) in enumerate(beside(0, 0, h, w)):\n    if k: break\n    g[i][j] = 8",
    "for i, j in beside(0, 0, h, w):\n"
        "    out = list(filter(lambda p: p != (i, j), colored(I)))\n"
        "    n = max(out, key=lambda p: p[0] + i)[1]",
    "def halves(k):\n    while True:\n        if not k: break\n        yield k\n"
        "        k = k // 2\nout = list(halves(9))",
    "def turned(cells):\n    for _ in range(2):\n        yield cells\n"
        "        cells = {(j, -i): v for (i, j), v in cells.items()}\n"
        "out.extend(i - j for i, j in [(0, 1)])\n"
        "for c in turned({(0, 1): 2, (1, 1): 3}):\n    for (i, j), v in c.items(): n += i * v",
    "from heapq import heappush\nfor p in over(g[2]):\n    heappush(out, p)\n    n += p",
    "q = [row[:] for row in g]\nfor i, j in colored(g): q[i][j - 1] = q[i][0] + 5\nn = q[1][1]",
    "q = [[0] * w for _ in I]\nfor i, j in colored(I):\n    if len(q[i]) > j: q[i][j] = n = 8\n"
        "out.append(q[0][1])",
    "def parts(cells):\n    cells = set(cells)\n    while cells: yield cells.pop()\n"
        "for k in parts(g[1]): out.append(k)",
    "def runs(row):\n    made = []\n    for v in row:\n        if made and v:\n"
        "            yield made\n            made = []\n        made.append(v)\n    yield made\n"
        "n = g[0].pop() if g else 0\nout = list(runs(g[1]))",
    "def filled(rows, seen):\n    for p in colored(rows):\n        if p not in seen: seen.add(p)\n"
        "    return len(seen)\n"
        "q = {(0, 1)}\nn = filled(g, q)\nout = [sorted(q), filled(g, set())]",
]  # fmt: skip
REFUSED = [
    "def odd():\n    yield [k for k in range(h)]\n    yield k\n"
        "k = 1\nfor p in odd():\n    k = 5\n    out.append(p)",
    "for i, j in colored(g): g[i][j - 1] = 5",
    "def odd():\n    for k in range(h): yield k + n\n"
        "for k in odd():\n    if (n := k + 1): out.append(k)",
    "def counted():\n    k = 0\n    while True:\n        yield k\n        k += 1\n"
        "out = [k for k, row in zip(counted(), I)]",
    "f = lambda k: k + n\nfor k in called(f, h): n = k + 1",
    "for k in over(k + n for k in range(h)): n = k + 1",
    "q = [row for row in g]\nfor i, j in colored(g): q[i][j - 1] = 5",
    "for p in colored(g): spread(g, 4)",
    "def parts(s):\n    s = set(s)\n    while s: yield s.pop()\n"
        "for k in parts(out): out.append(k)",
    "def parts(s):\n    s.pop()\n    s = set(s)\n    while s: yield s.pop()\n"
        "out = list(parts(g[1]))",
    "from heapq import heappush\nfor p in over(g[2]):\n    if len(g[2]) < 9: heappush(g[2], p)",
    "from heapq import heappush\nfor p in over(out):\n    if len(out) < 9: heappush(out, p)",
    "for p in (q for q in colored(g)): g[2][2] = 0", "out = [colored(g)]",
    "def odd():\n    return out\n    yield 3\nout = list(odd())",
    "def late():\n    x = yield 3\n    yield x\nout = list(late())",
    "def over():\n    for v in out: yield v\ndef more(): yield from over()\nout.append(1)\n"
        "for v in more():\n    if len(out) < 9: out.append(v)",
    "q = [3]\nsame = q\nfor v in over(same):\n    if len(q) < 9: q.append(v)\nout = q",
    "q = [3]\ndef same(k): return q\n"
        "rows = same(n)\nfor v in over(rows):\n    if len(q) < 9: q.append(v)\nout = q",
    "def filled(rows, seen):\n    for v in over(rows):\n        if len(seen) < 9: seen.append(v)\n"
        "    return len(seen)\nq = [3]\nn = filled(q, q)",
]  # fmt: skip


def source_of(lines):
    used = {name for name in HELPERS if f"{name}(" in lines}
    used |= {"colored"} if "with_more" in used else set()
    begin = "g, h, w, n, out = [list(row) for row in I], len(I), len(I[0]), 0, []"
    body = [begin, *lines.split("\n"), "return g, n, out"]
    helpers = "".join(text for name, text in HELPERS.items() if name in used)
    return f"{helpers}def solve(I):\n" + "".join(f"    {line}\n" for line in body)


@pytest.mark.parametrize("lines", READ)
def test_a_generator_that_is_used_at_once_is_read(lines):
    source = source_of(lines)
    expected = as_python(source, "solve", [list(row) for row in GRID])
    assert_same(as_program(mb.parse(source, strict=True)[-1], GRID), expected)


@pytest.mark.parametrize("lines", REFUSED)
def test_a_generator_that_may_see_later_values_is_refused(lines):
    assert mb.parse(source_of(lines)).errors
