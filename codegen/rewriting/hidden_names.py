"""Renames what hides Python's functions: `copy = grid[:]` becomes `copy_ = grid[:]`.

By its own name it is then known what a function of Python's does.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence

from megabatt.codegen.analysis.names import bound_in, names_shared_in
from megabatt.codegen.analysis.nodes import Functions, forget, nodes_in, nodes_of_scope
from megabatt.codegen.analysis.ownership import KNOWN
from megabatt.codegen.operations.python_functions import BUILTINS
from megabatt.codegen.rewriting.places import PURE

_OWN = KNOWN | PURE | BUILTINS.keys()


def without_hidden_names(tree: ast.Module) -> ast.Module:
    """Return a source whose own values have no names of Python's functions. May change `tree`.

    These names stay: those that are imported, or shared by `nonlocal` and `global`, parameters that
    calls give by name, fields of classes, variables of comprehensions alone, and functions of the
    module that nothing reads, since they may be programs.
    """
    bound = set(bound_in(tree))
    if _OWN.isdisjoint(bound):
        return tree
    kept = names_shared_in(tree).union(keyword.arg for keyword in nodes_in(tree, ast.keyword))
    kept.update(*map(bound_in, nodes_in(tree, ast.ClassDef)))
    read = {node.id for node in nodes_in(tree, ast.Name) if isinstance(node.ctx, ast.Load)}
    kept.update({function.name for function in tree.body if hasattr(function, "name")} - read)
    taken = bound | read
    others = {}
    for name in _OWN & bound - kept:
        others[name] = f"{name}_"
        while others[name] in taken:
            others[name] += "_"
    _rename(tree.body, others, {})
    forget(tree)
    return tree


def _rename(scope: Sequence[ast.AST], others: Mapping[str, str], outer: Mapping[str, str]) -> None:
    """Rename in a scope, and in those within it. outer: The new names of what is around it."""
    nodes = [*nodes_of_scope(scope)]
    imported = {name for node in nodes if isinstance(node, ast.alias) for name in bound_in(node)}
    bound = set(_bound_by(nodes)) | imported
    here = {name: other for name, other in outer.items() if name not in bound}
    here |= {name: others[name] for name in bound & others.keys() - imported}
    for node in nodes:
        match node:
            case ast.Name(id=name):
                node.id = here.get(name, name)
            case ast.arg(arg=name):
                node.arg = here.get(name, name)
            case ast.FunctionDef(name=name):
                node.name = here.get(name, name)
        if isinstance(node, Functions):
            body = node.body if isinstance(node, ast.FunctionDef) else [node.body]
            _rename([*nodes_in(node.args, ast.arg), *body], others, here)


def _bound_by(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """Yield the names that a scope of some nodes binds itself, but for those that it imports."""
    of_comprehensions: set[ast.AST] = set()
    for node in nodes:
        match node:
            case ast.comprehension(target=target):
                of_comprehensions.update(ast.walk(target))
            case ast.Name(id=name, ctx=ast.Store()) if node not in of_comprehensions:
                yield name
            case ast.arg(arg=name) | ast.FunctionDef(name=name):
                yield name
