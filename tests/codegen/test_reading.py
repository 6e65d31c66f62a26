"""Programs as people and models write them mean what Python means."""

from __future__ import annotations

from textwrap import indent

import pytest
from hypothesis import assume, given

import megabatt as mb
from megabatt.codegen.errors import place_of
from megabatt.codegen.read_python import Reading, Source, Speech, read_python
from megabatt.runtime.arc import LANGUAGE
from megabatt.runtime.engine.language.limits import LimitError
from tests.codegen.meaning import as_program, as_python
from tests.codegen.sources import nearly_plain_sources, sources

GRID = ((0, 1, 1, 0, 5), (0, 1, 0, 0, 5), (2, 2, 0, 3, 5))
GRIDS = [GRID, ((1, 0), (0, 2), (3, 3)), ((4,),)]

FORMS = """
## keyword arguments
x = argmax(compfunc=size, container=fgpartition(I))
return subgrid(grid=I, patch=x)
## annotations
x: Grid = vmirror(I)
y: Grid
return x
## reassignment
x = vmirror(I)
x = hconcat(x, I)
x = hconcat(x, I)
return x
## an augmented assignment
n = height(I)
n += 2
n *= n
return n
## several targets
a = b = vmirror(I)
return hconcat(a, b)
## unpacking
h, w = shape(I)
return canvas(w, (h, 1))
## nested unpacking
(a, b), c = (shape(I), 3)
return (c, b, a)
## unpacking with a star
a, *b, c = (1, 2, 3, 4)
return (b, a, c)
## exchange
a, b = 1, 2
a, b = b, a
return (a, b)
## an alias of a function
f = vmirror
g = f
return g(I)
## a hidden constant
T = tophalf(I)
return hmirror(T)
## a hidden input
S = ofcolor(I, FIVE)
C = mostcolor(I)
return fill(I, C, S)
## a hidden primitive
box = backdrop(ofcolor(I, FIVE))
return fill(I, ONE, box)
## print
x = vmirror(I)
print('x', x)
return x
## a docstring
'''Mirror.'''
# a comment
return vmirror(I)
## a name that is imported
from dsl import vmirror as flipped
return flipped(I)
## a module that is imported
import arc_dsl as d
return d.vmirror(I)
## None
return branch(equality(I, None), (), I)
## is None
return 1 if index(I, (9, 9)) is None else 2
## tuples
return crop(I, (0, 0), (1, 1))
## sets
return fill(I, FIVE, frozenset({(0, 0), (0, 1)}))
## tuples with variables
n = height(I)
return (n, (n, 1), [n], (n, n, n, 4))
## sets with variables
n = height(I)
return {n, 1, n, height(I) + 1}
## tuples with stars
t = shape(I)
return (*t, 7, *palette(I))
## sets with stars
return {*palette(I), 11}
## the empty set
return (set(), frozenset(), tuple(), ())
## a lambda
return argmax(totuple(objects(I, T, F, T)), lambda o: -size(o))
## a lambda with what it captures
n = height(I)
return apply(lambda v: v * n, (1, 2))
## a lambda in a lambda
n = 3
m = width(I)
return apply(lambda v: apply(lambda u: u * v + m, (1, n)), (1, 2))
## a lambda that captures much
a, b, c, d, e = range(5)
return apply(lambda v: v * a + b - c * d + e, (1, 2))
## a lambda that is called
return (lambda a, b: hconcat(b, a))(I, vmirror(I))
## a lambda with a default
n = 3
return apply(lambda v, n=n: v * n, (1, 2))
## a lambda of two
return papply(lambda a, b: a - b, (1, 2), (3, 4))
## a nested def
n = 2
def f(v):
    w = v * n
    return w + 1
return apply(f, (1, f(2)))
## a nested def that chooses
def f(v):
    if v > 1:
        return 10 // (v - 2)
    return 0
return apply(f, (0, 1, 3))
## a function with defaults
def f(v, k=2, *, j=3):
    return v * k + j
return (f(1), f(1, 5), f(v=2, j=0))
## functions in functions
return compose(lambda v: v + 1, lambda v: v * 2)(height(I))
## a conditional expression
return vmirror(I) if portrait(I) else hmirror(I)
## a choice of which one side fails
n = 0
return 1 // n if n else 7
## and, or, not
return (portrait(I) and 1, 0 or (), not I, not portrait(I), 1 and 2 or 3)
## comparisons
n = height(I)
return (n < 2, n <= 3, n > 2, n >= 3, n == 3, n != 3, 1 < n <= 3)
## comparisons of tuples
t = shape(I)
return (t < (3, 5), t <= (3, 5), t > (1,), t >= (3, 6))
## comparisons of sets
p = palette(I)
return (p < {0, 1, 2, 3, 4, 5}, p <= p, p > {1}, p >= {9})
## arithmetic
n = height(I)
return (n + 1, n - 5, n * n, n // 2, -n, +n, n % 2, -7 // 2, -n % 4)
## tuples added and repeated
t = shape(I)
return t + (1,) + t * 2 + 2 * t
## operators of sets
p = palette(I)
return (p - {1}, p & {1, 2}, p | {7, 8})
## in
return (1 in palette(I), 7 in (7, 8), 9 not in palette(I))
## len, min, max, sum
p = palette(I)
return (len(p), min(p), max(p), sum(p), max(3, len(p)), min(2, 1, 3))
## min and max with a key
o = totuple(partition(I))
return (max(o, key=size), min(o, key=lambda p: -len(p)))
## a default
return (max((), default=3), min((2,), default=3))
## sorted
a = sorted((3, 1, 2), key=lambda v: -v)
return (sorted(palette(I)), a, sorted((1, 2, 3), key=even, reverse=True))
## abs, bool, int
n = -height(I)
return (abs(n), abs(3), bool(I), bool(()), int(True))
## any and all
p = (0, 1)
return (any(p), all(p), all(()), any(v > 3 for v in palette(I)))
## ranges
return (tuple(range(3)), tuple(range(1, 4)), tuple(range(5, 0, -2)))
## zip, enumerate
return (tuple(zip((1, 2), (3, 4))), tuple(enumerate((7, 8))))
## map, filter, reversed
return (tuple(map(double, (1, 2))), tuple(filter(even, (1, 2))), tuple(reversed((1, 2))))
## next
return (next(v for v in (1, 2, 3) if v > 1), next((v for v in (1,) if v > 1), 9))
## subscripts
t = (1, 2, 3, 4)
return (t[0], t[-1], t[1:], t[:-1], t[::-1], t[3:0:-2], I[0][0])
## comprehensions
return tuple(v * 2 for v in sorted(palette(I)) if v)
## comprehensions of sets
return {v // 2 for v in palette(I)}
## comprehensions of lists
return [[v + 1 for v in row] for row in I]
## comprehensions of comprehensions
return tuple((a, b) for a in (1, 2) if a for b in range(a) if b < 2)
## comprehensions of pairs
return tuple(i + j for i, j in sorted(asindices(I)))
## a generator in a call
return frozenset(size(o) for o in objects(I, T, F, T))
## if
n = height(I)
if n > 2:
    m = 1
elif n > 1:
    m = 2
else:
    m = 3
return m
## if without else
x = I
if portrait(I):
    x = vmirror(x)
return x
## returns in if
if portrait(I):
    return 1
x = 2
if x > height(I):
    return 3
else:
    x = 5
return x
## an argument with a star
t = (I, vmirror(I))
return hconcat(*t)
## statements behind a return
return I
return 1
"""


