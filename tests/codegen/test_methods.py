"""Classes with methods mean what they mean in Python, or are refused."""

from itertools import pairwise

import pytest

import megabatt as mb
from tests.codegen.meaning import assert_as_python, assert_same_or_refused, sections, variants
from tests.codegen.test_reading import GRIDS

READ = '''
## changes of an object's field at a place that a method finds
class Sets:
    def __init__(self, n):
        self.parent = list(range(n))
        self.size = [1] * n
    def find(self, x):
        if self.parent[x] != x:
            self.parent[x] = self.find(self.parent[x])
        return self.parent[x]
    def join(self, a, b):
        self.size[self.find(b)] += 1
        self.parent[self.find(a)] = self.find(b)
def solve(I):
    sets = Sets(10)
    for row in I:
        sets.join(row[0], row[-1])
    sizes = sets.size[sets.find(3)], [sets.size[sets.find(v)] for v in I[0]]
    return [sets.find(x) for x in range(10)], sets.size, sizes, (sets.parent, sets.find(2))
## objects beside what is no object
class Line:
    def __init__(self, at):
        self.at = at
    def after(self, v):
        return self.at + v
def solve(I):
    lines = {v: Line(v) for v in I[0]}
    found = [lines[v].after(v) for row in I for v in row if v in lines]
    return found, 5 in [Line(5)], Line(5) == {"at": 5}
## classes in annotations, and functions that methods are given
from typing import Dict, List
class Line:
    def __init__(self, row):
        self.row = row
    def of(self, wanted):
        return [v for v in self.row if wanted(v)]
    def __len__(self):
        return len(self.row)
def lines(I) -> List[Line]:
    found: List[Line] = [Line(row) for row in I]
    by_place: Dict[int, List[Line]] = {0: found}
    return by_place[0]
def solve(I):
    return [line.of(lambda v: v != 3) + [len(line)] for line in lines(I)]
## calls of fields that are functions
from dataclasses import dataclass
from typing import Callable, NamedTuple
class Rule(NamedTuple):
    test: Callable
    act: Callable
@dataclass
class Way:
    name: str
    turned: Callable
    def height(self, rows):
        return len(self.turned(rows)) + rows[0].count(0)
class Cut:
    def __init__(self, first):
        self.first = first
RULES = [Rule(lambda v: v > 2, lambda v: 9 - v), Rule(lambda v: True, lambda v: v)]
def solve(I):
    ways = [Way("down", lambda rows: rows[1:]), Way("over", lambda rows: rows + rows)]
    best = max(ways, key=lambda way: way.height(I))
    cut = Cut(lambda row: [next(r for r in RULES if r.test(v)).act(v) for v in row])
    return [cut.first(row) for row in best.turned(I)]
## objects that generators give
class Part:
    def __init__(self, cells):
        self.cells = cells
    def __len__(self):
        return len(self.cells) + 3
    def __iter__(self):
        return iter(self.cells)
    def shorter(self):
        yield self
        yield Part(self.cells[1:])
def parts(grid):
    for row in grid:
        yield Part(row)
def more(grid):
    yield from parts(grid)
    yield Part([7])
def solve(I):
    found = sorted(more(I), key=len)
    n = list(map(len, found[0].shorter()))
    return n, [len(p) for p in found], [v for p in parts(I) for v in p]
## methods, properties and values of a class
class Grid:
    """A grid."""
    STEPS = [(0, 1), (1, 0)]
    __slots__ = ("cells", "h", "w")
    def __init__(self, cells, *, k=1):
        self.cells = cells
        self.h, self.w = len(cells) * k, len(cells[0])
    def __repr__(self):
        return f"Grid({self.h})"
    def get(self, r, c):
        if 0 <= r < self.h and 0 <= c < self.w:
            return self.cells[r][c]
        return None
    @property
    def area(self):
        return self.h * self.w
    @staticmethod
    def square(n):
        return Grid([[n] * n] * n)
    @classmethod
    def blank(cls, h, w):
        return cls([[0] * w for _ in range(h)])
    def near(self, r, c):
        for dr, dc in self.STEPS:
            v = self.get(r + dr, c + dc)
            if v is not None:
                yield v
def solve(I):
    g, d = Grid(I, k=1), {1: 2}
    both = list(map(Grid, [I, I[:1]]))
    return (g.get(0, 0), g.area, Grid.square(2).area, Grid.blank(2, 3).cells, d.get(1), Grid.STEPS,
            [*g.near(0, 0)], [one.h for one in both], max(both, key=lambda one: one.h).area)
## methods that are values
class Board:
    def __init__(self, rows):
        self.rows = rows
    def weight(self, row, by=2):
        return sum(row) * by + len(self.rows)
    def width(self, row):
        return len(row)
    def all(self):
        by = {1: self.width, 2: self.weight}
        return sorted(self.rows, key=self.weight), [f(self.rows[0]) for f in by.values()]
def solve(I):
    board = Board(I)
    weight = board.weight
    return board.all(), weight(I[0]), list(map(board.width, I))
## objects that change
class Sets:
    def __init__(self, n):
        self.parent = list(range(n))
        self.size = [1] * n
    def find(self, x):
        while self.parent[x] != x:
            self.parent[x] = self.parent[self.parent[x]]
            x = self.parent[x]
        return x
    def union(self, a, b):
        a, b = self.find(a), self.find(b)
        if a == b:
            return False
        if self.size[a] < self.size[b]:
            a, b = b, a
        self.parent[b] = a
        self.size[a] += self.size[b]
        return True
def solve(I):
    flat = [v for row in I for v in row]
    sets, seen = Sets(len(flat)), {0}
    for k, v in enumerate(flat):
        for j in range(k):
            if flat[j] == v and sets.union(j, k):
                seen = seen.union({k})
    return [sets.find(k) for k in range(len(flat))], sets.size, sorted(seen)
## methods of an object as values
class Rows:
    def __init__(self, rows):
        self.rows, self.k = rows, 0
    def weight(self, i: int) -> int:
        return sum(self.rows[i]) - self.k
    def step(self):
        self.k += 1
    def longest(self):
        return max(range(len(self.rows)), key=self.weight), list(map(self.weight, [-1, 0]))
def solve(I):
    one = Rows(I)
    one.step()
    return one.longest(), Rows(I[::-1]).longest()
## parameters and results of methods, whose classes calls show
class A:
    def __init__(self, v):
        self.v = v
    def value(self):
        return self.v
    def more(self, k):
        return A(self.v + k)
class B:
    def __init__(self, v, one):
        self.v, self.one = v, one
    def value(self):
        return -self.v
    @property
    def inner(self):
        return self.one.more(4)
def of(b, k=1):
    return b.value() + k
def both():
    return A(5), A(6)
def solve(I):
    bs = [B(3, A(2)), B(4, A(1))]
    first, second = both()
    return ([of(b, k=v) for b, v in zip(bs, I[0])], max(bs, key=lambda b: b.value()).inner.value(),
            second.more(1).value(), list(map(lambda a: a.value(), [first, bs[0].inner])))
## classes with the same fields
class A:
    def __init__(self, n):
        self.n = n
    def area(self):
        return self.n
class B(A):
    def area(self):
        return 2 * super().area()
def solve(I):
    a, b, x = A(I[0][0]), B(3), {"n": 1}
    return a.area(), b.area(), a.n + b.n + x["n"]
## methods that Python calls by itself
from collections import deque
from dataclasses import dataclass
class Shape:
    def __init__(self, cells=()):
        self.cells = list(cells)
    def __len__(self):
        return len(self.cells)
    def __iter__(self):
        return iter(self.cells)
    def __contains__(self, cell):
        return cell in self.cells
    def __getitem__(self, k):
        return self.cells[k]
    def __setitem__(self, k, cell):
        self.cells[k] = cell
    def __eq__(self, other):
        if not isinstance(other, Shape):
            return NotImplemented
        return sorted(self) == sorted(other.cells)
    def __hash__(self):
        return hash(len(self))
    def __repr__(self):
        return f"Shape({self.cells})"
class Pairs:
    def __init__(self, parts):
        self.parts = parts
    def __iter__(self):
        for one in self.parts:
            yield len(one), one[0]
@dataclass(frozen=True)
class Way:
    r: int
    c: int = 0
    def __add__(self, other):
        return Way(self.r + other.r, self.c + other.c)
    def __call__(self, k):
        return self.r + k
    def __bool__(self):
        return self.r > 0
def found(I):
    shapes = [Shape((i, j) for j, v in enumerate(row) if v) for i, row in enumerate(I)]
    return len(shapes), shapes
def solve(I):
    count, shapes = found(I)
    shape, last = shapes[0], Shape([(0, 1)])
    none = shape if count > 9 else None
    last[0] = 0, 5
    first, seen = Way(0), set()
    queue = deque([first])
    while queue:
        way = queue.popleft()
        if way.r < 3 and way.c < 3 and way not in seen:
            seen.add(way)
            queue += [way + step for step in (Way(0, 1), Way(1))]
    way = Way(0, 4) + Way(3)
    way += Way(0, 2)
    return (count, [len(one) for one in shapes], [*shape], sum(r + c for r, c in shape),
            (0, 1) in shape, (0, 9) not in last, last[0], shape == shapes[-1],
            shape != Shape(list(shape)), [r for r, c in shapes[-1]], list(Pairs([last])),
            none == shape, shape == none, 1 if last else 2,
            sorted(shapes, key=len)[0].cells, len(seen), way.c, way(4), 1 if first else 2,
            [k for k, one in enumerate(shapes) if one and one == shape])
## methods that are inherited
from abc import ABC, abstractmethod
class Base(ABC):
    """A base."""
    SIDE = 2
    def __init__(self, grid, k=1):
        self.grid, self.k = grid, k
    @abstractmethod
    def factor(self):
        ...
    @property
    def h(self):
        return len(self.grid)
    def run(self):
        return [[v * self.factor() for v in row] for row in self.grid]
    def twice(self):
        return self.k * 2
    def __len__(self):
        return self.k
class Part(Base):
    def factor(self):
        return self.SIDE
    def twice(self):
        def more(k):
            return k + 1
        return more(super().twice())
class Last(Part):
    SIDE = 5
    def __init__(self, grid):
        super().__init__(grid, k=7)
        self.extra = 3
    def twice(self):
        return super().twice() + self.extra
def applied(one: Part):
    return one.run()
def solve(I):
    part, last = Part(I), Last(I)
    return (part.run(), part.twice(), part.h, len(part), applied(last), last.twice(), last.h,
            last.k, last.extra, len(last))
## objects of several classes
from abc import ABC, abstractmethod
class Shape(ABC):
    def __init__(self, color):
        self.color = color
    @abstractmethod
    def cells(self, by=1):
        pass
    def count(self):
        return len(self.cells())
class Line(Shape):
    NAME = 3
    def __init__(self, color, row, n):
        super().__init__(color)
        self.row, self.n = row, n
    def cells(self, by=1):
        return [(self.row, c) for c in range(0, self.n, by)]
    @property
    def first(self):
        return self.cells()[0]
    def grow(self):
        self.n += 1
class Dot(Shape):
    NAME = 4
    first = (0, 0)
    def __init__(self, color, at):
        super().__init__(color)
        self.at = at
    def cells(self, by=1):
        return [self.at] * by
    def grow(self):
        self.color += 1
def draw(grid, shape):
    for r, c in shape.cells():
        if 0 <= r < len(grid) and 0 <= c < len(grid[0]) and not grid[r][c]:
            grid[r][c] = shape.color
def kind(k):
    return Line(k, 0, 2) if k > 1 else None if k else Dot(5, (1, 1))
def solve(I):
    out, shapes = [[0] * len(I[0]) for _ in I], []
    for r, row in enumerate(I):
        shapes.append(Line(row[0], r, len(row)) if row[0] else Dot(9, (r, row.index(max(row)))))
    for shape in sorted(shapes, key=lambda s: s.count()):
        draw(out, shape)
    last = kind(I[0][0])
    if last is not None:
        last.grow()
        last.grow()
    one = kind(0)
    return (out, [s.first for s in shapes], [s.cells(by=2) for s in shapes], one.cells(),
            [s.NAME for s in shapes], last is not None and (last.color, last.count()),
            isinstance(last, Line), isinstance(last, Dot), [isinstance(s, Dot) for s in shapes])
## data classes that inherit, and objects of several data classes
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
class Shape(ABC):
    color = 4
    @abstractmethod
    def area(self, by): ...
    def double(self):
        return 2 * self.area(1)
@dataclass
class Box(Shape):
    h: int
    w: int = 2
    seen: list = field(default_factory=list)
    def area(self, n):
        return self.h * self.w * n
    def add(self, v):
        self.seen.append(v)
        return len(self.seen)
@dataclass
class Cube(Box):
    w: int = 3
    d: int = 5
    def area(self, n):
        return self.d + super().area(n)
class Flat(Box):
    def twice(self):
        return self.w * 2
@dataclass
class Dot(Shape):
    v: int
    def area(self, k):
        return self.v - k
@dataclass
class Spot(Shape):
    v: int
    def area(self, k):
        return self.v * k
def solve(I):
    shapes = [Dot(row[0]) if row[0] else Cube(len(row)) for row in I]
    shapes += [Spot(4), Spot(shapes[0].color)]
    best, flat = max(shapes, key=lambda one: one.area(2)), Flat(3, 4)
    return ([one.double() for one in shapes], [isinstance(one, Dot) for one in shapes],
            best.area(1), Cube(1, 2, [], 4).area(1), Cube(2) == Cube(2, d=5), flat.add(7),
            flat.add(8), flat.seen, flat.twice(), flat == Flat(3, 4, [7, 8]), flat.color,
            Dot(4) == shapes[-2], shapes[-1] == shapes[-2], Spot(4) == shapes[-2])
## objects in further arguments, and in annotations
from dataclasses import asdict, dataclass
from typing import List
class Turn:
    def __init__(self, times):
        self.times = times
    def apply(self, grid):
        for _ in range(self.times):
            grid = [list(row) for row in zip(*grid[::-1])]
        return grid
class Flip:
    def apply(self, grid):
        return grid[::-1]
class Steps:
    def __init__(self, first, *parts):
        self.first, self.parts = first, parts
    def apply(self, grid):
        for part in self.parts:
            grid = part.apply(grid)
        return grid
@dataclass(frozen=True)
class Box:
    h: int
    w: int
    def __post_init__(self):
        if self.h > self.w * 100:
            raise ValueError("high")
    def area(self):
        return self.h * self.w
def made() -> List[Turn]:
    turns: List[Turn] = [Turn(1), Turn(2)]
    return turns
def solve(I):
    ways = [*made(), Flip(), Steps(1, Turn(1), Flip()), Steps(2)]
    return [way.apply(I) for way in ways], Box(len(I), 3).area()
## objects whose fields change while they are made
class Board:
    def __init__(self, cells, rows, seen=None):
        self.given = cells
        self.seen, self.best = seen or [], None
        self.given.append([1])
        self.counts = {}
        for row in rows:
            for v in row:
                if v and (self.best is None or v > self.best):
                    self.best = v
                self.seen.append(v)
                self.counts[v] = self.counts.get(v, 0) + 1
        rows = self.counts
        self.most: int = max(self.counts, key=self.counts.get)
class Node:
    def __init__(self, n):
        self.kids = [Node(n - 1)] if n else []
        self.size = 1 + sum(kid.size for kid in self.kids)
def solve(I):
    cells = [list(row) for row in I]
    board = Board(cells, I)
    return board.best, board.seen, board.counts[board.most], cells, board.given, Node(2).size
## data classes that compute fields of their own
from dataclasses import dataclass, field
@dataclass
class Part:
    color: int
    cells: list
    h: int = field(init=False)
    w: int = field(init=False, default=0)
    tags: list = field(default_factory=list, repr=False)
    k: int = 2
    def __post_init__(self):
        self.h = len(self.cells)
        if self.color:
            self.w = self.color * self.k
    def area(self):
        return self.h * self.w
@dataclass
class Last(Part):
    k: int = 5
    n: int = 7
    def __post_init__(self):
        super().__post_init__()
        self.both = self.w + self.n
def solve(I):
    parts, last = [Part(row[0], row) for row in I], Last(3, cells=[1, 2], n=4)
    last.tags.append(9)
    best = max(parts, key=lambda part: part.area())
    return [part.area() for part in parts], best.h, last.both, last.tags, last.area(), best.tags
## methods that change elements of lists and dictionaries
from dataclasses import dataclass, field
@dataclass
class Shape:
    color: int
    cells: list = field(default_factory=list)
    def add(self, r, c, times=1):
        for _ in range(times):
            self.cells.append((r, c))
        self.mark(r)
    def mark(self, by):
        self.color += by
    @property
    def height(self):
        return max(r for r, c in self.cells) - min(r for r, c in self.cells) + 1
def solve(I):
    shapes, r = {}, 99
    for i, row in enumerate(I):
        for j, v in enumerate(row):
            if v not in shapes:
                shapes[v] = Shape(v)
            shapes[v].add(i, c=j, times=2)
    others = [Shape(k) for k in range(3)]
    for other in others:
        other.mark(4)
    others[0].mark(by=r)
    made = sorted(shapes.items(), key=lambda p: p[0])
    return [(v, s.color, s.height, s.cells) for v, s in made], [one.color for one in others], r
## classes of values
from enum import Enum, auto
class Color:
    """Colors."""
    BLACK: int = 0
    RED = 2
    ALL = (BLACK, RED)
class Way(Enum):
    UP = (-1, 0)
    DOWN = (1, 0)
class Kind(Enum):
    ROW = auto()
    COLUMN = auto()
def turned(way: Way, k: Color = None) -> Way:
    return Way.UP if way is Way.DOWN else Way.DOWN
def solve(I):
    steps = {way: way.value for way in Way}
    kind = Kind.ROW if len(I) > 2 else Kind.COLUMN
    found = [[Color.RED if v == Color.BLACK else v for v in row] for row in I]
    return (found, Color.ALL, steps[turned(Way.UP)], len(Way), kind == Kind.ROW, kind.value,
            [way.value[0] for way in Way if way is not Way.UP], Kind.COLUMN.value, way_of(Way.UP))
def way_of(way):
    return sum(way.value)
## members that are numbers
from enum import IntEnum
class Color(IntEnum):
    BLACK = 0
    RED = 2
def solve(I):
    return [[Color.RED + 1 if v == Color.BLACK else Color.RED.value for v in row] for row in I], [
        color * 2 for color in Color]
## fields that are numbers, put into others of the same object
from collections import Counter
class Board(object):
    def __init__(self, grid):
        self.rows, self.h = [list(row) for row in grid], len(grid)
        self.most = Counter(v for row in grid for v in row).most_common(1)[0][0]
        self.twice = self.last = 2 * len(grid)
    def parts(self):
        for i in range(self.h):
            yield self.rows[i][0], [(i, 0)]
    def clear(self, cells):
        for i, j in cells:
            self.rows[i][j], self.last = self.most, 7
            self.twice += i
        return cells
def solve(I):
    board = Board(I)
    for _, cells in list(board.parts()):
        board.clear(cells)
        board.rows[0][-1] = board.last
    return board.rows, board.twice
## members with methods, which are looked up
from enum import Enum, IntEnum
class Way(Enum):
    UP = (-1, 0)
    DOWN = (1, 0)
    def turned(self):
        return Way.UP if self is Way.DOWN else Way.DOWN
    @property
    def rows(self):
        return self.value[0]
    @classmethod
    def down(cls):
        return [way for way in cls][-1]
class Turn(Enum):
    NONE = 0
    HALF = 2
    def times(self, n):
        return Turn(self.value * n % 4)
def solve(I):
    way = Way["UP"]
    return (way.turned().rows, Way((1, 0)) == Way.down(), way.turned() is Way.UP, way.value,
            Turn.HALF.times(len(I)).value, [turn.times(2).name == "NONE" for turn in Turn])
## methods of named tuples, and copies with other values
from dataclasses import dataclass, replace
from typing import NamedTuple
class P(NamedTuple):
    r: int
    c: int = 0
    def moved(self, dr, dc=1):
        return P(self.r + dr, self.c + dc)
    def up(self):
        return self._replace(r=self.r - 1)
@dataclass(frozen=True)
class Box:
    top: int
    left: int
    def down(self, by):
        return replace(self, top=self.top + by, left=0)
def solve(I):
    p, box = P(3), Box(1, 2)
    q = p._replace(c=len(I), r=p.c)
    lower = box.down(3)
    return p.moved(1), q.up(), [*map(P.up, [p, q])], replace(box, left=5).left, lower.top, box.top
## one name that many functions have, and constants that locals hide
from dataclasses import dataclass
K = 8
@dataclass
class Pair:
    one: int
    two: int = K
    at: tuple = ORIGIN
class Node:
    def __init__(self, p, k=2):
        self.p, self.k = p, k
    def put(self, v):
        p = [x + K for x in self.p]
        self.p = p + [v]
    def sum(self, k=1):
        return sum(self.p) + k
def same(p, k=5):
    seen = {p}
    return p == k, p in seen, [p for p in (k, p) if p != k]
def one(p):
    def sum(k):
        nonlocal p
        p = Node([1], k)
        return p.k
    return sum(3), p.sum(k=4)
def solve(I):
    K, ORIGIN, x = [3], Pair(1, 2, 3), [Node([v]) for v in I[0]]
    for q in x:
        q.put(K[0])
    found = [(p := Node(row)).sum() for row in I], p.p == I[-1]
    k = max(x, key=lambda k: k.sum())
    pairs = [Pair(K) for K in I[0]], (lambda ORIGIN: Pair(ORIGIN))(5)
    return found, k.p, same(k.k, k=2), one(2), pairs[1].at, [p.two for p in pairs[0]], K, ORIGIN.two
## isinstance of a base, which objects are made of too, and of several classes
class Shape:
    def __init__(self, n):
        self.n = n
    def like(self, other):
        return isinstance(other, (Shape, Box)) and self.n == other.n
    def area(self):
        return 0
class Box(Shape):
    def area(self):
        return self.n * 2
class Line(Box):
    def area(self):
        return self.n
class Dot:
    def __init__(self):
        self.n = 2
    def area(self):
        return 1
def solve(I):
    found = [Box(2), Line(3), Dot(), None, Shape(2)]
    kinds = [(isinstance(x, Shape), isinstance(x, Box), isinstance(x, (Line, Dot))) for x in found]
    areas = [x.area() for x in found[:3] if isinstance(x, (Box, Dot))]
    return kinds, areas, [Shape(2).like(x) for x in found], isinstance(Box(1), (Dot, Shape))
## loops over a field that change other fields, and that methods read meanwhile
class Search:
    def __init__(self, rows):
        self.rows = [list(row) for row in rows]
        self.found, self.counts = [], {}
    def beside(self, r, c):
        return {(r, c), (r, c - 1)} if self.rows[r][c - 1] else {(r, c)}
    def run(self):
        for r, row in enumerate(self.rows):
            for c, v in enumerate(row):
                self.counts[v] = self.counts.get(v, 0) + len(self.rows)
                if v:
                    self.found.append(self.beside(r, c))
        return [sorted(cells) for cells in self.found], sorted(self.counts.items())
def solve(I):
    d = {"todo": list(I[0]), "seen": []}
    for v in d["todo"]:
        d["seen"].append(v)
    return Search(I).run(), d["seen"]
'''

