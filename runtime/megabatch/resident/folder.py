"""The folder's Parquet files: the readable columns, and their memory."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from megabatt.runtime.megabatch.checksums import (
    Damaged,
    check_run,
    has_checksum,
    names_run,
    opened,
    read_json,
)
from megabatt.runtime.megabatch.data import DataError
from megabatt.runtime.megabatch.page.folder import AGAIN, advising, what_is_missing
from megabatt.runtime.megabatch.run.manifest import read_manifest
from megabatt.runtime.megabatch.store import Store
from megabatt.runtime.printable import brief, printable
from megabatt.runtime.vocabulary import did_you_mean

BESIDE = "megabatt.beside"
"""The key in the metadata of a column that leads to a column beside the files; see `beside`."""


class DatasetError(Exception):
    """The folder cannot be read as a dataset."""

    def __init__(self, message: str) -> None:
        super().__init__(printable(message))


class Piece(NamedTuple):
    """A row group: the file, the group's number in the file, its first row, its number of rows."""

    path: Path
    group: int
    begin: int
    rows: int


@dataclass(frozen=True)
class Folder:
    """The footers of a folder's Parquet files.

    fields: The fields of the columns to read. left_out: The types of the other columns, by name.
    nullable: The columns of one number a row, or of lists of one length, that may miss values.
    needed: The most bytes that the columns take in memory. missing: A line on what an unfinished
    run lacks; "" for any other folder.
    """

    path: Path
    files: tuple[Path, ...]
    pieces: tuple[Piece, ...]
    fields: tuple[pa.Field, ...]
    left_out: dict[str, pa.DataType]
    nullable: frozenset[str]
    needed: int
    missing: str

    @property
    def rows(self) -> int:
        return sum(piece.rows for piece in self.pieces)


def read_footers(
    path: Path, columns: Sequence[str] | None, dtypes: dict[str, np.dtype[np.generic]]
) -> Folder:
    """Read the footers of the folder's files, after checking the files' checksums.

    columns: The names of the columns to read; None for all columns with numbers. dtypes: The types
    of kept numbers, by column. Raises DatasetError.
    """
    files = tuple(sorted(file for file in path.glob("*.parquet") if file.name[0] != "."))
    if not files:
        raise DatasetError(f"{path}: there is no Parquet file in it")
    footers = [_footer(file) for file in files]
    missing = _missing(path, dict(zip(files, footers, strict=True)))
    schema = footers[0].schema.to_arrow_schema()
    for file, footer in zip(files, footers, strict=True):
        if not footer.schema.to_arrow_schema().equals(schema):
            raise DatasetError(f"{file}: its columns are not those of {files[0].name}")
    fields = _chosen(path, schema, columns)
    _check_names(path, dtypes, [field.name for field in fields])
    for field in fields:
        if field.name in dtypes and pa.types.is_floating(leaf_of(field.type)):
            if dtypes[field.name].kind in "biu":
                raise misfit(field.name, dtypes[field.name], "it holds reals")
    pieces: list[Piece] = []
    begin = 0
    for file, footer in zip(files, footers, strict=True):
        for group in range(footer.num_row_groups):
            rows = footer.row_group(group).num_rows
            pieces.append(Piece(file, group, begin, rows))
            begin += rows
    if not begin:
        raise DatasetError(f"{path}: its files have no rows")
    values = {field.name: _values(footers, field) for field in fields}
    needed = sum(
        _most_bytes(field.type, begin, *values[field.name], dtypes.get(field.name))
        for field in fields
    )
    nullable = frozenset(
        field.name for field in fields if not _ragged(field.type) and values[field.name][1]
    )
    left_out = {field.name: field.type for field in schema if field not in fields}
    return Folder(path, files, tuple(pieces), tuple(fields), left_out, nullable, needed, missing)


def misfit(column: str, dtype: np.dtype[Any], why: str) -> DatasetError:
    """Return the error for a column that cannot be kept as `dtype`."""
    return DatasetError(f"column {column} cannot be kept as {dtype}: {why}")


def schema_in(path: Path) -> pa.Schema:
    """Return the schema of a folder's first Parquet file; without a file, an empty schema."""
    files = sorted(file for file in path.glob("*.parquet") if file.name[0] != ".")
    return _footer(files[0]).schema.to_arrow_schema() if files else pa.schema([])


def leading_in(schema: pa.Schema) -> dict[str, str]:
    """Return the leading columns, by the name of the column beside the files."""
    told = {column.name: (column.metadata or {}).get(BESIDE.encode()) for column in schema}
    found = {json.loads(text)["column"]: name for name, text in told.items() if text is not None}
    return {beside: name for beside, name in found.items() if beside not in schema.names}


def _footer(file: Path) -> pq.FileMetaData:
    try:
        with opened(Store.at(file.parent), file.name) as stream:
            has_checksum(stream, str(file))
            return pq.read_metadata(stream)
    except Damaged as error:
        ours = any((file.parent / name).exists() for name in ("manifest.json", "dataset.json"))
        raise DatasetError(f"{error}; {AGAIN}" if ours else str(error)) from error
    except (pa.ArrowException, OSError, ValueError) as error:
        raise DatasetError(f"{file}: not a whole Parquet file ({error})") from error


