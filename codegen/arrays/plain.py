"""Leaves out what functions that get no arrays ask of NumPy.

    if isinstance(grid, np.ndarray):                   cells = [v for row in grid for v in row]
        cells = grid.flatten().tolist()
    else:
        cells = [v for row in grid for v in row]
"""

from __future__ import annotations

import ast
from collections.abc import Set
from typing import Any

from megabatt.codegen.analysis.names import named_in
from megabatt.codegen.analysis.nodes import copy_of_all, is_call_of, nodes_in, placed


def without_questions(function: ast.FunctionDef, numpy: Set[str]) -> ast.FunctionDef:
    """Return a function as it is where no value is of a class of NumPy's.

    numpy: The names of NumPy and of what is imported from it.
    """
    calls = [call for call in nodes_in(function, ast.Call) if is_call_of("isinstance", call)]
    if not any(named_in(call) & numpy for call in calls):
        return function
    return _Answers(numpy).visit(copy_of_all(function))  # type: ignore[no-any-return]


class _Answers(ast.NodeTransformer):
    """Writes what is certain in place of tests."""

    def __init__(self, numpy: Set[str]) -> None:
        self._numpy = numpy

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        match node:
            case ast.Call(ast.Name("isinstance"), [ast.Name(), classes], []):
                parts = classes.elts if isinstance(classes, ast.Tuple) else [classes]
                others = [part for part in parts if not named_in(part) & self._numpy]
                if not others:
                    return placed(ast.Constant(False), node)
                if len(others) < len(parts):
                    node.args[1] = placed(ast.Tuple(others, ast.Load()), classes)
        return node

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.expr:
        self.generic_visit(node)
        truth = _truth(node.operand)
        is_known = truth is not None and isinstance(node.op, ast.Not)
        return placed(ast.Constant(not truth), node) if is_known else node

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.expr:
        self.generic_visit(node)
        decides = isinstance(node.op, ast.Or)
        first, *others = node.values
        while others and _truth(first) is (not decides):
            first, *others = others
        node.values = [first, *others]
        return first if not others or _truth(first) is decides else node

    def visit_If(self, node: ast.If) -> Any:
        self.generic_visit(node)
        truth = _truth(node.test)
        if truth is None:
            return node
        return (node.body if truth else node.orelse) or placed(ast.Pass(), node)

    def visit_IfExp(self, node: ast.IfExp) -> ast.expr:
        self.generic_visit(node)
        truth = _truth(node.test)
        return node if truth is None else node.body if truth else node.orelse


def _truth(test: ast.expr) -> bool | None:
    """Return what a constant test gives; None for others."""
    return test.value if isinstance(test, ast.Constant) and test.value.__class__ is bool else None
