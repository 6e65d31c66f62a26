"""A bank of values: calls on arrays of values' numbers, with no program around them.

A search that builds programs from the bottom up calls a primitive on very many combinations of
values at once, looks at the results, and keeps the new ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from megabatt.runtime.engine.calls.registry import Language, Primitive, Type
from megabatt.runtime.engine.calls.vectorized import BatchInputs, Vectorized, with_default
from megabatt.runtime.engine.columns import Bools, Column, Uniform, Union, scatter
from megabatt.runtime.engine.columns.hashing import fingerprints
from megabatt.runtime.engine.device.arrays import Array, Growing, xp
from megabatt.runtime.engine.device.device import to_host
from megabatt.runtime.engine.limits import LimitError
from megabatt.runtime.engine.plan.calling import functions_of
from megabatt.runtime.engine.plan.graph import Known, Shape, Slot, function_of, shape_of
from megabatt.runtime.engine.plan.plan import Built, Called, Numbers
from megabatt.runtime.engine.plan.store import Store
from megabatt.runtime.engine.values import fails

Bits = np.ndarray[Any, Any]

_VALUE = object()
_UNKNOWN = -1
"""The weight of a value that was not weighed yet."""
_WEIGHED_AT_ONCE = 1 << 12
"""Values that are laid out together to be weighed."""
_OTHERS = 62
"""Layouts from this number on are not told apart."""


class Made:
    """What calls of a primitive gave: a value and a failure flag for every call in every lane.

    column: the values, those of a call one after the other; failed: bool (calls, lanes).
    primitive, operands: what was called, and the numbers of the values for each place.
    """

    def __init__(
        self,
        column: Column,
        failed: Bits,
        primitive: Primitive | None = None,
        operands: Sequence[Numbers] = (),
    ) -> None:
        self.column = column
        self.failed = failed
        self.primitive = primitive
        self.operands = operands

    def fingerprints(self) -> tuple[Bits, Bits]:
        """Return 128 bits a value: two int64 (calls, lanes), the same for equal values alone.

        Booleans, which equal Integers, differ from them here: not every type takes both.
        """
        low, high = fingerprints(self.column)
        shape = self.failed.shape
        return to_host(low + _booleans(self.column)).reshape(shape), to_host(high).reshape(shape)

    def taken(self, calls: Numbers) -> Made:
        """Return what some of the calls gave."""
        lanes = self.failed.shape[1]
        rows = (calls[:, None] * lanes + np.arange(lanes)).ravel()
        column = self.column.take(xp.asarray(rows))
        operands = [numbers[calls] for numbers in self.operands]
        return Made(column, self.failed[calls], self.primitive, operands)


def _booleans(column: Column) -> Array:
    """Return 1 for each Boolean, 0 for other values; int64 (n,)."""
    if isinstance(column, Union):
        return column.measured(_booleans)
    boolean = isinstance(column.materialized(), Bools)
    return xp.full(len(column), int(boolean), dtype=xp.int64)


class Bank:
    """Values by number, each in all lanes.

    A value's layout is a number that stands for the layouts of its lanes. Functions are kept by
    what they are built from; their layouts are negative numbers that the caller gives them.

    operation_lanes: all lanes of all operations; host_lanes: those computed by scalar code.
    """

    def __init__(self, language: Language, lanes: int, max_elements: int) -> None:
        """Make an empty bank. max_elements: how many elements a call may build in a lane."""
        self.language = language
        self.lanes = lanes
        self.max_elements = max_elements
        self.host_lanes = self.operation_lanes = 0
        self._every = np.arange(lanes)
        self._store = Store()
        self._rows = Growing(np.int64, np)
        self._layouts = Growing(np.int64, np)
        self._weights = Growing(np.int64, np)
        self._made_by = Growing(np.int64, np)
        self._operands = Growing(np.int64, np)
        self._operands_at = Growing(np.int64, np)
        self._primitives: list[Primitive] = []
        self._makers: dict[str, int] = {}
        self._resolved: dict[int, Known] = {}
        self._shapes: dict[tuple[Any, ...], tuple[Shape, list[tuple[int, int]]]] = {}
        self._masks: dict[int, int] = {}
        self._tags: list[list[int]] = []
        self._taken: dict[Type, Bits] = {}
        self._constants: dict[int, Any] = {}

    def __len__(self) -> int:
        return self._rows.count

    @property
    def nbytes(self) -> int:
        """About how much memory the values take."""
        arrays = (
            self._rows, self._layouts, self._weights, self._made_by, self._operands_at,
            self._operands,
        )  # fmt: skip
        return self._store.nbytes + sum(array.nbytes for array in arrays)

    @property
    def layouts(self) -> Numbers:
        """The layout of every value; int64 (values,)."""
        return self._layouts.data  # type: ignore[no-any-return]

    @property
    def layout_count(self) -> int:
        """How many layouts there are, those of functions apart."""
        return len(self._tags)

    # ---- adding values

    def add(self, column: Column) -> Numbers:
        """Add values, each in `lanes` lanes, one after the other. Returns their numbers."""
        count = len(column) // self.lanes
        if not count:
            return np.zeros(0, dtype=np.int64)
        first, _ = self._store.put(column)
        rows = first + self.lanes * np.arange(count)
        return self._add(rows, self._layouts_of(first, count), None, [])

    def keep(self, made: Made) -> Numbers:
        """Add what calls gave, or the safe default where they failed. Returns their numbers."""
        column = made.column
        if made.failed.any():
            assert made.primitive is not None
            default = self.language.default_of(made.primitive.function)
            column = with_default(column, xp.asarray(made.failed.ravel()), default)
        first, _ = self._store.put(column)
        count = len(made.failed)
        rows = first + self.lanes * np.arange(count)
        return self._add(rows, self._layouts_of(first, count), made.primitive, made.operands)

    def add_constant(self, value: Any) -> int:
        """Add a value that all lanes have; it must be no function. Returns its number."""
        number = int(self.add(Uniform(value, self.lanes))[0])
        self._constants[number] = value
        return number

    def add_function(self, function: Any, layout: int) -> int:
        """Add a primitive, or a function built from primitives alone. Returns its number."""
        self._resolved[len(self)] = Known(shape_of(function, []), ())
        return int(self._add(np.full(1, -1), np.full(1, layout), None, [])[0])

    def add_built(
        self, primitive: Primitive, operands: Sequence[Numbers], layouts: Numbers | int
    ) -> Numbers:
        """Add the functions that calls of a primitive make. Returns their numbers.

        primitive: one that builds functions. operands: as for `call`. layouts: negative numbers by
        which the caller tells functions apart, one for each call or the same for all. A function is
        built when it is first called. One that cannot be built fails then.
        """
        count = len(operands[0])
        return self._add(np.full(count, -1), np.full(count, layouts), primitive, operands)

    def _add(
        self,
        rows: Numbers,
        layouts: Numbers,
        primitive: Primitive | None,
        operands: Sequence[Numbers],
    ) -> Numbers:
        """Add values, and how they were made. rows: where each begins in the store."""
        count = len(rows)
        maker = -1
        if primitive is not None:
            maker = self._makers.setdefault(primitive.name, len(self._makers))
            if maker == len(self._primitives):
                self._primitives.append(primitive)
        flat = np.array(operands, dtype=np.int64).T.ravel()
        at = self._operands.add(flat) + len(operands) * np.arange(count)
        self._operands_at.add(at)
        self._made_by.add(np.full(count, maker))
        self._layouts.add(layouts)
        self._weights.add(np.where(layouts < 0, 0, _UNKNOWN))
        begin = self._rows.add(rows)
        return np.arange(begin, begin + count)

    def _layouts_of(self, first: int, count: int) -> Numbers:
        """Return the layouts of `count` values whose rows follow each other from `first` on."""
        return self._layouts_of_tags(self._store.tags_of_rows(first, count * self.lanes), count)

    def _layouts_of_tags(self, tags: Numbers, count: int) -> Numbers:
        """Return the layouts of `count` values. tags: of all lanes, those of a value in a row."""
        tags = tags.reshape(count, -1)
        bits = np.int64(1) << np.minimum(tags, _OTHERS).astype(np.int64)
        masks, which = np.unique(np.bitwise_or.reduce(bits, axis=1), return_inverse=True)
        return np.array([self._layout(mask) for mask in masks.tolist()])[which]

    def _layout(self, mask: int) -> int:
        number = self._masks.get(mask)
        if number is None:
            number = self._masks[mask] = len(self._tags)
            self._tags.append([tag for tag in range(_OTHERS + 1) if mask >> tag & 1])
        return number

    # ---- asking

    def origin(self, number: int) -> tuple[Primitive | None, list[int]]:
        """Return the primitive that made a value (None if given), and its operands' numbers."""
        maker = int(self._made_by.data[number])
        if maker < 0:
            return None, []
        primitive = self._primitives[maker]
        at = int(self._operands_at.data[number])
        return primitive, self._operands.data[at : at + primitive.arity].tolist()

    def layouts_made(self, made: Made) -> Numbers:
        """Return the layouts that values would have here; int64 (calls,). Keeps none of them."""
        return self._layouts_of_tags(self._store.tags_in(made.column), len(made.failed))

    def are_made(self, numbers: Numbers) -> Bits:
        """Flag the values that operations have made; bool (n,)."""
        return np.asarray(self._made_by.data[numbers] >= 0)

    def taken(self, declared: Type) -> Bits:
        """Flag the layouts whose values may be of a declared type in all their lanes.

        bool (layouts + 1,); the last is for functions, which are taken only where they are called.
        """
        known = self._taken.get(declared)
        if known is None or len(known) <= self.layout_count:
            before = [] if known is None else known[:-1].tolist()
            layouts = range(len(before), self.layout_count)
            more = [self._may_take(declared, layout) for layout in layouts]
            known = self._taken[declared] = np.array([*before, *more, declared.called])
        return known

    def _may_take(self, declared: Type, layout: int) -> bool:
        if declared.called:
            return False
        columns = [self._store.one_of(tag) for tag in self._tags[layout] if tag < _OTHERS]
        return not any(column is not None and declared.cast(column).never for column in columns)

    def weights(self, numbers: Numbers) -> Numbers:
        """Return what values weigh, their lanes together; int64 (n,). Functions weigh nothing."""
        weights = self._weights.data
        unknown = np.unique(numbers[weights[numbers] == _UNKNOWN])
        for begin in range(0, len(unknown), _WEIGHED_AT_ONCE):
            some = unknown[begin : begin + _WEIGHED_AT_ONCE]
            of_lanes = to_host(self.column(some).weights()).reshape(-1, self.lanes)
            weights[some] = of_lanes.sum(axis=1)
        return weights[numbers]  # type: ignore[no-any-return]

    def column(self, numbers: Numbers) -> Column:
        """Return the values with these numbers, one after the other. None may be a function."""
        return self._store.get(self._rows_of(self._every, numbers))

    def _rows_of(self, lanes: Numbers, numbers: Numbers) -> Array:
        """Return the rows of values, each in these lanes."""
        return xp.asarray((self._rows.data[numbers][:, None] + lanes).ravel())

    # ---- calling

    def call(
        self, primitive: Primitive, operands: Sequence[Numbers], lanes: Numbers | None = None
    ) -> Made:
        """Call a primitive on values: call k takes the k-th number of each array.

        Every lane of every call has the whole of `max_elements` to itself. lanes: where to make the
        calls, int64; by default in all lanes.
        """
        lanes = self._every if lanes is None else lanes
        calls = len(operands[0])
        n = calls * len(lanes)
        columns = [self._operand(numbers, lanes) for numbers in operands]
        batch = Vectorized(self.language, BatchInputs(n, {}), 1, self.max_elements)
        with np.errstate(all="ignore"):
            column, _ = batch.operate(1, Uniform(primitive.function, n), columns)
        self.host_lanes += batch.host_lanes
        self.operation_lanes += n
        failed = to_host(batch.failed[1]).reshape(calls, len(lanes))
        return Made(column, failed, primitive, operands)

    def _operand(self, numbers: Numbers, lanes: Numbers) -> Column:
        layouts = self._layouts.data[numbers]
        rows_of = partial(self._rows_of, lanes)
        if layouts.min() >= 0:
            return self._store.get(rows_of(numbers))
        if layouts.max() >= 0:
            return self._mixed_operand(numbers, layouts, lanes)
        functions = [self._function(number) for number in numbers.tolist()]
        counts = np.full(len(numbers), len(lanes))
        return functions_of(_together(functions), rows_of, self._store.get, counts)

    def _mixed_operand(self, numbers: Numbers, layouts: Numbers, lanes: Numbers) -> Column:
        """Return an operand that is a function in some calls, and no function in others."""
        parts = []
        each = np.arange(len(lanes))
        for calls in [np.flatnonzero(layouts >= 0), *np.flatnonzero(layouts < 0)[:, None]]:
            rows = (calls[:, None] * len(lanes) + each).ravel()
            parts.append((xp.asarray(rows), self._operand(numbers[calls], lanes)))
        return scatter(parts, len(numbers) * len(lanes))

    # ---- functions

    def _function(self, number: int) -> Known:
        """Return a function's shape, and the numbers of the values that it binds."""
        found = self._resolved.get(number)
        if found is None:
            found = self._resolved[number] = self._resolve(number)
        return found

    def _resolve(self, number: int) -> Known:
        primitive, operands = self.origin(number)
        assert primitive is not None
        key: list[Any] = [primitive.name]
        bound: list[tuple[int, ...]] = []
        for declared, operand in zip(primitive.types, operands, strict=True):
            if self._layouts.data[operand] < 0:
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
        found = self._shapes.get(key)
        if found is None:
            args = [self._stand_in(of, place) for place, of in enumerate(key[1:])]
            leaves: list[Any] = []
            try:
                shape = shape_of(primitive.function(*args), leaves)
            except (TypeError, ValueError, LimitError):
                shape = fails
            found = self._shapes[key] = shape, [self._source(leaf, key) for leaf in leaves]
        return found

    def _source(self, leaf: Any, key: tuple[Any, ...]) -> tuple[int, int]:
        if isinstance(leaf, Slot):
            return leaf.source  # type: ignore[no-any-return]
        numbers = (of[1] for of in key[1:] if isinstance(of, tuple) and of[0] is _VALUE)
        return -1, next(number for number in numbers if self._constants.get(number) is leaf)

    def _stand_in(self, of: Any, place: int) -> Any:
        """Return what a function is built from, with slots for the values that are bound."""
        if of is _VALUE:
            return Slot((place, 0))
        if isinstance(of, tuple) and of[0] is _VALUE:
            return self._constants.get(of[1], _VALUE)
        return function_of(of, lambda bound: Slot((place, bound)))


def _together(functions: list[Known]) -> Built | Called:
    """Join functions into one argument of several calls."""
    shapes: dict[Shape, int] = {}
    which = np.array([shapes.setdefault(shape, len(shapes)) for shape, _ in functions])
    most = max(len(bound) for _, bound in functions)
    bound = np.array([_bound_at(functions, place) for place in range(most)])
    if len(shapes) == 1:
        return Built(functions[0].shape, bound)
    return Called(tuple(shapes), which, bound)


def _bound_at(functions: list[Known], place: int) -> list[int]:
    """List what functions bind at a place. One that binds less gets what another binds."""
    filling = next(bound[place] for _, bound in functions if place < len(bound))
    return [bound[place] if place < len(bound) else filling for _, bound in functions]
