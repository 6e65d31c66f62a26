"""Columns as flat arrays, from Arrow; rows of columns as padded arrays.

A column of lists is kept without padding, as in Arrow: one array of all numbers, and an array of
offsets for each depth of lists.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy import float32, int32, int64, uint8, uint64

from megabatt.runtime.engine.device.device import Device, computing_on
from megabatt.runtime.engine.device.kernels import team_kernel
from megabatt.runtime.megabatch.resident.folder import DatasetError, is_list, misfit, numpy_type

Array = Any
"""An array on the dataset's device."""


@dataclass(eq=False)
class ListOffsets:
    """The offsets of lists, for each depth of nesting.

    offsets: Ascending offsets (lists + 2,) for each depth; the last list is empty, for padding.
    longest: The length of the longest list of each depth.
    """

    offsets: list[Array]
    longest: list[int]

    def innermost(self, rows: Array, arrays: Any) -> Array:
        """Return the places of some rows' innermost lists: int (n, *longest without the last)."""
        at = rows
        for offsets, longest in zip(self.offsets[:-1], self.longest[:-1], strict=True):
            there = _within(offsets, at, longest, arrays)
            numbers = arrays.arange(longest, dtype=offsets.dtype)
            at = arrays.where(there, offsets[at][..., None] + numbers, offsets[-1])
        return at

    def there(self, innermost: Array, arrays: Any) -> Array:
        """Flag these lists' elements that are not padding: bool (*innermost.shape, longest)."""
        return _within(self.offsets[-1], innermost, self.longest[-1], arrays)

    @property
    def nbytes(self) -> int:
        return sum(offsets.nbytes for offsets in self.offsets)

    def same(self, other: ListOffsets) -> bool:
        """Tell whether `other` has the same lists."""
        return self.longest == other.longest and all(
            np.array_equal(a, b) for a, b in zip(self.offsets, other.offsets, strict=True)
        )


def _within(offsets: Array, lists: Array, longest: int, arrays: Any) -> Array:
    """Flag, among `longest` places, the places within each list: bool (*lists.shape, longest)."""
    lengths = offsets[lists + 1] - offsets[lists]
    there: Array = arrays.arange(longest, dtype=offsets.dtype) < lengths[..., None]
    return there


def _bytes_of(array: Array) -> Array:
    return array.reshape(-1).view(np.uint8)


@team_kernel
def copy_list(lane, place, team, lists, offsets, size, room, numbers, out):
    """Copy a list's elements, `size` bytes each, into `room` bytes, and fill up with zeros."""
    begin = int64(offsets[lists[lane]])
    count = (int64(offsets[lists[lane] + 1]) - begin) * size
    source = uint64(begin * size)
    target = uint64(lane * room)
    for k in range(place, count, team):
        out[target + uint64(k)] = numbers[source + uint64(k)]
    for k in range(count + place, room, team):
        out[target + uint64(k)] = uint8(0)


_BIAS = 112
"""The difference between the exponent biases of float32 and float16."""
_SIGN_AND_NUMBER = 0x8FFFE000 - (1 << 32)


@team_kernel
def widen_list(lane, place, team, lists, offsets, size, room, halves, scale, bits, numbers):
    """Write a list's elements, `size` float16 each, as float32, and fill up with zeros.

    halves: The elements' bits, int16. numbers: float32, `room` for a list. bits: The memory of
    `numbers` as int32. scale: float32 (room,). Bits are shifted to their places in float32;
    `scale` also corrects the exponents, whose biases differ.
    """
    begin = int64(offsets[lists[lane]])
    count = (int64(offsets[lists[lane] + 1]) - begin) * size
    source = uint64(begin * size)
    target = uint64(lane * room)
    for k in range(place, count, team):
        bits[target + uint64(k)] = (int32(halves[source + uint64(k)]) << 13) & _SIGN_AND_NUMBER
    for k in range(place, count, team):
        numbers[target + uint64(k)] *= scale[k]
    for k in range(count + place, room, team):
        numbers[target + uint64(k)] = float32(0.0)


