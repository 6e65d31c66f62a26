"""Writes Python's functions by their own names where a source gives them other names.

Short programs begin with `L = len`, or with `def p(grid, L=len)`. By its own name it is known what
such a function does with a list. The source does the same as before.
"""

from __future__ import annotations

import ast
import copy
import math
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from megabatt.codegen.analysis.names import bound_in
from megabatt.codegen.analysis.nodes import (
    Functions,
    forget,
    functions_in,
    nodes_in,
    nodes_of_scope,
    placed,
)
from megabatt.codegen.operations.python_functions import BUILTINS
from megabatt.codegen.rewriting.places import PURE

_OWN = PURE | BUILTINS.keys()
_Scope = ast.Module | Functions


class _Alias(NamedTuple):
    """Another name of a function of Python's in a scope. own: The function's own name.

    after: The place in the source from which on the name has this meaning. place: Of a parameter,
    the least number of arguments with which a call reaches it; else 0. is_alone: Whether nothing
    else in the source may have the name.
    """

    name: str
    own: str
    after: tuple[int, int] = (0, 0)
    place: float = 0
    is_alone: bool = False


def with_own_names(tree: ast.Module) -> ast.Module:
    """Return a source that calls Python's functions by their own names. May change `tree`."""
    scopes: list[_Scope] = [tree, *functions_in(tree)]
    found = {scope: aliases for scope in scopes if (aliases := [*_aliases_in(scope)])}
    methods = list(_methods_in(tree))
    if not found and not methods:
        return tree
    bound = Counter(bound_in(tree))
    most = _most_arguments(tree, bound)
    kept = {name for node in ast.walk(tree) for name in _kept_by(node)}
    for scope, aliases in found.items():
        of_scope = _bound_by(scope)
        for alias in aliases:
            is_it = of_scope[alias.name] == 1 and alias.name not in kept and not bound[alias.own]
            is_it = is_it and (not alias.is_alone or bound[alias.name] == 1)
            if is_it and (not alias.place or most.get(scope, math.inf) < alias.place):
                _rename(scope, alias)
    once = {name for name, times in bound.items() if times == 1} - kept
    for method in methods:
        if method.name in once:
            _call_methods(method, once, tree)
    forget(tree)
    return tree


class _Method(NamedTuple):
    """A name of a method of some value, as in `place = row.index`. where: What binds the name."""

    name: str
    where: ast.Assign | ast.NamedExpr
    bound: ast.Attribute


def _call_methods(method: _Method, once: set[str], tree: ast.Module) -> None:
    """Write calls of methods in place of calls of a name: `row.index(1)` after `at = row.index`.

    If the owner has no name that stays, it takes over the method's: `at = sum(g, [])` and
    `at.index(1)`. Nothing changes if the name is read other than to call it.
    once: The names that a source binds once.
    """
    where, bound = method.where, method.bound
    reads = {
        node for node in nodes_in(tree, ast.Name)
        if node.id == method.name and isinstance(node.ctx, ast.Load)
    }  # fmt: skip
    calls = [call for call in nodes_in(tree, ast.Call) if call.func in reads or call.func is where]
    called = {call.func for call in calls}
    if not reads <= called or (isinstance(where, ast.NamedExpr) and where not in called):
        return
    owner = bound.value
    stays = isinstance(owner, ast.Name) and owner.id in once and _is_in_no_loop(where, tree)
    kept = placed(ast.Constant(None), owner) if stays else owner
    if isinstance(where.value, ast.Tuple):
        where.value.elts = [kept if value is bound else value for value in where.value.elts]
    else:
        where.value = kept
    for call in calls:
        of = copy.copy(owner) if stays else call.func
        call.func = ast.copy_location(ast.Attribute(of, bound.attr, ast.Load()), call.func)


def _is_in_no_loop(statement: ast.AST, tree: ast.Module) -> bool:
    """Tell whether a statement stands directly in a function, or in the source."""
    return statement in tree.body or any(
        statement in function.body for function in nodes_in(tree, ast.FunctionDef)
    )


def _methods_in(tree: ast.Module) -> Iterator[_Method]:
    """Yield the names that may be of methods which take several numbers of arguments."""
    named: list[tuple[ast.expr, ast.Assign | ast.NamedExpr, ast.expr]] = [
        (node.target, node, node.value) for node in nodes_in(tree, ast.NamedExpr)
    ]
    for statement in nodes_in(tree, ast.Assign):
        named += [(target, statement, value) for target, value in _assigned_by(statement)]
    for target, where, value in named:
        if isinstance(target, ast.Name) and isinstance(value, ast.Attribute):
            if value.attr in ("get", "index"):
                yield _Method(target.id, where, value)


