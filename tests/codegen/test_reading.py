"""Programs as people and models write them mean what Python means."""

import json
import os
import re
from itertools import product
from textwrap import indent

import pytest
from hypothesis import assume, given

import megabatt as mb
from megabatt import reading as reading_module
from megabatt.codegen.aliases import read_aliases
from megabatt.codegen.analysis.names import ATTEMPT
from megabatt.codegen.errors import place_of
from megabatt.codegen.operations.dictionaries import DICTIONARY_METHODS, MAKERS
from megabatt.codegen.operations.python_functions import BUILTINS, METHODS
from megabatt.codegen.rewriting.definitions import DEFINITIONS
from megabatt.codegen.sources.python import Reading, Source, Speech, read_python
from megabatt.runtime import arc
from megabatt.runtime.arc import LANGUAGE
from megabatt.runtime.engine.language.reasons import Reason
from tests.codegen.meaning import (
    GRID,
    IMPORTS,
    as_program,
    as_python,
    assert_as_python,
    assert_same,
    sections,
)
from tests.codegen.sources import flows, nearly_plain_sources, sources
from tests.megabatch.commands import ROOT, megabatt

GRIDS = [GRID, ((1, 0), (0, 2), (3, 3)), ((4,),)]

FORMS = """
## pairs of equally many elements
return [
    list(zip(I, I, strict=True)), list(zip(range(3), {1, 5, 7}, (1, 2, 3), strict=True)),
    list(zip(I, I[1:], strict=False)), list(zip((), (), strict=True)), [*zip(I, strict=True)]]
## hidden constants, inputs and primitives
T = tophalf(I)
S = ofcolor(I, FIVE)
C = mostcolor(I)
box = backdrop(S)
return (hmirror(T), fill(I, C, S), fill(I, ONE, box))
## a docstring, imports, print and a comment
'''Mirror.'''
import arc_dsl as d
from dsl import vmirror as flipped
x = d.hmirror(I)
print('x', x)  # a comment
return flipped(x)
## lambdas
n, m = height(I), width(I)
a, b, c, d, e = range(5)
return (
    argmax((1, 2), lambda v: -v), apply(lambda v: v * a + b - c * d + e, (1, 2)),
    apply(lambda v: apply(lambda u: u * v + m, (1, n)), (1, 2)),
    (lambda a, b: hconcat(b, a))(I, vmirror(I)), apply(lambda v, n=n: v * n, (1, 2)),
    papply(lambda a, b: a - b, (1, 2), (3, 4)), compose(lambda v: v + 1, lambda v: v * 2)(n))
## functions in a function
n = 2
def f(v):
    w = v * n
    return w + 1
def chosen(v):
    if v > 1:
        return 10 // (v - 2)
    return 0
def scaled(v, k=2, *, j=3):
    return v * k + j
def weighed(v, *, k):
    return v * k
return (
    weighed(n, k=3), (lambda *, a: a)(a=n),
    apply(f, (1, f(2))), apply(chosen, (0, 1, 3)), scaled(1), scaled(1, 5), scaled(v=2, j=0))
## choices of which one side may fail, and, or, not
n = 0
return (
    1 // n if n else 7, portrait(I) and 1, 0 or (), not I, not portrait(I), 1 and 2 or 3)
## comparisons
n, t, p = height(I), shape(I), palette(I)
return (
    n < 2, n <= 3, n > 2, n >= 3, n == 3, n != 3, 1 < n <= 3,
    t < (3, 5), t <= (3, 5), t > (1,), t >= (3, 6),
    p < {0, 1, 2, 3, 4, 5}, p <= p, p > {1}, p >= {9}, 1 in p, 7 in (7, 8), 9 not in p)
## bits of numbers, Booleans and sets
a, z = [v for row in I for v in row], 0
s = set(a)
s ^= {0, 9}
for v in a:
    z = z * 2 % 7 ^ v
    z |= v > 2
return (
    [(v & 1, v | 2, v ^ 3, v & -2, -v | 1, -v ^ v) for v in a], 5 & 3, 5 ^ True, z, s,
    [(v > 1) ^ (v < 5) for v in a], [(v > 1) & v for v in a], {1, 2} ^ {2, 3}, palette(I) ^ {0})
## the elements of containers as arguments
def f(a, b, *c, k=2):
    return (a, b, c, k)
def all_of(*a):
    return a
r = I[0]
return (
    max(*r), min(*r, 7), max(*I), [*map(max, *I)], [*map(all_of, *I)], all_of(*r, *I), all_of(),
    f(1, 2), f(1, *r), f(1, 2, 3, k=4), [*map(min, r, r[::-1], I[1], r)], [*zip(r, *I)],
    [*map(lambda *a, n=3: a[::-1] + (n,), *I, r)], papply(all_of, r, r), apply(all_of, r),
    [*map(lambda a, b: a - b, *I[:2])], max(*I[:1]))
## slices that change
p, q = list(range(6)), [list(row) for row in I]
p[4:2] = [9]
p[-2:] = (5, 5, 5)
p[:1] = []
p[100:], p[-100:1] = [1], {4}
del p[1:3]
p[(None if I else 1):1] = [6]
q[0][:2], q[-1][1:] = [7, 8, 9], sorted(q[0])
del q[1][:-1]
return (p, q)
## products, combinations, permutations, and a helper that returns nothing
from itertools import combinations, permutations
def none(v):
    if v > 2:
        return
    return v
row = I[0]
return (
    list(itertools.product(row, (7, 8))), list(itertools.product((0, 1), repeat=3)),
    list(combinations(row, 2)), list(combinations(row, 3))[-1], list(combinations((1, 2), 3)),
    list(permutations((4, 5, 4))), list(permutations(row, 2)), [none(v) for v in row],
    sum(a * b for a, b in itertools.product(row, row)), list(itertools.product()),
    [math.gcd(a, b) for a in (0, 4, -6, 9) for b in (0, 6, 12)], list(permutations(range(3), 0)))
## text that is compared, or a key
kinds = {"tall": 1, "wide": 2}
kind = "tall" if height(I) > width(I) else "wide"
side, seen = "left", []
for name, v in (("left", 3), ("right", 4), (kind, 5)):
    if name == side or name in ("wide", "none"):
        seen.append(v)
ordered = sorted([("b", 1), ("a", 9), ("ab", 3)])
return (
    kinds[kind], kinds.get("none", 7), kind != "tall", seen, [v for _, v in ordered],
    max("ab", "b") == "b", {"a", "b"} == {"b", "a"}, len({"a", "b", "a"}), bool(side), "1" == 1)
## what is popped within expressions
left, groups, lines = {(i, i // 2) for i in range(5)}, [], [[1, 2], [3, 4, 5], [6]]
while left:
    todo = [left.pop()]
    while todo:
        i, j = todo.pop()
        todo.extend([c for c in left if c[0] == i + 1])
        left -= set(todo)
        groups.append(i - j)
p, q, total = [3, 1, 2, 5], list(range(9)), 0
p.append(p.pop(0))
lines[0].append(lines[1].pop())
a, b = (p.pop(), p.pop(-1)), q.pop() + q.pop(0) * 2
while q.pop() > 5:
    total += q[-1]
for v in lines.pop() + [9]:
    total += v
total -= lines[-1].pop()
if lines.pop()[0] == 3:
    total *= 2
counts = {1: 5, 2: 7}
total += counts.pop(2, 0) - counts[1]
s = set(q)
total += (s - {7}).pop() + {v + 1 for v in p}.pop() + set(p).pop() + [v for v in q].pop()
total += sorted(q).pop() + (s & {7, 8}).pop() if 7 in s else list(p).pop()
return (groups, p, q, lines, a, b, total)
## assignments in expressions
def tall(g):
    if not (rows := [r for r in g if any(r)]):
        return 0
    elif (n := len(rows)) > 1 and rows[0]:
        return n * 10
    return n
k, left = 0, [3, 1, 2]
while (k := k + 1) < 9:
    if k == 2:
        continue
    if k * k > 40:
        break
while (last := left[-1]) < 3:
    left.pop()
x = [a := height(I), (b := (c := a + 1) * 2), c]
for v in (w := [1, 2]):
    k += v * len(w)
return (
    tall(I), tall(I[:1]), k, left, last, x, a, b, c,
    [(y, y * 2) for row in I if (y := sum(row)) > 2 if y % 2 == 0],
    {i: t for i, r in enumerate(I) if (t := max(r))}[0],
    [q for r in I if (p := set(r)) and (q := len(p)) > 1],
    [lo + hi for r in I for v in r if max(v, (lo := v - 1), (hi := lo * 2)) > 1 and hi < 9])
## functions of Python, and of optional arguments, that are called with two values
def f(a, b=2):
    return a * b
return (
    papply(max, I[0], I[1]), prapply(min, I[0], (1, 2)), mpapply(range, I[0], I[1]),
    fold(max, 0, I[0]), functools.reduce(min, I[0]), list(map(max, I[0], I[1])),
    fork(max, height, width)(I), papply(b=I[0], a=I[1], function=f), apply(f, I[0]),
    list(map(f, I[0], I[1])), apply(max, I), lbind(f, 3)(4), rbind(f, 3)(4))
## functions that a condition chooses
f = max if portrait(I) else min
if width(I) > 2:
    k = 2
    def g(x, n=3):
        return (x, n, k)
else:
    k = 5
    def g(x, n=4):
        return (n, x)
k = 7
def chosen(c):
    if c:
        return lambda x, y=2: x - y
    return add
return (
    f(height(I), 2), f(I[0]), papply(f, I[0], I[0][1:]), g(1), g(1, n=2), apply(g, (1, 2)),
    chosen(portrait(I))(5, 1), papply(chosen(square(I)), I[0], I[0]),
    (add if square(I) else max)(3, 4))
## methods of tuples that a comprehension or a primitive merges, and methods that are values
flat = [v for row in I for v in row]
of_first = I[0].count
twice = flat + flat
return (
    twice.index(flat[-1], len(flat)), twice.index(flat[0], -len(flat)), twice.index(0, -99, 99),
    flat.count(0), flat.index(0), mfilter(I, first).count(2), mapply(dedupe, I).count(0),
    max(palette(I), key=flat.count), sorted(flat, key=flat.index), of_first(0),
    apply(palette(I).union, ({7}, {8})), apply((1, 2, 2).count, (1, 2)))
## an argument with a star, and statements behind a return
t = (I, vmirror(I))
def f(a, b, c):
    return (a, b, c)
return hconcat(*t), f(*t, 1), f(1, *t), f(*shape(I), c=size)
return 1
## what changes in place return and take away
cells, sizes, k = {(i, j) for i, row in enumerate(I) for j, v in enumerate(row) if v}, [], -2
while cells:
    first_cell = cells.pop()
    waiting, count = deque([first_cell]), 0
    while waiting:
        i, j = waiting.popleft()
        count += 1
        for cell in ((i + 1, j), (i - 1, j), (i, j + 1), (i, j - 1)):
            if cell in cells:
                cells.remove(cell)
                waiting.append(cell)
    sizes.append(count)
line = deque((1,))
line.appendleft(0)
numbers, none, kept = [3, 1, 2, 3, 5, 6], [1], {1, 2, 3}
numbers.remove(3)
second = numbers.pop(1)
late = numbers.pop(k)
none.clear()
kept.difference_update([1])
kept.intersection_update((2, 3))
gone = kept.copy()
gone.clear()
return (sorted(sizes), line.copy()[0], numbers, none, kept, gone, second, late, divmod(-7, 2))
## names that are deleted
x, y = I, vmirror(I)
z = hconcat(x, y)
del x, y
return z
## lists that change behind functions that look at parts of them, and are sorted beside them
cells, pairs, many = {}, [], []
for i in range(size(I)):
    for j in range(size(I[0])):
        seen = cells.get(I[i][j], [])
        many.append(len(seen))
        cells.setdefault(I[i][j], []).append((i, j))
    pairs.append((sorted(I[i]), i))
def found(colors):
    kept = []
    for color in colors:
        kept.extend(cells.get(color, []))
    return kept
def longest(i):
    row, number = pairs[i]
    best = row
    return len(best) + number
pairs.sort(key=lambda pair: (-len(pair[0]), pair[1]))
kept = found((0, 1))
kept.append(longest(0))
cells.setdefault(0, []).append((9, 9))
return kept, list(cells.items()), pairs, many
## names around functions that change them
out, n, cells, todo = [list(row) for row in I], 0, set(), []
def move(i, j, color):
    nonlocal n
    for k in range(j + 1, len(out[0])):
        if out[i][k]:
            out[i][k - 1] = color
            return
        cells.add((i, k))
    n += color
def later(cell):
    todo.append(cell)
    move(*cell, 3)
for i in range(len(out)):
    move(i, 0, i + 1)
    later((i, 0))
return (out, n, cells, todo)
## tests that change what they may skip, and dictionaries that functions change
def fill(rows, i, j, color):
    if rows[i][j]:
        return False
    rows[i][j] = color
    return True
def mark(seen, k):
    seen[k] = seen.get(k, 0) + 1
    return k
out, n, left, k, seen = [list(row) for row in I], 0, [1, 2, 3, 4, 5], 0, {}
for i in range(len(out)):
    for j in range(len(out[0])):
        if i != j and fill(out, i, j, 7):
            n += mark(seen, i)
        elif j > 1 or fill(out, i, j, 8) and n < 3:
            n += 10
        elif not fill(out, i, j, mark(seen, out[i][j])) and j:
            n += 100
mark(seen, 9)
while left and left.pop() > 2:
    n += len(left)
if left and (k := left[0]) > 0 and (k > 5 or left.pop() == 1):
    k += 7
left.append(k)
return (out, n, left, list(seen.items()))
## changes within expressions
q, n, x, out = list(range(30)), 0, [[1], [2]], []
def put(v):
    q.append(v)
    x[0] = [n, v]
    return len(q)
def inc():
    nonlocal n
    n += 1
    return n
out.append((x[0][0], put(3), q.pop(), x[0][1]))
out.append(n + inc() + q.pop() + n)
n = n + (inc() and q.pop())
out.append((n, inc(), n, q.pop(), n, len(q), put(1), q[-1]))
out.append([v + n for v in q[:5] if inc() % 2 and q.pop()])
out.append((x[0][1] if put(2) > 9 else q.pop(), q.pop() if n else inc()))
q[inc() % 2] = put(4)
out.append([v for v in I[0] + I[1] if v not in x[1] and not x[1].append(v)])
out.append(max(n, inc(), q.pop(), n) + sum((put(v) for v in (1, 2)), n))
return (out, q, n, x)
## exceptions that are not raised
def first(rows, color):
    for row in rows:
        if color in row:
            return row, "found"
        for v in ():
            raise ValueError(v)
    raise LookupError
def sign(row):
    if len(row) > 50:
        raise ValueError
    return "long" if len(row) > 2 else "short"
row, mark = first(I, I[0][0])
if sign(row) != "long":
    for v in row:
        raise ValueError
return (row, mark == "found", sign(row) == "long")
## names that one side of a choice assigns
if len(I) > 2:
    row, kind = 1, "row"
    cells = [4]
elif len(I) > 1:
    column, kind = 2, "column"
    others = [5]
else:
    return 7
if kind == "row":
    cells.append(row)
    return cells
others.append(column)
return others
## values that may fail, of names that one side of a choice assigns
def cells(k):
    if k > 5:
        v, d = I[k][0], {1: I[k]}
    return [v + len(d[1]) if k > 5 else w for w in I[0]]
return [cells(k) for k in I[0]]
## values that may fail, which a loop would read if it did something
pair, n = next((row for row in I if row[0] > 20), None), 1
if pair:
    first, second = pair
for row in I[9:]:
    if row:
        for v in row:
            pass
    n += 1
return n
## several starred arguments
f = (lambda a, b, c: a - b * c) if len(I) > 2 else (lambda a, b, c: a + b * c)
size_of = lambda a, b, c, d, e: (a, e, b + c + d)
p, q = (1, 2), [3]
return f(*p, *q), f(*q, *p), size_of(*p, 4, *q, 5), f(*(1, 2, 3)), max(*p, *q)
## starred arguments, where others have defaults
def part(a, b=-7, c=None, *, d=3):
    return (a, b, c, d)
pairs = [(v, *row[3:]) for row in I for v in row]
found = [part(*pair) for pair in pairs] + [part(0, *pair, d=4) for pair in pairs if len(pair) < 3]
def picked(*rows, k=0):
    return rows[k]
turned = [*zip(*I, strict=True)], max(*I, [9], key=len), picked(*I, k=-1)
ranges = [[*range(*(1, len(I), 2)[: k + 1])] for k in range(3)]
return found, turned, part(*I[0][:1], c=5), ranges, min(*I[0], 3, key=lambda v: -v)
## characters of texts
steps = {"U": (-1, 0), "D": (1, 0), "UD": (2, 2)}
ways = {1: "U", 2: "UD", 0: "DU", 3: (4, 5)}
tiles = ["010", "111"]
side = "left" if len(I) > 2 else "right"
out = [steps[way] for way in "UDU"]
for row in I:
    for v in row:
        for way in ways.get(v, ()):
            out.append(steps.get(way, way))
corners = {"TL": (0, 1), "BR": (1, 0)}
best = min(corners, key=lambda corner: corners[corner])
first, last = best
for corner, (r, c) in corners.items():
    one = corner[-1]
    out.append((r, c, corner[r] == "T", corner[c] in ("B", "L"), one == "R", corners[corner]))
turn, (one, other) = "UD" if I[0][0] else "DU", "LR"
out += [steps[turn[k]] for k in range(2)] + [turn[0] == "U", turn == "UD", other == "R"]
return (
    best == "TL", first == "T", last in "LR", "B" in best, out,
    [[int(one) + 1 for one in tile] for tile in tiles], "e" in "left", "ab" in "cab",
    side in "a left b", "abc"[1] == "b", [k for k, one in enumerate("xyx") if one == "x"],
    len("abc"), side == "left")
## lists that get new lists by `+=`
out, rows = [[0]], [[1], [2]]
for row in I:
    out += [[]]
    for v in row:
        out[-1] += [v + 1]
out += rows
out += map(list, I)
out[-1].append(3)
out[len(I) + 1].append(4)
return out
## dictionaries and lists in others that change by the same methods
maps, lists = [{k: k + 1 for k in row} for row in I], [[3, 4, 5], [6, 7]]
counts = {1: {2: [3], 4: [5]}, 2: {}}
maps[0].update({9: 1})
del maps[0][I[0][0]]
popped = maps[-1].pop(I[-1][-1], 0), maps[-1].pop(77, 8), lists[0].pop(1), counts[1].pop(2)
counts[2].update(counts[1])
counts[1].clear()
lists[1].clear()
del lists[0][0]
return ([sorted(one.items()) for one in maps], lists, popped,
        [sorted(one.items()) for one in counts.values()])
## a generator beside counters and new dictionaries
def bars(g):
    for c in range(len(g[0])):
        r = 0
        while r < len(g):
            if g[r][c]:
                yield c, r
            r += 1
out = [list(row) for row in I]
for c, r in bars(I):
    found, x = {}, 0
    while x < c:
        x += 1
        found[x] = I[r][x]
    for k, v in found.items():
        out[r][k - 1] = v
return out
## lists that a name read before, in the test of an `if`, in one side, or in the head of a loop
out = [list(row) for row in I]
for r in range(len(out)):
    row = out[r]
    if max(row) > 2:
        out[r][0] = 5
    elif row[0] == 1:
        n = len(row)
        out[r][-1] += n
    else:
        out[r][0] += 1
top = out[0]
for k, v in enumerate(list(top)):
    out[0][k] = v + k
return out
## keys of functions that give what they are given
def same(x): return x
found = {}
for v in I[0]:
    found.setdefault(v, []).append(len(found))
for v in I[1]:
    found.setdefault(v, []).append(9)
best = min(found, key=lambda k: (sum(same(found[k])), k))
return best, sorted(found, key=lambda k: same(found[k]))
## functions that add to what they are given, beside others that only read it
def inner(seen, v):
    seen |= {v, v + 1}
    return len(seen)
def put(found, cells, v, n=0):
    n += inner(found, v)
    found -= {1}
    cells += [n]
    return n
found, cells = set(), []
put(found, cells, 7)
for v in I[0]: n = put(found, cells, v)
return found, cells, n
## functions that change a list of which another argument is computed
def paint(rows, cells, color):
    for i, j in cells: rows[i][j] = color
    return rows
def found(rows, color):
    return [(i, j) for i, row in enumerate(rows) for j, v in enumerate(row) if v == color]
out = [list(row) for row in I]
out = paint(out, found(out, 1), max(map(max, out)) + 1)
paint(out, [p for p in found(I, 0) if out[p[0]][p[1]] < 1], color=sum(map(len, out)))
n = len(paint(out, found(out, 2), out[0][0]))
return n, paint(out, found(out[::-1], 5)[:1], 8)
## functions that change in a loop over the keys what they find there
parent = {v: v // 2 for row in I for v in row}
parent[0] = 0
def find(x):
    while parent.setdefault(x, 0) != x:
        parent[x] = parent.get(parent[x], 0)
        x = parent[x]
    return x
def root(x):
    if parent[x] != x:
        parent[x] = root(parent[x])
    return parent[x]
for x in list(parent): find(x)
found = [root(x) for x in list(parent)]
for x in parent:
    found.append(root(x))
    parent[0] += 0
counts = Counter(find(x) for x in found)
return found, sorted(parent.items()), sorted(counts.items())
## loops with else
n = 0
for row in I:
    for v in row:
        if v == 7:
            break
        n += v
    else:
        n += 100
        continue
    n += 1000
while n > 2000:
    n -= 1000
else:
    n += 1
return n
"""


