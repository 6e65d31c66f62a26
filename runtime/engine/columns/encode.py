"""Plain values into columns, and columns of one value. (The way back is each column's `decode`.)"""

from __future__ import annotations

from typing import Any

import numpy as np

from megabatt.runtime.engine.columns.base import Column, Empty, Encoder, Part
from megabatt.runtime.engine.columns.flat import Bools, Complexes, Floats, Ints, Nones
from megabatt.runtime.engine.columns.functions import Functions
from megabatt.runtime.engine.columns.hosts import Hosts
from megabatt.runtime.engine.columns.ndarrays import Arrays
from megabatt.runtime.engine.columns.sequences import Lists, Sets
from megabatt.runtime.engine.columns.union import scatter
from megabatt.runtime.engine.device.arrays import Array, xp
from megabatt.runtime.engine.policy import policy
from megabatt.runtime.engine.values import (
    Function,
    depth_of,
    identical,
    kind_of,
    rank_key,
    show,
    size_of,
    total_weight,
    truth,
)


def encode(values: list[Any]) -> Column:
    """Encode `values`, a lane each; the column is a union where they have several layouts."""
    if not values:
        return Empty()
    groups: dict[Any, list[int]] = {}
    for lane, value in enumerate(values):
        groups.setdefault(_layout(value), []).append(lane)
    if len(groups) == 1:
        return _class_of(next(iter(groups))).encode(values, encode)
    parts = []
    for layout, lanes in groups.items():
        members = [values[lane] for lane in lanes]
        at = xp.asarray(np.array(lanes, dtype=np.int64))
        parts.append((at, _class_of(layout).encode(members, encode)))
    return scatter(parts, len(values))


def encode_uniform(value: Any, lanes: int) -> Column:
    """Encode `value` in each of `lanes` lanes, as arrays.

    One number a lane is filled in on the device; nothing is sent there.
    """
    return _class_of(_layout(value)).filled(value, lanes, encode)


def _class_of(layout: Any) -> type[Column]:
    return layout[0] if layout.__class__ is tuple else layout  # type: ignore[no-any-return]


def _layout(value: Any) -> Any:
    """Return the key of a value: values of one key can stand in one column.

    Containers whose first elements are unlike have different keys.
    """
    kind = value.__class__
    if kind is int:
        return Ints if -_WIDE <= value < _WIDE else Hosts
    if kind is tuple:
        own = policy().layout_of(value)
        return (Lists, _layout(value[0]) if value else None) if own is None else own
    if kind is frozenset:
        return (Sets, _layout(next(iter(value))) if value else None)
    layout = _LAYOUTS.get(kind)
    if layout is not None:
        return layout
    if isinstance(value, Function):
        return (Functions, kind, value.arity)
    if isinstance(value, np.ndarray):
        return (Arrays, value.dtype.char, value.shape[1:]) if Arrays.holds(value) else Hosts
    return (Uniform, value) if callable(value) else Hosts


_WIDE = 1 << 63
"""int64 holds Integers from -_WIDE to below _WIDE."""

_LAYOUTS: dict[type, type[Column]] = {
    bool: Bools,
    type(None): Nones,
    float: Floats,
    complex: Complexes,
}


class Uniform(Column):
    """The same Python value in every lane.

    An operation on only uniform columns is computed once, by its scalar form.

        Uniform(7, 3)   ->   7, 7, 7
    """

    __slots__ = ("value", "lanes", "_laid_out")
    constant = True

    def __init__(self, value: Any, lanes: int) -> None:
        self.value = value
        self.lanes = lanes
        self._laid_out: Column | None = None

    def __len__(self) -> int:
        return self.lanes

    @property
    def key(self) -> Any:
        return ("uniform", self.value)

    @property
    def kind(self) -> Any:  # type: ignore[override]
        return kind_of(self.value)

    @property
    def on_host(self) -> bool:  # type: ignore[override]
        """Whether it stays a Python object when materialized: only functions do."""
        return callable(self.value)

    @property
    def weighs_one(self) -> bool:  # type: ignore[override]
        return total_weight([self.value]) == 1

    def of_lanes(self, lanes: int) -> Uniform:
        """Return the same value in `lanes` lanes."""
        return Uniform(self.value, lanes)

    def same_value(self, other: Column) -> bool:
        """Tell whether the other column is uniform too, with the same value."""
        if not isinstance(other, Uniform):
            return False
        return self.value is other.value or identical(self.value, other.value)

    def take(self, index: Array) -> Column:
        return Uniform(self.value, len(index))

    @classmethod
    def concat(cls, columns: list[Any]) -> Column:
        return Uniform(columns[0].value, sum(map(len, columns)))

    @classmethod
    def encode(cls, values: list[Any], encoder: Encoder) -> Column:
        return Uniform(values[0], len(values))

    @classmethod
    def filled(cls, value: Any, lanes: int, encoder: Encoder) -> Column:
        return Uniform(value, lanes)

    def parts_in(self, lanes: Array) -> list[Part]:
        laid_out = self.materialized()
        return [(lanes, self)] if laid_out is self else laid_out.parts_in(lanes)

    def materialized(self) -> Column:
        if callable(self.value):
            return self
        if self._laid_out is None:
            self._laid_out = encode_uniform(self.value, self.lanes)
        return self._laid_out

    def canonical(self) -> Column:
        laid_out = self.materialized()
        return self if laid_out is self else laid_out.canonical()

    def decode(self) -> list[Any]:
        return [self.value] * self.lanes

    @property
    def spells(self) -> bool:  # type: ignore[override]
        return self.value is None or isinstance(self.value, (int, float, complex))

    def texts(self) -> list[str]:
        return [show(self.value)] * self.lanes

    def arrow(self) -> Any:
        laid_out = self.materialized()
        if laid_out is self:
            self._lacks("Arrow array")
        return laid_out.arrow()

    def truth(self) -> Array:
        array = isinstance(self.value, np.ndarray)
        return xp.full(self.lanes, not array and truth(self.value), dtype=xp.bool_)

    def truthless(self) -> Array | None:
        array = isinstance(self.value, np.ndarray)
        return xp.ones(self.lanes, dtype=xp.bool_) if array else None

    def ordinals(self, offsets: Array) -> Array:
        return xp.zeros(self.lanes, dtype=xp.int64)

    def kind_ranks(self) -> Array:
        return xp.full(self.lanes, rank_key(self.value), dtype=xp.int64)

    def weights(self, levels: int | None = None) -> Array:
        return xp.full(self.lanes, total_weight([self.value], levels), dtype=xp.int64)

    def beyond(self, least: int, most: int) -> Array:
        laid_out = self.materialized()
        if laid_out is self:
            return xp.zeros(self.lanes, dtype=xp.bool_)
        return laid_out.beyond(least, most)

    def as_sequences(self) -> Any:
        laid_out = self.materialized()
        return None if laid_out is self else laid_out.as_sequences()

    def lengths(self) -> Array:
        value = self.value
        length = len(value) if value.__class__ in (tuple, frozenset) else -1
        return xp.full(self.lanes, length, dtype=xp.int64)

    @property
    def sizes(self) -> Array | int:
        return size_of(self.value) if callable(self.value) else 0

    def depths(self) -> Array:
        return xp.full(self.lanes, depth_of(self.value), dtype=xp.int64)

    def deepest(self) -> int:
        return depth_of(self.value)
