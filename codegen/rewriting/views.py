"""Writes changes of a part of an array that has a name as changes of the array.

    inner = out[1:n, 1:-1]        _stop = n
    inner[inner == 0] = 4         part = out[1:_stop, 1:-1].copy()
                                  part[out[1:_stop, 1:-1] == 0] = 4
                                  out[1:_stop, 1:-1] = part

The source does the same as before: reads of `inner` see what `out` has become, too.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

from megabatt.codegen.analysis.nodes import (
    assignment,
    copy_of_all,
    forget,
    functions_in,
    nodes_in,
    nodes_of_scope,
    placed,
)
from megabatt.codegen.analysis.ownership import assigned_to

_MAKERS = {
    "array", "asarray", "copy", "empty", "empty_like", "fliplr", "flipud", "full", "full_like",
    "kron", "ones", "ones_like", "pad", "roll", "rot90", "tile", "zeros", "zeros_like",
}  # fmt: skip
"""The functions of NumPy that always give an array."""


class _View(NamedTuple):
    """A name of a part of an array. definition: What binds it. base: The array's name.

    begin: What stands in place of the definition. part: The expression of the part.
    """

    name: str
    definition: ast.Assign
    base: str
    begin: list[ast.stmt]
    part: ast.Subscript


def with_views_written(tree: ast.Module) -> ast.Module:
    """Return a source that changes parts of arrays by the arrays' names. May change `tree`."""
    modules = {
        alias.asname or alias.name
        for alias in nodes_in(tree, ast.alias) if alias.name == "numpy"
    }  # fmt: skip
    if modules:
        for part in tree.body:
            if isinstance(part, ast.FunctionDef):
                _write_in(part, modules, set())
        forget(tree)
    return tree


def _write_in(function: ast.FunctionDef, modules: set[str], around: set[str]) -> None:
    """Write the changes of views in a function, and in those within it.

    modules: The names of NumPy. around: The names of arrays around the function.
    """
    bound = {node.id for node in nodes_in(function, ast.Name) if isinstance(node.ctx, ast.Store)}
    bound |= {one.arg for one in nodes_in(function.args, ast.arg)}
    arrays = _arrays_in(function, modules) | (around - bound)
    while view := next(_views_in(function, arrays), None):
        _Writer(view).visit(function)
        forget(function)
    for inner in nodes_of_scope(function, lambda one: one is not function):
        if isinstance(inner, ast.FunctionDef) and inner is not function:
            _write_in(inner, modules, arrays)


def _views_in(function: ast.FunctionDef, arrays: set[str]) -> Iterator[_View]:
    """Yield the views of a function that are changed, and that stay parts of one of some arrays."""
    names = nodes_in(function, ast.Name)
    changed = {
        name for target in nodes_in(function, ast.Subscript)
        if not isinstance(target.ctx, ast.Load) and (name := _owner(target))
    }  # fmt: skip
    sums = [part.target for part in nodes_in(function, ast.AugAssign)]
    for definition in nodes_in(function, ast.Assign):
        match definition:
            case ast.Assign([ast.Name(name)], ast.Subscript(ast.Name(base)) as part) if (
                name in changed and name != base and base in arrays
            ):
                pass
            case _:
                continue
        uses = [node for node in names if node.id == name]
        stored = [node for node in names if node.id == base and isinstance(node.ctx, ast.Store)]
        inner = [one for one in functions_in(function) if one is not function]
        is_apart = any(node.id == name for one in inner for node in nodes_in(one, ast.Name))
        index = _index_of(part, name)
        if index is None or is_apart or not _are_behind(definition, uses, stored):
            continue
        if sum(isinstance(use.ctx, ast.Store) and use not in sums for use in uses) == 1:
            begin, fixed = index
            yield _View(name, definition, base, begin, placed(
                ast.Subscript(ast.Name(base, ast.Load()), fixed, ast.Load()), part
            ))


def _arrays_in(function: ast.FunctionDef, modules: set[str]) -> set[str]:
    """Return the names that certainly stand for arrays alone."""
    names = {node.id for node in nodes_in(function, ast.Name) if isinstance(node.ctx, ast.Store)}
    arrays = names - {one.arg for one in nodes_in(function.args, ast.arg)}
    known = -1
    while known != len(arrays):
        known = len(arrays)
        arrays = {
            name for name in arrays
            if all(_is_array(value, arrays, modules) for value in assigned_to(name, function.body))
        }  # fmt: skip
    return arrays


