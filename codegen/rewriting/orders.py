"""Marks calls of `max` and `min` whose values are certain to be numbers.

Such is `min(box[0], i)` where `i` is a number: Python orders no list or tuple beside one. So the
value holds nothing of `box`.
"""

from __future__ import annotations

import ast

from megabatt.codegen.analysis.names import bound_in, names_shared_in
from megabatt.codegen.analysis.nodes import nodes_in
from megabatt.codegen.analysis.ownership import assigned_to, mark_number, numbers_in

_READ = {"enumerate", "len", "max", "min", "range", "zip"}


def with_orders_marked(tree: ast.Module) -> ast.Module:
    """Return a source in which such calls are marked. Changes `tree`."""
    if not _READ.isdisjoint(bound_in(tree)):
        return tree
    shared = names_shared_in(tree)
    for function in nodes_in(tree, ast.FunctionDef):
        numbers = _Numbers(function)
        for call in nodes_in(function, ast.Call):
            named = {name.id for name in nodes_in(call, ast.Name)}
            if shared.isdisjoint(named) and numbers.includes(call):
                mark_number(call)
    return tree


class _Numbers:
    """The names of a function that only ever are numbers, by what it assigns to each name."""

    def __init__(self, function: ast.FunctionDef) -> None:
        self._function = function
        self._loops: dict[str, int] = {}
        """How often loops bind each name to a number."""
        loops: list[ast.For | ast.comprehension] = [*nodes_in(function, ast.For)]
        for loop in (*loops, *nodes_in(function, ast.comprehension)):
            found = numbers_in(loop)
            match loop:
                case ast.For(ast.Name(name), over) | ast.comprehension(ast.Name(name), over):
                    if isinstance(over, ast.Call) and getattr(over.func, "id", "") == "range":
                        found = {name}
            for name in found:
                self._loops[name] = self._loops.get(name, 0) + 1
        self._known: dict[str, bool] = {}

    def includes(self, node: ast.expr | None) -> bool:
        """Tell whether an expression is certain to be a number, if Python computes it."""
        match node:
            case ast.Call(ast.Name("max" | "min"), [_, _, *_] as given, []):
                return any(map(self.includes, given))
            case ast.Call(ast.Name("len")):
                return True
            case ast.BinOp(left, ast.Add() | ast.Sub(), right):
                return self.includes(left) or self.includes(right)
            case ast.Name(name):
                return self._is_number(name)
            case ast.UnaryOp(ast.USub(), operand):
                return self.includes(operand)
        return isinstance(node, ast.Constant) and isinstance(node.value, int | float)

    def _is_number(self, name: str) -> bool:
        if name not in self._known:
            self._known[name] = False  # what it is made of alone is nothing
            values = list(assigned_to(name, [self._function]))
            unknown = [value for value in values if not self.includes(value)]
            self._known[name] = bool(values) and unknown == [None] * self._loops.get(name, 0)
        return self._known[name]
