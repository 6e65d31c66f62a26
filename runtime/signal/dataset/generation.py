"""Generates a dataset: places candidates, rejects or measures them, writes accepted ones."""

from __future__ import annotations

import time
from collections import Counter, deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field, replace
from itertools import cycle

import numpy as np

from megabatt.runtime.megabatch.batches import Settings
from megabatt.runtime.megabatch.run.stopping import Stop
from megabatt.runtime.megabatch.run.workers import Worker, reason_of_death, workers
from megabatt.runtime.signal.dataset.configuration import Configuration
from megabatt.runtime.signal.dataset.files import DatasetFolder
from megabatt.runtime.signal.dataset.measuring import LATE, Measurements, Unmeasured, measure
from megabatt.runtime.signal.dataset.rejection import (
    Fruitless,
    Survivors,
    in_units,
    survivors_from,
)

_SAVE_SECONDS = 30.0
"""The seconds that accepted samples may wait to be written."""
_FRUITLESS = 1000
"""The most consecutive candidates that may be rejected after their signals are made."""
_AHEAD = 2
"""The units that a worker has at a time."""


@dataclass
class Generation:
    """A dataset in the making.

    seconds: "early" for placing and early rejection in this process, "signals" over all workers.
    notes: Problems, with how often each occurred.
    """

    settings: Settings
    configuration: Configuration
    folder: DatasetFolder
    stop: Stop
    progress: Callable[[int], None] = lambda samples: None
    seconds: dict[str, float] = field(default_factory=lambda: {"early": 0.0, "signals": 0.0})
    notes: Counter[str] = field(default_factory=Counter)
    signals: int = 0
    _rejected_in_a_row: int = 0

    def run(self) -> None:
        """Generate until there are enough samples, or until asked to stop.

        Fills gaps first. Afterwards, also after an exception, the folder has all accepted samples.
        Raises Fruitless and Unmeasured.
        """
        for gap in list(self.folder.gaps):
            self._fill(gap, gap.rows_of_gap)
            if gap.accepted == gap.rows_of_gap:
                self.folder.fill(gap)
        self._fill(self.folder, self.configuration.num_samples)

    @property
    def missing(self) -> int:
        """The number of missing samples."""
        in_gaps = sum(gap.rows_of_gap for gap in self.folder.gaps)
        return max(self.configuration.num_samples - self.folder.accepted, in_gaps)

    def _fill(self, folder: DatasetFolder, wanted: int) -> None:
        """Fill a folder until it has `wanted` samples, or until asked to stop."""
        saved = time.monotonic()
        try:
            while folder.accepted < wanted and not self.stop.asked:
                for measured in self._measured(self._units(folder, wanted - folder.accepted)):
                    self._append(folder, wanted, measured)
                    if time.monotonic() - saved > _SAVE_SECONDS:
                        folder.save()
                        saved = time.monotonic()
        finally:
            folder.save()

    def _units(self, folder: DatasetFolder, missing: int) -> Iterator[Survivors]:
        """Yield units of survivors, one for each missing sample; none once asked to stop."""
        survivors = self._timed(survivors_from(self.configuration, folder.next_candidate))
        for unit in in_units(survivors, self.configuration.batch_size, missing):
            if self.stop.asked:
                return
            yield unit

    def _timed(self, survivors: Iterator[Survivors]) -> Iterator[Survivors]:
        while True:
            began = time.perf_counter()
            some = next(survivors)
            self.seconds["early"] += time.perf_counter() - began
            yield some

    def _append(self, folder: DatasetFolder, wanted: int, measured: Measurements) -> None:
        """Append accepted samples to a folder until it has `wanted`. Raises Fruitless."""
        self.seconds["signals"] += measured.seconds
        self.signals += len(measured.features)
        self.notes.update(measured.notes)
        at, n = 0, len(measured.survivors)
        while at < n and folder.accepted < wanted:
            accepted = at + np.flatnonzero(measured.verdicts[at:] < 0)
            room = min(folder.room(), wanted - folder.accepted)
            end = int(accepted[room - 1]) + 1 if len(accepted) >= room else n
            folder.append(measured, at, end)
            self.progress(min(len(accepted), room))
            at = end
        self._rejected_in_a_row = (
            0 if (measured.verdicts < 0).any() else self._rejected_in_a_row + n
        )
        if self._rejected_in_a_row >= _FRUITLESS:
            raise Fruitless(self._why(folder))

    def _why(self, folder: DatasetFolder) -> str:
        counts = ", ".join(f"{reason} {folder.rejected[reason]:,}" for reason in LATE)
        return (
            f"none of {self._rejected_in_a_row:,} candidates in a row is accepted once its signals "
            f"are made ({counts}): what {self.settings.folder} makes of them is not right"
        )

    def _measured(self, units: Iterator[Survivors]) -> Iterator[Measurements]:
        """Measure the units, in their order."""
        device = self.settings.devices[0]
        if self.settings.workers < 2 or device != "cpu":
            for unit in units:
                yield measure(self.settings, self.configuration, unit, device)
            return
        yield from self._by_workers(units)

    def _by_workers(self, units: Iterator[Survivors]) -> Iterator[Measurements]:
        """Measure the units by workers, in order. Raises Fruitless after the units before it."""
        with workers(self.settings.workers) as mine:
            turns, ended = cycle(mine), None
            pending: deque[tuple[Survivors, Worker, Future[Measurements]]] = deque()
            try:
                for unit in units:
                    worker = next(turns)
                    pending.append((unit, worker, self._submit(worker, unit, self.configuration)))
                    if len(pending) >= _AHEAD * len(mine):
                        yield self._result(*pending.popleft())
            except Fruitless as error:
                ended = error
            while pending:
                yield self._result(*pending.popleft())
            if ended is not None:
                raise ended

    def _submit(
        self, worker: Worker, unit: Survivors, configuration: Configuration
    ) -> Future[Measurements]:
        return worker.submit(measure, self.settings, configuration, unit, "cpu")

    def _result(self, unit: Survivors, worker: Worker, work: Future[Measurements]) -> Measurements:
        """Return a worker's measurements; if its process dies, try smaller and smaller batches.

        Raises Unmeasured if the process dies on a single signal.
        """
        smaller = self.configuration
        while True:
            try:
                return work.result()
            except BrokenProcessPool as error:
                why = reason_of_death(error)
            if smaller.batch_size == 1:
                first = unit.links.candidates[0]
                raise Unmeasured(f"candidate {first} or one just behind it: {why}")
            smaller = replace(smaller, batch_size=max(smaller.batch_size // 4, 1))
            self.notes[f"batches made smaller, as {why}"] += 1
            work = self._submit(worker, unit, smaller)
