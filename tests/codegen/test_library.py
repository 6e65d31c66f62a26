"""Functions of the library, decorators and `match` mean what Python means, or are refused."""

import pytest

import megabatt as mb
from tests.codegen.meaning import GRID, as_program, as_python, assert_same, sections

GRIDS = [GRID, ((1, 0), (0, 2), (3, 3)), ((4,),), ((0, 0, 0, 0), (5, 5, 5, 5))]

READ = """
## accumulate
from itertools import accumulate
def solve(I):
    a = [list(accumulate(row, lambda a, b: b or a)) for row in I], [*accumulate((), initial=3)]
    b = list(accumulate([1, 2, 3], max, initial=5)), list(accumulate([[1], [2]]))
    return a, b, list(accumulate([])), tuple(accumulate(map(len, I), func=min))
## accumulate loop
import itertools as it
def solve(I):
    out = []
    for k, t in enumerate(it.accumulate(I[0])):
        out.append((k, t))
    return out, max(it.accumulate(I[0])), [t for t in it.accumulate(I[0], max) if t]
## groupby
from itertools import groupby
def solve(I):
    a = [[(k, len(list(g))) for k, g in groupby(row)] for row in I]
    b = [k for k, _ in groupby(I, key=sum)]
    c = []
    for k, g in groupby(sorted(v for row in I for v in row)):
        cells = list(g)
        c.append((k, cells))
    d = [v for k, g in groupby(I[0]) if k for v in g]
    e = max(len(list(g)) for k, g in groupby(I[0]))
    f = sum(1 for _ in groupby(I[0])), len(list(groupby(I[0])))
    h = [(i, k, sum(1 for _ in g)) for i, (k, g) in enumerate(groupby(I[0], lambda v: v > 0))]
    for k, g in groupby(I[0]):
        g = list(g)
        if len(g) > 1:
            h.append((k, g[0], g))
    for k, g in groupby(()):
        h.append(1)
    return a, b, c, d, e, f, h, {k: list(g) for k, g in groupby(I[0])}[0]
## groupby for in for
from itertools import groupby
def solve(I):
    out = []
    for row in I:
        new = []
        for k, g in groupby(row):
            n = 0
            for v in g:
                n += 1
            new += [k] * n
        out.append(new)
    return out
## islice pairwise
from itertools import islice, pairwise, starmap, takewhile, dropwhile, zip_longest
from itertools import filterfalse, compress
def solve(I):
    r = I[0]
    a = list(islice(r, 2)), list(islice(r, 1, 3)), list(islice(r, 0, None, 2))
    b = [y - x for x, y in pairwise(r)], list(pairwise(()))
    c = list(starmap(lambda a, b: a * 2 + b, zip(r, r[1:]))), list(compress(r, r[1:]))
    d = list(takewhile(lambda v: v < 2, r)), list(dropwhile(lambda v: v < 1, r))
    e = list(zip_longest(r, r[1:], [1])), list(zip_longest(r, (1,), fillvalue=0))
    return a, b, c, d, e, list(filterfalse(lambda v: v, r))
## iterators without an end
from itertools import cycle, islice, repeat
def solve(I):
    r = I[0]
    a = [*zip(r, cycle((1, 2)))], [*zip(cycle([4, 5, 6]), r)], [*zip(r, cycle(()))]
    b = list(islice(cycle(r), 3, 9)), list(islice(cycle([]), 3)), list(islice(repeat(2), 3))
    return a, b, list(repeat(3, 4)), [*zip(r, repeat(1))], list(repeat(r, 2))
## generator in islice
from itertools import islice
def gen(I):
    for row in I:
        for v in row:
            if v: yield v
def solve(I):
    return list(islice(gen(I), 2))
## heap
import heapq
from heapq import heappush, heappop, nsmallest
def solve(I):
    heap = []
    out = []
    for row in I:
        for j, v in enumerate(row):
            heappush(heap, (v, -j))
            if v == 5:
                a, b = heappop(heap)
                out.append((a, b))
    h = [v for row in I for v in row]
    heapq.heapify(h)
    q = h[:]
    while q and heapq.heappop(q) < 2:
        out.append(7)
    a = heappop(h)
    b = h[:]
    c = nsmallest(2, h), heapq.nlargest(3, h, key=lambda v: v % 3)
    if h:
        d = heapq.heapreplace(h, 9)
    e = 0
    return heap, out, a, b, c, e, h, q, nsmallest(-1, h), heapq.nsmallest(2, (v for v in h if v))
## bits
def solve(I):
    m = 0
    for v in I[0]:
        m = m << 1 | (v > 0)
    a = m.bit_count(), bin(m).count("1"), (-m).bit_count(), m.bit_length(), (0).bit_count()
    return a, list(map(int.bit_count, range(5))), True.bit_count(), bin(-5).count("1")
## fib
from functools import lru_cache
@lru_cache(maxsize=None)
def ways(n, k=2):
    if n < k:
        return 1
    return ways(n - 1) + ways(n - 2)
def solve(I):
    return ways(len(I)), ways(30), [ways(k) for k in range(5)], max(range(6), key=ways)
## plain
import functools
@functools.cache
def near(r, c):
    return [(r + 1, c), (r - 1, c)]
@functools.lru_cache()
def double(v): return v * 2
def solve(I):
    double.cache_clear()
    cells = [near(r, c) for r in range(2) for c in range(2)]
    return cells, [[double(v) for v in row] for row in I], list(map(double, I[0]))
## nested
from functools import cache
def solve(I):
    h, w = len(I), len(I[0])
    @cache
    def area(r, c):
        if not (0 <= r < h and 0 <= c < w):
            return 0
        return I[r][c] + area(r + 1, c) + area(r, c + 1)
    out = [[0] * w for _ in range(h)]
    for r in range(h):
        for c in range(w):
            out[r][c] = area(r, c) % 10
    return out
## walk with lists
from functools import lru_cache
def solve(I):
    @lru_cache(None)
    def paths(r, c):
        if r == 0 or c == 0:
            return [(r, c)]
        return paths(r - 1, c) + paths(r, c - 1)
    return paths(2, 2), len(paths(3, 3))
## inner lambdas
from functools import cache
@cache
def f(k, m):
    def g(v):
        return v + k
    return max(range(m), key=lambda v: -v * k) + g(m)
def solve(I):
    v = 3
    return f(1, 3), f(2, 4)
## values
def solve(I):
    out = []
    for row in I:
        for v in row:
            match v:
                case 0:
                    continue
                case 1 | 2:
                    out.append(v * 10)
                case -1:
                    out.append(9)
                case 5 if len(out) > 3:
                    out.append(50)
                case x if x > 3:
                    out.append(x)
                case _:
                    out.append(77)
    return out
## tuples 2
def f(h, w):
    match h, w:
        case 1, k:
            return k * 10
        case k, 1:
            return k * 100
        case a, b if a == b:
            return a
        case a, b, c:
            return 0
        case (3 | 5) as a, b:
            return a, b
        case whole:
            return whole
def solve(I):
    return [f(a, b) for a in range(6) for b in range(6)], f(len(I), len(I[0]))
## capture of a tuple that fails
def solve(I):
    x = 7
    match (len(I), 4):
        case (3, x) if x > 5:
            pass
        case (99, x):
            pass
    return x
## nested
def solve(I):
    out = []
    for i, row in enumerate(I):
        match i % 3, row[0]:
            case 0, v:
                match v:
                    case 0: out.append(1)
                    case _: out.append(v)
            case _, 0:
                out.append(5)
                break
    else:
        out.append(9)
    return out
## order of the subject
def solve(I):
    x = [1, 2, 3]
    match (x.pop(), x.pop()):
        case (3, k):
            return k, x
        case _:
            return x
## module constant
from itertools import accumulate, pairwise
N = list(accumulate([1, 2, 3]))
M = [b - a for a, b in pairwise(N)]
def solve(I):
    return N, M
## operators
import operator
from operator import add, itemgetter, mul, or_
from functools import reduce
def solve(I):
    r = I[0]
    a = list(map(operator.add, r, r)), sorted(I, key=itemgetter(0)), itemgetter(0, -1)(r)
    b = max(enumerate(r), key=operator.itemgetter(1)), reduce(mul, r), reduce(or_, [{1}, {2}])
    c = [*map(operator.eq, r, r[::-1])], [*map(operator.neg, r)], reduce(add, [[1], [2]], [])
    d = operator.contains(r, 0), operator.getitem(r, 0), operator.not_(r), operator.xor(5, 1)
    return a, b, c, d, max({1: 2, 3: 1}.items(), key=itemgetter(1))[0]
## nested generators
from itertools import accumulate, pairwise, islice, takewhile, zip_longest, starmap
def solve(I):
    r = I[0]
    a = list(accumulate(v for v in r if v)), list(zip(accumulate(r), accumulate(r, max)))
    b = dict(zip(r, accumulate(r)))[0], next(islice(r, 1, None), None), sum(islice(r, 2))
    c = any(x > y for x, y in pairwise(r)), list(pairwise(enumerate(r))), [*map(sum, pairwise(r))]
    d = [x for x in takewhile(lambda v: v < 9, (v + 1 for v in r))], sorted(accumulate({3, 1, 2}))
    e = [[x, y] for x, y in zip_longest(r, [0], fillvalue=7)]
    return a, b, c, d, e, max(starmap(lambda x, y: x - y, pairwise(r)), default=0)
## next of library
from itertools import dropwhile, islice, filterfalse
def solve(I):
    a = next(dropwhile(lambda v: v == 0, I[0]), 5), next(filterfalse(lambda v: v, I[0]), 5)
    return a, next(islice(I[0], 99, None), 8)
## for of accumulate while changing others
from itertools import accumulate, groupby, pairwise
def solve(I):
    out = [list(row) for row in I]
    for r, row in enumerate(I):
        c = 0
        for k, g in groupby(row):
            n = len(list(g))
            for j in range(n):
                out[r][c + j] = n
            c += n
    more = []
    for (a, b) in pairwise(range(3)):
        more.append(a * b)
    return out, more
## heap through functions
from heapq import *
def push(h, v):
    heappush(h, (v, len(h)))
    return len(h)
def solve(I):
    h = []
    n = [push(h, v) for v in I[0]]
    m = heappop(h)
    return n, m, h
## dijkstra
import heapq
def solve(grid):
    H, W = len(grid), len(grid[0])
    dist = {(0, 0): 0}
    heap = [(0, 0, 0)]
    while heap:
        d, r, c = heapq.heappop(heap)
        if d > dist[r, c]:
            continue
        for dr, dc in ((0, 1), (1, 0), (0, -1), (-1, 0)):
            nr, nc = r + dr, c + dc
            if 0 <= nr < H and 0 <= nc < W:
                nd = d + 1 + grid[nr][nc]
                if nd < dist.get((nr, nc), float("inf")):
                    dist[nr, nc] = nd
                    heapq.heappush(heap, (nd, nr, nc))
    return [[dist[r, c] for c in range(W)] for r in range(H)]
## cached with keywords
from functools import lru_cache
@lru_cache(maxsize=128)
def f(n, k=2):
    if n <= 0:
        return k
    return f(n - 1, k=k + 1) + f(n - 2)
def solve(I):
    return f(5), f(n=3), f(2, k=7)
## cached max
from functools import cache
def solve(I):
    row = tuple(I[0])
    @cache
    def best(i):
        if i >= len(row):
            return 0
        return max(row[i] + best(j) for j in range(i + 1, len(row) + 1))
    return best(0)
## cached lists
from functools import lru_cache
def solve(I):
    row = I[0]
    @lru_cache(None)
    def lis(i):
        best = (row[i],)
        for j in range(i):
            if row[j] < row[i] and len(lis(j)) + 1 > len(best):
                best = lis(j) + (row[i],)
        return best
    return max((lis(i) for i in range(len(row))), key=len)
## cached with None
from functools import cache
@cache
def f(n):
    if n > 3:
        return None
    if n % 2:
        return f(n + 1)
    x = f(n + 1)
    return [n] if x is None else x
def solve(I):
    return [f(k) for k in range(5)]
## cached numpy
import numpy as np
from functools import cache
def solve(I):
    a = np.array(I)
    h, w = a.shape
    @cache
    def total(r, c):
        if r >= h or c >= w:
            return 0
        return int(a[r, c]) + total(r + 1, c)
    return [total(0, c) for c in range(w)]
## match in a generator
def gen(I):
    for row in I:
        match row[0], len(row):
            case 0, n:
                yield n
            case v, _ if v > 1:
                yield v
                yield 7
            case _:
                continue
def solve(I):
    return list(gen(I))
## match nonlocal
def solve(I):
    n = 0
    def step(v):
        nonlocal n
        match v:
            case 0:
                n += 1
            case 5 | 2:
                n += 10
    for row in I:
        for v in row:
            step(v)
    return n
## match recursion
def solve(I):
    def f(n):
        match n:
            case 0:
                return 1
            case 1:
                return 2
            case k:
                return f(k - 1) + f(k - 2)
    return f(6)
## setdefault default
from collections import defaultdict
def solve(I):
    d = defaultdict(int)
    n = [v for row in I for v in row if d.setdefault(v, len(d)) > 0]
    return n, sorted(d.items())
## functions of a list
RULES = []
def rule(f):
    '''Register.'''
    RULES.append(f)
    return f
@rule
def a(I):
    if len(I) > 2:
        return I[0]
@rule
def b(I):
    return I[-1]
def solve(I):
    for fn in RULES:
        x = fn(I)
        if x is not None:
            return x
    return I
## functions of a list beside arrays
import numpy as np
RULES = []
def rule(f):
    RULES.append(f)
    return f
@rule
def turned(a):
    if a.shape[0] > 2:
        return np.rot90(a)
@rule
def cut(a):
    return a[:1]
def solve(I):
    a = np.array(I)
    for fn in RULES:
        found = fn(a)
        if found is not None:
            return found.tolist()
    return a.tolist()
## a program that a call makes
compose = lambda f, g: lambda x: g(f(x))
flip = lambda g: g[::-1]
solve = compose(flip, flip)
## a program of functions
from itertools import accumulate
from functools import reduce
compose = lambda *fs: reduce(lambda f, g: lambda x: g(f(x)), fs)
transpose = lambda g: list(map(list, zip(*g)))
spread = lambda row: list(accumulate(row, lambda a, b: b or a))
both = lambda f: lambda g: [f(r) for r in g]
def solve(g):
    return compose(both(spread), transpose, both(spread), transpose)(g)
"""

