"""Writes `match` as a chain of `if`: for values, names, `_`, `|`, and tuples of these in a tuple.

    match (h, w):                              one, other = h, w
        case (1, 1):                           if one == 1 and other == 1:
            return grid                            return grid
        case (k, _) if k > 2:                  k = one
            return rows                        if k > 2:
                                                   return rows

The source does the same as before.
"""

from __future__ import annotations

import ast
from typing import Any

from megabatt.codegen.analysis.nodes import assignment, copy_of_all, forget, nodes_in, placed

_Parts = list[ast.expr]
_Captures = list[tuple[str, ast.expr]]


class _Unsuitable(Exception):
    """Raised for a pattern that is not read."""


def without_matches(tree: ast.Module) -> ast.Module:
    """Return a source without the `match` statements that can be rewritten. May change `tree`."""
    if not nodes_in(tree, ast.Match):
        return tree
    tree = _Matches().visit(tree)
    forget(tree)
    return tree


class _Matches(ast.NodeTransformer):
    """Rewrites `match` statements."""

    def visit_Match(self, node: ast.Match) -> Any:
        self.generic_visit(node)
        try:
            return _chain(node)
        except _Unsuitable:
            return node


def _chain(match: ast.Match) -> list[ast.stmt]:
    """Return the statements that a `match` stands for."""
    name = f" {match.lineno}:{match.col_offset}:matched"
    given = [match.subject]
    is_tuple = isinstance(match.subject, ast.Tuple)
    if isinstance(match.subject, ast.Tuple):
        given = match.subject.elts
        if any(isinstance(one, ast.Starred) for one in given):
            raise _Unsuitable
    names = [f"{name}.{k}" for k in range(len(given))]
    made: list[ast.stmt] = [
        assignment(to, value, value) for to, value in zip(names, given, strict=True)
    ]
    parts: _Parts = [ast.Name(to, ast.Load()) for to in names]
    subject = ast.Tuple(parts, ast.Load()) if is_tuple else parts[0]
    chain: list[ast.stmt] = []
    for case in reversed(match.cases):
        chain = _case(case, subject, chain)
    return [*made, *chain]


def _case(case: ast.match_case, subject: ast.expr, others: list[ast.stmt]) -> list[ast.stmt]:
    """Return the statements of a case. others: Those of the cases behind it."""
    place = case.body[0]
    tests, captures = _pattern(case.pattern, subject)
    named: list[ast.stmt] = [
        assignment(name, copy_of_all(value), case.pattern) for name, value in captures
    ]
    if case.guard is None:
        return _if(tests, [*named, *case.body], others, place)
    before = _if(tests, named, [], place) if named else []
    return [*before, *_if([*map(copy_of_all, tests), case.guard], case.body, others, place)]


def _if(
    tests: _Parts, body: list[ast.stmt], others: list[ast.stmt], place: ast.AST
) -> list[ast.stmt]:
    """Return an `if` that does one of two things; the first of them without a test."""
    if not tests:
        return body
    test = tests[0] if len(tests) == 1 else ast.BoolOp(ast.And(), tests)
    return [placed(ast.If(test, body, others), place)]


def _pattern(
    pattern: ast.pattern, subject: ast.expr
) -> tuple[_Parts, _Captures]:
    """Return the tests of a pattern, all of which it needs, and the names that it gives values."""
    match pattern:
        case ast.MatchValue(value):
            return [_compared(subject, ast.Eq(), value, pattern)], []
        case ast.MatchSingleton(value):
            return [_compared(subject, ast.Is(), ast.Constant(value), pattern)], []
        case ast.MatchAs(None, None):
            return [], []
        case ast.MatchAs(inner, str(name)):
            tests, captures = _pattern(inner, subject) if inner else ([], [])
            return tests, [*captures, (name, subject)]
        case ast.MatchOr(patterns):
            return _any_of([_pattern(one, subject) for one in patterns], pattern), []
        case ast.MatchSequence(patterns) if isinstance(subject, ast.Tuple):
            return _all_of(patterns, subject)
    raise _Unsuitable


def _compared(
    subject: ast.expr, operator: ast.cmpop, value: ast.expr, place: ast.AST
) -> ast.expr:
    if isinstance(subject, ast.Tuple):  # no list is equal to a tuple
        raise _Unsuitable
    return placed(ast.Compare(copy_of_all(subject), [operator], [value]), place)


def _any_of(
    found: list[tuple[_Parts, _Captures]], place: ast.AST
) -> _Parts:
    """Return the tests of several patterns, one of which is needed."""
    if any(captures for _, captures in found):
        raise _Unsuitable
    tests = [one for one, _ in found]
    if not all(tests):
        return []
    joined = [one[0] if len(one) == 1 else ast.BoolOp(ast.And(), one) for one in tests]
    return [placed(ast.BoolOp(ast.Or(), joined), place)]


def _all_of(
    patterns: list[ast.pattern], subject: ast.Tuple
) -> tuple[_Parts, _Captures]:
    """Return the tests of a sequence's patterns, and their names."""
    if any(isinstance(one, ast.MatchStar) for one in patterns):
        raise _Unsuitable
    if len(patterns) != len(subject.elts):
        return [ast.Constant(False)], []
    pairs = [_pattern(*one) for one in zip(patterns, subject.elts, strict=True)]
    tests = [test for some, _ in pairs for test in some]
    return tests, [capture for _, some in pairs for capture in some]
