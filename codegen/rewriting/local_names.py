"""Gives the names of scopes others: each local a name of its own, by which its values are known.

While classes are read, `p` of one function and `p` of another have different names.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import count
from typing import Any

from megabatt.codegen.analysis.names import as_in_source, bound_in, named_in
from megabatt.codegen.analysis.nodes import Functions, forget, last_name, nodes_in, parameters_of
from megabatt.codegen.analysis.ownership import Comprehension
from megabatt.codegen.analysis.values import held_in

_OWN = " own:"
_SCOPES = Functions | ast.AsyncFunctionDef | ast.ClassDef | Comprehension


def is_own(name: str) -> bool:
    """Tell whether a name is one that a local has got, without anything before it."""
    return name.startswith(_OWN)


def with_locals_apart(tree: ast.Module) -> ast.Module:
    """Return a source in which each local has a name that nothing else has. Changes the tree.

    Parameters that calls give by name keep theirs, and so do imports and classes.
    """
    is_given, numbers = _Given(tree), count(1)

    def renamed(scope: ast.AST, names: set[str]) -> dict[str, str]:
        if scope is tree or isinstance(scope, ast.ClassDef):
            return {}
        begin = f"{_OWN}{next(numbers)}::"  # see `as_in_source`
        return {name: begin + name for name in names if not is_given(scope, name)}

    rename_in_scopes(tree, renamed)
    return tree


def with_locals_as_written(tree: ast.Module) -> ast.Module:
    """Return a source in which locals have the names that they had. Changes the tree.

    `size` becomes `size_` where its scope now reads something else with the name `size`.
    """

    def renamed(scope: ast.AST, names: set[str]) -> dict[str, str]:
        found = {name: as_in_source(name) for name in names if is_own(name)}
        read = read_around(scope) if found else set()
        for name in [name for name, written in found.items() if written in read]:
            others = {*map(as_in_source, {*named_in(scope), *bound_in(scope)} - {name})}
            while found[name] in others:
                found[name] += "_"
        return found

    rename_in_scopes(tree, renamed)
    return tree


class _Given:
    """Tells which parameters of functions calls may give by name."""

    def __init__(self, tree: ast.Module) -> None:
        self._held = {*held_in(tree)}
        self._callers: defaultdict[str | None, set[str]] = defaultdict(set)
        """By parameter, the names of functions in calls; under None, those given `**`."""
        for call in nodes_in(tree, ast.Call):
            for word in call.keywords:
                self._callers[word.arg].add(last_name(call.func))
        named: list[Any] = [*nodes_in(tree, ast.Name), *nodes_in(tree, ast.Attribute)]
        variables = {last_name(one) for one in named if isinstance(one.ctx, ast.Store)}
        variables |= {one.arg for one in nodes_in(tree, ast.arg)}
        defined: list[Any] = [*nodes_in(tree, ast.FunctionDef), *nodes_in(tree, ast.ClassDef)]
        self._fixed = {one.name for one in defined} - variables
        """The names that stand for nothing but what the source defines under them."""

    def __call__(self, scope: ast.AST, name: str) -> bool:
        """Tell whether a name of a scope is such a parameter."""
        callers = self._callers[name] | self._callers[None]
        if not callers or not isinstance(scope, Functions):
            return False
        if all(one.arg != name for one in parameters_of(scope)):
            return False
        function = as_in_source(getattr(scope, "name", ""))
        if function in callers or function.startswith("__"):
            return True
        return not callers <= self._fixed and (not function or function in self._held)


def rename_in_scopes(
    tree: ast.Module, renamed: Callable[[ast.AST, set[str]], Mapping[str, str]]
) -> None:
    """Give names that scopes bind others, also where scopes within them read the names.

    renamed: Returns the new names among those that a scope binds.
    """
    left: list[tuple[ast.AST, Mapping[str, str]]] = [(tree, {})]
    for scope, outer in left:
        nodes, inner = _nodes_of(scope)
        bound, fixed = _bound_by(scope, nodes, inner)
        here = {name: other for name, other in outer.items() if name not in bound | fixed}
        here |= renamed(scope, bound - fixed)
        if here:
            for node in nodes:
                _rename(node, here)
        within = outer if isinstance(scope, ast.ClassDef) else here  # methods do not see its names
        left += [(one, within) for one in inner]
    forget(tree)


def _nodes_of(scope: ast.AST) -> tuple[list[ast.AST], list[ast.AST]]:
    """Return the nodes within a scope that Python evaluates in it, and the scopes among them."""
    outside = {*_outside(scope)}
    nodes, inner = [scope], list[ast.AST]()
    for node in nodes:
        parts: Iterable[ast.AST] = ast.iter_child_nodes(node)
        if isinstance(node, _SCOPES) and node is not scope:
            inner.append(node)
            parts = _outside(node)
        nodes += [part for part in parts if part not in outside]
    return nodes[1:], inner


def _outside(scope: ast.AST) -> list[ast.AST]:
    """List the parts of a scope that Python evaluates around it."""
    match scope:
        case ast.Module():
            return []
        case ast.ClassDef():
            return [*scope.decorator_list, *scope.bases, *scope.keywords]
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.Lambda():
            given, decorators = scope.args, getattr(scope, "decorator_list", [])
            taken = [*parameters_of(scope), given.kwarg]  # type: ignore[arg-type]
            kinds = [one and one.annotation for one in taken] + [getattr(scope, "returns", None)]
            return [*filter(None, [*given.defaults, *given.kw_defaults, *kinds]), *decorators]
    return [scope.generators[0].iter]  # type: ignore[attr-defined]


def _bound_by(
    scope: ast.AST, nodes: Sequence[ast.AST], inner: Sequence[ast.AST]
) -> tuple[set[str], set[str]]:
    """Return the names that a scope binds, and those among them that cannot be renamed."""
    bound, fixed, shared = set[str](), set[str](), set[str]()
    for node in nodes:
        match node:
            case ast.Name(name, ast.Store() | ast.Del()) | ast.arg(name) | ast.FunctionDef(name):
                bound.add(name)
            case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)):
                bound.add(name)
            case ast.ClassDef() | ast.AsyncFunctionDef() | ast.MatchStar() | ast.MatchMapping():
                fixed.add(getattr(node, "name", None) or getattr(node, "rest", None) or "")
            case ast.alias():
                fixed.update(bound_in(node))
            case ast.Global(names):
                fixed.update(names)
            case ast.Nonlocal(names):
                shared.update(names)
    if isinstance(scope, Comprehension):
        shared.update(_assigned_in(nodes, ()))
    else:
        for one in inner:
            if isinstance(one, Comprehension):
                bound.update(_assigned_in(*_nodes_of(one)))
    return bound - shared, fixed


def _assigned_in(nodes: Sequence[ast.AST], inner: Sequence[ast.AST]) -> Iterator[str]:
    """Yield the names that `:=` in comprehensions assigns in the scope around them."""
    yield from (node.target.id for node in nodes if isinstance(node, ast.NamedExpr))
    for one in inner:
        if isinstance(one, Comprehension):
            yield from _assigned_in(*_nodes_of(one))


def read_around(scope: ast.AST) -> set[str]:
    """Return the names that a scope, or one within it, reads of what is around the scope.

    Those are among them that it binds, and reads beside a local that is written so.
    """
    nodes, inner = _nodes_of(scope)
    read = {node.id for node in nodes if isinstance(node, ast.Name)}
    within = set[str]().union(*map(read_around, inner))
    written = {as_in_source(name) for name in read | within if is_own(name)}
    hidden = set[str]().union(*_bound_by(scope, nodes, inner)) - written
    return (read - hidden) | (within if isinstance(scope, ast.ClassDef) else within - hidden)


def _rename(node: ast.AST, names: Mapping[str, str]) -> None:
    """Give what a node names other names."""
    match node:
        case ast.Name(name):
            node.id = names.get(name, name)
        case ast.arg(name):
            node.arg = names.get(name, name)
        case ast.FunctionDef() | ast.ExceptHandler(name=str()) | ast.MatchAs(name=str()):
            node.name = names.get(str(node.name), node.name)
        case ast.Nonlocal(shared):
            node.names = [names.get(name, name) for name in shared]
