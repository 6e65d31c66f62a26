"""Sources that are rewritten do the same: effects, places, second names, Python's functions."""

import ast
import re
from copy import deepcopy
from textwrap import indent

import pytest
from hypothesis import given
from hypothesis import strategies as st

import megabatt as mb
from megabatt.codegen.analysis.names import bound_in
from megabatt.codegen.rewriting.builtin_names import with_own_names
from megabatt.codegen.rewriting.choices import with_choices_spread
from megabatt.codegen.rewriting.effects import with_effects_returned
from megabatt.codegen.rewriting.inner_changes import rewrite
from megabatt.codegen.rewriting.last_elements import with_last_elements
from megabatt.codegen.rewriting.local_names import with_locals_apart, with_locals_as_written
from megabatt.codegen.rewriting.missing_keys import with_keys_added
from megabatt.codegen.rewriting.places import with_places
from megabatt.codegen.rewriting.recursion import without_recursion
from megabatt.codegen.rewriting.second_names import without_second_names
from tests.codegen.meaning import as_program, as_python, assert_as_python, meets_limit
from tests.codegen.sources import CALLED, CHANGES, OF_DICTIONARIES, flows

GRID = [[0, 1, 0], [2, 0, 0], [0, 0, 3]]


def result(tree: ast.Module) -> str:
    """Return the text of what `solve` returns, without addresses, or of what it raises."""
    scope: dict = {}
    try:
        exec(compile(ast.fix_missing_locations(tree), "source", "exec"), scope)
        return re.sub(" at 0x[0-9a-f]+", "", repr(scope["solve"](deepcopy(GRID))))
    except Exception as error:
        return type(error).__name__.replace("UnboundLocalError", "NameError")


@given(flows(CALLED))
def test_a_source_of_returned_effects_does_the_same(source):
    made = with_effects_returned(ast.parse(source), lambda name: name == "solve")
    assert result(made) == result(ast.parse(source))


@given(flows(CHANGES) | flows(OF_DICTIONARIES), st.booleans())
def test_a_source_of_loops_over_places_does_the_same(source, is_inner):
    if is_inner:
        source = f"def solve(I):\n{indent(source, '    ')}\n    return solve(I)\n"
    assert result(with_places(ast.parse(source))) == result(ast.parse(source))


@given(flows(OF_DICTIONARIES))
def test_a_source_whose_missing_keys_are_added_does_the_same(source):
    assert result(with_keys_added(ast.parse(source))) == result(ast.parse(source))


READING = """
from collections import defaultdict
def solve(I):
    d, n, out = defaultdict(list), defaultdict(lambda: -1), []
    for i, row in enumerate(I):
        d[row[0]].append(i)
    {}
    return out, list(d.items()), list(n.items())
"""


@pytest.mark.parametrize(
    "lines",
    [
        "out = d[7]", "out.append(len(d[5]) + n[3])", "for v in d[4]: out.append(v)",
        "out = [len(d)]\n    i = d[9]", "m = n\n    i = n[5]", "i = n[4]\n    i = len(n)",
        "for k in list(n):\n        n.pop(k)\n        out.append(n[k])",
        "for k in sorted(d):\n        d[k].append(k)\n        out.append(d[k][-1])",
        "for k, v in d.items():\n        v.append(k)\n        out.append(v[0])",
    ],
)
def test_a_read_of_a_missing_key_adds_it(lines):
    assert_as_python(READING.format(lines), GRID)


def test_a_program_keeps_what_it_returns():
    source = "def solve(g):\n    g[0] = 1\n    return 5\ndef twice(g):\n    solve(g)\n    return g"
    made = with_effects_returned(ast.parse(source), lambda name: name == "solve")
    assert ast.unparse(made) == ast.unparse(ast.parse(source))


