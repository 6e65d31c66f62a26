"""Many programs on one sample of each of many tasks: an operation once, for all samples.

What the programs of a call share is computed once, and let go after its last use. An operation that
fails in every sample ends the programs that need it: what builds on its safe default is not
computed. Outputs are compared as soon as they are there, and not kept.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from megabatt.runtime.engine.calls.concurrent import Target
from megabatt.runtime.engine.calls.vectorized import BatchInputs, Vectorized
from megabatt.runtime.engine.columns import Column, Uniform
from megabatt.runtime.engine.device.device import Device, computing_on, to_host
from megabatt.runtime.engine.plan.graph import Graph
from megabatt.runtime.engine.plan.loading import Loader, WrongProgram
from megabatt.runtime.megabatch.workload import Workload
from megabatt.runtime.program import Program

Bits = np.ndarray[Any, Any]


class _InOrder(Vectorized):
    """A batch whose operations are made as they come, so that they can be let go."""

    in_any_order = False


class Wide:
    """Samples on which programs are tried, call after call. Programs see nothing of what is
    expected.

    operations: how many were made so far; skipped: how many were not, since an operand had failed.
    """

    def __init__(
        self, workload: Workload[Any], samples: Sequence[Any], max_elements: int, device: Device
    ) -> None:
        self._workload = workload
        self._samples = list(samples)
        self._max_elements = max_elements
        self._device = device
        self._expected: Column | None = None
        self.operations = 0
        self.skipped = 0

    def closeness(self, programs: Sequence[Program]) -> Bits:
        """Measure how close programs come to the expected outputs: float32 (programs, samples).

        It is 1 where the output is right, and 0 for programs that are wrong in themselves.
        """
        with (
            self._workload.language.in_use(),
            computing_on(self._device),
            np.errstate(all="ignore"),
        ):
            return _Pass(self, programs).closeness()

    def of(self, outputs: Column) -> Bits:
        """Measure how close one program's outputs are; float32 (samples,)."""
        if self._expected is None:
            name = self._workload.expected_column
            self._expected = self._workload.column(name, self._samples)
        return to_host(self._workload.closeness(outputs, self._expected))

    def input(self, name: str) -> Column:
        """Return an input of the samples; None in each lane for the expected output."""
        if name == self._workload.language.expected:
            return Uniform(None, len(self._samples))
        return self._workload.column(name, self._samples)


class _Pass:
    """The operations of one call of `Wide.closeness`.

    dead: the operations that fail in every sample, or need one that does.
    """

    def __init__(self, wide: Wide, programs: Sequence[Program]) -> None:
        language = wide._workload.language
        self._wide = wide
        self._graph = Graph(language, wide._max_elements, trusting=False)
        self._loader = Loader(self._graph)
        self._lanes = len(wide._samples)
        self._numbers = [self._number(program) for program in programs]
        self._dead: set[int] = set(self._graph.never)
        self._made: dict[int, Any] = {}
        self._inputs = {
            self._loader.names(0)[name]: partial(wide.input, name) for name in language.inputs
        }

    def _number(self, program: Program) -> int:
        """Load a program and return the number of its output; -1 where it is wrong."""
        try:
            return self._loader.add(program)
        except (WrongProgram, IndexError, TypeError):
            return -1

    def closeness(self) -> Bits:
        wide = self._wide
        outputs = {number for number in self._numbers if number >= 0}
        operations = sorted(self._graph.lacking(outputs))
        left = self._uses(operations, outputs)
        batch = _InOrder(
            self._graph.language,
            BatchInputs(self._lanes, {}),
            len(operations),
            wide._max_elements,
        )
        found: dict[int, Bits] = {}
        for place, number in enumerate(operations, 1):
            operands = self._graph.operands[number] or ()
            self._make(batch, place, number, operands)
            if number in outputs and number not in self._dead:
                found[number] = wide.of(self._made[number].column)
                left[number] -= 1
                self._release(number, left)
            for k in operands:
                left[k] -= 1
                self._release(k, left)
        nothing = np.zeros(self._lanes, dtype=np.float32)
        for number in outputs.difference(operations, self._dead):
            found[number] = wide.of(self._operand(number).column)
        return np.array([found.get(number, nothing) for number in self._numbers])

    def _uses(self, operations: list[int], outputs: set[int]) -> Counter[int]:
        """Count how often each value is needed."""
        uses = Counter(outputs)
        for number in operations:
            uses.update(self._graph.operands[number] or ())
        return uses

    def _release(self, number: int, left: Counter[int]) -> None:
        """Let a value go after its last use."""
        if not left[number] and self._graph.operands[number] is not None:
            self._made.pop(number, None)

    def _make(self, batch: Vectorized, place: int, number: int, operands: tuple[int, ...]) -> None:
        """Make the value of an operation, unless it fails in every sample."""
        if not self._dead.isdisjoint(operands):
            self._dead.add(number)
            self._wide.skipped += 1
            return
        function, *arguments = [self._operand(k) for k in operands]
        self._made[number] = batch.call(place, function, *arguments)
        self._wide.operations += 1
        if bool(batch.failed[place].all()):
            self._dead.add(number)
            del self._made[number]

    def _operand(self, number: int) -> Any:
        """Return an operand as `Vectorized.call` takes it."""
        made = self._made.get(number)
        if made is None:
            made = self._made[number] = self._known(number)
        return made

    def _known(self, number: int) -> Any:
        """Return an input, a constant, or an operation's value that is known before it runs."""
        if number in self._inputs:
            return Target(self._inputs[number](), "input", 0)
        value = self._graph.values[number]
        if self._graph.operands[number] is None and callable(value):
            return value
        return Target(Uniform(value, self._lanes), "constant", 0)
