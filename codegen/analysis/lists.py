"""Tells which names only ever are lists, or lists of lists, and never dictionaries."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from megabatt.codegen.analysis.ownership import assigned_to, call_of_change, indices_of
from megabatt.codegen.analysis.scopes import (
    assigned_in,
    named_in,
    names_in,
    nodes_in,
    own_statements,
)

_GRID = 2
_MOST = 9


def levels_of_lists(function: ast.FunctionDef, tree: ast.Module) -> dict[str, int]:
    """Return how many outer levels of their values are lists, for names of a function.

    A name is missing if it may be something else. The one parameter, without a default, of a
    function that no other function calls is a grid: a list of lists.
    """
    statements = own_statements(function)
    values = {name: list(assigned_to(name, statements)) for name in assigned_in(function.body)}
    given = dict.fromkeys(_grids(function, tree), _GRID)
    levels = dict.fromkeys(values, _MOST) | given
    for _ in range(_MOST):
        before = dict(levels)
        for name, bound in values.items():
            found = min((_levels(value, before) for value in bound), default=0)
            levels[name] = min(found, given.get(name, _MOST))
        if levels == before:
            break
    for name in _with_other_elements(function, levels):
        levels[name] = min(levels[name], 1)
    return {name: count for name, count in levels.items() if 0 < count < _MOST}


def _grids(function: ast.FunctionDef, tree: ast.Module) -> list[str]:
    parameters = [*function.args.posonlyargs, *function.args.args]
    if len(parameters) - len(function.args.defaults) != 1 or function not in tree.body:
        return []
    is_called = any(function.name in named_in(one) for one in nodes_in(tree, ast.FunctionDef))
    return [] if is_called else [parameters[0].arg]


def _levels(value: ast.expr | None, known: Mapping[str, int]) -> int:
    """Return how many outer levels of an expression's value certainly are lists."""
    match value:
        case ast.Name(name):
            return known.get(name, 0)
        case ast.List(elts=parts):
            return 1 + min((_levels(part, known) for part in parts), default=0)
        case ast.ListComp(element, generators):
            inside = dict(known)
            for part in generators:
                of_elements = max(_levels(part.iter, inside) - 1, 0)
                inside |= dict.fromkeys(names_in(part.target), 0)
                if isinstance(part.target, ast.Name):
                    inside[part.target.id] = of_elements
            return 1 + _levels(element, inside)
        case ast.BinOp(left, ast.Mult()):
            return _levels(left, known)
        case ast.BinOp(left, ast.Add(), right):
            sides = _levels(left, known), _levels(right, known)
            return max(min(sides), int(any(sides)))
        case ast.Call(ast.Name("list" | "sorted"), [ast.Call(ast.Name("map"), [made, _])]):
            return 1 + (isinstance(made, ast.Name) and made.id in ("list", "sorted"))
        case ast.Call(ast.Name("list" | "sorted"), [inner, *_]):
            return max(_levels(inner, known), 1)
        case ast.Call(ast.Name("deepcopy") | ast.Attribute(attr="deepcopy"), [copied]):
            return _levels(copied, known)
        case ast.Call(ast.Attribute(copied, "copy"), []) | ast.Subscript(copied, ast.Slice()):
            return _levels(copied, known)
        case ast.Subscript(container):
            return max(_levels(container, known) - 1, 0)
    return 0


def _with_other_elements(function: ast.FunctionDef, known: Mapping[str, int]) -> set[str]:
    """Return the names of lists that may get elements which are no lists."""
    found = set()
    for assignment in nodes_in(function, ast.Assign):
        for target in assignment.targets:
            owner, indices = indices_of(target)
            if len(indices) == 1 and isinstance(owner, ast.Name):
                if not _levels(assignment.value, known):
                    found.add(owner.id)
    for call in nodes_in(function, ast.Call):
        changed = call_of_change(call)
        if changed and call.args and isinstance(call.func.value, ast.Name):  # type: ignore[attr-defined]
            if not _levels(call.args[-1], known):
                found.add(changed[0])
    return found & known.keys()
