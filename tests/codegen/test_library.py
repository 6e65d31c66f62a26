"""Functions of the library, decorators and `match` mean what Python means, or are refused."""

import pytest

import megabatt as mb
from tests.codegen.meaning import GRID, assert_as_python, assert_same_or_refused, variants

GRIDS = [[*map(list, GRID)], [[1, 0], [0, 2], [3, 3]], [[4]], [[0, 0, 0, 0], [5, 5, 5, 5]]]

READ = """
## accumulate
r, out = I[0], []
for k, t in enumerate(itertools.accumulate(r)): out.append((k, t))
return (
    [list(accumulate(row, lambda a, b: b or a)) for row in I], [*accumulate((), initial=3)],
    list(accumulate([1, 2, 3], max, initial=5)), list(accumulate([[1], [2]])), out,
    list(accumulate([])), tuple(accumulate(map(len, I), func=min)), max(accumulate(r)),
    [t for t in accumulate(r, max) if t], list(accumulate(v for v in r if v)),
    list(zip(accumulate(r), accumulate(r, max))), dict(zip(r, accumulate(r)))[r[0]],
    sorted(accumulate({3, 1, 2})))
## groupby
c, r = [], I[0]
for k, g in groupby(sorted(v for row in I for v in row)):
    cells = list(g)
    c.append((k, cells))
h = [(i, k, sum(1 for _ in g)) for i, (k, g) in enumerate(groupby(r, lambda v: v > 0))]
for k, g in groupby(r):
    g = list(g)
    if len(g) > 1: h.append((k, g[0], g))
for k, g in groupby(()): h.append(1)
return (
    [[(k, len(list(g))) for k, g in groupby(row)] for row in I], c,
    [k for k, _ in groupby(I, key=sum)], [v for k, g in groupby(r) if k for v in g], h,
    max(len(list(g)) for k, g in groupby(r)), sum(1 for _ in groupby(r)),
    len(list(groupby(r))), {k: list(g) for k, g in groupby(r)}[r[0]])
## loops over groups, and over pairs
more, numbers = [], [list(row) for row in I]
out = []
for row in I:
    new = []
    for k, g in groupby(row):
        n = 0
        for v in g: n += 1
        new += [k] * n
    out.append(new)
for r, row in enumerate(I):
    c = 0
    for k, g in groupby(row):
        n = len(list(g))
        for j in range(n): numbers[r][c + j] = n
        c += n
for (a, b) in pairwise(range(3)): more.append(a * b)
return out, numbers, more
## parts of what is iterated over
r = I[0]
return (
    list(islice(r, 2)), list(islice(r, 1, 3)), list(islice(r, 0, None, 2)), sum(islice(r, 2)),
    [y - x for x, y in pairwise(r)], list(pairwise(())), list(pairwise(enumerate(r))),
    [*map(sum, pairwise(r))], any(x > y for x, y in pairwise(r)), list(compress(r, r[1:])),
    list(starmap(lambda a, b: a * 2 + b, zip(r, r[1:]))), list(filterfalse(lambda v: v, r)),
    max(starmap(lambda x, y: x - y, pairwise(r)), default=0), next(islice(r, 1, None), None),
    list(takewhile(lambda v: v < 2, r)), list(dropwhile(lambda v: v < 1, r)),
    [x for x in takewhile(lambda v: v < 9, (v + 1 for v in r))], next(islice(r, 99, None), 8),
    next(dropwhile(lambda v: v == 0, r), 5), next(filterfalse(lambda v: v, r), 5),
    list(zip_longest(r, r[1:], [1])), list(zip_longest(r, (1,), fillvalue=0)),
    [[x, y] for x, y in zip_longest(r, [0], fillvalue=7)])
## iterators without an end
r = I[0]
a = [*zip(r, cycle((1, 2)))], [*zip(cycle([4, 5, 6]), r)], [*zip(r, cycle(()))]
b = list(islice(cycle(r), 3, 9)), list(islice(cycle([]), 3)), list(islice(repeat(2), 3))
out = [list(row) for row in I]
for k, v in zip(range(len(out)), cycle([7, 8])): out[k][0] = v
for v, k in zip(cycle((5, 6)), sorted(out[0])): out[0][v - 5] = k
return out, a, b, list(repeat(3, 4)), [*zip(r, repeat(1))], list(repeat(r, 2))
## heaps
from heapq import *
def push(h, v):
    heappush(h, (v, len(h)))
    return len(h)
def solve(I):
    heap, out, pairs, equal, mixed = [], [], [], [], []
    heappush(mixed, (1, None))
    heappush(mixed, (0, 5))
    for row in I:
        for j, v in enumerate(row):
            heappush(heap, (v, -j))
            if v == 5:
                a, b = heappop(heap)
                out.append((a, b))
    h = [v for row in I for v in row]
    heapq.heapify(h)
    q = h[:]
    while q and heapq.heappop(q) < 2: out.append(7)
    a, b = heappop(h), h[:]
    c = nsmallest(2, h), heapq.nlargest(3, h, key=lambda v: v % 3)
    if h: d = heapq.heapreplace(h, 9)
    n, m = [push(pairs, v) for v in I[0]], heappop(pairs)
    for v in (2, 2.0, True, 1, 1.0, False, 0): heapq.heappush(equal, v)
    first = [heapq.heappop(equal) for _ in range(4)]
    few = nsmallest(-1, h), heapq.nsmallest(2, (v for v in h if v))
    return heap, out, a, b, c, h, q, few, n, m, pairs, first, equal, heappop(mixed)
## bits, and a dictionary that its value looks at
m, d = 0, defaultdict(int)
for v in I[0]: m = m << 1 | (v > 0)
n = [v for row in I for v in row if d.setdefault(v, len(d)) > 0]
return (
    m.bit_count(), bin(m).count("1"), (-m).bit_count(), m.bit_length(), (0).bit_count(),
    list(map(int.bit_count, range(5))), True.bit_count(), bin(-5).count("1"), n, sorted(d.items()))
## numbers
p, r = I[0], sorted(I[0])
a, b = p[0] / 3, len(I) - 0.7
out = []
for v in p: bisect.insort(out, v)
bisect.insort_left(out, 2)
return (
    [int(k * 1e6) for k in (math.hypot(a, b), math.dist((a, 1, b), (b, 3, 0)), math.pow(2, a))],
    math.prod(v + 1 for v in p), math.prod([], start=4), math.lcm(4, -6), math.lcm(p[0], 0),
    math.comb(6, p[0]), math.perm(5, 2), math.factorial(p[0]), out, math.hypot(-3, 4),
    math.isclose(0.1 + 0.2, 0.3), math.isclose(a, b), math.isclose(1e50, math.inf),
    math.isinf(-math.inf), statistics.mean(p), statistics.median(p), statistics.median([4, 1]),
    statistics.mode(p), statistics.multimode([v for row in I for v in row]),
    [bisect.bisect(r, v, 0, len(r)) for v in p], bisect.bisect_left([(1, 2), (3, 4)], (3,)),
    bisect.bisect_right([9, 5], -5, key=lambda v: -v), bisect.bisect_left([1, 1, 2], 1, lo=1),
    bisect.bisect_right(r, 2, 0, -1), bisect.bisect_left([1, 2, 3], 3, 1, -2),
    list(itertools.combinations_with_replacement(r, 2)))
## distances beside arrays
import numpy as np
def solve(I):
    cells = [(int(r), int(c)) for r, c in np.argwhere(np.array(I) > 0)] or [(0, 0)]
    p = min(cells, key=lambda p: math.dist(p, (0.5, 1)))
    return p, statistics.mode(np.array(I).flatten().tolist()), int(100 * math.hypot(*p))
## constant texts
TABLE = "1,0,2\\n\\n3,4,5\\n"
def solve(I):
    sep = ","
    rows, total = "010 111".split(), 0
    for line in "12|34|5".split("|"): total += int(line)
    names = [name.upper() for name in "red blue".split()]
    return (
        [[int(v) for v in row] for row in rows], total, names.index("BLUE"),
        [list(map(int, line.split(sep))) for line in TABLE.splitlines() if line.strip()],
        [[{"a": 1, "b": 2}[c] for c in word.strip("-")] for word in ["-ab", "b-"]],
        len(sep.join(["a", "b"])), int("12") + ord("a") - len("ab" * 2), "abc".find("c"),
        "b" in "abc".replace("b", "d"))
## texts that are given, and read where they are written
def digit(k, names="0564312798"): return int(names[k])
def side(way): return 1 if way[0] == "N" else 2
def solve(I):
    way: str = "SE"
    ways = (way,)
    numbers = [[digit(v) for v in row] for row in I]
    return numbers, int("9876543210"[I[0][0]]), side("NW"), ways[0][1] == "E"
## assignments of tuples
def solve(I):
    rows, last, sides = [], None, {}
    for k, v in enumerate(I[0]):
        if last is None or v != last[-1]:
            last = [v]
            rows.append(last)
        else: last.append(v)
        sides[k], rows[0][0] = (v, k) if v > k else (k, rows[0][0]) if v else (-1, v)
        k, v = (v, k) if k else (k, v)
        sides[v] = k
    first, was = list(I[0]), 0
    first[0], was = 5, first[0]
    return rows, sides[0], sides.get(I[0][-1]), first, was
## texts that are put together
def way(row):
    if row[0] and row[-1]: return "none"
    side = "N" if row[0] else "S"
    return side + ("W" if row[-1] else "E")
def solve(I):
    up, k = ("N", 1) if I[0][0] else ("S", 2) if I[-1][0] else ("N", 3)
    if len(I) > 2: end, n = "W", k
    else: end, n = "E", -k
    ways = {"NW": 1, "NE": 2, "SW": 3, "SE": 4, "none": 5}
    return [ways[way(row)] for row in I], ways[up + end], n, len({way(row) + "x" for row in I})
## methods of texts that functions are given
def corner(I, anchor="upper left", k=0):
    anchor = anchor.lower().replace(" ", "").replace("top", "upper")
    if anchor.startswith("center"): return -anchor.count("e", k)
    return I[0][0] if anchor == "upperleft" else I[0][-1] if anchor == "upperright" else 7
def solve(I):
    side = ("left" if I[0][0] else "right").upper()
    return corner(I), corner(I, "Top Right"), corner(I, anchor="center", k=2), side == "LEFT"
## operators
from operator import add, itemgetter, mul, or_
def solve(I):
    r = I[0]
    a = list(map(operator.add, r, r)), sorted(I, key=itemgetter(0)), itemgetter(0, -1)(r)
    b = max(enumerate(r), key=operator.itemgetter(1)), reduce(mul, r), reduce(or_, [{1}, {2}])
    c = [*map(operator.eq, r, r[::-1])], [*map(operator.neg, r)], reduce(add, [[1], [2]], [])
    d = operator.contains(r, 0), operator.getitem(r, 0), operator.not_(r), operator.xor(5, 1)
    return a, b, c, d, max({1: 2, 3: 1}.items(), key=itemgetter(1))[0]
## functions with some of their arguments
from functools import partial
def near(grid, v, r): return [r for row in grid if row[r] == v]
def solve(I):
    g, f = partial(near, I, 1), partial(max, 1)
    a = g(0), [h(0) for h in [partial(near, I, 0), g]], [f(v) for v in I[0]]
    return a, list(map(partial(max, 2), I[0])), partial(lambda v: v)(I[0])
## caches of a module
@lru_cache(maxsize=None)
def ways(n, k=2):
    if n < k: return 1
    return ways(n - 1) + ways(n - 2)
@functools.cache
def near(r, c): return [(r + 1, c), (r - 1, c)]
@functools.lru_cache()
def double(v): return v * 2
@cache
def f(k, m):
    def g(v): return v + k
    return max(range(m), key=lambda v: -v * k) + g(m)
@lru_cache(maxsize=128)
def named(n, k=2):
    if n <= 0: return k
    return named(n - 1, k=k + 1) + named(n - 2)
@cache
def none(n):
    if n > 3: return None
    if n % 2: return none(n + 1)
    x = none(n + 1)
    return [n] if x is None else x
def solve(I):
    double.cache_clear()
    v = 3
    return (
        ways(len(I)), ways(30), [ways(k) for k in range(5)], max(range(6), key=ways),
        [near(r, c) for r in range(2) for c in range(2)], f(1, v), f(2, 4),
        [[double(v) for v in row] for row in I], list(map(double, I[0])),
        named(5), named(n=3), named(2, k=7), [none(k) for k in range(5)])
## caches in a function
h, w, row = len(I), len(I[0]), I[0]
@cache
def area(r, c):
    if not (0 <= r < h and 0 <= c < w): return 0
    return I[r][c] + area(r + 1, c) + area(r, c + 1)
out = [[0] * w for _ in range(h)]
for r in range(h):
    for c in range(w): out[r][c] = area(r, c) % 10
@lru_cache(None)
def paths(r, c):
    if r == 0 or c == 0: return [(r, c)]
    return paths(r - 1, c) + paths(r, c - 1)
@cache
def best(i):
    if i >= len(row): return 0
    return max(row[i] + best(j) for j in range(i + 1, len(row) + 1))
@lru_cache(None)
def lis(i):
    found = (row[i],)
    for k in range(i):
        if row[k] < row[i] and len(lis(k)) + 1 > len(found): found = lis(k) + (row[i],)
    return found
return out, paths(2, 2), len(paths(3, 3)), best(0), max((lis(i) for i in range(w)), key=len)
## a cache beside arrays
import numpy as np
def solve(I):
    a = np.array(I)
    h, w = a.shape
    @cache
    def total(r, c):
        if r >= h or c >= w: return 0
        return int(a[r, c]) + total(r + 1, c)
    return [total(0, c) for c in range(w)]
## match of numbers
out, n = [], 0
def step(v):
    nonlocal n
    match v:
        case 0: n += 1
        case 5 | 2: n += 10
def f(n):
    match n:
        case 0: return 1
        case 1: return 2
        case k: return f(k - 1) + f(k - 2)
for row in I:
    for v in row:
        step(v)
        match v:
            case 0: continue
            case 1 | 2: out.append(v * 10)
            case -1: out.append(9)
            case 5 if len(out) > 3: out.append(50)
            case x if x > 3: out.append(x)
            case _: out.append(77)
match len(I):
    case 99: y = 1
return out, n, f(6)
## match of tuples
def f(h, w):
    match h, w:
        case 1, k: return k * 10
        case k, 1: return k * 100
        case a, b if a == b: return a
        case a, b, c: return 0
        case (3 | 5) as a, b: return a, b
        case whole: return whole
def solve(I):
    out, x = [], 7
    match (len(I), 4):
        case (3, x) if x > 5: pass
        case (99, x): pass
    for i, row in enumerate(I):
        match i % 3, row[0]:
            case 0, v:
                match v:
                    case 0: out.append(1)
                    case _: out.append(v)
            case _, 0:
                out.append(5)
                break
    else: out.append(9)
    return [f(a, b) for a in range(6) for b in range(6)], f(len(I), len(I[0])), out, x
## what a module computes
N = list(accumulate([1, 2, 3]))
M = [b - a for a, b in pairwise(N)]
def make(n):
    f = lambda v: v + n
    return [f(1), f(2)]
def made(n): return [lambda v: v + n]
solved = make(3)
programs = made(3)
def solve(I): return N, M, solved, programs[0](2)
## functions of a list
RULES = []
def rule(f):
    '''Register.'''
    RULES.append(f)
    return f
-- @rule
   def a(I):
       if len(I) > 2: return I[0]
   @rule
   def b(I): return I[-1]
   def solve(I):
       for fn in RULES:
           x = fn(I)
           if x is not None: return x
       return I
-- import numpy as np
   @rule
   def turned(a):
       if a.shape[0] > 2: return np.rot90(a)
   @rule
   def cut(a): return a[:1]
   def solve(I):
       a = np.array(I)
       for fn in RULES:
           found = fn(a)
           if found is not None: return found.tolist()
       return a.tolist()
## a program that a call makes
compose = lambda f, g: lambda x: g(f(x))
flip = lambda g: g[::-1]
solve = compose(flip, flip)
## a program of functions
compose = lambda *fs: reduce(lambda f, g: lambda x: g(f(x)), fs)
transpose = lambda g: list(map(list, zip(*g)))
spread = lambda row: list(accumulate(row, lambda a, b: b or a))
both = lambda f: lambda g: [f(r) for r in g]
def solve(g): return compose(both(spread), transpose, both(spread), transpose)(g)
## names of the library that a source defines
def enumerate(x): return [(5, v) for v in x]
def accumulate(x): return [5]
def solve(I): return list(accumulate(I[0])), enumerate([1]), list(pairwise(I[0]))
"""

