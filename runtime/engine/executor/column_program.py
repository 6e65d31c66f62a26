"""A program of a language of columns on a batch: an operation at a time in all lanes."""

from __future__ import annotations

import time
from typing import Any

from megabatt.runtime.engine.columns import Column, Uniform
from megabatt.runtime.engine.columns.frames import Frame
from megabatt.runtime.engine.columns.operate import host_lanes_of, operate
from megabatt.runtime.engine.device.arrays import Array, xp
from megabatt.runtime.engine.device.compiling import seconds_making_ready
from megabatt.runtime.engine.device.device import current, to_host
from megabatt.runtime.engine.executor.concurrent import SideBySide, Target
from megabatt.runtime.engine.executor.recorded import BatchInputs, Call, Recorded
from megabatt.runtime.engine.executor.results import Results
from megabatt.runtime.engine.memory import require_memory


class OnColumns:
    """A run of a program of a language of columns on a batch of samples.

    On devices that answer together, independent operations run side by side, in any order, which
    does not affect results.
    """

    def __init__(self, recorded: Recorded, inputs: BatchInputs, max_elements: int) -> None:
        self._recorded = recorded
        self._inputs = inputs
        self._max_elements = max_elements
        self.reasons = xp.zeros((recorded.operations + 1, inputs.lanes), dtype=xp.uint8)
        self.host_lanes = 0
        self._targets: dict[int | str, Target] = {}
        side_by_side = current().asks_together and inputs.observer is None
        self._schedule = SideBySide(self._operate) if side_by_side else None

    def run(self) -> Results:
        """Run all operations that the wanted outputs need."""
        recorded, wanted = self._recorded, self._inputs.solvers
        cones = recorded.cones(wanted)
        needed = set().union(*cones.values()) if wanted is not None else None
        calls = [c for c in recorded.calls if needed is None or c.number in needed]
        last = {value.source: k for k, c in enumerate(calls) for value in c.operands()}
        last |= {o.source: len(calls) for o in recorded.outputs.values() if isinstance(o, Target)}
        for k, call in enumerate(calls):
            self.step(call)
            for value in call.operands():
                if last[value.source] == k:
                    self._targets.pop(value.source, None)
        if self._schedule is not None:
            self._schedule.finish()
        columns = {name: self._own_column(self._own(recorded.outputs[name])) for name in cones}
        return Results(columns, self.reasons, cones, self.host_lanes)

    def step(self, call: Call) -> Target:
        """Run or schedule an operation whose arguments were run or scheduled."""
        number, function, args = call
        target = self._targets[number] = Target(number)
        mine, *others = map(self._own, (function, *args))
        given = tuple(others)
        if self._schedule is not None:
            self._schedule.add(target, mine, given)
            return target
        began = time.perf_counter() - seconds_making_ready()
        self._operate(target, mine, given)
        if self._inputs.seconds is not None:
            self._inputs.seconds[number] += time.perf_counter() - seconds_making_ready() - began
        if self._inputs.observer is not None:
            self._inputs.observer(number, mine, given, target, to_host(self.reasons[number]))
        return target

    def _own(self, value: Any) -> Any:
        """Return this run's target for a target of the program, or another value itself."""
        if not isinstance(value, Target):
            return value
        if value.source not in self._targets:
            column = self._inputs.column(str(value.source))
            self._targets[value.source] = Target(value.source, made=column)
        return self._targets[value.source]

    def _operate(self, target: Target, function: Any, args: tuple[Any, ...]) -> None:
        """Compute the operation of `target`. Lanes that fail get its safe default."""
        number = target.source
        assert isinstance(number, int)
        target.made = operate(
            self._own_column(function),
            [self._own_column(value) for value in args],
            self._recorded.language.default_of(function),
            self._max_elements,
            self.reasons[number],
            self.note,
        )
        require_memory()

    def _own_column(self, value: Any) -> Column:
        return value.column if isinstance(value, Target) else Uniform(value, self._inputs.lanes)

    def note(self, frame: Frame, lanes: Array | None) -> None:
        """Count the lanes that scalar code has computed."""
        found = host_lanes_of(frame)  # other operations may count meanwhile
        self.host_lanes += found