TRAPS = '''
## objects that a function compares which a method gives to a function of Python
class P:
    def __init__(self, v):
        self.v = v
    def first(self, wanted, other):
        return max([P(1), self], key=wanted).v, len(list(filter(other, [self, P(2)])))
def solve(I):
    ps = [P(1), P(1)]
    return [p.first(lambda one: one == ps[1], lambda one: one in ps) for p in ps]
## an array's attribute beside a property of that name
import numpy as np
class P:
    def __init__(self, a: np.ndarray):
        self.a = a
    @property
    def shape(self):
        return self.a.shape
def solve(I):
    return P(np.array(I)).shape
## objects in sets, which are told apart though they hold the same
class P:
    def __init__(self, r):
        self.r = r
def solve(I):
    seen = set()
    seen.add(P(1))
    seen.add(P(1))
    return len(seen)
## objects that are compared
import operator
class P:
    def __init__(self, r):
        self.r = r
    @property
    def twin(self):
        return P(self.r)
    @staticmethod
    def same(pair):
        return pair[0] == pair[1]
class Q:
    ONE, TWO = P(1), P(1)
    def same(self):
        return self.ONE == self.TWO
def solve(I):
    ps = [P(1), P(1)]
    last = ps[1]
    return HERE
-- [k for k, p in enumerate(ps) if p == last]
-- last.twin == last.twin
-- list(map(P.same, [ps]))
-- last == {"an object": 0, "r": 1}
-- Q().same()
-- list(map(ps.index, ps))
-- operator.eq(*ps)
-- [len(list(g)) for k, g in groupby(ps)]
-- size(dedupe(ps))
## objects in records that are compared
from collections import namedtuple
from dataclasses import dataclass
@dataclass
class Pair:
    a: object
    b: object
Two = namedtuple("Two", "c d")
class P:
    def __init__(self, r):
        self.r = r
    def m(self):
        return self.r
def solve(I):
    pair, two = Pair(P(1), P(1)), Two(P(1), P(1))
    return HERE
-- pair.a == pair.b
-- two.c == two.d
## keys, values and sets of two classes
from dataclasses import dataclass
@dataclass(frozen=True)
class P:
    x: int
    def n(self):
        return self.x
@dataclass(frozen=True)
class Q:
    y: int
    def n(self):
        return -self.y
def solve(I):
    d = {P(1): Q(2)}
    return HERE
-- [k.n() for k in d]
-- sorted(x.n() for x in {P(1)}.union({Q(2)}))
## objects whose methods Python may call by itself
from dataclasses import dataclass
class S:
    def __init__(self, cells):
        self.cells = cells
    def __len__(self):
        return len(self.cells)
    def __iter__(self):
        return iter(self.cells)
    def __contains__(self, cell):
        return cell in self.cells
    def __getitem__(self, k):
        return self.cells[k]
    def __add__(self, other):
        return S(self.cells + other.cells)
def put(xs, one):
    xs.append(one)
@dataclass
class Box:
    inside: list
    def size(self):
        return len(self.inside)
def solve(I):
    s, t, xs = S([1, 2, 3]), S([4]), ["abcdef"]
    HERE
-- return [len(x) for x in [s, [1]]]
-- put(xs, s); return [len(x) for x in xs]
-- xs.append(s); ys = xs[::-1]; ys.sort(key=len); return len(ys[0])
-- return list(map(len, [s, t])), list(map(list, [s, t]))
-- f = len; return f(s)
-- return [f(s) for f in (len, list)]
-- xs += s; return xs
-- return len({**{1: s}}[1])
-- xs[0:0] = [s]; return len(xs[0])
-- heapq.heappush(xs, s); return len(xs[-1])
-- a, b, c = s; return a, b, c
-- return any([s, S([])]), [x.cells for x in filter(None, [s, S([])])]
-- return [a for a, b, c in [s, S([7, 8, 9])]]
-- return sum([s, t], S([])).cells, functools.reduce(lambda a, b: a + b, [s, t]).cells
-- return s[1:], list(reversed(s)), [*zip(*[s, t])]
-- d = defaultdict(lambda: s); return len(d[3]), 1 if S([]) else 2, S([]) or 4
-- return size(s), s.__len__()
-- return Box(s).size(), Box([1]).size()
-- return f"{s}" == "a", s is t
## objects that are equal, and one that is changed by what it takes
class S:
    def __init__(self, cells):
        self.cells, self.k = cells, 0
    def __eq__(self, other):
        return isinstance(other, S) and len(self.cells) == len(other.cells)
    def __hash__(self):
        return len(self.cells)
    def __lt__(self, other):
        return self.cells > other.cells
    def __setitem__(self, k, v):
        self.cells[k] = v
    def next(self):
        self.k += 1
        return self.k
def solve(I):
    s, t, u = S([1, 2, 3]), S([4, 5]), S([9, 9, 9])
    HERE
-- return s == t, s == u, s != u, s < t, t > s
-- return u in [t, s], [t, s].index(u), len({s, u}), {s: 1}[u]
-- return (s, 1) == (u, 1), [s] == [u], s == u == t
-- return sorted([s, t])[0].cells, max([s, t]).cells, max((1, s), (1, t))[1].cells
-- ps = [t, s]; ps.remove(u); return len(ps)
-- ps = [t, s]; ps.sort(key=lambda p: p == u); return ps[0].cells
-- w = None if I[0][0] == 0 else s; return w == s, w != s
-- v, w = None if len(I) > 1 else s, None if len(I) > 2 else u; return v == w, v == None, w != v
-- s[s.k] = s.next(); return s.cells
## objects that methods get which Python calls by itself
class S:
    def __init__(self, cells):
        self.cells = cells
    def __len__(self):
        return len(self.cells)
    def __eq__(self, other):
        return len(self) == len(other)
class Rule:
    def __init__(self, k):
        self.k = k
    def __call__(self, s):
        return len(s) + self.k
def solve(I):
    s, rule = S([1, 2, 3]), Rule(2)
    return HERE
-- s == S([7, 8, 9]), s == S([])
-- rule(s)
## functions and methods with the names of Python's
class S:
    def __init__(self, cells, color):
        self.cells, self.color = cells, color
    def __iter__(self):
        return iter(self.cells)
class Canvas:
    def __init__(self):
        self.n = 3
    def extend(self, s):
        return s.color + self.n
class A:
    def __iter__(self):
        return iter([1])
def filter(s: S):
    return s.color
def max(xs):
    return S([5, 6], 0)
def solve(I):
    s = S([1, 2], 7)
    return HERE
-- filter(s), [*max([A()])]
-- filter(s), max([]).color, Canvas().extend(s)
## objects in an order of their own
class P:
    def __init__(self, r):
        self.r = r
    def __lt__(self, other):
        return self.r > other.r
def solve(I):
    p, q = P(1), P(2)
    return HERE
-- [one.r for one in sorted([p, q], key=lambda one: one)]
-- min([p, q], key=lambda one: (0, one)).r
## objects that are iterated, and have an order
class P:
    def __init__(self, r):
        self.r = r
    def __iter__(self):
        return iter([self.r, 9])
    def __lt__(self, other):
        return self.r > other.r
    def __call__(self, v):
        return self.r + v
def solve(I):
    p, q = P(1), P(2)
    return HERE
-- [*max(p, q)]
-- [*map(p, [1, 2])]
-- max(p), [*map(lambda v: -v, q)]
## objects that are looked for
class P:
    def __init__(self, r):
        self.r = r
def first(ps):
    return ps[0]
def solve(I):
    ps = [P(1), P(1), P(2)]
    ps.remove(first(ps[1:]))
    return ps.index(ps[1])
## a field that hides a value of the class
class P:
    n = 0
    def __init__(self, r):
        self.r = r
    def bump(self):
        self.n += 1
        return self.n
def solve(I):
    a, b = P(1), P(2)
    a.bump()
    return a.bump(), b.n, P.n
## a method with the name of a method of lists, of something unknown
class P:
    def __init__(self, r):
        self.r = r
    def count(self, v):
        return self.r
def solve(I):
    return [x.count(1) for x in [P(3), *I]], I[0].count(1)
## a method with the name of a function of a module, a value with that of a class which stays
import math
class P:
    SIDE = 5
    def floor(self, r):
        return r - self.SIDE
class Q:
    SIDE = 3
one, other = P(), Q()
def solve(I):
    return HERE
-- P().floor(8), math.floor(2.5)
-- P().floor(8), [m.floor(2.5) for m in [math]]
-- other.SIDE
## a method with the name of a function of a module that is imported from another one
from scipy import ndimage
import numpy as np
class P:
    @staticmethod
    def label(a):
        return a, 5
def solve(I):
    return ndimage.label(np.array(I))[1], P.label(3)
## a property, or a value of a class, with the name of a field of another class
class A:
    def __init__(self, v):
        self.v = v
    @property
    def kid(self):
        return B(self.v)
    def weight(self):
        return self.v
class B:
    other = A(1)
    def __init__(self, v):
        self.v, self.kid = v, A(v)
    def weight(self):
        return -self.v
class C:
    def __init__(self, v):
        self.other = B(v)
def solve(I):
    a: A = A(3)
    return HERE
-- a.kid.weight()
-- B.other.weight()
## a method that gives the name of its object to another one
class Leaf:
    def weight(self):
        return 1
class Tree:
    def __init__(self):
        self.kid = Leaf()
    def weight(self):
        return 2
    def own(self, I):
        HERE
        return self.weight()
def solve(I):
    return Tree().own(I)
-- self = self.kid
-- if I[0][0] == 9: self = self.kid
## a name for objects of two classes, of which a method with the name of Python's gives one
class A:
    def copy(self):
        return A()
    def weight(self):
        return 1
class B(A):
    def weight(self):
        return 2
def solve(I):
    one, other = B(), A()
    one = one.copy()
    return one.weight(), other.weight()
## a function of several fields
class A:
    def __init__(self):
        self.get = len
def solve(I):
    return (A().get and A().get)(I)
## a method that makes an object, and gives its name to another value
class P:
    def __init__(self, r):
        self.r = r
        self = r
def solve(I):
    return P(len(I)).r
## a field that is a function, with the name of a method of Python
from dataclasses import dataclass
from typing import Callable
@dataclass
class Rule:
    get: Callable
    n: int
class P:
    def __init__(self, get):
        self.get = get
def solve(I):
    return HERE
-- Rule(lambda v: v + 1, 2).get(4)
-- P(len).get(I)
## objects in containers, beside own methods with the names of theirs
class P:
    def __init__(self, r):
        self.r = r
class Bag:
    def __init__(self):
        self.n = 0
    def add(self, n):
        self.n += n
    def get(self, k):
        return self.n
def solve(I):
    a, b, bag = P(1), P(1), Bag()
    HERE
-- seen = set()
   seen.add(a)
   seen.add(b)
   return len(seen)
-- d = {1: a, 2: b}
   return d.get(1) == d.get(2)
-- return len(set().union([1], [a, b]))
-- return bag.get(0) == bag.get(-1)
## a method with the name of one of dictionaries, beside methods of two classes with one name
class P:
    def __init__(self, r):
        self.r = r
    def values(self):
        return Q()
    def area(self):
        return self.r
class Q:
    def area(self):
        return 7
def solve(I):
    return P(1).values().area()
## methods of two classes with one name, and a field
from collections import namedtuple
class A:
    def __init__(self, v):
        self.v = v
    def value(self):
        return 7
class B:
    def __init__(self, v):
        self.w = v
    def value(self):
        return 9
    @property
    def size(self):
        return 5
Pair = namedtuple("Pair", "size color")
def make():
    return A(1)
def solve(I):
    d = dict(a=A(1))
    d["b"] = B(2)
    return HERE
-- d["a"].value()
-- d["b"].size, Pair(1, 2).size
-- [make().value() for make in [lambda: B(1)]]
## methods of two classes with one name
class A:
    def __init__(self, v):
        self.v = v
    def value(self):
        return self.v
class B(A):
    def value(self):
        return -self.v
def solve(I):
    return [x.value() for x in [A(1), B(2)]]
## fields that functions, and second names, read while an object is made
class A:
    def __init__(self, rows):
        self.k = self.n = []
        HERE
        self.k = self.k + [9]
def solve(I):
    one = A(I)
    return one.k, one.n, list(one.f(1))
-- self.f = lambda v: self.k + [v]
-- self.f = lambda v: [v]; self.n.append(4)
-- kept = (v for v in self.k); self.f = lambda v: kept
## data classes that inherit what Python makes for each of them, and that are compared
from dataclasses import asdict, dataclass
@dataclass
class A:
    x: int
    def who(self):
        return 1
    def __eq__(self, other):
        return self.x % 2 == other.x % 2
@dataclass
class B(A):
    def who(self):
        return 2
class C(A):
    y: int = 3
class D(A):
    def __init__(self, x, y):
        super().__init__(x)
        self.y = y
def solve(I):
    return HERE
-- A(1) == A(3), B(1) == B(3)
-- [one.who() for one in (A(1), B(1), D(1, 2))]
-- A(1) == B(1), [A(1), B(1)].index(B(1))
-- C(4).y
-- D(4, 5).y
-- [len(asdict(one)) + one.who() for one in (A(1), B(1))]
## data classes that compute fields of their own, with other uses of these
from dataclasses import dataclass, field, replace
@dataclass
class A:
    x: int
    seen: list = field(default_factory=list)
    k: int = 2
    def __post_init__(self):
        self.k += size(self.seen)
@dataclass
class E:
    x: int = 1
    def __post_init__(self):
        self.x += 1
    def __post_init__(self):
        self.x += 5
def size(rows):
    return len(rows) + 5
def solve(I):
    return HERE
-- A(1, [2], 5).k
-- A(1, [2]).k
-- replace(A(1), x=5).k
-- A(1) == A(1), A(1) in [A(2)]
-- len({A(1): 1})
-- E().x
## what a base and a field compute, where other classes and functions have the names they read
from dataclasses import dataclass, field
K = size = 7
@dataclass
class A:
    K = 3
    y: int = K
    def f(self):
        return self.y
@dataclass
class B(A):
    K = 9
    z: int = 0
@dataclass
class C:
    size: int
    cells: list = field(default_factory=lambda: [size])
    def __post_init__(self):
        self.size += 1
@dataclass
class D:
    v: int
    cells: list = field(default_factory=lambda: [size])
    def __post_init__(self):
        for size in (1, 2):
            self.v += size
def solve(I):
    return HERE
-- A().f(), B().f()
-- C(1).cells, C(1).size
-- D(1).cells, D(1).v
## loops over a field that changes meanwhile, and another too
class S:
    def __init__(self, rows):
        self.g, self.out = [list(row) for row in rows], []
    def more(self, v):
        if len(self.g) < 9:
            self.g.append(v)
        return v
    def even_more(self, v):
        return self.more(v)
    def run(self):
        g, z = self.g, self
        for row in self.g:
            self.out.append(sum(row))
            HERE
        return self.out, self.g
def change(rows, v):
    if len(rows) < 9:
        rows.append(v)
def solve(I):
    return S(I).run()
-- self.more(row[:1])
-- self.out.append(self.even_more([1]))
-- change(self.g, [1])
-- change(g, [2])
-- z.more([3])
-- self.g = [[1]]
-- self.g[-1][0] = 7
-- g[-1] = [len(self.out)]
-- change(self.g[-1], 5)
-- row.append(4)
-- self.out = self.g; change(self.out, [1])
-- self.out.append(row); self.out[-1][0] = 9
## methods of two classes with other parameters, of one class alone, static ones
class A:
    def value(self, k=1, *, m=1):
        return k
    def size(self, k=1):
        return k
    def name(self, n):
        return n
    @staticmethod
    def width(n):
        return n
    def own(self):
        return 1
class B:
    def value(self, k=1):
        return -k
    def size(self, k=2):
        return -k
    def name(self, m):
        return -m
    @staticmethod
    def width(n):
        return -n
    def set(self, k):
        self.own = lambda: k
def solve(I):
    a, b = A(), B()
    b.set(3)
    return [HERE for one in (b, a)]
-- one.value()
-- one.size()
-- one.name(n=2)
-- one.width(2)
-- one.own()
-- isinstance(one, A), isinstance(one or 1, A), isinstance(one, (A, B)), isinstance(I, A)
-- isinstance([one], A), isinstance(None, A)
## members of two classes with one name and value, a number beside a member
from enum import Enum, IntEnum
class Way(Enum):
    UP = 1
class Turn(Enum):
    UP = 1
class Color(IntEnum):
    BLUE = 1
def solve(I):
    return HERE
-- Way.UP == Turn.UP, len({Way.UP, Turn.UP}), Way(1) is Way.UP
-- [v is Color.BLUE for v in I[0]]
## members beside a method of the same name
from enum import Enum
class Way(Enum):
    UP = 1
class P:
    def __init__(self, r):
        self.r = r
    def value(self):
        return self.r
def solve(I):
    return P(4).value(), Way.UP.value
## members beside a record with a field of the same name
from dataclasses import dataclass
from enum import Enum
class Way(Enum):
    UP = 1
    DOWN = 2
@dataclass
class Cell:
    row: int
    value: int
def solve(I):
    return Cell(3, 4).value, Way.DOWN.value
## an object that a method of another class gives to a field
class A:
    def value(self):
        return 1
    def put(self, b):
        b.last = self
class B:
    def __init__(self, a):
        self.a, self.last = a, None
    def value(self):
        return 2
    def get(self):
        self.a.put(self)
        return self.last.value()
def solve(I):
    return B(A()).get()
## what is inherited from a base of which the source does more
class Base:
    seen = []
    def add(self, v):
        self.seen.append(v)
        return len(self.seen)
class Part(Base):
    def more(self):
        return self.add(3)
def solve(I):
    return Part().more(), Base().add(1), Part().more()
## a base whose comparison is not that of the class on the right
class Base:
    def __init__(self, n):
        self.n = n
    def __eq__(self, other):
        return True
class Part(Base):
    def __init__(self, n):
        self.n, self.m = n, n
    def __eq__(self, other):
        return False
def solve(I):
    base, part = Base(1), Part(1)
    return base == part
## a base whose names are its own, one of Python's, one that is asked for
class Base:
    def __init__(self):
        self.__n = 3
    def n(self):
        return self.__n
    def __len__(self):
        return 4
class Part(Base):
    def more(self):
        self.__n = 5
        return self.n()
    def __len__(self):
        return super().__len__() + 1
class Row(list):
    def first(self):
        return self[0]
def solve(I):
    part = Part()
    return HERE
-- part.more()
-- Row([1]).first()
-- isinstance(part, Base)
-- [len(one) for one in (part, Base())]
-- Base.n(part)
## a value of a class that changes
class Store:
    seen = []
    n = 0
def solve(I):
    Store.seen.append(3)
    Store.n += 1
    return Store.seen, Store.n
## an object that one list and one name hold
class P:
    def __init__(self, r):
        self.r = r
    def grow(self, by):
        self.r += by
def solve(I):
    ps = [P(1), P(2)]
    best = max(ps, key=lambda p: p.r)
    for p in ps:
        p.grow(3)
    return best.r
## a method that changes the list which its object is in
class P:
    def __init__(self, r):
        self.r = r
    def leave(self, ps, k):
        ps[k] = P(7)
        self.r = 5
def solve(I):
    ps = [P(1), P(2)]
    k = 0
    ps[k].leave(ps, k)
    return [p.r for p in ps]
## a method that changes the order of the list which its object is in
class P:
    def __init__(self, r):
        self.r = r
    def leave(self, ps):
        ps.reverse()
        self.r = 5
def solve(I):
    ps = [P(1), P(2)]
    ps[0].leave(ps)
    return [p.r for p in ps]
## arguments in the order of the call
class P:
    def __init__(self, r):
        self.r = r
    def put(self, z, a):
        self.r = (z, a)
def solve(I):
    ps, q = [P(1)], [1, 2, 3]
    ps[0].put(q.pop(), q.pop())
    return ps[0].r
## arguments of a named tuple in the order of the call
from typing import NamedTuple
class P(NamedTuple):
    x: int
    y: int
def solve(I):
    q, p = [1, 2, 3], P(0, 0)
    return p._replace(y=q.pop(), x=q.pop())
## what a class computes, with the names of the class and of the module
N = 7
class A:
    N = 3
    M = N + 1
    def __init__(self, v):
        self.v = v
    def more(self, k=N):
        return self.v + k + self.M
class B:
    N = 4
    ROW = [N for _ in range(2)]
def solve(I):
    return A(1).more(), B.ROW, N
## a value of a class with an annotation
class A:
    x: int = 3
    def put(self):
        self.x = 5
def solve(I):
    a = A()
    return a.x
## a method that reads a name which its caller has for something else
STEP = 5
class P:
    def __init__(self):
        self.r = 0
    def add(self):
        self.r += STEP
def solve(I):
    STEP, ps = 1, [P(), P()]
    ps[0].add()
    return ps[0].r + STEP
## what is found among members, which depends on Python's version
from enum import Enum
class Way(Enum):
    UP = 1
def solve(I):
    return 1 in Way
## members that go on numbering
from enum import Enum, auto
class Way(Enum):
    UP = 5
    DOWN = auto()
def solve(I):
    return Way.DOWN.value
## members beside a named tuple with fields of the same names
from collections import namedtuple
from enum import Enum
P = namedtuple("P", ["value", "name"])
class Way(Enum):
    UP = 1
def solve(I):
    return P(7, 8).value, Way.UP.value
## a method as a value, with a parameter that has the name of an element's place
class P:
    def __init__(self, n):
        self.n, self.best = n, 0
    def near(self, i):
        return abs(self.n - i)
    def choose(self):
        self.best = min([0, 1, 2], key=self.near)
def solve(I):
    ps = [P(2), P(1)]
    for i in range(2):
        ps[i].choose()
    return [p.best for p in ps]
## the number of a method's parameters, among them the object or the class
class P:
    @classmethod
    def made(cls, n):
        return n
    def near(self, i):
        return i
def count(f):
    return f.__code__.co_argcount
def solve(I):
    p = P()
    HERE
-- return count(p.near)
-- return count(P.made), P.made(1)
## what is read as tuples, but is none to isinstance
from dataclasses import dataclass
from enum import Enum
class Way(Enum):
    UP = 1
@dataclass(order=True)
class P:
    x: int
def solve(I):
    return [isinstance(x, (list, tuple)) for x in (HERE, (1, 2), 3)]
-- Way.UP
-- P(1)
## an Enum that has another name
from enum import Enum
class Turn(Enum):
    NONE = 0
    HALF = 2
def solve(I):
    kinds = [Turn]
    return kinds[0](2).name == "HALF", len(Turn), [turn.value for turn in kinds[0]]
'''

