"""Tells which lists and sets one name alone holds: these can be changed as if assigned anew.

A value has levels: a list of lists of numbers has two. A name owns the outer levels of its value
that nothing else holds, so that nobody else sees a change there.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from megabatt.runtime.program import Word

ALL = 99
"""As many levels as a value may have."""


class Owned(NamedTuple):
    """The meaning of a name that owns the outer levels of its value."""

    word: Word
    levels: int


_CHANGES = {
    "add", "append", "clear", "difference_update", "discard", "extend", "insert",
    "intersection_update", "pop", "remove", "reverse", "sort", "symmetric_difference_update",
    "update",
}  # fmt: skip
"""The methods of lists and sets that change them."""
_NEW = {"copy": 1, "deepcopy": ALL, "list": 1, "set": 1, "sorted": 1}
"""For functions and methods of Python that make lists and sets: the new levels."""
_COPIES = {"frozenset", "list", "max", "min", "set", "sorted", "sum", "tuple"}
"""The functions of Python whose results hold a container's elements, but not the container."""
ITERATORS = {"enumerate", "filter", "iter", "map", "reversed", "zip"}
"""The functions of Python whose results hold a container until they are used up."""
_LOOKS = {"all", "any", "bool", "deepcopy", "len", "print"}
"""The functions of Python whose results hold nothing of what they are called with."""
_LOOKING_METHODS = {"count", "deepcopy", "index"}
KNOWN = {*_NEW, *_COPIES, *ITERATORS, *_LOOKS}


def uses_up(node: ast.AST, also: Iterable[str] = ()) -> bool:
    """Tell whether a node calls a function of Python that uses its arguments and holds none."""
    match node:
        case ast.Call(ast.Name(name)):
            return name in _COPIES or name in _LOOKS or name in also
        case ast.Call(ast.Attribute(attr=method)):
            return method == "sort"
    return False


def levels_of(node: ast.expr) -> int:
    """Return how many outer levels of an expression's value are new lists or sets."""
    match node:
        case ast.Constant():
            return ALL
        case ast.List(elts=elements) | ast.Set(elts=elements):
            return 1 + min(map(levels_of, elements), default=ALL)
        case ast.ListComp(elt=element) | ast.SetComp(elt=element):
            return 1 + levels_of(element)
        case ast.BinOp(left=ast.List(elts=elements), op=ast.Mult()):
            return 1 + ALL * all(isinstance(element, ast.Constant) for element in elements)
        case ast.BinOp(op=ast.Add() | ast.Mult()) | ast.Subscript(slice=ast.Slice()):
            return 1
        case ast.IfExp(body=body, orelse=orelse):
            return min(levels_of(body), levels_of(orelse))
        case ast.Call(ast.Name("list"), [ast.Call(ast.Name("map"), [ast.Name(inner), _])]):
            return 1 + _NEW.get(inner, 0)
        case ast.Call(ast.Name("set" | "list"), []):
            return ALL
        case ast.Call(ast.Name(name) | ast.Attribute(attr=name)):
            return _NEW.get(name, 0)
    return 0


def is_list(node: ast.expr) -> bool:
    """Tell whether an expression's value is certain to be a list."""
    match node:
        case ast.List() | ast.ListComp() | ast.Call(ast.Name("list" | "sorted")):
            return True
        case ast.BinOp(left=left, right=right):
            return is_list(left) or is_list(right)
    return False


def changes_of(statement: ast.AST) -> list[tuple[str, int]]:
    """List the names whose values a statement changes in place, with the levels it changes."""
    targets = getattr(statement, "targets", [getattr(statement, "target", statement)])
    chains = [
        indices_of(part)
        for target in targets
        for part in ast.walk(target)
        if isinstance(part, ast.Subscript) and isinstance(part.ctx, ast.Store)
    ]
    found = [(owner.id, len(at)) for owner, at in chains if isinstance(owner, ast.Name)]
    if isinstance(statement, ast.Assign | ast.Expr) and (call := call_of_change(statement.value)):
        found.append((call[0], 1))
    return found


def indices_of(target: ast.expr) -> tuple[ast.expr, list[ast.expr]]:
    """Split `name[a][b]` into the name and its indices."""
    indices: list[ast.expr] = []
    while isinstance(target, ast.Subscript):
        indices.insert(0, target.slice)
        target = target.value
    return target, indices


