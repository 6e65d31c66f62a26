"""Writes functions that are values as their numbers, and their calls by such a number.

    turn = [np.fliplr, np.flipud]         turn = [1, 2]
    a = turn[k](a)                        a = np.fliplr(a) if turn[k] == 1 else np.flipud(a)
"""

from __future__ import annotations

import ast
from typing import Any

from megabatt.codegen.analysis.names import bound_in, named_in
from megabatt.codegen.analysis.nodes import placed
from megabatt.codegen.analysis.ownership import may_change
from megabatt.codegen.arrays.calls import Value
from megabatt.codegen.arrays.forms import changed
from megabatt.codegen.arrays.functions import ALIASES, EACH, expression, forms
from megabatt.codegen.arrays.kinds import Chosen, Function, Kind, Known, joined, spread
from megabatt.codegen.arrays.special import SpecialCalls
from megabatt.codegen.errors import Wrong
from megabatt.codegen.fields import for_now


class ChosenFunctions(SpecialCalls):
    """Writes functions that are values."""

    frame: Any
    """The names at hand, see `Frame`."""

    def __init__(self, tree: ast.Module) -> None:
        super().__init__(tree)
        self._functions: list[tuple[Kind | ast.Lambda, Any]] = []
        self._numbers: dict[tuple[Kind | ast.Lambda, Any], int] = {}

    def held(self, node: ast.expr) -> Value:
        """Return an expression rewritten, whose value a name or a container will hold."""
        raise NotImplementedError

    def as_held(self, node: ast.AST, value: Value) -> Value:
        """Return a value as one that may be held: a view holds what it is of."""
        raise NotImplementedError

    def of_function(self, node: ast.Call, function: Function) -> Value:
        """Write a call of a function of the source."""
        raise NotImplementedError

    def read_Lambda(self, node: ast.Lambda) -> Value:
        return self._number(node, node)

    def as_number(self, node: ast.AST, value: Value) -> Value:
        """Return a function as its number, and any other value as it is."""
        module, _, name = getattr(value.kind, "name", "").partition(".")
        is_of_numpy = module == "numpy" and name in ALIASES.keys() | EACH.keys() | forms().keys()
        is_function = isinstance(value.kind, Function) or is_of_numpy
        return self._number(node, value.kind) if is_function else value

    def _number(self, node: ast.AST, function: Kind | ast.Lambda) -> Value:
        """Return the number of a function."""
        around = self.frame.within()[-1] if isinstance(function, ast.Lambda) else None
        if (function, around) not in self._numbers:
            self._functions.append((function, self.frame))
        number = self._numbers.setdefault((function, around), len(self._functions))
        return Value(placed(ast.Constant(number), node), Chosen(frozenset([number])))

    def of_chosen(self, node: ast.Call, chosen: Value) -> Value:
        """Write a call of a function that is a value."""
        if may_change(chosen.node):  # it is computed again and again
            raise Wrong(node.func, "a function from what changes here is not read: name it before")
        made, kinds = self.failing(node).node, []
        for number in sorted(chosen.kind.numbers, reverse=True):  # type: ignore[attr-defined]
            call = self._called(node, *self._functions[number - 1])
            kinds.append(call.kind)
            is_it = self.filled(expression(f"x == {number}"), {"x": chosen.node}, node)
            made = placed(ast.IfExp(is_it, call.node, made), node)
        return Value(made, joined(kinds), made)

    def _called(self, node: ast.Call, function: Kind | ast.Lambda, frame: Any) -> Value:
        """Write a call of one function. frame: The names where it became a value."""
        if isinstance(function, Known):
            called = self._named(function.name.removeprefix("numpy.")).func
            return self.held(placed(changed(node, func=called), node))
        if isinstance(function, Function):
            if function.frame not in self.frame.outward():
                raise Wrong(node, f"{function.node.name!r} is called where it is not defined")
            return self.as_held(node, self.of_function(node, function))
        assert isinstance(function, ast.Lambda)
        for name in named_in(function) - {*bound_in(function)}:
            if self.frame.home_of(name) is not frame.home_of(name):
                what = f"{name!r} of a lambda is not known where the lambda is called"
                raise Wrong(node, f"{what}: give it as an argument")
        if node.keywords:
            raise Wrong(node, "a lambda from a container is called with its arguments in order")
        given = list(map(self.held, node.args))
        with for_now(self, frame=frame):
            kinds = spread(node.args, [one.kind for one in given], len(function.args.args))
            written, kind = self.function(function, list(kinds))
        made = placed(ast.Call(written, [one.node for one in given], []), node)
        return Value(made, kind, made)