OF_TWO_CLASSES = """
d = {1: A(1)}; x = d.get(2, B(3, 4))
x = max([A(1)][:0], key=lambda a: 1, default=B(3, 4))
xs = [A(1)]; put(xs); x = xs[1]
xs = [A(1)]; xs = xs + [B(3, 4)]; x = xs[1]
x, y = (A(1), B(3, 4))[::-1]
x = given(A(1)); x = [f(B(3, 4)) for f in [given]][0]
x = given(*[B(3, 4)]); x = given(A(1))
x = A.of(B(3, 4), A(1))
xs = [A(1)]; xs[0:0] = [B(3, 4)]; x = xs[0]
x = {**{1: B(3, 4)}, 2: A(1)}[1]
xs = [A(1), B(3, 4)]; x, y = dict.fromkeys(xs, A(1)); x = y
x = list(map(lambda *xs: xs[1], [A(1)], [B(3, 4)]))[0]
m = [[A(1)]]; m[0][0] = B(3, 4); x = m[0][0]
"""
TOLD_APART = """
len({**dict.fromkeys([a, b])})
len(dict(zip([a, b], [1, 2])))
len(set().union([a, b]))
[list(map(same, [a], [b]))]
called(same, a, b)
(lambda c=P(1), d=P(1): c == d)()
[sees(a), a.up(), sees(a)]
same(*map(made, [1, 1]))
len({*sum([[a], [b]], [])})
[len(collections.Counter([a, b])), len(OrderedDict(zip([a, b], [1, 2])))]
[len(s) for s in map(set, [[a, b]])]
put(rows), rows[0] == rows[1]
filled([[0], [0]])
[up := a.up, a := P(5), up(), b.r, a.r]
next((p for p in [a, b] if p.next()), None) == P(1)
"""


