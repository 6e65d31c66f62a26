"""Kinds: what the fuzzer's generator expects of a value. An approximation, never relied upon.

And what it draws from, kind by kind.

A kind is "int", "bool", "pair", "cell", "grid" or "any", or one built from others:
("tuple", element), ("set", element), ("function", (parameter, ...), result).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from runtime.arc import LANGUAGE

Kind = Any

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

EXAMPLES: dict[str, list[Kind]] = {
    "Any": _SOME,
    "Boolean": ["bool"],
    "Integer": ["int", "int", "int", "bool"],
    "IntegerTuple": ["pair"],
    "Numerical": ["int", "pair", "int", "pair", "bool"],
    "IntegerSet": [("set", "int"), ROW, ("set", "bool")],
    "Grid": ["grid"],
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
"""For each declared type, kinds that a parameter of it is given."""


def is_function(kind: Kind) -> bool:
    return bool(kind[0] == "function")


def is_container(kind: Kind) -> bool:
    return kind in ("pair", "cell", "grid") or kind[0] in ("tuple", "set")


def element_of(kind: Kind) -> Kind:
    """What iterating over a container of that kind gives."""
    if kind[0] in ("tuple", "set"):
        return kind[1]
    return {"pair": "int", "grid": ROW}.get(kind, "any")


def accepts(declared: str, kind: Kind) -> bool:
    """Whether a parameter of the declared type takes values of that kind."""
    if declared == "Any":
        return True
    if declared == "Callable":
        return is_function(kind)
    if declared == "Container":
        return is_container(kind)
    if declared == "ContainerContainer":
        return is_container(kind) and is_container(element_of(kind))
    if declared == "FrozenSet":
        return bool(kind[0] == "set")
    if declared in ("Tuple", "TupleTuple"):
        return is_container(kind) and kind[0] != "set"
    return kind in EXAMPLES[declared]


def same_container(kind: Kind, element: Kind) -> Kind:
    """A container like one of `kind`, of other elements."""
    return ("set" if kind[0] == "set" else "tuple", element)


def _of_two(a: Kind, b: Kind) -> Kind:
    if a == b == "int":
        return "pair"
    if (a, b) == ("int", "pair"):
        return "cell"
    return ("tuple", a if a == b else "any")


def _results(kind: Kind) -> Kind:
    return kind[2] if is_function(kind) else "any"


def _parameters(kind: Kind) -> tuple[Kind, ...]:
    return kind[1] if is_function(kind) else ("any",)


def _numerical(*kinds: Kind) -> Kind:
    return "pair" if "pair" in kinds else "int"


def _itself(kind: Kind, *_others: Kind) -> Kind:
    return kind


def _first_element(kind: Kind, *_others: Kind) -> Kind:
    return element_of(kind)


_RULES: dict[str, Callable[..., Kind]] = {
    "identity": _itself,
    "branch": lambda c, a, b: a,
    "first": _first_element, "last": _first_element, "other": _first_element,
    "extract": _first_element, "argmax": _first_element, "argmin": _first_element,
    "mostcommon": _first_element, "leastcommon": _first_element,
    "remove": lambda e, c: c,
    "dedupe": _itself, "sfilter": _itself, "combine": _itself, "difference": _itself,
    "intersection": _itself, "sizefilter": lambda c, n: ("set", element_of(c)),
    "mfilter": lambda c, f: same_container(c, element_of(element_of(c))),
    "merge": lambda c: same_container(c, element_of(element_of(c))),
    "totuple": lambda c: ("tuple", element_of(c)),
    "order": lambda c, f: ("tuple", element_of(c)),
    "valmax": lambda c, f: _results(f), "valmin": lambda c, f: _results(f),
    "initset": lambda e: ("set", e),
    "insert": lambda e, c: c,
    "repeat": lambda e, n: ("tuple", e),
    "astuple": _of_two,
    "interval": lambda a, b, c: ROW,
    "pair": lambda a, b: ("tuple", _of_two(element_of(a), element_of(b))),
    "product": lambda a, b: ("set", _of_two(element_of(a), element_of(b))),
    "hsplit": lambda g, n: ("tuple", "grid"), "vsplit": lambda g, n: ("tuple", "grid"),
    "palette": lambda e: ("set", "int"), "numcolors": lambda e: "int",
    "apply": lambda f, c: same_container(c, _results(f)),
    "mapply": lambda f, c: same_container(c, element_of(_results(f))),
    "rapply": lambda c, e: same_container(c, _results(element_of(c))),
    "papply": lambda f, a, b: ("tuple", _results(f)),
    "mpapply": lambda f, a, b: ("tuple", element_of(_results(f))),
    "prapply": lambda f, a, b: ("set", _results(f)),
    "hmirror": _itself, "vmirror": _itself, "dmirror": _itself, "cmirror": _itself,
    "upscale": _itself, "normalize": _itself, "shift": _itself,
    "compose": lambda f, g: ("function", _parameters(g), _results(f)),
    "chain": lambda h, g, f: ("function", _parameters(f), _results(h)),
    "matcher": lambda f, e: ("function", _parameters(f), "bool"),
    "rbind": lambda f, e: ("function", _parameters(f)[:-1], _results(f)),
    "lbind": lambda f, e: ("function", _parameters(f)[1:], _results(f)),
    "power": _itself,
    "fork": lambda f, a, b: ("function", _parameters(a), _results(f)),
}  # fmt: skip

_DECLARED: dict[str, Kind] = {
    "Boolean": "bool", "Integer": "int", "IntegerTuple": "pair", "Grid": "grid", "Object": OBJECT,
    "Objects": OBJECTS, "Patch": INDICES,
}  # fmt: skip


def result_of(name: str, kinds: list[Kind]) -> Kind:
    """The kind of what primitive `name` gives for arguments of these kinds."""
    if name in _RULES:
        return _RULES[name](*kinds)
    declared = LANGUAGE.primitives[name].result.name
    if declared == "Numerical":
        return _numerical(*kinds)
    return _DECLARED.get(declared, "any")


OVER_ELEMENTS = {
    "apply": (0, (1,)), "mapply": (0, (1,)), "papply": (0, (1, 2)), "mpapply": (0, (1, 2)),
    "prapply": (0, (1, 2)), "sfilter": (1, (0,)), "mfilter": (1, (0,)), "extract": (1, (0,)),
    "order": (1, (0,)), "argmax": (1, (0,)), "argmin": (1, (0,)), "valmax": (1, (0,)),
    "valmin": (1, (0,)),
}  # fmt: skip
"""Of the primitives that call a function on elements: its place, and the containers'."""

