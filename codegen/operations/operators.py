"""Writes operators, comparisons and what else is made of values by several calls."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from megabatt.codegen.analysis.scopes import Dictionary
from megabatt.codegen.errors import Wrong
from megabatt.codegen.operations.writer import Writer
from megabatt.runtime.program import Word

OPERATORS: dict[type[ast.AST], tuple[str, str]] = {
    ast.Add: ("+", "sum_of"),
    ast.Sub: ("-", "difference_of"),
    ast.Mult: ("*", "product_of"),
    ast.Div: ("/", "ratio_of"),
    ast.FloorDiv: ("//", "quotient_of"),
    ast.Mod: ("%", "remainder_of"),
    ast.BitAnd: ("&", "intersection"),
    ast.BitOr: ("|", "union_of"),
    ast.BitXor: ("^", "difference_of"),
    ast.Pow: ("**", "power_of"),
    ast.LShift: ("<<", "product_of"),
    ast.RShift: (">>", "quotient_of"),
}
"""For each of Python's operators, its sign and the core's primitive."""
_NO_FUNCTIONS = {bool, float, frozenset, int, tuple, type(None)}
"""The types of values that are no functions, and so no mappings."""
_OPPOSITES = {ast.NotEq: ast.Eq(), ast.NotIn: ast.In(), ast.IsNot: ast.Is()}
"""The comparisons that are negations, with those that they negate."""
_DRAWING = {"argmax", "argmin", "first", "item", "last"}
"""The primitives whose results are elements of their first argument."""
_PARTS = {"first_of", "keys_in", "order", "sfilter", "span", "totuple"}
"""The primitives whose results have some elements of their first argument."""


class Operators(Writer):
    """Writes the operators of one program."""

    may_hold_mappings = False
    """Whether a value of which nothing is known is read as what may be a mapping."""
    may_hold_counters = False
    """Whether such a mapping may be a counter."""

    def may_be_mapping(self, word: Word) -> bool:
        """Tell whether a word's value may be a mapping."""
        return self.may_hold_mappings and self.may_be_function(word)

    def opened(self, node: ast.AST, word: Word) -> Word:
        """Return the word of a value that may be a mapping: of its keys then."""
        return self.call(node, "keys_in", word) if self.may_be_mapping(word) else word

    def may_be_function(self, word: Word) -> bool:
        """Tell whether a word's value may be a function, as a text and a mapping are."""
        if word.__class__ is not str or word in self.language.inputs:
            return False
        kinds = self.kinds_of(word)
        return not kinds or not kinds <= _NO_FUNCTIONS

    def as_tuple(self, node: ast.AST, word: Word) -> Word:
        """Return a container as a tuple."""
        is_tuple = (self.type_of(word) or "").startswith("Tuple")
        return word if is_tuple else self.call(node, "totuple", word)

    def unpacked(self, node: ast.AST, word: Word, count: int) -> list[Word]:
        """Return the elements of a container of `count` elements; a set's in ascending order."""
        elements = self.call(node, "unpack", word, count)
        return [self.call(node, "item", elements, k) for k in range(count)]

    def no_text(self, node: ast.AST, value: Any) -> None:
        """Refuse text where its characters matter."""
        if isinstance(value, str) and value in self.texts:
            raise Wrong(node, "text is only compared, or a key: write a tuple of its characters")

    def failure(self, node: ast.AST, condition: Word) -> Word:
        """Return the word of a call that fails where a condition is true, and is 0 elsewhere."""
        return self.call(node, "item", "(0,)", self.call(node, "if_else", condition, 1, 0))

    def integer(self, node: ast.AST, word: Word) -> Word:
        """Return a number's word; the operation fails if it is a Real, or no number."""
        return word if self.is_integer(word) else self.call(node, "union_of", word, 0)

    def negation(self, node: ast.AST, word: Word) -> Word:
        """Add a call that tells whether a value is false, and return its variable."""
        if self.type_of(word) == "Boolean":
            return self.call(node, "flip", word)
        return self.call(node, "if_else", word, False, True)

    def binary(self, node: ast.AST, operator: type[ast.AST], a: Word, b: Word) -> Word:
        """Add the call for an operator, and return its variable."""
        if operator not in OPERATORS:
            raise Wrong(node, "`@` cannot be read: write calls of primitives")
        sign, name = OPERATORS[operator]
        if sign in ("&", "|", "^"):
            return self._of_bits(node, sign, a, b)
        if sign in ("<<", ">>"):
            return self._shifted(node, sign, a, b)
        if self.is_integer(a, b):
            if sign == "**" and b == 2:
                return self.binary(node, ast.Mult, a, a)
            name = self._operators.get(sign, name)
        return self.call(node, name, a, b)

    def _of_bits(self, node: ast.AST, sign: str, a: Word, b: Word) -> Word:
        """Add the calls for `&`, `|` or `^` of two numbers, or of two sets."""
        kinds = self.kinds_of(a), self.kinds_of(b)
        if {tuple} in kinds:
            advice = "write frozenset(a), or a + b" if sign == "|" else "write frozenset(a)"
            raise Wrong(node, f"`{sign}` is read of sets and numbers, not of tuples: {advice}")
        if self.type_of(a) == self.type_of(b) == "Boolean":
            if sign == "^":
                return self.negation(node, self.call(node, "equality", a, b))
            return self.call(node, "both" if sign == "&" else "either", a, b)
        if sign == "&" and "Boolean" in (self.type_of(a), self.type_of(b)):
            odd = [self.call(node, "remainder_of", word, 2) for word in (a, b)]
            odd = [self.call(node, "equality", 1, bit) for bit in odd]
            return self.call(node, "identity", self.call(node, "both", *odd))  # may be a number
        if sign == "&" and {frozenset} in kinds:
            return self.call(node, "intersection", a, b)
        either = self.call(node, "union_of", a, b)
        if sign == "|":
            return either
        both = self.call(node, "difference_of", a, self.call(node, "difference_of", either, b))
        return both if sign == "&" else self.call(node, "difference_of", either, both)

    def _shifted(self, node: ast.AST, sign: str, a: Word, times: Word) -> Word:
        """Add the calls for `<<` or `>>` of two numbers."""
        step = ast.FloorDiv if sign == ">>" else ast.Mult
        one = self.tuple_of(node, [self.integer(node, a)])
        start = self.call(node, "item", one, self.less(node, times, 0))  # fails if it is less
        once = self.lambda_of(node, lambda made, _: self.binary(node, step, made, 2), 2)
        return self.call(node, "fold", once, start, self.call(node, "interval", 0, times, 1))

    @property
    def _operators(self) -> dict[str, str]:
        return getattr(self.language, "operators", {})

    def joined_tests(self, node: ast.AST, operator: ast.boolop, words: Sequence[Word]) -> Word:
        """Join values by `and` or `or`. An empty mapping is false, as a dictionary is."""
        *before, made = words
        for word in reversed(before):
            sides = (made, word) if isinstance(operator, ast.And) else (word, made)
            made = self.call(node, "if_else", self.opened(node, word), *sides)
        return made

    def comparison(self, node: ast.Compare, operator: ast.cmpop, a: Any, b: Any) -> Word:
        """Add the calls that compare two values, and return the variable of the result."""
        if isinstance(operator, ast.NotEq | ast.NotIn | ast.IsNot):
            opposite = _OPPOSITES[type(operator)]
            return self.negation(node, self.comparison(node, opposite, a, b))
        match operator:
            case ast.Eq() if isinstance(a, int) and isinstance(b, int):
                return a == b
            case ast.Eq():
                return self.call(node, "equality", a, b)
            case ast.In() if isinstance(b, Dictionary):
                return self.call(node, "has_key", b.word, a)
            case ast.In():
                return self.call(node, "contained", a, b)
            case ast.Lt():
                return self.less(node, a, b)
            case ast.Gt():
                return self.less(node, b, a)
            case ast.LtE():
                return self._at_most(node, a, b)
            case ast.GtE():
                return self._at_most(node, b, a)
        if self._are_one_if_equal(a, b):
            return self.call(node, "equality", a, b)
        container = self.drawn_from(a)
        if container is None or container != self.drawn_from(b):
            what = "is for None, Booleans, and elements of one list"
            raise Wrong(node, f"`is` {what}: write `==`")
        return self._is_one_element(node, container, a, b)

    def drawn_from(self, word: Word) -> Word | None:
        """Return a container that is certain to have a value as an element; None if none is."""
        container = self.drawn.get(word)
        maker = self.maker_of(word)
        if container is None and maker[0] in _DRAWING:
            container = self._column_of(maker) or maker[1]
        return self.whole_of(container)

    def _column_of(self, maker: Sequence[Any]) -> Word | None:
        """Return the container of which an element of a `pair` has a part; None for other calls."""
        match maker:
            case "item", pair, (0 | 1) as place:
                unpacked = self.maker_of(pair)
                rows = self.drawn_from(unpacked[1]) if unpacked[0] == "unpack" else None
                paired = self.maker_of(rows)
                return paired[1 + place] if paired[0] == "pair" else None
        return None

    def whole_of(self, container: Word | None) -> Word | None:
        """Return the container of which one has some elements: the same, sorted or selected."""
        while (maker := self.maker_of(container))[0] in _PARTS:
            container = maker[1]
        return container

    def _is_one_element(self, node: ast.AST, container: Word, a: Word, b: Word) -> Word:
        """Return whether two elements of a container are one object.

        The call fails if they are equal, and the container has equal elements.
        """
        container = self.as_tuple(node, self.opened(node, container))
        distinct = self.call(node, "size", self.call(node, "dedupe", container))
        has_equal = self.less(node, distinct, self.call(node, "size", container))
        is_certain = self.call(node, "equality", self.failure(node, has_equal), 0)
        return self.call(node, "if_else", self.call(node, "equality", a, b), is_certain, False)

    def _are_one_if_equal(self, a: Word, b: Word) -> bool:
        """Tell whether two values are one object of Python's if they are equal."""
        is_small = any(word.__class__ is int and -5 <= word <= 256 for word in (a, b))  # type: ignore[operator]
        kinds = {self.type_of(a), self.type_of(b)}
        return "None" in (a, b) or kinds == {"Boolean"} or (is_small and kinds == {"Integer"})

    def less(self, node: ast.AST, a: Word, b: Word) -> Word:
        """Add a call for `a < b`, and return its variable."""
        for word in (a, b):
            self.no_text(node, word)
        if ">" in self._operators and self.is_integer(a, b):
            return self.call(node, self._operators[">"], b, a)
        return self.call(node, "less", a, b)

    def _at_most(self, node: ast.AST, a: Word, b: Word) -> Word:
        """Add the calls for `a <= b`, and return the variable of the result."""
        if self.is_number(a) or self.is_number(b):
            return self.negation(node, self.less(node, b, a))
        is_less = self.less(node, a, b)
        return self.call(node, "if_else", is_less, True, self.call(node, "equality", a, b))