@dataclass(eq=False)
class RowLists:
    """The lists of some rows, from which a padded array was made.

    innermost: int (n, *longest without the last), the places of the innermost lists.
    """

    lists: ListOffsets
    innermost: Array
    device: Device

    def __getitem__(self, rows: slice) -> RowLists:
        return RowLists(self.lists, self.innermost[rows], self.device)

    def there(self) -> Array:
        """Flag the elements of the padded array that are not padding: bool (n, *longest)."""
        with computing_on(self.device):
            return self.lists.there(self.innermost, self.device.arrays)


@dataclass(eq=False)
class ColumnValues:
    """The numbers of a column.

    numbers: (elements, *shape). lists: The offsets; None for a column of numbers or of lists of one
    length. scale: The factors that restore numbers kept as float16, see `widen_list`; float32
    (*shape,), for lists (longest * numbers of an element,). None for other numbers.
    """

    numbers: Array
    lists: ListOffsets | None
    scale: Array | None = None

    @cached_property
    def size(self) -> int:
        """The bytes of an element."""
        return self.numbers.dtype.itemsize * math.prod(self.numbers.shape[1:])

    @cached_property
    def bytes(self) -> Array:
        """The numbers as a flat array of uint8."""
        return _bytes_of(self.numbers)

    @cached_property
    def row_bytes(self) -> int:
        """The bytes of a row in a batch: a padded row, of float32 if the numbers are scaled."""
        longest = [] if self.lists is None else self.lists.longest
        itemsize = self.numbers.dtype.itemsize if self.scale is None else 4
        return itemsize * math.prod([*longest, *self.numbers.shape[1:]])

    def padded(self, innermost: Array, arrays: Any) -> Array:
        """Copy the elements of innermost lists, padded with zeros, to a new array.

        The array's shape is (*innermost.shape, longest, *shape). Scaled numbers become float32.
        """
        assert self.lists is not None
        longest, shape = self.lists.longest[-1], self.numbers.shape[1:]
        dtype = self.numbers.dtype if self.scale is None else np.float32
        found = arrays.empty((*innermost.shape, longest, *shape), dtype=dtype)
        if found.size and self.scale is not None:
            size = math.prod(shape)
            widen_list(
                innermost.size, innermost.ravel(), self.lists.offsets[-1], size, size * longest,
                self.numbers.reshape(-1).view(np.int16), self.scale,
                found.reshape(-1).view(np.int32), found.reshape(-1),
            )  # fmt: skip
        elif found.size:
            copy_list(
                innermost.size, innermost.ravel(), self.lists.offsets[-1], self.size,
                self.size * longest, self.bytes, _bytes_of(found),
            )  # fmt: skip
        return found

    def taken(self, rows: Array, arrays: Any) -> Array:
        """Return rows of a column without lists. Scaled numbers become float32."""
        found = arrays.take(self.numbers, rows, axis=0)
        if self.scale is None:
            return found
        bits = found.view(np.int16).astype(np.int32)
        return ((bits << 13) & _SIGN_AND_NUMBER).view(np.float32) * self.scale


