"""Rules of reading: a source that keeps one means what Python means, any other is refused."""

import re
from itertools import cycle
from textwrap import indent

import pytest

import megabatt as mb
from tests.codegen.meaning import GRID, IMPORTS, as_python, assert_as_python

FIVE = "(1, 2, 3, 4, 5)"
ITERATORS = (
    "(x for x in FIVE)", "iter(FIVE)", "map(double, FIVE)", "zip(FIVE, FIVE)", "zip(*I)",
    "filter(even, FIVE)", "enumerate(FIVE)", "reversed(FIVE)", "itertools.chain(FIVE)",
)  # fmt: skip
HELPERS = """\
n, p, q, g, d = 1, [3, 2], [4], iter(I[0]), defaultdict(list)
def more(x):
    x.append(1)
    return x
def last():
    return p.pop()
def total(x):
    n = 0
    for v in x:
        n += v
    return n
f = more if n else total
{}
return (n, p, q, list(g), [*d])
"""


def of_iterators(forms):
    """Give each form three of the iterators, in turn."""
    pairs = zip(forms * 3, cycle(ITERATORS), strict=False)
    return [form.replace("{}", made.replace("FIVE", FIVE)) for form, made in pairs]


def in_forms(parts):
    return [form.format(part) for form in ("print(7, {})", "assert {} or n") for part in parts]


def ordering(parts):
    return [f"{name}({part})" for name in ("max", "min", "sorted") for part in parts]