HELPERS = """
n, p = 0, [1]
def inc():
    nonlocal n
    n += 1
    return n
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
        *(f"def f(x):\n    nonlocal n\n    n += 1\n    {body}\ng = f(0)\ninc()\na = g()"
          for body in ("return lambda: n", "def g(): return n\n    return g")),
        "f = twice if I[0][0] == 0 else others\na, b = f(p, 1)\na.append(5)\na = (a, b)",
        "f = iterator(list(I[0]))\na = list(f)\na = (a, list(f))",
    ],
)  # fmt: skip
def test_what_others_see_of_a_change_is_as_in_python_or_refused(lines):
    source = f"def solve(I):\n{indent(f'{HELPERS}{lines}', '    ')}\n    return (a, n, p)\n"
    grid = ((0, 1, 0), (2, 0, 0), (0, 0, 3))
    programs = mb.parse(source)
    assert len(programs) + len(programs.errors) == 1
    for program in programs:
        assert as_program(program, grid) == as_python(source, "solve", grid)


# Changes of an element through a second name


SECOND = [
    "row = g[k]", "row = g[0]", "row = d.setdefault(v, [])", "row = d[1]", "row = q[-1]",
    "row = g[k] if v > 5 else g[0]", "row = q[0] if k else d[1]", "row = w", "row, w = g[0], g[k]",
    "if v > 5: row = d[1]\nelse: row = w", "row = w\nif k: row = g[0]", "row = m[k][0]",
    "row = m[0][k]",
]  # fmt: skip
OF_ELEMENTS = [
    "row.append(v)", "row.append(k)", "row[0] = v", "row[-1] += k", "row.sort()",
    "g[k][0] = row[-1]", "g[0].append(row[0])", "d[1][-1] += len(row)", "w.append(row[0])",
    "(row if v else w).append(k)", "[w, row][v > k].pop()",
]  # fmt: skip
OTHERS = [
    "v += len(row)", "v += sum(row)", "k = 0", "k += 1", "v = row.pop()", "g[0][0] = v",
    "g[k].append(7)", "g[0] = [v]", "g.append([v])", "g.pop(0)", "del g[0]", "d[v] = [k]",
    "d[1].append(k)", "q = g", "q = [[8], [9]]", "q[0] = [5]", "q.append(row)",
    "q = [row[:] for row in g]", "swap(g)", "v += len(same(g))", "q = same(g)", "change()",
    "count()", "row = row[:]", "h = lambda: row", "v += h()[0]", "v += sum(w[0] for w in g)",
    "d[2] = row", "g, q = q, g", "row += [v]", "if v > 6: row = [k]", "if len(row) > 2: row[1] = 0",
    "for w in row: v += w", "d.pop(1)", "for row in q: row[0] = 3",
    "v += sum(row[k] for k in (0,))", "v += len([row for g in (1, 2)])", "w = row", "w = q[0]",
    "row = w if k else w[:]", "v += len(w)", "v += seen()",
    "row = d.get(k, [])", "d[k] = row", "v = v * 3 + len(d)", "v = v * 3 + many()", "e = d",
    "v = v * 3 + len(e)", "row = d.get(k, [])\nv = v * 3 + many()\nd[k] = row",
    "row = d.get(k, [])\nv = v * 3 + len(e)\nd[k] = row", "m[k][0] = [7]", "w = m[0]", "m[0] = g",
    "m[1][0].append(v)", "w[0] = [8]",
]  # fmt: skip
"""Statements on lists of lists (g, q, m), a dictionary of lists (d), numbers and a second name."""
HEAD = """
def same(x): return x
def swap(x): x[0] = [6]
def solve(I):
    g, q = [list(row) for row in I], [[1], [2]]
    d, m = {1: [2], 2: [1, 3]}, [[[3], [4]], [[5], [6]]]
    v, k, row, w, h, e = 5, 0, [0], [4, 2], lambda: [1], {}
