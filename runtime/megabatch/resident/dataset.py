"""A dataset on a device, and its epochs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from os import PathLike
from os.path import isdir
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from megabatt.runtime.arguments import amount, elements, integer, path_of
from megabatt.runtime.engine.device.device import CPU, Device, computing_on
from megabatt.runtime.megabatch import given
from megabatt.runtime.megabatch.resident.beside import read_beside
from megabatt.runtime.megabatch.resident.columns import Array, RowLists, StoredColumns, from_arrow
from megabatt.runtime.megabatch.resident.folder import (
    DatasetError,
    Piece,
    leading_in,
    read_footers,
    schema_in,
    wide_words,
)
from megabatt.runtime.megabatch.resident.stream import read_ahead
from megabatt.runtime.megabatch.run.memory import free_bytes
from megabatt.runtime.megabatch.store import Store
from megabatt.runtime.printable import brief, printable, short
from megabatt.runtime.vocabulary import counted, there_are

_BYTES_AT_ONCE = 1 << 20
"""The bytes of batches to make together, which fit into a core's caches."""

_BLOCKS = 6
"""Blocks that memory must hold: in use, read ahead, being read, and room for reading."""


class DatasetBatch(dict[str, Array]):
    """A batch of samples: an array (samples, *shape) on the device for each column.

    Callers may write to the arrays.

    Attributes:
        rows: The samples' rows in the dataset: int64 (samples,), on the host.
    """

    def __init__(
        self,
        arrays: dict[str, Array],
        rows: np.ndarray[Any, Any],
        padded: dict[str, RowLists],
    ) -> None:
        """Make a batch. padded: The padded columns' lists, as `StoredColumns.rows` returns them."""
        super().__init__(arrays)
        self.rows = rows
        self._padded = padded

    def __repr__(self) -> str:
        columns = ", ".join(f"{name} {a.dtype}{list(a.shape)}" for name, a in self.items())
        return printable(f"<DatasetBatch of {counted(len(self.rows), 'sample')}: {columns}>")

    def mask(self, column: str) -> Array:
        """Flag the elements of a column of lists that are not padding.

        Args:
            column: The name of the column.

        Returns:
            bool (samples, longest), with more axes for lists of lists.

        Raises:
            KeyError: The column has no padding, as all its values have the same shape.
        """
        if not isinstance(column, str) or column not in self._padded:
            padded = ", ".join(self._padded) or "none"
            raise KeyError(f"column {short(column)} is not padded; padded columns: {padded}")
        return self._padded[column].there()