TRAPS = """
## held groups
from itertools import groupby
def solve(I):
    return [(k, list(g)) for k, g in [(k, g) for k, g in groupby(I[0])]]
## held groups 2
from itertools import groupby
def solve(I):
    return [(k, list(g)) for k, g in list(groupby(I[0]))]
## group read after
from itertools import groupby
def solve(I):
    for k, g in groupby(I[0]):
        pass
    return list(g)
## group previous
from itertools import groupby
def solve(I):
    p, out = [], []
    for k, g in groupby(I[0]):
        out += list(p)
        p = g
    return out
## group twice
from itertools import groupby
def solve(I):
    return [(list(g), list(g)) for k, g in groupby(I[0])]
## group in rounds
from itertools import groupby
def solve(I):
    return [list(g) for k, g in groupby(I[0]) for _ in range(2)]
## group twice in for
from itertools import groupby
def solve(I):
    out = []
    for k, g in groupby(I[0]):
        out.append((list(g), list(g)))
    return out
## group in for for
from itertools import groupby
def solve(I):
    out = []
    for k, g in groupby(I[0]):
        for _ in range(2):
            out.append(list(g))
    return out
## group partly
from itertools import groupby
def solve(I):
    out = []
    for k, g in groupby(I[0]):
        for v in g:
            out.append(v)
            break
        for v in g:
            out.append(-v)
    return out
## group next
from itertools import groupby
def solve(I):
    return [(k, next(g), list(g)) for k, g in groupby(I[0])]
## starmap max
from itertools import *
def solve(I):
    return list(starmap(max, zip(*I))), list(starmap(pow, [(2, 3)])), list(repeat(I[0], 2))
## repeat of a list
from itertools import repeat
def solve(I):
    out = list(repeat([0, 0], 2))
    out[0][0] = 1
    return out
## pairwise that changes
from itertools import pairwise
def solve(I):
    x = [1, 2, 3]
    for a, b in pairwise(x):
        if len(x) < 6:
            x.append(a + b)
    return x
## takewhile shared
from itertools import takewhile
def solve(I):
    it = iter(I[0])
    a = list(takewhile(lambda v: v == 0, it))
    return a, list(it)
## islice shared
from itertools import islice
def solve(I):
    it = iter(I[0])
    return list(islice(it, 2)), list(it)
## cycle next
from itertools import cycle
def solve(I):
    c = cycle([1, 2])
    return [next(c) if v else 0 for v in I[0]]
## accumulate later
from itertools import accumulate
def solve(I):
    x = [1, 2, 3]
    a = accumulate(x)
    x.append(4)
    return list(a)
## accumulate effect
from itertools import accumulate
def solve(I):
    n = 0
    def f(a, b):
        nonlocal n
        n += 1
        return a + b
    out = []
    for t in accumulate(I[0], f):
        out.append((t, n))
    return out
## own names
from itertools import accumulate, groupby
def enumerate(x):
    return [(5, v) for v in x]
def solve(I):
    return list(accumulate(I[0])), enumerate([1])
## own accumulate
from itertools import accumulate
def accumulate(x):
    return [5]
def solve(I):
    return list(accumulate(I[0]))
## generator end
from itertools import islice, count
def gen():
    n = 0
    while True:
        yield n
        n += 1
def solve(I):
    return list(islice(gen(), 4))
## heap of two names
import heapq
def solve(I):
    a = [3, 1]
    b = a
    heapq.heappush(b, 0)
    return a, b
## heap equal
import heapq
def solve(I):
    h = []
    for v in (2, 2.0, True, 1, 1.0, False, 0):
        heapq.heappush(h, v)
    a = [heapq.heappop(h) for _ in range(4)]
    return a, h
## changed result
from functools import cache
@cache
def f(n):
    return [n]
def solve(I):
    f(1).append(2)
    x = f(1)
    x.append(3)
    return f(1)
## changed result 2
from functools import cache
@cache
def f(n):
    if n < 1:
        return [0]
    return f(n - 1) + [n]
def solve(I):
    x = f(3)
    x.append(3)
    return f(3), f(2)
## changed within
from functools import cache
@cache
def f(n):
    if n < 1:
        return [0]
    x = f(n - 1)
    x.append(n)
    return x
def solve(I):
    return f(3), f(2)
## effect
from functools import cache
def solve(I):
    out = []
    @cache
    def f(n):
        out.append(n)
        return n
    return [f(v) for row in I for v in row], out
## nonlocal
from functools import cache
def solve(I):
    n = 0
    @cache
    def f(k):
        nonlocal n
        n += 1
        return n
    return [f(v) for row in I for v in row], n
## stale number
from functools import cache
def solve(I):
    n = 1
    @cache
    def f(k):
        return k + n
    a = f(1)
    n = 5
    return a, f(1)
## stale grid
from functools import cache
def solve(I):
    @cache
    def f(r, c):
        return I[r][c]
    a = f(0, 0)
    I[0][0] = 7
    return a, f(0, 0)
## stale row
from functools import cache
def solve(I):
    @cache
    def f(r, c):
        return I[r][c]
    a = f(0, 0)
    row = I[0]
    row[0] = 7
    return a, f(0, 0)
## stale loop
from functools import cache
def solve(I):
    @cache
    def f(r, c):
        return I[r][c]
    a = f(0, 0)
    for row in I:
        row[0] = 7
    return a, f(0, 0)
## stale helper
from functools import cache
def paint(rows):
    rows[0][0] = 7
def solve(I):
    @cache
    def f(r, c):
        return I[r][c]
    a = f(0, 0)
    paint(I)
    return a, f(0, 0)
## stale in loop
from functools import cache
def solve(I):
    out = []
    @cache
    def f(k):
        return k + n
    for n in range(3):
        out.append(f(1))
    return out
## def in loop
from functools import cache
def solve(I):
    out = []
    for n in range(3):
        @cache
        def f(k):
            return k + n
        out.append(f(1))
    return out
## stale through a function
from functools import cache
def solve(I):
    n = 1
    def g():
        return n
    @cache
    def f(k):
        return k + g()
    a = f(1)
    n = 5
    return a, f(1)
## module list
from functools import cache
N = [1]
@cache
def f(k):
    return k + len(N)
def solve(I):
    a = f(1)
    N.append(2)
    return a, f(1)
## iterator
from functools import cache
@cache
def f(k):
    return map(lambda v: v + k, (1, 2))
def solve(I):
    return list(f(1)), list(f(1))
## generator
from functools import cache
@cache
def f(k):
    yield k
def solve(I):
    return list(f(1)), list(f(1))
## kinds
from functools import cache
@cache
def f(k):
    return 1 if k is True else 2
def solve(I):
    return f(1), f(True)
## info
from functools import cache
@cache
def f(k):
    return k + 1
def solve(I):
    return f(1), f.cache_info().hits
## out alias
from functools import cache
def solve(I):
    @cache
    def f(r, c):
        return I[r][c]
    a = f(0, 0)
    out = I
    out[0][0] = 9
    return a, f(0, 0), out
## out rows
from functools import cache
def solve(I):
    @cache
    def f(r, c):
        return I[r][c]
    a = f(0, 0)
    out = [row for row in I]
    for row in out:
        row[0] = 9
    return a, f(0, 0), out
## pop of lists
from functools import cache
def solve(I):
    @cache
    def f(r, c):
        return I[r][c]
    a = f(0, 0)
    rows = list(I)
    while rows:
        x = rows.pop()
        x[0] = 8
    return a, f(0, 0)
## tuples
def solve(I):
    match (len(I), len(I[0])):
        case (1, 1):
            return 1
        case (1, w) | (w, 1) if w > 9:
            return w
        case _:
            return 2
## capture stays
def solve(I):
    x = 0
    match len(I):
        case x if x > 100:
            return 1
        case 3:
            return x
        case y:
            return x, y
## text and none
def f(k):
    match k:
        case "left":
            return 1
        case None:
            return 2
        case True:
            return 3
        case 1:
            return 4
    return 5
def solve(I):
    return f("left"), f(None), f(True), f(1), f("right"), f(0), f(1.0)
## classes
def solve(I):
    match len(I):
        case int(x):
            return x
## sequence of a name
def solve(I):
    match I[0]:
        case [a, b]:
            return a
        case [a, *b]:
            return b
## star
def solve(I):
    match (1, 2, 3):
        case (a, *b):
            return b
## mapping
def solve(I):
    match {1: 2}:
        case {1: x}:
            return x
## changes
def solve(I):
    out = [row[:] for row in I]
    match out:
        case rows if len(rows) > 2:
            rows[0][0] = 9
        case rows:
            rows[0][0] = 8
    return out
## no case
def solve(I):
    match len(I):
        case 99:
            y = 1
    return I
## groupby over what changes
from itertools import groupby
def solve(I):
    x = [1, 1, 2]
    for k, g in groupby(x):
        if len(x) < 6:
            x.append(k)
        list(g)
    return x
## pairwise rows that change
from itertools import pairwise
def solve(I):
    rows = [list(r) for r in I]
    for a, b in pairwise(rows):
        b[0] = a[0] + 1
    return rows
## pairwise of lists kept
from itertools import pairwise
def solve(I):
    rows = [list(r) for r in I]
    p = list(pairwise(rows))
    rows[0][0] = 9
    return p
## groupby lists kept
from itertools import groupby
def solve(I):
    rows = [list(r) for r in I]
    p = [(k, list(g)) for k, g in groupby(rows, key=len)]
    rows[0][0] = 9
    p[0][1][0][1] = 8
    return p, rows
## groupby key is list
from itertools import groupby
def solve(I):
    rows = [list(r) for r in I]
    p = [k for k, g in groupby(rows)]
    rows[0][0] = 9
    return p, rows
## accumulate lists
from itertools import accumulate
def solve(I):
    p = list(accumulate([[1], [2]], lambda a, b: a if len(a) > 5 else a))
    p[0].append(3)
    return p
## repeat kept
from itertools import repeat
def solve(I):
    r = [0]
    x = list(repeat(r, 2))
    r.append(1)
    return x
## heap in a dict
import heapq as hq
def solve(I):
    d = {1: [], 2: []}
    for v in I[0]:
        hq.heappush(d[1 + v % 2], -v)
    return d[1], d[2]
## heap of lists
import heapq
def solve(I):
    h = []
    for i, v in enumerate(I[0]):
        heapq.heappush(h, [v, i])
    x = heapq.heappop(h)
    x[0] = 7
    return x, h
## heap of lists held
import heapq
def solve(I):
    a = [3]
    h = [[1]]
    heapq.heappush(h, a)
    a.append(5)
    return h
## heap top changes
import heapq
def solve(I):
    h = [[1, 1], [2, 2]]
    x = h[0]
    heapq.heappush(h, [0])
    x.append(5)
    return h, x
## heap of strings and none
import heapq
def solve(I):
    h = []
    heapq.heappush(h, (1, None))
    heapq.heappush(h, (0, 5))
    return heapq.heappop(h)
## cached numpy that changes
import numpy as np
from functools import cache
def solve(I):
    a = np.array(I)
    @cache
    def at(r, c):
        return int(a[r, c])
    x = at(0, 0)
    b = a[0]
    b[0] = 5
    return x, at(0, 0)
## cached with a list that it is given
from functools import cache
def solve(I):
    x = []
    @cache
    def f(k):
        x.append(k)
        return len(x)
    return f(1), f(1), f(2)
## cached walrus
from functools import cache
def solve(I):
    @cache
    def f(k):
        return k + n
    n = 1
    a = f(1)
    b = [n := n + v for v in I[0]]
    return a, f(1), b
## cached comprehension variable
from functools import cache
def solve(I):
    n = 3
    @cache
    def f(k):
        return k + n
    return [f(1) for n in range(3)], f(1)
## cached global
from functools import cache
N = 1
@cache
def f(k):
    return k + N
def g():
    global N
    N = 5
def solve(I):
    a = f(1)
    g()
    return a, f(1)
## setdefault nested
def solve(I):
    d = {}
    out = []
    for i, row in enumerate(I):
        for j, v in enumerate(row):
            d.setdefault(v, {})
            out.append(d[v].setdefault(i, j) + 1)
            while d[v].setdefault(99, 0) < 2:
                d[v][99] += 1
    return out, [(k, sorted(x.items())) for k, x in sorted(d.items())]
## setdefault lambda
def solve(I):
    d = {}
    f = lambda v: d.setdefault(v, len(d))
    return [f(v) for v in I[0]], list(map(lambda v: d.setdefault(v, len(d)), I[0]))
## setdefault list in expr
def solve(I):
    d = {}
    n = [len(d.setdefault(v, [])) for v in I[0]]
    d.setdefault(0, []).append(4)
    x = d.setdefault(0, [])
    y = [x, d.setdefault(0, [])]
    x.append(2)
    return n, y
## popitem of two names
def solve(I):
    d = {1: 2, 3: 4}
    e = d
    a = e.popitem()
    return a, tuple(d.items())
## popitem values
def solve(I):
    d = {1: [2], 3: [4]}
    k, v = d.popitem()
    v.append(5)
    return k, v, tuple(d.items())
## own popitem
def popitem(x):
    return 5
def solve(I):
    return popitem(I), {1: 2}.popitem()
## functions of a list: more
RULES = []
def rule(f):
    RULES.append(f)
    return f
@rule
def a(I):
    return I[0]
def c(I):
    return I[1]
RULES.append(c)
def solve(I):
    return [f(I) for f in RULES]
## functions of a list: read between
RULES = []
def rule(f):
    RULES.append(f)
    return f
@rule
def a(I):
    return I[0]
N = len(RULES)
@rule
def b(I):
    return I[1]
def solve(I):
    return N
## functions of a list: wraps
RULES = []
def rule(f):
    RULES.append(f)
    return lambda x: 5
@rule
def a(I):
    return I[0]
def solve(I):
    return a(I)
## functions of a list: called too
RULES = []
def rule(f):
    RULES.append(f)
    return f
@rule
def a(I):
    return I[0]
def solve(I):
    rule(a)
    return len(RULES)
## functions of a list: twice defined
RULES = []
def rule(f):
    RULES.append(f)
    return f
@rule
def a(I):
    return I[0]
@rule
def a(I):
    return I[1]
def solve(I):
    return [f(I) for f in RULES]
## functions of a list: a decorator of a dictionary
RULES = {}
def rule(f):
    RULES[len(RULES)] = f
    return f
@rule
def a(I):
    return I[0]
def solve(I):
    return len(RULES)
## a program that a call makes: d
def compose(*fs):
    def made(g):
        for f in fs:
            g = f(g)
        return g
    return made
flip = lambda g: g[::-1]
def cut(g):
    return g[:2]
transform = compose(flip, cut)
def solve(g):
    return transform(g)
## a program that a call makes: a constant
def make(n):
    f = lambda v: v + n
    return [f(1), f(2)]
solved = make(3)
def solve(g):
    return solved
## a program that a call makes: a constant that is called
def make(n):
    return [lambda v: v + n]
programs = make(3)
def solve(g):
    return programs[0](2)
## a program that a call makes: with a list
def make():
    n = []
    def f(g):
        n.append(1)
        return len(n)
    return f
transform = make()
def solve(g):
    return transform(g) + transform(g)
"""


