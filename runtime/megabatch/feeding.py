"""The inputs of a run's batches on a device: all there from the start, or each in time.

Samples are put into columns once, on the host. Where there is room for all of them on the device
they are sent once, and batches are gathered there. A larger set streams: while one batch is
computed, the next is on its way.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

import numpy as np

from runtime.engine.batch import BatchInputs
from runtime.engine.columns import Column
from runtime.engine.devices import CPU, Device, computing_on, xp
from runtime.engine.encode import encode
from runtime.engine.transfer import Parcel, packed
from runtime.megabatch.samples import Sample

_SHARE_FOR_INPUTS = 0.1
"""Of the device's free memory: what all samples may take to be kept there."""


class Feed:
    """The columns of the samples' inputs, sample k in lane k.

    streams: whether they go to the device batch by batch. Make it, and call it, with `device` in
    use; lanes are ranges of samples.
    """

    def __init__(self, device: Device, samples: list[Sample]) -> None:
        self.device = device
        distinct = list({id(sample.S): sample.S for sample in samples}.values())
        place = {id(demonstrations): k for k, demonstrations in enumerate(distinct)}
        with computing_on(CPU):
            self._task = np.array([place[id(sample.S)] for sample in samples], dtype=np.int64)
            self._columns = [
                encode([sample.I for sample in samples]),
                encode([sample.C for sample in samples]),
                encode(distinct),
            ]
            parcel = Parcel(self._columns)
        self._ahead: tuple[range, Callable[[], list[Column]]] | None = None
        self.streams = parcel.bytes.nbytes > _SHARE_FOR_INPUTS * device.free_bytes()
        if not self.streams:
            self._there = parcel.unpacked(device.send(parcel.bytes)())

    def send_ahead(self, lanes: range) -> None:
        """Begin to bring these lanes to the device, if they are not there from the start."""
        if self.streams:
            self._ahead = lanes, self._sent(lanes)

    def inputs(self, lanes: range, solvers: Collection[str] | None = None) -> BatchInputs:
        """The inputs of a batch of these lanes, on the device; solvers: as of `BatchInputs`."""
        tasks = self._task[lanes.start : lanes.stop]
        if self.streams:
            tasks = np.unique(tasks, return_inverse=True)[1]
            given, demonstrated, demonstrations = self._taken(lanes)
        else:
            here = xp.arange(lanes.start, lanes.stop, dtype=xp.int64)
            given, demonstrated = (column.take(here) for column in self._there[:2])
            demonstrations = self._there[2]
        values: dict[str, Any] = {
            "I": lambda: given,
            "C": lambda: demonstrated,
            "S": lambda: demonstrations.take(xp.asarray(tasks)),
        }
        return BatchInputs(len(lanes), values, solvers=solvers)

    def _taken(self, lanes: range) -> list[Column]:
        ahead, self._ahead = self._ahead, None
        arrived = ahead[1] if ahead is not None and ahead[0] == lanes else self._sent(lanes)
        return arrived()

    def _sent(self, lanes: range) -> Callable[[], list[Column]]:
        with computing_on(CPU):
            index = np.arange(lanes.start, lanes.stop)
            tasks = np.unique(self._task[index])
            parcel = Parcel(
                [
                    packed(column.take(at))
                    for column, at in zip(self._columns, (index, index, tasks), strict=True)
                ]
            )
        arrived = self.device.send(parcel.bytes)
        return lambda: parcel.unpacked(arrived())
