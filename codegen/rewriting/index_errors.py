"""Writes `try` around a line that may read behind a list's end as a test of the places.

    try:                                       if -len(grid) <= r < len(grid):
        v = grid[r]                                v = grid[r]
    except IndexError:                         else:
        v = 0                                      v = 0

The line reads elements of lists at places that are names, numbers and their sums, and does nothing
else that may raise the exception. Before it may stand `if r < 0: raise IndexError`. The source does
the same as before.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

from megabatt.codegen.analysis.names import bound_in, may_have_reals, names_of, names_shared_in
from megabatt.codegen.analysis.nodes import copy_of_all, forget, nodes_in, placed
from megabatt.codegen.analysis.ownership import assigned_to, call_of_change, indices_of

_ERRORS = {"IndexError", "LookupError"}
_OF_PLACES = (
    ast.Add, ast.BinOp, ast.Constant, ast.FloorDiv, ast.Load, ast.Mod, ast.Mult, ast.Name, ast.Sub,
    ast.USub, ast.UnaryOp,
)  # fmt: skip
"""The nodes of a place."""


class _Unsuitable(Exception):
    """Raised for a `try` that is not rewritten."""


def without_index_errors(tree: ast.Module, is_program: Callable[[str], Any]) -> ast.Module:
    """Return a source without such `try` statements. May change `tree`.

    is_program: Tells whether a function with this name is a program, which is given a grid.
    """
    if not nodes_in(tree, ast.Try) or may_have_reals(tree):  # a Real is no place
        return tree
    if not {*_ERRORS, "len"}.isdisjoint(bound_in(tree)):
        return tree
    for part in tree.body:
        if isinstance(part, ast.FunctionDef):
            _rewrite(part, {}, bool(is_program(part.name)))
    forget(tree)
    return tree


def _rewrite(function: ast.FunctionDef, outer: Mapping[str, int], is_program: bool) -> None:
    """Rewrite a function and those in it. outer: The lists around it."""
    lists = {name: levels for name, levels in outer.items() if name not in names_of(function)}
    if not names_shared_in(function):
        lists |= _lists_in(function, is_program)
    for inner in nodes_in(function, ast.FunctionDef):
        if inner is not function:
            _rewrite(inner, lists, False)
    _Tests(lists).generic_visit(function)


def _lists_in(function: ast.FunctionDef, is_program: bool) -> dict[str, int]:
    """Return the names that a function binds to lists alone, with their levels."""
    bound = Counter(bound_in(function))
    found: dict[str, int] = {}
    taken = [part.arg for part in function.args.args]
    if is_program and len(taken) == 1 and bound[taken[0]] == 1:
        found[taken[0]] = 2
    for name, times in bound.items():
        values = list(assigned_to(name, [function]))
        levels = min((_levels(value, found) for value in values), default=0)
        if levels and len(values) == times:
            found[name] = levels
    changes = map(call_of_change, nodes_in(function, ast.Call))
    flat = {change[0] for change in changes if change}
    for part in nodes_in(function, ast.Subscript):
        if not isinstance(part.ctx, ast.Load):
            flat.add(getattr(part.value, "id", ""))  # it may get elements of another kind
    return {name: 1 if name in flat else levels for name, levels in found.items()}


def _levels(value: ast.expr | None, known: Mapping[str, int]) -> int:
    """Return how many levels of an expression's value are certain to be lists."""
    match value:
        case ast.ListComp(element):
            return 1 + _levels(element, known)
        case ast.List([]) | ast.Call(ast.Name("list" | "sorted")):
            return 1
        case ast.List(elements):
            return 1 + min(_levels(one, known) for one in elements)
        case ast.BinOp(ast.List() as repeated, ast.Mult()):
            return _levels(repeated, known)
        case ast.Call(ast.Attribute(ast.Name(name), "copy")):
            return known.get(name, 0)
        case ast.Subscript(owner, ast.Slice()):
            return max(known.get(getattr(owner, "id", ""), 0), 1)
    return 0