def _is_array(value: ast.expr | None, arrays: set[str], modules: set[str]) -> bool:
    """Tell whether a value is certain to be an array. arrays: The names of some."""
    match value:
        case ast.Call(ast.Attribute(ast.Name(module), maker)) if module in modules:
            return maker in _MAKERS
        case ast.Call(ast.Attribute(owner, "copy" | "astype")):
            return _is_array(owner, arrays, modules)
        case ast.Name(name):
            return name in arrays
        case ast.Subscript(owner, index):
            parts = index.elts if isinstance(index, ast.Tuple) else [index]
            is_part = all(isinstance(part, ast.Slice) for part in parts)
            return is_part and _is_array(owner, arrays, modules)
        case ast.BinOp(one, _, other) | ast.Compare(one, [_], [other]):
            return any(_is_array(part, arrays, modules) for part in (one, other))
        case ast.UnaryOp(_, operand):
            return _is_array(operand, arrays, modules)
    return False


def _owner(target: ast.expr) -> str:
    """Return the name whose value a target changes; "" for another one."""
    return target.value.id if (
        isinstance(target, ast.Subscript) and isinstance(target.value, ast.Name)
    ) else ""


def _are_behind(
    definition: ast.Assign, uses: list[ast.Name], stored: list[ast.Name]
) -> bool:  # fmt: skip
    """Tell whether a name is read behind its definition alone, and its array bound before it."""
    first, last = _place(definition), (definition.end_lineno or 0, definition.end_col_offset or 0)
    return all(_place(use) > last or use is definition.targets[0] for use in uses) and all(
        _place(one) < first for one in stored
    )


def _place(node: ast.expr | ast.stmt) -> tuple[int, int]:
    return node.lineno, node.col_offset


def _index_of(part: ast.Subscript, name: str) -> tuple[list[ast.stmt], ast.expr] | None:
    """Return an index whose bounds do not change, with the statements that keep the bounds.

    Returns None if the index is not certain to give a view of more than one row.
    """
    parts = part.slice.elts if isinstance(part.slice, ast.Tuple) else [part.slice]
    if not all(isinstance(one, ast.Slice) for one in parts):
        return None
    begin: list[ast.stmt] = []
    fixed: list[ast.expr] = []

    def kept(bound: ast.expr | None) -> ast.expr | None:
        if bound is None or isinstance(bound, ast.Constant):
            return bound
        other = f" {name}:{part.lineno}:{part.col_offset}:{len(begin)}"
        begin.append(assignment(other, bound, part))
        return placed(ast.Name(other, ast.Load()), bound)

    for one in parts:
        assert isinstance(one, ast.Slice)
        fixed.append(placed(ast.Slice(kept(one.lower), kept(one.upper), kept(one.step)), one))
    made = fixed[0] if len(fixed) == 1 else ast.Tuple(fixed, ast.Load())
    return begin, placed(made, part)


class _Writer(ast.NodeTransformer):
    """Writes a view's part in place of its name."""

    def __init__(self, view: _View) -> None:
        self._view = view

    def _part(self, context: ast.expr_context) -> ast.Subscript:
        made = copy_of_all(self._view.part)
        made.ctx = context
        return made

    def visit_Assign(self, node: ast.Assign) -> ast.AST | list[ast.stmt]:
        if node is self._view.definition:
            return self._view.begin
        return self._changed(node, node.targets)

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST | list[ast.stmt]:
        if isinstance(node.target, ast.Name) and node.target.id == self._view.name:
            node.target = self._part(ast.Store())
            node.value = self.visit(node.value)
            return node
        return self._changed(node, [node.target])

    def _changed(self, node: ast.stmt, targets: list[ast.expr]) -> ast.AST | list[ast.stmt]:
        """Return what changes the part in a copy, and puts the copy into the array."""
        if len(targets) > 1 or _owner(targets[0]) != self._view.name:
            return self.generic_visit(node)
        name = f" {self._view.name}:{node.lineno}:{node.col_offset}:part"
        target = targets[0]
        assert isinstance(target, ast.Subscript)
        method = ast.Attribute(self._part(ast.Load()), "copy", ast.Load())
        begin = assignment(name, placed(ast.Call(method, [], []), node), node)
        self.generic_visit(node)
        target.value = placed(ast.Name(name, ast.Load()), target)
        end = placed(ast.Assign([self._part(ast.Store())], ast.Name(name, ast.Load())), node)
        return [begin, node, end]

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self._part(ast.Load()) if node.id == self._view.name else node
