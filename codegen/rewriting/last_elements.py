"""Writes `rows[-1]` for a name that always has the last element of a list.

    if last is None or v != last[0]:       if not rows or v != rows[-1][0]:
        last = [v]
        rows.append(last)                      rows.append([v])
    else:                                  else:
        last.append(v)                         rows[-1].append(v)

So the list alone holds what changes. The source does the same as before.
"""

from __future__ import annotations

import ast
from typing import Any

from megabatt.codegen.analysis.names import bound_in, named_in
from megabatt.codegen.analysis.nodes import forget, functions_within, nodes_in, placed
from megabatt.codegen.analysis.ownership import names_changed_in
from megabatt.codegen.rewriting.places import changes_in
from megabatt.codegen.rewriting.second_names import blocks_in, is_held_in


def with_last_elements(tree: ast.Module) -> ast.Module:
    """Return a source without names of last elements that change. May change `tree`."""
    for function in nodes_in(tree, ast.FunctionDef):
        for found in [_Last(name, rows, function) for name, rows in _pairs(function)]:
            if found.is_certain():
                found.rewrite()
                forget(tree)
    return tree


def _pairs(function: ast.FunctionDef) -> set[tuple[str, str]]:
    """Return the names that change, with the names of lists that they are appended to."""
    changed = names_changed_in(function)
    appended = filter(None, map(_appended, nodes_in(function, ast.Expr)))
    return {(name, rows) for name, rows in appended if name in changed}


def _appended(line: ast.AST) -> tuple[str, str] | None:
    """Return the two names of `rows.append(name)`; None for other statements."""
    match line:
        case ast.Expr(ast.Call(ast.Attribute(ast.Name(rows), "append"), [ast.Name(name)], [])):
            return name, rows
    return None


def _value_of(name: str, line: ast.AST) -> ast.expr | None:
    """Return the value of an assignment to a name alone; None for other statements."""
    match line:
        case ast.Assign([ast.Name(bound)], value) if bound == name:
            return value
    return None


class _Last:
    """A name that may always have the last element of a list, or None while the list is empty."""

    def __init__(self, name: str, rows: str, function: ast.FunctionDef) -> None:
        self._name = name
        self._rows = rows
        self._function = function
        self._blocks = list(blocks_in(function))
        pairs = [pair for block in self._blocks for pair in zip(block, block[1:], strict=False)]
        self._added = [
            pair for pair in pairs
            if _value_of(name, pair[0]) and _appended(pair[1]) == (name, rows)
        ]  # fmt: skip

    def is_certain(self) -> bool:
        """Tell whether each binding of the name is before `rows.append(name)`, or is None at first.

        The list changes by nothing else, and nothing else holds it.
        """
        function, bound = self._function, list(bound_in(self._function))
        begin = self._begin()
        inner = map(named_in, functions_within(function))
        return (
            begin is not None
            and bound.count(self._rows) == 1
            and bound.count(self._name) == len(self._added) + begin
            and set().union(*inner).isdisjoint((self._name, self._rows))
            and self._count_changes() == len(self._added)
            and not is_held_in(function, self._rows)
        )

    def _begin(self) -> int | None:
        """Return whether the name is None where the list begins; None if that is not certain."""
        for block in self._blocks:
            values = [_value_of(self._rows, line) for line in block]
            begin = [k for k, value in enumerate(values) if _is_empty_list(value)]
            nones = [k for k, line in enumerate(block) if self._is_none(line)]
            if begin and nones:
                between = block[min(begin + nones) + 1 : max(begin + nones)]
                used = set().union(*map(named_in, between))
                return 1 if used.isdisjoint((self._name, self._rows)) else None
            if begin:
                return 0 if block is self._function.body else None
        return None

    def _is_none(self, line: ast.stmt) -> bool:
        value = _value_of(self._name, line)
        return isinstance(value, ast.Constant) and value.value is None

    def _count_changes(self) -> int:
        """Count the changes of the list itself, not of what is in its elements."""
        changes = changes_in(list(ast.walk(self._function)))
        return sum(
            name == self._rows and len(indices) == is_store for name, indices, is_store in changes
        )

    def rewrite(self) -> None:
        """Rewrite the function in place."""
        has_none = self._begin()
        for first, second in self._added:
            second.value.args = [first.value]  # type: ignore[attr-defined]
        dropped = {first for first, _ in self._added}
        for block in self._blocks:
            dropped.update(filter(self._is_none, block))
            block[:] = [line for line in block if line not in dropped]
        reader = _Reader(self._name, self._rows, bool(has_none))
        self._function.body = [reader.visit(line) for line in self._function.body]


def _is_empty_list(value: ast.expr | None) -> bool:
    return isinstance(value, ast.List) and not value.elts


class _Reader(ast.NodeTransformer):
    """Puts the last element of a list in the place of a name."""

    def __init__(self, name: str, rows: str, has_none: bool) -> None:
        self._name = name
        self._rows = rows
        self._has_none = has_none

    def _list(self) -> ast.expr:
        return ast.Name(self._rows, ast.Load())

    def _last(self) -> ast.expr:
        return ast.Subscript(self._list(), ast.Constant(-1), ast.Load())

    def visit_Compare(self, node: ast.Compare) -> Any:
        match node:
            case ast.Compare(ast.Name(name), [operator], [ast.Constant(None)]) if (
                name == self._name and isinstance(operator, ast.Is | ast.IsNot)
            ):
                made = ast.UnaryOp(ast.Not(), self._list())
                is_not = isinstance(operator, ast.IsNot)
                return placed(ast.UnaryOp(ast.Not(), made) if is_not else made, node)
        return self.generic_visit(node)

    def visit_Subscript(self, node: ast.Subscript) -> Any:
        return self._of_part(node)

    def visit_Attribute(self, node: ast.Attribute) -> Any:
        return self._of_part(node)

    def _of_part(self, node: Any) -> Any:
        """Replace the name in `name[k]` and `name.method`, which None does not have."""
        if isinstance(node.value, ast.Name) and node.value.id == self._name:
            node.value = placed(self._last(), node.value)
        return self.generic_visit(node)

    def visit_Name(self, node: ast.Name) -> Any:
        if node.id != self._name:
            return node
        made = self._last()
        if self._has_none:
            made = ast.IfExp(self._list(), made, ast.Constant(None))
        return placed(made, node)
