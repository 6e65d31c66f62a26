"""Programs with traps, each of which means what Python means, or is refused."""

import pytest

import megabatt as mb
from tests.codegen.meaning import GRID, as_program, as_python, assert_same, sections

PROGRAMS = '''
## a key that `setdefault` adds before a choice of lists
def solve(I):
    d, other = {}, []
    x = d.setdefault(5, [])
    if I[0][0] == 0:
        x = other
    x.append(3)
    return tuple(d.items()), other
## a choice of lists in a name of which an element is read first
def solve(I):
    rows, other = [[1], [2]], []
    x = rows[0]
    if I[0][0] == 0:
        x = other
    x.append(3)
    return rows, other
## a dictionary under the name of an element
def solve(I):
    maps = [{}, {}]
    d = maps[0]
    x = d.get(1, [])
    x.append(len(maps[0]))
    d[1] = x
    return tuple(d.items())
## a dictionary under two names
def solve(I):
    d = e = {}
    x = d.get(1, [])
    x.append(len(e))
    d[1] = x
    return tuple(d.items())
## a chosen list that gets a dictionary
def solve(I):
    p, q, d = [1], [2], {1: 2}
    (q if I[0][0] else p).append(d)
    m = d.get(0, 5)
    return len(p), len(q), m
## arguments of an exception that change a list
class Done(Exception):
    pass
def solve(I):
    rows = [1, 2, 3]
    try:
        for r in I:
            if r[0] == 2:
                raise Done(0, rows.pop())
        found = 5
    except Done as e:
        found = e.args[0]
    return found, rows
## a generator in a list that changes what it reads
def solve(I):
    seen = []
    def gen():
        for v in I[0]:
            if v not in seen:
                yield v
    return [seen.append(v) or v for v in gen()]
## a generator in a sum that changes what it reads
def solve(I):
    seen = []
    def gen():
        for v in I[0]:
            if v not in seen:
                yield v
    return sum(seen.append(v) or v for v in gen())
## a generator in a list that binds what it reads
def solve(I):
    n = 0
    def gen():
        for v in I[0]:
            yield v + n
    return [n := n + v for v in gen()]
## the order of a tuple's arguments with names
from typing import NamedTuple
class P(NamedTuple):
    a: int
    b: int
def solve(I):
    q = [1, 2, 3]
    p = P(b=q.pop(), a=q.pop())
    return p.a, p.b
## a default list that all tuples share
from typing import NamedTuple
class P(NamedTuple):
    a: int
    b: list = []
def solve(I):
    p, q = P(1), P(2)
    p.b.append(4)
    return p.b, q.b
## a default that a module changes later
from dataclasses import dataclass
N = 3
@dataclass
class P:
    a: int
    b: int = N
N = 4
def solve(I):
    return P(1).b
## defaults of fields
from dataclasses import dataclass, field
@dataclass
class P:
    a: int
    b: int = field(default=7)
    c: list = field(default_factory=list)
    d: int = -1
def solve(I):
    p, q = P(2), P(3, c=[1], d=4)
    p.c.append(5)
    return p.a, p.b, p.c, p.d, q.a, q.c, q.d
## a record beside a dictionary
from dataclasses import dataclass
@dataclass
class P:
    a: int
def solve(I):
    d = {}
    d["a"] = 1
    return P(1) == d, P(1) == {"a": 1}
## a key of an order that hides the list
def solve(I):
    rows = [list(r) for r in I]
    for r in sorted(rows, key=lambda r: [-len(r) - r[0] for rows in I]):
        r.append(1)
    return rows
## a dictionary among lists
def solve(I):
    rows = [[[0, 0]], [[1, 1]]]
    rows[0].append({5: 5})
    for k in rows[0][1]:
        rows[0][1][k] = k + 1
    return tuple(rows[0][1].items())
## a dictionary that a slice puts among lists
def solve(I):
    rows = [[0, 0], [1, 1]]
    rows[:0] = [{5: 5}]
    for k in rows[0]:
        rows[0][k] = k + 1
    return tuple(rows[0].items())
## a number that a module's function changes
N = 1
def set_n():
    global N
    N = 3
set_n()
def solve(I):
    return N
## a module's list that a loop changes under another name
N = [1]
for v in [N]:
    v.append(2)
def solve(I):
    return N
## a module's list that a method under another name changes
N = [1]
add = N.append
add(2)
def solve(I):
    return N
## a module's list that a function of a module changes
import heapq
N = [3, 1, 2]
heapq.heapify(N)
def solve(I):
    return N
## a module's list that its type's method changes
N = [3, 1, 2]
list.append(N, 4)
def solve(I):
    return N
## a module's name that its dictionary changes
N = 1
globals()["N"] = 2
def solve(I):
    return N
## a function whose name means something else later
def solve(I):
    return I[:1]
solve = [solve, len][1]
## a module's list that is added to under another name
A = [1]
B = A
B += [2]
def solve(I):
    return A
## a dictionary that gets a key before what is appended is computed
from collections import defaultdict
def solve(I):
    d, e = defaultdict(list), defaultdict(int)
    for v in I[0]:
        d[v].append(len(d))
        e[v] += len(e)
    return tuple(d.items()), tuple(e.items())
## a dictionary that changes while a generator reads it
def solve(I):
    d = {}
    d.update((v, len(d)) for v in I[0])
    return tuple(d.items())
## a list that grows while it is enumerated
def solve(I):
    x = [1, 2]
    x.extend(i for i, v in enumerate(x) if i < 6 and len(I) > 0 or i > 9 and 1 // 0)
    return x[:8]
## a list that grows while it is zipped
def solve(I):
    x = [1, 2]
    x += zip(x, (5, 6, 7, 8))
    return x
## lines that are comments
def solve(I):
    x1 = hmirror(I)  #    x1 = vmirror(x1)
    x2 = vmirror(x1)
#    x2 = rot90(x2)
    #    x2 = rot180(x2)
    return x2
## code in a text of a function
A, B = 1, 2
def solve(I):
    """
    ```
    def solve(I):
        return 5
    ```
    """
    return I[A:B]
## an exception of a function in a `try`
class A(Exception):
    pass
def solve(I):
    r = 0
    try:
        def f(v):
            if v == 5:
                raise A
            return v
        for v in I[0]:
            r += f(v)
    except A:
        r = 100 + r
    return r
## two rows from a place before the first one
def solve(I):
    rows, k = [list(row) for row in I], -3
    a, b = rows[k:k + 2]
    a.append(1)
    return rows
## functions that a list of functions gives, which read a name later
def solve(I):
    out = []
    for r in range(2):
        n = r
        fs = [lambda x: x + n, lambda x: x]
        out.append([f for f in fs])
    return [[g(1) for g in gs] for gs in out]
## functions over functions, which read a name later
def solve(I):
    fs = [lambda x: x + 1, lambda x: x * 2]
    n = 5
    hs = [lambda x: f(x) + n for f in fs]
    n = 6
    return [h(3) for h in hs]
## a parameter with the name of a function of Python's, given by name
def given(I, map=3):
    d = {1: [map]}
    d[1].append(4)
    return d[1]
def solve(I):
    return given(I, map=5), tuple(map(len, I))
## a variable of a comprehension with the name of a function of Python's
def solve(I):
    out = [list for list in [[1], [2]]]
    out[0].append(3)
    return sorted(list(out))
## a function of Python's under its own name in an inner function
def solve(I):
    def inner(rows):
        list = [1]
        def other():
            return list + [2]
        list.append(3)
        return other()
    def outer(list=list):
        return list(inner(I))
    return outer()
## lists that a list gets twice by `+=`
def solve(I):
    x, out = [1], []
    out += [x, x]
    out += out
    out[0].append(2)
    return out, x
## a list that gets lists by `+=` which have a name
def solve(I):
    out = []
    for k in range(3):
        out += [[k], [k]]
        a = out[-1]
        a.append(4)
        out[-2] += [8]
    b = out[0]
    out[0] += [3]
    return out, b
## a key that an element of a list adds
def solve(I):
    d, a = {}, [1]
    x = [a, d.setdefault(5, [])][not I[0][0]]
    x.append(3)
    return a, tuple(d.items())
## a defaultdict that changes by what is computed from it
from collections import defaultdict
def solve(I):
    d = defaultdict(list)
    d[5].append(3)
    d.update({1: len(d)})
    d |= {len(d): 1}
    d.pop(len(d), 0)
    d.setdefault(len(d), 7)
    return tuple(d.items())
'''


