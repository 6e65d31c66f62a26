"""Which functions can be called at all: what they call must take what it is given.

A function's body is followed as a call of it would be, with kinds in the place of values. Kinds are
approximations, so only calls that fail for certain are found.
"""

from __future__ import annotations

from typing import Any

from megabatt.runtime.engine.calls.registry import Primitive, Type, primitive_of
from megabatt.runtime.engine.plan.bank import Bank
from megabatt.runtime.engine.plan.graph import Shape
from megabatt.runtime.engine.values import arity_of
from megabatt.runtime.search.typed import Vocabulary


class Value:
    """A value in the place of which a kind stands, or the layout of a bank's value."""

    def __init__(self, kind: Any = "any", layout: int | None = None) -> None:
        self.kind = kind
        self.layout = layout


class Mismatch(Exception):
    """A call fails whatever the values are."""


class Follower:
    """Makes calls on kinds, as `engine.calls.dispatch.Calls` makes them on columns."""

    def __init__(self, bank: Bank, vocabulary: Vocabulary, bound: list[int | None]) -> None:
        """bound: the layouts of what the function binds."""
        self._bank = bank
        self._vocabulary = vocabulary
        self._bound = [Value(layout=layout) for layout in bound]

    def call(self, function: Any, args: list[Any]) -> Any:
        """Follow a call of a function's shape. Raises Mismatch."""
        if isinstance(function, tuple):
            kind, arity, _, _, parts = function
            if arity != len(args):
                raise Mismatch
            return kind.calls(self, list(parts), args)
        if isinstance(function, int):
            raise Mismatch
        if isinstance(function, Value):
            return Value()
        primitive = primitive_of(function)
        return Value() if primitive is None else self.apply(primitive, args)

    def apply(self, primitive: Primitive, args: list[Any]) -> Any:
        """Follow a call of a primitive. Raises Mismatch."""
        if primitive.arity != len(args):
            raise Mismatch
        values = [self._value(arg) for arg in args]
        for declared, value in zip(primitive.types, values, strict=True):
            if not self._takes(declared, value):
                raise Mismatch
        if primitive.name not in self._vocabulary.primitives:
            return Value()
        kinds = [value.kind for value in values]
        return Value(self._vocabulary.result_of(primitive.name, kinds, {}))

    def _value(self, arg: Any) -> Value:
        if isinstance(arg, int):
            return self._bound[arg]
        return arg if isinstance(arg, Value) else Value("function")

    def _takes(self, declared: Type, value: Value) -> bool:
        if value.kind == "function":
            return declared.may_be_functions
        if value.layout is not None:
            return declared.name == "Any" or self._bank.takes(declared, value.layout)
        return self._vocabulary.accepts(declared.name, value.kind)


def may_be_called(
    bank: Bank, vocabulary: Vocabulary, shape: Shape, bound: list[int | None]
) -> bool:
    """Whether some call of a function of a shape may succeed.

    bound: the layouts of the values that it binds, as far as they are known.
    """
    if not isinstance(shape, tuple):
        return True
    args = [Value() for _ in range(shape[1])]
    try:
        Follower(bank, vocabulary, bound).call(shape, args)
    except Mismatch:
        return False
    except NotImplementedError:
        return True
    return True