WISHES = {
    "mapply": "Container", "mpapply": "Container", "sfilter": "Boolean", "mfilter": "Boolean",
    "extract": "Boolean", "order": "Integer", "argmax": "Integer", "argmin": "Integer",
    "valmax": "Integer", "valmin": "Integer",
}  # fmt: skip
"""What these mostly want of that function."""

OFTEN = [*OVER_ELEMENTS, "branch", "branch", "rapply", "merge", "combine", "insert", "remove",
          "compose", "chain", "fork", "rbind", "lbind", "matcher", "power", "contained",
          "equality", "order", "apply", "apply", "mapply", "first", "last", "other"]  # fmt: skip

CONSTANTS: dict[str, list[str]] = {"int": [], "bool": [], "pair": []}
for _name, _value in LANGUAGE.constants.items():
    _kind = {bool: "bool", int: "int"}.get(type(_value), "pair")
    CONSTANTS[_kind].append(_name)
LITERALS = ["127", "128", "-128", "-129", "-7", "31", "2147483647", "-2147483648", "1048575",
            "1048576", "-1048576", "-1048577", "300", "-1"]  # fmt: skip
"""Integers at the edges of what columns hold."""

MAKERS: dict[Kind, list[str]] = {
    "int": ["size", "height", "width", "mostcolor", "leastcolor", "numcolors", "color", "add",
            "colorcount", "uppermost", "maximum", "index", "multiply", "subtract", "lowermost"],
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


BEGINNINGS: list[tuple[str, list[str], Kind]] = [
    ("objects", ["I", "T", "F", "T"], OBJECTS), ("first", ["$"], OBJECT), ("first", ["$"], "cell"),
    ("mostcolor", ["I"], "int"), ("width", ["I"], "int"), ("numcolors", ["I"], "int"),
    ("portrait", ["I"], "bool"), ("square", ["I"], "bool"), ("shape", ["I"], "pair"),
    ("ofcolor", ["I", "ZERO"], INDICES), ("ulcorner", ["$"], "pair"), ("partition", ["I"], OBJECTS),
    ("palette", ["I"], ("set", "int")), ("asobject", ["I"], OBJECT), ("first", ["$"], "cell"),
    ("totuple", ["$"], ("tuple", "int")),
]  # fmt: skip
"""Operations that a program may begin with, so that most has something of the sample to work on;
"$" is the variable before."""

EDGES: list[list[tuple[str, list[str], Kind]]] = [
    [("asobject", ["I"], OBJECT), ("recolor", ["300", "$"], OBJECT)],
    [("ofcolor", ["I", "ZERO"], INDICES), ("recolor", ["-1", "$"], OBJECT)],
    [("asobject", ["I"], OBJECT), ("recolor", ["2147483647", "$"], OBJECT)],
    [("mostcolor", ["I"], "int"), ("replace", ["I", "$", "128"], "grid")],
    [("leastcolor", ["I"], "int"), ("replace", ["I", "$", "-7"], "grid")],
    [("shape", ["I"], "pair"), ("add", ["$", "1048570"], "pair")],
    [("shape", ["I"], "pair"), ("subtract", ["$", "2147483647"], "pair"),
     ("dneighbors", ["$"], INDICES)],
    [("height", ["I"], "int"), ("astuple", ["T", "$"], "pair"), ("initset", ["$"], INDICES)],
    [("palette", ["I"], ("set", "int")), ("apply", ["even", "$"], ("set", "bool")),
     ("insert", ["ONE", "$"], ("set", "int"))],
]  # fmt: skip
"""Beginnings, now and then, with values at the edges of what columns hold."""
