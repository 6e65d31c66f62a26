"""Writes out calls that a program has of itself, beside NumPy: `return transform(grid.T).T`.

Such a call turns the grid, so that the rest of the program treats one case alone. It is seldom
made more often than once within itself: the third call fails.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from megabatt.codegen.analysis.names import bound_in
from megabatt.codegen.analysis.nodes import copy_of_all, forget, is_call_of, nodes_in, placed

_LEVELS = 3
"""The number of times that a program is written, one within another."""


def with_own_calls(tree: ast.Module, is_program: Callable[[str], object]) -> ast.Module:
    """Return a source with programs' calls of themselves written out. May change `tree`."""
    body: list[ast.stmt] = []
    for part in tree.body:
        if isinstance(part, ast.FunctionDef) and is_program(part.name):
            body += _written_out(part, set(bound_in(tree)))
        body.append(part)
    if len(body) > len(tree.body):
        tree.body = body
        forget(tree)
    return tree


def _written_out(function: ast.FunctionDef, taken: set[str]) -> Iterator[ast.FunctionDef]:
    """Yield the functions that a function calls in place of itself; nothing if that is no case.

    The function must call itself in one place, in a `return` within an `if`.
    """
    name = function.name
    calls = [call for call in nodes_in(function, ast.Call) if is_call_of(name, call)]
    read = [node for node in nodes_in(function, ast.Name) if node.id == name]
    if len(calls) != 1 or len(read) != 1 or not any(
        isinstance(part, ast.Return) and calls[0] in ast.walk(part)
        for choice in nodes_in(function, ast.If) for part in (*choice.body, *choice.orelse)
    ):  # fmt: skip
        return
    names = [name, *(f"_{name}_{level}" for level in range(2, _LEVELS + 1))]
    if not taken.isdisjoint(names[1:]):
        return
    copies = [function, *(copy_of_all(function) for _ in names[1:])]
    for copy, own, other in zip(copies, names, [*names[1:], ""], strict=True):
        copy.name = own
        (call,) = (call for call in nodes_in(copy, ast.Call) if is_call_of(name, call))
        if other:
            call.func = placed(ast.Name(other, ast.Load()), call.func)
        else:
            _Raising(call).visit(copy)
        forget(copy)
    yield from reversed(copies[1:])


class _Raising(ast.NodeTransformer):
    """Raises an exception in place of the `return` with a call."""

    def __init__(self, call: ast.Call) -> None:
        self._call = call

    def visit_Return(self, node: ast.Return) -> ast.stmt:
        if self._call not in ast.walk(node):
            return node
        return placed(ast.Raise(ast.Name("RecursionError", ast.Load())), node)