SOURCES = {
    "an exception of its own": (
        "class Found(Exception):\n    pass\ndef solve(I):\n    try:\n        for row in I:\n"
        "            if row[0] > 1:\n                raise Found(row)\n        row = [3]\n"
        "    except Found as found:\n        row = found.args[0]\n    return tuple(row)\n"
    ),
    "a helper that is a value": ("def twice(v):\n    return double(v)\n"
                                 "def solve(I):\n    return apply(twice, (1, 2))\n"),
    "constants of a module": ("N = 3\nA, B = 1, N\nP = (N, N)\nf = compose(double, size)\n"
                              "def solve(I):\n    return (N, A, B, P, f(I))\n"),
    "what a module computes": ("N = double(TWO)\ndef solve(I):\n"
                               "    return apply(lambda v: v + N, (N, 1))\n"),
    "a grid by another name, and a default": "def solve(grid, k=2):\n    return upscale(grid, k)\n",
    "a main guard": ("from dsl import *\ndef solve(I):\n    return vmirror(I)\n"
                     "if __name__ == '__main__':\n    print(solve(((1,),)))\n"),
    "imports that may fail": ("try:\n    from dsl import vmirror as f\nexcept ImportError:\n"
                              "    f = hmirror\ndef solve(I):\n    return f(I)\n"),
    "a lambda": "solve = lambda I: vmirror(I)\n",
    "a helper before and behind": ("def solve(I):\n    return f(g(I))\ndef g(x):\n    return f(x)\n"
                                   "def f(x):\n    return hconcat(x, x)\n"),
    "targets of a module": ("F, *R = (1, 2, 3)\n*A, B = R\n(C, D), E = (1, 2), 3\n"
                            "def solve(I):\n    return (F, R, A, B, C, D, E)\n"),
    "defaults that are computed": ("K = TWO\ndef f(x, k=add(K, 1), g=lambda v: v + K):\n"
                                   "    return apply(lambda v: g(v) * k, x)\n"
                                   "def solve(I):\n    return f((1, 2)), f((3,), g=double)\n"),
    "functions in what a module computes": ("def f(g, x):\n    return g(g(x))\n"
                                            "N = f(lambda v: v * 3, TWO)\n"
                                            "def solve(I):\n    return N\n"),
    "a star import": ("from collections import *\ndef solve(I):\n"
                      "    return Counter(I[0]).most_common(1)[0]\n"),
    "what a loop first reads in a round that is read again": (
        "N = [a * 2 for a in (1, 2)]\ndef solve(I):\n    x = [[0]]\n    for r in I:\n"
        "        x = [[v in N for v in r], x[0]]\n    return x\n"),
    "lambdas with `:=`": "solve = lambda I: [n := len(I), [m for r in I if (m := max(r)) > n]]\n",
    "a program that calls itself beside NumPy": (
        "import numpy as np\ndef solve(I, k=0):\n    a = np.array(I)\n"
        "    if a.shape[0] < a.shape[1] and k < 2:\n"
        "        return np.array(solve(a.T.tolist(), k + 1)).T.tolist()\n    elif a[0, 0] == 0:\n"
        "        a[0] = 5\n    return a.tolist()\n"
    ),
    "a primitive of one's own": ("def height(x):\n    return 7\n"
                                 "def solve(I):\n    return height(I)\n"),
}  # fmt: skip