@pytest.mark.parametrize("source", sections(READ).values(), ids=sections(READ))
def test_a_source_is_read_and_means_what_it_means_in_python(source):
    (program,) = mb.parse(source, strict=True)
    for grid in GRIDS:
        try:
            expected = as_python(source, "solve", [list(row) for row in grid])
        except (IndexError, KeyError):
            assert grid != GRID
            continue
        assert_same(as_program(program, grid), expected)


@pytest.mark.parametrize("source", sections(TRAPS).values(), ids=sections(TRAPS))
def test_a_trap_means_what_python_means_or_is_refused(source):
    programs = mb.parse(source)
    assert len(programs) + len(programs.errors) > 0
    for program in programs:
        expected = as_python(source, program.name, [list(row) for row in GRID])
        assert_same(as_program(program, GRID), expected)


@pytest.mark.parametrize(
    "body",
    ["return heapq.heappop([])", "return list(itertools.islice(I[0], -1))",
     "return {}.popitem()", "return list(itertools.islice(itertools.cycle(I[0]), -1))"],
)  # fmt: skip
def test_what_raises_in_python_fails(body):
    (program,) = mb.parse(f"import heapq, itertools\ndef solve(I):\n    {body}\n", strict=True)
    assert mb.evaluate([program], [(GRID, None)]).first_failure[0, 0] >= 0