TRAPS = """
## iterators that are read once, or later
-- return [(k, list(g)) for k, g in [(k, g) for k, g in groupby(I[0])]]
-- return [(k, list(g)) for k, g in list(groupby(I[0]))]
-- return [(list(g), list(g)) for k, g in groupby(I[0])]
-- return [list(g) for k, g in groupby(I[0]) for _ in range(2)]
-- return [(k, next(g), list(g)) for k, g in groupby(I[0])]
-- for k, g in groupby(I[0]): pass
   return list(g)
-- it = iter(I[0]); a = list(takewhile(lambda v: v == 0, it))
   return a, list(it)
-- it = iter(I[0]); return list(islice(it, 2)), list(it)
-- c = cycle([1, 2]); return [next(c) if v else 0 for v in I[0]]
-- c = zip([1, 2, 3], cycle([4, 5])); a = next(c); return [*c], a
-- x = [1, 2, 3]; a = accumulate(x); x.append(4); return list(a)
-- def gen():
       n = 0
       while True:
           yield n
           n += 1
   return list(islice(gen(), 4))
## loops over groups
p, out = [], []
for k, g in groupby(I[0]):
    HERE
return out
-- for _ in range(2): out.append(list(g))
## functions of several arguments
-- return list(starmap(max, zip(*I)))
-- return list(starmap(pow, [(2, 3)]))
-- n = 0
   def f(a, b):
       nonlocal n
       n += 1
       return a + b
   out = []
   for t in accumulate(I[0], f): out.append((t, n))
   return out
## lists that change behind what is read
rows, x, r = [list(row) for row in I], [1, 1, 2], [0]
HERE
return x, r, rows
-- x = list(repeat([0, 0], 2)); x[0][0] = 1
-- x = list(repeat(r, 2)); r.append(1)
-- for a, b in pairwise(x):
       if len(x) < 6: x.append(a + b)
-- for k, g in groupby(x):
       if len(x) < 6: x.append(k)
       list(g)
-- for a, b in pairwise(rows): b[0] = a[0] + 1
-- x = list(pairwise(rows)); rows[0][0] = 9
-- x = [(k, list(g)) for k, g in groupby(rows, key=len)]; rows[0][0] = 9
-- x = [(k, list(g)) for k, g in groupby(rows, key=len)]; x[0][1][0][1] = 8
-- x = [k for k, g in groupby(rows)]; rows[0][0] = 9
-- x = list(accumulate([[1], [2]], lambda a, b: a if len(a) > 5 else a))
   x[0].append(3)
## heaps that are held, or hold lists
a, h, d = [3, 1], [[1, 1], [2, 2]], {1: [], 2: []}
HERE
return a, h, d[1], d[2]
-- b = a; heapq.heappush(b, 0)
-- for v in I[0]: heapq.heappush(d[1 + v % 2], -v)
-- for i, v in enumerate(I[0]): heapq.heappush(h, [v, i])
   a = heapq.heappop(h); a[0] = 7
-- heapq.heappush(h, a); a.append(5)
-- a = h[0]; heapq.heappush(h, [0]); a.append(5)
## what a cache keeps, and tells
@cache
def f(n): return HERE
-- f(n - 1) + [n] if n else [0]
   x = f(3); x.append(3); return f(3), f(2)
-- 1 if n is True else 2
   return f(1), f(True)
## a function with a cache
@cache
def f(n):
    HERE
def solve(I): return list(f(3)), list(f(2)), list(f(3))
-- if n < 1: return [0]
   x = f(n - 1); x.append(n); return x
-- return map(lambda v: v + n, (1, 2))
-- yield n
## caches of what a module changes
N = HERE
-- [1]
   @cache
   def f(k): return k + len(N)
   def solve(I):
       a = f(1)
       N.append(2)
       return a, f(1)
-- 1
   @cache
   def f(k): return k + N
   def g():
       global N
       N = 5
   def solve(I):
       a = f(1)
       g()
       return a, f(1)
## caches with effects
n, x = 0, []
@cache
def f(k):
    HERE
return [f(v) for row in I for v in row], n, x
-- x.append(k); return len(x)
-- nonlocal n; n += 1; return n
## caches of a number that changes
n, out = 1, []
@cache
def f(k): return k + n
a = f(1)
HERE
return a, f(1), out
-- out = [n := n + v for v in I[0]]
## caches of a grid that changes
@cache
def f(r, c): return I[r][c]
a, out = f(0, 0), []
HERE
return a, f(0, 0), out
-- row = I[0]; row[0] = 7
## a cache of an array that changes
import numpy as np
def solve(I):
    a = np.array(I)
    @cache
    def at(r, c): return int(a[r, c])
    x = at(0, 0)
    b = a[0]
    b[0] = 5
    return x, at(0, 0)
## match
x, out = I[0], [row[:] for row in I]
match HERE
return out
-- (len(I), len(x)):
       case (1, w) | (w, 1) if w > 9: return w
-- len(I):
       case int(n): return n
-- x:
       case [a, b]: return a
-- x:
       case [a, *b]: return b
-- (1, 2, 3):
       case (a, *b): return b
-- {1: 2}:
       case {1: n}: return n
-- out:
       case rows if len(rows) > 2: rows[0][0] = 9
       case rows: rows[0][0] = 8
## match of texts, None and Booleans
def f(k):
    match k:
        HERE
    return 5
def solve(I): return f("left"), f(None), f(True), f(1), f("right"), f(0), f(1.0)
-- case "left": return 1
   case None: return 2
   case 1: return 4
-- case True: return 3
   case 1: return 4
## texts that are not constant, and names that mean something else
-- def solve(I):
       s = "ab"
       if I[0][0]: s = "c"
       return len(s), {"ab": 1, "c": 2}[s]
-- S = "a,b"
   def solve(I, S="x,y,z"): return len(S.split(","))
-- def len(x): return 7
   def solve(I): return len("abc")
-- def solve(I): return [[s for s in s.split()] == ["a"] for s in ["a", "b c"]]
-- def solve(I): return [s.strip() == "a" for s in [" a", "b "] if I[0][0]]
-- def solve(I):
       a, b = ("x" if I[0][0] else 3), "y"
       return {"xy": 1}[a + b]
-- def solve(I):
       t = ("x" if I[0][0] else "y") + "z"
       return t[0] == "x", "z" in t, [c == "z" for c in t]
-- def solve(I):
       d = {"a": 1}
       k, d["a"] = ("a", 2) if I[0][0] else ("a", d["a"])
       return d[k]
-- def solve(I):
       a, b = [1], [2]
       a, b = (b, a) if I[0][0] else (a, a)
       a.append(3)
       return a, b
-- def solve(I):
       x = "abc".split("b")
       x.append(1)
       return len(x), x[0] == "a"
## functions that a list of a module has
RULES = []
def rule(f):
    RULES.append(f)
    return f
@rule
def a(I): return I[0]
HERE
-- def c(I): return I[1]
   RULES.append(c)
   def solve(I): return [f(I) for f in RULES]
-- N = len(RULES)
   @rule
   def b(I): return I[1]
   def solve(I): return N
-- def solve(I):
       rule(a)
       return len(RULES)
-- @rule
   def a(I): return I[1]
   def solve(I): return [f(I) for f in RULES]
## programs that a call makes
-- def make():
       n = []
       def f(g):
           n.append(1)
           return len(n)
       return f
   transform = make()
   def solve(g): return transform(g) + transform(g)
"""

