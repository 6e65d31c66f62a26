"""The inputs of a run's batches on a device: all there from the start, or each in time.

Samples are put into columns once, on the host, those of an input when a program first reads it.
Where there is room for them on the device they are sent once, and batches are gathered there.
Larger ones stream: while one batch is computed, the next is on its way.
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
"""Of the device's free memory: what columns of all samples may take to be kept there."""


class Feed:
    """The columns of the samples' inputs, sample k in lane k.

    Make it, and call it, with `device` in use; lanes are ranges of samples.
    """

    def __init__(self, device: Device, samples: list[Sample]) -> None:
        self.device = device
        distinct = {id(sample.S): sample.S for sample in samples}
        place = {identity: k for k, identity in enumerate(distinct)}
        self._task = np.array([place[id(sample.S)] for sample in samples], dtype=np.int64)
        self._demonstrations = list(distinct.values())
        given: list[Any] = [sample.I for sample in samples]
        self._of_samples = _Source(device, [given, [sample.C for sample in samples]])
        self._of_tasks: _Source | None = None  # few programs read them, and they are many grids

    @property
    def streams(self) -> bool:
        """Whether the samples' grids go to the device batch by batch."""
        return self._of_samples.streams

    def send_ahead(self, lanes: range) -> None:
        """Begin to bring these lanes to the device, if they are not there from the start."""
        self._of_samples.send_ahead(np.arange(lanes.start, lanes.stop))
        if self._of_tasks is not None:
            self._of_tasks.send_ahead(self._task[lanes.start : lanes.stop])

    def inputs(self, lanes: range, solvers: Collection[str] | None = None) -> BatchInputs:
        """The inputs of a batch of these lanes, on the device; solvers: as of `BatchInputs`."""
        given, demonstrated = self._of_samples.taken(np.arange(lanes.start, lanes.stop))
        # what was read in a batch before may be on its way, and comes before that of the next
        tasks = self._tasks_of(lanes) if self._of_tasks is not None else None
        values: dict[str, Any] = {
            "I": lambda: given,
            "C": lambda: demonstrated,
            "S": lambda: self._tasks_of(lanes) if tasks is None else tasks,
        }
        return BatchInputs(len(lanes), values, solvers=solvers)

    def _tasks_of(self, lanes: range) -> Column:
        if self._of_tasks is None:
            self._of_tasks = _Source(self.device, [self._demonstrations])
        (column,) = self._of_tasks.taken(self._task[lanes.start : lanes.stop])
        return column


class _Source:
    """Columns of inputs, from which batches are taken.

    streams: whether what a batch takes is sent for it, as all would take too much of the device.
    """

    def __init__(self, device: Device, values: list[list[Any]]) -> None:
        """values: of each input, in every lane."""
        self.device = device
        with computing_on(CPU):
            self._columns = [encode(of_input) for of_input in values]
            parcel = Parcel(self._columns)
        self._ahead: tuple[np.ndarray[Any, Any], Callable[[], list[Column]]] | None = None
        self.streams = parcel.bytes.nbytes > _SHARE_FOR_INPUTS * device.free_bytes()
        if not self.streams:
            self._there = parcel.unpacked(device.send(parcel.bytes)())

    def send_ahead(self, index: np.ndarray[Any, Any]) -> None:
        """Begin to send what `taken` is then asked for."""
        if self.streams:
            self._ahead = index, self._sent(index)

    def taken(self, index: np.ndarray[Any, Any]) -> list[Column]:
        """The columns' lanes at `index`, on the device."""
        if not self.streams:
            here = xp.asarray(index)
            return [column.take(here) for column in self._there]
        ahead, self._ahead = self._ahead, None
        if ahead is None or not np.array_equal(ahead[0], index):
            return self._sent(index)()
        return ahead[1]()

    def _sent(self, index: np.ndarray[Any, Any]) -> Callable[[], list[Column]]:
        """Send these lanes, each once; calling the result gives the columns on the device."""
        lanes, place = np.unique(index, return_inverse=True)
        with computing_on(CPU):
            parcel = Parcel([packed(column.take(lanes)) for column in self._columns])
        arrived = self.device.send(parcel.bytes)

        def columns() -> list[Column]:
            there = parcel.unpacked(arrived())
            if np.array_equal(lanes, index):
                return there
            return [column.take(xp.asarray(place)) for column in there]

        return columns
