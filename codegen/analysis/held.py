"""Tells with how many arguments a source calls functions that are held in containers."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator

from megabatt.codegen.analysis.nodes import is_call_of, nodes_in


def counts_of_calls(tree: ast.AST) -> set[int]:
    """Return the numbers of arguments with which a source calls what may come from a container."""
    held = _Held(tree)
    calls = (one for call in nodes_in(tree, ast.Call) for one in _functions_called_by(call))
    return {count for function, count in calls if held.may_be(function)}


def _functions_called_by(call: ast.Call) -> Iterator[tuple[ast.expr, int]]:
    """Yield the functions that a call calls, each with its number of arguments.

    With `*elements`, a function that is held is refused.
    """
    for word in call.keywords:
        if word.arg == "key":
            yield word.value, 1
    if any(isinstance(part, ast.Starred) for part in call.args):
        return
    yield call.func, len(call.args)
    match call:
        case ast.Call(ast.Name("map"), [function, *given]):
            yield function, len(given)
        case ast.Call(ast.Name("reduce") | ast.Attribute(attr="reduce"), [function, *_]):
            yield function, 2
        case ast.Call(ast.Name("filter"), [function, *_]):
            yield function, 1


class _Held:
    """The names that may stand for functions from containers; one name is one in all scopes."""

    def __init__(self, tree: ast.AST) -> None:
        lambdas = {
            target for statement in nodes_in(tree, ast.Assign)
            if isinstance(statement.value, ast.Lambda) for target in statement.targets
        }  # fmt: skip
        names, calls = nodes_in(tree, ast.Name), nodes_in(tree, ast.Call)
        self._names = {
            name.id for name in names if isinstance(name.ctx, ast.Store) and name not in lambdas
        }
        for function in nodes_in(tree, ast.Lambda):
            self._names.update(argument.arg for argument in nodes_in(function.args, ast.arg))
        self._functions: defaultdict[str, list[ast.FunctionDef]] = defaultdict(list)
        for definition in nodes_in(tree, ast.FunctionDef):
            self._functions[definition.name].append(definition)
        called = {call.func for call in calls}
        for name in names:
            if name not in called:  # what is held itself may be called with anything
                self._give(name.id, None)
        count = -1
        while count != len(self._names):
            count = len(self._names)
            for call in calls:
                self._give(getattr(call.func, "id", ""), call)

    def _give(self, name: str, call: ast.Call | None) -> None:
        """Add the parameters that get a value from a container in a call; all without a call."""
        for function in self._functions.get(name, ()):
            for place, argument in enumerate(nodes_in(function.args, ast.arg)):
                if call is None or any(map(self.may_be, _given(call, place, argument.arg))):
                    self._names.add(argument.arg)

    def may_be(self, node: ast.expr) -> bool:
        """Tell whether the value of an expression may be a function from a container."""
        if isinstance(node, ast.Name):
            return node.id in self._names
        return not (isinstance(node, ast.Lambda | ast.Attribute) or is_call_of("type", node))


def _given(call: ast.Call, place: int, name: str) -> Iterator[ast.expr]:
    """Yield what a call may give for a parameter."""
    yield from (part for part in call.args if isinstance(part, ast.Starred))
    yield from call.args[place : place + 1]
    yield from (word.value for word in call.keywords if word.arg in (name, None))
