"""Reads fractions: each is two words, and known while it is read.

A fraction is compared, or rounded to an Integer. Halves, quarters and so on are also added and
multiplied, since Python's numbers hold them exactly. Other sums of fractions are rounded in Python.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from megabatt.codegen.errors import Wrong
from megabatt.codegen.expressions import Expressions
from megabatt.codegen.python_functions import BUILTINS
from megabatt.codegen.scopes import Fraction
from megabatt.runtime.program import Word
from megabatt.runtime.vocabulary import UNREADABLE

_ADVICE = "write `//`, which rounds down"
_ONLY = f"a fraction is only compared, and given to abs, int, round, floor and ceil: {_ADVICE}"


class Fractions(Expressions):
    """Reads the fractions of one program."""

    def as_word(self, node: ast.AST, value: Any, takes: int = 1, over: Word | None = None) -> Word:
        if isinstance(value, Fraction):
            if value.bottom == 1 and value.top.__class__ is int:
                raise Wrong(node, f"{value.top}.0 is a fraction: write {value.top}")
            raise Wrong(node, _ONLY)
        return super().as_word(node, value, takes, over)

    def operated(self, node: ast.BinOp, a: Any, b: Any) -> Any:
        if isinstance(node.op, ast.Div):
            return self._quotient(node, self._fraction(node, a), self._fraction(node, b))
        if not isinstance(a, Fraction) and not isinstance(b, Fraction):
            return super().operated(node, a, b)
        one, other = self._fraction(node, a), self._fraction(node, b)
        if not isinstance(node.op, ast.Add | ast.Sub | ast.Mult):
            raise Wrong(node, _ONLY)
        if not (_is_exact(one.bottom) and _is_exact(other.bottom)):
            raise Wrong(node, f"sums of fractions are rounded in Python: {_ADVICE}")
        bottom = self._product(node, one.bottom, other.bottom)
        if isinstance(node.op, ast.Mult):
            return Fraction(self._product(node, one.top, other.top), bottom)
        top = self.binary(node, type(node.op), *self._alike(node, one, other))
        return Fraction(top, bottom)

    def chosen(self, node: ast.AST, condition: Word, values: Sequence[Any]) -> Any:
        if UNREADABLE in values or not any(isinstance(value, Fraction) for value in values):
            return super().chosen(node, condition, values)
        if not all(isinstance(value, Fraction) or self.is_integer(value) for value in values):
            what = "a fraction and a value of another kind reach this place"
            raise Wrong(node, f"{what}: use two names")
        one, other = (self._fraction(node, value) for value in values)
        top = self.call(node, "if_else", condition, one.top, other.top)
        if one.bottom == other.bottom:
            return Fraction(top, one.bottom)
        return Fraction(top, self.call(node, "if_else", condition, one.bottom, other.bottom))

    def compared(self, node: ast.expr) -> Any:
        value = self.no_iterator(node, self.value(node))
        return value if isinstance(value, Fraction) else self.as_held(node, value)

    def comparison(self, node: ast.Compare, operator: ast.cmpop, a: Any, b: Any) -> Word:
        if isinstance(a, Fraction) or isinstance(b, Fraction):
            if isinstance(operator, ast.In | ast.NotIn | ast.Is | ast.IsNot):
                raise Wrong(node, _ONLY)
            a, b = self._alike(node, self._fraction(node, a), self._fraction(node, b))
        return super().comparison(node, operator, a, b)

    def _fraction(self, node: ast.AST, value: Any) -> Fraction:
        """Return a value as a fraction."""
        if isinstance(value, Fraction):
            return value
        word = self.as_word(node, value)
        return Fraction(word if self.is_integer(word) else _int(self, node, word), 1)

    def _alike(self, node: ast.AST, a: Fraction, b: Fraction) -> tuple[Word, Word]:
        """Return the numerators of two fractions over one denominator."""
        return self._product(node, a.top, b.bottom), self._product(node, b.top, a.bottom)

    def _product(self, node: ast.AST, a: Word, b: Word) -> Word:
        if a.__class__ is int and b.__class__ is int:
            return self.literal(node, a * b)  # type: ignore[operator]
        return a if b == 1 else self.binary(node, ast.Mult, a, b)

    def _quotient(self, node: ast.AST, a: Fraction, b: Fraction) -> Fraction:
        """Divide. The call fails, as in Python, where the divisor is 0."""
        exact = _is_exact(a.bottom) and b.bottom == 1 and _is_exact(b.top)
        if not exact and (a.bottom != 1 or b.bottom != 1):
            raise Wrong(node, f"quotients of fractions are rounded in Python: {_ADVICE}")
        if b.top.__class__ is int and b.top > 0:  # type: ignore[operator]
            return Fraction(a.top, self._product(node, a.bottom, b.top))
        size = BUILTINS["abs"](self, node, b.top)
        sign = self.binary(node, ast.FloorDiv, size, b.top)
        return Fraction(self._product(node, a.top, sign), self._product(node, b.top, sign))


def _is_exact(bottom: Word) -> bool:
    """Tell whether a number is known to be a power of 2."""
    return bottom.__class__ is int and bottom > 0 and bottom & (bottom - 1) == 0  # type: ignore[operator]


def _int(at: Expressions, node: ast.AST, value: Any) -> Word:
    if not isinstance(value, Fraction):
        return BUILTINS["int"](at, node, at.as_word(node, value))  # type: ignore[no-any-return]
    is_negative = at.less(node, value.top, 0)
    return at.call(node, "if_else", is_negative, _ceil(at, node, value), _floor(at, node, value))


def _floor(at: Expressions, node: ast.AST, value: Any) -> Word:
    if not isinstance(value, Fraction):
        return _int(at, node, value)
    return at.binary(node, ast.FloorDiv, value.top, value.bottom)


def _ceil(at: Expressions, node: ast.AST, value: Any) -> Word:
    if not isinstance(value, Fraction):
        return _int(at, node, value)
    negative = at.binary(node, ast.Sub, 0, value.top)
    return at.binary(node, ast.Sub, 0, at.binary(node, ast.FloorDiv, negative, value.bottom))


def _round(at: Expressions, node: ast.AST, value: Any) -> Word:
    """Write `round`, of halves to the even number."""
    if not isinstance(value, Fraction):
        return _int(at, node, value)
    double = at.binary(node, ast.Mult, 2, value.bottom)
    top = at.binary(node, ast.Add, at.binary(node, ast.Mult, 2, value.top), value.bottom)
    made = at.binary(node, ast.FloorDiv, top, double)  # halves up
    is_half = at.negation(node, at.binary(node, ast.Mod, top, double))
    odd = at.call(node, "if_else", is_half, at.binary(node, ast.Mod, made, 2), 0)
    return at.binary(node, ast.Sub, made, odd)


def _float(at: Expressions, node: ast.AST, value: Any) -> Fraction:
    if isinstance(value, str) and value in at.texts:
        what = "numbers are Integers, and infinity is only compared"
        raise Wrong(node, f"{what}: write the greatest number that there is, or None")
    return value if isinstance(value, Fraction) else Fraction(_int(at, node, value), 1)


def _abs(at: Expressions, node: ast.AST, value: Any) -> Any:
    if isinstance(value, Fraction):
        return value._replace(top=BUILTINS["abs"](at, node, value.top))
    return BUILTINS["abs"](at, node, at.as_word(node, value))


ROUNDERS = {
    "abs": _abs, "float": _float, "int": _int, "math.ceil": _ceil, "math.floor": _floor,
    "round": _round,
}  # fmt: skip
"""The writers of calls by the function of Python, for functions that may take fractions."""
