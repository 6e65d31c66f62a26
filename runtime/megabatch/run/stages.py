"""Measures the seconds of a batch's stages.

encode    puts samples into columns or words
send      brings inputs to a device
compute   runs operations; for a device, issues them
wait      waits for a device and its results
compare   compares outputs with the expected outputs
write     writes files
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager


class Stages:
    """Measures the seconds of stages. An inner stage's seconds do not count for the outer stage."""

    def __init__(self) -> None:
        self._seconds: dict[str, float] = defaultdict(float)
        self._running: list[str] = []
        self._since = 0.0

    @contextmanager
    def __call__(self, stage: str) -> Iterator[None]:
        """Measure the seconds of a stage within the block."""
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