@pytest.mark.parametrize("source", sections(PROGRAMS).values(), ids=sections(PROGRAMS))
def test_a_program_means_what_python_means_or_is_refused(source):
    programs = mb.parse(source)
    assert len(programs) + len(programs.errors) > 0
    for program in programs:
        expected = as_python(source, program.name, [list(row) for row in GRID])
        assert_same(as_program(program, GRID), expected)


CHAIN = "+".join(["1"] * 950)
DEEP = [
    f"from dataclasses import dataclass\n@dataclass\nclass P:\n    a: int\nx = P({CHAIN})\n",
    f"class D(Exception): pass\ndef f():\n    try:\n        raise D({CHAIN})\n"
    "    except D:\n        return 1\n",
    f"f = lambda k: {CHAIN} if k < 1 else f(k - 1)\n",
    f"def f():\n    x = [1]\n    return {' and '.join(['x.append(1)'] * 900)}\n",
    "def f(v):\n    if v == 0:\n        return 0\n"
    + "".join(f"    elif v == {k}:\n        return {k}\n" for k in range(1100)),
]  # fmt: skip


@pytest.mark.parametrize("source", DEEP)
def test_what_is_nested_too_deeply_leaves_other_programs_alone(source):
    programs = mb.parse(f"{source}def solve(I):\n    return vmirror(I)\n")
    assert "solve" in {program.name for program in programs}
