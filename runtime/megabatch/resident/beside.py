"""Columns of arrays, such as signals, in files beside the Parquet files.

A leading column in the Parquet files leads to a column of arrays. The leading column has, for each
row, the place of the row's first array in the file of arrays. Its metadata has, under `BESIDE`, as
JSON:

    column   the name of the column of arrays
    files    the name of the file of arrays, with * for the number in the Parquet file's name
    there    the name of the column of flags that tell which elements of a row have an array
    length   the length of each array
    dtype    the type of the arrays' numbers
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from megabatt.runtime.megabatch.resident.folder import BESIDE, DatasetError


@dataclass
class Beside:
    """A column of arrays, which are read from files when a batch needs them.

    begins: The first row of each file. first: int64 (rows,), the place of each row's first array in
    its file. there: For each row, flags of the elements with an array. longest: The most elements
    of a row.
    """

    name: str
    files: list[Path]
    begins: np.ndarray[Any, Any]
    first: np.ndarray[Any, Any]
    there: list[np.ndarray[Any, Any]]
    length: int
    dtype: np.dtype[Any]
    longest: int
    _opened: dict[int, np.ndarray[Any, Any]] = field(default_factory=dict)

    def rows(self, rows: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        """Return the arrays of some rows (rows, longest, length), with zeros for missing arrays.

        Raises DatasetError if a file is missing or too short.
        """
        found = np.zeros((len(rows), self.longest, self.length), self.dtype)
        for place, row in enumerate(rows.tolist()):
            number = int(np.searchsorted(self.begins, row, side="right")) - 1
            elements = np.flatnonzero(self.there[row])
            begin = int(self.first[row])
            arrays = self._file(number)[begin : begin + len(elements)]
            if len(arrays) < len(elements):
                raise DatasetError(f"{self.files[number]}: it has fewer arrays than rows ask for")
            found[place, elements] = arrays
        return found

    def _file(self, number: int) -> np.ndarray[Any, Any]:
        """Map a file into memory. Raises DatasetError."""
        if number not in self._opened:
            path = self.files[number]
            try:
                if path.suffix == ".npy":
                    opened = np.load(path, mmap_mode="r")
                else:
                    opened = np.memmap(path, self.dtype, "r").reshape(-1, self.length)
            except (OSError, ValueError, EOFError) as error:
                raise DatasetError(f"{path}: cannot be read ({error})") from error
            if opened.dtype != self.dtype or opened.shape[1:] != (self.length,):
                raise DatasetError(f"{path}: it has no arrays of {self.length:,} {self.dtype}")
            self._opened[number] = opened
        return self._opened[number]


def read_beside(files: Sequence[Path], column: str) -> Beside:
    """Read a leading column, and return its column of arrays. Raises DatasetError."""
    schema = pq.read_schema(files[0])
    try:
        told = json.loads(schema.field(column).metadata[BESIDE.encode()])
        tables = [pq.read_table(file, columns=[column, told["there"]]) for file in files]
        places = [
            file.with_name(told["files"].replace("*", re.findall(r"\d+", file.stem)[-1]))
            for file in files
        ]
        there = [
            np.array(flags, dtype=np.bool_)
            for table in tables
            for flags in table[told["there"]].to_pylist()
        ]
        return Beside(
            told["column"], places, np.cumsum([0, *map(len, tables)])[:-1],
            np.concatenate([np.asarray(table[column]) for table in tables]), there,
            int(told["length"]), np.dtype(told["dtype"]), max(map(len, there), default=0),
        )  # fmt: skip
    except (KeyError, ValueError, TypeError, IndexError, pa.ArrowException, OSError) as error:
        raise DatasetError(f"{files[0].parent}: column {column} leads nowhere ({error})") from error
