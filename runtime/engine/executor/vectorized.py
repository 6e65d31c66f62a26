"""The functions that a program's vectorized form in generated source calls."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from megabatt.runtime.engine.executor.program import program_of
from megabatt.runtime.engine.executor.recorded import BatchInputs, Call, Recorded, Recording, Target
from megabatt.runtime.engine.executor.results import Results
from megabatt.runtime.engine.language.registry import Language


class Vectorized:
    """A run of a program's vectorized form on a batch of samples.

    inputs: `BatchInputs`; or a sequence of the sequential form's tuples, an id and the language's
    inputs; or a `Recording`. operations: The number of operations.
    """

    def __init__(
        self,
        language: Language,
        inputs: BatchInputs | Recording | Sequence[Sequence[Any]],
        operations: int,
        max_elements: int,
    ) -> None:
        if not isinstance(inputs, (BatchInputs, Recording)):
            names = enumerate(language.inputs)
            fields = {name: [sample[k + 1] for sample in inputs] for k, name in names}
            inputs = BatchInputs(len(inputs), fields)
        self._language = language
        self._inputs = inputs
        self._operations = operations
        self._max_elements = max_elements
        self._calls: list[Call] = []

    def input(self, name: str) -> Target:
        return Target(name)

    def call(self, number: int, function: Any, *args: Any) -> Target:
        """Call a primitive or a target on targets and constants, as operation `number`."""
        cone = 1 << number
        for value in (function, *args):
            if isinstance(value, Target):
                cone |= value.cone
        self._calls.append(Call(number, function, args))
        return Target(number, cone)

    def finish(self, outputs: dict[str, Any]) -> Results | Recorded:
        """Run the operations. outputs: A target or a constant for each solver."""
        recorded = Recorded(self._language, self._operations, self._calls, outputs)
        if isinstance(self._inputs, Recording):
            return recorded
        return run_recorded(recorded, self._inputs, self._max_elements)


def run_recorded(recorded: Recorded, inputs: BatchInputs, max_elements: int) -> Results:
    with recorded.language.in_use():
        return program_of(recorded, max_elements).run(inputs)
