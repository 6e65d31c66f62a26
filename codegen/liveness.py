"""Finds the names that statements still read: what is assigned to other names is read no more."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence, Set

from megabatt.codegen.ownership import Comprehension, names_changed_in
from megabatt.codegen.scopes import (
    Functions,
    assigned_in,
    names_in,
    names_of,
    nodes_in,
    once_a_node,
)

Names = Set[str]
LOOPS = ast.For | ast.While


@once_a_node
def loads(node: ast.AST) -> Names:
    """Return the names that are read in a node, except by functions in it that define them."""
    inner = {name for part in nodes_in(node) for name in _inner_names(part)}
    return {
        part.id
        for part in nodes_in(node)
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load) and part not in inner
    }


def _inner_names(part: ast.AST) -> Iterator[ast.Name]:
    """Yield the nodes that name what a comprehension or a function itself defines."""
    names: Names
    if isinstance(part, Comprehension):
        names = {name for one in part.generators for name in names_in(one.target)}
        outside = nodes_in(part.generators[0].iter)
    elif isinstance(part, Functions):
        names, outside = names_of(part), nodes_in(part.args)
    else:
        return
    for node in nodes_in(part):
        if isinstance(node, ast.Name) and node.id in names and node not in outside:
            yield node


def read_by_functions(statements: Sequence[ast.AST], loop: ast.AST) -> set[str]:
    """Return the names that functions within statements, but not within a loop, may read later."""
    names: set[str] = set()
    inside = [] if isinstance(loop, Functions) else _functions_in(loop)
    for function in (function for node in statements for function in _functions_in(node)):
        if function not in inside:
            names |= loads(function) - names_of(function) | loads(function.args)
    return names


@once_a_node
def _functions_in(node: ast.AST) -> list[Functions]:
    """List the functions within a node, except those within others."""
    functions = [part for part in nodes_in(node) if isinstance(part, Functions)]
    inner = {part for function in functions for part in nodes_in(function)[1:]}
    return [function for function in functions if function not in inner]


def live_before(statements: Sequence[ast.stmt], after: Names, at_jump: Names) -> Names:
    """Return the names whose values are read by statements, or behind them.

    after: The names that are read behind the statements. at_jump: The names that are read after a
    `break` or `continue`.
    """
    for statement in reversed(statements):
        after = _live(statement, after, at_jump)
    return after


def _live(statement: ast.stmt, after: Names, at_jump: Names) -> Names:
    match statement:
        case ast.Assign(targets=targets):
            return (after - {name for t in targets for name in names_in(t)}) | loads(statement)
        case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr()):
            return (after - {name}) | loads(statement)
        case ast.FunctionDef(name=name):
            return (after - {name}) | loads(statement)
        case ast.AugAssign(target=target):
            return after | loads(statement) | set(names_in(target))
        case ast.If(test=test, body=body, orelse=orelse):
            sides = live_before(body, after, at_jump) | live_before(orelse, after, at_jump)
            return sides | loads(test)
        case ast.For(iter=over):
            return live_in_rounds(statement, after) | after | loads(over)
        case ast.While():
            return live_in_rounds(statement, after) | after
        case ast.Return():
            return loads(statement)
        case ast.Break() | ast.Continue():
            return at_jump
    return after | loads(statement)


def live_in_rounds(loop: LOOPS, after: Names) -> Names:
    """Return the names whose values from before a round of a loop are read in it, or later."""
    test = loads(loop.test) if isinstance(loop, ast.While) else set()
    live = live_before(loop.body, after | test, after | test) | test
    return live - set(names_in(loop.target)) if isinstance(loop, ast.For) else live


def kept_by(loop: LOOPS, after: Names) -> list[str]:
    """List the names whose values a loop hands to its next round, or leaves, in order.

    A function that is defined in a loop belongs to its round.
    """
    defined = {part.name for part in nodes_in(loop) if isinstance(part, ast.FunctionDef)}
    made = (assigned_in([loop]) | names_changed_in(loop)) - defined
    return sorted(made & (after | live_in_rounds(loop, after)))


def leaves(statement: ast.stmt) -> bool:
    """Tell whether a statement may leave its function, or the round of a loop around it."""
    if isinstance(statement, ast.If):
        return any(map(leaves, (*statement.body, *statement.orelse)))
    if isinstance(statement, LOOPS):
        return returns(statement)
    return isinstance(statement, ast.Return | ast.Break | ast.Continue)


def returns(statement: ast.stmt) -> bool:
    """Tell whether a statement may leave its function."""
    if isinstance(statement, ast.If | LOOPS):
        return any(map(returns, (*statement.body, *statement.orelse)))
    return isinstance(statement, ast.Return)


def breaks(statements: Iterable[ast.stmt]) -> bool:
    """Tell whether statements may end the loop around them."""
    return any(
        isinstance(statement, ast.Break)
        or (isinstance(statement, ast.If) and breaks((*statement.body, *statement.orelse)))
        for statement in statements
    )
