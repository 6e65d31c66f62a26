"""The operations of many programs, equal ones once, and the functions known before any value is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from megabatt.runtime.engine.calls.registry import Language, Primitive, primitive_of
from megabatt.runtime.engine.calls.sequential import attempt
from megabatt.runtime.engine.limits import SHORTAGES
from megabatt.runtime.engine.values import Function, show

UNKNOWN: Any = object()
"""Stands for a value that is not known before the program runs."""

Shape = Any
"""A function without the values that it binds: a primitive or another Python function; the number
of a bound value (an int); or (kind, arity, size, depth, shapes of what it binds)."""


class Slot:
    """Stands in a function for a value of the graph that is not known yet."""

    __slots__ = ("number",)

    def __init__(self, number: int) -> None:
        self.number = number


class Known(NamedTuple):
    """A function that is known but for values that it binds, by their numbers in the graph."""

    shape: Shape
    bound: tuple[int, ...]


class Graph:
    """Values of programs by number: inputs, constants, and operations on others.

    An operation is in it once, whatever programs have it (hash-consing). What depends on constants
    alone is computed here; functions built from others are known here, but for what they bind.

    operands      the function and the arguments of each operation; None for what is none
    values        what is known of each value; UNKNOWN where nothing is
    never         the numbers of operations that fail in every lane
    domains       the samples that a value is of, by the number that its inputs have; -1 for any
    """

    def __init__(self, language: Language, max_elements: int) -> None:
        self.language = language
        self.max_elements = max_elements
        self.operands: list[tuple[int, ...] | None] = []
        self.values: list[Any] = []
        self.never: set[int] = set()
        self.domains: list[int] = []
        self.numbers: dict[Any, int] = {}
        self._functions: set[int] = set()
        self.open: set[int] = set()
        self._slots: dict[int, Slot] = {}
        self._known: dict[int, Known] = {}

    def __len__(self) -> int:
        return len(self.values)

    def input(self, name: str, domain: int, may_be_function: bool = False) -> int:
        """The number of an input of the samples of a domain."""
        key = (name, domain)
        number = self.numbers.get(key)
        if number is None:
            number = self._add(key, None, UNKNOWN, domain)
            if may_be_function:
                self._functions.add(number)
        return number

    def constant(self, value: Any) -> int:
        """The number of a constant: a value of the language, or a primitive."""
        key = ("constant", value.__class__, show(value) if not callable(value) else value)
        number = self.numbers.get(key)
        return self._add(key, None, value, -1) if number is None else number

    def call(self, operands: tuple[int, ...]) -> int:
        """The number of the operation that calls the first value with the others."""
        number = self.numbers.get(operands)
        if number is not None:
            return number
        domain = max(map(self.domains.__getitem__, operands))
        number = self._add(operands, operands, UNKNOWN, domain)
        self._look_ahead(number, operands)
        return number

    def cone(self, number: int) -> set[int]:
        """The operations that a value is made by."""
        found: set[int] = set()
        to_visit = [number]
        operands = self.operands
        while to_visit:
            number = to_visit.pop()
            of = operands[number]
            if of is not None and number not in found:
                found.add(number)
                to_visit += of
        return found

    def _add(self, key: Any, operands: tuple[int, ...] | None, value: Any, domain: int) -> int:
        number = self.numbers[key] = len(self.values)
        self.operands.append(operands)
        self.values.append(value)
        self.domains.append(domain)
        return number

    def _look_ahead(self, number: int, operands: tuple[int, ...]) -> None:
        """Note what is known of an operation before it runs."""
        function = self.values[operands[0]]
        primitive = None if function is UNKNOWN else primitive_of(function)
        args = [self.values[k] for k in operands[1:]]
        unknown = any(value is UNKNOWN for value in args) or not self.open.isdisjoint(operands)
        if function is not UNKNOWN and not unknown:
            self._compute(number, function, args)
        elif primitive is not None and primitive.builds and self._can_build(primitive, operands):
            pairs = zip(operands[1:], args, strict=True)
            slotted = [self._slot(k) if value is UNKNOWN else value for k, value in pairs]
            self._compute(number, function, slotted)
            if isinstance(self.values[number], Function):
                self.open.add(number)
        elif primitive is None or primitive.result.may_be_functions:
            self._functions.add(number)

    def _can_build(self, primitive: Primitive, operands: tuple[int, ...]) -> bool:
        """Whether a function can be built before the values that it binds are known.

        Those that it calls must be, and those that it binds must not be functions.
        """
        if len(operands) != primitive.arity + 1:
            return False
        for k, declared in zip(operands[1:], primitive.types, strict=True):
            if self.values[k] is UNKNOWN:
                if declared.called or not declared.may_be_functions or k in self._functions:
                    return False
        return True

    def _slot(self, number: int) -> Slot:
        slot = self._slots.get(number)
        if slot is None:
            slot = self._slots[number] = Slot(number)
        return slot

    def _compute(self, number: int, function: Any, args: Sequence[Any]) -> None:
        """Call a function now; its safe default is known where it fails."""
        try:
            value, failed, _ = attempt(function, args, self.max_elements)
        except SHORTAGES:
            return  # left to the run
        if failed:
            self.never.add(number)
            value = self.language.default_of(function)
        self.values[number] = value

    def known(self, number: int) -> Known | None:
        """The function that a value is, where it is one that is known."""
        value = self.values[number]
        if value is UNKNOWN or not callable(value):
            return None
        known = self._known.get(number)
        if known is None:
            bound: list[int] = []
            shape = self._shape(value, bound)
            known = self._known[number] = Known(shape, tuple(bound))
        return known

    def _shape(self, value: Any, bound: list[int]) -> Shape:
        """The shape of a function; what it binds is added to `bound`."""
        if isinstance(value, Function):
            parts = tuple([self._shape(arg, bound) for arg in value.args])
            return (type(value), value.arity, value.size, value.depth, parts)
        if callable(value):
            return value
        bound.append(value.number if isinstance(value, Slot) else self.constant(value))
        return len(bound) - 1
