"""Dictionaries are read as Python means them, or refused."""

from __future__ import annotations

from textwrap import indent

import pytest

import megabatt as mb
from tests.codegen.meaning import IMPORTS, assert_as_python, sections

HEAD = f"{IMPORTS}SETS = {{1: {{3, 4}}}}\n"

READ = """
## the least and the largest number, of lists of numbers in dictionaries
parts = {}
for i, row in enumerate(I):
    for j in range(len(row)):
        v = row[j]
        if v not in parts:
            parts[v] = {"cells": [], "box": [i, j, i, j], "top": i}
        parts[v]["cells"].append((i, j))
        parts[v]["top"] = min(parts[v]["top"], i)
        box = parts[v]["box"]
        box[1] = min(box[1], j)
        box[3] = max(box[3], j + 1, -1)
    parts[row[0]]["top"] = max(parts[row[0]]["top"], len(parts[row[0]]["cells"]))
return [(part["cells"], part["box"], part["top"]) for part in parts.values()]
## what takes the keys of a dictionary
d = {3: 1, 1: 0, 2: 5}
a, *b = list(d)
s = set()
s.update(d)
return (
    len(d), sum(d), max(d), sorted(d), list(reversed(d)), tuple(d), a, b, s, [*d, 4], any(d),
    all(d), next(iter(d)), list(enumerate(d)), list(zip(d, d.values())), list(map(d.get, (1, 9))),
    list(filter(d.get, d)), sorted(d, key=d.__getitem__), sorted((1, 0), key=b.__getitem__),
    len(list(map(I[0].__getitem__, (0, -1)))), 3 in d,
    9 not in d, [k for k in d if d[k]], {*d}, bool(d), not d,
    1 if d else 2, 5 if d and d[3] else 6, d.get(8), d.get(8, 7), [v for v in (1,) if d or v])
## lists in dictionaries that `dict` makes
d, e, f = dict(), OrderedDict(), dict(a=[], b=[1])
d.setdefault(1, []).append(2)
e.setdefault(1, []).append(3)
f["a"].append(4)
g, h = dict((k, []) for k in range(3)), dict(zip((1, 2), [[] for _ in range(2)]))
g[1].append(5)
h[2].append(6)
i = dict([(1, [0])], b=[7])
i["b"].append(8)
return d[1], e[1], f["a"], f["b"], list(g.values()), h[1], h[2], i["b"]
## changes
d = dict(zip((1, 2, 3, 4), (5, 6, 7, 8)))
a = d.pop(1)
b = d.pop(1, 9)
c = d.setdefault(7, 4)
d.pop(2)
del d[3]
d.update({4: 0, 5: 1})
d.update([(6, 2)])
e = d.copy()
e[4] = 1
d.clear()
d.update(e)
f = dict.fromkeys((1, 2), 0)
f[1], f[2] = f[2] + 1, f[1]
for k in list(e):
    if e[k] > 1:
        del e[k]
while len(f) < 4:
    f[len(f) + 1] = len(f)
    k = next(iter(e))
    del e[k]
    e[k] = 3
return (a, b, c, list(d.items()), list(e.items()), list(f.items()))
## counters
c = Counter(v for row in I for v in row)
n = c.most_common(1)[0]
k, m = c.most_common()[-1]
e = Counter({1: 2})
e.update(I[0])
e[9] += 4
del e[77]
return (n, k, m, c[77], c.get(77), 77 in c, list(e.items()), sum(c.values()),
        [v for v, _ in c.most_common(height(I))], len(Counter()))
## changes while a loop is over the keys
d, g, c, n = {1: 2, 3: 4}, {1: [2, 1], 3: [4]}, Counter(I[0]), defaultdict(int)
for k in d:
    for x in d.keys():
        d[x] += d[k]
for k in g:
    g[k].sort()
    g[k] += [k]
q = defaultdict(list)
q[1] += [2]
q[2].append(1)
for k in q:
    for x in q[k]:
        q[x] = q[x] + [1]
        d.update({1: x})
for k in list(g):
    g[k][0] = 7
    p = g.pop(k)
    g[k + 1] = p + [k]
for k in c:
    c[k] *= 2
    n[k] += 1
for k in sorted(n, key=n.get):
    n[k + 1] = n.pop(k)
for k, v in list(d.items()):
    d[v] = k
return (list(d.items()), list(g.items()), list(c.items()), list(n))
## lists in dictionaries that one name alone holds
d = {0: [3, 1, 2], 1: []}
d[0].sort()
low = d[0].pop()
d[1].append(low)
del d[0][0]
e = copy.deepcopy(d)
e[0].append(5)
d[0] = d[0] + [4]
p = d.pop(1)
p.append(6)
order = OrderedDict()
order[2] = 1
order |= {3: 4, 2: 5}
f = d | {7: [8]} | e
f[7] = [9]
for i in range(3):
    f |= {i: [i], i + 7: []}
return (list(d.items()), list(e.items()), p, list(order.items()), list(f.items()))
## dictionaries that are held, and what is read of them
shapes, best = [], None
for i, row in enumerate(I):
    shape = {(i, j): v for j, v in enumerate(row) if v}
    shapes.append(shape)
    if best is None or len(shape) > len(best):
        best = shape
pairs = [(shape, k) for k, shape in enumerate(shapes) if shape and (0, 1) in shape]
(first, place), *_ = pairs
moved = [{(j, i): v for (i, j), v in shape.items()} for shape in shapes]
whole = {"a": shapes[0], **dict(b=moved[1]), "name": shapes[2]}
joined = {(9, 9): 1, **first}
joined.update(shapes[2])
joined |= moved[1]
(odd, even), held = [{1, 3}, {2, 3}], {"t": {1: 2}, "u": {3: 1, 1: 4}}
held["t"] |= held["u"]
return (
    list((shapes[0] | shapes[2]).items()), sorted(odd | even), list(held["t"].items()),
    list(joined.items()), list({**joined, **whole["a"]}.items()),
    list(best.items()), sorted(first), place, [len(shape) for shape in moved], bool({}), not best,
    list(dict(at=1, n=place).values()), list(dict([(1, 2)], n=place).values()),
    list(dict({"b": 1, "n": 2}, at=3, b=place).values()), list(dict(**whole, at=3))[-1] == "at",
    max(first, key=first.get), list(first.values()), first.get((9, 9)), first[0, 1], best is None,
    [k for k in shapes[1]], list(whole["name"].items()), len(whole), {1: 2, 3: 4} == {3: 4, 1: 2},
    shapes == moved, 5 if I else {1: 2})
## dictionaries in dictionaries that change
votes, counts, groups = defaultdict(Counter), {}, {}
for i, row in enumerate(I):
    for j, v in enumerate(row):
        votes[j][v] += 1
        counts.setdefault(v, {})
        counts[v][i] = counts[v].get(i, 0) + 1
        groups.setdefault(i % 2, {"cells": [], "n": 0})["n"] += v
        groups[i % 2]["cells"].append((i, j))
parts = [{"a": 1, "b": {}}, {"a": 2, "b": {}}]
parts[1]["a"] += 5
parts[0]["b"][7] = 8
del parts[1]["b"]
return (
    [votes[j].most_common(1)[0][0] for j in votes], [list(n.items()) for n in counts.values()],
    list(groups[0].values()), groups[1]["n"], parts[1]["a"], parts[0]["b"][7], len(parts[1]),
    sorted(set().union(*counts.values())))
## keys that a `defaultdict` is tested for, and defaults that read names
def firsts(cells, most=len(I)):
    at, low = defaultdict(list), defaultdict(lambda: [most, 0])
    for i, row in enumerate(cells):
        at[row[0]].append(i)
        low[row[0]][0] = min(low[row[0]][0], i)
    last = defaultdict(lambda: most + 1)
    last[0] = max(last[0], 2)
    for k in range(9):
        if k not in at or not at[k]: continue
        last[k] = at[k][-1]
    return (
        [k for k in range(9) if k in at and at[k][0] > 0], [at[k][0] for k in (0, 7) if k in at],
        [len(at[k]) if k in at else -1 for k in (0, 7)], [k for k in (0, 7) if not (k not in at or
        len(at[k]) < 1)], len(at), sorted(last.items()), sorted(low.items()))
return firsts(I)
## empty dictionaries, which are false
empty, full = {}, {1: 2}
held, one = [empty, full, Counter()], {0: {}}
def given(d=None):
    d = d or {1: 5}
    return d.get(1)
return (
    (empty or full)[1], len(full and empty), [(d or {1: 9})[1] for d in held], (one.get(0) or 4),
    given(), given({}), given(full), any(held), any([empty, one[0]]), all(held), all([full]),
    len(list(filter(None, held))), len(list(filter(lambda d: d, held))), (empty and 3) == 3,
    any(d for d in held[:1]), [1 if d else 0 for d in held], [not d for d in held])
"""