"""
INNER = {
    "change()": "    def change(): g[0] = [4]\n",
    "seen()": "    def seen(): return row[0]\n",
    "many()": "    def many(): return len(d)\n",
    "count()": "    def count():\n        nonlocal k\n        k = 1 - k\n",
}


@st.composite
def sources(draw):
    """Draw a source that changes elements, some of them through second names."""
    def some(of, least, most):
        return draw(st.lists(st.sampled_from(of), min_size=least, max_size=most))

    within = [draw(st.sampled_from(SECOND)), *some(OF_ELEMENTS * 4 + OTHERS, 1, 5)]
    lines = [*some(OTHERS, 0, 2), *within, *some(SECOND + OF_ELEMENTS + OTHERS, 0, 3)]
    if draw(st.booleans()):
        inner = [indent(line, "    ") for line in within]
        begin = draw(st.sampled_from(["for k in range(2):", "if v > 4:"]))
        lines = [*some(OTHERS, 0, 2), begin, *inner, *some(OTHERS, 0, 2)]
    lines = [indent(line, "    ") for line in lines]
    lines.append(draw(st.sampled_from(["    return g, q, d, v, k, w, m", "    return g, d, row"])))
    text = "\n".join(lines)
    inner = [function for name, function in INNER.items() if name in text]
    return f"{HEAD}{''.join(inner)}{text}\n"


@given(sources())
def test_a_source_without_second_names_does_the_same(source):
    made = without_second_names(with_choices_spread(ast.parse(source)))
    assert result(made) == result(ast.parse(source))


# A name of the last element of a list


ADDED = ["last = [v]\nrows.append(last)", "last = [v, k]\nrows.append(last)"]
OF_LAST = [
    "last.append(v)", "last[0] += k", "v += len(rows)", "if last is None: v = 9", "v += last[-1]",
    "if last is not None and len(last) > 1: v += last.pop()", "v += len(last or [3])",
    "rows[0].append(7)", "for w in rows: v += len(w)", "if not last: v += 1", "v += sum(rows[-1])",
]  # fmt: skip
SELDOM = [
    "rows.pop()", "w = rows", "w.append([4])", "last = None", "last = rows[0]", "w = last",
    "w.append(5)", "rows = []", "rows[0] = [6]", "h = lambda: last", "v += len(h() or [])",
    "last = [8]", "rows += [[2]]", "w = [rows]", "last += [1]",
]  # fmt: skip


@st.composite
def with_lasts(draw):
    """Draw a source in which a name may always have the last element of a list."""
    lines = st.sampled_from(OF_LAST * 3 + ADDED + draw(st.sampled_from([[], SELDOM])))
    first = draw(st.sampled_from(ADDED))
    if draw(st.booleans()):
        first = f"if last is None or v > len(last):\n{indent(first, '    ')}"
    within = "\n".join([*draw(st.lists(lines, max_size=2)), first, *draw(st.lists(lines))])
    begin = draw(st.sampled_from(["last = None\nrows = []", "rows = []\nv += 1\nlast = None"]))
    loop = f"{begin}\nfor k in range(3):\n{indent(within, '    ')}"
    if draw(st.booleans()):
        loop = f"for j in range(2):\n{indent(loop, '    ')}"
    text = f"v, w, h = 1, [], lambda: []\n{loop}\nreturn rows, v, last, w"
    return f"def solve(I):\n{indent(text, '    ')}\n"


@given(with_lasts())
def test_a_source_without_names_of_last_elements_does_the_same(source):
    made, expected = result(with_last_elements(ast.parse(source))), result(ast.parse(source))
    assert made == expected or (made.endswith("Error") and expected.endswith("Error"))


CHOICES = [
    "for i in range(len(g) - 1):\n    a, b = g[i:i + 2]\n    a[0], b[0] = b[0] + 1, a[0]",
    "for i, r in enumerate(g):\n    if i < 1: s = e\n    elif r[0]: s = f\n    else: continue\n"
    "    s.append(r[0])\n    if s[0] > 1: break\n    s[0] += 5",
    "(e if g[0][0] else f).extend([2, 3])\n[e, f][len(g) % 2].append(4)\n(f, e)[not g].append(5)",
    "s = e\nif g[0][0]: s = f\ns.append(3)\ns.append(len(s))",
    "for n, s in [(1, e), (2, f)]: s.append(n)",
    "for r in g:\n    e.append((r[0], f[:]))\n    for i, (a, b) in enumerate(e):\n"
    "        if a == 0: b.append(i)",
    "for r in g:\n    s = []\n    e.append(s)\n    for v in r: s.append(v + len(e[0]))",
    "for r in g:\n    s = {}\n    e.append(s)\n    s[1] = r[1]\ne = [d[1] for d in e]",
    "s = e if g[0][0] else f\ns.append(6)\nt = s\nt.append(len(s))",
]


def test_sets_are_ordered_by_inclusion_where_a_loop_changes_them():
    lines = "s = [set(r) for r in g[::-1]]\nfor n, x in enumerate(sorted(s)): x.add(n + 20)\n"
    source = f"def solve(g):\n{indent(lines, '    ')}    return [sorted(x) for x in s]\n"
    for program in mb.parse(source):
        assert as_program(program, GRID) == as_python(source, "solve", GRID)


@pytest.mark.parametrize("lines", CHOICES)
def test_what_changes_one_of_several_lists_is_read(lines):
    source = f"def solve(g):\n    e, f = [], []\n{indent(lines, '    ')}\n    return g, e, f\n"
    assert_as_python(source, GRID)


# Elements that functions change


ACTING = """
def first(x):
    x[0] = 7
def grown(x):
    x.append(len(x))
    return x
def some(x, v):
    if v > 1: x[-1] += v
    return x[0]
def same(x):
    return x
def copied(x):
    return [[5], *x]
