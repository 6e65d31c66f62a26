"""The inputs of a run's batches as words, laid out on the host and sent to a device."""

from __future__ import annotations

from collections.abc import Collection
from functools import partial
from typing import Any

import numpy as np

from megabatt.runtime.engine.device.arrays import Array
from megabatt.runtime.engine.device.device import CPU, Device, computing_on, xp
from megabatt.runtime.engine.executor.program import BatchInputs
from megabatt.runtime.engine.machine.on_device import DeviceHeap
from megabatt.runtime.megabatch.run.stages import Stages
from megabatt.runtime.megabatch.samples import batch_inputs, group_numbers, sharers
from megabatt.runtime.megabatch.workload import Workload

_WORDS = 1 << 16
"""The first size of a heap, in words."""
SHARE_FOR_INPUTS = 0.1
"""The most of a device's free memory, as a share, for inputs that stay on the device."""


class WordInputs:
    """The inputs and expected outputs of samples, sample k in lane k.

    Make and use WordInputs with `device` in use. Lanes are ranges of samples. If there is room, the
    inputs of all samples stay on the device; else each batch's inputs are sent with the batch.
    """

    def __init__(
        self,
        workload: Workload[Any],
        device: Device,
        samples: list[Any],
        stages: Stages | None = None,
    ) -> None:
        """Lay out the samples' own inputs, and send these inputs if there is room.

        stages: Measures the seconds of encoding and sending. Raises NoWord if words cannot hold an
        input.
        """
        self._workload = workload
        self._samples = samples
        self._stages = stages or Stages()
        self._most = int(SHARE_FOR_INPUTS * device.free_bytes())
        self._all = _Laid(workload, samples, self._stages)
        self.streams = self._all.bytes > self._most
        if not self.streams:
            self._all.send()

    def send_ahead(self, lanes: range) -> None:
        """Do nothing: inputs are on the device already, or are sent with their batch."""

    def of_lanes(
        self,
        lanes: range,
        solvers: Collection[str] | None = None,
        kept: np.ndarray[Any, Any] | None = None,
    ) -> BatchInputs:
        """Return the inputs of a batch of these lanes. solvers, kept: As for `BatchInputs`.

        Drops the values of an earlier batch from the device.
        """
        laid, first = self._all, lanes.start
        if self.streams:
            samples = self._samples[lanes.start : lanes.stop]
            laid, first = _Laid(self._workload, samples, self._stages), 0
            laid.send()
        return laid.of_lanes(range(first, first + len(lanes)), solvers, kept)


class HostInputs:
    """The inputs of samples as words for the CPU, laid out batch by batch."""

    streams = False

    def __init__(
        self, workload: Workload[Any], samples: list[Any], stages: Stages | None = None
    ) -> None:
        """Keep the samples. stages: Measures the seconds of laying out inputs."""
        self._workload = workload
        self._samples = samples
        self._stages = stages or Stages()

    def send_ahead(self, lanes: range) -> None:
        """Do nothing: there is no device."""

    def of_lanes(
        self,
        lanes: range,
        solvers: Collection[str] | None = None,
        kept: np.ndarray[Any, Any] | None = None,
    ) -> BatchInputs:
        """Return the inputs of a batch of these lanes. solvers, kept: As for `BatchInputs`."""
        samples, encode = self._samples[lanes.start : lanes.stop], partial(self._stages, "encode")
        return batch_inputs(self._workload, samples, solvers, encode, kept)


class _Laid:
    """The inputs of samples in a heap, on the host until `send` is called.

    bytes: The size of the samples' own inputs.
    """

    def __init__(self, workload: Workload[Any], samples: list[Any], stages: Stages) -> None:
        self._workload = workload
        self._stages = stages
        self._groups = group_numbers(samples)
        self._sharers = {name: sharers(name, samples) for name in workload.shared}
        inputs = dict.fromkeys([*workload.language.inputs, workload.expected_column])
        self._own = [name for name in inputs if name not in workload.shared]
        self._heap = DeviceHeap(workload.language, _WORDS)
        self._words: dict[str, Array] = {}
        self._laid = [self._words_on_host(name, samples) for name in self._own]
        self.bytes = 8 * self._heap.exchange.top

    def _words_on_host(self, name: str, samples: list[Any]) -> np.ndarray[Any, Any]:
        with self._stages("encode"), computing_on(CPU):
            return self._workload.words(name, [samples], self._heap.exchange)

    def send(self) -> None:
        """Send the samples' own inputs."""
        with self._stages("send"):
            words = self._heap.put_words(np.concatenate(self._laid))
        lanes = len(self._laid[0])
        for k, name in enumerate(self._own):
            self._words[name] = words[k * lanes : (k + 1) * lanes]
        self._kept = self._heap.top

    def of_lanes(
        self,
        lanes: range,
        solvers: Collection[str] | None,
        kept: np.ndarray[Any, Any] | None,
    ) -> BatchInputs:
        """Return the inputs of these lanes; drop all other values from the heap."""
        self._heap.top = self._kept
        values = {name: partial(self._of, name, lanes) for name in [*self._own, *self._sharers]}
        return BatchInputs(
            len(lanes), values, solvers=solvers, kept=kept, heap=self._heap,
            expected=self._workload.expected_column, groups=self._groups[lanes.start : lanes.stop],
        )  # fmt: skip

    def _of(self, name: str, lanes: range, heap: DeviceHeap) -> Array:
        if name not in self._sharers:
            return self._words[name][lanes.start : lanes.stop]
        if name not in self._words:
            self._words[name] = self._shared(name)
        return self._words[name][xp.asarray(self._sharers[name][1][lanes.start : lanes.stop])]

    def _shared(self, name: str) -> Array:
        """Send a shared input, which few programs read."""
        on_host = self._words_on_host(name, self._sharers[name][0])
        with self._stages("send"):
            words = self._heap.put_words(on_host)
        self._kept = self._heap.top
        return words
