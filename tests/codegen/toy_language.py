"""A language that is not ARC's, as codegen reads it: names, arities and safe defaults."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Primitive:
    name: str
    module: str
    arity: int
    parameters: tuple[str, ...]
    numbered: bool = False


@dataclass(frozen=True)
class Language:
    inputs: tuple[str, ...]
    constants: dict[str, object]
    primitives: dict[str, Primitive]
    unknown_default_source: str
    defaults: dict[str, str]
    max_elements: int = 1000
    integers: tuple[int, int] = (-(2**31), 2**31 - 1)

    def register(self, function: Callable[..., object], default_source: str) -> None:
        parameters = tuple(inspect.signature(function).parameters)
        name = function.__name__
        self.primitives[name] = Primitive(name, function.__module__, len(parameters), parameters)
        self.defaults[name] = default_source

    def default_source(self, name: str) -> str:
        return self.defaults.get(name, self.unknown_default_source)


def add(a, b): ...


def halve(n): ...


def negate(n): ...


def pair(a, b): ...


def bind(function, a): ...


def zero(): ...


def fails(*arguments): ...


ONE = 1
TWO = 2
YES = True
SWAP_10 = SWAP_9 = pair

LANGUAGE = Language(
    inputs=("A", "B"),
    constants={"ONE": ONE, "TWO": TWO, "YES": YES, "SWAP_10": SWAP_10, "SWAP_9": SWAP_9},
    primitives={},
    unknown_default_source="(0,)",
    defaults={},
)
for _function, _default in (
    (add, "0"), (halve, "0"), (negate, "0"), (pair, "(0, 0)"), (bind, "fails"), (zero, "0")
):
    LANGUAGE.register(_function, _default)