def call_of_change(value: ast.AST) -> tuple[str, str] | None:
    """Return the name and the method of a call `name.method(...)` that changes the name's value."""
    match value:
        case ast.Call(ast.Attribute(ast.Name(name), method)) if method in _CHANGES:
            return name, method
    return None


def names_changed_in(statement: ast.stmt) -> set[str]:
    """Return the names whose values a statement, or a call in it, changes in place."""
    names = {name for part in ast.walk(statement) for name, _ in changes_of(part)}
    calls = filter(None, map(call_of_change, ast.walk(statement)))
    return names.union(name for name, _ in calls)


Exposed = Iterator[tuple[str, int]]


def exposed_by(statement: ast.stmt) -> Exposed:
    """Yield names that a simple statement reads, with the outer levels that stay theirs."""
    match statement:
        case ast.Expr(value=ast.Call() as call) | ast.Assign(value=ast.Call() as call) if (
            changed := call_of_change(call)
        ):
            name, method = changed
            for argument in call.args:
                yield from exposed(argument, int(method in ("extend", "update")))
                if method == "append":
                    yield name, 1 + levels_of(argument)
                elif method != "pop":
                    yield name, 1
        case ast.Assign(value=value) | ast.AugAssign(value=value) | ast.AnnAssign(value=value):
            if value is not None:
                yield from exposed(value)
                for name, levels in changes_of(statement):
                    yield name, levels + levels_of(value)
        case ast.Expr(value=value):
            yield from exposed(value, ALL)


def exposed(node: ast.AST, kept: int = 0) -> Exposed:
    """Yield names that an expression reads, with the outer levels that stay theirs.

    kept: The outer levels of the expression's value that nothing holds afterwards.
    """
    match node:
        case ast.Name(id=name):
            yield name, kept
        case ast.Lambda(body=body):
            yield from exposed(body)
        case ast.Subscript(value=value, slice=ast.Slice()):
            yield from exposed(value, max(kept, 1))
        case ast.Subscript(value=value, slice=index):
            yield from exposed(value, kept + 1)
            yield from exposed(index, ALL)
        case ast.BinOp():
            yield from _of_parts([node.left, node.right], max(kept, 1))
        case ast.Starred(value=value):
            yield from exposed(value, 1)
        case ast.Compare() | ast.UnaryOp():
            yield from _of_parts(ast.iter_child_nodes(node), ALL)
        case ast.IfExp(test=test, body=body, orelse=orelse):
            yield from exposed(test, ALL)
            yield from _of_parts([body, orelse], kept)
        case ast.BoolOp(values=values):
            yield from _of_parts(values, kept)
        case ast.ListComp() | ast.SetComp():
            yield from _of_comprehension(node)
        case ast.Call(func=ast.Name(name) | ast.Attribute(attr=name)):
            yield from _of_call(node, name, kept)
        case _:
            yield from _of_parts(ast.iter_child_nodes(node), 0)


def _of_parts(parts: Iterable[ast.AST], kept: int) -> Exposed:
    for part in parts:
        yield from exposed(part, kept)


def _of_comprehension(node: ast.ListComp | ast.SetComp | ast.GeneratorExp) -> Exposed:
    """Yield the names of a comprehension that is computed at once."""
    yield from exposed(node.elt)
    for part in node.generators:
        yield from exposed(part.iter, 1)
        yield from _of_parts(part.ifs, ALL)


def _of_call(node: ast.Call, name: str, kept: int) -> Exposed:
    """Yield the names of a call: its result may hold what it is called with."""
    is_method = isinstance(node.func, ast.Attribute)
    if kept >= ALL or name in (_LOOKING_METHODS if is_method else _LOOKS):
        of_arguments = ALL
    elif name in _COPIES or (kept and name in ITERATORS):
        of_arguments = 1
    else:
        of_arguments = 0
    if isinstance(node.func, ast.Attribute):
        yield from exposed(node.func.value, max(of_arguments, 1))
    for argument in (*node.args, *(keyword.value for keyword in node.keywords)):
        if of_arguments and isinstance(argument, ast.GeneratorExp):
            yield from _of_comprehension(argument)
        else:
            yield from exposed(argument, of_arguments)
