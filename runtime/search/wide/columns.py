"""Programs on samples, by columns: one operation after the other on all samples.

A value is let go after its last use.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from megabatt.runtime.engine.calls.concurrent import Target
from megabatt.runtime.engine.calls.vectorized import BatchInputs, Vectorized
from megabatt.runtime.engine.columns import Column, Uniform
from megabatt.runtime.engine.plan.graph import Graph
from megabatt.runtime.search.wide.loaded import Loaded

Bits = np.ndarray[Any, Any]


class _InOrder(Vectorized):
    """A batch whose operations are made as they come, so that they can be let go."""

    in_any_order = False


def _with_users(graph: Graph, numbers: Iterable[int]) -> set[int]:
    """Return operations, and those that need one of them."""
    found = set(numbers)
    for number, operands in enumerate(graph.operands):
        if operands is not None and not found.isdisjoint(operands):
            found.add(number)
    return found


class OnColumns:
    """The operations of loaded programs.

    operations: how many were made so far.
    """

    def __init__(
        self, loaded: Loaded[Graph], inputs: Mapping[str, Callable[[], Column]], lanes: int
    ) -> None:
        """Prepare to run. inputs: what gives a column for each input. lanes: the samples."""
        self._graph = loaded.graph
        self._numbers = loaded.numbers.tolist()
        self._lanes = lanes
        self.operations = 0
        self._dead = _with_users(self._graph, self._graph.never)
        self._made: dict[int, Any] = {}
        self._inputs = {number: inputs[name] for number, name in loaded.inputs.items()}

    def closeness(self, rate: Callable[[Column], Bits]) -> Bits:
        """Measure how close outputs come to those of samples; float32 (programs, samples).

        rate: measures one program's outputs, float32 (samples,). An operation that fails in every
        sample ends the programs that need it: their closeness is 0.
        """
        outputs = {number for number in self._numbers if number >= 0}
        operations = sorted(self._graph.lacking(outputs))
        left = self._uses(operations, outputs)
        batch = _InOrder(
            self._graph.language,
            BatchInputs(self._lanes, {}),
            len(operations),
            self._graph.max_elements,
        )
        found: dict[int, Bits] = {}
        for place, number in enumerate(operations, 1):
            operands = self._graph.operands[number] or ()
            self._make(batch, place, number, operands)
            if number in outputs and number not in self._dead:
                found[number] = rate(self._made[number].column)
                left[number] -= 1
                self._release(number, left)
            for k in operands:
                left[k] -= 1
                self._release(k, left)
        nothing = np.zeros(self._lanes, dtype=np.float32)
        for number in outputs.difference(operations, self._dead):
            found[number] = rate(self._operand(number).column)
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
            return
        function, *arguments = [self._operand(k) for k in operands]
        self._made[number] = batch.call(place, function, *arguments)
        self.operations += 1
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