class ResidentDataset:
    """A folder of Parquet files, loaded once as columns on a device, and read in shuffled batches.

    The dataset reads columns of numbers, of lists of numbers (to any depth) and of
    dictionary-encoded words. Words become numbers, which index `words`. Lists are padded with zeros
    to the longest list of the dataset; see `DatasetBatch.mask`. A missing number becomes NaN, or 0
    in a column of integers, a missing word -1. If a column of one number or word a row may miss
    some, the column NAME_known flags those that are not missing, unless the folder has a column of
    that name.

    A dataset that does not fit into memory is read again in every epoch, in blocks and ahead of
    use. Lists are then padded to the longest list of the block. A shuffled epoch shuffles the row
    groups, and the rows of each block.

    Attributes:
        sizes: The number of samples in each part.
        nbytes: The bytes of the columns; None for a dataset that is read in every epoch.
        words: The words by number, for each column of words. For a dataset that is read in blocks,
            the words read so far.
        left_out: The types of the columns that are not read, by name.
    """

    def __init__(
        self,
        folder: str | PathLike[str],
        split: Sequence[float] = (1.0,),
        device: str = "auto",
        *,
        columns: Sequence[str] | None = None,
        dtype: Mapping[str, str] | None = None,
        split_seed: int = 0,
        memory: int | str | None = None,
        say: Callable[[str], None] | None = print,
    ) -> None:
        """Load the folder. Files that megabatt wrote are read whole, and their checksums checked.

        Args:
            folder: The folder of Parquet files.
            split: The shares of the parts, such as (0.8, 0.2); by default all samples are one
                part. If the shares add up to less than 1, the other samples are not used.
            device: "auto", "cpu" or "cuda".
            columns: The columns to read; by default every readable column. A dataset that kept its
                signals also has "iq", which must be named: complex64 (samples, receivers, length),
                with zeros where a receiver does not hear the transmitter. The column "iq" is read
                batch by batch, and not compared with checksums.
            dtype: The types of stored columns, such as {"latitude": "float32"}. A column stored as
                float16 is scaled, and returned as float32 with 11 significant bits. A type that
                does not fit the column's values is refused, such as integers for reals.
            split_seed: The seed that assigns samples to parts.
            memory: The most bytes for the dataset, as a number or a text such as "1GB"; by default
                half of the free memory.
            say: A function that gets a line on the memory needed, before loading; None for silence.

        Raises:
            DatasetError: The folder cannot be read, its files are damaged, or values do not fit the
                type of `dtype`.
            TypeError: An argument has the wrong type.
            ValueError: An argument has the right type and a wrong value.
        """
        self.path = path_of("folder", folder)
        if not isdir(self.path):
            raise DatasetError(f"{brief(str(self.path))}: there is no such folder")
        self._dtypes = _dtypes({} if dtype is None else dtype)
        names, beside = self._named(columns)
        self._folder = read_footers(self.path, names, self._dtypes)
        self._beside = [read_beside(self._folder.files, column) for column in beside]
        self._member = _parts(self._folder.rows, split, split_seed)
        self.sizes = np.bincount(self._member, minlength=len(split) + 1)[: len(split)].tolist()
        self.device = given.device_of(device)
        self.left_out = self._folder.left_out
        self._room = _room(self.device, memory)
        self._resident: StoredColumns | None = None
        self.words: dict[str, list[Any]] = {}
        self._numbering = Lock()
        if say is not None:
            if not callable(say):
                raise TypeError(f"say must be a function of a line, not {short(say)}")
            for line in filter(None, (self._folder.missing, self._plan())):
                say(printable(line))
        if self._folder.needed <= self._room:
            self._resident = self._columns(self._table(self._folder.pieces)).on(self.device)

    def _named(self, columns: Sequence[str] | None) -> tuple[list[str] | None, list[str]]:
        """Return the columns to read, None for all, and the columns leading to arrays."""
        if columns is None:
            return None, []
        names = _names(columns)
        leading = leading_in(schema_in(self.path))
        found = [leading[name] for name in names if name in leading]
        own = [name for name in names if name not in leading]
        return own or found, found

    def __len__(self) -> int:
        return self._folder.rows

    @property
    def nbytes(self) -> int | None:
        return None if self._resident is None else self._resident.nbytes

    def epoch(
        self,
        batch_size: int,
        shuffle: bool = True,
        seed: int = 0,
        part: int = 0,
        drop_last: bool = False,
    ) -> Iterator[DatasetBatch]:
        """Yield each sample of a part once, in batches whose arrays are on the device.

        The arrays have `__dlpack__`, so that other libraries take them without a copy.

        Args:
            batch_size: The number of samples in a batch.
            shuffle: Shuffle the samples.
            seed: The seed of the order. The order of a dataset that is read in blocks also depends
                on `memory` and `batch_size`.
            part: The part of `split`, from 0.
            drop_last: Leave out the last batch if it is smaller.

        Raises:
            TypeError: An argument has the wrong type.
            ValueError: An argument has the right type and a wrong value.
        """
        batch_size = integer("batch_size", batch_size, least=1)
        seed, part = integer("seed", seed, least=0), integer("part", part)
        if not 0 <= part < len(self.sizes):
            there = there_are(len(self.sizes), "part")
            raise ValueError(f"part is {short(part)}; {there}, from 0")
        order = np.random.default_rng([seed, part]) if shuffle else None
        if self._resident is None:
            batches = self._streamed(batch_size, order, part, drop_last)
        else:
            batches = self._loaded(self._resident, batch_size, order, part, drop_last)
        return self._with_arrays(batches) if self._beside else batches

    def _with_arrays(self, batches: Iterator[DatasetBatch]) -> Iterator[DatasetBatch]:
        """Add the arrays beside the files to batches, read ahead of use. Raises DatasetError."""

        def read() -> Iterator[tuple[DatasetBatch, list[np.ndarray[Any, Any]]]]:
            for batch in batches:
                yield batch, [beside.rows(batch.rows) for beside in self._beside]

        for batch, arrays in read_ahead(read):
            with computing_on(self.device):
                for beside, array in zip(self._beside, arrays, strict=True):
                    batch[beside.name] = self.device.arrays.asarray(array)
            yield batch

    def _loaded(
        self,
        columns: StoredColumns,
        batch_size: int,
        order: np.random.Generator | None,
        part: int,
        drop_last: bool,
    ) -> Iterator[DatasetBatch]:
        rows = np.flatnonzero(self._member == part)
        if order is not None:
            order.shuffle(rows)
        yield from _batches(columns, rows, rows, batch_size, drop_last)

    # Read in blocks

    def _streamed(
        self, batch_size: int, order: np.random.Generator | None, part: int, drop_last: bool
    ) -> Iterator[DatasetBatch]:
        blocks = read_ahead(lambda: self._blocks(batch_size, order, part))
        for block, places, rows in blocks:
            yield from _batches(block.on(self.device), places, rows, batch_size, drop_last)

    def _blocks(
        self, batch_size: int, order: np.random.Generator | None, part: int
    ) -> Iterator[tuple[StoredColumns, np.ndarray[Any, Any], np.ndarray[Any, Any]]]:
        """Yield blocks on the host, each with ordered places in the block and the rows' numbers.

        Each block but the last gives whole batches; the remaining rows go into the next block.
        """
        left: list[pa.Table] = []
        left_rows = np.zeros(0, dtype=np.int64)
        groups = self._groups(order)
        for number, pieces in enumerate(groups):
            table = pa.concat_tables([*left, self._table(pieces)])
            rows = np.concatenate([left_rows, *(_rows_of(piece) for piece in pieces)])
            places = np.flatnonzero(self._member[rows] == part)
            if order is not None:
                order.shuffle(places)
            if number < len(groups) - 1:
                places, over = np.split(places, [len(places) // batch_size * batch_size])
                left, left_rows = [table.take(pa.array(over))], rows[over]
            if len(places):
                yield self._columns(table), places, rows[places]

    def _groups(self, order: np.random.Generator | None) -> list[list[Piece]]:
        """List the blocks in reading order, each a list of row groups in the folder's order."""
        pieces = self._folder.pieces
        places = range(len(pieces)) if order is None else order.permutation(len(pieces)).tolist()
        most = max(self._block_bytes * len(self) // max(self._folder.needed, 1), 1)  # rows
        groups: list[list[int]] = [[]]
        for place in places:
            if groups[-1] and sum(pieces[k].rows for k in [*groups[-1], place]) > most:
                groups.append([])
            groups[-1].append(place)
        return [[pieces[k] for k in sorted(group)] for group in groups]

    @property
    def _block_bytes(self) -> int:
        return max(self._room // _BLOCKS, 1)

    # From the files

    def _table(self, pieces: Sequence[Piece]) -> pa.Table:
        """Read the rows of row groups, which are in the folder's order. Raises DatasetError."""
        fields = {field.name: wide_words(field) for field in self._folder.fields}
        groups: dict[Path, list[int]] = {}
        for piece in pieces:  # all row groups of a file are read together
            groups.setdefault(piece.path, []).append(piece.group)
        if sum(map(len, groups.values())) == 0:
            return pa.schema(fields.values()).empty_table()
        tables = []
        for path, numbers in groups.items():
            try:
                with (
                    Store.at(path.parent).open(path.name) as stream,
                    pq.ParquetFile(stream, page_checksum_verification=True) as file,
                ):
                    table = file.read_row_groups(numbers, columns=list(fields))
                    tables.append(table.cast(pa.schema(map(fields.get, table.column_names))))
            except (pa.ArrowException, OSError) as error:
                raise DatasetError(f"{path}: cannot be read ({error})") from error
        return pa.concat_tables(tables)

    def _columns(self, table: pa.Table) -> StoredColumns:
        with self._numbering:
            return from_arrow(table, self._dtypes, self._folder.nullable, CPU, self.words)

    # Messages

    def _plan(self) -> str:
        needed, names = self._folder.needed, self._folder.fields
        each = f"{needed / len(self):,.0f} bytes a sample"
        samples, columns = counted(len(self), "sample"), counted(len(names), "column")
        takes = f"{samples}, {columns}, {_megabytes(needed)} ({each})"
        if needed <= self._room:
            return f"{self.path}: {takes} at most, loaded to {self.device.name}{self._also}"
        return (
            f"{self.path}: {takes} at most, for which {_megabytes(self._room)} on "
            f"{self.device.name} are too few: read in every epoch, in blocks of about "
            f"{_megabytes(self._block_bytes)}{self._also}"
        )

    @property
    def _also(self) -> str:
        """Name the arrays beside the files."""
        return "".join(f"; and {beside.name}, read batch by batch" for beside in self._beside)

    def __repr__(self) -> str:
        kept = "streamed" if self.nbytes is None else _megabytes(self.nbytes)
        sizes = ", ".join(f"{size:,}" for size in self.sizes)
        parts = f" in parts of {sizes}" if len(self.sizes) > 1 else ""
        names = ", ".join(field.name for field in self._folder.fields)
        return printable(
            f"ResidentDataset({str(self.path)!r}: {counted(len(self), 'sample')}{parts}; "
            f"{kept} on {self.device.name}; {names}{self._also})"
        )


def _batches(
    columns: StoredColumns,
    places: np.ndarray[Any, Any],
    rows: np.ndarray[Any, Any],
    batch_size: int,
    drop_last: bool,
) -> Iterator[DatasetBatch]:
    """Yield rows in batches. places: The rows' places in the columns. rows: The rows' numbers.

    Several small batches are made at once, in the same arrays.
    """
    on_device = columns.device.arrays.asarray(places)
    end = len(places) // batch_size * batch_size if drop_last else len(places)
    batches_at_once = max(_BYTES_AT_ONCE // max(batch_size * columns.row_bytes, 1), 1)
    for begin in range(0, end, batch_size * batches_at_once):
        made = slice(begin, min(begin + batch_size * batches_at_once, end))
        numbers = rows[made]
        arrays, padded = columns.rows(on_device[made])
        for at in range(0, len(numbers), batch_size):
            part = slice(at, at + batch_size)
            yield DatasetBatch(
                {name: array[part] for name, array in arrays.items()},
                numbers[part],
                {name: lists[part] for name, lists in padded.items()},
            )


def _rows_of(piece: Piece) -> np.ndarray[Any, Any]:
    return np.arange(piece.begin, piece.begin + piece.rows)


def _parts(rows: int, split: Sequence[float], seed: int) -> np.ndarray[Any, Any]:
    """Draw each row's part; len(split) marks an unused row. Raises TypeError or ValueError."""
    wanted = "shares above 0 that add up to 1 at most"
    every = enumerate(elements("split", split, wanted))
    shares = np.array([amount(f"split[{k}]", share) for k, share in every])
    if not len(shares) or shares.sum() > 1 + 1e-9:
        raise ValueError(f"split is {split}; it must be {wanted}")
    if len(shares) > 100:
        raise ValueError(f"split has {len(shares)} parts; 100 is the most")
    seed = integer("split_seed", seed, least=0)
    ends = np.minimum(np.rint(np.cumsum(shares) * rows).astype(np.int64), rows)
    order = np.random.default_rng(seed).permutation(rows)
    member = np.full(rows, len(shares), dtype=np.int8)
    for part, (begin, end) in enumerate(zip([0, *ends[:-1]], ends, strict=True)):
        member[order[begin:end]] = part
    return member


def _names(columns: Iterable[str]) -> list[str]:
    """Return names of columns as a list. Raises TypeError if an element is no name."""
    names = list(elements("columns", columns, "a list of names"))
    for k, name in enumerate(names):
        if not isinstance(name, str):
            raise TypeError(f"columns[{k}] is no name, but {short(name)}")
    return names


def _dtypes(kinds: Mapping[str, str]) -> dict[str, np.dtype[Any]]:
    """Return the types by column. Raises TypeError for a type that is not of numbers."""
    if not isinstance(kinds, Mapping):
        raise TypeError(f"dtype must be a dictionary, of types by columns, not {short(kinds)}")
    found = {}
    for name, kind in zip(_names(list(kinds)), kinds.values(), strict=True):
        try:
            found[name] = np.dtype(kind)
        except TypeError:
            found[name] = np.dtype(object)
        if found[name].kind not in "biufc":
            raise TypeError(f"column {brief(name)}: no type of numbers, {short(kind)}")
    return found


def _room(device: Device, memory: float | str | None) -> int:
    """Return the most bytes for a dataset. Raises TypeError or ValueError."""
    if memory is not None:
        return given.size_of(memory, may_be_0=True)
    free = free_bytes() if device is CPU else device.free_bytes()
    return free // 2


def _megabytes(count: int) -> str:
    return f"{count / 1e6:,.1f} MB" if count >= 1e5 else f"{count / 1e3:,.1f} kB"
