"""The outputs that an evaluation keeps, decoded on demand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from megabatt.runtime.engine.columns import Column
from megabatt.runtime.engine.machine.archive import WordColumn, keep
from megabatt.runtime.engine.machine.heap import Heap
from megabatt.runtime.megabatch.workload import Workload
from megabatt.runtime.printable import short

OUTPUTS = ("none", "fits", "all")
"""The choices of outputs to keep: of no program, of programs that fit, of all programs."""

Bits = np.ndarray[Any, Any]


def check_outputs(outputs: str) -> None:
    """Raise ValueError if there is no such choice of outputs."""
    if not isinstance(outputs, str) or outputs not in OUTPUTS:
        raise ValueError(f"outputs must be {' or '.join(map(repr, OUTPUTS))}, not {short(outputs)}")


_WORDS = 1 << 12
"""The first size of the heap of kept outputs, in words."""


class Columns:
    """Columns of outputs on the host. The first request for a value decodes the whole column."""

    def __init__(self) -> None:
        self._columns: list[Column | WordColumn] = []
        self._values: dict[int, list[Any]] = {}
        self._archive: Heap | None = None

    def keep(self, values: Any, words: Bits) -> int:
        """Keep values in a column, and return the column's number.

        values: The heap of the words, or an object whose `column` returns the words' column.
        """
        column = self._of_words(values, words) if isinstance(values, Heap) else values.column(words)
        self._columns.append(column)
        return len(self._columns) - 1

    def _of_words(self, heap: Heap, words: Bits) -> WordColumn:
        if self._archive is None:
            self._archive = Heap(heap.language, _WORDS)
        return WordColumn(self._archive, keep(self._archive, heap, words))

    def column(self, number: int) -> Column | WordColumn:
        """Return a kept column."""
        return self._columns[number]

    def value(self, number: int, lane: int) -> Any:
        """Return a lane of a kept column as a plain value."""
        if number not in self._values:
            self._values[number] = self._columns[number].decode()
        return self._values[number][lane]


class Outputs:
    """The places of the outputs of programs on samples, by (program, sample)."""

    def __init__(self, columns: Columns, numbers: Bits, lanes: Bits) -> None:
        """Set up outputs. numbers: The column of each output. lanes: The lane in that column."""
        self._columns = columns
        self._numbers = numbers
        self._lanes = lanes

    @classmethod
    def none(cls, programs: int, samples: int, columns: Columns) -> Outputs:
        """Make a table without outputs."""
        numbers = np.zeros((programs, samples), dtype=np.int32)
        return cls(columns, numbers, np.full((programs, samples), -1, dtype=np.int64))

    def of(self, samples: slice) -> Outputs:
        """Return the part of this table on some samples, without a copy."""
        return Outputs(self._columns, self._numbers[:, samples], self._lanes[:, samples])

    def place(self, index: Any, numbers: Bits, lanes: Bits) -> None:
        """Note the columns and lanes of some outputs; lane -1 means that an output is not kept.

        index: An index into arrays (programs, samples). numbers: The numbers of the columns.
        """
        self._numbers[index] = numbers
        self._lanes[index] = lanes

    def forget(self, index: Any) -> None:
        """Forget some outputs. index: An index into arrays (programs, samples)."""
        self._lanes[index] = -1

    def arrays(self, workload: Workload[Any]) -> list[pa.Array]:
        """Return `Workload.output_arrays` of all outputs, program by program.

        Outputs that are not kept are null.
        """
        numbers, lanes = self._numbers.ravel(), self._lanes.ravel()
        kept = lanes >= 0
        distinct, which = np.unique(numbers[kept], return_inverse=True)
        if not len(distinct):
            return [pa.nulls(len(lanes), field.type) for field in workload.output_fields]
        columns = [self._columns.column(number) for number in distinct.tolist()]
        firsts = np.cumsum([0, *map(len, columns[:-1])])
        places = np.zeros(len(lanes), dtype=np.int64)
        places[kept] = firsts[which] + lanes[kept]
        index = pa.array(places, mask=~kept)
        parts = zip(*map(workload.output_arrays, columns), strict=True)
        return [pa.chunked_array(part).combine_chunks().take(index) for part in parts]

    def __contains__(self, key: tuple[int, int]) -> bool:
        return bool(self._lanes[key] >= 0)

    def __getitem__(self, key: tuple[int, int]) -> Any:
        return self._columns.value(int(self._numbers[key]), int(self._lanes[key]))
