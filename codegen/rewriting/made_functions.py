"""Defines a program that a call makes: `solve = compose(turned, cut)` as a function of a grid.

    solve = compose(turned, cut)               def solve(grid):
                                                   return compose(turned, cut)(grid)

The function does the same when it is called for the first time.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable
from typing import Any

from megabatt.codegen.analysis.names import assigned_by, bound_in, named_in
from megabatt.codegen.analysis.nodes import as_function, forget, functions_within, nodes_in, placed

_GRID = " grid"


def with_made_functions(tree: ast.Module, is_program: Callable[[str], Any]) -> ast.Module:
    """Return a source that defines such programs. May change `tree`.

    is_program: Tells whether a function with this name is a program.
    """
    bound = Counter(bound_in(tree))
    values = Counter(name for part in tree.body for name in assigned_by(part))
    made = [part for part in tree.body if isinstance(part, ast.Assign) and _makes(part, tree)]
    for part in made:
        name = part.targets[0].id  # type: ignore[attr-defined]
        are_fixed = all(values[read] < 2 for read in named_in(part.value))
        if is_program(name) and bound[name] == 1 and are_fixed and _is_only_called(name, tree):
            tree.body[tree.body.index(part)] = _definition(name, part.value)
            forget(tree)
    return tree


def _makes(statement: ast.Assign, tree: ast.Module) -> bool:
    """Tell whether a statement names what a function returns that may make functions."""
    match statement:
        case ast.Assign([ast.Name()], ast.Call(ast.Name(called))):
            defined = (as_function(part) for part in tree.body)
            return any(
                isinstance(one, ast.FunctionDef) and one.name == called and functions_within(one)
                for one in defined
            )
    return False


def _is_only_called(name: str, tree: ast.Module) -> bool:
    called = [call.func for call in nodes_in(tree, ast.Call)]
    reads = [one for one in nodes_in(tree, ast.Name) if one.id == name]
    return all(one in called or isinstance(one.ctx, ast.Store) for one in reads)


def _definition(name: str, value: ast.expr) -> ast.FunctionDef:
    """Return a function that calls a value with a grid."""
    taken = ast.arguments([], [ast.arg(_GRID)], None, [], [], None, [])
    call = ast.Call(value, [ast.Name(_GRID, ast.Load())], [])
    return placed(ast.FunctionDef(name, taken, [ast.Return(call)], []), value)