@pytest.mark.parametrize("kind", sections(READ))
def test_a_dictionary_means_what_it_means_in_python(kind):
    assert_as_python(f"{HEAD}def solve(I):\n{indent(sections(READ)[kind], '    ')}")


def test_a_dictionary_of_a_module_is_a_constant():
    source = "MAP = {0: 5, 1: 6}\ndef solve(I):\n    return [MAP.get(v, v) for v in I[0]]\n"
    assert_as_python(source)
    for change in (
        "MAP[2] = 3", "MAP.update({2: 3})", "del MAP[0]", "MAP.pop(0)", "A = MAP\nA[2] = 3",
        "A = (MAP,)\nA[0][2] = 3", "put = lambda x, y: MAP.pop(y)\nput(1, 0)",
        "put = lambda x, y: x.pop(y)\nB = put(MAP, 0)", "MAP = A = {0: 5}\nA[2] = 3",
        "f = lambda: MAP\nf().pop(0)", "f = lambda: MAP\nf()[1] = 7",
        "(MAP if 1 else {}).pop(0)", "A: int = MAP.pop(0)", "A = 0\nA += MAP.pop(0)",
    ):  # fmt: skip
        error = mb.parse(source.replace("def", f"{change}\ndef")).errors[-1]
        assert error.message.startswith("'MAP' is changed outside of functions")


