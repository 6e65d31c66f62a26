"""Programs with traps, each of which means what Python means, or is refused."""

import pytest

import megabatt as mb
from tests.codegen.meaning import assert_same_or_refused, variants

PLAIN = '''
## lines that are comments
from arc_dsl import *
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
'''

PROGRAMS = '''
## the larger of two lists, one of which has had the name of a number
d = {0: [3, 4], 1: [7]}
for k in range(2):
    for n, k in enumerate([[9], [8]]):
        d[0] = max(d[1], k)
        d[0].append(n)
return d[0], d[1]
## a `defaultdict` whose default reads a parameter
d = defaultdict(lambda v=3: -v)
for v in I[0]: x = d[v]
return tuple(d.items())
## `setdefault` and `popitem` within expressions
d, other, a, y = {}, [], [1], 0
HERE
return y, a, other, tuple(d.items())
-- x = d.setdefault(5, [])
   if I[0][0] == 0: x = other
   x.append(3)
-- x = [a, d.setdefault(5, [])][not I[0][0]]; x.append(3)
-- y = [d.setdefault(1, []), 3]; y[0].append(4)
-- f = lambda v: d.setdefault(v, len(d)); y = [f(v) for v in I[0]]
-- y = list(map(lambda v: d.setdefault(v, len(d)), I[0]))
-- x = d.setdefault(0, []); y = [x, d.setdefault(0, [])]; x.append(2)
-- d[3] = 4; e = d; a = e.popitem()
-- d[3] = [4]; k, v = d.popitem(); v.append(5); y = k, v
-- d = {v: 0 for v in I[0]}; y = list({**d, 9: d.pop(I[0][0])})
-- d = {v: 0 for v in I[0]}; y = list({**d, 9: a.pop(), **d})
## a part of what a function changes, beside it
out, a = [list(row) for row in I], []
def put(rows, part, k):
    rows[0][0] = k
    part.append(k)
    return part
HERE
return a, out
-- a = put(out, out[0], 3)
-- a = put(out, [row for row in out], len(out))
-- a = put(out, list(map(lambda row: row, out)), 3)
-- a = list(map(max, [out, out[1:]])); out[0][0] = 7
-- a = list(map(lambda row: out[0], out)); out[0][0] = 7
## functions that are held
def wide(a, b, c, d): return a + b * c - d
HERE
-- return [f(1, 2, 3, len(I)) for f in (wide, lambda a, b, c, d: a)]
-- return [f(*[1, 2, 3, 4]) for f in [wide]], [f(I) for f in [len, min]]
-- def add(a, b=1): return a + b
   return [functools.reduce(f, I[0]) for f in [add]], {1: add}[1](2)
-- return [f(v, 2) for f in [lambda *v: len(v)] for v in I[0]]
-- def count(*given): return len(given)
   return [f(v) for f in [count] for v in I[0]], {1: count}[1](2, 3)
-- return [f(I[0]) for f in [max, min]], {1: max, 2: abs}[1](2, 3)
-- return [f() for f in [list, tuple]]
## numbers that a loop takes beside lists
n, rows = [], [[1], [2], [3]]
m = n
HERE
return n, m, rows
-- for k, row in zip(range(3), rows): row.append(k)
-- for k, f in zip((3, 4), [lambda v: v, abs]): n += [f(k)]
-- for k, k in zip((3, 4), rows): n += k
## a method's name that a source defines
def popitem(x): return 5
def solve(I): return popitem(I), {1: 2}.popitem()
## names for one of several containers
rows, p, q, d = [[1], [2]], [1], [2], {1: 2}
HERE
return rows, q
-- x = rows[0]
   if I[0][0] == 0: x = q
   x.append(3)
-- (q if I[0][0] else p).append(d); m = d.get(0, 5)
   return len(p), len(q), m
-- rows[:0] = [{5: 5}]
   for k in rows[0]: rows[0][k] = k + 1
   return tuple(rows[0].items())
-- rows[1:] = {7: 8}
-- k = -2; a, b = rows[k:k + 2]; a.append(1)
-- def f():
       nonlocal p
       p = [9]
   x = p
   if f(): x = q
   x.append(3); rows = x
-- for r in sorted(rows, key=lambda r: [-len(r) - r[0] for rows in I]): r.append(1)
## what a statement reads before or behind the call that changes it
def put(g, v):
    if v > 9:
        g = 4
        return 3
    g[0] = v
    return 1
out = [5, 6]
HERE
-- return put(out, 7) + out[0]
-- return out + [put(out, 7)]
-- n = [put(out, 7), out[1:], out[0]]
   return n
-- return put(out, 3) if put(out, 7) > out[0] else 0
## two names of a dictionary
maps = [{}, {}]
d = HERE
x = d.get(1, [])
x.append(len(maps[0]))
d[1] = x
return len(maps), tuple(d.items())
-- maps[0]
-- maps[0] = {}
## exceptions of a source
class Done(Exception): pass
def solve(I):
    rows, found = [1, 2, 3], 0
    HERE
    return found, rows
-- try:
       for r in I:
           if r[0] == 2: raise Done(0, rows.pop())
       found = 5
   except Done as e: found = e.args[0]
-- try:
       def f(v):
           if v == 5: raise Done
           return v
       for v in I[0]: found += f(v)
   except Done: found = 100 + found
## generators that read what changes
n, seen, d, x = 0, [], {0: 0}, [1, 2, 3]
def new():
    for v in I[0]:
        if v not in seen: yield v
def more():
    for v in I[0]: yield v + n
def keyed():
    for v in I[0]: yield v + d[0]
def given(d, I):
    for v in I[0]: yield v + d[0]
def cells(I):
    for row in I:
        for v in row: yield v
def over(x):
    for v in x: yield v
HERE
return n, x, d[0]
-- return [seen.append(v) or v for v in new()]
-- return sum(seen.append(v) or v for v in new())
-- return [n := n + v for v in more()]
-- for v in keyed(): d[0] = v + 1
-- for v in given(d, I): d[0] = v + 1
-- for v in over(x): x[2] = v + 1
-- rows = [I[-1]]
   for v in cells(I):
       rows[0] += [5]
       n += 1
       if n > 9: break
## a generator beside changes through a new dictionary, a copy and another name
def sums(g):
    for row in g: yield sum(row)
def solve(I):
    g = [list(row) for row in I]
    d, h, copy, found = {}, g, list(g), []
    for n in sums(g):
        found.append(n); d[n] = [n]; copy[0] = [n]
        HERE
    return found, g
-- h[-1] = [8]
-- d[3] = g[-1]; d[3].append(2)
## fields of classes
from dataclasses import dataclass, field
from typing import NamedTuple
HERE
-- class P(NamedTuple): a: int; b: int
   def solve(I):
       q = [1, 2, 3]; p = P(b=q.pop(), a=q.pop())
       return p.a, p.b
-- class P(NamedTuple): a: int; b: list = []
   def solve(I):
       p, q = P(1), P(2)
       p.b.append(4)
       return p.b, q.b
-- N = 3
   @dataclass
   class P: a: int; b: int = N
   N = 4
   def solve(I): return P(1).b
-- @dataclass
   class P: a: int; b: int = field(default=7); c: list = field(default_factory=list); d: int = -1
   def solve(I):
       p, q = P(2), P(3, c=[1], d=4)
       p.c.append(5)
       return p.a, p.b, p.c, p.d, q.a, q.c, q.d
-- @dataclass
   class P: a: int
   def solve(I):
       d = {}; d["a"] = 1
       return P(1) == d, P(1) == {"a": 1}
## what a module changes
N = [3, 1, 2]
def put(x): x.append(1)
def go(): put(N)
def push(): heapq.heappush(N, 0)
HERE
def solve(I): return N
-- for v in [N]: v.append(2)
-- add = N.append; add(2)
-- heapq.heapify(N)
-- list.append(N, 4)
-- globals()["N"] = 2
-- B = N; B += [2]
-- list(map(N.append, (1, 2)))
-- (lambda x: x.append(3))(N)
-- go()
-- push()
-- B = (N := [3])
## a function that changes its argument, called where nothing is read
def put(rows):
    rows[0][0] = 7
    return 5
def solve(I):
    def unread(rows):
        n = put(rows)
        return rows, n
    return I
## a function whose name means something else later
def solve(I): return I[:1]
solve = [solve, len][1]
## dictionaries and lists that change while they are read
d, x = {}, [1, 2]
HERE
return x[:8], tuple(d.items())
-- d.update((v, len(d)) for v in I[0])
-- x.extend(i for i, v in enumerate(x) if i < 6 and len(I) > 0 or i > 9 and 1 // 0)
-- x += zip(x, (5, 6, 7, 8))
-- x[::1] = [3, 4, 5]
-- y = [v + (x.pop() if x else 0) for v in I[0]]
   for v in y:
       if v > 0: y.append(v - 1)
   x = y
-- x += {7, 3}
## dictionaries that change by what is computed from them
d, e, k = defaultdict(list), defaultdict(int), defaultdict(list)
for v in I[0]:
    d[v].append(len(d))
    e[v] += len(e)
k[5].append(3); k.update({1: len(k)})
k |= {len(k): 1}
k.pop(len(k), 0); k.setdefault(len(k), 7)
return tuple(d.items()), tuple(e.items()), tuple(k.items())
## a loop over a copy of what a function changes
x, d, out = [3, 1, 2], {3: 1, 1: 2, 2: 3}, []
def f(k):
    if len(x) < 9: x.append(k)
    x[0] = d[k] = d[d[k]]
    return x[-1]
HERE
return out, x, tuple(d.items())
-- for v in list(x): out.append(f(v))
-- for v in list(d):
       for w in sorted(d.values()): out.append(f(w) + v)
-- for v in x: out.append(f(v))
-- for v in [v for v in x if v > 1]: out.append(f(v))
-- y = [x]
   for z in list(y): out.append(f(1)); out.append(len(z))
## lambdas that read constant texts later
words = [lambda k: len(w.strip()) + k for w in ("a ", " bb")]
return [f(1) for f in words]
## functions over functions, which read a name later
fs, out, n = [lambda x: x + 1, lambda x: x * 2], [], 5
HERE
-- for r in range(2):
       n = r
       fs = [lambda x: x + n, lambda x: x]
       out.append([f for f in fs])
   return [[g(1) for g in gs] for gs in out]
-- hs = [lambda x: f(x) + n for f in fs]; n = 6; return [h(3) for h in hs]
-- fs.append(lambda x: x + n); n = I[0][0]; fs.append(lambda x: x - n); return [f(3) for f in fs]
-- g = [lambda x: x + n]; n = 6; h = [lambda x: x * n]; return [f(3) for f in g + h]
## names of Python's functions for something else
-- out = [list for list in [[1], [2]]]; out[0].append(3)
   return sorted(list(out))
## lists that get lists by `+=`
x, out = [1], []
HERE
return out, x
-- out += [x, x]; out[0].append(2)
-- out += [[1], [2]]; out += out; out[0].append(2)
-- out += [[1]]; b = out[0]; out[0] += [3]; x = b
## recursion
def f(n):
    a = [n]
    if n < 1: return 0
    b = HERE
    a.append(f(n - 1)); a.append(f(n - 2))
    return len(b) + len(a)
return f(4)
-- a
-- a if n > 0 else []
-- [a]; a.append(f(n - 1)); return len(b[0]) + len(a)
-- 0
   for k in a:
       if len(a) < 3: a.append(f(k - 1))
   return sum(a)
-- a; a += [f(n - 1)]; b.extend([f(n - 2)])
-- a; a.extend([5] * f(n - 1)); a += a; a += {f(n - 2): 3}
-- 0; b *= a; c = b; b += [f(n - 1)]; return len(c)
## recursion with a list that all calls return
def f(n, a=None):
    HERE
    if n > 0:
        a.append(n)
        f(n - 1, a)
    return a
x = f(2)
x.append(0)
return x, f(3), f(-1)
-- if a is None: a = []
-- n += 1
   if a is None: a = [n]
-- if n < 0: return a
   if a is None: a = []
-- if a is None: a = [[n]]
   if n == 2: f(1)
-- a = a or [n]
-- if a is None: a = [8]
   if n == 2: return [1]
## swaps
a, b, p = [[1], [2], [0]], [[3], [4]], [0, 1]
i, j, k = 0, 1, 0
HERE
a[0].append(9)
return a, b
-- a[0], a[-1] = a[-1], a[-1]
-- a[0], a[a[0][0]] = a[a[0][0]], a[0]
-- a[0], b[0] = b[0], a[0]
-- a[i], a[j], a[k] = a[j], a[k], a[i]
-- a[p.pop()], a[p.pop()] = a[p.pop()], a[p.pop()]
-- b = a[1]; a[0], a[1] = a[1], a[0]
-- a = [1, [5], [6]]; a[0], a[a[0]] = a[a[0]], a[0]
-- a[0], a[1] = a, a[0]; a[1].append(9); return len(a[0]), a[1]
## an index beyond a list
d, p, q, rows, n, v = {7: [1]}, [1, 0, 99], [], [[1], [2]], 0, 0
def f(k): return I[k]
try:
    HERE
except IndexError: v = 9 + n
return v, p, n
-- v = d[7][0]
-- v = f(9)
-- v = I[p.pop()][p.pop()]
-- v = q.pop()
-- v = I[p[2]]
-- v = 0 < I[9][0] < 5
-- if I[0][0] == 0: v = p[5]
   else: v = p[7]
-- n += 1; n += I[9][0]
## `try` with more
v = 0
HERE
return v
-- try: v = I[9]
   except IndexError as e: v = len(e.args)
-- try: v = I[9][None]
   except Exception: v = 5
-- try:
       if I: raise LookupError
       v = I[0]
   except IndexError: v = 6
-- try:
       if I[8:]: raise ValueError
       if I[9]: raise IndexError(v := 7)
       v = I[0]
   except IndexError: v += 6
## an index into what is no list
rows = HERE
try: v = rows[0][5]
except IndexError: v = 9
return v
-- [[1], [2]]; rows[0] = {5: 6}
-- []; rows.append({5: 6})
-- ["ab"]
-- [{5: 1}]
## kinds of values
def k(x): return 1 if isinstance(x, tuple) else 2
def mapped(f, c): return type(c)(f(e) for e in c)
def composed(f, g): return lambda x: f(g(x))
I = tuple(map(tuple, I))
HERE
-- return k(I), k(I[0]), k(I[0][0]), k(palette(I)), k(()), k(frozenset()), k(None)
-- return k([1]), k(([1],)), k([(1,)][0]), k(([1], 2)[0])
-- return isinstance([1], (list, tuple)), isinstance((1,), (list, tuple))
-- return isinstance(index(I, (9, 9)), int), isinstance(True, int), isinstance(I[0], (int, tuple))
-- return isinstance(palette(I), set), isinstance(1.5, int), isinstance(I[0][0], bool)
-- kinds = tuple, list
   return isinstance(I, kinds)
-- return list(map(type, I)), type(I[0]) == type([1])
-- return mapped(len, I), mapped(abs, palette(I)), k(mapped(len, [I])), type(I[0][0])(2)
-- x = [2, 1, 3]; del x[::2]; return k(x)
-- x = [2]; x.clear(); return k(x)
-- a, *b = 1, 2; return k(b)
-- x = 1,
   for v in I[0]: y, x = k(x), [v]
   return y
-- for v in I:
       if v: return k([v])
-- return k(list(itertools.product([[1]], [[2]]))[0][0])
-- return list(map(k, [[1], (1,)])), apply(k, ([1], (1,)))
-- return composed(k, lambda x: [x])(1), composed(k, composed(tuple, list))(I)
-- return k(defaultdict(list)[1]), k({1: [2]}.get(1)), k({1: (2,)}[1])
-- return k(functools.reduce(lambda a, b: [b], I[0], ())), sorted([[1]], key=k)
-- return k(identity(map(len, I)))
-- each = rapply; return each((k, k), [1])
'''

SOURCES = variants(PROGRAMS) | variants(PLAIN, begin="")


@pytest.mark.parametrize("source", SOURCES.values(), ids=SOURCES)
def test_a_program_means_what_python_means_or_is_refused(source):
    assert_same_or_refused(source)


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
