"""The signatures of functions. Functions that would fail in every call are not built.

A function's signature comes from following a call of the function, with kinds in the place of
values. Kinds are approximations: only calls that fail for certain are found.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

from megabatt.runtime.engine.language.limits import LimitError
from megabatt.runtime.engine.language.registry import Primitive
from megabatt.runtime.engine.language.types import Declared
from megabatt.runtime.megabatch.verify.kinds import Kind
from megabatt.runtime.search.bank import Bank
from megabatt.runtime.search.typed import Vocabulary


class Signature(NamedTuple):
    """A function's signature. takes: Each argument's declared types. gives: The result's kind."""

    takes: tuple[frozenset[Declared], ...]
    gives: Kind


Operand: TypeAlias = "Signature | frozenset[Declared]"
"""An operand of a call that builds a function: a function, or a value with its possible types."""


class FunctionSignatures:
    """The signatures of functions that a language's primitives build, found once for all tasks."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        self._built: dict[tuple[str, tuple[Operand, ...]], Signature | None] = {}
        self._fitting: dict[tuple[str, tuple[int | None, ...]], bool] = {}
        declared = [of for p in vocabulary.primitives.values() for of in p.types]
        self.types = tuple(dict.fromkeys(declared))

    def of_primitive(self, primitive: Primitive) -> Signature:
        """Return a primitive's signature."""
        types = tuple([frozenset([declared]) for declared in primitive.types])
        return Signature(types, self._vocabulary.function_kind(primitive)[2])

    def of_built(self, primitive: Primitive, operands: tuple[Operand, ...]) -> Signature | None:
        """Return the signature of functions that a primitive builds; None if all calls fail."""
        key = (primitive.name, operands)
        if key not in self._built:
            self._built[key] = self._follow(primitive, operands)
        return self._built[key]

    def fit(self, primitive: Primitive, arities: tuple[int | None, ...]) -> bool:
        """Tell whether some operands of these arities build a function, and not all calls fail.

        arities: None for a value that is no function.
        """
        key = (primitive.name, arities)
        if key not in self._fitting:
            types, any_type = frozenset(self.types), frozenset[Declared]()
            operands = [types if n is None else Signature((any_type,) * n, "any") for n in arities]
            self._fitting[key] = self._follow(primitive, tuple(operands)) is not None
        return self._fitting[key]

    def _follow(self, primitive: Primitive, operands: tuple[Operand, ...]) -> Signature | None:
        arity = self._arity(primitive, operands)
        if arity is None:
            return None
        args = [_Value() for _ in range(arity)]
        calls = getattr(primitive.builds, "calls", None)
        gives: Kind = "any"
        if calls is not None:
            bound = [of if isinstance(of, Signature) else _Value(types=of) for of in operands]
            try:
                gives = calls(_Follower(self._vocabulary), bound, args).kind
            except _Mismatch:
                return None
        return Signature(tuple([frozenset(arg.demands) for arg in args]), gives)

    def _arity(self, primitive: Primitive, operands: tuple[Operand, ...]) -> int | None:
        """Return the arity of functions that a primitive builds; None if it builds none."""
        args: list[Any] = []
        for declared, of in zip(primitive.types, operands, strict=True):
            if isinstance(of, Signature):
                if len(of.takes) >= len(_STAND_INS):
                    return None
                args.append(_STAND_INS[len(of.takes)])
            elif declared.may_be_functions:
                args.append(_A_VALUE)
            else:
                args.append(1)  # the arity is the same whatever the Integer
        try:
            return primitive.function(*args).arity  # type: ignore[no-any-return]
        except (TypeError, ValueError, LimitError):
            return None


class Signatures:
    """The signatures of a bank's functions by number. The number, -1 or below, is the layout."""

    def __init__(self, functions: FunctionSignatures) -> None:
        self._functions = functions
        self._numbers: dict[Signature, int] = {}
        self._signatures: list[Signature] = []
        self._arities: dict[int, int] = {}
        self._built: dict[tuple[str, tuple[int, ...]], int | None] = {}
        self._types: dict[int, frozenset[Declared]] = {}

    def of_primitive(self, primitive: Primitive) -> int:
        """Return the number of a primitive's signature."""
        return self._number(self._functions.of_primitive(primitive))

    def of_built(self, bank: Bank, primitive: Primitive, layouts: tuple[int, ...]) -> int | None:
        """Return the signature's number of functions that a primitive builds; None if all fail.

        bank: The bank of the layouts. layouts: The layouts of the primitive's operands.
        """
        if not self._functions.fit(primitive, tuple(map(self._arities.get, layouts))):
            return None
        key = (primitive.name, layouts)
        if key not in self._built:
            operands = tuple([self._operand(bank, layout) for layout in layouts])
            signature = self._functions.of_built(primitive, operands)
            self._built[key] = None if signature is None else self._number(signature)
        return self._built[key]

    def _number(self, signature: Signature) -> int:
        number = self._numbers.setdefault(signature, len(self._signatures))
        if number == len(self._signatures):
            self._signatures.append(signature)
            self._arities[-1 - number] = len(signature.takes)
        return -1 - number

    def _operand(self, bank: Bank, layout: int) -> Operand:
        if layout < 0:
            return self._signatures[-1 - layout]
        if layout not in self._types:
            types = [of for of in self._functions.types if bank.taken(of)[layout]]
            self._types[layout] = frozenset(types)
        return self._types[layout]


_A_VALUE = object()
"""Stands for a value of any kind: functions do not look into bound values."""

_STAND_INS = [lambda: 0, lambda a: 0, lambda a, b: 0, lambda a, b, c: 0, lambda a, b, c, d: 0]
"""Functions of no, one, two, three and four arguments."""


class _Mismatch(Exception):
    """A call fails whatever the values are."""


class _Value:
    """A value of some kind, or of some possible types. demands: The types that it must be of."""

    def __init__(self, kind: Kind = "any", types: frozenset[Declared] | None = None) -> None:
        self.kind = kind
        self.types = types
        self.demands: set[Declared] = set()


class _Follower:
    """Makes calls on kinds, for `core.functions.Built.calls`."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary

    def call(self, function: Any, args: list[Any]) -> _Value:
        """Follow a call of a function. Raises _Mismatch."""
        if not isinstance(function, Signature) or len(function.takes) != len(args):
            raise _Mismatch
        for types, arg in zip(function.takes, args, strict=True):
            for declared in types:
                self._demand(declared, arg)
        return _Value(function.gives)

    def apply(self, primitive: Primitive, args: list[Any]) -> _Value:
        """Follow a call of a primitive. Raises _Mismatch."""
        for declared, arg in zip(primitive.types, args, strict=True):
            self._demand(declared, arg)
        kinds = [arg.kind if isinstance(arg, _Value) else "any" for arg in args]
        if primitive.name not in self._vocabulary.primitives:
            return _Value("bool" if primitive.result.name == "Boolean" else "any")
        return _Value(self._vocabulary.result_of(primitive.name, kinds, {}))

    def _demand(self, declared: Declared, arg: Any) -> None:
        """Demand that an argument is of a type. Raises _Mismatch."""
        if isinstance(arg, Signature):
            if not declared.may_be_functions:
                raise _Mismatch
            return
        arg.demands.add(declared)
        if arg.types is not None:
            if declared not in arg.types:
                raise _Mismatch
        elif not self._vocabulary.accepts(declared.name, arg.kind):
            raise _Mismatch
