"""Tells what statements outside of functions may change, which are not read."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Set
from typing import Any

from megabatt.codegen.analysis.liveness import loads
from megabatt.codegen.analysis.names import named_in, names_of, names_shared_in
from megabatt.codegen.analysis.nodes import Functions, all_nodes_in, nodes_in
from megabatt.codegen.analysis.ownership import CHANGING, names_changed_in
from megabatt.codegen.analysis.scopes import Deferred, Local

_OF_ALL_NAMES = {"exec", "globals", "locals", "vars"}
"""The functions of Python that may change any name."""
_CHANGING_GIVEN = {
    "delattr", "heapify", "heappop", "heappush", "heappushpop", "heapreplace", "insort",
    "insort_left", "insort_right", "setattr", "shuffle",
}  # fmt: skip
"""The functions of Python's modules that change what they are given."""
_OF_METHODS = {"deque", "dict", "list", "set"}
"""The types whose methods may be called by the type's name, as in `list.append(rows, row)`."""


def changed_by_calls(
    statement: ast.stmt, names: Mapping[str, Any], unread: Mapping[str, Functions]
) -> Set[str]:
    """Return the names whose values may change by what a statement calls.

    names: The meanings of the module's names. unread: Its functions that cannot be read.
    """
    if not named_in(statement).isdisjoint(_OF_ALL_NAMES):
        return set(names)
    if isinstance(statement, ast.Assign | ast.AnnAssign) and not nodes_in(statement, ast.Call):
        return frozenset()
    changed: set[str] = set()
    if isinstance(statement, ast.For | ast.With) and names_changed_in(statement):
        changed |= loads(statement)  # its targets may be other names of them
    called: list[ast.AST] = [statement]
    for node in called:
        own = names_of(node) if isinstance(node, Functions) else frozenset()
        for part in all_nodes_in(node):
            if isinstance(part, ast.Call | ast.Attribute):
                changed |= _changed_by(part, names) - own
                continue
            name = getattr(part, "id", "")
            meaning = names.get(name)
            function = meaning.node if isinstance(meaning, Local) else unread.get(name)
            if isinstance(part, ast.Lambda) and node is statement:  # it may be called at once
                function = part
            if function is not None and function not in called:
                called.append(function)
                changed |= names_changed_in(function) - names_of(function)
                changed |= names_shared_in(function)
                given = {argument.arg for argument in nodes_in(function.args, ast.arg)}
                if not given.isdisjoint(names_changed_in(function)):
                    changed |= loads(statement) | (loads(node) - own)
    return changed


def _changed_by(part: ast.AST, names: Mapping[str, Any]) -> Set[str]:
    """Return the names whose values may change by a method, or a function of a module."""
    match part:
        case ast.Call(ast.Attribute(attr=name) | ast.Name(name)) if name in _CHANGING_GIVEN:
            return loads(part)
        case ast.Call(ast.Attribute(ast.Name(owner), name)) if owner in _OF_METHODS:
            return loads(part) if name in CHANGING else frozenset()
        case ast.Attribute(owner, name) if name in CHANGING:
            return loads(owner)
        case ast.Call(ast.Name(name)):
            named = names.get(name)
            if isinstance(named, Deferred) and isinstance(named.value, ast.Attribute):
                return loads(named.value)
    return frozenset()
