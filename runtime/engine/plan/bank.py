"""A bank of values: calls on arrays of values' numbers, with no program around them.

A search that builds programs from the bottom up calls a primitive on very many combinations of
values at once, looks at the results, and keeps the new ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from megabatt.runtime.engine.calls.registry import Language, Primitive, Type
from megabatt.runtime.engine.calls.vectorized import with_default
from megabatt.runtime.engine.columns import Column, Uniform
from megabatt.runtime.engine.device.arrays import Growing, xp
from megabatt.runtime.engine.device.device import to_host
from megabatt.runtime.engine.plan.closures import Closures
from megabatt.runtime.engine.plan.plan import Numbers
from megabatt.runtime.engine.plan.store import Store
from megabatt.runtime.engine.plan.together import Bits, Made, Request, called

_UNKNOWN = -1
"""The weight of a value that was not weighed yet."""
_WEIGHED_AT_ONCE = 1 << 12
"""Values that are laid out together to be weighed."""
_OTHERS = 62
"""Layouts from this number on are not told apart."""


class Bank:
    """Values by number, each in all lanes.

    A value's layout is a number that stands for the layouts of its lanes. Functions are kept by
    what they are built from; their layouts are negative numbers that the caller gives them.

    store: where the values lie. closures: the functions. every: the numbers of all lanes.
    host_lanes: how many lanes of `call` were computed by scalar code.
    """

    def __init__(
        self, language: Language, lanes: int, max_elements: int, store: Store | None = None
    ) -> None:
        """Make an empty bank.

        max_elements: how many elements a call may build in a lane. store: where its values lie,
        with those of other banks for calls on all of them together; by default one of its own.
        """
        self.language = language
        self.lanes = lanes
        self.max_elements = max_elements
        self.host_lanes = 0
        self.every = np.arange(lanes)
        self.store = Store() if store is None else store
        self.closures = Closures(self.origin, self._is_function)
        self._rows = Growing(np.int64, np)
        self._layouts = Growing(np.int64, np)
        self._weights = Growing(np.int64, np)
        self._made_by = Growing(np.int64, np)
        self._operands = Growing(np.int64, np)
        self._operands_at = Growing(np.int64, np)
        self._primitives: list[Primitive] = []
        self._makers: dict[str, int] = {}
        self._masks: dict[int, int] = {}
        self._tags: list[list[int]] = []
        self._tags_here: list[int] = []
        self._own = Growing(np.int64, np)
        self._taken: dict[Type, Bits] = {}

    def __len__(self) -> int:
        return self._rows.count

    @property
    def nbytes(self) -> int:
        """About how much memory is taken beside the store."""
        arrays = (
            self._rows, self._layouts, self._weights, self._made_by, self._operands_at,
            self._operands, self.closures,
        )  # fmt: skip
        return sum(array.nbytes for array in arrays)

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
        first, _ = self.store.put(column)
        rows = first + self.lanes * np.arange(count)
        return self._add(rows, self._layouts_of(first, count), None, [])

    def keep(self, made: Made) -> Numbers:
        """Add what calls gave, or the safe default where they failed. Returns their numbers."""
        column = made.column
        if made.failed.any():
            default = self.language.default_of(made.primitive.function)
            column = with_default(column, xp.asarray(made.failed.ravel()), default)
        first, _ = self.store.put(column)
        return self.add_made(made, first)

    def add_made(self, made: Made, first: int) -> Numbers:
        """Add what calls gave, which lies in the store from row `first` on. Returns the numbers."""
        count = len(made.failed)
        rows = first + self.lanes * np.arange(count)
        return self._add(rows, self._layouts_of(first, count), made.primitive, made.operands)

    def add_constant(self, value: Any) -> int:
        """Add a value that all lanes have; it must be no function. Returns its number."""
        number = int(self.add(Uniform(value, self.lanes))[0])
        self.closures.constants[number] = value
        return number

    def add_function(self, function: Any, layout: int) -> int:
        """Add a primitive, or a function built from primitives alone. Returns its number."""
        self.closures.add(len(self), function)
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
        return self._layouts_of_tags(self.store.tags_of_rows(first, count * self.lanes), count)

    def _layouts_of_tags(self, tags: Numbers, count: int) -> Numbers:
        """Return the layouts of `count` values. tags: of all lanes, those of a value in a row."""
        bits = np.int64(1) << np.minimum(self._own_tags(tags), _OTHERS)
        of_values = np.bitwise_or.reduce(bits.reshape(count, -1), axis=1)
        masks, which = np.unique(of_values, return_inverse=True)
        return np.array([self._layout(mask) for mask in masks.tolist()])[which]

    def _own_tags(self, tags: Numbers) -> Numbers:
        """Return the bank's own numbers for tags: small, whatever other banks are in the store."""
        more = self.store.layout_count - self._own.count
        if more:
            self._own.add(np.full(more, -1))
        found, firsts = np.unique(tags[self._own.data[tags] < 0], return_index=True)
        for tag in found[np.argsort(firsts)].tolist():
            self._own.data[tag] = len(self._tags_here)
            self._tags_here.append(tag)
        return self._own.data[tags]  # type: ignore[no-any-return]

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
        return self._layouts_of_tags(made.tags().ravel(), len(made.failed))

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
        tags = [self._tags_here[own] for own in self._tags[layout] if own < _OTHERS]
        columns = [self.store.one_of(tag) for tag in tags]
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
        rows = self.first_rows(numbers)[:, None] + self.every
        return self.store.get(xp.asarray(rows.ravel()))

    def first_rows(self, numbers: Numbers) -> Numbers:
        """Return where in the store values begin. The row of a lane follows that of the last."""
        return self._rows.data[numbers]  # type: ignore[no-any-return]

    def _is_function(self, number: int) -> bool:
        return bool(self._layouts.data[number] < 0)

    # ---- calling

    def call(
        self, primitive: Primitive, operands: Sequence[Numbers], lanes: Numbers | None = None
    ) -> Made:
        """Call a primitive on values: call k takes the k-th number of each array.

        Every lane of every call has the whole of `max_elements` to itself. lanes: where to make the
        calls, int64; by default in all lanes.
        """
        request = Request(self, primitive, operands, self.every if lanes is None else lanes)
        [made] = called([request])
        self.host_lanes += made.results.host_lanes
        return made
