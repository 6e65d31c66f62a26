"""Samples of many tasks, one of each, on which programs are tried call after call."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from typing import Any

import numpy as np

from megabatt.runtime.engine.columns import Column, Uniform
from megabatt.runtime.engine.device.device import CPU, Device, computing_on, to_host
from megabatt.runtime.engine.machine.values import Heap, NoWord
from megabatt.runtime.engine.plan.on_columns import ColumnRun
from megabatt.runtime.engine.plan.operands import Numbers
from megabatt.runtime.engine.plan.operations import Operations
from megabatt.runtime.megabatch.workload import Workload
from megabatt.runtime.program import Program
from megabatt.runtime.search.wide.loaded import Loaded
from megabatt.runtime.search.wide.machine import OnMachine

Bits = np.ndarray[Any, Any]


class Wide:
    """Samples on which programs are tried. Programs see nothing of what is expected.

    Programs of a language of words are run by the CPU's machine, others on columns on the device.
    operations: how many were made so far.
    """

    def __init__(
        self, workload: Workload[Any], samples: Sequence[Any], max_elements: int, device: Device
    ) -> None:
        self._workload = workload
        self._samples = list(samples)
        self._max_elements = max_elements
        self._device = device
        self.operations = 0

    def closeness(self, programs: Sequence[Program]) -> Bits:
        """Measure how close programs come to the expected outputs: float32 (programs, samples).

        It is 1 where the output is right. It is 0 for programs that are wrong in themselves, and
        for those with an operation that fails in every sample.
        """
        language = self._workload.language
        with language.in_use(), np.errstate(all="ignore"):
            loaded = Loaded(Operations(language, self._max_elements), programs)
            self.operations += len(loaded.operations)
            if language.of_words:
                with suppress(NoWord), computing_on(CPU):
                    return self._on_machine(loaded)
            with computing_on(self._device):
                return self._on_columns(loaded)

    def _on_machine(self, loaded: Loaded) -> Bits:
        machine = OnMachine(loaded)
        read = {k: name for k, name in loaded.inputs.items() if machine.reads(k)}
        inputs = {k: self._input(name).words(machine.heap) for k, name in read.items()}
        expected = self._expected().words(machine.heap)

        def rate(heap: Heap, words: Numbers, sample: int) -> Bits:
            wanted = np.full(len(words), expected[sample])
            return self._workload.closeness_of_words(heap, words, wanted)

        return machine.closeness(inputs, len(self._samples), rate)

    def _on_columns(self, loaded: Loaded) -> Bits:
        samples, outputs = len(self._samples), loaded.outputs
        run = ColumnRun(loaded.graph, [samples])
        for number, name in loaded.inputs.items():
            run.set_inputs([number], partial(self._in_domain, name))
        run.make(outputs[outputs >= 0])
        ended = np.zeros(len(loaded.graph), dtype=np.bool_)
        for number in loaded.operations.tolist():
            ended[number] = run.failed(number, samples).all()
        right = (outputs >= 0) & ~loaded.with_users(ended)[outputs]
        close = np.zeros((len(outputs), samples), dtype=np.float32)
        expected = self._expected()
        for k in np.flatnonzero(right).tolist():
            column = run.picked(np.full(samples, outputs[k]), np.arange(samples))
            close[k] = to_host(self._workload.closeness(column, expected))
        return close

    def _expected(self) -> Column:
        """Return the outputs that are expected."""
        return self._workload.column(self._workload.expected_column, self._samples)

    def _in_domain(self, name: str, domains: Sequence[int]) -> Column:
        """Return an input of the samples, which are one domain."""
        return self._input(name)

    def _input(self, name: str) -> Column:
        """Return an input of the samples; None in each lane for the expected output."""
        if name == self._workload.language.expected:
            return Uniform(None, len(self._samples))
        return self._workload.column(name, self._samples)