TRAP = variants(TRAPS)


@pytest.mark.parametrize("source", sections(READ).values(), ids=sections(READ))
def test_a_class_means_what_it_means_in_python(source):
    assert_as_python(source, *GRIDS)


def test_a_change_that_is_refused_is_advised_to_copy_the_object():
    (error,) = mb.parse(sections(TRAPS)["an object that one list and one name hold"]).errors
    assert error.message.endswith("such as p = copy.deepcopy(p)")
    sets = sections(READ)["changes of an object's field at a place that a method finds"]
    sets = sets.replace("for row in I:", "for row in sets.parent:").replace("row[0]", "row")
    error = mb.parse(sets.replace("row[-1]", "row")).errors[0]
    assert error.message.endswith("such as list(sets.parent)")
    named = "from collections import namedtuple\nP = namedtuple('P', 'cells')\n"
    lines = "def solve(I):\n    p = P([1])\n    for v in p.cells: p.cells.append(v)\n"
    assert "list(p[0])" in mb.parse(named + lines).errors[0].message


@pytest.mark.parametrize("source", TRAP.values(), ids=TRAP)
def test_a_class_means_what_python_means_or_is_refused(source):
    assert_same_or_refused(source)


def test_a_return_outside_of_functions_leaves_classes_and_functions_as_they_are():
    source = "class P:\n    def m(self):\n        return 1\n" "def solve(I):\n    return P().m()\n"
    assert [program.name for program in mb.parse(f"{source}return 3")] == ["solve"]


