"""Finds the names that statements still read: what is assigned to other names is read no more."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence, Set
from typing import Any, NamedTuple, get_args

from megabatt.codegen.analysis.names import assigned_by, names_in, names_of
from megabatt.codegen.analysis.nodes import Functions, functions_in, nodes_in, once_a_node
from megabatt.codegen.analysis.ownership import Comprehension, names_changed_in

Names = Set[str]
LOOPS = ast.For | ast.While
_COMPREHENSIONS: tuple[type[Any], ...] = get_args(Comprehension)


@once_a_node
def loads(node: ast.AST) -> Names:
    """Return the names that are read in a node, except by functions in it that define them."""
    inner = {name for part in _functions_of_names_in(node) for name in _inner_names(part)}
    names = nodes_in(node, ast.Name)
    return {name.id for name in names if isinstance(name.ctx, ast.Load) and name not in inner}


def _functions_of_names_in(node: ast.AST) -> list[Functions | Comprehension]:
    """List the functions and comprehensions within a node, which define names of their own."""
    made = [part for kind in _COMPREHENSIONS for part in nodes_in(node, kind)]
    return [*functions_in(node), *made]


def _inner_names(part: Functions | Comprehension) -> list[ast.Name]:
    """List the nodes that name what a comprehension or a function itself defines."""
    names: Names
    outside: ast.AST
    if isinstance(part, Functions):
        names, outside = names_of(part), part.args
    else:
        names = {name for one in part.generators for name in names_in(one.target)}
        outside = part.generators[0].iter
    of_outside = nodes_in(outside, ast.Name)
    inside = nodes_in(part, ast.Name)
    return [name for name in inside if name.id in names and name not in of_outside]


def read_by_functions(statements: Sequence[ast.AST], but_in: ast.AST) -> set[str]:
    """Return the names that functions within statements may read later.

    but_in: A node whose functions do not count.
    """
    names: set[str] = set()
    inside = [] if isinstance(but_in, Functions) else _outer_functions_in(but_in)
    for function in (function for node in statements for function in _outer_functions_in(node)):
        if function not in inside:
            names |= loads(function) - names_of(function) | loads(function.args)
    return names


@once_a_node
def _outer_functions_in(node: ast.AST) -> list[Functions]:
    """List the functions within a node, except those within others."""
    functions = functions_in(node)
    inner = {part for f in functions for part in functions_in(f) if part is not f}
    return [function for function in functions if function not in inner]


class Flow(NamedTuple):
    """What statements do with the values that names have before them.

    reads: The names whose values they read. ends: The names that they assign on every way to their
    end; None if no way leads there. jumps: The same for the ways to a `break` or `continue`.
    """

    reads: Names
    ends: Names | None
    jumps: Names | None

    def before(self, after: Names, at_jump: Names) -> Names:
        """Return the names whose values are read by the statements, or behind them.

        after: The names that are read behind the statements. at_jump: The names that are read after
        a `break` or `continue`.
        """
        live = self.reads
        if self.ends is not None:
            live = live | (after - self.ends)
        return live if self.jumps is None else live | (at_jump - self.jumps)


_NONE: Names = frozenset()


def flow_of(statements: Iterable[ast.stmt]) -> Flow:
    """Return what statements of a block do together."""
    reads: set[str] = set()
    assigned: set[str] = set()
    jumps: Names | None = None
    for statement in statements:
        flow = _flow(statement)
        reads |= flow.reads - assigned
        if flow.jumps is not None:
            jumps = _on_both(jumps, assigned | flow.jumps)
        if flow.ends is None:
            return Flow(reads, None, jumps)
        assigned |= flow.ends
    return Flow(reads, assigned, jumps)


def _of_sides(test: ast.expr, one: Flow, other: Flow) -> Flow:
    """Return what an `if` does of which one side does `one`, and the other `other`."""
    reads = loads(test) | one.reads | other.reads
    return Flow(reads, _on_both(one.ends, other.ends), _on_both(one.jumps, other.jumps))


def _on_both(one: Names | None, other: Names | None) -> Names | None:
    """Return what is assigned on every way if some ways assign `one`, and all others `other`."""
    if one is None or other is None:
        return other if one is None else one
    return one & other


@once_a_node
def _flow(statement: ast.stmt) -> Flow:
    match statement:
        case ast.Assign() | ast.AnnAssign(ast.Name(), value=ast.expr()) | ast.FunctionDef():
            return Flow(loads(statement), assigned_by(statement), None)
        case ast.AugAssign():
            return Flow(loads(statement) | assigned_by(statement), _NONE, None)
        case ast.If():
            chain = [statement]
            while len(chain[-1].orelse) == 1 and isinstance(chain[-1].orelse[0], ast.If):
                chain.append(chain[-1].orelse[0])  # there may be hundreds of `elif`
            flow = flow_of(chain[-1].orelse)
            for way in reversed(chain):
                flow = _of_sides(way.test, flow_of(way.body), flow)
            return flow
        case ast.For() | ast.While():
            reads = read_in_rounds(statement) | flow_of(statement.orelse).reads
            over = loads(statement.iter) if isinstance(statement, ast.For) else _NONE
            return Flow(reads | over, _NONE, None)
        case ast.Try(body, handlers, orelse, finalbody):
            ways = [body, *[handler.body for handler in handlers], orelse, finalbody]
            flows = list(map(flow_of, ways))
            jumps = _NONE if any(flow.jumps is not None for flow in flows) else None
            return Flow({name for flow in flows for name in flow.reads}, _NONE, jumps)
        case ast.Return() | ast.Raise():
            return Flow(loads(statement), None, None)
        case ast.Break() | ast.Continue():
            return Flow(_NONE, None, _NONE)
    return Flow(loads(statement), _NONE, None)


@once_a_node
def read_in_rounds(loop: LOOPS) -> Names:
    """Return the names whose values from before a round of a loop are read in a round."""
    reads = flow_of(loop.body).reads
    if isinstance(loop, ast.While):
        return reads | loads(loop.test)
    return reads - set(names_in(loop.target)) | loads(loop.target)


def defined_in(loop: LOOPS) -> Names:
    """Return the names of the functions that a loop defines."""
    functions = _outer_functions_in(loop)
    return {function.name for function in functions if isinstance(function, ast.FunctionDef)}


def kept_by(loop: LOOPS, after: Names) -> list[str]:
    """List the names whose values a loop hands to its next round, or leaves, in order.

    A function that is defined in a loop belongs to its round.
    """
    made = (assigned_by(loop) | names_changed_in(loop)) - defined_in(loop)
    return sorted(made & (after | read_in_rounds(loop)))


def leaves(statement: ast.stmt) -> bool:
    """Tell whether a statement may leave its function, or the round of a loop around it.

    A loop that may raise an exception is left as others are: then all of it fails.
    """
    if isinstance(statement, ast.If):
        return any(map(leaves, (*statement.body, *statement.orelse)))
    if isinstance(statement, LOOPS):
        return returns(statement)
    return isinstance(statement, ast.Return | ast.Raise | ast.Break | ast.Continue)


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