CHANGES_OF_THE_GRID = (
    "I[0][0] = 7\nI[-1] = [8] * len(I[0])\nreturn I", "I.append(I[0][:])\nreturn I[::-1]",
    "for i in range(len(I)):\n    for j in range(len(I[0])):\n        I[i][j] += I[i - 1][j]\n"
        "return [len(I), I]",
)  # fmt: skip
RULES = {
    "a change that another name would show is refused": (
        "p, q, r, s = [2], [], [[1], [2, 3]], {1, 4}\nt = u = ()\n{}\nreturn (p, q, r, s, t, u)",
        ".*held elsewhere too", (), (
            *(f"q = {held}\np.append(9)" for held in (
                "list(map(lambda v: p, (1,)))[0]", "max(p, r[0])", "max([], default=p)",
                "sum([], p)", "(lambda x: [x, 1])(p)", "(p, r)[0]", "(lambda x: x)(p)",
            )),
            "def made(x): return lambda v: x[0] + 1\nu = [made(p)]\np[0] = 3\nu = u[0](1)",
            "w = {0: [1]}\nf = w.get\nt = f(0)\nw[0].append(9)",
            "f = p.count\nu = (f(v) for v in (1, 2))\np.append(1)\nu = list(u)",
            *(f"q = {held}\nu = {other}\np.append(9)\nq = u = list(u)" for other in ("q", "zip(q)")
                for held in ("iter(p)", "reversed(p)", "zip(p, p)", "enumerate(p)")),
            *(f"u = {{1: 2}}\nq = u.{view}()\nt = q\nu[3] = 5\nq = t = u = list(t)"
                for view in ("items", "keys", "values")),
            *(f"u = {held}\nr[0].append(5)" for held in (
                "[row for row in r]", "[(k, row) for k, row in enumerate(r)]",
                "[w for v, w in zip(s, r) if v]", "[[[row] for _ in s] for row in r]",
                "(lambda k, x: x[k])(0, r)", "[*r]",
            )),
            "t = s\ns |= {2}", "q = p\np += r[0]",
            "def more(x=[1]):\n    x += p\n    return x\np, q = more(), more()",
            "for q in r:\n    q += p", "q = p\nfor v in p:\n    p += [v][len(p) > 4:]",
            "for v in enumerate(p):\n    p += [v][len(p) > 4:]",
            "w = [[3], [4]]\nfor r[0] in w:\n    pass\nr[0][0] = 5\nu = w",
            "f = lambda: p\np = [2]\nq = f()\np.append(5)",
            "f = lambda v: len(p) * v\np.sort(key=f)",
            "def f(v):\n    return len(p)\np.sort(key=lambda v: [f][0](v))",
            "def f(i):\n    w = r[i]\n    return lambda k: w[k]\nq = f(0)\nr[0][0] = 5",
            "u = list(map(lambda x: [q for q, *q[1:] in x], [r, r]))",
        ),
    ),
    "a row of the program's grid that something else holds is not changed": (
        "{}",
        ".*may be held elsewhere too, where a change in place would be seen", (), (
            *(f"out = {held}\nout[0][0] = 9\nreturn I" for held in (
                "list(I)", "I[:]", "[*I]", "I + []", "sorted(I)", "I[::-1]", "I.copy()",
                "[I[0]] * 3", "I[:1] * 3", "[I[0] for _ in I]", "[I[0], I[0]]", "I + I[::-1]",
                "dict(enumerate(I))",
            )),
            "d = {}\nd.setdefault(0, []).append(I[0])\nd[0][0][0] = 7\nreturn I",
            "best = I\nif I[0][0]:\n    best = [r[:] for r in I]\nbest[0][0] = 9\nreturn I",
            "h = [[1]]\nfor i in range(2):\n    h[0] = [2]\n    h = I\nreturn [h[0], I[0]]",
            "def f(g): return g[::-1]\nx = f(I)\nx[0][0] = 9\nreturn I",
            "def f(x): return x\na = [1, 2]\na[0], b = 7, f(a)\nreturn (a, b)",
            "def f(x): return 7, x\na = [1, 2]\na[0], b = f(a)\nreturn (a, b)",
        ),
    ),
    "a grid may change where nothing else sees it": (
        "{}", "'I' may be held elsewhere too", CHANGES_OF_THE_GRID, [
            f"{seen}\n{change}{read}" for change in CHANGES_OF_THE_GRID
            for seen, read in (("x = [I][0]", ", x"), ("x = (I, 1)", ", x"), ("f = lambda: I", ""))
        ],
    ),
    "a change where a comprehension hides a function of Python's is refused": (
        "p = [1]\nw = [{}]\np.append(2)\nreturn w",
        "'(len|sorted|list)' must be Python's own where values change",
        (), [f"{name}(p) for {name} in (lambda x: x,)" for name in ("len", "sorted", "list")],
    ),
    "changes of a value that cannot be read are no further mistakes": (
        "x = I{}\nx.append(1)\nx[0] += 1\nx += [1]\ny = x.pop()\nreturn (x, y)",
        "`@` cannot be read", ("[0][:]",), (" @ 2",),
    ),
    "what is only read until a change may be a part of the list": (
        "g = [list(row) for row in I]\nn, out = 0, []\n{}\nreturn g, n, out",
        ".*may be held elsewhere", (
            "for row in g:\n    n += row[0]\ng[0][0] = n",
            "row = max(g, key=sum)\nn = row[0] + len(row)\ng[1][1] = n",
            "row = g[0]\nfor i in range(2):\n    n += row[0]\n    g[i][0] = 7",
            "row = g[0]\nn = row[0]\nh = g\nh[0][0] = 7\ng = h",
        ), (
            "for row in g:\n    n += row[0]\ng[0][0] = n\nout = row",
            "row = g[0]\nw = row\ng[0][0] = 7\nout = w",
            "f = [lambda k, row=row: row[k] for row in g][0]\ng[0][0] = 7\nn = f(0)",
            *(f"{row}\n{given}[0][0] = 7\nn = row[0]\ng = h" for row in (
                "row = g[0]", "row, n = g[0], 0", "row = max(g, key=sum)",
            ) for given in ("h = g\nh", "h = [g]\nh[0]", "h = g if row else []\nh")),
            "for row in g[:1]:\n    h = g\n    h[0][0] = 7\n    return row[0]",
        ),
    ),
    "a message has the names of its source": (
        "g = [list(row) for row in I]\nfor row in g:\n    {}\nreturn g",
        r".*(such as list\(enumerate\(row\)\)|: write row\[0\] = row\[0\] \+)", (),
        ("for j, v in enumerate(row):\n        row.append(v)", "row[0] += row"),
    ),
    "what is read no more holds nothing": (
        "g, out = [list(row) for row in I], []\n{}\nreturn out", ".*may be held elsewhere", (
            "out = g.copy()\nout[0][0] = 7", "out = g[1:]\nout[0][0] = 7",
            "for row in g:\n    row[0] = 7\n    out.append(row)",
            "k = next((i for i, row in enumerate(g) if row[0]), 1)\ng[k][0] = 7\nout = g",
            "top = g[:2]\nfor row in top:\n    for v in row: out.append(v)\ng[0][0] = 7\nout += g",
            "h = [[list(r)] for r in g]\nfor p in h:\n    p[0][0] = 7\n    out.append(p)",
            "h = [[list(r)] for r in g]\nfor p in h:\n    s = ([r[:1] for r in p], p)[0]\n"
                "    s[0][0] = 7\n    out.append(s)",
            "out = (lambda k: [r[:k] for r in g])(2)\nout[0][0] = 7\ng[0][0] = 8\nout += g",
            "def sums(g): return [[[v * w for v, w in zip(r, q)] for r, q in zip(g, g)]]\n"
                "for p in sums(g):\n    g[0][0] = p[0][0]\nout = g",
        ), (
            "out = (lambda k: g[:k])(2)\nout[0][0] = 7\nout += g",
            "h = [g]\nfor p in h:\n    p[0][0] = 7\n    out.append(p)\nout += g",
            "out = [[r, q] for r, q in zip(g, g)]\ng[0][0] = 7",
            "top = g[:2]\nfor row in top:\n    out.append(row)\ng[0][0] = 7",
            "top = g[:2]\nfor row in top:\n    pass\ng[1][0] = 7\nout = row",
            "row = g[0]\nout = g[:]\nout[0][0] = 7\nout.append(row)",
            "for row in g:\n    out.append(row)\n    row[0] = 7", "out = (g + g)[:]\nout[0][0] = 7",
            "row = next((row for row in g if row[0]), g[0])\ng[0][0] = 7\nout = [row, g]",
        ),
    ),
    "elements change where nothing else holds them": (
        "g = [list(row) for row in I]\n{}\nreturn g",
        ".*may be held elsewhere", (
            "for row in g:\n    row[0] = 4\n    row.append(sum([row[0] for row in I]))",
            "for row in g:\n    for j in range(len(row)):\n        row[j] = 5 - row[j]",
            "for i, row in enumerate(g):\n    for j, v in enumerate(row):\n"
                "        if v == 0 and i + 1 < len(g):\n            g[i + 1][j] = 7",
            "p = list(g[0])\nfor i, v in enumerate(p):\n    if i + 1 < len(p): p[i + 1] = v\n"
                "g[0] = p",
            "for row in g:\n    if row[0] == 2: break\n    row.append(sum(row))",
            "def len(x): return 1\nfor row in g:\n    row[0] = len(row)",
            "for row in g:\n    row[:] = row[::-1]\n    row[1:2] = [7, sum(row)]",
        ), (
            "for row in g:\n    row[0] = 1\nrow[1] = 2",
            "a = [len for len in g]\nfor row in g:\n    row[0] = len(row)",
            "row = [7]\nfor row in g:\n    row[0] = 1\nelse:\n    g = [row]",
            "for i, row in enumerate(g):\n    g[i:i + 1] = [[4]]",
            "for i, row in enumerate(g):\n    if row[0] == 1: del g[i]",
            "for i, row in enumerate(g):\n    row[0] = sum(row[i] for i in (0, 1))",
            "for i, row in enumerate(g):\n    g[i] = row[::-1]\n    row[0] = 4",
            "for row in g:\n    row[0] = 1\n    g.append([2])\n    if len(g) > 9: break",
            "q = []\nfor row in g:\n    q.append(row)\n    row[0] = 3\ng += q",
        ),
    ),
    "a second name changes an element where nothing else holds it": (
        "g = [list(row) for row in I]\n{}\nreturn g",
        ".*may be held elsewhere", (
            "row = g[0]\nrow[0] = 9\nrow.append(len(g))",
            "for i in range(len(g)):\n    row = g[i]\n    for j, v in enumerate(row):\n"
                "        if v == 3: row[j] = i\n    g[i].append(sum(row))",
            "row = g[0]\nfor k in range(len(row)):\n    g[0][k] = row[k - 1] + sum(row)",
            "h = [g[0]]\nh = [list(h[0])]\nfor a, *_ in I:\n    last = h[-1]\n"
                "    if a <= last[0]: last[0] = last[-1] + a\n    else: h.append([a, len(h)])\n"
                "g.append([v for r in h for v in r])",
            "q = [[{} for _ in row] for row in g]\nfor i, row in enumerate(g):\n"
                "    for j, v in enumerate(row):\n        n = q[i // 2][j]\n"
                "        n[v] = n.get(v, 0) + 1\n"
                "g = [[max(n, key=n.get, default=7) for n in r] for r in q]",
        ), (
            "def last(rows): return rows[-1]\nrow = g[0]\nn = last(g)[0]\nrow[0] = n",
            "k = 0\nrow = g[k]\nk = len(g) - 1\nrow[0] = 9",
            "g = [[[v] for v in row] for row in g]\nrow = g[0]\nn = row[0]\ng[0][0] = [7]\n"
                "n.append(5)",
            "k = 0\nrow = g[k]\nrow[0] = sum(row[k] for k in (0, 1))",
            "row = g[0]\nrow.append(len([row for g in (1, 2)]))",
            "q = g\nrow = g[0]\nq[0] = [9]\nrow[0] = 8",
            "def change(): g[0] = [9]\nrow = g[0]\nchange()\nrow[0] = 8",
            "row = g[0]\ng[0][0] = 9\ng[0] = [5, row[0]]\ng[0][1] = row[0]",
            "row = g[0]\nf = lambda: row\nrow[0] = 9\ng.append(f())",
        ),
    ),
    "an iterator reads nothing that changes meanwhile": (
        "n, p = 1, []\n{}\nreturn (n, p)",
        ".*changes while this iterator reads it: write tuple", (
            "p.extend(tuple(v for v in (1, 1, 2) if v not in p))", "p += (v + n for v in (1, 2))",
            "for v in (v + n for v in (1, 2)):\n    p.append(v)",
        ), (
            "p.extend(v for v in (1, 1, 2) if v not in p)",
            "u = enumerate(v + len(p) for v in (1, 2))\np += u",
            "for v in (v + n for v in (1, 2)):\n    n += v",
            "for v in zip((1, 1, 2), map(lambda v: v + n, I[0])):\n    n += v[1]",
        ),
    ),
    "a function may read what it is called with, if it does not change": (
        "g = [list(row) for row in I]\ndef first(): return g[0][0]\n"
        "def with_first(x, v): return [[first(), v], *x] if v else x\n"
        "def over(x, values, f):\n    for v in values: x = f(x, v)\n    return x\n"
        "def changed(x, v):\n    x[0][0] = v\n    return x\n"
        "def changed_to_first(x, v):\n    x[0][0] = first() + v\n    return x\nreturn {}",
        ".*may (be held elsewhere|change while)", (
            "over(g, I[0], with_first)", "with_first(g, len(g))", "over(g, I[0], changed)",
            "over(g, I[0], lambda x, v: [[v, len(x)], *x])",
        ), (
            "over(g, I[0], changed_to_first)", "changed_to_first(g, 4)",
            "over(g, I[0], lambda x, v: changed(x, first()))",
        ),
    ),
    "what is popped after a place was found is refused": (
        "p, q = [[[0], [1]], [[2]]], [1]\n{}\nreturn (p, q)",
        ".*(held elsewhere too|is read on a line of its own)",
        (
            "q.append(len(q := [7]))", "p[0].append(len(p := [[], [8]]))",
            "q += [1, 2]\np[q.pop() - 1][q.pop() - 2] = q.pop()",
            "p[0][len(p[0]) - 1] = p[0].pop() + q", "q[0] += p.pop()[0][0]",
        ), (
            "p[0][-1].extend(p[0].pop())", "p[-1].pop(p.pop()[0][0])", "q += [q.pop()]",
            "p[0][q.pop()] += p.pop()[0]",
        ),
    ),
    "a function that a loop defines again is not called before": (
        "def f(): return 9\nn = 0\nfor k in (1, 2, 3):\n    {}\nreturn n",
        "'f' may be called before this loop defines it again", (
            "def f(): return k\nn += f()", "n += f()\ndef h():\n    def f(): return 1",
            "def h():\n    def n(): return k\n    return n()\nn = 3 * n + h()",
        ), (
            "n += f()\ndef f(k=k): return k", "def g(): return f()\nn += g()\ndef f(): return k",
            "for f in (f,):\n    n += f()\ndef f(): return k",
        ),
    ),
    "a name that cannot be read is not None in a loop": (
        "n = 0\n{}:\n    n += 3 if x else 1\n    x = n\nreturn n",
        "'x' (is an iterator|of module 'math' is not read|has no value here)", (), [
            f"{lines}\n{loop}" for loop in ("for k in (1, 2)", "while n < 5") for lines in (
                "x = (v for v in I)\ny = list(x)",
                "if I:\n    from math import erf as x\nelse:\n    x = 3",
                "for k in (1, 2):\n    def x(v): return v + k",
            )
        ],
    ),
    "an exception is read where only the function raises it": (
        "n = 3\n{}\nreturn n", "`try` is not read", (
            "try:\n    if n: raise StopIteration(n + 1)\n"
            "except StopIteration as e:\n    n = e.args[0]",
            "try:\n    n = next(v for v in I[0])\n    raise StopIteration(n)\n"
            "except StopIteration as e:\n    n = e.args[0]",
        ), (
            "def f(): raise StopIteration(1)\ntry:\n    f()\n    raise StopIteration(2)\n"
            "except StopIteration as e:\n    n = e.args[0]",
            "try:\n    n = next(v for v in I[0] if v > 9)\n    raise StopIteration(4)\n"
            "except StopIteration:\n    n = 7",
            "try:\n    raise ValueError(n)\nexcept ValueError as e:\n    n = e.args[0]",
            "try:\n    raise StopIteration(n)\nexcept StopIteration as e:\n    n = e",
            "try:\n    raise StopIteration(*I)\nexcept StopIteration as e:\n    n = e.args[0]",
            "try:\n    raise StopIteration\nexcept StopIteration as e:\n    n = e.args[0]",
        ),
    ),
    "an effect of what is passed over is read or refused": (
        HELPERS,
        "(?!an f-string)", in_forms((
            "f'{n}'", "(n, p, total(p), total(I[0]))", "(n := 5)", "q.pop()", "last()",
            "total([last()])", "d[7]", "[n for v in p if (n := v)]", "(len(p), p.pop())",
            "[p.pop() for _ in I[0][:1]]", "p.append(n)", "[v for v in I[0] if not p.append(v)]",
        )), in_forms((
            "more(p)", "f(p)", "(lambda: p.append(1))()", "[*map(p.append, I[0])]",
            "next(g)", "[*g]",
        )),
    ),
    "what takes a list's elements does not hold the list": (
        "g, s, p, c = [list(row) for row in I], set(), [], Counter()\n{}\ng[0][0] = 7\n"
        "return [g, len(s), p, len(c)]", "", tuple(
            f"{begin}{change}" for begin in ("for row in g: ", "row = g[1]\n", "row = g[0]\n")
            for change in ("s.update(row)", "p.extend(row)", "c.update(row)", "p += row")
        ), (),
    ),
    "what a loop's test compares with a number is no list": (
        "c, out = I[0][0], []\nfor d in [[1, 1, []], [2, 0, [I]]]:\n    a = c\n    while {}:\n"
        "        out.append((a, c))\n        a += d[0]\n    c = c + d[1]\nreturn [a, c, out]",
        "'a' may be a list or set that is held elsewhere", (
            "a < 5", "0 <= a < 5 < 6 + len(out)", "len(out) < 9 and 5 > a", "len(out) < 9 > a",
        ), (
            "len(out) < 5", "not len(out) > 2 < a < 9", "a != 3 and len(out) < 9",
            "a < 2 or len(out) < 3",
        ),
    ),
    "an index is no list": (
        "c, out, t = I[0][0], [], (4, 5, 6, 7, 8, 9, 1, 2)\n"
        "for d in [[1, 1, []], [2, 0, [I]]]:\n    a = c\n    for k in (1, 2):\n        {}\n"
        "        out.append((a, c))\n        a += d[0]\n    c = c + d[1]\nreturn [a, c, out]",
        "'a' may be a list or set that is held elsewhere", (
            "x = t[a]", "x = [k, t[t[a] % 2]]", "x = 5 < t[a] < 7", "t[a]",
        ), (
            "x = k > 2 and t[a]", "x = [t[a] for v in out if v]", "x = lambda: t[a]", "x = t[-a]",
        ),
    ),
    "elements of one list are one if they are equal": (
        "p, q = [[1, 2], [3], [4, 5, 6]], [{1: len(I)}, {1: 1}, {2: 1}]\n{}", "`is` is for None", (
            "a = max(p, key=len)\nreturn [len(b) for b in p if b is not a]",
            "a = min(p)\nn = 0\nfor b in p:\n    if b is a:\n        n += b[0]\nreturn n",
            "return [a is b for a in p for b in sorted(p)[1:]]",
            "return [(a is b, a[1]) for a in q if 1 in a for b in q]",
            "n = 0\nfor i, a in enumerate(p):\n    for b in p[i:]: n += a is b\nreturn n",
        ), (
            *(f"a = {begin}\nfor b in p:\n    if b[0] > 2: a = {value}\n"
                f"return [b is a for b in {other}]" for begin, value, other in (
                    ("[1]", "b", "p"), ("None", "b", "q"), ("None", "[*b]", "p"),
                    ("q[0]", "b", "p"),
                )),
            "a = list(p[0])\nreturn [a is b for b in p]", "return p is q",
            "a = p[0].copy()\nreturn [a is b for b in p]",
            "return [a is b for a in p for b in [[1, 2]]]",
        ),
    ),
    "a number may change that the reader cannot tell from a list": (
        "{}", "", (
            "parts, out = [{'h': len(I), 'c': I[0]}], []\nfor p in parts:\n    h = p['h']\n"
            "    for a, b in [(v, v + 1) for v in I[1]]:\n        h -= b\n        h += a\n"
            "    out.append(h)\nreturn [out, parts[0]['h']]",
        ), (),
    ),
    "nothing is computed behind the element of a generator that decides": (
        "{}", "", (
            "return any(I[k] == I[0] for k in range(99))",
            "return [all(I[k + d][0] == 9 for d in (0, 98)) for k in range(2)]",
            "return not all(1 // (4 - v) for row in I for v in (*row, 9, 4))",
            "return next(k for k in range(99) if I[k][0] == I[0][0])",
            "return next((k, j) for k in range(99) for j in range(99) if I[k][j] != 9)",
            "return next((1 // (k - 1) for k in range(4) if k != 1), None)",
            "n = 0\nwhile n < 3 and any(I[k] == I[0] for k in range(99)):\n    n += 1\nreturn n",
        ), (),
    ),
    "an iterator is read once as in Python": (
        "{}",
        ".*an iterator(, which is read once| is no tuple)", of_iterators((
            "a = {}\nreturn tuple(a)", "a = {}\na = tuple(a)\nreturn (a, a)",
            "a = {}\nif portrait(I):\n    b = tuple(a)\nelse:\n    b = len(list(a))\nreturn b",
            "a = {}\nif portrait(I):\n    return tuple(a)\nreturn first(tuple(a))",
            "a = {} if portrait(I) else iter(I)\nreturn tuple(a)",
            "a = lambda v: v\nif portrait(I):\n    a = {}\nreturn 1",
            "return (1 in {}, next({}), any({}))",
        )), of_iterators((
            "a = {}\nreturn (tuple(a), tuple(a))", "a = {}\nreturn (next(a), next(a))",
            "a = {}\nb = a\nreturn (tuple(a), tuple(b))",
            "a = {}\nif portrait(I):\n    b = tuple(a)\nelse:\n    b = 1\nreturn tuple(a)",
            "a = {}\nreturn apply(lambda v: v in a, I)",
            "def f(a):\n    return (tuple(a), tuple(a))\nreturn f({})",
            "def f(a={}):\n    return tuple(a)\nreturn (f(), f())",
            "a = {} if portrait(I) else iter(I)\nreturn (tuple(a), tuple(a))", "return {}",
            "return ({}, *I)", "return 1 if {} else 2", "return bool({})", "return {} == I",
            "return [{} for v in I]",
        )),
    ),
    "a function of a comprehension has the values that it has in Python": (
        "n = 7\nf = [{} for i in (1, 2, 3)]\nreturn f[0](10)",
        "'i' has another value when this is computed: ", (
            "lambda v, i=i: v + i", "lambda i: i + 1", "lambda v: v + n",
            "rbind(lambda v, w: v + n, i)",
        ), (
            "lambda v: v + i", "lambda v: [w + i for w in (v,)]",
            "compose(lambda v: v + i, double)", "(lambda v: v + i, i)[0]",
            "[lambda v: v + i for j in (1, 2)][0]",
        ),
    ),
    "a key that is read after a test for it is there": (
        "d, e = defaultdict(int), {1: 2}\nfor row in I: d[row[0]] += row[1]\n"
        "def f(d, k):\n    {}\n    return -1\nreturn [f(d, 1), f(d, 2), f(d, 0), len(d)]",
        "reading d\\[k\\] of a defaultdict may add the key", (
            "if k in d: return d[k]", "return d[k] if k in d else 3",
            "if not k in d: return 4\nelse: return d[k]",
            "if len(d) and (k in d and k): return d[k] + d[k]",
        ), (
            "if k in d or k: return d[k]", "if k in d: k += 1\nreturn d[k]",
            "if k in e: return d[k]", "if k in d:\n    d = defaultdict(int)\n    return d[k]",
            "return d[k] if k not in d else 3", "if not (k in d and k): return d[k]",
        ),
    ),
    "a comprehension's own names have no values before it gives them some": (
        "c = 2\nreturn {}",
        "'c' is used before its definition", (
            "[c for c in range(c)]", "[c for c in I for c in c]",
            "[max(c for c in r) for r in I for c in r]",
        ), (
            "[v for v in I for c in range(c)]", "[c for v in I if c for c in v]",
            "any(c for v in I if v[0] > c for c in v)",
            "max(v for v in I[0] for w in (c,) for c in (w,))",
        ),
    ),
    "what runs later has the values that it has in Python": (
        "k = 1\n{}",
        "'k' has another value when this is computed: ", (
            "f = n = ()\nfor i in I:\n    f, n = f + (lambda v: v + k,), 5\nreturn f[0](n)",
            "f = [lambda v: v + k]\nx = f[0](1)\nk = 2\nreturn (x, k)",
            "f = lambda v: v + k\nk = 2\nreturn f(1)",
            "x = argmax((1, 2), lambda v: v * k)\nk = 2\nreturn (x, k)",
            "g = (v + k for v in (1, 2))\nx = tuple(g)\nk = 2\nreturn (x, k)",
        ), (
            "f = compose(lambda v: v + k, double)\nk = 2\nreturn f(1)",
            "f = compose(lambda v: v + k, double)\nif I:\n    k = 2\nreturn f(1)",
            "f = [[lambda v: v + k for i in I] for j in I]\nk = 2\nreturn f[0][0](1)",
            "g = (v + k for v in (1, 2))\nk = 2\nreturn tuple(g)",
            "g = map(lambda v: v + k, (1, 2))\nk = 2\nreturn tuple(g)",
            "g = zip(filter(lambda v: v > k, (1, 2)), I)\nk = 2\nreturn tuple(g)",
            "f = [lambda v: v + k][0]\ng = (f(v) for v in (1, 2))\nk = 2\nreturn tuple(g)",
            "f = n = ()\nfor k in I:\n    f, n = f + (lambda v: v + k,), 5\nreturn f[0](n)",
            "f = n = 0\nfor i in I:\n    f, n = (lambda v: v + k,), 5\nk = 3\nreturn f[0](n)",
            "f = [{'a': lambda v: v + k}]\ng = f[0]['a']\nk = 2\nreturn g(1)",
            "f = [lambda v: [lambda u: u + k]]\ng = f[0](1)\nk = 2\nreturn g[0](1)",
            "g = [lambda v: v + k]\nf = [lambda v: g]\nk = 2\nreturn f[0](1)[0](1)",
        ),
    ),
    "a name that a choice may import is refused where it is read": (
        "if I:\n    from math import erf as f\nelse:\n    f = double\nreturn {}",
        "'f' of module 'math' is not read", ("1",), ("f(1)",),
    ),
    "the bits of a Boolean and a number are no certain Boolean": (
        "return ({}) is True", "`is` is for None, Booleans, and elements of one list",
        ("portrait(I) & square(I)",), ("portrait(I) & height(I)",),
    ),
    "sets are ordered by a key alone": (
        "return {}",
        ".*: write a key, such as key=size$", ordering((
            "partition(I), key=lambda v: (size(v), ulcorner(v))", "palette(I)",
            "size(v) for v in partition(I)", "merge(partition(I))", "I",
        )), ordering((
            "objects(I, T, F, T)", "list(partition(I)), key=None",
            "sizefilter(objects(I, T, F, T), 1) | partition(I)",
            "v for v in partition(I) if size(v) > 1", "({1, 2}, palette(I) - {1})",
            "{frozenset({1, 2}), frozenset({1})}", "[{1, 2}, {1, 3}]",
            "[{1, 2}, {1, 3}] if portrait(I) else ()",
        )),
    ),
}  # fmt: skip
"""Of each rule: lines around others, the mistake of breaking it, what keeps it, what breaks it."""


