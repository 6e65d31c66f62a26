"""Tries programs on one sample of each of many tasks, call after call."""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from megabatt.runtime.engine.device.arrays import xp
from megabatt.runtime.engine.device.device import CPU, Device, computing_on
from megabatt.runtime.engine.executor.host import MOST_BYTES
from megabatt.runtime.engine.executor.loading import Loaded
from megabatt.runtime.engine.executor.schedule import Ready
from megabatt.runtime.engine.language.reasons import Reason
from megabatt.runtime.engine.machine.loops import Numbers
from megabatt.runtime.megabatch.evaluation.failures import failures_of
from megabatt.runtime.megabatch.evaluation.merged import Merged
from megabatt.runtime.megabatch.workload import Workload
from megabatt.runtime.program import Program

log = logging.getLogger("megabatt.search")

Bits = np.ndarray[Any, Any]


class Rated(NamedTuple):
    """The ratings of programs; both arrays are (programs, samples).

    closeness   float32: how close outputs come to the expected outputs: 1 for a right output, and
                0 for an invalid program
    limited     bool: whether the first failed operation failed by the limit
    """

    closeness: Bits
    limited: Bits


class Late(Exception):
    """Raised if a deadline passes before programs are rated."""


class Wide:
    """Samples on which programs are tried. Programs do not see the expected outputs."""

    def __init__(
        self, workload: Workload[Any], samples: Sequence[Any], max_elements: int, device: Device
    ) -> None:
        self._workload = workload
        self._samples = list(samples)
        self._max_elements = max_elements
        self._device = device
        self._has_warned = False

    def rated(self, programs: Sequence[Program], deadline: float = float("inf")) -> Rated:
        """Run programs on all samples. Raises Late at the deadline, a `time.time()`."""
        shape = len(programs), len(self._samples)
        found = Rated(np.zeros(shape, dtype=np.float32), np.zeros(shape, dtype=np.bool_))
        language = self._workload.language
        with language.in_use(), computing_on(self._device), np.errstate(all="ignore"):
            merged = Merged(self._workload, self._max_elements, blind=True)
            loaded = merged.add(programs)
            if loaded.wrong and not self._has_warned:
                self._has_warned = True
                place, why = next(iter(loaded.wrong.items()))
                log.warning("some programs cannot be run: %s: %s", programs[place].name, why)
            right = np.flatnonzero(loaded.outputs >= 0)
            if len(right):
                found.closeness[right], found.limited[right] = self._rated(
                    merged, loaded, right, deadline
                )
        return found

    def _rated(
        self, merged: Merged, loaded: Loaded, programs: Numbers, deadline: float
    ) -> Rated:
        """Run programs, given their places."""
        wanted, which = np.unique(loaded.outputs[programs], return_inverse=True)
        executor = merged.executor([self._samples], False, lambda: MOST_BYTES)
        schedule = executor.schedule(wanted, np.zeros_like(wanted))
        lanes = np.arange(len(self._samples))
        rows = schedule.rows(np.zeros_like(lanes))
        expected = executor.words_of_input(merged.expected, lanes)
        rated = np.zeros(len(rows.lanes), dtype=np.float32)

        def rate(ready: Ready) -> None:
            if time.time() > deadline:
                raise Late
            these = slice(ready.first, ready.first + len(ready.words))
            both = xp.concatenate([ready.words, expected[xp.asarray(rows.lanes[these])]])
            values, words = ready.values.on_host(both)
            with computing_on(CPU):
                rated[these] = self._workload.closeness_on_host(values, *np.split(words, 2))

        done = executor.run(schedule, rate)
        close = rated.reshape(len(lanes), len(wanted)).T
        place = schedule.found_at[which]
        counts, of_programs = np.full(len(programs), len(lanes)), place[:, None] + rows.firsts
        failures = failures_of(
            loaded, programs, counts, merged.operations, schedule, done, rows, of_programs.ravel()
        )
        limited = failures.reasons == Reason.LIMIT
        return Rated(close[place], limited.reshape(of_programs.shape))