@pytest.mark.parametrize("value", TOLD_APART.strip().splitlines())
def test_objects_that_hold_the_same_are_told_apart_or_refused(value):
    assert_same_or_refused(f"""
import collections
from collections import OrderedDict
from functools import cache
class P:
    def __init__(self, r):
        self.r = r
    def up(self):
        self.r += 1
    def next(self):
        return self.r + 1
def same(x, y):
    return x == y
def called(function, c, d):
    return function(c, d)
@cache
def sees(p):
    return p.r
def made(r):
    return P(r)
def put(ps):
    ps.extend([P(1), P(1)])
def filled(xs):
    left, right = xs[0], xs[1]
    left[0], right[0] = made(1), made(1)
    return xs[0] == xs[1]
def solve(I):
    a, b, rows = P(1), P(1), []
    return {value}
""")


@pytest.mark.parametrize("lines", OF_TWO_CLASSES.strip().splitlines())
def test_a_method_is_that_of_the_object(lines):
    assert_same_or_refused(f"""
class A:
    def __init__(self, v):
        self.v = v
    def value(self):
        return self.v
    @classmethod
    def of(cls, one, other):
        return one
class B:
    def __init__(self, v, w):
        self.v, self.w = v, w
    def value(self):
        return -self.v
def put(rows):
    rows.append(B(1, 2))
def given(one):
    return one
def solve(I):
    {lines}
    return x.value()
""")