class _Tests(ast.NodeTransformer):
    """Writes `try` as tests. lists: The names of lists, with their levels."""

    def __init__(self, lists: Mapping[str, int]) -> None:
        self._lists = lists

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        return node

    def visit_Try(self, node: ast.Try) -> ast.stmt:
        self.generic_visit(node)
        match node:
            case ast.Try([*raising, line], [ast.ExceptHandler(kind, None, handled)], [], []) if (
                _is_of_index(kind)
            ):
                try:
                    tests = [test for one in raising for test in self._tests_of_raise(one)]
                    tests += [test for part in _read_by(line) for test in self._tests(part)]
                except _Unsuitable:
                    return node
                if tests:
                    return placed(ast.If(_both(*tests), [line], handled), node)
        return node

    def _tests_of_raise(self, line: ast.stmt) -> list[ast.expr]:
        """Do `_tests` for `if ...: raise IndexError`."""
        match line:
            case ast.If(test, [ast.Raise(raised, None)], []) if _is_index_error(raised):
                return [*self._tests(test), ast.UnaryOp(ast.Not(), test)]
        raise _Unsuitable

    def _tests(self, node: ast.AST) -> list[ast.expr]:
        """Return tests, all of which are true if an expression does not raise the exception."""
        match node:
            case ast.Name() | ast.Constant() | None:
                return []
            case ast.BoolOp(op, [first, *others]) if others:
                rest = others[0] if len(others) == 1 else placed(ast.BoolOp(op, others), node)
                behind = self._tests(rest)
                if behind:
                    skipped = copy_of_all(first)
                    if isinstance(op, ast.And):
                        skipped = ast.UnaryOp(ast.Not(), skipped)
                    behind = [ast.BoolOp(ast.Or(), [skipped, _both(*behind)])]
                return [*self._tests(first), *behind]
            case ast.Compare(left, [_], [right]) | ast.BinOp(left, _, right):
                return [*self._tests(left), *self._tests(right)]
            case ast.UnaryOp(operand=operand):
                return self._tests(operand)
            case ast.Tuple(parts) | ast.Call(ast.Name("abs" | "len"), parts, []):
                return [test for part in parts for test in self._tests(part)]
            case ast.Subscript(value, index):
                return [*self._tests(value), self._test_of_place(value, index)]
        raise _Unsuitable

    def _test_of_place(self, owner: ast.expr, index: ast.expr) -> ast.expr:
        """Return the test whether a list has a place."""
        name, places = indices_of(owner)
        parts = [part for place in (*places, index) for part in ast.walk(place)]
        if self._lists.get(getattr(name, "id", ""), 0) <= len(places) or not all(
            isinstance(part, _OF_PLACES) for part in parts
        ):
            raise _Unsuitable
        read = copy_of_all(owner)
        for part in ast.walk(read):
            if isinstance(part, ast.Name | ast.Subscript):
                part.ctx = ast.Load()
        size = ast.Call(ast.Name("len", ast.Load()), [read], [])
        least = ast.UnaryOp(ast.USub(), copy_of_all(size))
        return ast.Compare(least, [ast.LtE(), ast.Lt()], [copy_of_all(index), size])


def _both(*tests: ast.expr) -> ast.expr:
    return tests[0] if len(tests) == 1 else ast.BoolOp(ast.And(), [*tests])


def _is_of_index(kind: ast.expr | None) -> bool:
    """Tell whether a handler is for the exception of a list without a place."""
    kinds = kind.elts if isinstance(kind, ast.Tuple) else [kind]
    names = {getattr(one, "id", "") for one in kinds}
    return not names.isdisjoint(_ERRORS) and names <= {*_ERRORS, "KeyError"}


def _is_index_error(raised: ast.expr | None) -> bool:
    """Tell whether an exception is an IndexError, with arguments that do nothing."""
    acting = ast.Call | ast.NamedExpr
    parts = [part for part in ast.walk(raised or ast.Pass()) if isinstance(part, acting)]
    function = raised.func if isinstance(raised, ast.Call) else raised
    return getattr(function, "id", "") == "IndexError" and all(one is raised for one in parts)


def _read_by(line: ast.stmt) -> list[ast.expr]:
    """Return what a line computes, in order; it does nothing else that may raise the exception."""
    match line:
        case ast.Assign([ast.Name()], value) | ast.Return(ast.expr() as value):
            return [value]
        case ast.Assign([ast.Tuple(names)], ast.Tuple(values)) if len(names) == len(values) and (
            all(isinstance(name, ast.Name) for name in names)
        ):
            return values
        case ast.AugAssign(ast.Name(), ast.Add() | ast.Sub(), value):
            return [value]
        case ast.Assign([ast.Subscript() as target], value):
            return [value, target]
        case ast.Expr(ast.Call(ast.Attribute(ast.Name(), "append" | "add"), [value], [])):
            return [value]
        case ast.If(test, body, orelse) if all(map(_is_harmless, (*body, *orelse))):
            return [test]
    raise _Unsuitable


def _is_harmless(line: ast.stmt) -> bool:
    """Tell whether a line raises no exception."""
    match line:
        case ast.Assign([ast.Name()], ast.Constant()) | ast.Return(None | ast.Constant()):
            return True
    return isinstance(line, ast.Break | ast.Continue | ast.Pass)
