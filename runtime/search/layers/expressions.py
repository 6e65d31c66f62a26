"""Expressions: nested calls of primitives, as text, as tuples, and as programs."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from functools import lru_cache

from megabatt.runtime.printable import short
from megabatt.runtime.program import Operation, Program, Word

Expression = str | int | tuple["Expression", ...]
"""A word, or a call: the function, then its arguments."""


@lru_cache(maxsize=4096)
def parsed(text: str) -> Expression:
    """Read an expression such as "fill(I, TWO, ofcolor(I, ZERO))". Nothing in it is executed.

    Raises ValueError if the text is no expression.
    """
    try:
        tree = ast.parse(text, mode="eval")
    except SyntaxError as error:
        raise ValueError(f"{short(text)} is no expression: {error.msg}") from error
    return _read(tree.body, text)


def _read(node: ast.expr, text: str) -> Expression:
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Constant) and isinstance(node.value, int):
        return node.value
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        number = _read(node.operand, text)
        if isinstance(number, int):
            return -number
    if isinstance(node, ast.Call) and not node.keywords:
        return (_read(node.func, text), *[_read(one, text) for one in node.args])
    raise ValueError(f"{short(text)}: write names, integers and calls, as in f(x, g(y, 2))")


def put_in(expression: Expression, words: Mapping[str, Expression]) -> Expression:
    """Return an expression with other expressions in the place of words.

    Parts that are one object in the expression are one object in the result.
    """
    made: dict[int, Expression] = {}

    def put(part: Expression) -> Expression:
        if not isinstance(part, tuple):
            return words.get(part, part) if isinstance(part, str) else part
        key = id(part)
        if key not in made:
            made[key] = tuple([put(one) for one in part])
        return made[key]

    return put(expression)


def interned(expression: Expression) -> Expression:
    """Return an equal expression that shares equal parts with all other interned expressions.

    True and 1 are not equal.
    """
    if not isinstance(expression, tuple):
        return expression
    parts = tuple(map(interned, expression))
    key = tuple([id(one) if isinstance(one, tuple) else (one.__class__, one) for one in parts])
    return _INTERNED.setdefault(key, parts)


_INTERNED: dict[tuple[object, ...], Expression] = {}


def words_of(expression: Expression) -> set[str | int]:
    """Return all words of an expression."""
    if isinstance(expression, tuple):
        return set().union(*map(words_of, expression))
    return {expression}


def program_of(expression: Expression, name: str) -> Program:
    """Return the program that gives an expression's value, with each operation once."""
    operations: list[Operation] = []
    known: dict[tuple[str, ...], Word] = {}
    of_parts: dict[int, Word] = {}

    def word_of(part: Expression) -> Word:
        if not isinstance(part, tuple):
            return part
        if id(part) not in of_parts:
            of_parts[id(part)] = word_of_call(tuple([word_of(one) for one in part]))
        return of_parts[id(part)]

    def word_of_call(call: tuple[Word, ...]) -> Word:
        key = tuple(map(str, call))  # 1 and True are equal, their texts are not
        if key not in known:
            known[key] = f"x{len(operations) + 1}"
            operations.append((known[key], *call))
        return known[key]

    returned = word_of(expression)
    if not operations or operations[-1][0] != returned:
        return Program(name, tuple(operations), returned)
    (_, *words) = operations.pop()
    return Program(name, (*operations, ("O", *words)))