def nothing(x): return len(x)
"""
ROUNDS = [
    "first(row)", "grown(row)", "v += some(row, v)", "row[0] = v", "row.append(v)", "v += 1",
    "out.append(row)", "out.append(grown(row))", "kept = grown(row)", "row = grown(row)",
    "kept = row", "v += len(q)", "v += g[0][0]", "q = [*q, row]", "x = same(row)", "first(x)",
    "kept.extend(row)", "kept += row", "out.extend(q)", "out += g", "if v > 3: first(row)",
    "if v > 5: continue", "if v > 4: break", "v += nothing(row)",
]  # fmt: skip
OF_ALL = [
    *(f"{name} = [{value} for row in {over}{test}]" for name in ("out", "q", "g") for value in (
        "grown(row)", "some(row, v)", "same(row)", "[1, *grown(row)]", "(first(row), row)[1]",
    ) for over in ("g", "q", "p") for test in ("", " if row[0]", " if some(row, 2)")),
    *(f"out = [some(row, k) for k, row in enumerate({over})]" for over in ("g", "q")),
    "q = [row[:] for row in g]", "q = g", "p = g[1:]", "kept = g[0]", "x = q[0]", "out = []",
    "q = copied(g)", "g[0][0] = 9", "q[0][0] = 8", "out[0][0] = 6", "kept.append(4)", "p = q[::-1]",
    "first(g[0])", "h = lambda: q", "v += h()[0][0]", "q = [[1, 2], [3]]", "out.append([1])",
]  # fmt: skip


@st.composite
def sources_of_elements(draw):
    lines = []
    for _ in range(draw(st.integers(1, 5))):
        if draw(st.booleans()):
            lines.append(draw(st.sampled_from(OF_ALL)))
            continue
        over = draw(st.sampled_from(["row in g", "row in q", "v, row in enumerate(g)", "row in p"]))
        rounds = draw(st.lists(st.sampled_from(ROUNDS), min_size=1, max_size=4))
        lines += [f"for {over}:", *(f"    {line}" for line in rounds)]
    body = indent("\n".join(lines), "    ")
    end = draw(st.sampled_from(["(g, q, out, kept, v)", "(out, v)", "[grown(row) for row in g]"]))
    head = "q, p, out, kept, x, v = [[1], [2, 3]], [[4]], [], [0], [0], 2\n    h = lambda: [[3]]"
    return f"{ACTING}def solve(g):\n    {head}\n{body}\n    return {end}\n"


@given(sources_of_elements())
def test_elements_that_functions_change_are_as_in_python_or_refused(source):
    try:
        expected = as_python(source, "solve", deepcopy(GRID))
    except (AttributeError, IndexError, TypeError):
        return
    for program in mb.parse(source):  # helpers are programs where `solve` is refused
        assert program.name != "solve" or as_program(program, GRID) == expected


# Functions that call themselves


CALLS = [
    "walk(n + 1, d, r)", "walk(n + 1, k, r)", "walk(n + 1, d=i)", "walk(n + 2, len(seen), [n])",
    "walk(r=r, n=n + 1, d=n)", "walk(n + 1, d, r + [k])",
]  # fmt: skip
LINES = [
    "seen.append((n, d, k, i))", "r.append(n)", "n += 1", "d = k + 1", "k += 1", "k = len(r)",
    "total += n", "g[n % 3][0] += d", "return", "return 5", "return n", "i = 3", "d += len(seen)",
]  # fmt: skip
TESTS = ["n % 2", "d > 1", "len(seen) > 5", "k", "(n, d, 0, 0) in seen", "g[0][0] == 1"]
LOOPS = [
    "i in (0, 1)", "i in range(n)", "k, i in enumerate(r[:2])", "i in g[0][:2]", "d in seen[:1]",
]  # fmt: skip


def steps(draw, depth, is_loop=False):
    """Draw the lines of a function `walk` that calls itself."""
    lines = []
    for _ in range(draw(st.integers(1, 4))):
        form = draw(st.sampled_from(["call", "call", "line", "line", "if", "else", "for"]))
        if form == "call" or (form != "line" and not depth):
            lines.append(draw(st.sampled_from(CALLS)))
        elif form == "line":
            lines.append(draw(st.sampled_from(LINES + ["continue", "break"] * is_loop)))
        else:
            loop = form == "for"
            head = f"for {draw(st.sampled_from(LOOPS))}:" if loop else ""
            lines.append(head or f"if {draw(st.sampled_from(TESTS))}:")
            lines += [f"    {line}" for line in steps(draw, depth - 1, is_loop or loop)]
            if form == "else":
                lines += ["else:", *(f"    {line}" for line in steps(draw, depth - 1, is_loop))]
    return lines


@st.composite
def recursive_sources(draw):
    body = indent("\n".join(steps(draw, 2)), "        ")
    head = "nonlocal total\n        if n > 2 or len(seen) > 99: return\n        k = i = 0"
    return f"""
