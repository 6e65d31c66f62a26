"""The fuzzer's draws from ARC's language: grids, colors, objects, and calls that make them."""

from collections.abc import Callable, Iterator
from functools import lru_cache
from random import Random

from megabatt.runtime.arc import LANGUAGE
from megabatt.runtime.arc.workload.data import Grid, load
from megabatt.runtime.arc.workload.samples import ArcSample, samples_of
from megabatt.runtime.megabatch.verify.kinds import Draws, Kind, Step, itself

INDICES: Kind = ("set", "pair")
OBJECT: Kind = ("set", "cell")
OBJECTS: Kind = ("set", OBJECT)
ROW: Kind = ("tuple", "int")

_PATCH: list[Kind] = [INDICES, OBJECT, ("tuple", "cell"), ("tuple", "pair")]
_TUPLES: list[Kind] = [
    ROW, ("tuple", "pair"), ("tuple", OBJECT), ("tuple", "grid"), ("tuple", INDICES), "pair",
    "grid", ("tuple", ("tuple", "bool")), ("tuple", ("tuple", "grid")),
]  # fmt: skip
_SETS: list[Kind] = [INDICES, OBJECT, OBJECTS, ("set", "int"), ("set", INDICES), ("set", "grid")]
_SOME: list[Kind] = ["int", "bool", "cell", *_TUPLES, *_SETS]

_DECLARED: dict[str, Kind] = {
    "Boolean": "bool", "Integer": "int", "Number": "real", "IntegerTuple": "pair", "Cell": "cell",
    "Grid": "grid", "Object": OBJECT, "Objects": OBJECTS, "Patch": INDICES,
}  # fmt: skip
_EXAMPLES: dict[str, list[Kind]] = {
    **{name: [kind] for name, kind in _DECLARED.items()},
    "Any": _SOME,
    "Integer": ["int", "int", "int", "bool"],
    "Number": ["real", "real", "int", "bool"],
    "Numerical": ["int", "pair", "int", "pair", "bool"],
    "IntegerSet": [("set", "int"), ROW, ("set", "bool")],
    "Object": [OBJECT, OBJECT, OBJECT, ("tuple", "cell")],
    "Objects": [OBJECTS, OBJECTS, OBJECTS, ("tuple", OBJECT)],
    "Patch": [INDICES, INDICES, OBJECT, OBJECT, *_PATCH],
    "Piece": ["grid", "grid", *_PATCH],
    "Element": ["grid", OBJECT, ("tuple", "cell")],
    "Piece or tuple": ["grid", *_PATCH, ROW],
    "Container": [*_TUPLES, *_SETS],
    "ContainerContainer": [OBJECTS, ("set", INDICES), ("tuple", OBJECT), ("tuple", INDICES), "grid",
                           ("tuple", ROW), ("set", "pair"), ("tuple", ("set", "int"))],
    "FrozenSet": _SETS,
    "Tuple": _TUPLES,
    "TupleTuple": [("tuple", "pair"), "grid"],
}  # fmt: skip


def _of_two(a: Kind, b: Kind) -> Kind:
    known: dict[tuple[Kind, Kind], Kind] = {("int", "int"): "pair", ("int", "pair"): "cell"}
    return known.get((a, b), ("tuple", a if a == b else "any"))


_RESULTS: dict[str, Callable[..., Kind]] = {
    "astuple": lambda d, a, b: _of_two(a, b),
    "pair": lambda d, a, b: ("tuple", _of_two(d.element_of(a), d.element_of(b))),
    "product": lambda d, a, b: ("set", _of_two(d.element_of(a), d.element_of(b))),
    "hsplit": lambda d, g, n: ("tuple", "grid"), "vsplit": lambda d, g, n: ("tuple", "grid"),
    "palette": lambda d, e: ("set", "int"), "numcolors": lambda d, e: "int",
    "hmirror": itself, "vmirror": itself, "dmirror": itself, "cmirror": itself,
    "upscale": itself, "normalize": itself, "shift": itself,
    **{
        p.name: lambda d, *kinds: "pair" if "pair" in kinds else "int"
        for p in LANGUAGE.primitives.values() if p.result.name == "Numerical"
    },
}  # fmt: skip

_LITERALS = ["127", "128", "-128", "-129", "-7", "31", "2147483647", "-2147483648", "1048575",
             "1048576", "-1048576", "-1048577", "300", "-1"]  # fmt: skip

