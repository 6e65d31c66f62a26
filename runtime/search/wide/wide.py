"""Samples of many tasks, one of each, on which programs are tried call after call."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from typing import Any

import numpy as np

from megabatt.runtime.engine.columns import Column, Uniform
from megabatt.runtime.engine.device.device import Device, computing_on, to_host
from megabatt.runtime.engine.machine.linking import holds
from megabatt.runtime.engine.machine.values import Heap, NoWord
from megabatt.runtime.engine.plan.graph import Graph
from megabatt.runtime.engine.plan.operands import Numbers
from megabatt.runtime.engine.plan.operations import Operations
from megabatt.runtime.megabatch.workload import Workload
from megabatt.runtime.program import Program
from megabatt.runtime.search.wide.columns import OnColumns
from megabatt.runtime.search.wide.loaded import Loaded
from megabatt.runtime.search.wide.machine import OnMachine

Bits = np.ndarray[Any, Any]


class Wide:
    """Samples on which programs are tried. Programs see nothing of what is expected.

    On a CPU the machine runs them; on other devices, and where words do not hold the values,
    columns do. operations: how many were made so far.
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

    def closeness(self, programs: Sequence[Program]) -> Bits:
        """Measure how close programs come to the expected outputs: float32 (programs, samples).

        It is 1 where the output is right. It is 0 for programs that are wrong in themselves, and
        for those with an operation that fails in every sample.
        """
        language = self._workload.language
        with language.in_use(), computing_on(self._device), np.errstate(all="ignore"):
            if not self._device.asks_together and holds(language):
                with suppress(NoWord):
                    return self._on_machine(programs)
            return self._on_columns(programs)

    def _on_machine(self, programs: Sequence[Program]) -> Bits:
        loaded = Loaded(Operations(self._workload.language, self._max_elements), programs)
        machine = OnMachine(loaded)
        read = {k: name for k, name in loaded.inputs.items() if machine.reads(k)}
        inputs = {k: self._input(name).words(machine.heap) for k, name in read.items()}
        expected = self._outputs().words(machine.heap)

        def rate(heap: Heap, words: Numbers, sample: int) -> Bits:
            wanted = np.full(len(words), expected[sample])
            return self._workload.closeness_of_words(heap, words, wanted)

        self.operations += machine.operations
        return machine.closeness(inputs, len(self._samples), rate)

    def _on_columns(self, programs: Sequence[Program]) -> Bits:
        language = self._workload.language
        loaded = Loaded(Graph(language, self._max_elements, trusting=False), programs)
        inputs = {name: partial(self._input, name) for name in language.inputs}
        columns = OnColumns(loaded, inputs, len(self._samples))
        close = columns.closeness(self._rated)
        self.operations += columns.operations
        return close

    def _rated(self, outputs: Column) -> Bits:
        """Measure how close one program's outputs are; float32 (samples,)."""
        return to_host(self._workload.closeness(outputs, self._outputs()))

    def _outputs(self) -> Column:
        """Return the outputs that are expected."""
        if self._expected is None:
            name = self._workload.expected_column
            self._expected = self._workload.column(name, self._samples)
        return self._expected

    def _input(self, name: str) -> Column:
        """Return an input of the samples; None in each lane for the expected output."""
        if name == self._workload.language.expected:
            return Uniform(None, len(self._samples))
        return self._workload.column(name, self._samples)
