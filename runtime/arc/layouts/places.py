"""Columns of pairs and of cells, packed into one integer each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from megabatt.runtime.arc.layouts.packing import (
    LOCATION,
    are_parts,
    cell_code,
    color_of,
    color_part,
    column_of,
    column_part,
    fits,
    is_part,
    pack_cell,
    pack_pair,
    pair_code,
    row_of,
    row_part,
)
from megabatt.runtime.engine.columns import Column, Ints, Records, Union, interleave, scatter
from megabatt.runtime.engine.columns.base import Encoder, Part
from megabatt.runtime.engine.columns.flat import Flat
from megabatt.runtime.engine.columns.indexed import Indexed
from megabatt.runtime.engine.columns.sequences import Containers
from megabatt.runtime.engine.device.arrays import Array, unset_flag, where_set, xp
from megabatt.runtime.engine.device.device import to_host
from megabatt.runtime.engine.device.kernels import lane_kernel
from megabatt.runtime.engine.device.scheduling import ask
from megabatt.runtime.engine.policy import TUPLE
from megabatt.runtime.engine.values import show


class _Places(Containers, Flat):
    """Tuples of two, packed into one code each; codes compare as the tuples do."""

    __slots__ = ()
    kind = TUPLE
    integral = True
    coded = True
    dtypes = ("int64",)

    @property
    def first(self) -> Column:
        raise NotImplementedError

    @property
    def second(self) -> Column:
        raise NotImplementedError

    def canonical(self) -> Column:
        return self

    def texts(self) -> list[str]:
        """List the text of every place. Places are few and occur often: each text is made once."""
        codes, which = np.unique(to_host(self.data), return_inverse=True)
        texts = list(map(show, type(self)(xp.asarray(codes)).decode()))
        return [texts[k] for k in which.tolist()]

    def arrow(self) -> Any:
        import pyarrow

        return pyarrow.array(self.decode())

    def equals(self, other: Column) -> Array:
        if type(other) is type(self):
            return self.data == other.data  # type: ignore[attr-defined]
        return super().equals(other)

    def truth(self) -> Array:
        return xp.ones(len(self), dtype=xp.bool_)

    def ordinals(self, offsets: Array) -> Array:
        return self.data

    def beyond(self, least: int, most: int) -> Array:
        parts = [row_part(self.data), column_part(self.data)]
        if isinstance(self, Cells):
            parts.append(color_part(self.data))
        large = xp.zeros(len(self), dtype=xp.bool_)
        for part in parts:
            large |= (part < least) | (part > most)
        return large

    def as_sequences(self) -> Any:
        return interleave([self.first, self.second])

    def end_element(self, last: int) -> tuple[Column, Array | None]:
        return self.second if last else self.first, None

    def lengths(self) -> Array:
        return xp.full(len(self), 2, dtype=xp.int64)


class Pairs(_Places):
    """Integer pairs (i, j), packed into int64 codes that compare alike (`packing.pack_pair`)."""

    __slots__ = ()
    key = "pair"

    @property
    def first(self) -> Ints:
        return Ints(row_part(self.data))

    @property
    def second(self) -> Ints:
        return Ints(column_part(self.data))

    @classmethod
    def encode(cls, values: list[Any], encoder: Encoder) -> Column:
        parts = np.array(values, dtype=np.int64)
        return Pairs(xp.asarray(pair_code.py_func(parts[:, 0], parts[:, 1])))

    @classmethod
    def filled(cls, value: Any, lanes: int, encoder: Encoder) -> Column:
        return Pairs(xp.full(lanes, pair_code.py_func(*value), dtype=xp.int64))

    def decode(self) -> list[Any]:
        return _pairs(to_host(self.data))


class Cells(_Places):
    """Cells (color, (i, j)), packed into int64 codes that compare alike (`packing.pack_cell`)."""

    __slots__ = ()
    key = "cell"

    @property
    def first(self) -> Ints:
        return Ints(color_part(self.data))

    @property
    def second(self) -> Pairs:
        return Pairs(self.data & LOCATION)

    @classmethod
    def encode(cls, values: list[Any], encoder: Encoder) -> Column:
        parts = np.array([(color, i, j) for color, (i, j) in values], dtype=np.int64)
        return Cells(xp.asarray(cell_code.py_func(parts[:, 0], parts[:, 1], parts[:, 2])))

    @classmethod
    def filled(cls, value: Any, lanes: int, encoder: Encoder) -> Column:
        color, (i, j) = value
        return Cells(xp.full(lanes, cell_code.py_func(color, i, j), dtype=xp.int64))

    def decode(self) -> list[Any]:
        codes = to_host(self.data)
        return list(zip(color_of.py_func(codes).tolist(), _pairs(codes), strict=True))


def _pairs(codes: np.ndarray[Any, Any]) -> list[tuple[int, int]]:
    """List the pairs, or the cells' locations, with these codes."""
    rows, columns = row_of.py_func(codes), column_of.py_func(codes)
    return list(zip(rows.tolist(), columns.tolist(), strict=True))


