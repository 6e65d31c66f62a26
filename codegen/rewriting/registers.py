"""Writes the functions that a decorator puts into a list as that list.

    RULES = []                                 def turned(grid):
    def rule(function):                            return grid[::-1]
        RULES.append(function)                 RULES = [turned]
        return function
    @rule
    def turned(grid):
        return grid[::-1]

The source does the same as before.
"""

from __future__ import annotations

import ast
from collections import Counter

from megabatt.codegen.analysis.names import bound_in, named_in
from megabatt.codegen.analysis.nodes import assignment, forget, nodes_in
from megabatt.codegen.analysis.ownership import names_changed_in


def without_registers(tree: ast.Module) -> ast.Module:
    """Return a source without such decorators. May change `tree`."""
    if not any(one.decorator_list for one in nodes_in(tree, ast.FunctionDef)):
        return tree
    bound = Counter(bound_in(tree))
    for register in [part for part in tree.body if isinstance(part, ast.FunctionDef)]:
        name = _registered_by(register)
        if name and bound[name] == bound[register.name] == 1:
            _write(tree, register, name)
    return tree


def _registered_by(function: ast.FunctionDef) -> str:
    """Return the list to which a decorator appends a function, and does no more; else ""."""
    body = [line for line in function.body if not _is_text(line)]
    match function.args, body:
        case ast.arguments([], [taken], None, [], [], None, []), [
            ast.Expr(ast.Call(ast.Attribute(ast.Name(name), "append"), [ast.Name(given)], [])),
            ast.Return(ast.Name(returned)),
        ] if given == returned == taken.arg != name and not function.decorator_list:
            return name
    return ""


def _is_text(line: ast.stmt) -> bool:
    return isinstance(line, ast.Expr) and isinstance(line.value, ast.Constant)


def _write(tree: ast.Module, register: ast.FunctionDef, name: str) -> None:
    """Write the list with the functions that a decorator puts into it, if nothing else does."""
    bound = Counter(bound_in(tree))
    made = [part for part in tree.body if _is_empty_list(part, name)]
    functions = [
        part for part in tree.body
        if isinstance(part, ast.FunctionDef) and bound[part.name] == 1
        and list(map(_name, part.decorator_list)) == [register.name]
    ]  # fmt: skip
    reads = [one for one in nodes_in(tree, ast.Name) if one.id == register.name]
    if len(made) != 1 or not functions or len(reads) > len(functions):
        return
    others = [part for part in tree.body if part not in (register, *made)]
    early = others[: others.index(functions[-1])]
    values = [part for part in early if not isinstance(part, ast.FunctionDef)]
    if any(name in names_changed_in(part) for part in others) or any(
        name in named_in(part) for part in values
    ):
        return
    for function in functions:
        function.decorator_list = []
    listed = ast.List([ast.Name(one.name, ast.Load()) for one in functions], ast.Load())
    others.insert(len(early) + 1, assignment(name, listed, functions[-1].body[-1]))
    tree.body = others
    forget(tree)


def _name(node: ast.AST) -> str:
    return getattr(node, "id", "")


def _is_empty_list(statement: ast.stmt, name: str) -> bool:
    """Tell whether a statement gives a name an empty list."""
    match statement:
        case ast.Assign([ast.Name(to)], ast.List([])):
            return to == name
        case ast.AnnAssign(ast.Name(to), _, ast.List([])):
            return to == name
    return False
