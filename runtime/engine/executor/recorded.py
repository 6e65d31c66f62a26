"""A program's operations as its vectorized form says them, and what a batch gives them to read."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any, NamedTuple

import numpy as np

from megabatt.runtime.engine.columns import Column, encode
from megabatt.runtime.engine.executor.concurrent import Target
from megabatt.runtime.engine.language.registry import Language

Observer = Callable[[int, Any, tuple[Any, ...], Target, "np.ndarray[Any, Any]"], None]
"""Called after each operation: its number, function, arguments, target, and why it failed in each
lane, a `Reason`; uint8 (lanes,)."""


NONE, RIGHT, ALL = range(3)
"""Which outputs of a lane are kept."""


class BatchInputs:
    """The inputs of a batch, made when a program first reads them.

    values      by the input's name: the list of the lanes' values, or a function that gives them:
                their column, or, in a language of words, given a heap their words in it
    observer    told of every operation of the run
    solvers     the names of the solvers whose outputs are wanted, all by default; operations that
                these do not need are not run
    kept        uint8 (lanes,): which outputs are kept, `NONE`, `RIGHT` (those that are the value
                expected) or `ALL`, by default all. Only a language of words heeds it
    seconds     float64 (operations + 1,): gets the seconds that each operation takes on the CPU, by
                its number
    expected    the name of what is expected of outputs, if that is among the values
    workers     how many threads may run operations, on the CPU
    heap        of the device in use, where the words of inputs are there already
    """

    def __init__(
        self,
        lanes: int,
        values: Mapping[str, list[Any] | Callable[..., Any]],
        observer: Observer | None = None,
        solvers: Collection[str] | None = None,
        kept: np.ndarray[Any, Any] | None = None,
        seconds: np.ndarray[Any, Any] | None = None,
        expected: str | None = None,
        heap: Any = None,
        workers: int = 1,
    ) -> None:
        self.lanes = lanes
        self.values = values
        self.observer = observer
        self.solvers = solvers
        self.kept = kept
        self.seconds = seconds
        self.expected = expected
        self.heap = heap
        self.workers = workers
        self._columns: dict[str, Column] = {}

    def column(self, name: str) -> Column:
        """Return the column of an input."""
        if name not in self._columns:
            values = self.values[name]
            self._columns[name] = values() if callable(values) else encode(values)
        return self._columns[name]


class Call(NamedTuple):
    """An operation of a program: its number, its function, its arguments."""

    number: int
    function: Any
    args: tuple[Any, ...]

    def operands(self) -> list[Target]:
        """List the inputs and earlier values that it needs."""
        return [value for value in (self.function, *self.args) if isinstance(value, Target)]


class Recording:
    """Stands for inputs: the vectorized form then returns its operations, `Recorded`."""


class Recorded:
    """A program's operations, as its vectorized form says them.

    calls: in their order; a `Target` stands for an input, or for what an earlier operation gives.
    outputs: by the solver's name a target or a constant. operations: how many the program has.
    """

    def __init__(
        self, language: Language, operations: int, calls: list[Call], outputs: dict[str, Any]
    ) -> None:
        self.language = language
        self.operations = operations
        self.calls = calls
        self.outputs = outputs

    def cones(self, solvers: Collection[str] | None = None) -> dict[str, list[int]]:
        """Return by the solver's name the numbers of the operations that compute it, ascending.

        solvers: of which, by default of all.
        """
        return {
            name: _numbers_in(value.cone) if isinstance(value, Target) else []
            for name, value in self.outputs.items()
            if solvers is None or name in solvers
        }


def _numbers_in(cone: int) -> list[int]:
    """List the numbers of the set bits, ascending. Few of many are set."""
    numbers = []
    while cone:
        lowest = cone & -cone
        numbers.append(lowest.bit_length() - 1)
        cone ^= lowest
    return numbers