def _aliases_in(scope: _Scope) -> Iterator[_Alias]:
    """Yield what may be aliases in a scope: each binding of a name to a function of Python's."""
    if not isinstance(scope, ast.Module):
        taken = scope.args
        by_place = [*taken.posonlyargs, *taken.args]
        first = len(by_place) - len(taken.defaults)
        for place, default in enumerate(taken.defaults, first):
            if isinstance(default, ast.Name) and default.id in _OWN and place:
                yield _Alias(by_place[place].arg, default.id, place=place + 1)
        for named, given in zip(taken.kwonlyargs, taken.kw_defaults, strict=True):
            if isinstance(given, ast.Name) and given.id in _OWN:
                yield _Alias(named.arg, given.id, place=math.inf)
    for statement in [] if isinstance(scope, ast.Lambda) else scope.body:
        if isinstance(statement, ast.Assign):
            after = statement.lineno, statement.col_offset
            if isinstance(scope, ast.Module):  # functions are called later
                after = 0, 0
            for target, value in _assigned_by(statement):
                if isinstance(target, ast.Name) and isinstance(value, ast.Name):
                    if value.id in _OWN:
                        yield _Alias(target.id, value.id, after)
    for loop in nodes_of_scope(scope, lambda function: function is not scope):
        match loop:
            case ast.comprehension(ast.Name(name), over) | ast.For(ast.Name(name), over):
                if own := _only_element(over):
                    is_for = isinstance(loop, ast.For)  # else it may be read before its clause
                    after = (over.lineno, over.col_offset) if is_for else (0, 0)
                    yield _Alias(name, own, after, is_alone=True)


def _only_element(over: ast.expr) -> str:
    """Return the function of Python's that alone is in a list, as in `[len]`; "" if none is."""
    match over:
        case ast.BinOp(ast.List() | ast.Tuple() as repeated, ast.Mult()):
            return _only_element(repeated)
        case ast.List([ast.Name(name)]) | ast.Tuple([ast.Name(name)]) if name in _OWN:
            return name
    return ""


def _assigned_by(statement: ast.Assign) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Yield targets of an assignment with their values, as far as the source shows them."""
    for target in statement.targets:
        match target, statement.value:
            case ast.Tuple(elts=targets), ast.Tuple(elts=values) if len(targets) == len(values):
                yield from zip(targets, values, strict=True)
            case ast.Name(), value:
                yield target, value


def _bound_by(scope: _Scope) -> Counter[str]:
    """Count how often a scope itself binds each name; a comprehension counts as part of it."""
    counts = Counter(bound_in(scope))
    for inner in nodes_of_scope(scope):
        if isinstance(inner, Functions) and inner is not scope:
            counts.subtract(bound_in(inner))
            counts[getattr(inner, "name", "")] += 1
    return counts


def _most_arguments(tree: ast.Module, bound: Mapping[str, int]) -> dict[ast.AST, float]:
    """Return the most arguments that functions are called with, where all calls are known."""
    named: dict[ast.AST, str] = {node: node.name for node in nodes_in(tree, ast.FunctionDef)}
    for statement in nodes_in(tree, ast.Assign):
        for target, value in _assigned_by(statement):
            if isinstance(target, ast.Name) and isinstance(value, ast.Lambda):
                named[value] = target.id
    counts: dict[ast.AST, int] = {}
    for call in nodes_in(tree, ast.Call):
        if not call.keywords and not any(isinstance(one, ast.Starred) for one in call.args):
            counts[call.func] = len(call.args)
    most: dict[str, float] = {}
    for name in nodes_in(tree, ast.Name):
        if isinstance(name.ctx, ast.Load):
            most[name.id] = max(most.get(name.id, 0), counts.get(name, math.inf))
    return {node: most.get(name, 0) for node, name in named.items() if bound[name] == 1}


def _kept_by(node: ast.AST) -> Iterator[str]:
    """Yield the names that a node shares between scopes, or deletes."""
    if isinstance(node, ast.Global | ast.Nonlocal):
        yield from node.names
    elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Del):
        yield node.id


def _rename(scope: _Scope, alias: _Alias) -> None:
    """Put the function's own name where the scope, or a function within it, reads the alias."""
    for node in nodes_of_scope(scope, lambda function: alias.name in bound_in(function)):
        if isinstance(node, ast.Name) and node.id == alias.name and isinstance(node.ctx, ast.Load):
            if (node.lineno, node.col_offset) >= alias.after:
                node.id = alias.own
