"""Finds calls of `itertools.groupby` whose groups are used before the next one is made."""

from __future__ import annotations

import ast
from collections.abc import Callable, Container

from megabatt.codegen.analysis.names import named_in, names_in, names_shared_in
from megabatt.codegen.analysis.nodes import Functions, nodes_in
from megabatt.codegen.analysis.ownership import Comprehension

_USING = {
    "all", "any", "frozenset", "list", "max", "min", "set", "sorted", "sum", "tuple",
}  # fmt: skip
"""The functions of Python that use an iterator at once."""


_MADE_LISTS = {"list", "sorted", "tuple"}


def fitting_groups(tree: ast.Module, is_groups: Callable[[ast.AST], bool]) -> set[ast.AST]:
    """Return the calls of `groupby` that may give lists, for all that the source does with them."""
    calls: set[ast.AST] = {call for call in nodes_in(tree, ast.Call) if is_groups(call)}
    return calls & _Uses(tree).fitting() if calls else calls


def group_in(target: ast.expr, over: ast.expr, calls: Container[ast.AST]) -> str:
    """Return the name of the group where a loop is over some calls; "" for another loop."""
    made, call = _taken(target, over)
    match made:
        case ast.Tuple([_, ast.Name(name)]) if call in calls:
            return name
    return ""


def _taken(target: ast.expr, over: ast.expr) -> tuple[ast.expr, ast.expr]:
    """Return what a loop takes, and from where; without the numbers of `enumerate`."""
    match target, over:
        case ast.Tuple([_, inner]), ast.Call(ast.Name("enumerate"), [call, *_]):
            return inner, call
    return target, over


class _Uses:
    """What a source does with the elements that its loops and calls take."""

    def __init__(self, tree: ast.Module) -> None:
        self._tree = tree
        self._shared = names_shared_in(tree)
        self._around = {
            part: node for node in ast.walk(tree) for part in ast.iter_child_nodes(node)
        }

    def fitting(self) -> set[ast.AST]:
        """Return the expressions whose elements may be pairs with a group, used at once."""
        found: set[ast.AST] = set()
        for loop in nodes_in(self._tree, ast.For):
            target, over = _taken(loop.target, loop.iter)
            if self._fits(target, loop):
                found.add(over)
        for part in nodes_in(self._tree, ast.comprehension):
            target, over = _taken(part.target, part.iter)
            if self._fits(target, part):
                found.add(over)
        for call in nodes_in(self._tree, ast.Call):
            match call:
                case ast.Call(ast.Name("len"), [ast.Call(ast.Name("list" | "tuple"), [over])]):
                    found.add(over)
                case ast.Call(ast.Name("len"), [ast.List([ast.Starred(over)])]):
                    found.add(over)
        return found

    def _fits(self, target: ast.expr, loop: ast.For | ast.comprehension) -> bool:
        """Tell whether a loop uses the group in its target, or in the tuple it is, at once."""
        match target:
            case ast.Name(name):
                return not self._reads(name, loop)
            case ast.Tuple([_, ast.Name(name)]) if name not in self._shared:
                reads = self._reads(name, loop)
                if isinstance(loop, ast.For):
                    return _begins_with_list(name, loop.body) or all(
                        self._is_at_once(one, loop) for one in reads
                    )
                return not reads or (len(reads) == 1 and self._is_at_once(reads[0], loop))
        return False

    def _reads(self, name: str, loop: ast.AST) -> list[ast.Name]:
        """List the places that may read a name that a loop binds."""
        scope = self._around[loop]
        while isinstance(loop, ast.For) and not isinstance(scope, ast.FunctionDef | ast.Module):
            scope = self._around[scope]
        names = [one for one in nodes_in(scope, ast.Name) if one.id == name]
        return [
            one for one in names
            if isinstance(one.ctx, ast.Load) and not self._is_of_other(one, loop, scope)
        ]

    def _is_of_other(self, read: ast.Name, loop: ast.AST, scope: ast.AST) -> bool:
        """Tell whether another loop, or comprehension, binds a name anew where it is read."""
        node: ast.AST = read
        while node is not scope:
            node, inside = self._around[node], node
            match node:
                case ast.For(target):
                    is_within = inside in node.body
                    targets = [target]
                case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
                    is_within = inside is not node.generators[0] or read in node.generators[0].ifs
                    targets = [part.target for part in node.generators]
                case _:
                    continue
            if is_within and any(read.id in names_in(target) for target in targets):
                return loop not in (node, *getattr(node, "generators", ()))
        return False

    def _is_at_once(self, read: ast.Name, loop: ast.For | ast.comprehension) -> bool:
        """Tell whether a group is used up where it is read, once in a round of a comprehension."""
        node: ast.AST = read
        around = self._around[read]
        match around:
            case ast.Call(ast.Name(name), [first, *_]):
                is_used = first is read and name in _USING
            case ast.comprehension():
                is_used = around.iter is read
                whole = self._around[around]
                if self._around[loop] is not whole:
                    node, around = whole, self._around[whole]
                    is_used &= whole.generators[0].iter is read and (  # type: ignore[attr-defined]
                        not isinstance(whole, ast.GeneratorExp) or self._is_used(whole)
                    )
            case _:
                is_used = isinstance(around, ast.For | ast.Starred)
        return is_used and self._is_in_round(node, loop)

    def _is_used(self, made: ast.AST) -> bool:
        around = self._around[made]
        return isinstance(around, ast.Call) and getattr(around.func, "id", "") in _USING

    def _is_in_round(self, node: ast.AST, loop: ast.For | ast.comprehension) -> bool:
        """Tell whether a loop computes a node in its rounds; a comprehension, once in each."""
        around = self._around[node]
        while not isinstance(around, Functions | Comprehension | ast.Module | ast.comprehension):
            if around is loop:
                return node in loop.body  # type: ignore[union-attr]
            node, around = around, self._around[around]
        whole = self._around[loop]
        if isinstance(loop, ast.For) or not isinstance(whole, Comprehension):
            return False
        behind = whole.generators[whole.generators.index(loop) + 1 :]
        if around is whole:
            return not behind and node is not loop
        return around is loop or (around in behind[:1] and node is behind[0].iter)


def _begins_with_list(name: str, body: list[ast.stmt]) -> bool:
    """Tell whether statements make a list of a group, under its name, before they read it."""
    for statement in body:
        match statement:
            case ast.Assign([ast.Name(to)], ast.Call(ast.Name(made), [ast.Name(read)], [])):
                if to == read == name and made in _MADE_LISTS:
                    return True
        if name in named_in(statement):
            return False
    return False
