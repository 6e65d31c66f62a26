"""Finds views that change under names of their own, which are read as copies that are put back."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

from megabatt.codegen.analysis.names import named_in, stored_in
from megabatt.codegen.analysis.nodes import nodes_in, placed
from megabatt.codegen.analysis.ownership import may_change

_SCOPES = (ast.FunctionDef, ast.Lambda)
_LEAVING = (ast.Break, ast.Continue, ast.Return, ast.Yield, ast.YieldFrom, *_SCOPES)


def put_back(
    block: Sequence[ast.stmt], function: ast.FunctionDef, is_own: Callable[[ast.expr], bool]
) -> list[ast.stmt] | None:
    """Return statements that change a part of an array, and put it back, or None.

    The first of the given ones is `view = array[place]`. Nothing but changes of the view reads it;
    meanwhile nothing reads the array, or binds what the place is made of. is_own: Tells whether
    what is called is a function of the source.
    """
    match block[0]:
        case ast.Assign([ast.Name(view)], ast.Subscript(ast.Name(array), place) as part):
            pass
        case _:
            return None
    last = max((k for k, one in enumerate(block) if view in named_in(one)), default=0)
    changing, behind = block[1 : last + 1], block[last + 1 :]
    count = sum(_count(view, one) for one in block[: last + 1])
    outside = [one for scope in _SCOPES for one in nodes_in(function, scope) if one is not function]
    if (
        not any(_changes(one, view) for one in changing)
        or _count(view, function) != count
        or may_change(place)
        or any(array in named_in(one) for one in (*changing, *outside))
        or any(not stored_in(one).isdisjoint(named_in(place) | {view}) for one in changing)
        or any(nodes_in(one, kind) for one in changing for kind in _LEAVING)
        or not all(_changes_alone(one, view, is_own) for one in changing)
    ):
        return None
    copied = ast.Call(ast.Attribute(part, "copy", ast.Load()), [], [])
    first = ast.Assign([ast.Name(view, ast.Store())], copied)
    whole = ast.Subscript(ast.Name(array, ast.Load()), place, ast.Store())
    end = ast.Assign([whole], ast.Name(view, ast.Load()))
    return [placed(first, block[0]), *changing, placed(end, block[last]), *behind]


def _count(name: str, node: ast.AST) -> int:
    return sum(one.id == name for one in nodes_in(node, ast.Name))


def _changes(statement: ast.stmt, view: str) -> bool:
    parts = nodes_in(statement, ast.Subscript)
    return any(
        isinstance(part.ctx, ast.Store) and isinstance(part.value, ast.Name)
        and part.value.id == view for part in parts
    )  # fmt: skip


def _changes_alone(
    statement: ast.stmt, view: str, is_own: Callable[[ast.expr], bool]
) -> bool:
    """Tell whether a statement reads a view only in order to change it."""
    if view not in named_in(statement):
        return True
    if any(is_own(call.func) for call in nodes_in(statement, ast.Call)):
        return False
    match statement:
        case ast.Assign([ast.Subscript(ast.Name(name))]) | ast.AugAssign(
            ast.Subscript(ast.Name(name))
        ):
            return name == view
        case ast.If(body=body, orelse=orelse):
            return all(_changes_alone(one, view, is_own) for one in (*body, *orelse))
        case ast.For(target=target, iter=over, body=body, orelse=[]):
            is_read = view in named_in(over) | named_in(target)
            return not is_read and all(_changes_alone(one, view, is_own) for one in body)
    return False
