"""The operations of many programs, equal ones once, and functions known before they run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from megabatt.runtime.engine.calls.registry import Language, Primitive, builder_of, primitive_of
from megabatt.runtime.engine.calls.sequential import attempt
from megabatt.runtime.engine.limits import SHORTAGES
from megabatt.runtime.engine.plan.numbered import Numbered, key_of
from megabatt.runtime.engine.plan.operands import Operands
from megabatt.runtime.engine.values import Function

UNKNOWN: Any = object()
"""Stands for a value that is not known before the program runs."""

Shape = Any
"""A function without the values that it binds. It is a primitive or another Python function; or the
place of a bound value (an int); or (kind, arity, size, depth, shapes of what it binds)."""


class Slot:
    """Stands in a function for a value that is not known yet. source: names that value."""

    __slots__ = ("source",)

    def __init__(self, source: Any) -> None:
        self.source = source


class Distrusted(Exception):
    """A value turned out to be a function, against what the graph assumed."""


def shape_of(function: Any, bound: list[Any]) -> Shape:
    """Return the shape of a function. What it binds is added to `bound`: slots, plain values."""
    if isinstance(function, Function):
        parts = tuple([shape_of(arg, bound) for arg in function.args])
        return (type(function), function.arity, function.size, function.depth, parts)
    if callable(function):
        return function
    bound.append(function)
    return len(bound) - 1


def function_of(shape: Shape, leaf: Callable[[int], Any]) -> Any:
    """Build the function of a shape that binds `leaf(place)` at each place; undoes `shape_of`."""
    if isinstance(shape, int):
        return leaf(shape)
    if not isinstance(shape, tuple):
        return shape
    made_by, arity, size, depth, parts = shape
    function = made_by.__new__(made_by)
    Function.__init__(function, arity, *[function_of(part, leaf) for part in parts])
    function._size, function._depth = size, depth
    return function


def holds_functions(value: Any) -> bool:
    """Tell whether a value is a function, or a container with one in it at any depth."""
    if value.__class__ in (tuple, frozenset):
        return any(map(holds_functions, value))
    return callable(value)


def _gives_functions(function: Any) -> bool:
    """Tell whether calls of a known function may give functions where they are given none."""
    if isinstance(function, Function):
        called = _places_called(type(function))
        return any(
            callable(arg) and (place not in called or _gives_functions(arg))
            for place, arg in enumerate(function.args)
        )
    primitive = primitive_of(function)
    return primitive is None or primitive.builds is not None or primitive.result.called


def _places_called(kind: type[Function]) -> frozenset[int]:
    """Return the places of bound values that functions of a kind call; they hand on the others."""
    primitive = builder_of(kind)
    types = () if primitive is None else primitive.types
    return frozenset([place for place, declared in enumerate(types) if declared.called])


class Known(NamedTuple):
    """A function known except for values that it binds. bound: the numbers of those."""

    shape: Shape
    bound: tuple[int, ...]


class Traits(NamedTuple):
    """What matters about a primitive before it is called. Places of arguments count from 1.

    called: the places of functions that it calls; given: the other places. bound: of those, the
    places whose type takes functions too. gives_functions: whether its results are functions.
    may_give_functions: whether they may be.
    """

    function: Any
    arity: int
    builds: bool
    called: tuple[int, ...]
    given: tuple[int, ...]
    bound: tuple[int, ...]
    gives_functions: bool
    may_give_functions: bool

    @classmethod
    def of(cls, primitive: Primitive) -> Traits:
        types = list(enumerate(primitive.types, 1))
        return cls(
            primitive.function,
            primitive.arity,
            primitive.builds is not None,
            tuple([place for place, declared in types if declared.called]),
            tuple([place for place, declared in types if not declared.called]),
            tuple([k for k, kind in types if kind.may_be_functions and not kind.called]),
            primitive.result.called,
            primitive.result.may_be_functions,
        )


class Graph(Numbered):
    """Values of programs by number: inputs, constants, and operations on others, for a plan.

    An operation is in it once, whatever programs have it (hash-consing). What depends only on
    constants is computed here. Functions built from others are known here, except what they bind.

    operands      the function and the arguments of each operation; None for other values
    values        what is known of each value; UNKNOWN where nothing is
    never         the numbers of operations that fail in every lane
    assumed       the numbers of values that were taken for no functions
    needs         the operations that must run before each value, also for what functions bind
    depths        one more than the greatest depth among an operation's needs
    domains       the number of the domain of samples that each value is of; -1 for any
    """

    def __init__(self, language: Language, max_elements: int, trusting: bool = True) -> None:
        """Make an empty graph.

        trusting: take a value that may be a function for none; a run raises `Distrusted` where that
        turns out wrong.
        """
        super().__init__(language, max_elements)
        self.operands: list[tuple[int, ...] | None] = []
        self._table = Operands()
        self.numbers: dict[Any, int] = {}
        self._values: list[Any] = []
        self.trusting = trusting
        self.never: list[int] = []
        self.assumed: set[int] = set()
        self._domains: list[int] = []
        self.needs: list[tuple[int, ...]] = []
        self.depths: list[int] = []
        self._functions: set[int] = set()
        """The values that may be functions, or containers with functions."""
        self.open: set[int] = set()
        self._slots: dict[int, Slot] = {}
        self._known: dict[int, Known] = {}
        self._giving: dict[int, bool] = {}
        self._known_traits: dict[int, Traits | None] = {}

    def __len__(self) -> int:
        return len(self.values)

    @property
    def values(self) -> list[Any]:
        return self._values

    @property
    def domains(self) -> list[int]:
        return self._domains

    @property
    def table(self) -> Operands:
        known = len(self._table.begins) - 1
        self._table.add([operands or () for operands in self.operands[known:]])
        return self._table

    def input(self, name: str, domain: int) -> int:
        """Return the number of an input of a domain's samples."""
        key = (name, domain)
        number = self.numbers.get(key)
        if number is None:
            number = self._add(key, None, UNKNOWN, domain)
            if not self.trusting:
                self._functions.add(number)
        return number

    def constant(self, value: Any) -> int:
        """Return the number of a constant: a value of the language, or a primitive."""
        key = ("constant", *key_of(value))
        number = self.numbers.get(key)
        if number is None:
            number = self._add(key, None, value, -1)
            if holds_functions(value):
                self._functions.add(number)
        return number

    def call(self, operands: tuple[int, ...]) -> int:
        """Add the operation that calls the first value with the others. Returns its number.

        It is one that is not in `numbers`. Raises an error of SHORTAGES where memory is short; the
        operation is not in the graph then.
        """
        domains = self._domains
        domain = -1
        for operand in operands:
            domain = domains[operand]
            if domain >= 0:
                break
        number = self._add(operands, operands, UNKNOWN, domain)
        try:
            self._look_ahead(number, operands)
        except SHORTAGES:
            self._drop_last()
            raise
        values = self.values
        if values[number] is UNKNOWN or number in self.open:
            self.needs[number] = needs = self._needs_of(operands)
            self.depths[number] = 1 + max([self.depths[k] for k in needs], default=0)
        return number

    def lacking(
        self, wanted: Iterable[int], is_made: Callable[[int], bool] = lambda number: False
    ) -> set[int]:
        """Find the operations that values are made by, save those known or made already."""
        found: set[int] = set()
        to_visit = list(wanted)
        while to_visit:
            number = to_visit.pop()
            known = self.values[number] is not UNKNOWN and number not in self.open
            operands = self.operands[number]
            if operands is not None and not known and number not in found and not is_made(number):
                found.add(number)
                to_visit += operands
        return found

    def _needs_of(self, operands: tuple[int, ...]) -> tuple[int, ...]:
        """List the operations that have to run before one with these operands."""
        needs = []
        for k in operands:
            if self.values[k] is UNKNOWN:
                if self.operands[k] is not None and k not in needs:
                    needs.append(k)
            elif k in self.open:
                needs += [other for other in self.needs[k] if other not in needs]
        return tuple(needs)

    def _add(self, key: Any, operands: tuple[int, ...] | None, value: Any, domain: int) -> int:
        number = self.numbers[key] = len(self.values)
        self.operands.append(operands)
        self.values.append(value)
        self._domains.append(domain)
        self.needs.append(())
        self.depths.append(0)
        return number

    def _drop_last(self) -> None:
        """Forget the value that was added last."""
        del self.numbers[self.operands[-1]]
        for table in (self.operands, self.values, self._domains, self.needs, self.depths):
            del table[-1]  # type: ignore[attr-defined]

    def _look_ahead(self, number: int, operands: tuple[int, ...]) -> None:
        """Note what is known about an operation before it runs."""
        values = self.values
        traits = self._traits(operands[0])
        if traits is None or traits.arity != len(operands) - 1:
            self._look_ahead_of_call(number, operands)
            return
        for place in traits.called:
            k = operands[place]
            if values[k] is UNKNOWN and k not in self._functions:
                self._fails(number, k)
                return
        unknown = False
        for k in operands[1:]:
            if values[k] is UNKNOWN or k in self.open:
                unknown = True
        if not unknown:
            self._compute(number, traits.function, [values[k] for k in operands[1:]])
        elif traits.builds and self._can_build(traits, operands):
            slotted = [self._slot(k) if values[k] is UNKNOWN else values[k] for k in operands[1:]]
            self._compute(number, traits.function, slotted)
            if isinstance(values[number], Function):
                self.open.add(number)
        if self._may_give_functions(number, traits, operands):
            self._functions.add(number)

    def _look_ahead_of_call(self, number: int, operands: tuple[int, ...]) -> None:
        """Note the same as `_look_ahead` for a call of a function that is no primitive."""
        function = self.values[operands[0]]
        if function is UNKNOWN and operands[0] not in self._functions:
            self._fails(number, operands[0])
            return
        args = [self.values[k] for k in operands[1:]]
        if function is not UNKNOWN and self.open.isdisjoint(operands):
            if not any(value is UNKNOWN for value in args):
                self._compute(number, function, args)
        if self.values[number] is UNKNOWN or holds_functions(self.values[number]):
            self._functions.add(number)

    def _fails(self, number: int, called: int) -> None:
        """Note that an operation fails, since what it calls is taken for no function."""
        self._assume(called)
        self.never.append(number)
        self.values[number] = self._default(number)

    def _may_give_functions(self, number: int, traits: Traits, operands: tuple[int, ...]) -> bool:
        """Tell whether an operation may give a function, or a container with functions.

        They come from what it is given, or from functions that it calls.
        """
        if self.values[number] is not UNKNOWN:
            return holds_functions(self.values[number])
        if traits.builds or traits.gives_functions or not self.trusting:
            return bool(traits.builds) or traits.may_give_functions
        for place in traits.given:
            if operands[place] in self._functions:
                return True
        for place in traits.called:
            if self._call_may_give_functions(operands[place]):
                return True
        return False

    def _call_may_give_functions(self, number: int) -> bool:
        """Tell whether calls of a value may give functions where they are given none."""
        gives = self._giving.get(number)
        if gives is None:
            function = self.values[number]
            gives = self._giving[number] = function is UNKNOWN or _gives_functions(function)
        return gives

    def _traits(self, number: int) -> Traits | None:
        """Return the traits of the primitive that a value is; None if it is no primitive."""
        if number not in self._known_traits:
            primitive = self.primitive(number)
            self._known_traits[number] = None if primitive is None else Traits.of(primitive)
        return self._known_traits[number]

    def primitive(self, number: int) -> Primitive | None:
        value = self.values[number]
        if value is UNKNOWN or self.operands[number] is not None:
            return None
        return primitive_of(value)

    def _default(self, number: int) -> Any:
        """Return what an operation gives when it fails."""
        operands = self.operands[number]
        assert operands is not None
        return self.default_of(operands[0])

    def _assume(self, number: int) -> None:
        """Note that a value is taken for no function, where its type does not say so."""
        operands = self.operands[number]
        primitive = self.primitive(operands[0]) if operands else None
        if primitive is None or primitive.result.may_be_functions:
            self.assumed.add(number)

    def _can_build(self, traits: Traits, operands: tuple[int, ...]) -> bool:
        """Tell whether a function can be built before the values that it binds are known.

        What it calls must be known. What it only binds must not be a function.
        """
        for place, k in enumerate(operands):
            if place and self.values[k] is UNKNOWN:
                if place not in traits.bound or k in self._functions:
                    return False
        return True

    def _slot(self, number: int) -> Slot:
        slot = self._slots.get(number)
        if slot is None:
            slot = self._slots[number] = Slot(number)
            self._assume(number)
        return slot

    def _compute(self, number: int, function: Any, args: Sequence[Any]) -> None:
        """Call a function now; the value is its safe default where the call fails."""
        value, failed, _ = attempt(function, args, self.max_elements)
        if failed:
            self.never.append(number)
            value = self._default(number)
        self.values[number] = value

    def known(self, number: int) -> Known | None:
        """Return the known function that a value is; None if it is no known function."""
        value = self.values[number]
        if value is UNKNOWN or not callable(value):
            return None
        known = self._known.get(number)
        if known is None:
            leaves: list[Any] = []
            shape = shape_of(value, leaves)
            bound = [
                leaf.source if isinstance(leaf, Slot) else self.constant(leaf) for leaf in leaves
            ]
            known = self._known[number] = Known(shape, tuple(bound))
        return known
