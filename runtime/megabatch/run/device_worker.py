"""Computes batches on one device; the CPU computes what the device cannot.

A batch that outgrows the device's memory is computed in halves, and a single lane on the CPU.
"""

from __future__ import annotations

import gc
from typing import Any

import numpy as np

from megabatt.runtime.engine.device.device import CPU, Device, computing_on
from megabatt.runtime.engine.executor.program import Results
from megabatt.runtime.megabatch.batches import Batch, Settings
from megabatt.runtime.megabatch.programs import Forms
from megabatt.runtime.megabatch.run.compute import Computed, compute, reason_of
from megabatt.runtime.megabatch.run.device_inputs import inputs_on
from megabatt.runtime.megabatch.run.stages import Stages
from megabatt.runtime.megabatch.samples import batch_inputs


class DeviceLost(Exception):
    """Raised if the device no longer computes."""


class DeviceWorker:
    """Computes a run's batches on one device, in any order.

    keeps_all: Whether to keep the outputs of all samples, not only the outputs that a run writes.
    """

    def __init__(
        self,
        settings: Settings,
        batches: list[Batch],
        device: Device,
        keeps_all: bool = False,
    ) -> None:
        self.settings = settings
        self.device = device
        self.keeps_all = keeps_all
        self.stages = Stages()
        self._transfers = device.sent + device.fetched
        self.lanes: dict[int, range] = {}
        at = 0
        samples_of = {batch.number: batch.samples for batch in batches}  # parts share them
        for number, samples in samples_of.items():
            self.lanes[number] = range(at, at + len(samples))
            at += len(samples)
        with settings.language.in_use(), computing_on(device):
            every = [sample for samples in samples_of.values() for sample in samples]
            self.inputs = inputs_on(settings.workload, device, every, self.stages)

    def compute(self, batch: Batch, following: Batch | None = None) -> Computed:
        """Compute the batch, and bring its results to the host. Raises DeviceLost.

        The seconds of the first batch include putting all samples into columns. following: The next
        batch, whose inputs are sent during the computation.
        """
        try:
            results = self.results(batch, following)
            seconds, transfers = self.stages.taken(), self._new_transfers()
            return Computed(batch, results, seconds, transfers=transfers)
        except Exception as error:
            if self.device.lost(error):
                raise DeviceLost(reason_of(error)) from error
            why = reason_of(error)
        # Outside of the handler, the arrays in the error's traceback are free again.
        computed = compute(self.settings, batch)
        computed.rescued = computed.rescued or why
        return computed

    def _new_transfers(self) -> int:
        """Return the number of transfers to and from the device since the last call."""
        before, self._transfers = self._transfers, self.device.sent + self.device.fetched
        return self._transfers - before

    def results(self, batch: Batch, following: Batch | None = None) -> Results:
        """Compute the batch, in halves if the device's memory is full.

        Returns the batch's results on the host. Raises the device's other errors.
        """
        with self.settings.language.in_use(), computing_on(self.device):
            forms = self.settings.forms(batch)
            return self._results(forms, batch, self.lanes[batch.number], following)

    def _results(
        self, forms: Forms, batch: Batch, lanes: range, following: Batch | None = None
    ) -> Results:
        try:
            inputs = self.inputs.of_lanes(lanes, batch.solvers, self._kept(batch, lanes))
            if following is not None:
                self.inputs.send_ahead(self.lanes[following.number])
            with self.stages("compute"):
                computed = forms.run(inputs, self.settings.limit)
            with self.stages("wait"):
                return computed.on_host()
        except Exception as error:
            if not self.device.exhausted(error):
                raise
        gc.collect()  # pending operations and their arguments refer to one another
        self.device.release()
        if len(lanes) == 1:
            sample = batch.samples[lanes.start - self.lanes[batch.number].start]
            with computing_on(CPU):
                with self.stages("encode"):
                    inputs = batch_inputs(
                        self.settings.workload,
                        [sample],
                        solvers=batch.solvers,
                        kept=self._kept(batch, lanes),
                    )
                with self.stages("compute"):
                    return forms.run(inputs, self.settings.limit)
        middle = (lanes.start + lanes.stop) // 2
        halves = [range(lanes.start, middle), range(middle, lanes.stop)]
        results = [self._results(forms, batch, half) for half in halves]
        with computing_on(CPU):
            return Results.joined(results)

    def _kept(self, batch: Batch, lanes: range) -> np.ndarray[Any, Any] | None:
        """Return `Settings.kept` of the samples of these lanes; None to keep all outputs."""
        first = self.lanes[batch.number].start
        samples = batch.samples[lanes.start - first : lanes.stop - first]
        return None if self.keeps_all else self.settings.kept(samples)
