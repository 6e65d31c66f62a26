"""Kinds: the generator's guesses about values. No result relies on a guess.

A `Declared` is the type of a parameter, checked in every call. A kind is guessed
from a program's text and tells more: the elements of a container, the arguments and result of a
function. `Draws.examples` and `Draws.declared` lead from types to kinds.

A kind is a name ("int", "bool", "any", or a name of the language's own), or is built from kinds:
("tuple", element), ("set", element), ("function", (parameter, ...), result).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from random import Random
from typing import Any

from megabatt.runtime.engine.language.registry import Language
from megabatt.runtime.vocabulary import counted

Kind = Any

Step = tuple[str, list[str], Kind]
"""An operation of a fixed sequence: its primitive, its arguments, and the kind of its result. The
argument "$1" is the previous variable, "$2" the variable before that."""


def is_function(kind: Kind) -> bool:
    return bool(kind[0] == "function")


def same_container(kind: Kind, element: Kind) -> Kind:
    """Return the kind of a container of the same sort, with other elements."""
    return ("set" if kind[0] == "set" else "tuple", element)


@dataclass(frozen=True, kw_only=True)
class Draws:
    """The fuzzer's knowledge of a language: its kinds of values, and where to get them.

    inputs: the kind of each input.
    elements: for each named kind of container, the kind of its elements.
    examples: for each declared type, the kinds of its arguments.
    declared: for each declared type, the kind of its results.
    results: for a primitive whose result's kind depends on the arguments' kinds, a function that
    returns the result's kind, called with these draws and then the arguments' kinds.
    constants: for a kind, names of constants. literals: Integers at the edges of columns' ranges.
    makers: for a kind, primitives that return a value of the kind.
    sources: for a kind, sequences of operations that make a value of the kind from an input.
    beginnings: operations at the beginning of programs, each by chance, so that most programs use
    the sample. edges: sequences that make values at the edges of columns' ranges.
    large: sequences that make large containers.
    samples: draws samples for a program. smaller: yields samples a little smaller than a sample.
    stand_ins: simple names that may replace any argument, the simplest first.

    Fields with a default may be left out.
    """

    language: Language
    inputs: dict[str, Kind]
    elements: dict[Kind, Kind] = field(default_factory=dict)
    examples: dict[str, list[Kind]]
    declared: dict[str, Kind]
    results: dict[str, Callable[..., Kind]] = field(default_factory=dict)
    constants: dict[Kind, list[str]]
    literals: list[str] = field(default_factory=list)
    makers: dict[Kind, list[str]]
    sources: dict[Kind, list[list[Step]]]
    beginnings: list[Step] = field(default_factory=list)
    edges: list[list[Step]] = field(default_factory=list)
    large: list[list[Step]] = field(default_factory=list)
    samples: Callable[[Random, int], list[Any]]
    smaller: Callable[[Any], Iterator[Any]] = lambda sample: iter(())
    stand_ins: tuple[str, ...] = ()

    @cached_property
    def often(self) -> list[str]:
        """The primitives that are drawn more often than others."""
        return [name for name in _OFTEN if name in self.language.primitives]

    def mistakes(self) -> Iterator[str]:
        """Yield a line on each name that the language lacks, and each step with a wrong call."""
        for name in [name for name in self.inputs if name not in self.language.inputs]:
            yield f"draws: inputs: {name!r} is no input of the language"
        declared = {one.name for p in self.language.primitives.values() for one in p.types}
        for name in sorted(declared - {*self.examples, "Callable"}):
            yield f"draws: examples: no kind of value is given for the declared type {name}"
        for name in chain.from_iterable(self.makers.values()):
            if name not in self.language.primitives:
                yield f"draws: makers: the language has no primitive {name!r}"
        sequences = {
            "beginnings": [self.beginnings], "edges": self.edges, "large": self.large,
            "sources": [steps for of_kind in self.sources.values() for steps in of_kind],
        }  # fmt: skip
        for part, of_part in sequences.items():
            for name, args, _ in chain.from_iterable(of_part):
                primitive = self.language.primitives.get(name)
                call = f"draws: {part}: {name}({', '.join(args)})"
                if primitive is None:
                    yield f"{call}: the language has no such primitive"
                elif len(args) != primitive.arity and not primitive.numbered:
                    yield f"{call}: {name} takes {counted(primitive.arity, 'argument')}"

    def is_container(self, kind: Kind) -> bool:
        return kind in self.elements or kind[0] in ("tuple", "set")

    def element_of(self, kind: Kind) -> Kind:
        """Return the kind of the elements of a container of the kind `kind`."""
        return kind[1] if kind[0] in ("tuple", "set") else self.elements.get(kind, "any")

    def accepts(self, declared: str, kind: Kind) -> bool:
        """Tell whether a parameter of the declared type accepts values of a kind."""
        if declared == "Any":
            return True
        if declared == "Callable":
            return is_function(kind)
        if declared == "Container":
            return self.is_container(kind)
        if declared == "ContainerContainer":
            return self.is_container(kind) and self.is_container(self.element_of(kind))
        if declared == "FrozenSet":
            return bool(kind[0] == "set")
        if declared in ("Tuple", "TupleTuple"):
            return self.is_container(kind) and kind[0] != "set"
        return kind in self.examples[declared]

    def result_of(self, name: str, kinds: list[Kind]) -> Kind:
        """Return the kind of the result of primitive `name`, for arguments of given kinds."""
        rule = self.results.get(name) or _RESULTS.get(name)
        if rule is not None:
            return rule(self, *kinds)
        return self.declared.get(self.language.primitives[name].result.name, "any")


# Primitives that any language may have


def _results(kind: Kind) -> Kind:
    return kind[2] if is_function(kind) else "any"


def _parameters(kind: Kind) -> tuple[Kind, ...]:
    return kind[1] if is_function(kind) else ("any",)


def itself(draws: Draws, kind: Kind, *_others: Kind) -> Kind:
    return kind


def _element(draws: Draws, kind: Kind, *_others: Kind) -> Kind:
    return draws.element_of(kind)


def _inner_elements(draws: Draws, kind: Kind, *_others: Kind) -> Kind:
    return same_container(kind, draws.element_of(draws.element_of(kind)))


_RESULTS: dict[str, Callable[..., Kind]] = {
    "identity": itself,
    "branch": lambda d, c, a, b: a,
    "if_else": lambda d, c, a, b: a,
    "first": _element, "last": _element, "other": _element, "extract": _element,
    "argmax": _element, "argmin": _element, "mostcommon": _element, "leastcommon": _element,
    "remove": lambda d, e, c: c,
    "insert": lambda d, e, c: c,
    "dedupe": itself, "sfilter": itself, "combine": itself, "difference": itself,
    "intersection": itself,
    "sizefilter": lambda d, c, n: ("set", d.element_of(c)),
    "mfilter": _inner_elements, "merge": _inner_elements,
    "totuple": lambda d, c: ("tuple", d.element_of(c)),
    "first_of": lambda d, c, f: ("tuple", d.element_of(c)),
    "order": lambda d, c, f: ("tuple", d.element_of(c)),
    "valmax": lambda d, c, f: _results(f), "valmin": lambda d, c, f: _results(f),
    "initset": lambda d, e: ("set", e),
    "repeat": lambda d, e, n: ("tuple", e),
    "interval": lambda d, a, b, c: ("tuple", "int"),
    "apply": lambda d, f, c: same_container(c, _results(f)),
    "mapply": lambda d, f, c: same_container(c, d.element_of(_results(f))),
    "rapply": lambda d, c, e: same_container(c, _results(d.element_of(c))),
    "papply": lambda d, f, a, b: ("tuple", _results(f)),
    "mpapply": lambda d, f, a, b: ("tuple", d.element_of(_results(f))),
    "prapply": lambda d, f, a, b: ("set", _results(f)),
    "compose": lambda d, f, g: ("function", _parameters(g), _results(f)),
    "chain": lambda d, h, g, f: ("function", _parameters(f), _results(h)),
    "matcher": lambda d, f, e: ("function", _parameters(f), "bool"),
    "rbind": lambda d, f, e: ("function", _parameters(f)[:-1], _results(f)),
    "lbind": lambda d, f, e: ("function", _parameters(f)[1:], _results(f)),
    "power": itself,
    "fork": lambda d, f, a, b: ("function", _parameters(a), _results(f)),
}  # fmt: skip

OVER_ELEMENTS = {
    "apply": (0, (1,)), "mapply": (0, (1,)), "papply": (0, (1, 2)), "mpapply": (0, (1, 2)),
    "prapply": (0, (1, 2)), "sfilter": (1, (0,)), "mfilter": (1, (0,)), "extract": (1, (0,)),
    "order": (1, (0,)), "argmax": (1, (0,)), "argmin": (1, (0,)), "valmax": (1, (0,)),
    "valmin": (1, (0,)), "first_of": (1, (0,)),
}  # fmt: skip
"""The place of the function, and of the containers, in primitives over elements, by name."""

WISHES = {
    "mapply": "Container", "mpapply": "Container", "sfilter": "Boolean", "mfilter": "Boolean",
    "extract": "Boolean", "order": "Integer", "argmax": "Integer", "argmin": "Integer",
    "valmax": "Integer", "valmin": "Integer", "first_of": "Boolean",
}  # fmt: skip
"""The declared type that the function should mostly return, for some primitives over elements."""

_OFTEN = [*OVER_ELEMENTS, "branch", "branch", "rapply", "merge", "combine", "insert", "remove",
          "compose", "chain", "fork", "rbind", "lbind", "matcher", "power", "contained",
          "equality", "order", "apply", "apply", "mapply", "first", "last", "other"]  # fmt: skip

_SETS, _TUPLES = ("FrozenSet", "FrozenSet"), ("Tuple", "Tuple")
_INTEGERS, _NUMBERS = ("Integer", "Integer"), ("Number", "Number")

OPERANDS: dict[str, list[tuple[str, ...]]] = {
    "sum_of": [_INTEGERS, _NUMBERS, _TUPLES], "difference_of": [_INTEGERS, _NUMBERS, _SETS],
    "product_of": [_INTEGERS, _NUMBERS, ("Tuple", "Integer"), ("Integer", "Tuple")],
    "less": [_INTEGERS, _NUMBERS, _TUPLES, _SETS], "union_of": [_SETS],
    "span": [("Tuple", "Integer", "Integer", "Integer")],
}  # fmt: skip
"""The types that arguments should mostly have, for primitives that take any value but fail for
most."""

MEMBERS = {"remove": (0, 1), "insert": (0, 1), "contained": (0, 1), "other": (1, 0),
           "place_of": (1, 0)}  # fmt: skip
"""The places of an element and its container, for primitives that look for the element."""