_MAKERS: dict[Kind, list[str]] = {
    "int": ["size", "height", "width", "mostcolor", "leastcolor", "numcolors", "color", "add",
            "colorcount", "uppermost", "maximum", "index", "multiply", "subtract", "lowermost"],
    "real": ["ratio_of", "ratio_of", "power_of", "root_of", "sum_of", "product_of", "total_of"],
    "bool": ["portrait", "square", "even", "greater", "positive", "equality", "contained", "vline"],
    "pair": ["shape", "ulcorner", "lrcorner", "center", "astuple", "add", "tojvec", "position"],
    "cell": ["first", "last", "extract", "astuple", "argmin"],
    "grid": ["rot90", "hmirror", "dmirror", "crop", "subgrid", "trim", "tophalf", "fill", "paint",
             "replace", "upscale", "canvas", "hconcat", "lefthalf", "compress", "cellwise"],
    INDICES: ["ofcolor", "asindices", "toindices", "box", "delta", "neighbors", "outbox", "shoot",
              "combine", "sfilter", "difference", "corners", "connect", "product"],
    OBJECT: ["asobject", "first", "argmax", "toobject", "recolor", "merge", "shift", "normalize",
             "sfilter", "extract"],
    OBJECTS: ["objects", "objects", "partition", "fgpartition", "frontiers", "colorfilter"],
    ("tuple", "grid"): ["hsplit", "vsplit", "repeat"],
    ("tuple", "int"): ["interval", "first", "repeat", "order", "totuple"],
    ("set", "int"): ["palette", "apply", "initset", "remove"],
}  # fmt: skip

_OBJECTS_OF_I: Step = ("objects", ["I", "T", "F", "T"], OBJECTS)
_SOURCES: dict[Kind, list[list[Step]]] = {
    "grid": [[("rot180", ["I"], "grid")], [_OBJECTS_OF_I, ("first", ["$1"], OBJECT),
                                           ("subgrid", ["$1", "I"], "grid")]],
    "cell": [[("asobject", ["I"], OBJECT), ("last", ["$1"], "cell")]],
    "real": [[("height", ["I"], "int"), ("ratio_of", ["$1", "TWO"], "real")]],
    INDICES: [[("asindices", ["I"], INDICES)],
              [("mostcolor", ["I"], "int"), ("ofcolor", ["I", "$1"], INDICES)],
              [("leastcolor", ["I"], "int"), ("ofcolor", ["I", "$1"], INDICES)]],
    OBJECT: [[("asobject", ["I"], OBJECT)], [_OBJECTS_OF_I, ("first", ["$1"], OBJECT)],
             [("partition", ["I"], OBJECTS), ("last", ["$1"], OBJECT)]],
    OBJECTS: [[("partition", ["I"], OBJECTS)], [_OBJECTS_OF_I],
              [("objects", ["I", "F", "T", "F"], OBJECTS)]],
}  # fmt: skip

_BEGINNINGS: list[Step] = [
    ("objects", ["I", "T", "F", "T"], OBJECTS), ("first", ["$1"], OBJECT),
    ("first", ["$1"], "cell"), ("mostcolor", ["I"], "int"), ("width", ["I"], "int"),
    ("numcolors", ["I"], "int"), ("portrait", ["I"], "bool"), ("square", ["I"], "bool"),
    ("shape", ["I"], "pair"), ("ofcolor", ["I", "ZERO"], INDICES), ("ulcorner", ["$1"], "pair"),
    ("partition", ["I"], OBJECTS), ("palette", ["I"], ("set", "int")), ("asobject", ["I"], OBJECT),
    ("first", ["$1"], "cell"), ("totuple", ["$1"], ("tuple", "int")),
]  # fmt: skip

_EDGES: list[list[Step]] = [
    [("asobject", ["I"], OBJECT), ("recolor", ["300", "$1"], OBJECT)],
    [("ofcolor", ["I", "ZERO"], INDICES), ("recolor", ["-1", "$1"], OBJECT)],
    [("asobject", ["I"], OBJECT), ("recolor", ["2147483647", "$1"], OBJECT)],
    [("mostcolor", ["I"], "int"), ("replace", ["I", "$1", "128"], "grid")],
    [("leastcolor", ["I"], "int"), ("replace", ["I", "$1", "-7"], "grid")],
    [("mostcolor", ["I"], "int"), ("replace", ["I", "$1", "127"], "grid")],
    [("shape", ["I"], "pair"), ("add", ["$1", "1048570"], "pair")],
    [("shape", ["I"], "pair"), ("subtract", ["$1", "1048586"], "pair")],
    [("shape", ["I"], "pair"), ("add", ["$1", "1048562"], "pair"), ("asindices", ["I"], INDICES),
     ("shift", ["$1", "$2"], INDICES)],
    [("shape", ["I"], "pair"), ("subtract", ["$1", "1048586"], "pair"),
     ("asobject", ["I"], OBJECT), ("shift", ["$1", "$2"], OBJECT)],
    [("shape", ["I"], "pair"), ("multiply", ["$1", "70000"], "pair"), ("invert", ["$1"], "pair"),
     ("initset", ["$1"], INDICES), ("insert", ["$3", "$1"], INDICES)],
    [("shape", ["I"], "pair"), ("subtract", ["$1", "2147483647"], "pair"),
     ("dneighbors", ["$1"], INDICES)],
    [("height", ["I"], "int"), ("astuple", ["T", "$1"], "pair"), ("initset", ["$1"], INDICES)],
    [("palette", ["I"], ("set", "int")), ("apply", ["even", "$1"], ("set", "bool")),
     ("insert", ["ONE", "$1"], ("set", "int"))],
    [("ofcolor", ["I", "THREE"], OBJECT), ("partition", ["I"], OBJECTS),
     ("insert", ["$2", "$1"], OBJECTS)],
]  # fmt: skip