def solve(g):
    seen, total, r = [], 0, [8]
    def walk(n, d, r=None):
        {head}
        if r is None: r = []
{body}
    {draw(st.sampled_from(["walk(0, 1, r)", "walk(0, 1)", "x = walk(1, 0, r)"]))}
    return seen, total, r, g
"""


@st.composite
def sources_of_one_list(draw):
    """Draw a function `walk` that returns the list which it is given, and hands on."""
    calls = st.sampled_from(["walk(n + 1, d, r)", "walk(r=r, n=n + 2, d=k)"])
    body = "\n".join(steps(draw, 2))
    body = re.sub(r"walk\(.*\)", lambda _: draw(calls), body)
    body = re.sub(r"return.*", lambda _: f"return {draw(st.just('r') | calls)}", body)
    begin = draw(st.sampled_from(["if r is None: r = []", "if r is None: r = [n]", "r = r or []"]))
    lines = ["if n > 2 or len(seen) > 99: return r", "k = i = 0"]
    lines.insert(draw(st.integers(0, 1)), begin)
    body = indent("\n".join([*lines, body, "return r"]), "        ")
    return f"""
def solve(g):
    seen, total, r = [], 0, [8]
    def walk(n, d, r=None):
        nonlocal total
{body}
    x = {draw(st.sampled_from(["walk(0, 1, r)", "walk(0, 1)", "[walk(k, 1, r) for k in (1, 2)]"]))}
    return x, seen, total, r, g
"""


USED = [
    "b = {}", "if {}: d += 1", "if {} and {}: return d", "return {}", "d += {} or 0",
    "seen.append([{}, {}])", "x = [{} for i in (0, 1) if n < 2]", "if not {}: return 7",
    "while n < 3 and not {}: n += 1", "return 3 if {} else {}", "b = any({} for i in r)",
    "b = (k, seen[-1], {}) if seen else {}", "return (b or 0) + ({} or 0)", "[{} for i in (1, 2)]",
    "for i in r[:2]:\n    if {}: return i\n    d += 1", "r = r + [{}]",
    "c = [n]\nc.append(d)\nfor i in c:\n    if {}: return i", "for i in sorted(c): {}",
    "for i in c[:2]:\n    q = {}\n    if q: c = [q]", "c.append(n)", "total = total + ({} or 1)",
    "for i in c:\n    b = {}\n    if len(c) < 3: c += [b]", "if d > 1: r = [n]",
    "for i in r:\n    if {}: r.append(d)\n    if len(r) > 3: return r",
    "x = [{} for n in (n + 1, n + 2) if min((5, 1), key=lambda n: n) == 1]",
    "x = sum({} or 0 for k in (1, 2))", "x = {{{} for k in r[:2]}}", "c = max(len(seen), {} or 0)",
    "x = [*map(walk, [n + 1, n + 2], c)]", "if (b := {}) and n < 2: d = b",
    "x = [[d := d + i, {}] for i in c[:2]]", "x = (total := total + 1) and {}",
    "x = [y for i in c[:2] if (y := {})]", "x = (k := k + 1, len(seen), d := {}, k)",
]  # fmt: skip
RETURNED = ["return n", "return [n, d]", "return", "return d if n % 2 else None", "return n > 1"]


def used_steps(draw, depth, is_loop=False):
    """Draw the lines of a function `walk` that uses its own results."""
    lines = []
    for line in steps(draw, depth, is_loop):
        if not line.endswith(":") and draw(st.booleans()):
            used, calls = draw(st.sampled_from(USED)), st.sampled_from(CALLS)
            used = used.format(*(draw(calls) for _ in range(used.count("{}"))))
            line = indent(used, line[: len(line) - len(line.lstrip())])
        lines += line.split("\n")
    return lines


ALIASES = [
    "c = q = [n]\nfor i in c:\n    b = {}\n    if len(q) < 3: q.append(b)", "q = c\nfor i in c: {}",
    "c = g[0]\nfor i in c:\n    g[0][1] = {}", "for i in r:\n    b = {}\n    seen.append(i)",
    "b = walk(n + 1, d, g[n % 3])\nr.append(n)", "r[0] = n", "seen.append({} or c)", "q.append({})",
]  # fmt: skip


@st.composite
def sources_of_results(draw, more=()):
    lines = [*used_steps(draw, 2)]
    if more:
        lines += draw(st.sampled_from(more)).format("walk(n + 1, d, r)").split("\n")
    body = indent("\n".join(lines), "        ")
    end = draw(st.sampled_from(RETURNED))
    first = draw(st.sampled_from(["", "", "def any(x): return 7", "def sum(x): return 8"]))
    return f"""{first}