WHOLE = """
## setdefault: chains
def solve(grid):
    d, e = {}, {}
    for i, row in enumerate(grid):
        for v in row:
            d.setdefault(v, []).append(i)
            e.setdefault(v, {})[i] = v
            e.setdefault(v, {}).setdefault(i + 1, [])
    f = {}
    for v in grid[0]:
        f.setdefault(v, [0, 0])[1] += 1
    return tuple(d.items()), tuple((k, tuple(x.items())) for k, x in e.items()), tuple(f.items())
## setdefault: lens
def solve(grid):
    d = {}
    n = 0
    for row in grid:
        n += len(d.setdefault(row[0], [1, 2]))
        if row[0] in d and len(d.setdefault(row[0], [])) > 1 and d.setdefault(row[1], [5])[0] == 5:
            n += 10
    return n, tuple(d.items())
## setdefault: popitem
def solve(grid):
    d = {v: i for i, row in enumerate(grid) for v in row}
    out = []
    while d:
        k, v = d.popitem()
        out.append((k, v))
    return out, len(d)
## a generator: counts
def cells(I):
    for r, row in enumerate(I):
        for c, v in enumerate(row):
            yield r, c, v
def solve(I):
    count, pos, seen = {}, {}, [0] * 10
    for r, c, v in cells(I):
        count[v] = count.get(v, 0) + 1
        sr, sc = pos.get(v, (0, 0))
        pos[v] = (sr + r, sc + c)
        seen[v] += 1
    return tuple(count.items()), tuple(pos.items()), seen
## kinds of values
def indices(patch):
    if len(patch) == 0:
        return frozenset()
    first = next(iter(patch))
    if isinstance(first, tuple) and len(first) == 2 and isinstance(first[1], tuple):
        return frozenset(index for value, index in patch)
    return patch
def mirrored(piece):
    return piece[::-1] if isinstance(piece, tuple) else frozenset((-i, j) for i, j in piece)
def plus(a, b):
    if isinstance(a, int) and isinstance(b, int):
        return a + b
    elif isinstance(a, tuple):
        return plus(a[0], b), a[1]
    return b[0] + a, b[1]
def mapped(function, container):
    return type(container)(function(e) for e in container)
def fixed(function, value):
    count = function.__code__.co_argcount
    if count == 2:
        return lambda x: function(x, value)
    elif count == 3:
        return lambda x, y: function(x, y, value)
    return lambda x, y, z: function(x, y, z, value)
def composed(f, g):
    return lambda x: f(g(x))
def solve(I):
    cells = [list(row) for row in I]
    cells[0][0] = 9
    parts = mapped(indices, objects(I, T, F, T))
    again = indices({(1, 2)}), indices([(3, (1, 2))]), indices(()), isinstance(cells, (list, tuple))
    flat = tuple(tuple(row) for row in cells)
    return (
        parts, again, mirrored(flat), apply(mirrored, parts), plus(1, 2), plus(1, (2, 3)),
        mapped(fixed(plus, (1, 2)), (4, 5)), mapped(size, {(1, 2), (3,)}), mapped(max, I),
        composed(composed(len, tuple), composed(mirrored, mirrored))(I), fixed(replace, 7)(I, 1),
        [isinstance(x, (int, tuple)) for x in (1, (), None, True, index(I, (99, 9)))])
## recursion: options
def solve(grid):
    g = tuple(map(tuple, grid))
    R, C = min(len(g), 4), min(len(g[0]), 4)
    def best(r, c):
        here = 1 if g[r][c] else 0
        if r == R - 1 and c == C - 1:
            return here
        options = []
        if r + 1 < R:
            options.append(best(r + 1, c))
        if c + 1 < C:
            options.append(best(r, c + 1))
        return here + max(options)
    return best(0, 0)
## recursion: cells
def solve(grid):
    seen = set()
    def cells(i, j):
        if not (0 <= i < 4 and 0 <= j < 4) or (i, j) in seen:
            return []
        seen.add((i, j))
        found = [(i, j)]
        found += cells(i + 1, j)
        for k in (-1, 1):
            found.extend(cells(i, j + k))
        return found
    return cells(1, 1), len(seen)
## recursion: a number to which results are added
def edges(grid, i, j, seen):
    if not (0 <= i < len(grid) and 0 <= j < len(grid[0])) or i > 3 < j:
        return 1
    n, inside = 0, 1
    if (i, j) in seen:
        return n
    seen.add((i, j))
    for k in (-1, 1):
        n += edges(grid, i + k, j, seen)
        n -= -edges(grid, i, j + k, seen)
        inside -= k
    return n + inside
def solve(grid):
    return edges(grid, 0, 0, set())
## a loop over a copy of what a function changes
def solve(grid):
    parent = {(i, j): (0, j) for i in range(3) for j in range(3)}
    def find(x):
        while parent[x] != x:
            parent[x] = parent[parent[x]]
            x = parent[x]
        return x
    for i, j in list(parent):
        parent[find((i, j))] = find((j, i))
    return [find(x) for x in list(parent)]
## recursion: a list that all calls are given, and return
def collect(grid, i, j, cells=None, seen=None):
    if cells is None:
        cells = []
    if seen is None:
        seen = set()
    if (i, j) in seen or not (0 <= i < len(grid) and 0 <= j < len(grid[0])) or i > 3 < j:
        return cells
    seen.add((i, j))
    cells.append((i, j))
    collect(grid, i + 1, j, cells, seen)
    return collect(grid, i, j - 1, seen=seen, cells=cells)
def filled(rows, i):
    if i < len(rows):
        rows[i][0] = i
        filled(rows, i + 2)
    return rows
def solve(grid):
    return collect(grid, 1, 1), len(collect(grid, 0, 0, [5])), filled([list(r) for r in grid], 0)
## recursion: loop
def solve(grid):
    def f(n):
        parts = []
        for k in range(n):
            parts.append(f(k) + 1)
        if not parts:
            return 1
        return sum(parts) + parts[0] * 2
    return f(4), f(len(grid))
## an index: test with short circuit
def solve(I):
    out = []
    for y in range(-2, 5):
        for x in range(-2, 7):
            try:
                if y < 0 or x < 0 or I[y][x] != 0:
                    continue
            except IndexError:
                continue
            out.append((y, x))
    return out
## an index: store
def solve(I):
    out = [[0] * len(I[0]) for _ in I]
    for r in range(-4, 5):
        try:
            out[r][r + 1] = I[r][0]
        except (IndexError, KeyError):
            pass
    return out
## an index: append and return
def solve(I):
    try:
        h, w = len(I), len(I[2])
    except IndexError:
        return I
    rows = [row[:] for row in I]
    def at(k):
        try:
            if k == 1:
                raise IndexError(f"{k} of {rows[k]}")
            return rows[k]
        except IndexError:
            return None
    n = []
    for k in range(5):
        try:
            n.append(rows[k][1] + rows[0][0])
        except IndexError:
            break
    return [at(k) for k in range(4)], n, h, w
"""
SOURCES |= sections(WHOLE)
for form, lines in sections(FORMS).items():
    SOURCES[form] = f"{IMPORTS}def solve(I):\n{indent(lines, '    ')}"


