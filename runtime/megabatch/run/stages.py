"""Measures the seconds of a batch's stages.

encode    samples put into columns
send      columns brought to a device
compute   operations run; on a device, issued to it
wait      for a device and its results
compare   outputs compared with the expected ones
write     files written
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager


class Stages:
    """Measures the seconds of stages. Time in an inner stage does not count for the outer."""

    def __init__(self) -> None:
        self._seconds: dict[str, float] = defaultdict(float)
        self._running: list[str] = []
        self._since = 0.0

    @contextmanager
    def __call__(self, stage: str) -> Iterator[None]:
        """Measure the seconds of a stage while entered."""
        self._note()
        self._running.append(stage)
        try:
            yield
        finally:
            self._note()
            self._running.pop()

    def _note(self) -> None:
        now = time.perf_counter()
        if self._running:
            self._seconds[self._running[-1]] += now - self._since
        self._since = now

    def taken(self) -> dict[str, float]:
        """Return the seconds by stage since the last call."""
        seconds, self._seconds = self._seconds, defaultdict(float)
        return dict(seconds)