def _missing(path: Path, footers: dict[Path, pq.FileMetaData]) -> str:
    """Say in a line what an unfinished run lacks; "" for any other folder.

    Raises DatasetError if a file is gone, or is not of the run in the folder.
    """
    store = Store.at(path)
    try:
        run = _run_of(store)
    except (Damaged, OSError) as error:
        if not any(map(names_run, footers.values())):  # another program's manifest.json
            return ""
        raise DatasetError(str(error)) from error
    if run is None:
        return ""
    try:
        with advising():
            for file, footer in footers.items():
                check_run(footer, store, file.name, run)
        return what_is_missing(path)
    except DataError as error:
        raise DatasetError(str(error)) from error


def _run_of(store: Store) -> str | None:
    """Return the identity of the folder's run; None for another folder. Raises Damaged, OSError."""
    manifest = read_manifest(store)
    if manifest is not None:
        return manifest.run
    run = (read_json(store, "dataset.json") or {}).get("run")
    return run if isinstance(run, str) else None


def _chosen(path: Path, schema: pa.Schema, columns: Sequence[str] | None) -> list[pa.Field]:
    if columns is None:
        fields = [field for field in schema if holds_numbers(field.type)]
        if not fields:
            raise DatasetError(f"{path}: none of its columns holds numbers")
        return fields
    _check_names(path, columns, [*schema.names, *leading_in(schema)])
    for name in columns:
        if not holds_numbers(schema.field(name).type):
            raise DatasetError(f"{path}: column {name} holds no numbers: {schema.field(name).type}")
    return [schema.field(name) for name in columns]


def _check_names(path: Path, names: Iterable[str], known: Sequence[str]) -> None:
    for name in names:
        if name not in known:
            meant = did_you_mean(name, known) or f"; there are {', '.join(known)}"
            raise DatasetError(f"{path}: there is no column {brief(name)}{meant}")


def holds_numbers(kind: pa.DataType) -> bool:
    """Tell whether a type is of numbers, of nested lists of numbers, or of dictionary words."""
    leaf = leaf_of(kind)
    words = pa.types.is_dictionary(leaf) and not _nesting(kind)
    return words or any(
        test(leaf) for test in (pa.types.is_boolean, pa.types.is_integer, pa.types.is_floating)
    )


def is_list(kind: pa.DataType) -> bool:
    """Tell whether a type's values are lists."""
    return (
        pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind)
    )


def leaf_of(kind: pa.DataType) -> pa.DataType:
    """Return the type of the elements of the innermost lists."""
    return leaf_of(kind.value_type) if is_list(kind) else kind


def wide_words(field: pa.Field) -> pa.Field:
    """Return a field whose words, if it has words, may be as many as an int32 can number."""
    kind = field.type
    if not pa.types.is_dictionary(kind):
        return field
    return field.with_type(pa.dictionary(pa.int32(), kind.value_type, kind.ordered))


def _nesting(kind: pa.DataType) -> int:
    return 1 + _nesting(kind.value_type) if is_list(kind) else 0


def numpy_type(kind: pa.DataType) -> np.dtype[np.generic]:
    """Return the default type of a column's kept numbers."""
    leaf = leaf_of(kind)
    if pa.types.is_dictionary(leaf):
        return np.dtype(np.int32)
    return np.dtype(leaf.to_pandas_dtype())


def _values(footers: list[pq.FileMetaData], field: pa.Field) -> tuple[int, bool]:
    """Return the most values of a column, and whether a value may be missing."""
    within = f"{field.name}." if _nesting(field.type) else ""
    count, missing = 0, False
    for footer in footers:
        for group in range(footer.num_row_groups):
            of_group = footer.row_group(group)
            for k in range(of_group.num_columns):
                column = of_group.column(k)
                path = column.path_in_schema  # a name may have dots itself
                if path.startswith(within) if within else path == field.name:
                    count += column.num_values
                    known = column.statistics is not None and column.statistics.has_null_count
                    missing |= not known or column.statistics.null_count > 0
    return count, missing


def _most_bytes(
    kind: pa.DataType, rows: int, values: int, missing: bool, dtype: np.dtype[np.generic] | None
) -> int:
    """Return the most bytes of a column.

    These are of its numbers, of the offsets of each depth of lists, and of flags of numbers that
    are not missing.
    """
    depths = len(_ragged(kind)) or _nesting(kind) * missing
    offsets = 4 * (rows + 2) + 4 * (values + 2) * (depths - 1) if depths else 0
    flags = rows * missing * (not is_list(kind))
    return values * (dtype or numpy_type(kind)).itemsize + offsets + flags


def _ragged(kind: pa.DataType) -> list[pa.DataType]:
    """List the nested types of lists without a fixed length, the outermost first."""
    if not is_list(kind):
        return []
    own = [] if pa.types.is_fixed_size_list(kind) else [kind]
    return own + _ragged(kind.value_type)