class StoredColumns:
    """Columns with the same number of rows, on a device."""

    def __init__(self, values: dict[str, ColumnValues], device: Device) -> None:
        self.values = values
        self.device = device

    @property
    def nbytes(self) -> int:
        lists = {id(v.lists): v.lists.nbytes for v in self.values.values() if v.lists is not None}
        return sum(lists.values()) + sum(v.numbers.nbytes for v in self.values.values())

    @cached_property
    def row_bytes(self) -> int:
        """The bytes of a row in a batch."""
        return sum(values.row_bytes for values in self.values.values())

    def rows(self, rows: Array) -> tuple[dict[str, Array], dict[str, RowLists]]:
        """Return new arrays (n, *shape) of some rows, by column, and the padded columns' lists."""
        arrays = self.device.arrays
        innermost: dict[int, Array] = {}
        found: dict[str, Array] = {}
        padded: dict[str, RowLists] = {}
        with computing_on(self.device):
            for name, values in self.values.items():
                lists = values.lists
                if lists is None:
                    found[name] = values.taken(rows, arrays)
                    continue
                at = innermost.get(id(lists))
                if at is None:
                    at = innermost[id(lists)] = lists.innermost(rows, arrays)
                found[name] = values.padded(at, arrays)
                padded[name] = RowLists(lists, at, self.device)
        return found, padded

    def on(self, device: Device) -> StoredColumns:
        """Return the same columns on a device."""
        if device is self.device:
            return self
        send = device.arrays.asarray
        lists: dict[int, ListOffsets] = {}
        values = {}
        for name, here in self.values.items():
            if here.lists is not None and id(here.lists) not in lists:
                offsets = [send(offsets) for offsets in here.lists.offsets]
                lists[id(here.lists)] = ListOffsets(offsets, here.lists.longest)
            scale = None if here.scale is None else send(here.scale)
            values[name] = ColumnValues(send(here.numbers), lists.get(id(here.lists)), scale)
        return StoredColumns(values, device)


def from_arrow(
    table: pa.Table,
    dtypes: dict[str, np.dtype[np.generic]],
    nullable: frozenset[str],
    device: Device,
    words: dict[str, list[Any]],
) -> StoredColumns:
    """Return the table's columns on the host. device: The host.

    dtypes: The types of kept numbers, by column. nullable: As for a `Folder`; columns of one number
    a row get a companion NAME_known (bool), which flags the numbers that are not missing, unless
    the table has a column of that name. words: For each column of words, the words by number; gets
    new words.
    """
    values: dict[str, ColumnValues] = {}
    met: list[ListOffsets] = []
    for name in table.column_names:
        column = table.column(name)
        flags = f"{name}_known"
        if name in nullable and not is_list(column.type) and flags not in table.column_names:
            known = [np.asarray(chunk.is_valid()) for chunk in column.chunks]
            values[flags] = ColumnValues(_joined(known, (), np.dtype(np.bool_)), None)
        if pa.types.is_dictionary(column.type):
            column = _numbered(column, words.setdefault(name, []))
        dtype = dtypes.get(name) or numpy_type(column.type)
        try:
            found = _values_of(column, dtype, name in nullable)
        except OverflowError as error:
            raise misfit(name, dtype, f"{error} is among its values") from error
        except DatasetError as error:
            raise DatasetError(f"column {name}: {error}") from error
        values[name] = found
        if found.lists is not None:
            found.lists = next((one for one in met if one.same(found.lists)), found.lists)
            met.append(found.lists)
    return StoredColumns(values, device)


def _numbered(column: pa.ChunkedArray, words: list[Any]) -> pa.ChunkedArray:
    """Return a column of words as places in `words`, or -1; append new words to `words`."""
    one = column.unify_dictionaries()
    mine = one.chunk(0).dictionary.to_pylist() if one.num_chunks else []
    place = {word: number for number, word in enumerate(words)}
    numbers = pa.array([place.setdefault(word, len(place)) for word in mine], pa.int32())
    words += list(place)[len(words) :]
    chunks = [pc.fill_null(numbers.take(chunk.indices), -1) for chunk in one.chunks]
    return pa.chunked_array(chunks, pa.int32())


_HALF = np.dtype(np.float16)
_LARGEST_HALF = 15
"""Numbers are scaled below 2 to this power, and then kept as float16."""
_MOST_EXPONENT = 30


