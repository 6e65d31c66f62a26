"""The functions among a bank's values: the shape of each, and the values that it binds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from megabatt.runtime.engine.calls.registry import Primitive
from megabatt.runtime.engine.device.arrays import Growing
from megabatt.runtime.engine.limits import LimitError
from megabatt.runtime.engine.plan.graph import Known, Shape, Slot, function_of, shape_of
from megabatt.runtime.engine.plan.plan import Called, Numbers
from megabatt.runtime.engine.values import fails

_VALUE = object()

Origin = Callable[[int], tuple[Primitive | None, list[int]]]
"""Gives the primitive that made a value, and the numbers of its operands."""


class Closures:
    """Functions by the numbers of their values. Each is built when it is first asked for.

    constants: by number, values that are the same in all lanes.
    """

    def __init__(self, origin: Origin, is_function: Callable[[int], bool]) -> None:
        """Know no functions yet. is_function: tells whether the value of a number is one."""
        self.constants: dict[int, Any] = {}
        self._origin = origin
        self._is_function = is_function
        self._known: dict[int, Known] = {}
        self._built: dict[tuple[Any, ...], tuple[Shape, list[tuple[int, int]]]] = {}
        self._places: dict[int, int] = {}
        self._numbers: dict[Shape, int] = {}
        self._shapes: list[Shape] = []
        self._which = Growing(np.int64, np)
        self._counts = Growing(np.int64, np)
        self._begins = Growing(np.int64, np)
        self._bound = Growing(np.int64, np)

    @property
    def nbytes(self) -> int:
        """About how much memory the functions take that were asked for."""
        arrays = (self._which, self._counts, self._begins, self._bound)
        return sum(array.nbytes for array in arrays)

    def add(self, number: int, function: Any) -> None:
        """Add a primitive, or a function built from primitives alone."""
        self._known[number] = Known(shape_of(function, []), ())

    def of(self, numbers: Numbers) -> Called:
        """Return functions as an argument of calls, one for each."""
        if not len(numbers):
            return Called((), numbers, np.zeros((0, 0), dtype=np.int64))
        places = np.array([self._place(number) for number in numbers.tolist()])
        which, counts, begins = (
            of.data[places] for of in (self._which, self._counts, self._begins)
        )
        present = np.flatnonzero(np.bincount(which))
        shapes = tuple([self._shapes[shape] for shape in present.tolist()])
        bound = [self._bound_at(begins, counts, place) for place in range(counts.max())]
        matrix = np.array(bound, dtype=np.int64).reshape(-1, len(numbers))
        return Called(shapes, np.searchsorted(present, which), matrix)

    def _bound_at(self, begins: Numbers, counts: Numbers, place: int) -> Numbers:
        """Return what functions bind at a place. One that binds less gets what another binds."""
        binds = counts > place
        some = begins[np.argmax(binds)]
        return self._bound.data[np.where(binds, begins, some) + place]  # type: ignore[no-any-return]

    def _place(self, number: int) -> int:
        """Return where a function stands in the arrays."""
        place = self._places.get(number)
        if place is None:
            shape, bound = self._function(number)
            which = self._numbers.setdefault(shape, len(self._shapes))
            if which == len(self._shapes):
                self._shapes.append(shape)
            self._begins.add(np.full(1, self._bound.count))
            self._bound.add(np.array(bound, dtype=np.int64))
            self._counts.add(np.full(1, len(bound)))
            place = self._places[number] = self._which.add(np.full(1, which))
        return place

    # ---- one function

    def _function(self, number: int) -> Known:
        """Return a function's shape, and the numbers of the values that it binds."""
        found = self._known.get(number)
        if found is None:
            found = self._known[number] = self._resolve(number)
        return found

    def _resolve(self, number: int) -> Known:
        primitive, operands = self._origin(number)
        assert primitive is not None
        key: list[Any] = [primitive.name]
        bound: list[tuple[int, ...]] = []
        for declared, operand in zip(primitive.types, operands, strict=True):
            if self._is_function(operand):
                shape, within = self._function(operand)
                key.append(shape)
                bound.append(within)
            elif declared.may_be_functions:
                key.append(_VALUE)
                bound.append((operand,))
            else:
                key.append((_VALUE, operand))
                bound.append(())
        shape, leaves = self._shape_built(primitive, tuple(key))
        binds = [bound[place][k] if place >= 0 else k for place, k in leaves]
        return Known(shape, tuple(binds))

    def _shape_built(
        self, primitive: Primitive, key: tuple[Any, ...]
    ) -> tuple[Shape, list[tuple[int, int]]]:
        """Return the shape of what a primitive builds, and what it binds in each place.

        It binds a value of an operand (given as the operand and the value's place in it) or a
        constant (given as -1 and its number). What cannot be built is `fails`.

        key: the primitive's name, then for each operand its shape if it is a function, `_VALUE` for
        a value that is bound, or `_VALUE` and the number of a constant.
        """
        found = self._built.get(key)
        if found is None:
            args = [self._stand_in(of, place) for place, of in enumerate(key[1:])]
            leaves: list[Any] = []
            try:
                shape = shape_of(primitive.function(*args), leaves)
            except (TypeError, ValueError, LimitError):
                shape = fails
            found = self._built[key] = shape, [self._source(leaf, key) for leaf in leaves]
        return found

    def _source(self, leaf: Any, key: tuple[Any, ...]) -> tuple[int, int]:
        if isinstance(leaf, Slot):
            return leaf.source  # type: ignore[no-any-return]
        numbers = (of[1] for of in key[1:] if isinstance(of, tuple) and of[0] is _VALUE)
        return -1, next(number for number in numbers if self.constants.get(number) is leaf)

    def _stand_in(self, of: Any, place: int) -> Any:
        """Return what a function is built from, with slots for the values that are bound."""
        if of is _VALUE:
            return Slot((place, 0))
        if isinstance(of, tuple) and of[0] is _VALUE:
            return self.constants.get(of[1], _VALUE)
        return function_of(of, lambda bound: Slot((place, bound)))