@pytest.mark.parametrize("kind", SOURCES)
def test_a_source_means_what_it_means_in_python(kind):
    (program,) = mb.parse(SOURCES[kind], strict=True)
    assert program.name == "solve"
    for grid in GRIDS:
        try:
            expected = as_python(SOURCES[kind], "solve", grid)
        except (ValueError, IndexError, TypeError, ZeroDivisionError):
            assert grid != GRID
            continue
        assert_same(as_program(program, grid), expected)


def test_the_last_definition_of_a_name_is_read_though_one_before_names_it():
    source = "def p(I):\n    return hmirror(p(I))\ndef p(I):\n    return vmirror(I)\n"
    assert_same(as_program(mb.parse(source)[-1], GRID), as_python(source, "p", GRID))


CHANGES = [
    "A = 1\nB = A\nA = 2", "A = (1,)\nB = A\nA += (2,)",
    "A = 1\ndef f(g, k=A):\n    return k\nA = 2\nB = f(0)", "A = 1\nB = 2\ndel B\nB = 3",
    "f = hmirror\nhmirror = vmirror\nA, B = f(((1, 2),)), hmirror(((1, 2),))",
    "def f(x):\n    return 1\nA = f(0)\ndef f(x):\n    return 2\nB = f(0)",
    "A = B = 0\nfor A in (1, 2):\n    B += A", "A = B = 1\ntry:\n    B = 0\nfinally:\n    A = 5",
    "A = [1, 2] if size((1,)) else {2}\nB = A.pop()", "B = A = [1, 2]\nA.append(5)",
    "A = [1, 2]\nassert A\nB = A.pop()",
]  # fmt: skip


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("read", ["A", "B", "(A, B)"])
def test_what_a_module_changes_is_read_as_python_leaves_it_or_refused(change, read):
    function = f"{change}\ndef solve(I):\n    return {read}\n"
    for source in function, f"{change}\nO = {read}\n":
        for program in mb.parse(source):
            if program.name in ("solve", "program"):
                assert_same(as_program(program, GRID), as_python(function, "solve", GRID))


