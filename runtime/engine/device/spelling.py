"""Spells out a function with all code compiled into it, for the keys of caches on disk."""

from collections.abc import Callable, Iterator
from functools import cache
from types import FunctionType, ModuleType
from typing import Any

import numpy as np


class Compilable:
    """A plain function that compiled functions may call. Python cannot call it.

    apart: Spells out a function that is not compiled into its callers. inlined: Whether it must be.
    """

    apart = ""

    def __init__(self, function: Callable[..., Any], inlined: bool = False) -> None:
        self.function = function
        self.inlined = inlined


def with_meanings(function: Any, meaning_of: Callable[[Compilable], Any]) -> Any:
    """Return a copy of a function that calls `meaning_of(f)` for each compilable `f` it names."""
    names = function.__globals__
    others = {name: meaning_of(value) for name in function.__code__.co_names
              if isinstance(value := names.get(name), Compilable)}  # fmt: skip
    copy = FunctionType(
        function.__code__, {**names, **others}, function.__name__, function.__defaults__
    )
    copy.__module__, copy.__qualname__ = function.__module__, function.__qualname__
    return copy


def spelled(function: Callable[..., Any]) -> str:
    """Return a text that determines a function with all code compiled into it."""
    called = [other.apart or _spelled_alone(other.function) for other in called_by(function)]
    return " ".join([_spelled_alone(function), *called])


def called_by(function: Callable[..., Any]) -> list[Compilable]:
    """List the callees of a function, also those of functions that are compiled into it."""
    found = dict.fromkeys(_named_by(function))
    to_visit = list(found)
    while to_visit:
        other = to_visit.pop()
        if not other.apart:
            new = [called for called in _named_by(other.function) if called not in found]
            found.update(dict.fromkeys(new))
            to_visit += new
    return list(found)


@cache
def _named_by(function: Callable[..., Any]) -> list[Compilable]:
    return [value for value in _meanings(function) if isinstance(value, Compilable)]


@cache
def _spelled_alone(function: Callable[..., Any]) -> str:
    """Return a text of a function's code and the numbers that it names."""
    code = function.__code__
    numbers = [repr(v) for v in _meanings(function) if isinstance(v, int | float | np.number)]
    return " ".join([code.co_code.hex(), repr(code.co_consts), repr(code.co_names), *numbers])


def _meanings(function: Callable[..., Any]) -> Iterator[Any]:
    """Yield the meanings of the names in a function's code, also of attributes of modules."""
    names = function.__code__.co_names
    found = [function.__globals__.get(name) for name in names]
    yield from found
    for module in found:
        if isinstance(module, ModuleType):
            yield from (getattr(module, name, None) for name in names)