def _values_of(
    column: pa.ChunkedArray, dtype: np.dtype[np.generic], nullable: bool
) -> ColumnValues:
    """Return the numbers of a column. nullable: Whether lists of one length may be missing."""
    if dtype == _HALF and numpy_type(column.type) != _HALF:
        return _halved(_values_of(column, np.dtype(np.float32), nullable))
    kind, chunks = column.type, column.chunks
    counts: list[Any] = []
    longest: list[int] = []
    while is_list(kind) and (nullable or not _is_block(kind, chunks)):
        counts.append(np.concatenate([_lengths(chunk) for chunk in chunks] or [_NONE]))
        fixed = pa.types.is_fixed_size_list(kind)
        longest.append(kind.list_size if fixed else int(counts[-1].max(initial=0)))
        chunks = [chunk.flatten() for chunk in chunks]
        kind = kind.value_type
    shape: list[int] = []
    while is_list(kind):
        shape.append(kind.list_size)
        chunks = [chunk.flatten() for chunk in chunks]
        kind = kind.value_type
    numbers = [_numbers(chunk, dtype) for chunk in chunks]
    joined = _joined(numbers, shape, dtype)
    if not counts:
        return ColumnValues(joined, None)
    lists = ListOffsets([_offsets(lengths) for lengths in counts], longest)
    return ColumnValues(joined, lists)


def _halved(values: ColumnValues) -> ColumnValues:
    """Divide numbers by powers of 2, and convert the quotients to float16.

    Each place of an element has its own power: the least power that keeps the numbers in range, so
    that large numbers keep 11 bits in any unit. Raises DatasetError for missing numbers, and for
    numbers of 2**30 and more.
    """
    largest = np.max(np.abs(values.numbers), axis=0, initial=0.0)
    if not (largest < 2.0**_MOST_EXPONENT).all():
        raise DatasetError("float16 is for numbers below 1e9, of which none is missing")
    _, exponents = np.frexp(largest)
    exponents = np.maximum(exponents - _LARGEST_HALF, -_BIAS)
    numbers = np.ldexp(values.numbers, -exponents).astype(_HALF)
    scale = np.ldexp(np.float32(1.0), exponents + _BIAS)
    if values.lists is not None:
        scale = np.tile(scale.ravel(), values.lists.longest[-1])
    return ColumnValues(numbers, values.lists, scale)


_NONE = np.zeros(0, dtype=np.int64)


def _is_block(kind: pa.DataType, chunks: list[pa.Array]) -> bool:
    """Tell whether lists of every depth have a fixed length, and no list is missing."""
    while is_list(kind):
        if not pa.types.is_fixed_size_list(kind) or any(chunk.null_count for chunk in chunks):
            return False
        chunks = [chunk.flatten() for chunk in chunks]
        kind = kind.value_type
    return True


def _lengths(chunk: pa.Array) -> np.ndarray[Any, Any]:
    """Return the lengths of the lists; 0 for a missing list."""
    return np.asarray(pc.fill_null(pc.list_value_length(chunk), 0)).astype(np.int64)


def _offsets(lengths: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return the offsets of lists of given lengths, and of an empty list at the end."""
    offsets = np.zeros(len(lengths) + 2, dtype=np.int64)
    np.cumsum(lengths, out=offsets[1:-1])
    offsets[-1] = offsets[-2]
    return offsets.astype(np.int32) if offsets[-1] < 2**31 - 1 else offsets


def _numbers(chunk: pa.Array, dtype: np.dtype[np.generic]) -> np.ndarray[Any, Any]:
    """Return the numbers; a missing number becomes NaN, or 0 in a type without NaN.

    Raises OverflowError, with the number, for a number outside of the type's range or values.
    """
    if chunk.null_count:
        missing = float("nan") if pa.types.is_floating(chunk.type) else 0
        chunk = pc.fill_null(chunk, pa.scalar(missing).cast(chunk.type))
    given = chunk.to_numpy(zero_copy_only=False)
    if given.dtype == dtype:
        return given
    with np.errstate(over="ignore"):
        found = given.astype(dtype)
    wrong = found != given if dtype.kind in "biu" else np.isinf(found) & np.isfinite(given)
    if wrong.any():
        raise OverflowError(str(given[wrong][0]))
    return found


def _joined(
    parts: list[np.ndarray[Any, Any]], shape: Any, dtype: np.dtype[np.generic]
) -> np.ndarray[Any, Any]:
    """Join the parts in a new array (elements, *shape)."""
    joined = np.concatenate(parts) if parts else np.zeros(0, dtype=dtype)
    return joined.reshape(-1, *shape)