def test_beside_numpy_the_third_call_of_a_program_within_itself_fails():
    source = (
        "import numpy as np\ndef solve(I):\n    a = np.array(I)\n    if len(a) > 1:\n"
        "        return solve(a[1:].tolist())[::-1]\n    return a.tolist()\n"
    )
    (program,) = mb.parse(source, strict=True)
    grids = [((0, k),) * (k + 1) for k in range(4)]
    assert mb.evaluate([program], [(g, None) for g in grids]).failed.tolist() == [[0, 0, 0, 1]]


def test_hundreds_of_elif_are_read():
    ways = "".join(f"    elif len(I) == {k}:\n        n = {k}\n" for k in range(400))
    source = f"def solve(I):\n    if not I:\n        n = 0\n{ways}"
    assert_as_python(f"{source}    for row in I:\n        n += len(row)\n    return n\n")


def test_numbers_that_hundreds_of_conditions_change_go_through_loops():
    steps = "".join(f"        if t > {k}:\n            t = t - s\n" for k in range(150))
    assert_as_python(
        f"def solve(I):\n    t, s = 99, 1\n    for row in I:\n{steps}"
        "        for v in row:\n            s = s + v\n            t = t + s\n    return t\n"
    )


VALUES = ["(1, 2)", "{1, 3}", "()", "frozenset()", "(3)"]
USES = [*(f"{{}}.{name}({{}})" for name in METHODS), "{} | {}", "{} - {}", "{} & {}"]


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("form", ["{}", "first(({}, 0))"], ids=["known", "computed"])
def test_operations_that_python_refuses_of_tuples_or_sets_are_refused_or_fail(use, form):
    read = []
    for a, b in product(VALUES, repeat=2):
        if (use == "{} & {}" and "()" in (a, b)) or (use[3] in "|&" and (a, b) == ("(3)", "(3)")):
            continue  # `()` stands for the empty set, and Integers have no bits
        source = f"def solve(I):\n    return {use.format(form.format(a), form.format(b))}\n"
        try:
            expected = as_python(source, "solve", GRID)
        except Exception as error:
            expected = error
        programs = mb.parse(source, strict=not isinstance(expected, Exception))
        read += [(program, expected) for program in programs]
    found = mb.evaluate([program for program, _ in read], [(GRID, None)], outputs="all")
    for k, (_, expected) in enumerate(read):
        if isinstance(expected, Exception):
            assert found.failed[k, 0] > 0, read[k]
        else:
            assert_same(found.output(k, 0), expected)


