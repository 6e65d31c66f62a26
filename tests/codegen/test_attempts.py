"""`try`: what a handler does where lines fail, or an error that says to test beforehand."""

import pytest

import megabatt as mb
from tests.codegen import meaning
from tests.codegen.meaning import assert_as_python, assert_same_or_refused, meets_limit, variants

GRID = [list(row) for row in meaning.GRID]
GRIDS = [GRID, [[1, 2], [3, 4]], [[5]], [[0] * 3, [0, 7, 0], [0] * 3], [[3, 3, 5], [1, 5, 1]]]

READ = """
## all ways return
def cell(g): return g[1][1]
try:
    HERE
except Exception as error:
    print(error)
    return I
-- out = []
   for row in I: out.append(row[2])
   return out
-- return 6 // (I[0][0] - 1)
-- most = max(v for row in I for v in row if v > 5); return most, [v for v in I[0]]
-- return cell(I)
-- total = 0
   for v in I[0]:
       if v > 4: raise ValueError
       total += v
   return total
-- counts = {}
   for v in I[0]: counts[v] = counts.get(v, 0) + 1
   out = [[0] * counts[0] for _ in I]; out[1][1] = counts[5]; return out
## some ways return
def turned(g): return [row[::-1] for row in g]
def cut(g): return g[2][2]
for f in (cut, turned):
    try:
        out = f(I)
        if out != I: return out
    except Exception: continue
return 9
## lines that are left in several ways
n = 0
for i in range(-2, 9):
    try:
        if i < 0 or I[i][0] > 2: continue
        if I[i][1] == 4: break
        for v in I[i]:
            if v == 7: return 8
            if v == 5: break
    except IndexError: continue
    n += 1
return n
## what is assigned is read
out = [0]
for row in I:
    HERE
return out
-- try: k = row.index(5)
   except ValueError: continue
   out.append(k)
-- try: k = row.index(5)
   except (KeyError, ValueError): k = -1
   else: k += 3
   out.append(k)
-- try: out.append(row.index(5))
   except ValueError: pass
-- try: out = [max(out + [row.index(5)])]
   except ValueError: pass
-- d = {1: 2}
   try: d[row[0]] += 1
   except KeyError: d[row[0]] = 5
   out.append(d[row[0]])
-- try: (a, b), c = (row[0], row[1]), row[2]
   except IndexError: a = b = c = 7
   out += [a, b, c]
-- try: v = row.index(5); k = v; k += 1
   except ValueError: k = 0
   out.append(k)
-- try: row.index(5); k = 1
   except ValueError: k = 0
   out.append(k)
-- try: k = row.index(5)
   except: break
   out.append(k)
## functions that are called with others
def safe(f, *given):
    try: return f(*given)
    except Exception: return 0
return safe(lambda g: g[1][1], I), safe(lambda g, k: g[k][k], I, 2)
## primitives
try: return first(objects(I, T, F, T))
except IndexError: return I
"""

