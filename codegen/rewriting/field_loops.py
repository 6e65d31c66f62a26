"""Makes loops over a field of an object loops over a copy where another field changes meanwhile.

`for v in part["todo"]: part["seen"].append(v)` becomes `for v in list(part["todo"]): ...`, so that
the loop holds nothing of the object. The source does the same as before.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Mapping, Set
from typing import Any

from megabatt.codegen.analysis.names import bound_in, named_in, names_in, names_of, names_shared_in
from megabatt.codegen.analysis.nodes import forget, functions_within, nodes_in, placed
from megabatt.codegen.analysis.ownership import names_changed_in
from megabatt.codegen.rewriting.places import PURE, changes_in, parents_in

_LOOKING = {"copy", "count", "get", "index", "items", "keys", "values"}
"""Methods that change nothing."""


def with_copies_in_loops(tree: ast.Module) -> ast.Module:
    """Return a source in which such loops are over a copy. May change `tree`."""
    bound = Counter(bound_in(tree))
    functions = {
        part.name: part for part in tree.body
        if isinstance(part, ast.FunctionDef) and bound[part.name] == 1
    }  # fmt: skip
    made = False
    for function in [] if bound["list"] or bound["enumerate"] else nodes_in(tree, ast.FunctionDef):
        for loop in nodes_in(function, ast.For):
            over = _over(loop.iter)
            if over is not None and _changes_another(loop, over, function, functions):
                copied = placed(ast.Call(ast.Name("list", ast.Load()), [over], []), over)
                if loop.iter is over:
                    loop.iter = copied
                else:
                    loop.iter.args[0] = copied  # type: ignore[attr-defined]
                made = True
    if made:
        forget(tree)
    return tree


def _over(node: ast.expr) -> Any:
    """Return the field that is iterated, as in `part["todo"]` and `enumerate(part["todo"])`."""
    match node:
        case ast.Call(ast.Name("enumerate"), [over]):
            return _over(over)
        case ast.Subscript(ast.Name(), ast.Constant(str())):
            return node
    return None


def _changes_another(
    loop: ast.For, over: Any, function: ast.FunctionDef, functions: Mapping[str, ast.FunctionDef]
) -> bool:
    """Tell whether a loop changes another field of the object, and nothing of what it is over."""
    name, field, body = over.value.id, over.slice.value, ast.Module(loop.body, [])
    keys = [
        getattr(indices[0], "value", field) for one, indices, _ in changes_in([*ast.walk(body)])
        if one == name and indices
    ]  # fmt: skip
    is_local = name in names_of(function) and name not in names_shared_in(function)
    inner = set[str]().union(*map(named_in, functions_within(function)))
    is_steady = names_changed_in(body).isdisjoint(names_in(loop.target))
    return (
        bool(keys) and field not in keys and is_local and name not in inner and is_steady
        and _keeps(body, name, field, functions, set())
    )  # fmt: skip


def _keeps(
    body: ast.Module, name: str, field: str, functions: Mapping[str, ast.FunctionDef],
    seen: Set[tuple[str, str]],
) -> bool:  # fmt: skip
    """Tell whether statements leave a field's list as it is. seen: Functions, with parameters."""
    parents: dict[ast.AST, Any] = parents_in(body)
    for part in nodes_in(body, ast.Name):
        if part.id != name:
            continue
        match parents[part]:
            case ast.Subscript(value, ast.Constant(key)) as element if value is part:
                if key == field and not _only_reads(element, parents):
                    return False
            case ast.Call(ast.Name(called), given) if called in functions and part in given:
                taken = [*functions[called].args.posonlyargs, *functions[called].args.args]
                place = given.index(part)
                if place >= len(taken) or any(isinstance(one, ast.Starred) for one in given):
                    return False
                at, inner = (called, taken[place].arg), ast.Module(functions[called].body, [])
                if at not in seen and not _keeps(inner, at[1], field, functions, {*seen, at}):
                    return False
            case _:
                return False
    return True


def _only_reads(field: ast.expr, parents: Mapping[ast.AST, Any]) -> bool:
    """Tell whether a field, or an element in it, is read where nothing else may hold the list."""
    node: Any = field
    while isinstance(parents[node], ast.Subscript) and parents[node].value is node:
        node = parents[node]
    parent = parents[node]
    if isinstance(parent, ast.Attribute):
        return parent.attr in _LOOKING
    is_looking = isinstance(parent, ast.Call) and getattr(parent.func, "id", "") in PURE
    is_looking |= isinstance(parent, ast.Compare | ast.comprehension)
    return isinstance(node.ctx, ast.Load) and (node is not field or is_looking)