def solve(g):
    seen, total, r = [], 0, [8]
    def walk(n, d, r=None):
        nonlocal total
        if n > 2 or len(seen) > 40: {draw(st.sampled_from(RETURNED))}
        seen.append(n)
        b = k = i = 0
        c = [n, d]
        q = []
        if r is None: r = []
{body}
        {end}
    x = {draw(st.sampled_from(["walk(0, 1, r)", "[walk(k, 1) for k in range(3)]"]))}
    return x, seen, total, r, g
"""


PARTS = [
    "p([r[::-1] for r in g], k - 1)", "[[*r, l] for r in zip(*p(g, k - 1)[::-1])]",
    "p([[l := l + v for v in r] for r in g], k - 1, l)", "(a := p(g[1:], k - 1)) + a[::-1]",
    "[p(r, k - 1, l := l + 1) for r in (g, g[:1])][k % 2]", "p(g, k=k - 1, l=(l := l + k))",
    "[x for r in g if (x := [*r, l])] + p(g, k - 1)", "[*map(p, [g, g[1:]], [k - 1] * 2)][1]",
    "[*zip(*p([*zip(*g)], k - 1, l=l))]", "sum(map(p, [g] * 2, [k - 1, k - 2]), [])",
    "[[v + t[k] for v in r] for r in p(g, k - 1)]", "[*p(g, k - 2), *p(g[:1], k - 1)]",
    "[s := [*map(max, s, r)] for r in p(g, k - 1) if (s := r)]",
]  # fmt: skip
FORMS = [
    "g if k < 1 else {}", "k < 1 and (g or [[l]]) or {}", "k > 0 and {} or g", "{} if k > 0 else g",
    "(k < 1 or (l := 5) < 0) and [[l]] or {}", "(-k * g or [[k]]) if k < 1 else {}",
]  # fmt: skip


@st.composite
def sources_of_lambdas(draw):
    form = draw(st.sampled_from(FORMS))
    body = form.format(*(draw(st.sampled_from(PARTS)) for _ in range(form.count("{}"))))
    function = f"p = lambda g, k=2, l=0, t=[1] * 4: {body}\n"
    if draw(st.booleans()):
        return f"{function}def solve(g):\n    return p(g)\n"
    return f"def solve(g):\n    {function}    return p(g)\n"


@given(
    recursive_sources() | sources_of_one_list() | sources_of_results() | sources_of_lambdas()
)
def test_a_source_without_recursion_does_the_same(source):
    assert result(without_recursion(ast.parse(source))) == result(ast.parse(source))


@given(sources_of_results() | sources_of_results(ALIASES) | sources_of_lambdas())
def test_results_of_functions_that_call_themselves_are_as_in_python_or_refused(source):
    try:
        expected = as_python(source, "solve", deepcopy(GRID))
    except (AttributeError, IndexError, TypeError):
        return
    for program in mb.parse(source):
        assert program.name != "solve" or as_program(program, GRID) == expected


WITHIN = [
    "({a} + {b})", "max({a}, {b})", "[{a}, {b}, {a}][1]", "({a} and {b})", "({a} or {b})",
    "(x := {a})", "(y := {a})", "(z := {a})", "({a} if {b} > 1 else {c})", "({a} < {b} < {c})",
    "sum([{a} for v in range(3) if {b} != v])", "any({a} > v for v in g[0])", "f({a})", "f()",
    "sum({a} for x in [{b}])", "len({{{a}, {b}}})", "(lambda x: x + y)({a})", "g[{a} % 3][0]",
    "sum(({a} for v in g[0]), {b})", "max(({a} for v in g[0]), key=lambda v: v * y)",
    "max((v + {a} for v in q[:]), default={b})", "len([q.pop() + {a} for v in q[1:]])",
    "sum([{a} for v in range({b} % 3) for w in range(v)])", "q.pop()", "len(q)",
    "put({a})", "inc()", "sum([put(v) + {a} for v in (1, 2)])", "(inc() and {a})",
    "(q.append({a}) or {b})", "[v for v in g[0] + [{a}] if not q.append(v)][0]", "q[0]",
    "list({{{a}: {b}, q.pop(): {c}}}.values())[0]", "sum({{v: {a} for v in (1, 2)}}.values())",
]
"""Expressions with others in them."""
STATEMENTS = [
    "x = {a}", "y += {a}", "q.append({a})", "if {a} > {b}:\n    y = {c}\nelse:\n    x = {b}",
    "w = 0\nwhile (w := w + 1) < 9 and (z := z + 1) < {b} and {a}:\n    x += 1",
    "for w in [{a}, {b}]:\n    x += w * z", "assert {a} or True",
    "q = [x := {a} + v for v in q[:9]]",
    "q[{a} % 3] = {b}", "q[{a} % 3] += {b}", "q.insert({a} % 3, {b})", "h[{a} % 2].append({b})",
    "h[{a} % 2][q.pop() % 2] = {b}", "x, y = {a}, {b}", "q = [r.pop(0) + {a} for r in h if r]",
    "x = y = {a}", "q.pop({a} % 2)", "q.__setitem__({a} % 2, {b})",
    "h[{a} % 2].__setitem__(slice({b} % 3, 2), [{c}])",
    "len([h[v % 2].__setitem__(0, {a}) for v in q[:1]])",
]


@st.composite
def expressions(draw, depth=3):
    names = st.sampled_from(["x", "y", "z", "1", "2", "len(g)"])
    if depth == 0 or draw(st.integers(0, 4)) == 0:
        return draw(names)
    within = draw(st.sampled_from(WITHIN))
    return within.format(**{name: draw(expressions(depth - 1)) for name in "abc"})


@st.composite
def sources_of_assignments(draw):
    lines = [
        draw(st.sampled_from(STATEMENTS)).format(**{name: draw(expressions()) for name in "abc"})
        for _ in range(draw(st.integers(1, 3)))
    ]
    first = draw(st.sampled_from(["", "", "def any(x): return 7", "def sum(x): return 8"]))
    body = indent("\n".join(lines), "    ")
    return f"""{first}