@given(sources() | flows())
def test_a_drawn_program_means_what_it_means_in_python(source):
    grid = [list(row) for row in GRID] if re.search(r" I(\[|\.append)", source) else GRID
    try:
        expected = as_python(source, "solve", grid)
    except Exception:
        assume(False)
    programs = mb.parse(source)
    if programs.errors:
        is_no_number = "of sets and numbers, not of tuples" in programs.errors[0].message
        assert is_no_number or "p, q, r, s" in source  # values that may change may be refused
        return
    evaluation = mb.evaluate(programs, [(GRID, None)], outputs="all")
    if Reason.LIMIT not in {step.reason for step in evaluation.trace(0, 0).steps}:
        assert_same(evaluation.output(0, 0), expected)


OF_TWO_NAMES = [
    "    if I[0]:\n        for v in I:\n            {0}, {1} = v, v[0]\n"
    "    else:\n        {0}, {1} = 1, 2\n    return [[{0}, {1}, {0}]]\n",
    "    return [[{0} := [x := {1}.pop(), {0}][{1}.count(x) > 2] for _ in I[0]]\n"
    "            for *{1}, in I if [{0} := 0]]\n",
]


@pytest.mark.parametrize("body", OF_TWO_NAMES)
def test_a_source_has_the_same_operations_in_every_process(body):
    """Python orders a set of names by their hashes, which differ from process to process."""
    source = f"def solve(I):\n{body}"
    names = [(f"{letter}_one", f"{letter}_two") for letter in "abcdefghijklmnop"]
    programs = {mb.parse(source.format(*pair), strict=True)[0].operations for pair in names}
    assert len(programs) == 1


@given(nearly_plain_sources())
def test_plain_sources_are_read_as_others_are(text):
    fast, slow = Reading([], [], []), Reading([], [], [])
    speech = Speech(LANGUAGE)
    read_python(Source("a.py", text), speech, fast)
    speech.plain = NothingIsPlain()
    read_python(Source("a.py", text), speech, slow)
    assert [read.program for read in fast.programs] == [read.program for read in slow.programs]
    assert fast.errors == slow.errors and fast.notes == slow.notes
    for one, other in zip(fast.programs, slow.programs, strict=True):
        (name, operations), (same_name, same_operations) = one.where(), other.where()
        assert place_of(name) == place_of(same_name)
        assert list(map(place_of, operations)) == list(map(place_of, same_operations))


class NothingIsPlain:
    def read(self, text):
        return None


PAGE = (ROOT / "docs" / "reading.md").read_text()
SHOWN = re.findall(r"```python\n(# What.*?)```", PAGE, re.DOTALL)


@pytest.mark.parametrize("source", SHOWN)
def test_sources_on_the_page_mean_what_they_mean_in_python(source):
    programs = mb.parse(source, strict=True)
    assert len(programs) >= 3
    for program in programs:
        assert_same(as_program(program, GRID), as_python(source, program.name, GRID))


def test_the_page_names_every_function_of_python_s_that_is_read():
    names = {name.rpartition(".")[2] for name in {**BUILTINS, **MAKERS} if name.count(".") < 2}
    assert names - {"iter", ATTEMPT} <= set(re.findall(r"\w+", PAGE))
    assert {*METHODS, *DICTIONARY_METHODS} <= set(re.findall(r"\w+", PAGE))
    defined = [name.split(".") for name in DEFINITIONS if "." in name]
    names = {name for module, name in defined if module != "operator"}
    assert names <= set(re.findall(r"\w+", PAGE))


@pytest.mark.parametrize("use", ["range(low)", "I[low:]", "(low - low,)", "int(low)", "low & 1"])
def test_what_is_infinite_fails_where_python_has_no_finite_result(use):
    rows = "for i, row in enumerate(I):\n  if sum(row) > MOST:\n   low = min(low, i)\n"
    source = f"def solve(I):\n low = float('inf')\n {rows} return {use}\n"
    (program,) = mb.parse(source.replace("MOST", "100"))
    assert mb.evaluate([program], [(GRID, None)]).failed[0, 0]
    assert_as_python(source.replace("MOST", "0"))


def test_a_sum_rounds_from_its_start_on():
    """As in Python 3.12."""
    sums = "sum([0.2] * 3, 0.3), sum((1, 0.1, 0.1), 0.0), sum(I[0], 5)"
    (program,) = mb.parse(f"def solve(I):\n    return {sums}\n")
    assert as_program(program, GRID) == (0.9, 1.2, 5 + sum(GRID[0]))


@pytest.mark.parametrize("deep", ["1" + "+1" * 900, "-" * 900 + "1"])
def test_reals_are_looked_for_in_deep_sources_too(deep):
    function = f"def solve(I):\n    low = float('inf')\n    low = {deep}\n    return low\n"
    (error,) = mb.parse(function).errors
    assert error.message == "nested too deeply"
    assert len(mb.parse(f"x = {deep}\ninf = 3\ndef solve(I):\n    return I\n")) == 1


@pytest.mark.parametrize("count", range(6))
@pytest.mark.parametrize("name", {**BUILTINS, **MAKERS})
def test_a_call_with_any_number_of_arguments_is_read_or_a_mistake(name, count):
    imports = f"import {name.partition('.')[0]}\n" if "." in name else ""
    call = f"{name}({', '.join(['I'] * count)})"
    programs = mb.parse(f"{imports}def solve(I):\n    return {call}\n")
    assert len(programs) + len(programs.errors) == 1


@pytest.mark.parametrize(
    "lines",
    [
        "if I:\n        continue", "for a in I: pass\n    else: break",
        "for a in I:\n        def f(b): break\n        f(a)",
        "while I: I.pop()\n    if len(I) > 1: break",
    ],
)
def test_what_leaves_a_loop_stands_in_one(lines):
    (error,) = mb.parse(f"def solve(I):\n    {lines}\n    return I\n").errors
    assert re.fullmatch("`(break|continue)` stands in no loop: leave it out", error.message)


@pytest.mark.parametrize("name, is_read", [("M", True), ("N", False), ("T", False), ("f", False)])
@pytest.mark.parametrize(
    "statement",
    [
        "for N in (1, 2): T[N] = f = N", "while N < 3: N += 1; T.append(N); f = N",
        "if f(T): N = 1; T[0] = 2; f = N", "with open('a') as f: T[0] = N = 1",
        "try: T.pop()\nexcept Exception: N, f = 1, 2",
    ],
)  # fmt: skip
def test_what_is_passed_over_outside_of_functions_changes_no_name_that_is_read(
    statement, name, is_read
):
    head = "def f(v):\n    return v\nM, N, T = 4, 5, [6, 7]"
    value = "f(M)" if name == "f" else name
    programs = mb.parse(f"{head}\n{statement}\ndef solve(I):\n    return {value}\n")
    assert ("solve" in [program.name for program in programs]) == is_read
    assert any("passed over" in note for note in programs.notes)
    (*_, message) = ["", *(error.message for error in programs.errors)]
    assert (message == "") if is_read else message.startswith(f"{name!r} is changed outside of")


def test_another_name_of_a_program_changes_nothing():
    text = "N = [3]\ndef paint(rows): rows[0] = N[0]\ndef solve(I):\n    x = list(I)\n"
    programs = mb.parse(f"{text}    paint(x)\n    return x\np = solve\n", strict=True)
    assert [program.name for program in programs] == ["solve", "p"]


def test_a_function_that_nothing_calls_is_passed_over_beside_a_program():
    text = "def unused(a, b): return a\ndef solve(I): return I\n"
    read = mb.parse(text, strict=True)
    assert read.notes == ["text:1: unused is passed over: no function calls it"]
    assert [error.name for error in mb.parse(text.replace("solve", "f")).errors] == ["unused"]


