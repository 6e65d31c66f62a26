"""Constants that programs write out: numbers, Booleans, None, tuples and sets of them.

Such a constant is a word of a program: its text, as `show` of `engine.language.values` writes it.
Equal constants have equal texts.
"""

from __future__ import annotations

import ast
from functools import lru_cache
from math import isinf
from typing import Any

_NUMBERS = {int, float}
_PLAIN = {*_NUMBERS, bool, type(None)}


@lru_cache(maxsize=1 << 14)
def is_literal(word: str) -> bool:
    """Tell whether a word is the text of a constant, not a name."""
    try:
        value_of(word)
    except ValueError:
        return False
    return True


@lru_cache(maxsize=1 << 14)
def value_of(text: str) -> Any:
    """Return the constant of a text. Raises ValueError for other texts, such as names."""
    if text.isidentifier() and text != "None":
        raise ValueError(f"{text} is a name")
    try:
        return constant_of(ast.parse(text, mode="eval").body)
    except (SyntaxError, RecursionError, MemoryError) as error:
        raise ValueError(f"{text} is no constant") from error


def constant_of(node: ast.expr) -> Any:
    """Return the constant that an expression writes out. Raises ValueError if it is no constant."""
    match node:
        case ast.Constant(value=value) if value.__class__ in _PLAIN:
            return value
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int(value) | float(value))):
            if value.__class__ is not bool:
                return -value or 0 * value  # -0.0 is 0.0
        case ast.Tuple(elts=elements):
            return tuple(map(constant_of, elements))
        case ast.Call(func=ast.Name(id="frozenset"), args=arguments, keywords=[]):
            return _set_of(arguments)
    raise ValueError("no constant")


def _set_of(arguments: list[ast.expr]) -> frozenset[Any]:
    match arguments:
        case []:
            return frozenset()
        case [ast.Set(elts=elements)]:
            return frozenset(map(constant_of, elements))
    raise ValueError("no constant")


_LEAST_REAL, _MOST_REAL = 2.0**-255, 2.0**255


def is_real(value: float) -> bool:
    """Tell whether a float is a Real, which is 0, infinite or of a size from 2**-255 up to 2**255.

    Languages of words have these alone.
    """
    return value == 0 or isinf(value) or _LEAST_REAL <= abs(value) < _MOST_REAL
