"""Runs operations of programs on columns, each in all lanes at once."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import chain

import numpy as np

from megabatt.runtime.engine.columns import Column, Uniform
from megabatt.runtime.engine.columns.dispatch import host_lanes_of, operate
from megabatt.runtime.engine.columns.rules import Frame
from megabatt.runtime.engine.columns.transfer import nbytes_of
from megabatt.runtime.engine.device.arrays import Array, xp
from megabatt.runtime.engine.device.compiling import seconds_making_ready
from megabatt.runtime.engine.device.device import current
from megabatt.runtime.engine.device.scheduling import run_in_order
from megabatt.runtime.engine.executor.operations import Operations
from megabatt.runtime.engine.language.limits import SHORTAGES
from megabatt.runtime.engine.language.reasons import Reason
from megabatt.runtime.memory import require_memory


class ColumnRun:
    """The values of operations on the samples of their domains, made on demand.

    A value has a lane for each sample of its domain, or one lane if it depends on no sample. lanes:
    The number of samples of each domain. host_lanes: The number of operation-lanes that scalar code
    computed. operation_lanes: The number of all operation-lanes. lost: The errors of operations
    that were not computed, which count as failed. bytes_kept: The approximate memory of the values.
    seconds: The time of each operation on the CPU. reasons: The reasons of each operation's
    failures on the device in use, uint8 (lanes,), or (1,) if it depends on no sample. inputs: The
    function that returns an input's column, by the input's number; to be filled first.
    """

    def __init__(
        self, operations: Operations, lanes: Sequence[int], keeps: bool, raises: bool = False
    ) -> None:
        """Begin without values.

        keeps: Whether all values stay; else they are dropped after their last use. raises: Whether
        `make` raises errors of `SHORTAGES` instead of noting them in `lost`.
        """
        self._operations = operations
        self._keeps = keeps
        self._raises = raises
        self.lanes = np.array(lanes, dtype=np.int64)
        self.host_lanes = 0
        self.operation_lanes = 0
        self.bytes_kept = 0
        self.lost: dict[int, Exception] = {}
        self.seconds: dict[int, float] = {}
        self.inputs: dict[int, Callable[[], Column]] = {}
        self._columns: dict[int, Column] = {}
        self.reasons: dict[int, Array] = {}

    def make(self, wanted: Iterable[int]) -> None:
        """Make values by the operations they need. The language handles overflow of floats."""
        known = np.zeros(len(self._operations), dtype=np.bool_)
        known[list(self._columns)] = True
        outputs = np.fromiter(wanted, np.int64)
        table = self._operations.table
        lacking = table.lacking(outputs, known).tolist()
        begins, flat = table.begins, table.flat
        operands = {n: flat[begins[n] : begins[n + 1]].tolist() for n in lacking}
        uses = Counter(chain(*map(set, operands.values()), outputs.tolist()))

        def run(number: int) -> None:
            with np.errstate(all="ignore"):  # here: a task on a device starts with NumPy's default
                self._make(number, operands[number])
            for operand in set(operands[number]):
                uses[operand] -= 1
                if not uses[operand] and not self._keeps:
                    del self._columns[operand]

        run_in_order(lacking, operands.__getitem__, run)

    def _make(self, number: int, operands: list[int]) -> None:
        """Run an operation whose operands are made."""
        began = time.perf_counter() - seconds_making_ready()
        domain = int(self._operations.domains[number])
        lanes = 1 if domain < 0 else int(self.lanes[domain])
        function, *args = [self.in_lanes(operand, lanes) for operand in operands]
        default = self._operations.language.default_of(self._operations.values.get(operands[0]))
        reasons = xp.zeros(lanes, dtype=xp.uint8)
        limit = self._operations.max_elements
        try:
            column = operate(function, args, default, limit, reasons, self._note)
            require_memory()
        except SHORTAGES as error:
            if self._raises or current().exhausted(error):
                raise
            self.lost[number] = error
            column = Uniform(default, lanes)
            reasons = xp.full(lanes, Reason.NOT_COMPUTED, dtype=xp.uint8)
        self.reasons[number] = reasons
        self._keep(number, column if domain >= 0 else Uniform(column.decode()[0], 1))
        self.operation_lanes += lanes
        self.seconds[number] = time.perf_counter() - seconds_making_ready() - began

    def _note(self, frame: Frame, lanes: Array | None) -> None:
        found = host_lanes_of(frame)  # other operations may count meanwhile
        self.host_lanes += found

    def _keep(self, number: int, column: Column) -> None:
        self._columns[number] = column
        if self._keeps:
            self.bytes_kept += nbytes_of(column)

    def in_lanes(self, number: int, lanes: int) -> Column:
        """Return a value in all lanes of a domain."""
        column = self.column(number)
        return Uniform(column.value, lanes) if isinstance(column, Uniform) else column

    def column(self, number: int) -> Column:
        """Return a value's column. Inputs and constants are laid out at first use."""
        if number not in self._columns:
            given = self.inputs.get(number)
            constants = self._operations.values
            self._keep(number, Uniform(constants[number], 1) if given is None else given())
        return self._columns[number]
