"""The inputs of a run's batches on a device: all sent at the start, or batch by batch.

Samples are put into columns once, on the host. A shared input is put into a column when a program
first reads the input. Columns that fit on the device are sent once, and batches are gathered on the
device. Larger columns are streamed: the next batch is sent while a batch is computed.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import partial
from typing import Any

import numpy as np

from megabatt.runtime.engine.columns import Column, Hosts
from megabatt.runtime.engine.columns.transfer import Parcel
from megabatt.runtime.engine.device.device import CPU, Device, computing_on, xp
from megabatt.runtime.engine.executor.program import BatchInputs
from megabatt.runtime.megabatch.run.stages import Stages
from megabatt.runtime.megabatch.run.word_inputs import SHARE_FOR_INPUTS, HostInputs, WordInputs
from megabatt.runtime.megabatch.samples import sharers
from megabatt.runtime.megabatch.workload import Workload


def inputs_on(
    workload: Workload[Any], device: Device, samples: list[Any], stages: Stages | None = None
) -> DeviceInputs | WordInputs | HostInputs:
    """Lay out samples' inputs for `device`: as words in a language of words, else as columns."""
    if workload.language.of_words:
        if device.asks_together:
            return WordInputs(workload, device, samples, stages)
        return HostInputs(workload, samples, stages)
    return DeviceInputs(workload, device, samples, stages)


class DeviceInputs:
    """The columns of the samples' inputs and expected outputs, sample k in lane k.

    Make and use a DeviceInputs with `device` in use. Lanes are ranges of samples.
    """

    def __init__(
        self,
        workload: Workload[Any],
        device: Device,
        samples: list[Any],
        stages: Stages | None = None,
    ) -> None:
        """Put the samples' own inputs into columns, and send the columns if there is room.

        stages: Measures the seconds of encoding and sending.
        """
        self.device = device
        self._stages = stages or Stages()
        self.workload = workload
        inputs = dict.fromkeys([*workload.language.inputs, workload.expected_column])
        self._own = [name for name in inputs if name not in workload.shared]
        columns = [partial(workload.column, name, samples) for name in self._own]
        self._of_samples = _Source(device, columns, self._stages)
        # Shared inputs are large, and few programs read them.
        self._sharers = {name: sharers(name, samples) for name in workload.shared}
        self._of_groups: dict[str, _Source] = {}

    @property
    def streams(self) -> bool:
        """Whether the samples' own inputs go to the device batch by batch."""
        return self._of_samples.streams

    def send_ahead(self, lanes: range) -> None:
        """Begin to send these lanes to the device, unless all lanes are on the device."""
        self._of_samples.send_ahead(np.arange(lanes.start, lanes.stop))
        for name, source in self._of_groups.items():
            source.send_ahead(self._index(name, lanes))

    def of_lanes(
        self,
        lanes: range,
        solvers: Collection[str] | None = None,
        kept: np.ndarray[Any, Any] | None = None,
    ) -> BatchInputs:
        """Return the inputs of a batch of these lanes, on the device.

        solvers, kept: As for `BatchInputs`.
        """
        own = self._of_samples.taken(np.arange(lanes.start, lanes.stop))
        # inputs for an earlier batch may still be in transfer
        shared = {name: self._shared(name, lanes) for name in self._of_groups}
        values: dict[str, Any] = {
            name: partial(self._shared, name, lanes) for name in self.workload.shared
        }
        for name, column in [*zip(self._own, own, strict=True), *shared.items()]:
            values[name] = partial(_itself, column)
        return BatchInputs(len(lanes), values, solvers=solvers, kept=kept)

    def _index(self, name: str, lanes: range) -> np.ndarray[Any, Any]:
        return self._sharers[name][1][lanes.start : lanes.stop]

    def _shared(self, name: str, lanes: range) -> Column:
        if name not in self._of_groups:
            column = partial(self.workload.column, name, self._sharers[name][0])
            self._of_groups[name] = _Source(self.device, [column], self._stages)
        (taken,) = self._of_groups[name].taken(self._index(name, lanes))
        return taken


def _itself(column: Column) -> Column:
    return column


def _positions(index: np.ndarray[Any, Any]) -> Any:
    """Return an index on the device in use. A range is made on the device, without a transfer."""
    first, count = int(index[0]), len(index)
    if np.array_equal(index, np.arange(first, first + count)):
        return xp.arange(first, first + count)
    return xp.asarray(index)


class _Source:
    """Columns of inputs, from which batches are taken.

    streams: Whether lanes are sent batch by batch, since all lanes would take too much memory.
    """

    def __init__(
        self, device: Device, columns: Sequence[Callable[[], Column]], stages: Stages
    ) -> None:
        """Make the columns on the host, and send the columns if there is room.

        columns: Functions that make the columns.
        """
        self.device = device
        self._stages = stages
        with stages("encode"), computing_on(CPU):
            self._columns = [make() for make in columns]
            parcel = Parcel(self._columns)
        self._ahead: tuple[np.ndarray[Any, Any], Callable[[], list[Column]]] | None = None
        self.streams = parcel.bytes.nbytes > SHARE_FOR_INPUTS * device.free_bytes()
        if not self.streams:
            with stages("send"):
                self._there = parcel.unpacked(device.send(parcel.bytes)())

    def send_ahead(self, index: np.ndarray[Any, Any]) -> None:
        """Begin to send the lanes that the next call of `taken` returns."""
        if self.streams:
            with self._stages("send"):
                self._ahead = index, self._sent(index)

    def taken(self, index: np.ndarray[Any, Any]) -> list[Column]:
        """Return the columns' lanes at `index`, on the device."""
        with self._stages("send"):
            if not self.streams:
                here = _positions(index)
                return [_taken(column, index, here) for column in self._there]
            ahead, self._ahead = self._ahead, None
            if ahead is None or not np.array_equal(ahead[0], index):
                return self._sent(index)()
            return ahead[1]()

    def _sent(self, index: np.ndarray[Any, Any]) -> Callable[[], list[Column]]:
        """Send each distinct lane once; return a function that gives the columns on the device."""
        lanes, place = np.unique(index, return_inverse=True)
        with computing_on(CPU):
            parcel = Parcel([column.take(lanes).packed() for column in self._columns])
        arrived = self.device.send(parcel.bytes)

        def columns() -> list[Column]:
            there = parcel.unpacked(arrived())
            if np.array_equal(lanes, index):
                return there
            here = xp.asarray(place)
            return [_taken(column, place, here) for column in there]

        return columns


def _taken(column: Column, index: np.ndarray[Any, Any], there: Any) -> Column:
    """Take lanes of a column: by `index` of a column on the host, else by `there`."""
    return column.take(index if isinstance(column, Hosts) else there)
