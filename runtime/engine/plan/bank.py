"""A bank of values: operations on arrays of values' numbers, with no program around them.

What a search needs that builds programs from the bottom up: it calls a primitive on very many
combinations of values at once, looks at what came out, and keeps what is new.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Any

import numpy as np

from megabatt.runtime.engine.calls.batch import Batch, BatchInputs
from megabatt.runtime.engine.calls.registry import Language, Primitive, Type
from megabatt.runtime.engine.columns import Column, Uniform
from megabatt.runtime.engine.columns.hashing import fingerprints
from megabatt.runtime.engine.device.arrays import Array, xp
from megabatt.runtime.engine.device.device import to_host
from megabatt.runtime.engine.plan.calling import built, planned, Bound
from megabatt.runtime.engine.plan.graph import Shape, Slot, shape_of
from megabatt.runtime.engine.plan.plan import Numbers
from megabatt.runtime.engine.plan.store import MIXED, Store

Bits = np.ndarray[Any, Any]


class Made:
    """What calls of a primitive gave: a value and a failure flag for every call in every lane.

    column: the values, those of a call one after the other; failed: bool (calls, lanes).
    """

    def __init__(self, column: Column, failed: Bits) -> None:
        self.column = column
        self.failed = failed

    def fingerprints(self) -> tuple[Bits, Bits]:
        """128 bits for every value: two int64 (calls, lanes). Equal values have equal bits."""
        low, high = fingerprints(self.column)
        shape = self.failed.shape
        return to_host(low).reshape(shape), to_host(high).reshape(shape)

    def taken(self, calls: Numbers) -> Made:
        """What some of the calls gave."""
        lanes = self.failed.shape[1]
        rows = (calls[:, None] * lanes + np.arange(lanes)).ravel()
        return Made(self.column.take(xp.asarray(rows)), self.failed[calls])


class Bank:
    """Values by number, each in all lanes.

    Of a function that binds values its shape and the numbers of these are kept, of others a row of
    every lane. A value's layout is a number that stands for the layouts that its lanes are of;
    functions of one shape have one layout, which is negative.

    layouts       of every value
    host_lanes    operation-lanes computed by scalar code, of operation_lanes
    """

    def __init__(self, language: Language, lanes: int, max_elements: int) -> None:
        self.language = language
        self.lanes = lanes
        self.max_elements = max_elements
        self.host_lanes = self.operation_lanes = 0
        self._store = Store()
        self._base: list[int] = []
        self._layouts: list[int] = []
        self._shapes: list[Shape] = []
        self._shape_numbers: dict[Shape, int] = {}
        self._bound: dict[int, tuple[int, ...]] = {}
        self._masks: dict[int, int] = {}
        self._tags: list[list[int]] = []
        self._takes: dict[tuple[Type, int], bool] = {}

    def __len__(self) -> int:
        return len(self._base)

    @property
    def nbytes(self) -> int:
        """About how much memory the values take."""
        return self._store.nbytes

    @property
    def layouts(self) -> Numbers:
        return np.array(self._layouts, dtype=np.int64)

    # ---- adding values

    def add(self, column: Column) -> Numbers:
        """Add values: those of the first lanes, then those of the next. Returns their numbers."""
        if not len(column):
            return np.zeros(0, dtype=np.int64)
        first, _ = self._store.put(column)
        count = len(column) // self.lanes
        begin = len(self._base)
        self._base += range(first, first + len(column), self.lanes)
        self._layouts += self._layouts_of(first, count)
        return np.arange(begin, begin + count)

    def add_constant(self, value: Any) -> int:
        """Add a constant: a function without bound values, or a value of every lane."""
        if callable(value):
            return self.add_function(value)
        return int(self.add(Uniform(value, self.lanes))[0])

    def add_function(self, function: Any) -> int:
        """Add a function. What it binds is constant, or a `Slot` with the number of a value."""
        leaves: list[Any] = []
        shape = shape_of(function, leaves)
        number = self._shape_numbers.setdefault(shape, len(self._shapes))
        if number == len(self._shapes):
            self._shapes.append(shape)
        bound = [k.source if isinstance(k, Slot) else self.add_constant(k) for k in leaves]
        self._bound[len(self._base)] = tuple(bound)
        self._base.append(-1)
        self._layouts.append(-1 - number)
        return len(self._base) - 1

    def _layouts_of(self, first: int, count: int) -> list[int]:
        """The layouts of so many values that lie behind one another."""
        tags = to_host(self._store.rows_tags(first, count * self.lanes)).reshape(count, self.lanes)
        if (tags == tags[0, 0]).all():
            return [self._layout(1 << int(tags[0, 0]))] * count
        masks = np.bitwise_or.reduce(np.int64(1) << np.minimum(tags, 62).astype(np.int64), axis=1)
        return [self._layout(mask) for mask in masks.tolist()]

    def _layout(self, mask: int) -> int:
        number = self._masks.get(mask)
        if number is None:
            number = self._masks[mask] = len(self._tags)
            self._tags.append([tag for tag in range(63) if mask >> tag & 1])
        return number

    # ---- asking

    def takes(self, declared: Type, layout: int) -> bool:
        """Whether values of a layout may be of a declared type, in all their lanes."""
        key = (declared, layout)
        found = self._takes.get(key)
        if found is None:
            found = self._takes[key] = self._may_take(declared, layout)
        return found

    def _may_take(self, declared: Type, layout: int) -> bool:
        if layout < 0 or declared.called:
            return declared.may_be_functions and (layout < 0 or not declared.called)
        columns = [self._store.one_of(tag) for tag in self._tags[layout] if tag < 62]
        return not any(column is not None and declared.cast(column).never for column in columns)

    def shape(self, layout: int) -> Shape:
        """The shape of the functions of a layout."""
        return self._shapes[-1 - layout]

    def column(self, numbers: Numbers) -> Column:
        """The values with these numbers, one after the other; no functions among them."""
        base = np.array([self._base[k] for k in numbers.tolist()], dtype=np.int64)
        rows = (base[:, None] + np.arange(self.lanes)).ravel()
        return self._store.get(xp.asarray(rows))

    # ---- calling

    def call(self, primitive: Primitive, operands: Sequence[Numbers]) -> Made:
        """Call a primitive on values: call k on the k-th of each array of numbers.

        Every lane of every call has the whole of the limit to itself. Raises MemoryError where
        even a single lane cannot be computed.
        """
        calls = len(operands[0])
        lanes = calls * self.lanes
        columns = [self._operand(numbers) for numbers in operands]
        batch = Batch(self.language, BatchInputs(lanes, {}), 1, self.max_elements)
        function = Uniform(primitive.function, lanes)
        with np.errstate(all="ignore"):
            column, _ = batch.operate(1, function, columns)
        self.host_lanes += batch.host_lanes
        self.operation_lanes += lanes
        return Made(column, to_host(batch.failed[1]).reshape(calls, self.lanes))

    def _operand(self, numbers: Numbers) -> Column:
        layouts = {self._layouts[k] for k in numbers.tolist()}
        if min(layouts) >= 0:
            return self.column(numbers)
        if max(layouts) >= 0:
            raise TypeError("an operand is a function in some calls, and none in others")
        bound = self._bound_of(numbers)
        if len(layouts) == 1:
            columns = [self.column(numbers) for numbers in bound]
            return built(self.shape(layouts.pop()), columns, len(numbers) * self.lanes)
        return self._of_shapes(numbers, bound)

    def _bound_of(self, numbers: Numbers) -> list[Numbers]:
        """What functions bind in each place; where one binds less, its first once more."""
        bound = [self._bound[k] for k in numbers.tolist()]
        most = max(map(len, bound))
        fill = max((k for some in bound for k in some), default=0)
        padded = [some + (some[:1] or (fill,)) * (most - len(some)) for some in bound]
        return list(np.array(padded, dtype=np.int64).reshape(len(bound), most).T)

    def _of_shapes(self, numbers: Numbers, bound: list[Numbers]) -> Column:
        """Functions of several shapes, whose bodies are computed together."""
        layouts = np.array([self._layouts[k] for k in numbers.tolist()], dtype=np.int64)
        distinct, which = np.unique(layouts, return_inverse=True)
        shapes = tuple([self.shape(int(layout)) for layout in distinct])
        columns = [lambda numbers=numbers: self.column(numbers) for numbers in bound]
        of_lanes = xp.asarray(np.repeat(which, self.lanes))
        return planned(shapes, of_lanes, Bound(columns, None), True)