def test_a_defaultdict_is_alone_by_what_its_own_function_does():
    begin = "    n = defaultdict(int)\n    n[1] = 2\n"
    end = f"def solve(I):\n{begin}    return n[f(I)(4)]\n"
    assert_as_python(f"{HEAD}def f(k):\n{begin}    return lambda k: n[k]\n{end}")
    for helper in (
        f"def f(k):\n{begin}    return lambda k: n[k] + len(n)\n",
        "g = lambda n: n[4] + len(n)\nf = lambda k: lambda k: g(defaultdict(int))\n",
    ):
        (error,) = mb.parse(f"{HEAD}{helper}{end}").errors
        assert "reading d[k] of a defaultdict may add the key" in error.message


MISTAKES = {
    "may be held elsewhere too, where a change in place would be seen": (
        "e = [d][0]\ne[1] = 3", "x = g.get(1)\nx.append(3)", "x = g[1]\ng[1] = [4]\nx.append(3)",
        "x = g.pop(5, p)\nx.append(3)", "g = dict.fromkeys((1, 2), p)\ng[1].append(5)",
        "for k in d:\n    del d[k]",
        "for k, v in d.items():\n    d[v] = 5",
        "x = p\nfor v in g.values():\n    v.append(len(x))\n    x = v",
        "v = d.items()\nd[2] = 3\nv = list(v)", "f = d.get\nh = f\nd[2] = 3\nx = h(2)",
        "f = [d.get]\nh = f[0]\nd[2] = 3\nx = h(2)",
        "f = p.count\nx = map(f, p)\np.append(1)\nx = list(x)", "e = g.copy()\ne[1].append(3)",
        "q = g.get(1)\ng[1].append(4)\nx = q[0]", "q = sorted(g.items())\nq[0][1].append(4)",
        "g.setdefault(1, p).append(2)", "x = dict(zip((1, 2), [p, p]))\nx[1].append(2)",
        "x = dict(a=p)\nx['a'].append(2)", "x = dict((k, p) for k in (1, 2))\nx[1].append(2)",
    ),
    "is defined outside of this function, and is not changed in it": (
        "def f(k):\n    d[k] = 1\nlist(map(f, p))", "SETS[2] = 3",
    ),
    "seen: loop over a copy, such as list(d.items())": ("for k, v in d.items():\n    d[v] = 5",),
    "a loop that changes a dictionary at numbers is not over its keys: loop over list(": (
        "for i, k in enumerate(d):\n    d[i] = k + 1",
    ),
    "a copy, such as copy.deepcopy(list(g.values": (
        "for v in g.values():\n    f = lambda: v\n    g[1].append(3)",
    ),
    "change a copy, such as g = {k: v.copy() for k, v in g.items()}": (
        "g[1] = p\nfor k in g:\n    g[k].append(3)",
        "g[0] = g[1] = p\ng = copy.deepcopy(g)\ng[0].append(3)",
    ),
    "a dictionary cannot be returned by the program or given to a primitive: write tuple(": (
        "return d", "p = size(d)", "p = max(d, d)", "p = d[0:1]", "a, b = d",
        "d[1] = dict", "x = list(map(dict, ()))", "x = sorted(I, key=Counter)",
    ),
    "of operators on dictionaries, `a | b` is read where neither has defaults or is held: write": (
        "x = d - {1}", "x = {1} | d", "x = Counter(p) + Counter(p)", "x = d | Counter(p)",
        "x = n | d", "x = d | [d][0]",
    ),
    "of operators, `|=` alone changes a dictionary, no counter: write d[k] = v in a loop": (
        "c = Counter(p)\nc += Counter(p)", "c = Counter(p)\nc |= {1: 4}", "d -= {1: 2}",
        "x = [{1: 2}]\nx[0] |= {3: 4}",
    ),
    "reading d[k] of a defaultdict may add the key: write d.get(k, ...)": (
        "x = [n[v] for v in I[0]]\nm = n", "x = sum(n[1] for v in n)",
        "x = len(n) if p and n[7] else 8", "f = lambda: len(n)\nx = n[5]",
        "def f(k):\n    return n[k]\nx = f(1)", "def f(m):\n    return m[1]\nx = f(n)",
        "x = 5 in n or n[5]\nx = len(n)",
        "x = [[n[v] for v in (7, 8)] for v in p if v in n], len(n)",
        "x = sorted(p, key=n.__getitem__)", "x = len(n) + n[4]", "while n[4] < 0:\n    x = len(n)",
        "x = [n[k] for k in n for k in (7,)]",
    ),
    "an iterator is no tuple of its elements: write tuple(...), or set": (
        "x = d.keys() - {1}", "x = {1} | d.keys()", "z = {1, 2}\nz -= d.keys()",
        "d[1] = (v for v in p)", "p.append(d.values())", "d.setdefault(1, map(abs, p))",
        "x = d.get(1, (v for v in p))", "d = dict.fromkeys(p, d.values())",
    ),
    "a function of the program takes 1 argument, not 2": ("f = d.get\nx = [f, f(1, 2)]",),
    "this function takes 1 argument, not 2: write": ("x = list(map(d.get, (1, 5), (7, 8)))",),
    "a dictionary or an iterator is no function: write d[k], or d.get(k)": ("x = d(1)",),
    "dict cannot be read with these arguments": ("x = dict(d, d)",),
    ".get cannot be read with these arguments": ("x = d.get()",),
    ".pop cannot be read with these arguments": ("d.pop()",),
    ".update of a dictionary cannot be read: write d[k] = v in a loop": ("d.update(a=1)",),
    ".append of a dictionary cannot be read: write d[k] = v in a loop": ("d.append(1)",),
    ".sort is a method of lists, and this is a set": ("z = {1, 2}\nz.sort()",),
    ".get is a method of dictionaries alone": ("x = p.get(0)",),
    ".most_common is a method of counters alone: write Counter(d)": ("x = d.most_common(1)",),
    ".pop(...) changes a list, set or dictionary, and is read on a": (
        "h = [lambda k: d.pop(k)][0]\nx = h(1)",
    ),
    "text is only compared, or a key: write a tuple of its": (
        "p = 'a' + max('bc')",
    ),
    "change a copy, such as x = x.copy()": (
        "y = [{'a': 1}]\nx = max(y, key=len)\nx['a'] = 2\nx = y",
    ),
    "'x' may be held elsewhere too": ("x = {'a': 1}\np.append([x])\nx['a'] = 2",),
    "a defaultdict has a constant for missing keys": (
        "x = 1\nz = defaultdict(lambda: x)\nx = 2", "z = defaultdict(lambda: len(p))\np.append(1)",
        "for x in p:\n    y = x\n    z = defaultdict(lambda: y)",
    ),
    "'u' is an iterator, which is read once": ("u = d.keys()\nx = len(u) + len(u)",),
    "'d' has another value when this": ("u = (d[k] for k in (1, 1))\nd[1] = 3\nx = list(u)",),
    ".update of a counter with a dictionary is not read": ("c = Counter()\nc.update(d)",),
}  # fmt: skip


@pytest.mark.parametrize(
    ("message", "body"), [(message, body) for message in MISTAKES for body in MISTAKES[message]]
)
def test_what_is_no_use_of_a_dictionary_is_refused(message, body):
    begin = "d, g, p, n = {1: 2}, {1: [2]}, [1], defaultdict(int)\n"
    lines = f"{begin}{body}\nreturn (list(d), list(g.values()), p, list(n))\n"
    (error,) = mb.parse(f"{HEAD}def solve(I):\n{indent(lines, '    ')}").errors
    assert message in error.message and error.line > 3
