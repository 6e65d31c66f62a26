"""Renames what hides Python's functions: `copy = grid[:]` becomes `copy_ = grid[:]`.

By its own name it is then known what a function of Python's does.
"""

from __future__ import annotations

import ast

from megabatt.codegen.analysis.names import bound_in, names_shared_in
from megabatt.codegen.analysis.nodes import nodes_in
from megabatt.codegen.analysis.ownership import KNOWN, Comprehension
from megabatt.codegen.operations.python_functions import BUILTINS
from megabatt.codegen.rewriting.local_names import rename_in_scopes
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

    def renamed(scope: ast.AST, names: set[str]) -> dict[str, str]:
        is_apart = isinstance(scope, ast.ClassDef | Comprehension)
        return {} if is_apart else {name: others[name] for name in names & others.keys()}

    rename_in_scopes(tree, renamed)
    return tree
