"""Runs operations of programs on columns, each in all lanes at once."""

import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

import numpy as np

from megabatt.runtime.engine.columns import Column, Uniform
from megabatt.runtime.engine.columns.dispatch import host_lanes_of, operate
from megabatt.runtime.engine.columns.rules import Frame
from megabatt.runtime.engine.columns.transfer import nbytes_of
from megabatt.runtime.engine.device.arrays import Array, xp
from megabatt.runtime.engine.device.compiling import seconds_making_ready
from megabatt.runtime.engine.device.device import current, to_host
from megabatt.runtime.engine.device.scheduling import run_in_order
from megabatt.runtime.engine.executor.operations import Operations
from megabatt.runtime.engine.language.limits import SHORTAGES
from megabatt.runtime.engine.language.reasons import Reason
from megabatt.runtime.engine.language.values import truth
from megabatt.runtime.memory import require_memory


@dataclass(eq=False, repr=False)
class ColumnRun:
    """The values of operations on the samples of their domains, made on demand.

    A value has a lane for each sample of its domain, or one lane if it depends on no sample. lanes:
    The number of samples of each domain. keeps: Whether all values stay; else they are dropped
    after their last use. raises: Whether `make` raises errors of `SHORTAGES` instead of noting them
    in `lost`. operation_lanes, host_lanes: The numbers of all operation-lanes, and of those that
    scalar code computed. bytes_kept: The approximate memory of the values. lost: The errors of
    operations that were not computed. seconds: The time of each operation on the CPU. inputs:
    Functions that return inputs' columns, by number; to be filled first. reasons: Those of each
    operation's failures on the device in use, uint8 (lanes,), or (1,) if it depends on no sample.
    second: Where each choice returned its second value, bool of the same shape.
    """

    operations: Operations
    lanes: Sequence[int]
    keeps: bool
    raises: bool = False
    host_lanes: int = 0
    operation_lanes: int = 0
    bytes_kept: int = 0
    lost: dict[int, Exception] = field(default_factory=dict)
    seconds: dict[int, float] = field(default_factory=dict)
    inputs: dict[int, Callable[[], Column]] = field(default_factory=dict)
    reasons: dict[int, Array] = field(default_factory=dict)
    second: dict[int, np.ndarray[Any, Any]] = field(default_factory=dict)
    _columns: dict[int, Column] = field(default_factory=dict)

    def make(self, wanted: Iterable[int]) -> None:
        """Make values by the operations they need. The language handles overflow of floats."""
        known = np.zeros(len(self.operations), dtype=np.bool_)
        known[list(self._columns)] = True
        outputs = np.fromiter(wanted, np.int64)
        table = self.operations.table
        lacking = table.lacking(outputs, known).tolist()
        begins, flat = table.begins, table.flat
        operands = {n: flat[begins[n] : begins[n + 1]].tolist() for n in lacking}
        uses = Counter(chain(*map(set, operands.values()), outputs.tolist()))

        def run(number: int) -> None:
            with np.errstate(all="ignore"):  # here: a task on a device starts with NumPy's default
                self._make(number, operands[number])
            for operand in set(operands[number]):
                uses[operand] -= 1
                if not uses[operand] and not self.keeps:
                    del self._columns[operand]

        run_in_order(lacking, operands.__getitem__, run)

    def _make(self, number: int, operands: list[int]) -> None:
        """Run an operation whose operands are made."""
        began = time.perf_counter() - seconds_making_ready()
        domain = int(self.operations.domains[number])
        lanes = 1 if domain < 0 else self.lanes[domain]
        function, *args = [self.in_lanes(operand, lanes) for operand in operands]
        default = self.operations.language.default_of(self.operations.values.get(operands[0]))
        reasons = xp.zeros(lanes, dtype=xp.uint8)
        limit = self.operations.max_elements
        try:
            column = operate(function, args, default, limit, reasons, self._note)
            require_memory()
        except SHORTAGES as error:
            if self.raises or current().exhausted(error):
                raise
            self.lost[number] = error
            column = Uniform(default, lanes)
            reasons = xp.full(lanes, Reason.NOT_COMPUTED, dtype=xp.uint8)
        self.reasons[number] = reasons
        if self.operations.are_choices(np.array(operands[:1]))[0]:
            chosen = [truth(condition) for condition in args[0].decode()]
            self.second[number] = (to_host(reasons) == 0) & ~np.array(chosen)
        self._keep(number, column if domain >= 0 else Uniform(column.decode()[0], 1))
        self.operation_lanes += lanes
        self.seconds[number] = time.perf_counter() - seconds_making_ready() - began

    def _note(self, frame: Frame, lanes: Array | None) -> None:
        found = host_lanes_of(frame)  # other operations may count meanwhile
        self.host_lanes += found

    def _keep(self, number: int, column: Column) -> None:
        self._columns[number] = column
        if self.keeps:
            self.bytes_kept += nbytes_of(column)

    def in_lanes(self, number: int, lanes: int) -> Column:
        """Return a value in all lanes of a domain."""
        column = self.column(number)
        return Uniform(column.value, lanes) if isinstance(column, Uniform) else column

    def column(self, number: int) -> Column:
        """Return a value's column. Inputs and constants are laid out at first use."""
        if number not in self._columns:
            given = self.inputs.get(number)
            constants = self.operations.values
            self._keep(number, Uniform(constants[number], 1) if given is None else given())
        return self._columns[number]
