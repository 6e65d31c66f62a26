"""A program's operations as its vectorized form lists them, and the inputs of a batch."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from megabatt.runtime.engine.columns import Column, encode
from megabatt.runtime.engine.language.registry import Language


@dataclass(slots=True, eq=False)
class Target:
    """The value of a variable of a program, and the operations that it depends on.

    source: The number of the operation, or the name of an input. cone: Bit n is set if the value
    depends on operation n. column: The value's `Column` or `WordColumn` in a batch, for observers.
    """

    source: int | str
    cone: int = 0
    column: Any = None


Observer = Callable[[int, Any, tuple[Any, ...], Target, "np.ndarray[Any, Any]"], None]
"""Called for each operation after all have run, with the number, function, arguments and target,
and the `Reason` of the failure in each lane; uint8 (lanes,)."""


NONE, RIGHT, ALL = range(3)
"""The outputs of a lane to keep."""


@dataclass(eq=False)
class BatchInputs:
    """The inputs of a batch, made when a program first reads them.

    values      by input name, the list of the lanes' values, or a function that returns the values'
                column or, in a language of words, puts them into a heap and returns their words
    observer    called for every operation of the run
    solvers     the names of the solvers whose outputs are wanted, by default all; operations that
                only other solvers need do not run
    kept        uint8 (lanes,): the outputs to keep, `NONE`, `RIGHT` (right ones) or `ALL`, by
                default all; a language of columns keeps all
    seconds     float64 (operations + 1,): gets the seconds of each operation on the CPU, by number
    expected    the name of the expected output among `values`, or None
    workers     the most threads on the CPU
    heap        the heap of the device in use, if it already has the inputs' words
    groups      int64 (lanes,): the number of each lane's group; an output that is wrong in a lane
                that keeps `RIGHT` need not be kept in any lane of the group. By default each lane
                is a group
    """

    lanes: int
    values: Mapping[str, list[Any] | Callable[..., Any]]
    observer: Observer | None = None
    solvers: Collection[str] | None = None
    kept: np.ndarray[Any, Any] | None = None
    seconds: np.ndarray[Any, Any] | None = None
    expected: str | None = None
    heap: Any = None
    workers: int = 1
    groups: np.ndarray[Any, Any] | None = None
    _columns: dict[str, Column] = field(default_factory=dict, init=False)

    def column(self, name: str) -> Column:
        if name not in self._columns:
            values = self.values[name]
            self._columns[name] = values() if callable(values) else encode(values)
        return self._columns[name]


class Call(NamedTuple):
    """An operation of a program: its number, its function, its arguments."""

    number: int
    function: Any
    args: tuple[Any, ...]


class Recording:
    """Stands for the inputs, so that the vectorized form returns its operations, `Recorded`."""


@dataclass(eq=False)
class Recorded:
    """A program's operations, as its vectorized form lists them.

    calls: The operations in order; a `Target` is an input or an earlier operation's value. outputs:
    A target or a constant for each solver. operations: The number of operations.
    """

    language: Language
    operations: int
    calls: list[Call]
    outputs: dict[str, Any]

    def cones(self, solvers: Collection[str] | None = None) -> dict[str, list[int]]:
        """Return the numbers of the operations that each solver's output needs, ascending.

        solvers: By default all.
        """
        return {
            name: cone for name, cone in self._cones.items() if solvers is None or name in solvers
        }

    @cached_property
    def _cones(self) -> dict[str, list[int]]:
        return {
            name: _numbers_in(value.cone) if isinstance(value, Target) else []
            for name, value in self.outputs.items()
        }


def _numbers_in(cone: int) -> list[int]:
    """List the numbers of the set bits, ascending; few bits are set."""
    numbers = []
    while cone:
        lowest = cone & -cone
        numbers.append(lowest.bit_length() - 1)
        cone ^= lowest
    return numbers
