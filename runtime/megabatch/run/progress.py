"""The progress of a run, for a callback or for lines of a log."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass

from megabatt.runtime.megabatch.run.compute import BatchOutcome
from megabatt.runtime.megabatch.run.stopping import Stop
from megabatt.runtime.vocabulary import counted

log = logging.getLogger("megabatt.run")


@dataclass(frozen=True)
class Progress:
    """The progress of a run.

    batches, samples: The numbers done so far, also by earlier runs in the folder. batches_in_all,
    samples_in_all: The totals. seconds: The seconds since this run began. samples_a_second: The
    speed of this run. rescued: The number of rescued batches. last_rescued: Why the last rescued
    batch was rescued.
    """

    batches: int
    batches_in_all: int
    samples: int
    samples_in_all: int
    seconds: float
    samples_a_second: float
    rescued: int = 0
    last_rescued: str = ""

    def __str__(self) -> str:
        parts = [
            f"{self.batches:,} of {counted(self.batches_in_all, 'batch')}",
            f"{self.samples:,} of {counted(self.samples_in_all, 'sample')}",
            f"{self.samples_a_second:.3g} samples a second",
        ]
        if self.rescued:
            parts.append(f"{counted(self.rescued, 'batch')} rescued, the last: {self.last_rescued}")
        return ", ".join(parts)


Told = Callable[[Progress], object]
"""A callback for the progress. To return False stops the run after the batches under way."""


class Teller:
    """Counts finished batches, and calls back from time to time and at the end.

    missing: The number of batches to count. every: The least seconds between two calls; slow calls
    come less often, so that they take at most a twentieth of the time. 0 calls after each batch.
    """

    def __init__(self, tell: Told, stop: Stop, missing: int, every: float = 1.0) -> None:
        self._tell = tell
        self._missing = missing
        self._stop = stop
        self._every = every
        self._outcomes: list[BatchOutcome] = []
        self._began = self._last = time.monotonic()
        self._before = (0, 0)
        self._in_all = (0, 0)

    def begin(self, before: list[BatchOutcome], batches_in_all: int, samples_in_all: int) -> None:
        """Begin to count. before: The outcomes of batches that earlier runs have finished."""
        self._before = len(before), sum(len(done.samples) for done in before)
        self._in_all = batches_in_all, samples_in_all
        self._began = self._last = time.monotonic()

    def add(self, outcome: BatchOutcome) -> None:
        """Count a finished batch; call back if the last call is long enough ago or at the end."""
        self._outcomes.append(outcome)
        now = time.monotonic()
        at_end = len(self._outcomes) == self._missing
        if now - self._last < self._every and not at_end:
            return
        if self._tell(self._progress(now)) is False:
            self._stop.ask()
        self._last = time.monotonic()
        if self._every:
            self._every = max(self._every, 20 * (self._last - now))

    def _progress(self, now: float) -> Progress:
        samples = sum(len(done.samples) for done in self._outcomes)
        rescued = [done.rescued for done in self._outcomes if done.rescued]
        seconds = now - self._began
        return Progress(
            self._before[0] + len(self._outcomes),
            self._in_all[0],
            self._before[1] + samples,
            self._in_all[1],
            seconds,
            samples / seconds if seconds else 0.0,
            len(rescued),
            rescued[-1] if rescued else "",
        )