def places_of(fields: Sequence[Column]) -> Column | None:
    """Make tuples of two columns, pairs and cells packed; None if no lane may be either.

    Each lane of a union is judged by itself. A lane of another kind (mostly one that failed before)
    leaves the others packed.
    """
    if len(fields) != 2:
        return None
    a, b = fields
    if not (_may_hold(a, (Ints,)) and _may_hold(b, (Ints, Pairs))):
        return None
    a, b = a.materialized(), b.materialized()
    packed = _packed(a, b)
    if packed is not None:
        return packed
    number, left = _data(a, Ints)
    number = number & fits(left)
    second, right = _data(b, Ints)
    is_pair = number & second & fits(right)
    place, codes = _data(b, Pairs)
    is_cell = number & place
    parts: list[Part] = []
    lanes = where_set(is_pair)
    if len(lanes):
        parts.append((lanes, Pairs(pack_pair(left[lanes], right[lanes]))))
    lanes = where_set(is_cell)
    if len(lanes):
        places = codes[lanes]
        cells = pack_cell(left[lanes], row_part(places), column_part(places))
        parts.append((lanes, Cells(cells)))
    lanes = where_set(~(is_pair | is_cell))
    if len(lanes):
        parts.append((lanes, Records(a.selected(lanes), b.selected(lanes))))
    return scatter(parts, len(a))


def _packed(a: Column, b: Column) -> Column | None:
    """Return the tuples (a, b) packed, if all are pairs or all cells that codes hold; else None."""
    if not isinstance(a, Ints) or not isinstance(b, (Ints, Pairs)):
        return None
    codes, beyond = xp.empty(len(a), dtype=xp.int64), unset_flag()
    pack_two(len(a), a.data, b.data, int(isinstance(b, Pairs)), codes, beyond)
    if ask(beyond):
        return None
    return Cells(codes) if isinstance(b, Pairs) else Pairs(codes)


@lane_kernel
def pack_two(lane, left, right, of_pairs, codes, beyond):
    """Store the code of a pair of Integers, or of a cell; set the flag if there is none."""
    codes[lane] = 0
    if of_pairs == 1:
        if is_part(left[lane]):
            codes[lane] = cell_code(left[lane], row_of(right[lane]), column_of(right[lane]))
        else:
            beyond[0] = True
    elif are_parts(left[lane], right[lane]):
        codes[lane] = pair_code(left[lane], right[lane])
    else:
        beyond[0] = True


def _may_hold(column: Column, layouts: tuple[type[Flat], ...]) -> bool:
    """Tell whether a lane may be of one of these layouts."""
    if isinstance(column, Indexed):
        return _may_hold(column.content, layouts)
    parts = column.parts if isinstance(column, Union) else [column]
    return any(part.constant or isinstance(part, layouts) for part in parts)


def _data(column: Column, layout: type[Flat]) -> tuple[Array, Array]:
    """Flag the lanes of a flat layout; also return their data (0 in the other lanes)."""
    if isinstance(column, Union):
        mask = column.measured(lambda part: _data(part, layout)[0])
        return mask, column.measured(lambda part: _data(part, layout)[1])
    n = len(column)
    if isinstance(column, layout):
        return xp.ones(n, dtype=xp.bool_), column.data
    return xp.zeros(n, dtype=xp.bool_), xp.zeros(n, dtype=xp.int64)