CODE = "def solve(I):\n    return vmirror(I)\n"
BAD = "def solve(I):\n    return vmirrow(I)\n"


def test_a_folder_is_read_whole_and_its_files_name_the_programs(tmp_path):
    for name, text in {
        "67a3c6ac.py": CODE, "bad.py": BAD, "notes.md": "nothing to read",
        "68b16354.py": "from dsl import *\n" + CODE.replace("solve", "solve_x"),
        "lines.jsonl": json.dumps({"id": "a", "code": CODE}) + "\n",
    }.items():  # fmt: skip
        (tmp_path / name).write_text(text)
    programs = mb.read(tmp_path)
    assert [program.name for program in programs] == ["solve_67a3c6ac", "solve_x", "a"]
    assert [str(error) for error in programs.errors] == [
        f"{tmp_path / 'bad.py'}:2:12: solve: unknown primitive 'vmirrow'; did you mean 'vmirror'?"
    ]
    assert [note.rpartition(":")[2] for note in programs.notes] == [
        " the import is passed over", " it has no Python"
    ]  # fmt: skip
    (tmp_path / "empty").mkdir()
    programs = mb.read(tmp_path / "empty")
    (error,) = programs.errors
    assert error.message == "no .py, .jsonl or .md file lies in the folder itself"
    assert repr(programs) == f"<0 programs, {error.message}>"
    assert mb.read(tmp_path).notes[0] == f"{tmp_path}/empty: passed over: a folder in the folder"


def test_reading_a_large_folder_tells_how_far_it_is(tmp_path, monkeypatch, capsys):
    for name in "abc":
        (tmp_path / f"{name}.py").write_text(CODE)
    mb.read(tmp_path)
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(reading_module, "_PATIENCE", -1)
    monkeypatch.setattr(reading_module, "_AGAIN", -1)
    mb.read(tmp_path)
    lines = [f"megabatt reads {tmp_path}: {k} of 3 files" for k in (1, 2)]
    assert capsys.readouterr().err.splitlines() == lines


def test_a_folder_may_have_what_is_no_file(tmp_path):
    os.mkfifo(tmp_path / "a.py")  # is not opened
    (tmp_path / "b.py").mkdir()
    (tmp_path / "c.py").symlink_to("nowhere")
    (tmp_path / "d.py").symlink_to("d.py")
    (tmp_path / "e.py").write_text(CODE)
    programs = mb.read(tmp_path)
    assert [program.name for program in programs] == ["solve_e"]
    assert [(error.name, error.message) for error in programs.errors] == [
        ("a", "cannot read: not a regular file"), ("b", "cannot read: not a regular file"),
        ("c", "cannot read: does not exist"), ("d", "cannot read: does not exist"),
    ]  # fmt: skip


def test_what_may_never_end_is_no_source(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for words in (
        ["compile", tmp_path / "pipe", "--out", tmp_path / "batt"],
        ["compile", "/dev/zero", "--out", tmp_path / "batt"],
        ["try", "/dev/zero"],
    ):
        assert "not a regular file" in megabatt(*words, status=2).stderr
    with pytest.raises(OSError, match="not a regular file"):
        mb.read("/dev/zero")


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ({"code": CODE}, "solve"),
        ({"code": CODE, "task_id": "67a3c6ac"}, "67a3c6ac"),
        ({"code": CODE, "name": None, "task_id": "67a3c6ac"}, "67a3c6ac"),
        ({"code": CODE, "name": "a\ud800\n"}, r"a\ud800\n"),
        ({"lines": ["x = vmirror(I)", "O = x", "y = 1"]}, "line_1"),
        ({"name": "f", "code": f"Here:\n```python\n{CODE}```\nThat is all."}, "f"),
        (["O = vmirror(I)"], "line_1"),
        (CODE, "solve"),
        ({"name": "f", "operations": [["O", "crop", "I", "(0,0)", "(1, 5)"]], "returns": "O"}, "f"),
    ],
)
def test_a_line_of_json_may_be_code(line, name, tmp_path):
    path = tmp_path / "lines.jsonl"
    path.write_text(json.dumps(line) + "\n")
    (program,) = mb.read(path, strict=True)
    assert program.name == name
    expected = ((0, 1, 1, 0, 5),) if "operations" in line else as_python(CODE, "solve", GRID)
    assert as_program(program, GRID) == expected


def test_mistakes_in_the_code_of_a_line_are_told_with_both_places(tmp_path):
    path = tmp_path / "lines.jsonl"
    path.write_text(json.dumps({"name": "f", "code": BAD}) + "\n" + json.dumps(CODE) + "\n")
    programs = mb.read(path)
    (error,) = programs.errors
    assert (error.name, error.file, error.line) == ("f", str(path), 1)
    assert error.message.startswith("line 2 of the code: unknown primitive")
    assert len(programs) == 1


MARKDOWN = """First a helper:
```python
def flipped(grid):
    return vmirror(grid)
```
then run `pip` as in
```bash
def no(python):
```
   and in a list
   ~~~py
   from helpers import flipped
   def solve(I):
       return flipped(I)
   ~~~
and it ends in
```
def solve_b(I):
    return hmirror(I"""


ATTEMPTS = [
    "def turn(g):\n    return vmirror(g)\nK = 2\ndef solve_a(I):\n    return upscale(turn(I), K)\n",
    "turn = lambda g: hmirror(g)\ndef both(g):\n    return hconcat(g, turn(g))\n",
    "K = 3\ndef solve_b(I):\n    return upscale(both(I), K)\n",
    "import dsl as d\nturn = lambda g: d.rot90(g)\ndef solve_c(I):\n    return turn(I), K\n",
]
OF_ATTEMPTS = [
    ("solve_a", lambda grid: arc.upscale(arc.vmirror(grid), 2)),
    ("solve_b", lambda grid: arc.upscale(arc.hconcat(grid, arc.hmirror(grid)), 3)),
    ("solve_c", lambda grid: (arc.rot90(grid), 3)),
]
MIRROR, LINES, TURN = ("solve", arc.vmirror), ("text", arc.vmirror), ("text", arc.rot180)


def fenced(*parts, between=""):
    return between.join(f"```\n{part}\n```\n" for part in parts)


GRID_FENCE = fenced("1 0\n0 1")
TEXTS = [
    (MARKDOWN, [MIRROR], 19), (MARKDOWN + ")\n", [MIRROR, ("solve_b", arc.hmirror)]),
    # a fence defines names anew for what is behind it alone
    (fenced(*ATTEMPTS, between="Or:\n"), OF_ATTEMPTS),
    (fenced(*ATTEMPTS, between=GRID_FENCE), OF_ATTEMPTS),
    (fenced(*ATTEMPTS, between="```py\ndef f(\n```\n"), OF_ATTEMPTS, 10, 19, 28),
    # operations in a fence are a program beside functions, but not beside other operations
    (fenced("def helper(I):\n    return rot90(I)", "x = identity(I)\nO = vmirror(x)"),
     [("helper", arc.rot90), LINES]),
    (fenced("x = vmirror(I)\nO = hmirror(x)", "x = rot90(I)\nO = rot90(x)"), [TURN, TURN]),
    (fenced("TIMES = 2", "def helper(I):\n    return upscale(I, TIMES)", "O = upscale(I, TIMES)"),
     [(name, lambda grid: arc.upscale(grid, 2)) for name in ("helper", "text")]),
    (fenced("x = rot90(I)", "O = rot90(x)"), [TURN]),  # step by step
    # code between words, beside grids, and beside fences in a docstring
    *((text, [MIRROR]) for text in (
        f"I flip it.\n\n{CODE}\nThat is all.", f"\nI flip it:\n{CODE}",
        f"```python\n{CODE}```\nIt turns\n{GRID_FENCE}", f"~~~\n1 0\n~~~\n~~~\n{CODE}~~~",
        f'"""Mirrors:\n\n{fenced("solve(I)")}"""\n{CODE}', f'"""So:\n```python\n{CODE}```\n"""',
    )),
    # assignments without a function
    *((text, [LINES]) for text in (
        "x = vmirror(I)\ny = x", "    O = vmirror(I)\n    x = 1", "x = vmirror(I)\nreturn x",
    )),
    # code before a fence that only ends, and before one that begins
    (f"{CODE}```", [MIRROR]), (f"{CODE}```\nIt mirrors.", [MIRROR]),
    (f"{CODE}```\nOr:\n```python\nO = I\n```", [MIRROR, ("text", arc.identity)]),
    (f"{CODE}```python\nO = I", [("text", arc.identity)]),
]  # fmt: skip
"""Texts, what their programs compute, and the lines of mistakes."""


