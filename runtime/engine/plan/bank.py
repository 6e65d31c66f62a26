"""A bank of values: calls on arrays of values' numbers, with no program around them.

What a search needs that builds programs from the bottom up: it calls a primitive on very many
combinations of values at once, looks at what came out, and keeps what is new.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from megabatt.runtime.engine.calls.batch import Batch, BatchInputs
from megabatt.runtime.engine.calls.registry import Language, Primitive, Type
from megabatt.runtime.engine.columns import Bools, Column, Uniform
from megabatt.runtime.engine.columns.hashing import fingerprints
from megabatt.runtime.engine.device.arrays import Growing, xp
from megabatt.runtime.engine.device.device import to_host
from megabatt.runtime.engine.limits import LimitError
from megabatt.runtime.engine.plan.calling import Bound, built, planned
from megabatt.runtime.engine.plan.graph import Shape, Slot, shape_of
from megabatt.runtime.engine.plan.plan import Numbers
from megabatt.runtime.engine.plan.store import Store
from megabatt.runtime.engine.values import Function

Bits = np.ndarray[Any, Any]

_OTHERS = 62
"""Layouts from this number on are not told apart."""


class Made:
    """What calls of a primitive gave: a value and a failure flag for every call in every lane.

    column: the values, those of a call one after the other; failed: bool (calls, lanes).
    """

    def __init__(self, column: Column, failed: Bits) -> None:
        self.column = column
        self.failed = failed

    def fingerprints(self) -> tuple[Bits, Bits]:
        """128 bits for every value: two int64 (calls, lanes), the same for equal values alone.

        Where all values are Booleans they differ from Integers.
        """
        low, high = fingerprints(self.column)
        salt = 1 if isinstance(self.column, Bools) else 0
        shape = self.failed.shape
        return to_host(low).reshape(shape) + salt, to_host(high).reshape(shape)

    def taken(self, calls: Numbers) -> Made:
        """What some of the calls gave."""
        lanes = self.failed.shape[1]
        rows = (calls[:, None] * lanes + np.arange(lanes)).ravel()
        return Made(self.column.take(xp.asarray(rows)), self.failed[calls])


class Bank:
    """Values by number, each in all lanes.

    A value's layout is a number that stands for the layouts of its lanes. Functions are kept by
    their shape, with the numbers of the values that they bind; those of one shape have one layout,
    which is negative.

    host_lanes: operation-lanes that were computed by scalar code, of operation_lanes.
    """

    def __init__(self, language: Language, lanes: int, max_elements: int) -> None:
        """max_elements: what a call may build in a lane."""
        self.language = language
        self.lanes = lanes
        self.max_elements = max_elements
        self.host_lanes = self.operation_lanes = 0
        self._store = Store()
        self._rows = Growing(np.int64, np)
        self._layouts = Growing(np.int64, np)
        self._bound = Growing(np.int64, np)
        self._shapes: list[Shape] = []
        self._counts: list[int] = []
        self._shape_numbers: dict[Shape, int] = {}
        self._built: dict[Any, tuple[int, list[tuple[int, int]]] | None] = {}
        self._masks: dict[int, int] = {}
        self._tags: list[list[int]] = []
        self._takes: dict[tuple[Type, int], bool] = {}
        self._constants: dict[int, Any] = {}

    def __len__(self) -> int:
        return self._rows.count

    @property
    def nbytes(self) -> int:
        """About how much memory the values take."""
        return self._store.nbytes + self._rows.nbytes + self._layouts.nbytes + self._bound.nbytes

    @property
    def layouts(self) -> Numbers:
        """The layout of every value; int64 (values,)."""
        return self._layouts.data  # type: ignore[no-any-return]

    # ---- adding values

    def add(self, column: Column) -> Numbers:
        """Add values: that of the first `lanes` lanes, then the next. Returns their numbers."""
        count = len(column) // self.lanes
        if not count:
            return np.zeros(0, dtype=np.int64)
        first, _ = self._store.put(column)
        begin = self._rows.add(first + self.lanes * np.arange(count))
        self._layouts.add(self._layouts_of(first, count))
        return np.arange(begin, begin + count)

    def add_constant(self, value: Any) -> int:
        """Add a value of the language that all lanes have. Returns its number."""
        if callable(value):
            return int(self._add_functions(self._layout_of_shape(value, 0), [], 1)[0])
        number = int(self.add(Uniform(value, self.lanes))[0])
        self._constants[number] = value
        return number

    def shape_built(
        self, primitive: Primitive, operands: Sequence[int]
    ) -> tuple[Shape, list[int | None]] | None:
        """The shape of the function that a call of a primitive would make; None where it fails.

        Also, for each value that the function binds, the layout; None for what its own functions
        bind.
        """
        layouts = [int(self._layouts.data[number]) for number in operands]
        made = self._made_by(primitive, self._key(primitive, layouts, operands))
        if made is None:
            return None
        layout, leaves = made
        bound = [layouts[place] if layouts[place] >= 0 else None for place, _ in leaves]
        return self.shape(layout), bound

    def add_built(self, primitive: Primitive, operands: Sequence[Numbers]) -> Numbers:
        """Add the functions that calls of a primitive make.

        primitive: one that builds functions. operands: as of `call`; those of one place have one
        layout. Returns the functions' numbers; -1 for those that cannot be made.
        """
        layouts = [int(self._layouts.data[numbers[0]]) for numbers in operands]
        for place, declared in enumerate(primitive.types):
            if layouts[place] >= 0 and not declared.may_be_functions:
                distinct = np.unique(operands[place])
                if len(distinct) > 1:
                    return self._add_each(primitive, operands, place, distinct)
        key = self._key(primitive, layouts, [int(numbers[0]) for numbers in operands])
        made = self._made_by(primitive, key)
        if made is None:
            return np.full(len(operands[0]), -1)
        layout, leaves = made
        bound = [self._leaf(operands[place], layouts[place], leaf) for place, leaf in leaves]
        return self._add_functions(layout, bound, len(operands[0]))

    def _key(
        self, primitive: Primitive, layouts: Sequence[int], operands: Sequence[int]
    ) -> tuple[int, ...]:
        """What the shape of a function depends on, see `_made_by`."""
        parts = zip(primitive.types, layouts, operands, strict=True)
        return tuple(
            [
                min(layout, 0) if layout < 0 or declared.may_be_functions else 1 + number
                for declared, layout, number in parts
            ]
        )

    def _add_each(
        self, primitive: Primitive, operands: Sequence[Numbers], place: int, distinct: Numbers
    ) -> Numbers:
        """`add_built` for each of the values at a place that a shape depends on."""
        added = np.empty(len(operands[0]), dtype=np.int64)
        for value in distinct:
            chosen = np.flatnonzero(operands[place] == value)
            added[chosen] = self.add_built(primitive, [numbers[chosen] for numbers in operands])
        return added

    def _made_by(
        self, primitive: Primitive, key: tuple[int, ...]
    ) -> tuple[int, list[tuple[int, int]]] | None:
        """The layout of functions that a primitive makes, and from where each binds its values.

        key: of each operand the layout if it is a function, 0 for a value, or 1 more than the
        number of a constant. None where no function is made.
        """
        cached = (primitive.name, key)
        if cached not in self._built:
            self._built[cached] = self._make(primitive, key)
        return self._built[cached]

    def _make(
        self, primitive: Primitive, key: tuple[int, ...]
    ) -> tuple[int, list[tuple[int, int]]] | None:
        args: list[Any] = []
        for place, layout in enumerate(key):
            if layout > 0:
                if layout - 1 not in self._constants:
                    return None
                args.append(self._constants[layout - 1])
            elif layout == 0:
                args.append(Slot((place, 0)))
            else:
                args.append(_function(self.shape(layout), place))
        try:
            function = primitive.function(*args)
        except (TypeError, ValueError, LimitError):
            return None
        leaves: list[Any] = []
        shape = shape_of(function, leaves)
        if not all(isinstance(leaf, Slot) for leaf in leaves):
            return None
        return self._layout_of_shape(function, len(leaves), shape), [k.source for k in leaves]

    def _layout_of_shape(self, function: Any, bound: int, shape: Shape | None = None) -> int:
        """The layout of functions of a shape."""
        shape = shape_of(function, []) if shape is None else shape
        number = self._shape_numbers.setdefault(shape, len(self._shapes))
        if number == len(self._shapes):
            self._shapes.append(shape)
            self._counts.append(bound)
        return -1 - number

    def _leaf(self, numbers: Numbers, layout: int, leaf: int) -> Numbers:
        """What operands bind, or they themselves where they are no functions."""
        if layout >= 0:
            return numbers
        return self._bound.data[self._rows.data[numbers] + leaf]  # type: ignore[no-any-return]

    def _add_functions(self, layout: int, bound: list[Numbers], count: int) -> Numbers:
        each = len(bound)
        flat = np.array(bound, dtype=np.int64).T.ravel() if bound else np.zeros(0, dtype=np.int64)
        at = self._bound.add(flat)
        begin = self._rows.add(at + each * np.arange(count))
        self._layouts.add(np.full(count, layout))
        return np.arange(begin, begin + count)

    def _layouts_of(self, first: int, count: int) -> Numbers:
        """The layouts of so many values whose rows lie behind one another."""
        tags = self._store.tags_of_rows(first, count * self.lanes).reshape(count, self.lanes)
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

    def takes(self, declared: Type, layout: int) -> bool:
        """Whether values of a layout may be of a declared type in all their lanes.

        Functions are where they are called, and nowhere else.
        """
        key = (declared, layout)
        found = self._takes.get(key)
        if found is None:
            found = self._takes[key] = self._may_take(declared, layout)
        return found

    def _may_take(self, declared: Type, layout: int) -> bool:
        if layout < 0 or declared.called:
            return layout < 0 and declared.called
        columns = [self._store.one_of(tag) for tag in self._tags[layout] if tag < _OTHERS]
        return not any(column is not None and declared.cast(column).never for column in columns)

    def shape(self, layout: int) -> Shape:
        """The shape of the functions of a layout."""
        return self._shapes[-1 - layout]

    def column(self, numbers: Numbers) -> Column:
        """The values with these numbers, one after the other; no functions among them."""
        rows = (self._rows.data[numbers][:, None] + np.arange(self.lanes)).ravel()
        return self._store.get(xp.asarray(rows))

    # ---- calling

    def call(self, primitive: Primitive, operands: Sequence[Numbers]) -> Made:
        """Call a primitive on values: call k on the k-th of each array of numbers.

        In each place all are functions, or none is. Every lane of every call has the whole of
        `max_elements` to itself.
        """
        calls = len(operands[0])
        lanes = calls * self.lanes
        columns = [self._operand(numbers) for numbers in operands]
        batch = Batch(self.language, BatchInputs(lanes, {}), 1, self.max_elements)
        with np.errstate(all="ignore"):
            column, _ = batch.operate(1, Uniform(primitive.function, lanes), columns)
        self.host_lanes += batch.host_lanes
        self.operation_lanes += lanes
        return Made(column, to_host(batch.failed[1]).reshape(calls, self.lanes))

    def _operand(self, numbers: Numbers) -> Column:
        layouts = self._layouts.data[numbers]
        if layouts.min() >= 0:
            return self.column(numbers)
        if layouts.max() >= 0:
            raise TypeError("an operand is a function in some calls, and none in others")
        distinct, which = np.unique(layouts, return_inverse=True)
        shapes = tuple([self.shape(int(layout)) for layout in distinct])
        most = max(self._counts[-1 - int(layout)] for layout in distinct)
        bound = [self._bound_at(numbers, layouts, place) for place in range(most)]
        if len(shapes) == 1:
            columns = [self.column(each) for each in bound]
            return built(shapes[0], columns, len(numbers) * self.lanes)
        makers = [lambda each=each: self.column(each) for each in bound]
        of_lanes = xp.asarray(np.repeat(which, self.lanes))
        return planned(shapes, of_lanes, Bound(makers, None), trusting=True)

    def _bound_at(self, numbers: Numbers, layouts: Numbers, place: int) -> Numbers:
        """What functions bind at a place; where one binds less, what another does."""
        has = np.array(self._counts)[-1 - layouts] > place
        found = np.empty(len(numbers), dtype=np.int64)
        found[has] = self._bound.data[self._rows.data[numbers[has]] + place]
        found[~has] = found[has][0]
        return found


def _function(shape: Shape, operand: int) -> Any:
    """A function of a shape. It binds slots: of an operand, what this binds in each place."""
    if isinstance(shape, int):
        return Slot((operand, shape))
    if not isinstance(shape, tuple):
        return shape
    kind, arity, _, _, parts = shape
    function = kind.__new__(kind)
    Function.__init__(function, arity, *[_function(part, operand) for part in parts])
    return function
