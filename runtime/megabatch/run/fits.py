"""Tells which solvers fit which groups, judged by some samples of each group."""

from __future__ import annotations

from typing import Any

import numpy as np

from megabatt.runtime.megabatch.samples import demonstrates, group_numbers
from megabatt.runtime.megabatch.workload import Workload


class Fits:
    """Tells which solvers fit which groups of samples.

    A solver fits a group if the solver is right on all computed demonstrations of the group among
    the samples. Without such demonstrations, every solver fits. computed: bool (samples,).
    """

    def __init__(
        self, workload: Workload[Any], samples: list[Any], computed: np.ndarray[Any, Any]
    ) -> None:
        self._group = group_numbers(samples)
        self._count = int(self._group.max(initial=-1)) + 1
        self._computed = computed
        shows = [demonstrates(workload, sample) for sample in samples]
        self._demonstrates = np.array(shows, dtype=np.bool_) & computed

    def of(self, matches: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        """Flag the computed samples whose group a solver fits; bool (samples,).

        matches: bool (samples,), where the solver is right.
        """
        wrong = self._group[self._demonstrates & ~matches]
        speaks_against = np.bincount(wrong, minlength=self._count) > 0
        return self._computed & ~speaks_against[self._group]