def solve(g):
    x, y, z, q, h = 1, 2, 0, [3, 4, 5], [[6, 7], [8, 9]]
    def f(v=1): return v + x
    def put(v):
        q.append(v)
        return len(q)
    def inc():
        nonlocal y
        y += 1
        return y
{body}
    return x, y, z, q, h, {draw(expressions())}
"""


@given(sources_of_assignments())
def test_assignments_in_expressions_are_as_in_python_or_refused(source):
    expected = result(tree := ast.parse(source))
    if expected == "SyntaxError":  # `:=` where Python allows none
        return
    rewrite(tree, set(bound_in(tree)))
    assert result(tree) == expected
    if expected.startswith("("):
        for program in mb.parse(source):
            if program.name == "solve" and not meets_limit(program, GRID):
                assert as_program(program, GRID) == as_python(source, "solve", deepcopy(GRID))


BACKTRACKING = """
def solve(I):
    cells = [(i, j) for i, row in enumerate(I) for j, v in enumerate(row) if v == 0]
    out, free = [list(row) for row in I], [5, 6, 7, 8]
    def place(k):
        if k == len(cells):
            return all(len(set(row)) == len(row) for row in out)
        i, j = cells[k]
        for color in range(5, 9):
            if color not in free: continue
            out[i][j] = color
            free.remove(color)
            if place(k + 1):
                return True
            out[i][j] = 0
            free.append(color)
        return False
    def covers(left, used=()):
        if left <= 0: return list(used) if left == 0 else None
        best = min((covers(left - n, (*used, n)) for n in (4, 3) if len(used) < 3),
                   key=lambda found: len(found) if found is not None else 9, default=None)
        return best
    return out if place(0) else I, free, covers(10), covers(5)
"""


def test_a_search_with_backtracking_is_read():
    assert_as_python(BACKTRACKING, GRID)


FILL = """
def solve(I):
    out, h, w = [[*row] for row in I], len(I), len(I[0])
    def fill(i, j):
        {}
    for i in range(h):
        {}
    return out