OTHERS = """
## what lines leave half done
x, rows, n = 1, [list(row) for row in I], 0
HERE
return x, rows, n
-- try: x = 2; y = I[5]
   except Exception: pass
-- try: rows[0][0] = 5; rows[0][9] = 6
   except IndexError: n = 1
-- try:
       row = rows[0]; row[0] = 9; row[9] = 8
   except IndexError: n = 1
-- try:
       for row in rows: row[0] = 9; row[1] = I[5]
   except IndexError: n = 1
-- def fill(g): g[0][0] = 4; g[9][0] = 4
   try: fill(rows)
   except IndexError: n = 1
-- try: n = len(I); m = I[5]
   except IndexError: n += 1
-- try: x = [rows.pop() for _ in range(5)]
   except IndexError: x = 0
-- def bump(v):
       nonlocal n
       n += 1
       return v[9]
   try: x = bump(I[0])
   except IndexError: x = 5
-- try:
       for n in range(5): x = I[n]
   except IndexError: pass
-- k = 8
   try:
       for k in range(5):
           if I[k][0] == 7: return 5
   except IndexError: return k
-- try:
       if len(I): x = 2; x = I[9]
       else: x = 3
   except IndexError: return x
-- try: x, (a, b) = 5, (1, 2, 3)[:len(I)]
   except ValueError: pass
-- z = 1
   for row in I:
       try: z = 2; y = row[9]
       except IndexError: y = 0
   else: n = z
-- def f():
       nonlocal x
       try: x = 2; return I[2]
       except IndexError: return 0
   f()
-- z = 1
   def f(): return z
   try: z = 2; y = I[9]
   except IndexError: return f()
-- z = 1
   def f(): return z
   try: z = 2; y = f() + I[0][0]
   except IndexError: y = 0
   n = y
## what others see
d, x = {1: [1, 2], 5: [3, 4]}, [1, 2]
HERE
return d, x, y
-- try: y = d[5]
   except KeyError: y = [0]
   y[0] = 8
-- try: y = [x, I[0]]; z = I[1]
   except IndexError: y = [x]
   y[0].append(3)
-- y = d[1]
   try: d[1] += [7]
   except KeyError: y = 0
-- try: y = map(lambda row: row[9], I)
   except IndexError: y = ()
   y = len(d)
-- try: y = lambda v: v + I[9][1]
   except IndexError: y = 0
   y = y(1)
-- try:
       def y(v): return v + I[9][1]
   except IndexError: y = abs
   y = y(1)
-- y = 0
   for v in I[0]:
       try:
           y = v
           if v > 0: break
           z = I[v][5]
       except IndexError: y = 7
-- try:
       k = 1
       y = [lambda v: v + k]
       z = I[0]
   except IndexError: y = []
   k = 5
   y = y[0](1)
## what nothing reads
HERE
except Exception: return 2
return 1
-- try:
       for row in I: z = row[9]
-- try: z = I[9]; z = 1
-- try:
       if I: z = I[9]
-- try:
       if I[9]: pass
-- try: print(I[9])
-- try: assert len(I) > 9
-- try: I[9]; return 1
-- try:
       while I[0][0] == 9: z = 1
       return z
-- try: x = I[9]; z = x; return 1
-- try: x = I[9]; y, z = x, 1; return z
-- try:
       x = I[9][9]; z = 0
       if x: z = 5
       return 1
-- try: x = [0]; x[9] = 1; y = x; return 1
-- try: x = [0, 0]; x[9], y = 1, 3; return y
-- try: return 5 if isinstance(6 // I[0][0], tuple) else 1
-- try: x = I[9]; return type((x, 1))([1])
## what only some ways read
def first(g, v): return g[0][0]
def high(g):
    h, w = len(g), len(g[9])
    return h
def shape_of(g): return len(g), len(g[9])
first_of = lambda g, v: g[0][0]
def filled(g): g[9][0] = 4
def inside(g):
    v = g[9]
    def at(k): return v if k else 7
    return at(0)
def tested(g, v):
    if v is None: v = 1
    return g
t = 0
try:
    HERE
except Exception: return 9
return t
-- filled([list(row) for row in I])
-- return inside(I)
-- return tested(I, I[9])
-- x = I[9]
   if I[0][0] == 0: return 5
   return x
-- x = I[9]
   if I[0][0] != 0: return x
   return 5
-- t = 0
   for row in I:
       x = row[9]
       if row[0] == 8: t += x
-- t = 0
   for row in I:
       x = row[9]
       if row[0] != 8: continue
       t += x
-- out = []; out.append(I[9])
   if I[0][0] != 8: return 7
   return out
-- x = 0
   for row in I: x += row[9]
   if I[0][0] != 8: return 7
   return x
-- return first(I, I[9])
-- return first_of(I, I[9])
-- return high(I)
-- x = I[9]; x = I[0]; t = x; x = I[8]
-- x = I[9]
   if I[0][0] != 8: return 7
-- if I: I[9][0]
-- a, b = 1, I[9]; t = a
-- x = I[9]; return 5 if I[0][0] != 8 else x
-- x = I[9]; return I[0][0] == 8 and x == 1
-- if I[9] == 1: t = 1
   else: t = 1
-- t, x = shape_of(I); return t
-- t, x = [1, I[9]]; return t
-- t = [1, I[9]]; t.clear()
-- return max(I, key=high)
-- return [high][0](I)
-- return len([i for i, (a, b, c) in enumerate(I)])
-- return min(I[0], default=I[9])
-- x = I[9]; return next(iter(I[0]), x)
-- def kept(g, v):
       def inner(): return v
       return g[0][0]
   return kept(I, I[9])
## what Python computes in part
try:
    HERE
except Exception: return 9
-- return 3 in (3 // v for v in (1, 0))
-- return any(map(lambda v: 3 // v, (1, 0)))
-- for v in (3 // v for v in (1, 0)): return v
-- return [a + b for a, b in zip([1], (3 // v for v in (1, 0)))]
## what fails here alone
HERE
except Exception: return 9
-- from collections import defaultdict
   d = [defaultdict(int)]
   try: return d[0][5]
-- x = [[1], [1]]
   try: return x[0] is x[1]
-- words = ["abc", "b"]
   try: return [1 for word in words if word[0] == "b"]
-- try: return int("5")
-- try: return len([i for i, (a, I, c) in enumerate(I)])
-- try: return len([i for i in (1, 2) for [a, I, c] in I])
-- try:
       for a, I in I: continue
       return 1
## handlers
try: HERE
return 1
-- x = I[9]
   except KeyError: return 2
   except IndexError: return 3
-- x = I[9]
   except IndexError as e: return len(e.args)
-- x = I[9]
   finally: return 4
-- return max(1, None)
   except TypeError: return 3
-- return len({I: 1})
   except (KeyError, TypeError): return 3
-- x = y
   except NameError: return 3
   y = 5
-- I.go()
   except AttributeError: return 3
## a handler around another one
def inner(I):
    try: return I[9][0]
    except KeyError: return 5
def solve(I):
    HERE
    except Exception: return 6
-- try: return inner(I)
-- try: return [*map(inner, [I])]
## an own function that a name changes later
g = [1, 2]
def cell():
    try: return g[1]
    except IndexError: return 5
a = cell()
g = [1]
return a, cell()
"""