def sections(text):
    """Split a text at its headings. Returns the lines under each, by heading."""
    parts = (part.split("\n", 1) for part in text.split("## ")[1:])
    return {heading: lines for heading, lines in parts}


@pytest.mark.parametrize("form", sections(FORMS))
def test_a_form_means_what_it_means_in_python(form):
    source = f"def solve(I):\n{indent(sections(FORMS)[form], '    ')}"
    (program,) = mb.parse(source, strict=True)
    for grid in GRIDS:
        try:
            expected = as_python(source, "solve", grid)
        except (ValueError, IndexError, TypeError, ZeroDivisionError):
            assert grid != GRID
            continue
        assert_same(as_program(program, {"I": grid}), expected)


def assert_same(value, expected):
    assert repr(value) == repr(expected) or value == expected


SOURCES = {
    "helpers": ("def largest(grid):\n    return argmax(objects(grid, T, F, T), size)\n"
                "def solve(I):\n    return subgrid(largest(I), I)\n"),
    "a helper that is a value": ("def twice(v):\n    return double(v)\n"
                                 "def solve(I):\n    return apply(twice, (1, 2))\n"),
    "a helper that takes functions": ("def both_of(f, g, x):\n    return (f(x), g(x))\n"
                                      "def solve(I):\n    return both_of(size, lambda g: 3, I)\n"),
    "constants of a module": ("N = 3\nA, B = 1, N\nP = (N, N)\nf = compose(double, size)\n"
                              "def solve(I):\n    return (N, A, B, P, f(I))\n"),
    "what a module computes": ("N = double(TWO)\ndef solve(I):\n"
                               "    return apply(lambda v: v + N, (N, 1))\n"),
    "a grid by another name": "def solve(grid):\n    return vmirror(grid)\n",
    "a parameter with a default": "def solve(I, k=2):\n    return upscale(I, k)\n",
    "a main guard": ("from dsl import *\ndef solve(I):\n    return vmirror(I)\n"
                     "if __name__ == '__main__':\n    print(solve(((1,),)))\n"),
    "a lambda": "solve = lambda I: vmirror(I)\n",
    "a helper before and behind": ("def solve(I):\n    return f(g(I))\ndef g(x):\n    return f(x)\n"
                                   "def f(x):\n    return hconcat(x, x)\n"),
    "a primitive of one's own": ("def height(x):\n    return 7\n"
                                 "def solve(I):\n    return height(I)\n"),
}  # fmt: skip


@pytest.mark.parametrize("kind", SOURCES)
def test_a_module_means_what_it_means_in_python(kind):
    source = SOURCES[kind]
    (program,) = mb.parse(source, strict=True)
    assert program.name == "solve"
    expected = as_python(source, "solve", GRID)
    assert_same(as_program(program, {"I": GRID}), expected)


@given(sources())
def test_a_drawn_program_means_what_it_means_in_python(source):
    try:
        expected = as_python(source, "solve", GRID)
    except Exception:
        assume(False)
    (program,) = mb.parse(source, strict=True)
    try:
        assert_same(as_program(program, {"I": GRID}), expected)
    except LimitError:
        return
    evaluation = mb.evaluate([program], [(GRID, None)], outputs="all")
    assert_same(evaluation.output(0, 0), expected)


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