"""


@pytest.mark.parametrize("call", ["fill(i, 0)", "fill(j=0, i=i)"])
@pytest.mark.parametrize(
    "body",
    [
        "if not (0 <= i < h and 0 <= j < w) or out[i][j]:\n    return\n"
        "out[i][j] = 7 + i\nfill(i + 1, j)\nfill(i, j + 1)\nfill(i - 1, j)",
        "out[i][j] = 7\nfor a, b in ((i + 1, j), (i, j + 1)):\n"
        "    if 0 <= a < h and 0 <= b < w and out[a][b] == 0:\n        fill(a, b)",
        "if i < h and j < w and out[i][j] != 7:\n"
        "    out[i][j] = 7\n    fill(i + 1, j)\n    fill(i, j + 1)\n    out[i][j] += i - j",
    ],
)
def test_a_flood_fill_that_calls_itself_is_read(body, call):
    source = FILL.format(indent(body, " " * 8).strip(), call)
    assert_as_python(source, GRID)


# Python's functions by other names


RENAMED = {
    "L = len\ndef p(g): return L(g)": "len(g)",
    "def p(g, L=len): return L(g)": "return len(g)",
    "def p(g, n=1, R=range): return p(g, 2) if n == 1 else [*R(n)]": "[*range(n)]",
    "def p(g):\n    E = enumerate\n    f = lambda x: [*E(x)]\n    return f(g)": "[*enumerate(x)]",
    "M = max\ndef h(M): return M\ndef p(g): return h(M(g))": "return h(max(g))",
    "M = max\ndef h(g):\n    M = min\n    return M(g)\ndef p(g): return M(h(g))": "return min(g)",
    "def p(g):\n    for M in [min]: pass\n    return M(g)": "return min(g)",
    "def p(g): return [[*E(g), *E(g, 1)] for E in [enumerate] * 2]": "[*enumerate(g), *enum",
    "def p(g): return (at := g[1].index)(3), at(0, 1)": "((at := g[1]).index(3), at.index(0, 1))",
    "def p(g):\n    i, n = sum(g, []).index, 1\n    return i(2), i(n)": "(i.index(2), i.index(n))",
    "def p(g):\n    d = {}\n    of = d.get\n    d[1] = 2\n    return of(1)": "return d.get(1)",
    "def p(g):\n    d = {1: g}.get\n    g = 5\n    return d(1), d(2, g)": "(d.get(1), d.get(2, g))",
}
KEPT = [
    "def h(g, f=len): return f(g)\ndef p(g): return h(g) + h(g, max)[0]",
    "def h(g, *, f=len): return f(g)\ndef p(g): return h(g, f=max)",
    "def h(g, f=len): return f(g)\ndef p(g): return h(*[g, max])",
    "def h(g, f=len): return f(g)\ndef p(g): return [*map(h, g, [sum, max])]",
    "L = len\nL = max\ndef p(g): return L(g)",
    "def p(g):\n    L = max\n    if g: L = len\n    return L(g)",
    "def p(g):\n    L = max\n    return [L for L in g]",
    "def len(x): return 7\nL = len\ndef p(g): return L(g)",
    "L = 3\ndef p(g): return [[L(g) for L in [len]], L]",
    "def p(g):\n    at = g[1].index\n    return at(3), at(0, 1), [at][0](0)",
    "def p(g):\n    at = g[0].index\n    at = g[1].index\n    return at(3), at(0, 1)",
    "L = max\ndef h():\n    global L\n    L = min\ndef p(g):\n    h()\n    return L(g)",
]


def value_of(source):
    scope = {}
    exec(source, scope)
    return scope["p"]([[1, 2], [3, 0]])


@pytest.mark.parametrize("source", [*RENAMED, *KEPT])
def test_a_source_does_the_same_with_own_names_where_the_meaning_is_certain(source):
    tree = ast.parse(source)
    before = ast.unparse(tree)
    made = ast.unparse(with_own_names(tree))
    assert value_of(made) == value_of(source)
    assert RENAMED[source] in made if source in RENAMED else made == before


def test_each_local_has_a_name_of_its_own_and_then_its_old_one():
    tree = ast.parse("""
def f(x, k=x, *, n=2):
    global G, z
    G = z = x
    def g(y):
        nonlocal x
        x = (y, z)
    class C(x):
        y = x
        def m(a):
            return (y, x)
    try:
        import z.z
    except E as e:
        del e
    w: y = [x for x in x if (w := x)]
    return (lambda x: (x, w, n, k, C, z), {n: y for n in x for y in n})
f(1, n=3)
""")
    before = ast.dump(tree)
    apart = re.sub(r" own:(\d+)::(\w+)", r"\2\1", ast.unparse(with_locals_apart(tree)))
    assert apart.replace("\n\n", "\n") == """\
def f(x1, k1=x, *, n=2):
    global G, z
    G = z = x1
    def g1(y2):
        nonlocal x1
        x1 = (y2, z)
    class C(x1):
        y = x1
        def m(a6):
            return (y, x1)
    try:
        import z.z
    except E as e1:
        del e1
    w1: y = [x3 for x3 in x1 if (w1 := x3)]
    return (lambda x4: (x4, w1, n, k1, C, z), {n5: y5 for n5 in x1 for y5 in n5})
f(1, n=3)"""
    assert ast.dump(with_locals_as_written(tree)) == before
