"""Computes what a source does with constant texts, as `PATTERN.split()` and `"N" + "W"`.

    ROWS = "010 111"                              ROWS = "010 111"
    [[int(v) for v in r] for r in ROWS.split()]   [[int(v) for v in r] for r in ["010", "111"]]

A comprehension over constant texts of which it calls methods is written out, element by element.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from itertools import chain
from typing import Any

from megabatt.codegen.analysis.liveness import loads
from megabatt.codegen.analysis.names import bound_in
from megabatt.codegen.analysis.nodes import copy_of_all, forget, nodes_in, placed
from megabatt.codegen.analysis.texts import METHODS, NOTHING, computed

_FUNCTIONS = {"int": int, "len": len, "ord": ord}


class _NotConstant(Exception):
    """Raised for a test whose value is not constant."""


def with_texts_computed(tree: ast.Module) -> ast.Module:
    """Return a source whose constant texts are computed with. May change `tree`."""
    if any(isinstance(part.value, str) for part in nodes_in(tree, ast.Constant)):
        rewriter = _Rewriter(tree)
        rewriter.visit(tree)
        if rewriter.changes:
            forget(tree)
    return tree


class _Rewriter(ast.NodeTransformer):
    """Puts constants in place of what a source computes of constant texts."""

    def __init__(self, tree: ast.Module) -> None:
        self.changes = False
        self._bound = Counter(bound_in(tree))
        self._texts: dict[str, str] = {}
        for statement in [*nodes_in(tree, ast.Assign), *nodes_in(tree, ast.AnnAssign)]:
            self._note(statement)

    def _note(self, statement: ast.stmt) -> None:
        """Note a name that is always the same text."""
        match statement:
            case (
                ast.Assign([ast.Name(name)], ast.Constant(str() as text))
                | ast.AnnAssign(ast.Name(name), _, ast.Constant(str() as text))
            ) if self._bound[name] == 1:
                self._texts[name] = text

    def visit_Assign(self, node: ast.Assign) -> ast.Assign:
        self.generic_visit(node)
        self._note(node)
        return node

    def visit_ListComp(self, node: ast.ListComp) -> ast.expr:
        self.generic_visit(node)
        match node.generators:
            case [ast.comprehension(ast.Name(name), over, tests)]:
                texts = self._constant(over)
                if isinstance(texts, list) and _calls_methods_of(name, [node.elt, *tests]):
                    with suppress(_NotConstant):
                        rounds = (self._round(name, text, node.elt, tests) for text in texts)
                        made = ast.List(list(chain.from_iterable(rounds)), ast.Load())
                        return self._changed(made, node)
        return node

    def _round(
        self, name: str, text: str, element: ast.expr, tests: list[ast.expr]
    ) -> list[ast.expr]:
        """List what a comprehension gives for one text. Raises _NotConstant for its tests."""
        parts = [_Named(name, text).visit(copy_of_all(part)) for part in (*tests, element)]
        *found, made = map(self.visit, parts)
        values = list(map(self._constant, found))
        if NOTHING in values:
            raise _NotConstant
        return [made] if all(values) else []

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        given = list(map(self._constant, node.args))
        match node.func:
            case ast.Attribute(owner, method) if method in METHODS and not node.keywords:
                text = self._constant(owner)
                if isinstance(text, str):
                    return self._computed(node, getattr(text, method), given)
            case ast.Name(name) if name in _FUNCTIONS and not self._bound[name]:
                if [one.__class__ for one in given] == [str] and not node.keywords:
                    return self._computed(node, _FUNCTIONS[name], given)
        return node

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        self.generic_visit(node)
        left, right = self._constant(node.left), self._constant(node.right)
        match node.op, left, right:
            case (ast.Add(), str(), str()) | (ast.Mult(), str(), int()):
                method = left.__add__ if isinstance(right, str) else left.__mul__
                return self._computed(node, method, [right])
        return node

    def _computed(self, node: ast.expr, function: Any, given: list[Any]) -> ast.expr:
        """Return the constant that a function gives; the node itself if there is none."""
        made = computed(function, given)
        if made is NOTHING:
            return node
        if isinstance(made, str | int):
            return self._changed(ast.Constant(made), node)
        kind = ast.List if isinstance(made, list) else ast.Tuple
        return self._changed(kind(list(map(ast.Constant, made)), ast.Load()), node)

    def _changed(self, made: ast.expr, node: ast.expr) -> ast.expr:
        self.changes = True
        return placed(made, node)

    def _constant(self, node: ast.expr) -> Any:
        """Return a text, an integer or a list of texts; `NOTHING` for what is not constant."""
        match node:
            case ast.Constant(str() | int() as value):
                return value
            case ast.Name(name):
                return self._texts.get(name, NOTHING)
            case ast.List(parts) | ast.Tuple(parts):
                texts = list(map(self._constant, parts))
                return texts if all(isinstance(one, str) for one in texts) else NOTHING
        return NOTHING


class _Named(ast.NodeTransformer):
    """Puts a text in place of a name."""

    def __init__(self, name: str, text: str) -> None:
        self._name = name
        self._text = text

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return placed(ast.Constant(self._text), node) if node.id == self._name else node


def _calls_methods_of(name: str, parts: Sequence[ast.expr]) -> bool:
    """Tell whether expressions call a method of text of a name, which they do not bind.

    No lambda in them may read the name, as it reads the last text of all when it is called.
    """
    calls = [call.func for part in parts for call in nodes_in(part, ast.Call)]
    owners = {
        function.value.id
        for function in calls
        if isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name)
        if function.attr in METHODS
    }
    later = {one for part in parts for made in nodes_in(part, ast.Lambda) for one in loads(made)}
    return name in owners - later and not any(name in bound_in(part) for part in parts)
