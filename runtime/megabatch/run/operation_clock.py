"""The seconds that each operation of a batch takes."""

from __future__ import annotations

import time

import numpy as np

from megabatt.runtime.engine.device.kernels import seconds_making_ready


class OperationClock:
    """Is told of each operation of a batch that runs one after the other, as they do on the CPU.

    An operation has the seconds since the one before it, with all that it calls. Seconds of loading
    or compiling kernels are left out.

    seconds: by the operation's number in the program, float64 (operations + 1,).
    """

    def __init__(self, operations: int) -> None:
        self.seconds = np.zeros(operations + 1)
        self.restart()

    def restart(self) -> None:
        """Count the time since the last operation as no operation's."""
        self._since = self._now()

    def __call__(self, number: int) -> None:
        now = self._now()
        self.seconds[number] += now - self._since
        self._since = now

    def _now(self) -> float:
        return time.perf_counter() - seconds_making_ready()
