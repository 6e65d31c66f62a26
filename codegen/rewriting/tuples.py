"""Writes assignments of tuples as assignments of their elements, so that no tuple is made.

    side, end = ("N", top) if a else ("S", low)       if a:
                                                          side, end = "N", top
                                                      else:
                                                          side, end = "S", low
    rows, last = [], None                             rows = []
                                                      last = None
"""

from __future__ import annotations

import ast

from megabatt.codegen.analysis.nodes import copy_of_all, forget, placed


def with_tuples_apart(tree: ast.Module) -> ast.Module:
    """Return a source without assignments of one of two tuples, or of constants to names.

    May change `tree`.
    """
    rewriter = _Rewriter()
    rewriter.visit(tree)
    if rewriter.changes:
        forget(tree)
    return tree


class _Rewriter(ast.NodeTransformer):
    def __init__(self) -> None:
        self.changes = False

    def visit_Assign(self, node: ast.Assign) -> ast.stmt | list[ast.stmt]:
        match node:
            case ast.Assign([ast.Tuple(parts) as target], ast.IfExp() as choice) if not any(
                isinstance(part, ast.Starred) for part in parts
            ) and _are_tuples(choice, len(parts)):
                self.changes = True
                return _chosen(target, choice, node)
            case ast.Assign([ast.Tuple(parts)], ast.Tuple(values)) if (
                len(parts) == len(values)
                and all(isinstance(part, ast.Name) for part in parts)
                and all(map(_is_constant, values))
            ):
                self.changes = True
                pairs = zip(parts, values, strict=True)
                return [placed(ast.Assign([part], value), node) for part, value in pairs]
        return node


def _is_constant(node: ast.expr) -> bool:
    """Tell whether a node is a constant, or an empty list or dictionary."""
    match node:
        case ast.Constant() | ast.List([]) | ast.Dict([]) | ast.UnaryOp(operand=ast.Constant()):
            return True
    return False


def _are_tuples(node: ast.expr, count: int) -> bool:
    """Tell whether a node is one of several tuples of `count` elements, all written out."""
    match node:
        case ast.IfExp(body=one, orelse=other):
            return _are_tuples(one, count) and _are_tuples(other, count)
        case ast.Tuple(parts):
            is_starred = any(isinstance(part, ast.Starred) for part in parts)
            return len(parts) == count and not is_starred
    return False


def _chosen(target: ast.expr, value: ast.expr, place: ast.Assign) -> ast.stmt:
    if not isinstance(value, ast.IfExp):
        return placed(ast.Assign([copy_of_all(target)], value), place)
    sides = ([_chosen(target, side, place)] for side in (value.body, value.orelse))
    return placed(ast.If(value.test, *sides), place)
