"""Tells the names in nodes: those that are read, bound, assigned or changed."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Set
from typing import Any

from megabatt.codegen.analysis.nodes import (
    Functions,
    all_nodes_in,
    copy_of_all,
    nodes_in,
    once_a_node,
)

ATTEMPT = " attempt"
"""The name of the function, in rewritten sources alone, that calls another one and returns a tuple
of its result; `()` if it fails."""


def assigned_in(statements: Iterable[ast.stmt]) -> set[str]:
    """Return the names that statements assign; assignments within inner functions do not count."""
    names: set[str] = set()
    left = list(statements)
    for statement in left:
        if isinstance(statement, ast.Assign):
            for target in statement.targets:
                names.update(names_in(target))
        elif isinstance(statement, ast.AnnAssign | ast.AugAssign):
            names.update(names_in(statement.target))
        elif isinstance(statement, ast.FunctionDef | ast.ClassDef):
            names.add(statement.name)
        elif isinstance(statement, ast.If | ast.For | ast.While):
            left += [*statement.body, *statement.orelse]
            if isinstance(statement, ast.For):
                names.update(names_in(statement.target))
    return names


@once_a_node
def assigned_by(statement: ast.stmt) -> Set[str]:
    """Return the names that a statement assigns, see `assigned_in`."""
    return assigned_in([statement])


@once_a_node
def names_of(function: Functions) -> Set[str]:
    """Return the names of a function's parameters, and those that it assigns."""
    body = function.body if isinstance(function, ast.FunctionDef) else []
    parameters = {part.arg for part in nodes_in(function.args, ast.arg)}
    return parameters | assigned_in(body)


@once_a_node
def named_in(node: ast.AST) -> Set[str]:
    """Return the names in a node, read or assigned."""
    return {part.id for part in nodes_in(node, ast.Name)}


@once_a_node
def stored_in(statement: ast.stmt) -> Set[str]:
    """Return the names that an unread statement assigns, or takes from outside of a function."""
    if isinstance(statement, ast.Global | ast.Nonlocal):
        return set(statement.names)
    return {part.id for part in nodes_in(statement, ast.Name) if isinstance(part.ctx, ast.Store)}


def changed_in(statement: ast.stmt) -> set[str]:
    """Return the names that an unread statement assigns, deletes, or may change in place."""
    changed = set(stored_in(statement))
    for part in all_nodes_in(statement):
        match part:
            case ast.Name(id=name, ctx=ast.Del()):
                changed.add(name)
            case ast.Subscript(ctx=ast.Store() | ast.Del()) | ast.Call(func=ast.Attribute()):
                owner: ast.AST = part
                while isinstance(owner, ast.Subscript | ast.Attribute | ast.Call):
                    owner = owner.func if isinstance(owner, ast.Call) else owner.value
                if isinstance(owner, ast.Name):
                    changed.add(owner.id)
    return changed


_OF_REALS = {"float", "pow", "power_of", "ratio_of", "root_of"}
_OF_MODULES = {*_OF_REALS, "e", "inf", "isqrt", "pi", "sqrt"}
"""The names of functions and of constants, alone and of modules, that give Reals."""


def is_only_subscripted(name: str, nodes: Iterable[ast.AST]) -> bool:
    """Tell whether nodes only read a name as in name[k]."""
    parts = [part for node in nodes for part in all_nodes_in(node)]
    indexed = {part.value for part in parts if isinstance(part, ast.Subscript)}
    reads = [part for part in parts if isinstance(part, ast.Name) and part.id == name]
    return all(part in indexed or not isinstance(part.ctx, ast.Load) for part in reads)


def may_have_reals(tree: ast.AST) -> bool:
    """Tell whether a value of a source's programs may be a Real."""
    named = {node.id for node in nodes_in(tree, ast.Name)}
    of_modules = {node.attr for node in nodes_in(tree, ast.Attribute)}
    for statement in nodes_in(tree, ast.ImportFrom):
        whole = "sqrt" if statement.module == "math" else "*"
        of_modules |= {whole if node.name == "*" else node.name for node in statement.names}
    return bool(
        named & _OF_REALS
        or of_modules & _OF_MODULES
        or any(node.value.__class__ is float for node in nodes_in(tree, ast.Constant))
        or any(_makes_real(node.op, node.right) for node in nodes_in(tree, ast.BinOp))
        or any(_makes_real(node.op, node.value) for node in nodes_in(tree, ast.AugAssign))
    )


def may_tell_kinds(tree: ast.AST) -> bool:
    """Tell whether a source may test the types of values."""
    return any(node.id in ("isinstance", "type") for node in nodes_in(tree, ast.Name))