_LARGE: list[list[Step]] = [
    [("asobject", ["I"], OBJECT)],
    [("asindices", ["I"], INDICES), ("totuple", ["$1"], ("tuple", "pair"))],
    [("upscale", ["I", "THREE"], "grid")],
    [("vconcat", ["I", "I"], "grid"), ("hconcat", ["$1", "$1"], "grid")],
    [("repeat", ["I", "33"], ("tuple", "grid"))],
    [("height", ["I"], "int"), ("interval", ["-20", "40", "$1"], ROW)],
    [("width", ["I"], "int"), ("interval", ["ZERO", "$1", "ONE"], ROW),
     ("product", ["$1", "$1"], INDICES)],
    [("objects", ["I", "T", "T", "F"], OBJECTS), ("totuple", ["$1"], ("tuple", OBJECT))],
]  # fmt: skip

_CONSTANTS: dict[Kind, list[str]] = {
    "int": [], "bool": [], "pair": [], "real": ["0.5", "-1.5", "0.1", "3.0", "1e999"],
}  # fmt: skip
for _name, _value in LANGUAGE.constants.items():
    _kind = {bool: "bool", int: "int"}.get(type(_value), "pair")
    _CONSTANTS[_kind].append(_name)


# Samples

_SIDES = [1, 1, 2, 3, 3, 4, 5, 6, 8, 10, 14]
_ODD_SIDES = [1, 2, 8, 15, 16, 17, 29, 30, 31, 32, 33, 40]
_MADE_UP = 0.6
"""The share of samples that are made up, not taken from a task."""
_ODD_COLORS = [-129, -128, -1, 10, 127, 128]
"""Colors at the limits of a column of grids, and colors that no data set has."""


@lru_cache(maxsize=1)
def _real_samples() -> list[ArcSample]:
    return samples_of(load("arcagi").tasks)


def _made_up_grid(rng: Random, sides: list[int] = _SIDES) -> Grid:
    """Make up a grid of few colors."""
    h, w = rng.choice(sides), rng.choice(sides)
    colors = [rng.choice([0, 9, rng.randrange(10)]) for _ in range(rng.randint(1, 4))]
    if rng.random() < 0.03:
        colors.append(rng.choice(_ODD_COLORS))
    colors += [colors[0]] * rng.randrange(8 if h * w < 200 else 40)
    return tuple(tuple(rng.choices(colors, k=w)) for _ in range(h))


def _made_up_sample(rng: Random, position: int) -> ArcSample:
    """Make up a sample of small grids. Some inputs are as large as a task's, or larger."""
    sides = _ODD_SIDES if rng.random() < 0.15 else _SIDES
    pairs = tuple((_made_up_grid(rng), _made_up_grid(rng)) for _ in range(rng.randrange(4)))
    expected = None if rng.random() < 0.3 else _made_up_grid(rng)
    return ArcSample("fuzz", pairs, _made_up_grid(rng, sides), expected, "fuzz", position, False)


def _sample(rng: Random, position: int) -> ArcSample:
    """Draw inputs for a program: a task's, or made up; C is sometimes None."""
    if rng.random() < _MADE_UP:
        return _made_up_sample(rng, position)
    sample = rng.choice(_real_samples())
    return sample._replace(C=None) if rng.random() < 0.3 else sample


def _smaller(sample: ArcSample) -> Iterator[ArcSample]:
    """Yield the sample with a smaller grid, or with fewer grids."""
    for grid in _smaller_grids(sample.I):
        yield sample._replace(I=grid)
    for count in range(min(len(sample.S), 2)):
        yield sample._replace(S=sample.S[:count])
    if sample.C is not None:
        yield sample._replace(C=None)
        for grid in _smaller_grids(sample.C):
            yield sample._replace(C=grid)


def _smaller_grids(grid: Grid) -> Iterator[Grid]:
    """Yield the grid with half of its rows or columns, or one fewer, or with a color made 0."""
    h, w = len(grid), len(grid[0])
    for rows in dict.fromkeys([h // 2, h - 1]):
        if rows:
            yield grid[:rows]
            yield grid[h - rows :]
    for columns in dict.fromkeys([w // 2, w - 1]):
        if columns:
            yield tuple(row[:columns] for row in grid)
            yield tuple(row[w - columns :] for row in grid)
    for color in {cell for row in grid for cell in row} - {0}:
        yield tuple(tuple(0 if cell == color else cell for cell in row) for row in grid)


DRAWS = Draws(
    language=LANGUAGE,
    inputs={"I": "grid", "S": ("tuple", ("tuple", "grid")), "C": "grid"},
    elements={"pair": "int", "cell": "any", "grid": ROW},
    examples=_EXAMPLES, declared=_DECLARED, results=_RESULTS, constants=_CONSTANTS,
    literals=_LITERALS, makers=_MAKERS, sources=_SOURCES, beginnings=_BEGINNINGS, edges=_EDGES,
    large=_LARGE, smaller=_smaller,
    samples=lambda rng, count: [_sample(rng, position) for position in range(count)],
    stand_ins=("I", "ZERO", "T", "ORIGIN", "UNITY", "identity"),
)  # fmt: skip