def source_of(rule, lines):
    body = re.sub(r"( *)\{\}", lambda place: indent(lines, place[1]), RULES[rule][0])
    return f"{IMPORTS}def solve(I):\n{indent(body, '    ')}\n"


@pytest.mark.parametrize(
    ("rule", "lines"), [(rule, lines) for rule, (_, _, read, _) in RULES.items() for lines in read]
)
def test_what_keeps_a_rule_means_what_it_means_in_python(rule, lines):
    assert_as_python(source_of(rule, lines), [list(row) for row in GRID])


@pytest.mark.parametrize(
    ("rule", "lines"), [(rule, lines) for rule, (*_, refused) in RULES.items() for lines in refused]
)
def test_what_breaks_a_rule_is_refused(rule, lines):
    errors = mb.parse(source_of(rule, lines)).errors
    assert errors
    assert all(re.match(RULES[rule][1], error.message) and error.line > 3 for error in errors)


FAILING = [
    *(f"return [*zip({pairs}, strict=True)]" for pairs in (
        "I, I[1:]", "range(3), I, I[0]", "palette(I), ()",
    )),
    *(f"if len(I) > 9:\n    x = [1]\n    return x\n{change}\nreturn x" for change in (
        "x[0] = 2", "x.append(2)", "x = x", "for v in I: x = [*x, v]",
    )),
    *(f"return [*itertools.{name}(I, -len(I))]" for name in ("combinations", "permutations")),
    *(f"h = len(I)\nreturn ({real},)" for real in (
        "I[h / 2]", "range(h / 1)", "h / 2 | 1", "~(h / 2)", "h / 2 << 1", "(1,) * (h / 3)",
    )),
    *(f"{change}\nreturn (*a,)" for change in (
        "a = [1, 2, 3]\ndel a[5]", "a = [1, 2, 3]\na.pop(-4)", "a = []\na.pop()",
        "a = []\ndel a[0]", "a = {1: 2}\ndel a[5]", "a = {1: 2}\na.pop(5)", "a = set()\na.pop()",
        "a = {1: 2}\nx = a.pop(5)", "a = {1, 2}\na.remove(5)", "a = [1]\na.remove(5)",
        "a = [[], [1]]\na[0].pop()", "a = Counter()\na.pop(1)",
    )),
]  # fmt: skip
"""Pairs of unequally many, negative lengths, Reals for Integers, taking away what is not there."""


@pytest.mark.parametrize("lines", FAILING)
def test_a_program_fails_where_python_raises(lines):
    source = f"{IMPORTS}def solve(I):\n{indent(lines, '    ')}\n"
    (program,) = mb.parse(source)
    assert mb.evaluate([program], [(GRID, None)]).failed.item() > 0
    with pytest.raises((LookupError, NameError, StopIteration, TypeError, ValueError)):
        as_python(source, "solve", GRID)