def may_tell_identity(tree: ast.AST) -> bool:
    """Tell whether a source has `is` between two values, not beside a constant alone."""
    return any(
        isinstance(operator, ast.Is | ast.IsNot) and not isinstance(right, ast.Constant)
        for node in nodes_in(tree, ast.Compare)
        for operator, right in zip(node.ops, node.comparators, strict=True)
    )


def _makes_real(operator: ast.operator, right: ast.expr) -> bool:
    is_power = isinstance(operator, ast.Pow) and not isinstance(right, ast.Constant)
    return is_power or isinstance(operator, ast.Div)


def texts_held_in(tree: ast.AST) -> list[str]:
    """List texts that may be held or given, if some may be read character by character.

    Those are numerals, and texts of which a character stands alone elsewhere.
    """
    texts: dict[str, None] = {}
    for node in all_nodes_in(tree):
        match node:
            case ast.List(elts=parts) | ast.Set(elts=parts) | ast.Tuple(elts=parts):
                pass
            case ast.Dict(keys, values):
                parts = [*filter(None, keys), *values]
            case ast.IfExp(body=one, orelse=other):
                parts = [one, other]
            case (
                ast.Assign(value=ast.Constant() as value)
                | ast.AnnAssign(value=ast.Constant() as value)
                | ast.Return(ast.Constant() as value)
                | ast.Subscript(ast.Constant() as value)
            ):
                parts = [value]
            case ast.arguments(kw_defaults=by_name, defaults=parts):
                parts = [*parts, *filter(None, by_name)]
            case ast.Call(args=parts):
                pass
            case _:
                continue
        found = (part.value for part in parts if isinstance(part, ast.Constant))
        texts.update((text, None) for text in found if isinstance(text, str) and text)
    every = [node.value for node in nodes_in(tree, ast.Constant) if isinstance(node.value, str)]
    alone = {text for text in every if len(text) == 1}
    is_spelled = any(len(text) > 1 and not alone.isdisjoint(text) for text in texts)
    return [*texts] if is_spelled or any(map(str.isdecimal, texts)) else []


def bound_in(node: ast.AST) -> Iterator[str]:
    """Yield a name whenever something within a node binds it."""
    for part in all_nodes_in(node):
        match part:
            case ast.Name(id=name, ctx=ast.Store()) | ast.arg(arg=name):
                yield name
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                yield name
            case ast.alias(name=name, asname=other):
                yield other or name.partition(".")[0]


def names_shared_in(node: ast.AST) -> set[str]:
    """Return the names that functions within a node share by `nonlocal` and `global`."""
    shared: list[Any] = [*nodes_in(node, ast.Nonlocal), *nodes_in(node, ast.Global)]
    return {name for statement in shared for name in statement.names}


def assigned_in_expressions(node: ast.AST) -> set[str]:
    """Return the names that `:=` assigns within a node."""
    return {part.target.id for part in nodes_in(node, ast.NamedExpr)}


def names_in(target: ast.expr) -> Iterator[str]:
    """Yield the names of a target of an assignment."""
    if isinstance(target, ast.Name):
        yield target.id
    elif isinstance(target, ast.Tuple | ast.List):
        for part in target.elts:
            yield from names_in(part)
    elif isinstance(target, ast.Starred):
        yield from names_in(target.value)


def as_in_source(name: str) -> str:
    """Return the name that a source has for a name; "" for one that a rewriting has made."""
    if not name.startswith(" "):
        return name
    parts = name.split(":")  # of a local, see `local_names`, or of a comprehension's, see `Steps`
    return parts[-1] if len(parts) > 3 else ""


class _Written(ast.NodeTransformer):
    """Replaces elements at places by the names that loops had for them, and writes fields so."""

    def visit_Name(self, node: ast.Name) -> ast.Name:
        node.id = as_in_source(node.id) or "..."
        return node

    def visit_arg(self, node: ast.arg) -> ast.arg:
        node.arg = as_in_source(node.arg) or node.arg
        return node

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        field = getattr(node.slice, "value", 0)  # a number for a field of a NamedTuple
        if getattr(node, "is_field", False) and isinstance(field, str):
            return ast.Attribute(self.visit(node.value), field, ast.Load())
        index = getattr(node.slice, "id", "")
        if index.startswith(" ") and index[1:].isidentifier():
            return ast.Name(index[1:], ast.Load())
        return self.generic_visit(node)


def as_written(node: ast.AST) -> str:
    """Return the text of an expression with the names that its source has."""
    return ast.unparse(_Written().visit(copy_of_all(node)))