@pytest.mark.parametrize("row", TEXTS)
def test_the_programs_of_a_text_are_read(row):
    text, expected, *lines = row
    programs = mb.parse(text, name="text")
    found = [(program.name, as_program(program, GRID)) for program in programs]
    assert found == [(name, function(GRID)) for name, function in expected]
    assert [error.line for error in programs.errors] == lines


@pytest.mark.parametrize(
    ("text", "lines", "message"),
    [
        ("Sorry, I cannot.\n\nIt is too hard.", [1], "the text has no program"),
        ("from here on, nothing", [1], "syntax error"),
        ("def f(I):\n    return a\n\nasync def a(): 1\n\ndef g(I):\n    return b\n", [2, 4, 7], ""),
        ("import numpy as np\ndef solve(I):\n    return np.fill(I, 1, I)\n", [3],
         "'fill' of module 'numpy' is not read: write loops over lists, or calls of primitives"),
    ],
)  # fmt: skip
def test_mistakes_are_in_the_order_of_their_lines_and_words_without_code_are_one(
    text, lines, message
):
    errors = mb.parse(text).errors
    assert [error.line for error in errors] == lines and errors[0].message.startswith(message)


@pytest.mark.parametrize(
    ("suffix", "written"),
    [("json", '{"mirror": "vmirror", "YES": "T"}'), ("toml", 'mirror = "vmirror"\nYES = "T"')],
)
def test_aliases_are_other_names_of_primitives_and_constants(suffix, written, tmp_path):
    source = "def solve_x(I):\n    return branch(YES, mirror(piece=I), apply(mirror, (I, I)))\n"
    assert len(mb.parse(source).errors) == 1
    (program,) = mb.parse(source, aliases={"mirror": "vmirror", "YES": "T"}, strict=True)
    assert as_program(program, GRID) == as_python(CODE, "solve", GRID)
    (tmp_path / "list.py").write_text(source)
    (tmp_path / f"names.{suffix}").write_text(written)
    options = ["list.py", "--out", "out", "--aliases", f"names.{suffix}"]
    assert megabatt("compile", *options, cwd=tmp_path).returncode == 0
    aliases = read_aliases(tmp_path / f"names.{suffix}")
    assert mb.read(tmp_path / "list.py", aliases=aliases) == [program]


@pytest.mark.parametrize("command", ["compile list.py --out o", "try list.py"])
@pytest.mark.parametrize(
    ("written", "message"),
    [
        ("[]", "names.json: write a table"), ("{", "names.json: not JSON: "),
        ('{"a": 1}', "names.json: 'a' = 1"), ('{"a b": "T"}', "names.json: 'a b' = "),
        ('{"a": "none"}', "alias 'a' stands for 'none', which"),
        ('{"a": "I"}', "alias 'a' stands for 'I', which"),
    ],
)  # fmt: skip
def test_a_file_of_no_aliases_is_refused_in_a_line(command, written, message, tmp_path):
    (tmp_path / "names.json").write_text(written)
    (tmp_path / "list.py").write_text(CODE)
    done = megabatt(*command.split(), "--aliases", "names.json", cwd=tmp_path)
    assert done.returncode == 2 and message in done.stderr.splitlines()[-1]


def test_notes_name_the_skipped_parts():
    body = ["print(I)", "size(I)", "assert I", "sys.setrecursionlimit(9999)"]
    body += ["rows = I", "rows.reverse()", "return rows"]
    source = "import sys\ndef solve(I):\n    " + "\n    ".join(body)
    places = [note.partition(": ")[0] for note in mb.parse(source).notes]
    assert places == ["text:1", "text:3", "text:4", "text:5", "text:6"]


def test_helpers_that_grow_beyond_measure_are_refused():
    lines = ["def f0(x):", "    return hconcat(x, vmirror(x))"]
    for k in range(1, 20):
        lines += [f"def f{k}(x):", f"    return f{k - 1}(f{k - 1}(x))"]
    (error,) = mb.parse("\n".join([*lines, "def solve(I):", "    return f19(I)"])).errors
    assert "more than 10,000 operations" in error.message


ADD = """
def add(a, b=1): return a + b
def solve(I):
    def done(g): return g(5, 6)
    v = I[0][0]
    return """


@pytest.mark.parametrize("returned", [
    "[f(v) for f in [add]]",
    "[f(v, 2) for f in [add, max]]",
    "{1: add}[1](2, 3)",
    "add(v), [f() for f in [(lambda k=k: k) for k in I[0]]]",
    "done(lambda a, b: a), [f(v) for f in [add]]",
    "list(map([add][0], I[0], I[0]))",
])
def test_a_held_function_takes_as_many_arguments_as_the_source_gives_held_ones(returned):
    assert_as_python(ADD + returned)


def test_a_held_function_that_may_be_called_in_two_ways_is_refused():
    (error,) = mb.parse(f"{ADD}[f(v) for f in [add]], {{1: add}}[1](2, 3)").errors
    assert "a held function may be called with 1 or 2 arguments" in error.message


def test_values_that_hold_others_twice_are_read_in_the_time_of_their_number():
    (program,) = mb.parse("def solve(I):\n    x = 1\n" + "    x = (x, x)\n" * 60 + "    return x")
    assert len(str(program)) < 100_000
    assert mb.evaluate([program], [([[1]], None)], blind=True).reason[0, 0] == Reason.LIMIT


@pytest.mark.parametrize("change", ["append(2)", "extend([3])", "insert(0, 2)", "pop()", "sort()"])
@pytest.mark.parametrize("end", ["sorted(p)", "max(p, default=0)"])
def test_many_choices_are_read_in_the_time_of_their_number(change, end):
    choices = f"    if I[0][0] > 3:\n        p.{change}\n" * 60
    assert not mb.parse(f"def solve(I):\n    p = [1]\n{choices}    return {end}\n").errors


def test_a_function_of_many_values_copies_no_grid_for_each_cell():
    source = """
def solve(I):
    h, w = shape(I)
    def near(i, j):
        return [1 for a in (-1, 0, 1) for b in (-1, 0, 1)
                if 0 <= i + a < h and 0 <= j + b < w and I[i + a][j + b]]
    return tuple(tuple(len(near(i, j)) for j in range(w)) for i in range(h))
"""
    assert_as_python(source, ((0, 1, 2) * 10,) * 30)