PROGRAMS, TRAPS = variants(READ), variants(OTHERS)


@pytest.mark.parametrize("source", PROGRAMS.values(), ids=PROGRAMS)
def test_a_handler_does_what_it_does_in_python(source):
    assert_as_python(source, *GRIDS)


@pytest.mark.parametrize("source", TRAPS.values(), ids=TRAPS)
def test_a_try_means_what_python_means_or_is_refused(source):
    assert_same_or_refused(source)


def test_a_handler_does_not_handle_the_limit():
    source = "def solve(I):\n    try: return [0] * 10 ** 8\n    except Exception: return 5\n"
    assert meets_limit(*mb.parse(source, strict=True), GRIDS[0])


@pytest.mark.parametrize("lines, handler, why", [
    ("I[0] = 5; I[9]", "", "its lines change 'I', which was there before"),
    ("x = 2; y = I[9]", "return x", "'x' may be read after its lines fail"),
    ("y = x; x = I[9]", "x = 3", "its lines may read 'x' before they assign it"),
    ("x = I[9]; x = 2", "x = 3", "it may not read all that it computes"),
    ("y = I[9]", "return error.args", "its handler reads the exception"),
])  # fmt: skip
def test_a_try_that_is_not_read_says_why(lines, handler, why):
    body = f"try: {lines}\n    except Exception as error: {handler or 'pass'}"
    programs = mb.parse(f"def solve(I):\n    x = 1\n    {body}\n    return I\n")
    (error,) = programs.errors
    assert error.message.startswith(f"`try` is not read, since {why}")
