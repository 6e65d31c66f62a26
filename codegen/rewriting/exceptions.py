"""Writes what the handler of an exception does where the exception is raised.

    try:                                       for row in grid:
        for row in grid:                           if row[0]:
            if row[0]:                                 found = row
                raise StopIteration(row)               return found
        found = []                             found = []
    except StopIteration as stop:              return found
        found = stop.args[0]
    return found

Nothing else may raise the exception. The source does the same as before.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from typing import Any

from megabatt.codegen.analysis.names import bound_in
from megabatt.codegen.analysis.nodes import (
    assignment,
    copy_of_all,
    forget,
    is_call_of,
    nodes_in,
    nodes_of_scope,
    placed,
)

_STOP = "StopIteration"
_MOST_STATEMENTS = 8
"""The most statements to repeat where an exception is raised."""
_SIMPLE = ast.Assign | ast.AugAssign | ast.Expr | ast.Return | ast.Pass


def without_exceptions(tree: ast.Module) -> ast.Module:
    """Return a source without the `try` statements that can be rewritten. May change `tree`."""
    if not nodes_in(tree, ast.Try):
        return tree
    own = {_STOP} - set(bound_in(tree))
    based = {made.name: [*map(ast.unparse, made.bases)] for made in nodes_in(tree, ast.ClassDef)}
    own |= {name for name, bases in based.items() if bases == ["Exception"]}
    own -= {base for bases in based.values() for base in bases}
    for function in list(nodes_in(tree, ast.FunctionDef)):
        for k, statement in enumerate(function.body):
            if isinstance(statement, ast.Try):
                lines = _without_try(statement, function.body[k + 1 :], tree, own)
                if lines is not None:
                    function.body[k:] = lines
                    forget(tree)
                break
    return tree


def _without_try(
    statement: ast.Try, rest: list[ast.stmt], tree: ast.Module, own: set[str]
) -> list[ast.stmt] | None:
    """Return statements that do the same as `try` and the rest of a function; None if none do.

    own: The exceptions that only `raise` raises, and `next`, and that no others are based on.
    """
    match statement:
        case ast.Try(body, [ast.ExceptHandler(ast.Name(kind), name, handled)], [], []) if (
            kind in own
        ):
            pass
        case _:
            return None
    behind = [*handled, *rest]
    raised = _raised_in(statement, kind)
    caught = {part for other in nodes_in(tree, ast.Try) for part in _raised_in(other, kind)}
    everywhere = {part for part in nodes_in(tree, ast.Raise) if _raised(part) == kind}
    if not raised or not everywhere <= caught or len(behind) > _MOST_STATEMENTS:
        return None
    if any(nodes_in(line, ast.Try) for line in body):
        return None
    if not all(isinstance(line, _SIMPLE) for line in behind):
        return None
    nexts = [call for call in nodes_in(tree, ast.Call) if is_call_of("next", call)]
    if kind == _STOP and any(len(call.args) == 1 for call in nexts):
        if not any(_is_argument(name, part) for part in nodes_in(handled[0], ast.Subscript)):
            return None  # where `next` raises it, the handler would not fail
    writer = _Raises(raised, name, behind)
    made = _flat(map(writer.visit, body))
    return None if writer.is_wrong else [*made, *rest]


def _raised_in(statement: ast.Try, kind: str) -> list[ast.AST]:
    """List the `raise` statements of an exception that a `try` itself handles."""
    if [getattr(handler.type, "id", "") for handler in statement.handlers] != [kind]:
        return []
    own = [line for line in statement.body if not isinstance(line, ast.FunctionDef)]
    parts = (part for line in own for part in nodes_of_scope(line))
    return [part for part in parts if _raised(part) == kind]


def _raised(node: ast.AST) -> str:
    """Return the name of the exception that a node raises; "" if it raises none."""
    match node:
        case ast.Raise(ast.Name(name) | ast.Call(ast.Name(name)), None):
            return name
    return ""


def _is_argument(name: str | None, node: ast.AST) -> bool:
    """Tell whether a node reads an argument of an exception, as `name.args[0]` does."""
    match node:
        case ast.Subscript(ast.Attribute(ast.Name(read), "args"), ast.Constant(int())):
            return read == name
    return False


def _flat(parts: Iterable[Any]) -> list[ast.stmt]:
    return [line for part in parts for line in (part if isinstance(part, list) else [part])]


class _Raises(ast.NodeTransformer):
    """Puts what is done behind `raise` statements in their place.

    name: The name of the exception in its handler, if it has one. behind: The statements of the
    handler, and those behind it. is_wrong: Whether one of these statements does something else with
    the exception than read its arguments.
    """

    def __init__(
        self, raised: Sequence[ast.AST], name: str | None, behind: Sequence[ast.stmt]
    ) -> None:
        self.is_wrong = False
        self._raised = raised
        self._name = name
        self._behind = behind

    def visit_Raise(self, node: ast.Raise) -> Any:
        if node not in self._raised:
            return node
        given = node.exc.args if isinstance(node.exc, ast.Call) else []
        if getattr(node.exc, "keywords", []) or any(isinstance(a, ast.Starred) for a in given):
            self.is_wrong = True
        made: list[ast.stmt] = []
        if len(given) != 1 or not self._begins_with_argument():
            names = [f" raised:{k}" for k in range(len(given))]
            made += [assignment(to, part, part) for to, part in zip(names, given, strict=True)]
            given = [ast.Name(name, ast.Load()) for name in names]
        handler = _Handler(self._name, given)
        for line in self._behind:
            made.append(handler.visit(copy_of_all(line)))
            self.is_wrong |= any(name.id == self._name for name in nodes_in(made[-1], ast.Name))
        if not isinstance(made[-1], ast.Return):
            made.append(placed(ast.Return(None), node))
        return made

    def _begins_with_argument(self) -> bool:
        """Tell whether the handler begins with the one read of an argument, as `x = e.args[0]`."""
        parts = [part for line in self._behind for part in nodes_in(line, ast.Subscript)]
        reads = [part for part in parts if _is_argument(self._name, part)]
        return len(reads) == 1 and getattr(self._behind[0], "value", None) is reads[0]

    def _as_it_is(self, node: ast.AST) -> ast.AST:
        return node

    visit_FunctionDef = visit_Lambda = _as_it_is


class _Handler(ast.NodeTransformer):
    """Writes `stop.args[0]` as the argument that the exception is raised with.

    name: The name of the exception, if it has one. given: Its arguments.
    """

    def __init__(self, name: str | None, given: Sequence[ast.expr]) -> None:
        self._name = name
        self._given = given

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        place = getattr(node.slice, "value", -1)
        if _is_argument(self._name, node) and place in range(len(self._given)):
            return placed(copy_of_all(self._given[place]), node)
        self.generic_visit(node)
        return node
