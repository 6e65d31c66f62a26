"""Tells which names only ever are lists, or lists of lists, and never dictionaries."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from megabatt.codegen.analysis.names import assigned_in, named_in, names_in
from megabatt.codegen.analysis.nodes import nodes_in, own_statements
from megabatt.codegen.analysis.ownership import assigned_to, call_of_change, indices_of

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
    parts = [(name, part) for name, part in _parts_in(function) if name in levels]
    for _ in range(_MOST):
        before = dict(levels)
        for name, bound in values.items():
            found = min((_levels(value, before) for value in bound), default=0)
            levels[name] = min(found, given.get(name, _MOST))
        for name, part in parts:
            levels[name] = min(levels[name], part.levels(before))
        if levels == before:
            break
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


class _Part(NamedTuple):
    """What is put into a list. depth: The levels of the list around it.

    value: The value. is_whole: Whether its elements are put there, not the value itself.
    """

    depth: int
    value: ast.expr
    is_whole: bool

    def levels(self, known: Mapping[str, int]) -> int:
        """Return how many outer levels the list has at most."""
        return self.depth + max(_levels(self.value, known) - self.is_whole, 0)


def _parts_in(function: ast.FunctionDef) -> list[tuple[str, _Part]]:
    """List what a function puts into lists, each with the name of the list.

    A change through a second name counts for the list of the first name, too.
    """
    found = list(_put_in(function))
    second = list(_second_names_in(function))
    for name, part in found:  # which grows meanwhile
        for other, owner, depth in second:
            made = owner, part._replace(depth=part.depth + depth)
            if other == name and made[1].depth < _MOST and made not in found:
                found.append(made)
    return found


def _put_in(function: ast.FunctionDef) -> Iterator[tuple[str, _Part]]:
    """Yield what a function puts into lists, each with the name by which it does so."""
    for assignment in nodes_in(function, ast.Assign):
        for target in assignment.targets:
            owner, indices = indices_of(target)
            if isinstance(owner, ast.Name) and indices:
                is_slice = isinstance(indices[-1], ast.Slice)
                yield owner.id, _Part(len(indices), assignment.value, is_slice)
    for added in nodes_in(function, ast.AugAssign):
        owner, indices = indices_of(added.target)
        if isinstance(owner, ast.Name):
            yield owner.id, _Part(len(indices) + 1, added.value, True)
    for call in nodes_in(function, ast.Call):
        changed = call_of_change(call)
        if changed and call.args:
            _, indices = indices_of(call.func.value)  # type: ignore[attr-defined]
            is_whole = changed[1].startswith("extend")
            yield changed[0], _Part(len(indices) + 1, call.args[-1], is_whole)


def _second_names_in(function: ast.FunctionDef) -> Iterator[tuple[str, str, int]]:
    """Yield a second name of a list, the list's name, and the depth of the second name's part."""
    bound: list[tuple[ast.AST, ast.expr, int]] = [
        (target, assignment.value, 0)
        for assignment in nodes_in(function, ast.Assign) for target in assignment.targets
    ]  # fmt: skip
    bound += [(loop.target, loop.iter, 1) for loop in nodes_in(function, ast.For)]
    for target, value, depth in bound:
        match target, value:
            case ast.Tuple([_, counted]), ast.Call(ast.Name("enumerate"), [over, *_]):
                target, value = counted, over
        owner, indices = indices_of(value)
        if isinstance(target, ast.Name) and isinstance(owner, ast.Name):
            if not any(isinstance(index, ast.Slice) for index in indices):
                yield target.id, owner.id, depth + len(indices)