def test_classes_are_found_soon():
    names = [f"x{k}" for k in range(40)]
    lines = "\n    ".join(f"{a}.append({b}[0]); {a} = {b}" for a, b in pairwise(names))
    (error, *_) = mb.parse(f"""
class A:
    def get(self, k):
        return 1
class B:
    def get(self, k=2):
        return 2
def solve(I):
    {" = ".join(names)} = [A(), B()]
    {lines}
    return x0[0].get(1)
""").errors
    assert "class is not read" in error.message


def test_methods_that_call_methods_again_and_again_are_read_soon():
    calls = "\n".join(f"    def f{k}(self): self.f{k + 1}(); self.f{k + 1}()" for k in range(40))
    assert mb.parse(f"""
class A:
    def f40(self): self.v = 1
{calls}
def solve(I):
    xs = [A(), A()]
    xs[0].f0()
    return len(xs)
""").errors


def test_objects_in_numbers_of_which_nothing_is_certain_are_looked_up_soon():
    assert mb.parse("""
class A:
    n: int
    def go(self, v):
        self.n += v
        return self.n - self.n
    def __len__(self):
        return self.n
def solve(I):
    t, k = I[0][0], len(I)
    ps = [A(I[0][-1], max(t, I[0][-1])), A(t % 3 * 2, I[0][-1]), A(t, I[0][-1])]
    ps.append(A((t if 1 > k else max(k, k)), (I[0][-1] - (t + t))))
    for q in ps:
        t += q.go((I[0][-1] * 2 - I[0][-1]))
    return len(ps)
""").errors