READS, TRAP = variants(READ), variants(TRAPS)


@pytest.mark.parametrize("source", READS.values(), ids=READS)
def test_a_source_is_read_and_means_what_it_means_in_python(source):
    assert_as_python(source, *GRIDS)


@pytest.mark.parametrize("source", TRAP.values(), ids=TRAP)
def test_a_trap_means_what_python_means_or_is_refused(source):
    assert_same_or_refused(source)


@pytest.mark.parametrize(
    "body",
    ["return heapq.heappop([])", "return list(itertools.islice(I[0], -1))",
     "return {}.popitem()", "return list(itertools.islice(itertools.cycle(I[0]), -1))",
     "return statistics.mode([])",
     "return statistics.mean([])", "return math.comb(-1, 2)", "return math.dist((1,), (1, 2))",
     "a, *b, c = I[0][:1]; return b", "*a, b, c = I[0][:1]; return len(a)"],
)  # fmt: skip
def test_what_raises_in_python_fails(body):
    imports = "import heapq, itertools, math, statistics"
    (program,) = mb.parse(f"{imports}\ndef solve(I):\n    {body}\n", strict=True)
    assert mb.evaluate([program], [(GRID, None)]).first_failure[0, 0] >= 0


def test_comprehensions_within_each_other_are_looked_at_once():
    rows = "I"
    for _ in range(30):
        rows = f"[row for row in {rows}]"
    assert_as_python(f"def solve(I):\n    'as they are'\n    return {rows}\n", *GRIDS)
